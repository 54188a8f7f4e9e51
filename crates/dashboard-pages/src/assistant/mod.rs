//! Pages of the assistant: its settings, its documents, a chat to try it, and its turns.

mod knowledge;
mod questions;
mod settings;
mod try_out;
mod turns;

pub use knowledge::{DocumentPage, DocumentRow, DocumentsPage, EvidenceRow, PassageRow};
pub use questions::{QuestionRow, QuestionsPage, RunRow, TypedQuestion};
pub use settings::{AssistantPage, OwnKey, TypedAssistant, TypedFact};
pub use try_out::{SaidMessage, StepRow, TryPage, TryTurn, TypedActs, Worded};
pub use turns::{DayRow, TurnRow, TurnsPage};

use crate::{frame::Frame, words::AssistantWords};

/// Returns the assistant's pages: path, title, and whether it is the one shown.
fn tabs(frame: &Frame, shown: &str) -> [(&'static str, &'static str, bool); 5] {
    let words: &AssistantWords = &frame.words().assistant;
    let root = "/dashboard/settings/assistant";
    [
        (root, words.settings),
        ("/dashboard/settings/assistant/documents", words.documents),
        ("/dashboard/settings/assistant/try", words.try_out),
        ("/dashboard/settings/assistant/questions", frame.words().rehearsals.title),
        ("/dashboard/settings/assistant/turns", words.turns),
    ]
    .map(|(path, name)| (path, name, path == shown))
}
