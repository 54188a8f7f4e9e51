//! Steps in the life of a message.

/// Step in the life of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifeStep {
    /// Written into its conversation.
    Recorded,
    /// Asked to be sent.
    Asked,
    /// Accepted by the network.
    Taken,
    /// Refused by the network.
    Refused,
    Delivered,
    Read,
    /// Not delivered, as the network reported.
    Failed,
}
