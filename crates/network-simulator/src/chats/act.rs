//! Acts of a person.

use super::bubble::Bubble;

/// Effect of an act on the chat.
pub(crate) enum Act {
    Says(Bubble),
    /// `None` takes the reaction back.
    Reacts {
        about: String,
        emoji: Option<String>,
    },
    Edits {
        about: String,
        text: String,
    },
    Deletes {
        about: String,
    },
}
