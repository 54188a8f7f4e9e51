//! The command line of the service.

fn main() {}
