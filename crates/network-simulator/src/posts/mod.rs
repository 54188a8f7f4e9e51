//! What the network posts: bodies, signatures, and the client of the callback.

mod batch;
mod escape;
pub(crate) mod payload;
mod pending;
mod poster;

pub(crate) use batch::Batch;
pub(crate) use escape::escaped;
pub(crate) use payload::{Piece, What};
pub(crate) use pending::Pending;
pub(crate) use poster::{Outcome, Parcel, Poster, Signed};
