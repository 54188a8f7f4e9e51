//! What the network posts: bodies, signature, statuses, retries, handshake.

mod batch;
mod escape;
mod handshake;
mod ladder;
pub(crate) mod payload;
mod poster;

pub(crate) use batch::Batch;
pub(crate) use handshake::handshake;
pub(crate) use ladder::{follow, item, status_fields};
pub(crate) use payload::StatusItem;
pub(crate) use poster::{Poster, post};
