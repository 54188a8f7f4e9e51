//! Parsing of bodies: bounded bytes, strict JSON, one canonical form.

mod canonical;
pub(crate) mod json;
mod measured;
mod object;
mod piped;
mod read;
mod strict;

pub(crate) use json::json;
pub(crate) use measured::Measured;
pub(crate) use object::Object;
pub(crate) use piped::{Piped, feed, piped};
pub(crate) use read::{announced, bytes, bytes_within};
