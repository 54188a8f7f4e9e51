//! Stores of files: a folder, and a bucket.

mod certificate;
mod objects;
