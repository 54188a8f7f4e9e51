//! Programs that are not ours and may be missing.

use std::{io::Write, process::Command};

/// Programs that `.ci/run` has installed. On a build machine, which sets `CI`, no test is left out for want
/// of one.
const ON_BUILD_MACHINES: [&str; 5] = ["curl", "jq", "node", "openssl", "python3"];

/// Whether the program is on this machine; says so where it is not, and the test has then shown nothing of
/// `what`.
///
/// # Panics
/// On a build machine that lacks what it has to have.
pub(crate) fn is_here(program: &str, version: &str, what: &str) -> bool {
    let here = Command::new(program).arg(version).output().is_ok_and(|output| output.status.success());
    if !here {
        assert!(!(is_needed(program) && on_build_machine()), "there is no {program}, and {what} needs it");
        // Straight to the terminal: the test harness hides what a passing test prints.
        let _ = writeln!(std::io::stderr(), "SKIPPED: there is no {program}, {what} was not run");
    }
    here
}

fn is_needed(program: &str) -> bool {
    ON_BUILD_MACHINES.contains(&program)
}

#[expect(clippy::disallowed_methods, reason = "a build machine says that it is one")]
fn on_build_machine() -> bool {
    std::env::var_os("CI").is_some()
}

/// Every program that is needed on a build machine is installed there.
#[test]
fn what_may_not_be_missing_is_installed() {
    let script = include_str!("../../.ci/run");
    for program in ON_BUILD_MACHINES {
        assert!(
            is_needed(program) && script.split_whitespace().any(|word| word.trim_end_matches(';') == program)
        );
    }
    assert!(!is_needed("php"));
}
