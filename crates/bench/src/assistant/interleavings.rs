//! Changes that outdate an answer, made while it may be under way.

use std::time::Duration;

use anyhow::{Context, ensure};
use model_simulator::Fault;
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until};
use uuid::Uuid;

use super::{listening::LOOK, people::Person, stage::Stage};
use crate::{
    figures::{Figures, Goal},
    load::float,
};

/// Concurrent conversations.
const WAVE: usize = 50;
/// Time of the change, in milliseconds after the question: turns are taken after 2500.
const THROWN_IN: std::ops::Range<u64> = 2_450..3_600;
/// Seed of the random choices, so that runs repeat them.
const SEED: u64 = 14;

/// Counts the answers that were begun, and those of them begun after something had outdated them since their
/// turn was taken. Each of the three is recorded while its row is locked, and beginning an answer needs that
/// lock; so an answer begun later than a change is also recorded later.
const BEGUN: &str = "
    SELECT count(*), count(*) FILTER (WHERE EXISTS (
        SELECT FROM bench_watched changed
        WHERE changed.conversation_id = begun.conversation_id AND changed.what = 'changed'
          AND changed.at > taken.at AND changed.at < begun.at))
    FROM bench_watched begun
    CROSS JOIN LATERAL (
        SELECT taken.at FROM bench_watched taken
        WHERE taken.conversation_id = begun.conversation_id AND taken.what = 'taken' AND taken.at < begun.at
        ORDER BY taken.at DESC LIMIT 1) taken
    WHERE begun.what = 'begun'";

/// A change that outdates an answer.
#[derive(Debug, Clone, Copy)]
enum Change {
    TakeOver,
    Reply,
    Close,
    Message,
}

const CHANGES: [Change; 4] = [Change::TakeOver, Change::Reply, Change::Close, Change::Message];

pub(super) async fn measure(stage: &mut Stage, count: usize, figures: &mut Figures) -> anyhow::Result<()> {
    let mut dice = fastrand::Rng::with_seed(SEED);
    let dropped = "assistant_turn_log WHERE outcome = 'dropped'";
    let before = stage.count(dropped).await?;
    // A slow model, so that changes can come in between.
    stage.model.switch_on(&[Fault::Slow]);
    let mut left = count;
    while left > 0 {
        let people: Vec<_> = (0..WAVE.min(left)).map(|_| stage.somebody()).collect();
        left -= people.len();
        wave(stage, &people, &mut dice).await?;
    }
    stage.model.reset();
    let row = stage.world.database.query_one(BEGUN, &[]).await?;
    let (begun, begun_after): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    ensure!(begun > 0, "no answer was begun at all");
    let name = format!("{count} turns with something thrown in");
    let dropped = u64::try_from(stage.count(dropped).await? - before)?;
    figures.note(format!("{name}: of them outdated while under way"), (float(dropped), "turns"), None, None);
    let begun_after = float(u64::try_from(begun_after)?);
    figures.note(
        format!("{name}: answers begun after it"),
        (begun_after, "answers"),
        None,
        Some(Goal::AtMost(0.0)),
    );
    Ok(())
}

async fn wave(stage: &Stage, people: &[Person], dice: &mut fastrand::Rng) -> anyhow::Result<()> {
    let mut plans = Vec::new();
    for person in people {
        let wrote = Instant::now();
        person.writes(&stage.world.simulator, "شكد سعر حفاضات بامبرز؟").await?;
        let change = CHANGES.get(dice.usize(..CHANGES.len())).copied().context("a change")?;
        plans.push((*person, change, wrote + Duration::from_millis(dice.u64(THROWN_IN))));
    }
    let conversations = stage.conversations(people).await?;
    let thrown =
        plans.into_iter().zip(conversations).map(|((person, change, at), conversation)| async move {
            sleep_until(at).await;
            throw_in(stage, person, conversation, change).await
        });
    futures_util::future::try_join_all(thrown).await?;
    // A conversation left to a person is handed over after a minute and a half, which is not waited for here.
    let over = "UPDATE assistant_turns SET due_at = NULL
                WHERE person_spoke_at IS NOT NULL AND due_at > now() + interval '10 seconds'";
    loop {
        stage.world.database.batch_execute(over).await?;
        if stage.count("assistant_turns WHERE due_at IS NOT NULL").await? == 0 {
            return Ok(());
        }
        sleep(LOOK).await;
    }
}

async fn throw_in(stage: &Stage, person: Person, conversation: Uuid, change: Change) -> anyhow::Result<()> {
    let does = |what: &'static str, body| async move {
        stage.owner.does(stage.service()?, conversation, what, &body).await
    };
    match change {
        Change::TakeOver => does("moves", json!({ "do": "take" })).await,
        Change::Close => does("moves", json!({ "do": "close" })).await,
        Change::Reply => does("messages", json!({ "text": "هلا، وياك نور" })).await,
        Change::Message => person.writes(&stage.world.simulator, "وشكد سعر قهوة نسكافيه؟").await,
    }
}
