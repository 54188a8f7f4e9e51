//! Posts of the network: bodies, signature, statuses, echoes, retries, handshake.

mod batch;
mod echo;
mod escape;
mod handshake;
mod ladder;
pub(crate) mod payload;
mod poster;

pub(crate) use batch::Batch;
pub(crate) use echo::{Writer, echo, follow_page, piece};
pub(crate) use handshake::handshake;
pub(crate) use ladder::{Rung, follow, item, rungs, status_fields};
pub(crate) use payload::{Piece, What};
pub(crate) use poster::{Outcome, Poster, Signed, deliver, post};
