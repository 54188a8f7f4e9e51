//! Texts that differ between one server and a cluster.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topology {
    /// A single server, which makes one plan for all values.
    OneServer,
    /// A cluster, which plans by values.
    Cluster,
}

/// A statement in which `{is}` is `=` on a cluster, and on one server a comparison that no index serves.
pub(crate) struct TextByTopology {
    on_one_server: String,
    on_a_cluster: String,
}

impl TextByTopology {
    pub(crate) fn of(text: &str) -> Self {
        Self {
            on_one_server: text.replace("{is}", "IS NOT DISTINCT FROM"),
            on_a_cluster: text.replace("{is}", "="),
        }
    }

    pub(crate) fn at(&self, topology: Topology) -> &str {
        match topology {
            Topology::OneServer => &self.on_one_server,
            Topology::Cluster => &self.on_a_cluster,
        }
    }
}
