//! The assistant: what owners set of it, a chat to try it, and what it did.

mod settings;
mod try_out;
mod turns;

pub use settings::{AssistantPage, OwnKey, TypedAssistant};
pub use try_out::{StepRow, TryPage, TryTurn};
pub use turns::{DayRow, TurnRow, TurnsPage};

use crate::{frame::Frame, words::AssistantWords};

/// Its pages, which lead to each other: where each is, what it is called, and whether it is the one that is shown.
fn tabs(frame: &Frame, shown: &str) -> [(&'static str, &'static str, bool); 3] {
    let words: &AssistantWords = &frame.words().assistant;
    let root = "/dashboard/settings/assistant";
    [
        (root, words.settings),
        ("/dashboard/settings/assistant/try", words.try_out),
        ("/dashboard/settings/assistant/turns", words.turns),
    ]
    .map(|(path, name)| (path, name, path == shown))
}
