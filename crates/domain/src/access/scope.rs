//! The scopes of a key (docs/use/rest-api.md, "Scopes").

use std::{fmt, str::FromStr};

/// Permission that a key may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Listing and looking up contacts, and `GET /v1/me`.
    ContactsRead,
    /// Adding and renaming contacts.
    ContactsWrite,
    /// Listing conversations and reading their messages.
    ConversationsRead,
    /// Listing templates, and sending messages, template messages and one-time codes.
    MessagesSend,
}

/// Rejection of a text that names no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no scope `{0}`; the scopes are contacts:read, contacts:write, conversations:read, messages:send"
)]
pub struct UnknownScope(pub String);

impl Scope {
    pub const ALL: [Self; 4] =
        [Self::ContactsRead, Self::ContactsWrite, Self::ConversationsRead, Self::MessagesSend];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ContactsRead => "contacts:read",
            Self::ContactsWrite => "contacts:write",
            Self::ConversationsRead => "conversations:read",
            Self::MessagesSend => "messages:send",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|scope| scope.as_str() == text)
            .ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Scope;

    #[test]
    fn every_scope_reads_back_from_its_name() {
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(scope));
        }
        assert!("contacts:admin".parse::<Scope>().is_err());
    }
}
