//! Compiler of the workspace's crates in `cargo xtask ci`: lints, documents and compiles a crate at once.
//!
//! Reading a crate and checking its types is most of what clippy, rustdoc and the compiler do with it, and
//! each of them needs its dependencies read as well. Three builds, one for each, took twice as long as one in
//! which clippy compiles, as it can, and rustdoc uses what that build has made.
//!
//! Cargo calls this program in place of rustc (`RUSTC_WORKSPACE_WRAPPER`), with rustc's path and arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::run::answer;
use crate::workspace::root;

/// Environment variable with the path of clippy's driver, which is a compiler as well.
const DRIVER: &str = "XTASK_CLIPPY_DRIVER";
/// Environment variable with the folder of the documentation.
const DOCUMENTATION: &str = "XTASK_DOCUMENTATION";

/// Lints of clippy, in the form in which cargo-clippy hands on what stands behind `--`.
const LINTS: (&str, &str) = ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");

/// Arguments of rustc with one value each that rustdoc has not, or that are given anew.
const FOREIGN: [&str; 3] = ["--out-dir", "--emit", "-o"];
/// Beginnings of arguments of rustc that are for lints, clippy's among them, and of those in one word.
const FOREIGN_WORDS: [&str; 6] = ["--emit=", "--out-dir=", "--warn=", "--deny=", "--allow=", "--forbid="];

/// Returns the environment of a cargo that compiles the workspace's crates by this program.
pub(crate) fn environment(target: &Path) -> anyhow::Result<Vec<(&'static str, OsString)>> {
    // The build replaces this very program.
    let copy = target.join("xtask-compiler");
    let this = std::env::current_exe().context("this program does not know where it is")?;
    std::fs::copy(&this, &copy).with_context(|| format!("copying {}", this.display()))?;
    Ok(vec![
        ("RUSTC_WORKSPACE_WRAPPER", copy.into_os_string()),
        (DRIVER, clippy_driver()?.into_os_string()),
        (DOCUMENTATION, target.join("doc").into_os_string()),
        (LINTS.0, LINTS.1.into()),
    ])
}

/// Returns the environment in which `cargo clippy -- -D warnings` has the crates checked.
pub(crate) fn clippys_environment() -> anyhow::Result<[(&'static str, OsString); 2]> {
    Ok([("RUSTC_WORKSPACE_WRAPPER", clippy_driver()?.into_os_string()), (LINTS.0, LINTS.1.into())])
}

/// Returns the path of clippy's driver.
fn clippy_driver() -> anyhow::Result<PathBuf> {
    let sysroot = answer(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()));
    let sysroot = sysroot.context("rustc does not say where it is")?;
    Ok(Path::new(sysroot.trim()).canonicalize()?.join("bin/clippy-driver"))
}

/// Compiles what cargo asks for, where this program is called as a compiler.
#[expect(clippy::disallowed_methods, reason = "cargo hands the environment on, and nothing else")]
pub(crate) fn compile_if_asked() -> Option<ExitCode> {
    let driver = std::env::var_os(DRIVER)?;
    let documentation = std::env::var_os(DOCUMENTATION)?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let is_done = |command: &mut Command| command.status().is_ok_and(|status| status.success());
    let done = is_done(Command::new(driver).args(&arguments))
        && (!is_documented(&arguments)
            || is_done(
                Command::new("rustdoc").args(documenting(&arguments)).arg("--out-dir").arg(documentation),
            ));
    Some(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns whether the arguments compile a library or a program, and no test.
fn is_documented(arguments: &[OsString]) -> bool {
    let has = |wanted: &str| arguments.iter().any(|argument| argument == wanted);
    has("--crate-type") && !has("--test") && !has("proc-macro") && !has("build_script_build")
}

/// Returns the arguments with which rustdoc documents what rustc compiles with these. The first is rustc's
/// path.
fn documenting(arguments: &[OsString]) -> Vec<OsString> {
    let mut kept: Vec<OsString> = vec!["-D".into(), "warnings".into()];
    let mut arguments = arguments.iter().skip(1);
    while let Some(argument) = arguments.next() {
        let word = argument.to_str().unwrap_or_default();
        if FOREIGN.contains(&word) {
            arguments.next();
        } else if !FOREIGN_WORDS.iter().any(|foreign| word.starts_with(foreign)) {
            kept.push(argument.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{OsString, documenting, is_documented};

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn rustdoc_is_given_what_it_knows_of_rustc_s_arguments() {
        let line = "rustc --crate-name domain --edition=2024 src/lib.rs --crate-type lib --emit=dep-info,link \
                    -C metadata=1 --warn=clippy::pedantic --out-dir target/deps -L dependency=target/deps \
                    --extern uuid=target/deps/libuuid.rmeta";
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown = documenting(&words(&line)).join(OsStr::new(" "));
        let wanted = "-D warnings --crate-name domain --edition=2024 src/lib.rs --crate-type lib -C metadata=1 \
                      -L dependency=target/deps --extern uuid=target/deps/libuuid.rmeta";
        assert_eq!(shown.to_str(), Some(wanted.split_whitespace().collect::<Vec<_>>().join(" ").as_str()));
    }

    #[test]
    fn libraries_and_programs_are_documented_and_tests_and_questions_to_rustc_are_not() {
        for (line, wanted) in [
            ("rustc --crate-name domain --crate-type lib src/lib.rs", true),
            ("rustc --crate-name chaos --crate-type bin src/main.rs", true),
            ("rustc --crate-name domain --test src/lib.rs", false),
            ("rustc --crate-name build_script_build --crate-type bin build.rs", false),
            ("rustc -vV", false),
        ] {
            assert_eq!(is_documented(&words(line)), wanted, "{line}");
        }
    }
}
