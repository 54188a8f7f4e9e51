//! Client of the Graph API, shared by its adapters: bearer, error body, retries, signature check.
//!
//! Invariants:
//! - A request that may have reached the network is never sent again from here: only a failed connection and
//!   a refusal of class [`Class::Retry`] are retried.
//! - Every failure says whether the request had no effect, was refused, or may have had one.
//! - Tokens and secrets appear in no `Debug`, no error text and no log line.

mod answer;
mod client;
mod codes;
mod error;
mod file;
mod form;
mod pace;
mod paging;
mod raw;
mod retry;
pub mod signature;
mod tls;
pub mod webhook;

pub use client::{Config, ConfigError, GraphClient, count_from_zero, is_safe};
pub use codes::{Class, Surface, classify};
pub use error::{GraphError, Refusal};
pub use file::{FileError, OpenFile};
pub use form::FormFile;
pub use pace::{HeldBack, Pace, Rate};
pub use raw::RawFile;
pub use retry::{Pacing, RetryPolicy, SystemPacing};
