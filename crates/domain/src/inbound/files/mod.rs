//! Files that messages wait for.

pub mod ports;
mod schedule;
mod settle;

pub use settle::{FilesReport, SettleFiles};
