//! Time of a processor to judge a model's own wording of 8 KB, the longest that is read.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use domain::assistant::speech::{
    Answer, Evidence, LONGEST_WORDING, Phrasebook, Rotation, Telling, Voice, judge,
};
use serde_json::json;

use crate::{
    figures::{Figures, Goal},
    load::float,
};

const TIMES: usize = 200;
/// Upper bound of the p95, in milliseconds.
const MOST: f64 = 10.0;
/// Courtesies, which the judge looks for before each of code's pieces.
const COURTESY: &str = "هلا بيكم، تفضلوا. ";

pub(super) fn measure(figures: &mut Figures) -> anyhow::Result<()> {
    let variant = |number: usize| json!({ "id": format!("v{number}"), "title": format!("قياس {number}"), "price": 25_000 + number, "options": { "القياس": number.to_string() } });
    let variants: Vec<_> = (30..50).map(variant).collect();
    let product = |number: usize| json!({ "id": number, "title": format!("{} {number}", "حذاء رياضي نايك أبيض ".repeat(8)), "price": 25_000, "variants": variants });
    let quote = |number: usize| json!({ "act": "quote", "product": number, "parts": ["price", "availability", "options"] });
    let products: Vec<_> = (1..=8).map(product).collect();
    let acts: Vec<_> = (1..=8).map(quote).collect();
    let evidence: Evidence = json!({ "products": products }).to_string().parse()?;
    let answer: Answer = json!({ "acts": acts }).to_string().parse()?;
    let book = Phrasebook::shipped(Voice::IraqiArabic)?;
    let telling = Telling { evidence: &evidence, book: &book, rotation: Rotation::default() };
    let speech = telling.say(&answer.acts)?;
    let text = speech.text();
    let room = LONGEST_WORDING.checked_sub(text.len()).context("code's own wording is too long")?;
    // More than as much again would be refused for its length.
    let wording = COURTESY.repeat(room.min(text.len()) / COURTESY.len()) + &text;
    ensure!(judge(&book, &speech, &wording).is_ok(), "courtesies around code's words are refused");
    let mut took: Vec<Duration> = (0..TIMES)
        .map(|_| {
            let began = Instant::now();
            let _judged = std::hint::black_box(judge(&book, &speech, &wording));
            began.elapsed()
        })
        .collect();
    took.sort_unstable();
    let most = took.get(TIMES * 95 / 100).context("no time")?.as_secs_f64() * 1_000.0;
    let name = format!("judging a wording of {} bytes: p95", wording.len());
    figures.note(name, (most, "ms"), None, Some(Goal::AtMost(MOST)));
    figures.note("of these, code's own words", (float(u64::try_from(text.len())?), "bytes"), None, None);
    Ok(())
}
