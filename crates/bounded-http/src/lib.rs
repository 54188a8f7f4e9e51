//! HTTP connections to strangers, bounded before anything is parsed.
//!
//! An HTTP library reads interim answers (1xx) for as long as they come, in one go, and a body for as long as
//! its caller likes. Invariants:
//! - Before the final head of an answer ends, at most [`HEAD_BYTES`] and [`INTERIM_ANSWERS`] come, that head
//!   included.
//! - Before TLS is agreed on, at most 128 KiB come; of one answer in all, encryption and framing included, at
//!   most [`Options::answer_bytes`].
//! - A connection that has more to read than [`TURN`] yields to others first, so that no timer waits for it.
//! - Breaking a bound ends the connection ([`TooMuch`]).
//!
//! A trace shows each exchange of [`Client`] up to the head of its answer.
//!
//! [`Client`] takes and returns reqwest's requests and responses; reqwest's own client opens connections that
//! nobody can look into. For a library that wants a client of reqwest's own, [`Relay`] stands between.

mod client;
mod connector;
mod error;
mod exchange;
mod head;
mod relay;
#[cfg(feature = "testing")]
pub mod testing;
mod wire;

pub use client::{Client, Options};
pub use connector::LookUpFailed;
pub use error::{Error, TooMuch};
pub use head::{HEAD_BYTES, INTERIM_ANSWERS};
pub use relay::Relay;
pub use wire::TURN;
