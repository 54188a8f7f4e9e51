//! The member who makes a request: who they are, their browser's cookies, and what they run at once.

pub(crate) mod cookie;
pub(crate) mod searches;
mod signed_in;
pub(crate) mod slots;

pub use cookie::Cookies;
pub use searches::Searches;
pub(crate) use signed_in::{MadeAt, SignedIn};
