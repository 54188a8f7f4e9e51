//! `bench import`: cost of importing a list of people, and that its length costs no memory.

use std::{
    fs::File,
    io::{BufWriter, Read, Write},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use tokio::time::interval;

use crate::{
    figures::Figures,
    load::float,
    machine::{Usage, resident_mib},
    say::say,
    world::{Options, World},
};

/// Interval between two looks at the command's memory.
const LOOK: Duration = Duration::from_millis(50);

const TABLE: &str = "
    CREATE TABLE bench_people (workspace_id uuid, id uuid, phone text, name text, created_at timestamptz,
                               PRIMARY KEY (workspace_id, id), UNIQUE (workspace_id, phone))";
/// Reference: inserts as many rows, with the two keys that a contact needs at least, by one statement.
const INSERT: &str = "
    INSERT INTO bench_people
    SELECT $1, gen_random_uuid(), '+96477' || lpad(n::text, 8, '0'), 'Zaynab ' || n, now()
    FROM generate_series(1, $2::bigint) n";

/// Measures the command and notes the figures; an error if a row is lost.
pub async fn run(options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
    let world = World::new(options).await?;
    let [workspace, _] = &world.workspaces;
    let rows: u64 = if options.small { 10_000 } else { 1_000_000 };
    let list = options.folder.join("people.csv");
    write_list(&list, rows)?;
    world.database.batch_execute(TABLE).await?;
    let started = Instant::now();
    world.database.execute(INSERT, &[&workspace.id, &i64::try_from(rows)?]).await?;
    let inserts = float(rows) / started.elapsed().as_secs_f64();
    figures.note("one statement that inserts as many rows with two keys", (inserts, "/s"), None, None);
    for (what, created) in [("of people who are new", rows), ("of people who are known", 0)] {
        say(&format!("{rows} rows {what}"));
        let imported = import(&world, &workspace.id.to_string(), &list).await?;
        let told = format!("created {created}\nknown {}\nrefused 0\n", rows - created);
        if imported.said != told {
            bail!("{rows} rows, and the command said {:?}", imported.said);
        }
        imported.note(figures, &format!("import {what}"), rows, inserts)?;
    }
    Ok(())
}

/// Writes a list with names in both scripts and no number twice.
fn write_list(path: &Path, rows: u64) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "name,phone")?;
    for row in 0..rows {
        let name = if row % 2 == 0 { "زينب علي" } else { "Zaynab Ali" };
        writeln!(file, "{name} {row},077{row:08}")?;
    }
    Ok(file.flush()?)
}

/// Output and cost of the command.
struct Imported {
    said: String,
    seconds: f64,
    /// Memory while it ran, in MiB.
    resident: Vec<f64>,
    server: Usage,
    postgres: [Usage; 2],
}

async fn import(world: &World, workspace: &str, list: &Path) -> anyhow::Result<Imported> {
    let list = list.to_str().context("the folder's name is no text")?;
    let before = world.postgres.usage()?;
    let started = Instant::now();
    let mut child = world.settings.begin(&["contacts", "import", workspace, list])?;
    let (mut turns, mut resident, mut server) = (interval(LOOK), Vec::new(), Usage::default());
    while child.try_wait()?.is_none() {
        // A process that has just ended has neither.
        if let (Ok(now), Ok(usage)) = (resident_mib(child.id()), Usage::of(child.id())) {
            resident.push(now);
            server = usage;
        }
        turns.tick().await;
    }
    let seconds = started.elapsed().as_secs_f64();
    let mut said = String::new();
    child.stdout.take().context("no standard output")?.read_to_string(&mut said)?;
    Ok(Imported { said, seconds, resident, server, postgres: [before, world.postgres.usage()?] })
}

impl Imported {
    fn note(&self, figures: &mut Figures, name: &str, rows: u64, inserts: f64) -> anyhow::Result<()> {
        figures.note(format!("{name}: rows"), (float(rows) / self.seconds, "/s"), Some(inserts), None);
        figures.note(format!("{name}: time"), (self.seconds, "s"), None, None);
        let last = self.resident.len().checked_sub(1).context("it ended before it could be looked at")?;
        let places = [("a tenth of the way", last / 10), ("half-way", last / 2), ("at the end", last)];
        for (place, at) in places {
            let resident = self.resident.get(at).copied().unwrap_or(f64::NAN);
            figures.note(format!("{name}: RSS {place}"), (resident, "MiB"), None, None);
        }
        let server = self.server.since_per(Usage::default(), rows);
        let [before, after] = self.postgres;
        figures.note(format!("{name}: CPU of the command, each row"), (server, "ms"), None, None);
        let postgres = after.since_per(before, rows);
        figures.note(format!("{name}: CPU of PostgreSQL, each row"), (postgres, "ms"), None, None);
        Ok(())
    }
}
