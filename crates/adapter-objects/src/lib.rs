//! File storage: a folder, or a bucket that speaks S3.
//!
//! Invariants: no file is ever held whole in memory; a file that did not come whole leaves nothing under its
//! key; no error text for a log contains a key of the bucket or a link.

mod connector;
mod failure;
mod objects;
mod s3;

pub use failure::StoreFailure;
pub use objects::Objects;
pub use s3::{S3Config, S3Links};

/// Reason why a store could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The folder cannot be created or used.
    #[error("the folder cannot be used: {0}")]
    Folder(String),
    /// The bucket's settings contradict each other.
    #[error("the bucket cannot be used: {0}")]
    Bucket(String),
}
