//! The HTTP client for addresses that customers typed; nothing else may call them.
//!
//! An address is `https` on a public host, unless the operator's [`Policy`] names its range. Invariants:
//! - Every address a name resolves to is vetted, and the vetted answer is what is connected to: no second
//!   look-up stands between the check and the connection.
//! - Hosts written as numbers never reach the resolver, so they are checked before anything is sent.
//! - No proxy is used, whatever the environment says, and no redirect is followed unchecked.
//! - A redirect that leaves the origin gets none of the request's headers, on no later hop either; a body is
//!   sent again only within the origin, and only where the redirect asks for the same method. The answer
//!   tells whether a hop left it.
//! - Nothing is decompressed: a body that comes compressed unasked stays so, and its size is the wire's.
//! - One deadline covers look-up, connection, headers and body; the body is read up to a cap.
//!   [`GuardedClient::begin`] returns at the head, whatever becomes of the body.
//! - Interim answers, heads and the framing of a body are bounded as they come (`bounded-http`), over
//!   HTTP/1.1 alone.
//! - Dropping the future of [`GuardedClient::send`] abandons the call, so a caller may race it with its own
//!   clock.

mod client;
mod error;
mod policy;
mod ranges;
mod resolver;
mod retry_after;

pub use bytes::Bytes;
pub use client::{Answer, AnswerRoom, GuardedClient, Limits, Options, Received, Request, Response};
pub use error::{BuildError, CallError};
pub use policy::{Forbidden, Policy, check_url};
pub use ranges::{forbidden_range, is_public};
pub use reqwest::{Method, StatusCode, header};
pub use resolver::{Resolver, SystemResolver};
pub use retry_after::retry_after;
pub use tls_trust::Trust;
pub use url::Url;
