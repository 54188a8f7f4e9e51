//! An answer's JSON, read one level at a time, so that a number keeps its text and what is wrong harms only itself.

mod node;
mod path;
mod shape;
pub(crate) mod values;

pub(crate) use node::{Node, Object, whole};
pub(crate) use path::Notes;
