//! Parser of an answer's JSON, in one pass: a number keeps its text, and a wrong value harms only itself.

mod document;
mod entry;
mod node;
mod path;
mod scan;
pub(crate) mod values;

pub(crate) use document::{Document, Value};
pub(crate) use node::{Field, Node};
pub(crate) use path::Notes;
