//! The project's own checks and tests: `cargo xtask --help`.

mod architecture;
mod bench;
mod browser;
mod chaos;
mod check;
mod citations;
mod citus;
mod compiler;
mod conformance;
mod deployment;
mod evaluate;
mod floors;
mod generators;
mod imports;
mod layers;
mod openapi;
mod proofs;
mod redocly;
mod rehearse;
mod run;
mod schema;
mod statements;
mod test;
mod texts;
mod words;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::run::say;

/// Checks and tests this project. Needs nothing but Rust: what is missing is found, fetched or installed
/// into `target/`, or named in one line.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Format, layers, floors inside the crates, what `docs/change/architecture.md` says of the tree, what
    /// the sources cite of `docs/`, the types of the pages' scripts where Node is there, clippy with
    /// warnings as errors, dependencies (cargo-deny), and documentation.
    Check(check::Arguments),
    /// Every test, against a private PostgreSQL or the one of `MESSAGING_TEST_DATABASE_URL`; then the
    /// journeys in a browser, where Node and Chromium are there.
    Test(test::Arguments),
    /// Judges the statements that the last run of the tests has left by the rules for sharding, as `test`
    /// does at its end.
    Statements(statements::Arguments),
    /// The dashboard's pages in a real Chromium, driven by Node: every page in every mode, and journeys.
    Browser(browser::Arguments),
    /// Writes `crates/adapter-postgres/src/schema.rs` anew from the migrations.
    Schema,
    /// Writes `docs/openapi.json` and `docs/custom-system-openapi.json` anew
    /// from the code.
    Openapi,
    /// Holds the documents to redocly's rules, where Node is there; compiles clients that openapi-generator
    /// makes of one, where Java and Go or Node are there; and drives a sandbox with the one in Go and with
    /// schemathesis. Redocly, the generator, TypeScript and schemathesis are installed.
    Conformance(conformance::Arguments),
    /// Holds the files of `docs/run/deployment` to linters and schemas, which are installed.
    Deployment,
    /// What the service costs, beside references on this machine.
    Bench(bench::Arguments),
    /// Every statement and the tests on a cluster of Citus: a coordinator with two workers or more.
    Citus(citus::Arguments),
    /// The service under load while nodes, database, connections and disk fail at random; reconciled at the
    /// end.
    Chaos(chaos::Arguments),
    /// What operators do rarely and must be able to rely on: an upgrade under load, and a restore.
    #[command(subcommand)]
    Rehearse(rehearse::Rehearsal),
    /// How good answers are, by judged questions; fails below a goal.
    Evaluate(evaluate::Arguments),
    /// What has to pass before a change lands: check, test and the evaluation of the search, in one build.
    Ci,
}

fn main() -> ExitCode {
    if let Some(done) = compiler::compile_if_asked() {
        return done;
    }
    match perform(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The causes on one line; where in here they arose is of no use to who ran the command.
            say(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> anyhow::Result<()> {
    match task {
        Task::Check(arguments) => check::all(&arguments),
        Task::Test(arguments) => test::all(&arguments),
        Task::Statements(arguments) => statements::judge_left(&arguments),
        Task::Browser(arguments) => browser::journeys(&arguments),
        Task::Openapi => openapi::write(),
        Task::Schema => schema::write(),
        Task::Conformance(arguments) => conformance::drive(&arguments),
        Task::Deployment => deployment::lint(),
        Task::Bench(arguments) => bench::measure(&arguments),
        Task::Citus(arguments) => citus::try_out(&arguments),
        Task::Evaluate(arguments) => evaluate::judge(&arguments),
        Task::Chaos(arguments) => chaos::rage(&arguments),
        Task::Rehearse(rehearsal) => rehearse::rehearse(&rehearsal),
        Task::Ci => {
            check::and_build_tests()?;
            test::all(&test::Arguments::default())?;
            evaluate::search_untimed()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_follows_a_test_filter_reaches_cargo_as_it_stands() {
        let words = ["xtask", "test", "-p", "domain", "some_rule", "--", "--nocapture"];
        let Task::Test(test) = Arguments::parse_from(words).task else { panic!("not the task `test`") };
        assert_eq!(
            test.cargo_arguments().join(" "),
            "test --all-features -p domain some_rule -- --nocapture"
        );
    }
}
