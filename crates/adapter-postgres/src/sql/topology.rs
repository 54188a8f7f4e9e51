//! Texts that are not the same on one server and on a cluster.

/// Where statements run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topology {
    /// One server, which makes one plan for all values.
    OneServer,
    /// A cluster, which plans by values.
    Cluster,
}

/// A statement whose `{is}` is `=` on a cluster and, on one server, what compares in the same way and no index serves.
pub(crate) struct TextByTopology {
    on_one_server: String,
    on_a_cluster: String,
}

impl TextByTopology {
    /// Both texts.
    pub(crate) fn of(text: &str) -> Self {
        Self {
            on_one_server: text.replace("{is}", "IS NOT DISTINCT FROM"),
            on_a_cluster: text.replace("{is}", "="),
        }
    }

    /// The text for there.
    pub(crate) fn at(&self, topology: Topology) -> &str {
        match topology {
            Topology::OneServer => &self.on_one_server,
            Topology::Cluster => &self.on_a_cluster,
        }
    }
}
