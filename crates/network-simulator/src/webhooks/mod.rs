//! Posts of the network: statuses, echoes, retries, handshake.

mod batch;
mod deliver;
mod echo;
mod handshake;
mod ladder;

pub(crate) use deliver::{deliver, post};
pub(crate) use echo::{Writer, echo, follow_page, piece};
pub(crate) use handshake::handshake;
pub(crate) use ladder::{Rung, follow, item, rungs, status_fields};
