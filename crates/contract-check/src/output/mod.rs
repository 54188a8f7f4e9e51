//! A report for people, for scripts and for build servers.

mod json;
mod junit;
mod pretty;

pub use json::json;
pub use junit::junit;
pub use pretty::pretty;

/// Describes a fault, with the number of its repetitions.
fn in_words(detail: &str, more: usize) -> String {
    if more == 0 { detail.to_owned() } else { format!("{detail} (and {more} more)") }
}
