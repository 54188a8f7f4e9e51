//! The project's own checks, tests and benches.

fn main() {}
