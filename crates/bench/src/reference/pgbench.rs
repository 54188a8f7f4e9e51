//! `pgbench`, running recorded statements.

use std::{
    net::SocketAddr,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};

use super::{Executed, value};
use crate::machine::Usage;

/// Time in which connections prepare every script's statements.
const WARM_UP: Duration = Duration::from_secs(2);

/// Extra time at the end: `pgbench` may end without having printed the last second's rate.
const COOL_DOWN: Duration = Duration::from_secs(1);

/// Most scripts that `pgbench` takes.
const MOST_SCRIPTS: usize = 100;

/// How `pgbench` reaches the database.
#[derive(Debug, Clone)]
pub struct Pgbench {
    pub program: PathBuf,
    pub server: SocketAddr,
    pub database: String,
    /// The sessions' options, in `PGOPTIONS`' form.
    pub options: String,
    /// Folder that scripts are written to.
    pub folder: PathBuf,
}

/// Result of a run.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// Runs of a script per second.
    pub rate: f64,
    /// CPU time of PostgreSQL per run, in milliseconds.
    pub cpu: f64,
}

/// The statements of one request as a script for `pgbench`, their values as parameters of the prepared
/// statements.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Script {
    text: String,
    variables: Vec<(String, String)>,
}

impl Script {
    /// Builds the script of these statements. `name` begins the names of its variables and must be unique
    /// among scripts.
    pub fn of(name: &str, executed: &[Executed]) -> Self {
        let mut script = Self::default();
        for (number, statement) in executed.iter().enumerate() {
            script.add(&format!("{name}s{number}"), statement);
        }
        script
    }

    /// Builds a script from text, without values.
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), variables: Vec::new() }
    }

    fn add(&mut self, prefix: &str, statement: &Executed) {
        let mut rest = statement.text.trim().trim_end_matches(';');
        while let Some((before, after)) = rest.split_once('$') {
            self.text.push_str(before);
            let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, behind) = after.split_at(digits);
            rest = behind;
            let number: Option<usize> = number.parse().ok();
            let value = number.and_then(|number| statement.values.get(number.checked_sub(1)?));
            let (Some(number), Some(value)) = (number, value) else {
                self.text.push('$');
                continue;
            };
            let (variable, kind) = (format!("{prefix}v{number}"), &value.kind);
            // `pgbench` has no variable that holds NULL or an empty text: both are made from one that holds
            // something, in a way whose outcome the planner cannot know.
            let (expression, text) = match value.text.as_deref() {
                None => (format!("nullif(:{variable}::{kind}, :{variable}::{kind})"), value::any(kind)),
                Some("") => (format!("left(:{variable}::{kind}, 0)"), value::any(kind)),
                // In parentheses, since an index may follow.
                Some(text) => (format!("(:{variable}::{kind})"), text),
            };
            self.text.push_str(&expression);
            if !self.variables.iter().any(|(known, _)| *known == variable) {
                self.variables.push((variable, text.to_owned()));
            }
        }
        self.text.push_str(rest);
        self.text.push_str(";\n");
    }
}

impl Pgbench {
    /// Fails if `pgbench` is missing.
    pub fn check(&self) -> anyhow::Result<()> {
        let missing =
            "pgbench is missing: it comes with PostgreSQL (Debian: postgresql-contrib or postgresql)";
        let found = Command::new(&self.program).arg("--version").output().context(missing)?;
        if found.status.success() { Ok(()) } else { bail!(missing) }
    }

    /// Runs the scripts, chosen at random, over 16 connections; `usage` is PostgreSQL's. Measuring begins
    /// when every connection has prepared its statements.
    pub async fn run(
        &self,
        scripts: &[Script],
        length: Duration,
        usage: impl Fn() -> anyhow::Result<Usage>,
    ) -> anyhow::Result<Rate> {
        let mut command = self.command(scripts, WARM_UP + length + COOL_DOWN)?;
        let running = tokio::task::spawn_blocking(move || command.output());
        tokio::time::sleep(WARM_UP).await;
        let (before, measured) = (usage()?, Instant::now());
        tokio::time::sleep(length).await;
        let (cpu, seconds) = (usage()?.cpu - before.cpu, measured.elapsed().as_secs_f64());
        let output = running.await?.context("running pgbench")?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || said.contains("aborted") {
            bail!("pgbench failed: {}", said.trim());
        }
        let rate = rate_in(&said).context("pgbench told no rate")?;
        Ok(Rate { rate, cpu: cpu * 1_000.0 / (rate * seconds) })
    }

    fn command(&self, scripts: &[Script], length: Duration) -> anyhow::Result<Command> {
        std::fs::create_dir_all(&self.folder)?;
        let mut command = Command::new(&self.program);
        command.args(["-n", "-M", "prepared", "-c", "16", "-j", "2", "-U", "postgres"]);
        command.args(["-h", &self.server.ip().to_string(), "-p", &self.server.port().to_string()]);
        command.args(["-T", &length.as_secs().to_string(), "-P", "1"]).env("PGOPTIONS", &self.options);
        for (number, script) in scripts.iter().take(MOST_SCRIPTS).enumerate() {
            let file = self.folder.join(format!("{number}.sql"));
            std::fs::write(&file, &script.text).with_context(|| format!("writing {}", file.display()))?;
            command.arg("-f").arg(file);
            for (name, text) in &script.variables {
                command.arg("-D").arg(format!("{name}={text}"));
            }
        }
        command.arg(&self.database);
        Ok(command)
    }
}

/// Returns the mean of the rates that `pgbench` prints each second, without the warm-up: `progress: 3.0 s,
/// 12345.6 tps, lat 1.297 ms stddev 0.423, 0 failed`.
fn rate_in(said: &str) -> Option<f64> {
    let warm_up = WARM_UP.as_secs_f64();
    let rates = said.lines().filter_map(|line| {
        let (time, rest) = line.strip_prefix("progress: ")?.split_once(" s, ")?;
        let rate: f64 = rest.split_once(" tps")?.0.parse().ok()?;
        (time.parse::<f64>().ok()? > warm_up + 0.5).then_some(rate)
    });
    let rates: Vec<f64> = rates.collect();
    let count = u32::try_from(rates.len()).ok().filter(|count| *count > 0)?;
    Some(rates.iter().sum::<f64>() / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::{Script, rate_in};
    use crate::reference::{Executed, value::Value};

    #[test]
    fn values_become_parameters_of_their_type_and_what_pgbench_cannot_hold_stays_unknown_to_the_planner() {
        let some = |kind: &str, text: &str| Value { kind: kind.to_owned(), text: Some(text.to_owned()) };
        let statement = Executed {
            text: "SELECT $1, '$' WHERE a = $2 OR $3 = $10;".to_owned(),
            values: [some("int8", "5"), Value { kind: "uuid".to_owned(), text: None }, some("text", "")]
                .into_iter()
                .chain((4..=10).map(|number| some("text", &number.to_string())))
                .collect(),
        };
        let script = Script::of("r3", &[statement]);
        assert_eq!(
            script.text,
            "SELECT (:r3s0v1::int8), '$' WHERE a = nullif(:r3s0v2::uuid, :r3s0v2::uuid) \
             OR left(:r3s0v3::text, 0) = (:r3s0v10::text);\n"
        );
        let variables: Vec<_> =
            script.variables.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let zero = "00000000-0000-0000-0000-000000000000";
        assert_eq!(variables, [("r3s0v1", "5"), ("r3s0v2", zero), ("r3s0v3", "-"), ("r3s0v10", "10")]);
    }

    #[test]
    fn the_rate_is_that_of_the_seconds_after_the_warm_up() {
        let second = |second: u32, rate: f64| {
            format!("progress: {second}.0 s, {rate} tps, lat 0.4 ms stddev 0.2, 0 failed\n")
        };
        let said = [second(1, 10.0), second(2, 20.0), second(3, 100.0), second(4, 300.0)].concat();
        assert_eq!(rate_in(&format!("pgbench (15.13)\n{said}")), Some(200.0));
        assert_eq!(rate_in("nothing"), None);
    }
}
