//! What becomes of documents, and what is found in them.

mod found;
mod reading;
mod splitting;
