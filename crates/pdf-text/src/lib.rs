//! Texts of PDF documents: lines in the order of the page's drawing, letters in the order that they are read.
//!
//! A PDF is hostile until it is read: [`Isolated`] has a process of its own read it, which [`serve`] runs.

mod error;
mod glyphs;
mod isolated;
mod layout;
mod line;
mod order;
mod read;

pub use self::{
    error::{LONGEST_TEXT, PdfError},
    isolated::{Isolated, serve},
    read::read,
};
