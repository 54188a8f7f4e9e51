//! PostgreSQL's time, by statement.

use anyhow::Context;
use tokio_postgres::Client;

use crate::figures::{aligned, short};

/// Number of statements shown.
const DEAREST: usize = 10;
/// Characters shown of a statement.
const LETTERS: usize = 110;

const IS_LOADED: &str = "SELECT current_setting('shared_preload_libraries') LIKE '%pg_stat_statements%'";

/// Switches on the counting of statements and their planning, for sessions that begin later.
const ON: &str = "
    CREATE EXTENSION IF NOT EXISTS pg_stat_statements;
    ALTER DATABASE bench SET pg_stat_statements.track = 'top';
    ALTER DATABASE bench SET pg_stat_statements.track_planning = on";
const OFF: &str = "ALTER DATABASE bench SET pg_stat_statements.track = 'none'";

const FORGET: &str = "SELECT pg_stat_statements_reset()";

const COUNTED: &str = "
    SELECT query, calls::float8, total_plan_time, total_exec_time, rows::float8, wal_bytes::float8
    FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
    WHERE datname = current_database() AND calls > 0
    ORDER BY total_plan_time + total_exec_time DESC";

/// PostgreSQL's counts of each statement (`pg_stat_statements`). Switched off outside of these runs, which it
/// would slow down.
pub struct StatementCosts<'a> {
    database: &'a Client,
}

impl<'a> StatementCosts<'a> {
    /// Library that the server has to load at its start.
    pub const LIBRARY: &'static str = "pg_stat_statements";

    /// Switches the counting off, if the server has the library.
    pub async fn off(database: &Client) -> anyhow::Result<()> {
        if database.query_one(IS_LOADED, &[]).await?.get(0) {
            database.batch_execute(OFF).await?;
        }
        Ok(())
    }

    /// Switches the counting on for sessions that begin later; `None` if the server lacks the library.
    pub async fn start(database: &'a Client) -> anyhow::Result<Option<Self>> {
        if !database.query_one(IS_LOADED, &[]).await?.get::<_, bool>(0) {
            return Ok(None);
        }
        database.batch_execute(ON).await.context("asking for pg_stat_statements")?;
        Ok(Some(Self { database }))
    }

    /// Resets the counts.
    pub async fn forget(&self) -> anyhow::Result<()> {
        self.database.execute(FORGET, &[]).await?;
        Ok(())
    }

    /// Renders the most expensive statements as a table, with their cost divided by `count`.
    pub async fn table(&self, count: f64) -> anyhow::Result<String> {
        let rows = self.database.query(COUNTED, &[]).await?;
        let mut statements = Vec::new();
        for row in rows {
            statements.push(Statement {
                text: row.try_get(0)?,
                calls: row.try_get::<_, f64>(1)? / count,
                planning: row.try_get::<_, f64>(2)? / count,
                running: row.try_get::<_, f64>(3)? / count,
                rows: row.try_get::<_, f64>(4)? / count,
                log: row.try_get::<_, f64>(5)? / count / 1_000.0,
            });
        }
        Ok(table(&statements))
    }

    /// Switches the counting off for sessions that begin later.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.database.batch_execute(OFF).await.context("ending the counts of pg_stat_statements")
    }
}

/// Cost of a statement, for each thing that was done.
#[derive(Debug)]
struct Statement {
    text: String,
    calls: f64,
    /// Milliseconds, waiting included.
    planning: f64,
    running: f64,
    rows: f64,
    /// Kilobytes of the write-ahead log.
    log: f64,
}

/// Renders the most expensive statements in their given order, then the sum of all.
fn table(statements: &[Statement]) -> String {
    let head = ["calls", "planning ms", "running ms", "share", "rows", "WAL kB", "statement"];
    let sum = |of: fn(&Statement) -> f64| statements.iter().map(of).sum::<f64>();
    let all = Statement {
        text: format!("all {} statements", statements.len()),
        calls: sum(|it| it.calls),
        planning: sum(|it| it.planning),
        running: sum(|it| it.running),
        rows: sum(|it| it.rows),
        log: sum(|it| it.log),
    };
    let whole = all.planning + all.running;
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(statements.iter().take(DEAREST).chain([&all]).map(|it| {
        let text = it.text.split_whitespace().collect::<Vec<_>>().join(" ");
        [
            short(it.calls),
            short(it.planning),
            short(it.running),
            format!("{:.0} %", (it.planning + it.running) / whole * 100.0),
            short(it.rows),
            short(it.log),
            text.chars().take(LETTERS).collect(),
        ]
    }));
    aligned(&rows)
}

#[cfg(test)]
mod tests {
    use super::{DEAREST, Statement, table};

    #[test]
    fn the_dearest_are_told_in_their_order_and_all_of_them_together() {
        let statement = |number: u8| Statement {
            text: format!("SELECT {number}\n    FROM sends"),
            calls: 0.5,
            planning: 0.0,
            running: 1.0,
            rows: 2.0,
            log: 0.25,
        };
        let statements: Vec<_> = (0..20).map(statement).collect();
        let table = table(&statements);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines.len(), 1 + DEAREST + 1);
        assert!(lines[1].starts_with("0.500"), "{table}");
        assert!(lines[1].ends_with("5 %    2.00  0.250   SELECT 0 FROM sends"), "{table}");
        assert!(lines[11].starts_with("10.0"), "{table}");
        assert!(lines[11].ends_with("100 %  40.0  5.00    all 20 statements"), "{table}");
    }
}
