//! The stand-in over HTTP.

mod answers;
mod chat;
mod checked;
mod faults;
