mod joined;
mod properties;
mod refused;
mod said;
mod truth;
mod untrue;
mod wordings;

use super::{Answer, Evidence, Phrasebook, Rotation, Speech, Telling, Voice};

/// Returns what a turn of a shop's chat has found out.
pub(super) fn a_shop() -> Evidence {
    include_str!("shop.json").parse().unwrap()
}

pub(super) fn say(voice: Voice, acts: &str, evidence: &Evidence) -> Result<Speech, String> {
    say_in(0, voice, acts, evidence)
}

/// Words acts as in this turn of a conversation.
pub(super) fn say_in(turn: u64, voice: Voice, acts: &str, evidence: &Evidence) -> Result<Speech, String> {
    let answer: Answer = acts.parse().map_err(|error: super::AnswerError| error.to_string())?;
    let book = Phrasebook::shipped(voice).unwrap();
    let telling = Telling { evidence, book: &book, rotation: Rotation::of(b"", turn) };
    telling.say(&answer.acts).map_err(|error| error.to_string())
}
