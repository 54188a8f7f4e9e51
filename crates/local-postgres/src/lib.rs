//! A private PostgreSQL for the sandbox and the tests, without a set-up step.
//!
//! [`Cluster::start`] finds the server's binaries (in `PATH`, in Debian's folders, in the cache; else it
//! fetches them into the cache), creates a cluster in the given folder, and runs it on a free port of
//! 127.0.0.1 until the [`Cluster`] is dropped or its process ends in any way. Started by root, the server
//! runs as `postgres`, or as `nobody` if there is no such user.
//!
//! Everybody on this machine can connect, without a password: it is for made-up data.
//!
//! Invariants: nothing here is used by `serve`; the only settings read from the environment are `PATH` and,
//! in [`user_cache_folder`] and [`user_data_folder`], the user's folders.

mod account;
mod binaries;
mod cluster;
mod connect;
mod databases;
mod error;
mod fetch;
mod folders;
mod keeper;
mod nodes;
mod slot;

pub use cluster::{Cluster, Options, Postgres};
pub use connect::database_url;
pub use databases::{create_database, drop_database, ensure_template, is_cluster};
pub use error::Error;
pub use folders::{user_cache_folder, user_data_folder};
