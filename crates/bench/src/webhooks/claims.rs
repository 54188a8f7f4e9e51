//! PostgreSQL's time for claims, by its own log.

use std::{fs, path::PathBuf};

use anyhow::Context;

use crate::world::World;

/// Has the duration of every statement logged, for sessions that begin later.
const ON: &str = "ALTER DATABASE bench SET log_min_duration_statement = 0";
const OFF: &str = "ALTER DATABASE bench RESET log_min_duration_statement";
/// Words that only a claim contains both of.
const OF_A_CLAIM: [&str; 2] = ["delivery_queue", "SKIP LOCKED"];

/// Logging of the claims' durations, while it is switched on.
pub(super) struct ClaimLog<'a> {
    world: &'a World,
    file: PathBuf,
    begins_at: usize,
}

impl<'a> ClaimLog<'a> {
    pub(super) async fn start(world: &'a World) -> anyhow::Result<Self> {
        let file = world.postgres.log_file();
        let begins_at = read(&file)?.len();
        world.database.batch_execute(ON).await?;
        Ok(Self { world, file, begins_at })
    }

    /// Stops, and returns the milliseconds of all claims since the start.
    pub(super) async fn stop(self) -> anyhow::Result<f64> {
        self.world.database.batch_execute(OFF).await?;
        let log = read(&self.file)?;
        let log = log.get(self.begins_at..).context("the log is shorter than before")?;
        let claims = milliseconds_of_claims(log);
        anyhow::ensure!(claims > 0.0, "PostgreSQL's log has no claim");
        Ok(claims)
    }
}

fn read(file: &PathBuf) -> anyhow::Result<String> {
    let bytes = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The lines of a statement after its first begin with a tab.
fn milliseconds_of_claims(log: &str) -> f64 {
    let mut sum = 0.0;
    let mut lines = log.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((_, duration)) = line.split_once("duration: ") else { continue };
        let Some((milliseconds, statement)) = duration.split_once(" ms  execute ") else { continue };
        let mut statement = statement.to_owned();
        while let Some(more) = lines.next_if(|line| line.starts_with('\t')) {
            statement.push_str(more);
        }
        if OF_A_CLAIM.iter().all(|part| statement.contains(part)) {
            sum += milliseconds.parse::<f64>().unwrap_or_default();
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::milliseconds_of_claims;

    #[test]
    fn only_the_execution_of_claims_counts() {
        let log = "\
2026-11-21 10:00:00.000 UTC [1] LOG:  duration: 9.000 ms  parse s1: SELECT delivery_queue SKIP LOCKED
2026-11-21 10:00:00.000 UTC [1] LOG:  duration: 1.250 ms  execute s1: \n\tSELECT FROM delivery_queue
\t\tFOR UPDATE SKIP LOCKED
2026-11-21 10:00:00.000 UTC [1] LOG:  duration: 7.000 ms  execute s2: DELETE FROM delivery_queue
2026-11-21 10:00:00.000 UTC [2] LOG:  duration: 0.750 ms  execute s3: SELECT FROM delivery_queue FOR UPDATE SKIP LOCKED
";
        assert!((milliseconds_of_claims(log) - 2.0).abs() < 1e-9);
    }
}
