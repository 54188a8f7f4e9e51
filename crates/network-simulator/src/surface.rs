//! What the people of a page write by.

/// Messenger or Instagram, for the messages of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Surface {
    Messenger,
    Instagram,
}

impl Surface {
    pub(crate) fn object(self) -> &'static str {
        match self {
            Self::Messenger => "page",
            Self::Instagram => "instagram",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Messenger => "messenger",
            Self::Instagram => "instagram",
        }
    }
}
