//! A rolling upgrade under load, as `docs/run/operations.md` describes it, then back, and forward again.

use std::path::Path;

use anyhow::bail;
use bench::{machine::ServiceSettings, say::say};
use tokio::time::sleep;

use crate::{machine::Nodes, options::Options, world::World};

/// Parts of the run's length: before, while the schema is ahead, and after each of the three changes of
/// program.
const PARTS: u32 = 5;

/// Rolls from the release before to this one, back, and forward again; returns the number of replaced nodes.
/// Fails if a migration fails, or if a node does not start or does not end well.
pub(crate) async fn roll(
    world: &World,
    nodes: &mut Nodes,
    before: &Path,
    options: &Options,
) -> anyhow::Result<usize> {
    let part = options.length / PARTS;
    say("the release before serves");
    sleep(part).await;
    say("migrating with this release, while the one before serves");
    let this = with(&world.settings, &options.server);
    this.with("DATABASE_URL", world.database_url.clone()).operate(&["migrate"])?;
    sleep(part).await;
    let mut replaced = 0;
    for (words, program) in [
        ("forward to this release", options.server.as_path()),
        ("back to the release before", before),
        ("forward again", &options.server),
    ] {
        say(words);
        nodes.run_as(with(&world.settings, program));
        for node in 0..nodes.count() {
            nodes.replace(node).await?;
            replaced += 1;
        }
        sleep(part).await;
    }
    Ok(replaced)
}

fn with(settings: &ServiceSettings, program: &Path) -> ServiceSettings {
    ServiceSettings { program: program.to_owned(), ..settings.clone() }
}

/// Checks that both programs exist.
pub(crate) fn check(before: &Path, this: &Path) -> anyhow::Result<()> {
    for program in [before, this] {
        if !program.is_file() {
            bail!("there is no {}", program.display());
        }
    }
    Ok(())
}
