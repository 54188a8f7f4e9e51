//! The stand-in over HTTP.

mod answers;
mod checked;
