//! Roles of members.

use serde::{Deserialize, Serialize};

/// Role of a member, which says what they may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Answers customers.
    #[default]
    Agent,
    /// Answers customers, and decides about the workspace.
    Owner,
}

impl Role {
    pub const ALL: [Self; 2] = [Self::Agent, Self::Owner];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Owner => "owner",
        }
    }

    /// Parses what `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

impl std::str::FromStr for Role {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::read(name).ok_or_else(|| "a role is owner or agent".to_owned())
    }
}
