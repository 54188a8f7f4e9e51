//! Output for the person at the terminal.

use std::time::Instant;

/// Prints a line.
#[expect(clippy::print_stdout, reason = "this is a program for a terminal")]
pub fn say(text: &str) {
    println!("{text}");
}

/// Prints what was done and how long it took, in seconds.
pub fn done(what: &str, since: Instant) {
    say(&format!("{what}: {:.1} s", since.elapsed().as_secs_f64()));
}
