//! Passwords as Argon2id hashes, and one-time passwords.
//!
//! Invariants: no password is printed; hashing never blocks an async thread, and the number of concurrent
//! hashes is bounded.

mod one_time;
mod passwords;
mod slots;

pub use one_time::HmacOneTimePasswords;
pub use passwords::{Argon2Passwords, UnusableParameters};
