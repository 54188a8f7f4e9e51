//! Knowledge: documents that an owner brings, cut into passages that the assistant cites word for word.

mod document;
mod look_up;
mod manage;
mod page;
pub mod ports;
mod read;
mod split;
#[cfg(test)]
mod tests;

pub use document::{Document, LONGEST_TITLE, MOST_DOCUMENTS, MOST_PASSAGES, Passage, PassageOf, Source};
pub use look_up::LookUpKnowledge;
pub use manage::{GivenDocument, KnowledgeError, ManageKnowledge, ReadDocument};
pub use read::{LARGEST_DOCUMENT, Unreadable};
pub use split::{LONGEST_HEADING, LONGEST_PASSAGE, LONGEST_SENTENCE, MOST_OF_DOCUMENT};
