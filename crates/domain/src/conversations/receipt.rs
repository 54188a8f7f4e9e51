//! A read receipt that a network is owed.

use secrecy::SecretString;

use crate::{channels::ChannelKind, messages::NetworkMessageId};

/// Id of a person at a network. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonId(String);

impl PersonId {
    /// Returns the id for the network.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for PersonId {
    fn from(id: String) -> Self {
        Self(id)
    }
}

impl std::fmt::Debug for PersonId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PersonId")
    }
}

/// A read receipt that a network is owed.
#[derive(Debug, Clone)]
pub struct DueReceipt {
    pub channel: ChannelKind,
    /// Id at the network of the number, page or account that was written to.
    pub network_id: String,
    /// Token of the number, page or account.
    pub token: SecretString,
    pub mark: ReadMark,
}

/// Subject of a read receipt: a message, or the person who wrote, all of whose messages are read then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadMark {
    /// A message at WhatsApp, which is read with all before it.
    Message(NetworkMessageId),
    /// A person, by their id at the page or the account.
    Person(PersonId),
}
