//! `pgbench`, running statements that were heard.

use std::{fmt::Write as _, net::SocketAddr, path::PathBuf, process::Command, time::Duration};

use anyhow::{Context, bail};

use super::{Executed, value};

/// Most scripts that pgbench takes.
const MOST_SCRIPTS: usize = 100;

/// How pgbench reaches the database.
#[derive(Debug, Clone)]
pub struct Pgbench {
    /// The program.
    pub program: PathBuf,
    /// Where PostgreSQL listens.
    pub server: SocketAddr,
    /// The database.
    pub database: String,
    /// The sessions' options, in `PGOPTIONS`' form.
    pub options: String,
    /// Where scripts are written to.
    pub folder: PathBuf,
}

/// What one request makes of the database, for pgbench: the statements as they were heard, their values as
/// parameters of the prepared statements.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Script {
    text: String,
    variables: Vec<(String, String)>,
}

impl Script {
    /// The script for these statements. `name` begins the names of its variables and is in no other script's.
    pub fn of(name: &str, executed: &[Executed]) -> Self {
        let mut script = Self::default();
        for (number, statement) in executed.iter().enumerate() {
            script.add(&format!("{name}s{number}"), statement);
        }
        script
    }

    /// A script of one's own, without values.
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
            // A NULL that the planner cannot know of: pgbench has no variable that holds one.
            let _ = match value.text {
                Some(_) => write!(self.text, ":{variable}::{kind}"),
                None => write!(self.text, "nullif(:{variable}::{kind}, :{variable}::{kind})"),
            };
            if !self.variables.iter().any(|(known, _)| *known == variable) {
                let text = value.text.clone().unwrap_or_else(|| value::any(kind).to_owned());
                self.variables.push((variable, text));
            }
        }
        self.text.push_str(rest);
        self.text.push_str(";\n");
    }
}

impl Pgbench {
    /// Whether it can be run.
    ///
    /// # Errors
    /// When it is missing.
    pub fn check(&self) -> anyhow::Result<()> {
        let missing =
            "pgbench is missing: it comes with PostgreSQL (Debian: postgresql-contrib or postgresql)";
        let found = Command::new(&self.program).arg("--version").output().context(missing)?;
        if found.status.success() { Ok(()) } else { bail!(missing) }
    }

    /// Runs the scripts, each time any of them, over 16 connections; answers how many a second.
    ///
    /// # Errors
    /// When pgbench fails or a statement does.
    pub async fn run(&self, scripts: &[Script], length: Duration) -> anyhow::Result<f64> {
        let mut command = self.command(scripts, length)?;
        let output =
            tokio::task::spawn_blocking(move || command.output()).await?.context("running pgbench")?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || said.contains("aborted") {
            bail!("pgbench failed: {}", said.trim());
        }
        rate_in(&String::from_utf8_lossy(&output.stdout)).context("pgbench told no rate")
    }

    fn command(&self, scripts: &[Script], length: Duration) -> anyhow::Result<Command> {
        std::fs::create_dir_all(&self.folder)?;
        let mut command = Command::new(&self.program);
        command.args(["-n", "-M", "prepared", "-c", "16", "-j", "2", "-U", "postgres"]);
        command.args(["-h", &self.server.ip().to_string(), "-p", &self.server.port().to_string()]);
        command.args(["-T", &length.as_secs().max(1).to_string()]).env("PGOPTIONS", &self.options);
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

/// `tps = 12345.6 (without initial connection time)`.
fn rate_in(printed: &str) -> Option<f64> {
    let line = printed.lines().find_map(|line| line.strip_prefix("tps = "))?;
    line.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Script, rate_in};
    use crate::reference::{Executed, value::Value};

    #[test]
    fn values_become_parameters_of_their_type_and_nulls_stay_unknown_to_the_planner() {
        let some = |kind: &str, text: &str| Value { kind: kind.to_owned(), text: Some(text.to_owned()) };
        let statement = Executed {
            text: "SELECT $1, '$' WHERE a = $2 OR $1 = $10;".to_owned(),
            values: [
                some("int8", "5"),
                Value { kind: "uuid".to_owned(), text: None },
                some("text", "unused"),
            ]
            .into_iter()
            .chain((4..=10).map(|number| some("text", &number.to_string())))
            .collect(),
        };
        let script = Script::of("r3", &[statement]);
        assert_eq!(
            script.text,
            "SELECT :r3s0v1::int8, '$' WHERE a = nullif(:r3s0v2::uuid, :r3s0v2::uuid) \
             OR :r3s0v1::int8 = :r3s0v10::text;\n"
        );
        let variables: Vec<_> =
            script.variables.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let zero = "00000000-0000-0000-0000-000000000000";
        assert_eq!(variables, [("r3s0v1", "5"), ("r3s0v2", zero), ("r3s0v10", "10")]);
    }

    #[test]
    fn the_rate_is_read_from_what_is_printed() {
        let printed = "latency average = 0.4 ms\ntps = 38211.25 (without initial connection time)\n";
        assert_eq!(rate_in(printed), Some(38_211.25));
        assert_eq!(rate_in("nothing"), None);
    }
}
