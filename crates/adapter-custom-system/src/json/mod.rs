//! An answer's JSON, gone through once, so that a number keeps its text and what is wrong harms only itself.

mod document;
mod node;
mod path;
mod scan;
pub(crate) mod values;

pub(crate) use document::{Document, Value};
pub(crate) use node::{Field, Node};
pub(crate) use path::Notes;
