//! The scopes of a key (docs/rest-api.md, "Scopes").

use std::{fmt, str::FromStr};

/// A scope is something that a key may be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The key may list and look up contacts, and ask `GET /v1/me`.
    ContactsRead,
    /// The key may add and rename contacts.
    ContactsWrite,
    /// The key may list conversations and read their messages.
    ConversationsRead,
    /// The key may list templates, and send messages, template messages and one-time codes.
    MessagesSend,
}

/// The text names no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no scope `{0}`; the scopes are contacts:read, contacts:write, conversations:read, messages:send"
)]
pub struct UnknownScope(pub String);

impl Scope {
    pub const ALL: [Self; 4] =
        [Self::ContactsRead, Self::ContactsWrite, Self::ConversationsRead, Self::MessagesSend];

    /// Returns its name on the wire.
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
