//! Time of a turn with a model and a shop that answer at once.

use std::time::Instant;

use anyhow::{Context, ensure};
use model_simulator::{Script, ScriptedCall};
use serde_json::json;
use tokio::time::interval;

use super::{listening::LOOK, stage::Stage};
use crate::figures::{Figures, Goal};

/// Turns before measuring.
const WARM_UP: usize = 20;
/// Upper bound of the p95 of a turn's own time, in milliseconds.
const MOST: f64 = 30.0;

const TURNS: &str = "
    SELECT percentile_disc(ARRAY[0.5, 0.95]::float8[]) WITHIN GROUP (ORDER BY milliseconds), count(*)
    FROM (SELECT milliseconds FROM assistant_turn_log WHERE outcome = 'answered' AND cardinality(tools) = 2
          ORDER BY created_at DESC LIMIT $1) newest";

pub(super) async fn measure(stage: &mut Stage, turns: usize, figures: &mut Figures) -> anyhow::Result<()> {
    for number in 1..=WARM_UP + turns {
        turn(stage, number).await?;
    }
    let asked = i64::try_from(turns)?;
    let row = stage.world.database.query_one(TURNS, &[&asked]).await?;
    let (taken, count): (Vec<i64>, i64) = (row.try_get(0)?, row.try_get(1)?);
    ensure!(count == asked, "{count} of {turns} turns were answered with two tools");
    let [half, most] = taken.try_into().ok().context("two percentiles")?;
    let name = "a turn with two tool calls and three questions to the model, those included";
    figures.note(format!("{name}: p50"), (int(half)?, "ms"), None, None);
    figures.note(format!("{name}: p95"), (int(most)?, "ms"), None, Some(Goal::AtMost(MOST)));
    Ok(())
}

fn int(value: i64) -> anyhow::Result<f64> {
    Ok(f64::from(i32::try_from(value)?))
}

/// Runs a turn of a question, two tool calls and an answer.
async fn turn(stage: &mut Stage, number: usize) -> anyhow::Result<()> {
    let call = |name: &str, arguments| Script {
        calls: vec![ScriptedCall { name: name.to_owned(), arguments }],
        ..Script::default()
    };
    // Both code's words and the judge are a part of what is measured.
    let quote = json!({ "act": "quote", "product": "1001", "parts": ["price", "availability", "options"] });
    stage.model.play(vec![
        call("searchProducts", json!({ "query": "حفاضات بامبرز" })),
        call("getProduct", json!({ "id": "1001" })),
        Script { acts: vec![quote], text: "هلا بيكم، تفضلوا".to_owned(), ..Script::default() },
    ]);
    let person = stage.somebody();
    person.writes(&stage.world.simulator, "شكد سعر حفاضات بامبرز؟").await?;
    let [conversation] = stage.conversations(&[person]).await?.try_into().ok().context("a conversation")?;
    let ended = format!("assistant_turn_log WHERE conversation_id = '{conversation}'");
    let (mut looks, began) = (interval(LOOK), Instant::now());
    while stage.count(&ended).await? == 0 {
        ensure!(began.elapsed().as_secs() < 60, "turn {number} has not ended after a minute");
        stage.hurry().await?;
        looks.tick().await;
    }
    ensure!(stage.model.errors().is_empty(), "the stand-in: {:?}", stage.model.errors());
    Ok(())
}
