//! Programs that are not ours and may be missing.

use std::{io::Write, process::Command};

/// Whether the program is on this machine; says so where it is not, and the test has then shown nothing of `what`.
pub(crate) fn is_here(program: &str, version: &str, what: &str) -> bool {
    let here = Command::new(program).arg(version).output().is_ok_and(|output| output.status.success());
    if !here {
        // Straight to the terminal: the test harness hides what a passing test prints.
        let _ = writeln!(std::io::stderr(), "SKIPPED: there is no {program}, {what} was not run");
    }
    here
}
