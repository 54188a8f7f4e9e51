//! Many customers who write at the same moment.

use anyhow::ensure;
use time::Duration;

use super::{
    listening::{LOOK, Listening},
    stage::{Stage, now},
};
use crate::figures::{Figures, Goal};

/// Concurrent conversations.
const PEOPLE: usize = 50;
/// Time that a customer may go on writing before they are answered.
const BURST: Duration = Duration::milliseconds(2_500);
/// Time without an answer after which the run fails.
const GIVEN_UP: Duration = Duration::minutes(1);
/// Largest delay of an answer beyond the burst, in seconds.
const MOST: f64 = 1.0;

pub(super) async fn measure(stage: &mut Stage, waves: usize, figures: &mut Figures) -> anyhow::Result<()> {
    let mut late = Vec::new();
    for _ in 0..waves {
        late.extend(wave(stage).await?);
    }
    late.sort_unstable();
    let at =
        |share: usize| late.get((late.len() - 1) * share / 100).map_or(f64::NAN, |it| it.as_seconds_f64());
    let name = format!("{PEOPLE} conversations at once: an answer later than 2.5 s after the question");
    figures.note(format!("{name}: p50"), (at(50), "s"), None, None);
    figures.note(format!("{name}: the latest"), (at(100), "s"), None, Some(Goal::AtMost(MOST)));
    Ok(())
}

/// Runs one wave and returns each answer's delay beyond the burst.
async fn wave(stage: &mut Stage) -> anyhow::Result<Vec<Duration>> {
    let people: Vec<_> = (0..PEOPLE).map(|_| stage.somebody()).collect();
    let mut wrote = Vec::new();
    for person in &people {
        wrote.push(now());
        person.writes(&stage.world.simulator, "شكد سعر حفاضات بامبرز؟").await?;
    }
    let mut listening = Listening::default();
    let mut looks = tokio::time::interval(LOOK);
    loop {
        looks.tick().await;
        let waited = wrote.last().map_or(Duration::ZERO, |wrote| now() - *wrote);
        ensure!(waited < GIVEN_UP, "somebody has no answer after {waited}");
        listening.hear(&stage.world.simulator)?;
        let first = people.iter().map(|person| listening.of(*person).first().map(|got| got.at));
        if let Some(answered) = first.collect::<Option<Vec<_>>>() {
            stage.quiet().await?;
            return Ok(answered.into_iter().zip(wrote).map(|(at, wrote)| at - wrote - BURST).collect());
        }
    }
}
