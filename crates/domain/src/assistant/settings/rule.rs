//! Rules of the settings.

use super::{
    AssistantMode, AssistantSettings, Fact, LONGEST_FACT, LONGEST_INSTRUCTIONS, LONGEST_NAME, LONGEST_TITLE,
    LONGEST_TONE, LONGEST_WORDINGS, MOST_DAILY_TOKENS, MOST_FACTS, MOST_TEST_NUMBERS,
};
use crate::assistant::{
    hand_over::{LONGEST_SENTENCE, MOST_MINUTES, WHEN},
    speech::{Phrasebook, Voice, WordingError, WordingFault},
};

/// Names in the API of a fact's wordings, in the order of their languages.
const FACT_WORDINGS: [&str; 3] = ["facts[].ar", "facts[].en", "facts[].ckb"];
/// Names in the API of own wordings, with a voice of each language.
const WORDINGS: [(&str, Voice); 3] =
    [("wordings.ar", Voice::IraqiArabic), ("wordings.en", Voice::English), ("wordings.ckb", Voice::Sorani)];

/// Rule that settings break.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsRule {
    #[error("`{field}` has at most {most} characters")]
    TooLong {
        /// Name in the API.
        field: &'static str,
        /// In characters.
        most: usize,
    },
    #[error("`{field}` has at most {most} entries")]
    TooMany {
        /// Name in the API.
        field: &'static str,
        most: usize,
    },
    #[error("a fact has a title and a text")]
    Fact,
    #[error("`{field}`: {why}")]
    Wordings {
        /// Name in the API.
        field: &'static str,
        why: WordingError,
    },
    #[error("`languages` has at least one")]
    NoLanguage,
    #[error("`testNumbers` has at least one number in the mode `test`: nobody could try it otherwise")]
    NoTester,
    /// A number that is in no numbering plan, and that no contact has.
    #[error("`testNumbers`: one is no such phone number, and no contact has it")]
    NoSuchNumber,
    #[error("`handOver.minutes` is 1 to {MOST_MINUTES}")]
    Minutes,
    /// A limit of money without a model that has a price.
    #[error("`dailyBudget`: this installation's models have no price: an operator sets it")]
    NoPrice,
    #[error("`dailyTokens` is 1 to {most}")]
    DailyTokens {
        /// In tokens.
        most: u64,
    },
}

impl AssistantSettings {
    pub(in crate::assistant) fn check(&self) -> Result<(), SettingsRule> {
        let fits = |field: &'static str, text: &str, most: usize| {
            if text.chars().count() > most {
                return Err(SettingsRule::TooLong { field, most });
            }
            Ok(())
        };
        let count = |field: &'static str, count: usize, most: usize| {
            if count > most {
                return Err(SettingsRule::TooMany { field, most });
            }
            Ok(())
        };
        fits("name", self.name.as_deref().unwrap_or_default(), LONGEST_NAME)?;
        fits("tone", self.tone.as_deref().unwrap_or_default(), LONGEST_TONE)?;
        fits("instructions", &self.instructions, LONGEST_INSTRUCTIONS)?;
        count("facts", self.facts.len(), MOST_FACTS)?;
        count("testNumbers", self.test_numbers.len(), MOST_TEST_NUMBERS)?;
        for Fact { title, text, wordings } in &self.facts {
            fits("facts[].title", title, LONGEST_TITLE)?;
            fits("facts[].text", text, LONGEST_FACT)?;
            for (field, wording) in FACT_WORDINGS.into_iter().zip(wordings.texts()) {
                fits(field, wording.unwrap_or_default(), LONGEST_FACT)?;
            }
            if crate::text::is_blank(title) || crate::text::is_blank(text) {
                return Err(SettingsRule::Fact);
            }
        }
        for (field, text) in self.hand_over.named() {
            let text = text.unwrap_or_default();
            fits(field, text, LONGEST_SENTENCE)?;
            check_places(field, text)?;
        }
        for (field, voice) in WORDINGS {
            let Some(own) = self.wordings.text(voice) else { continue };
            fits(field, own, LONGEST_WORDINGS)?;
            let book = Phrasebook::shipped(voice).and_then(|shipped| shipped.with_own(own));
            book.map_err(|why| SettingsRule::Wordings { field, why })?;
        }
        if !(1..=MOST_MINUTES).contains(&self.hand_over.minutes) {
            return Err(SettingsRule::Minutes);
        }
        if self.languages.is_empty() {
            return Err(SettingsRule::NoLanguage);
        }
        if self.mode == AssistantMode::Test && self.test_numbers.is_empty() {
            return Err(SettingsRule::NoTester);
        }
        if !(1..=MOST_DAILY_TOKENS).contains(&self.daily_tokens) {
            return Err(SettingsRule::DailyTokens { most: MOST_DAILY_TOKENS });
        }
        Ok(())
    }
}

/// Refuses a sentence in which a customer would read a brace: only those for closed hours have a place, and
/// it is [`WHEN`].
fn check_places(field: &'static str, text: &str) -> Result<(), SettingsRule> {
    let known = if field.ends_with("WhenClosed") { WHEN } else { "" };
    for (line, written) in (1..).zip(text.lines()) {
        let left = if known.is_empty() { written.to_owned() } else { written.replace(known, "") };
        let Some((_, found)) = left.split_once('{') else { continue };
        let found = found.split('}').next().unwrap_or_default().to_owned();
        let known = if known.is_empty() { "–" } else { known }.to_owned();
        let fault = WordingFault::UnknownPlace { key: field, found, known };
        return Err(SettingsRule::Wordings { field, why: WordingError::Line { line, fault } });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{AssistantMode, AssistantSettings, Fact};
    use crate::assistant::{ByLanguage, HandOverTexts};

    #[test]
    fn what_is_too_much_or_nothing_is_refused_by_its_field() {
        let fact = |title: &str, text: &str| Fact {
            title: title.to_owned(),
            text: text.to_owned(),
            ..Fact::default()
        };
        let in_english = |text: String| ByLanguage { english: Some(text), ..ByLanguage::default() };
        let in_braces = |open: &str, closed: &str| HandOverTexts {
            english: Some(open.to_owned()),
            english_when_closed: Some(closed.to_owned()),
            ..HandOverTexts::default()
        };
        let worded = Fact { wordings: in_english("x".repeat(1_001)), ..fact("x", "y") };
        let good = AssistantSettings {
            facts: vec![fact("الدوام", "من 9 إلى 17")],
            ..AssistantSettings::default()
        };
        assert!(good.check().is_ok());
        for (settings, field) in [
            (AssistantSettings { instructions: "ا".repeat(4_001), ..good.clone() }, "instructions"),
            (AssistantSettings { name: Some("ا".repeat(61)), ..good.clone() }, "name"),
            (AssistantSettings { facts: vec![fact(" ", "x")], ..good.clone() }, "fact"),
            (AssistantSettings { facts: vec![fact("x", "y"); 31], ..good.clone() }, "facts"),
            (AssistantSettings { facts: vec![worded], ..good.clone() }, "facts[].en"),
            (
                AssistantSettings { wordings: in_english("#".repeat(16_001)), ..good.clone() },
                "`wordings.en` has at most 16000",
            ),
            (
                AssistantSettings { wordings: in_english("[greet]\nHi {name}".to_owned()), ..good.clone() },
                "`wordings.en`: line 2: `{name}`",
            ),
            (
                AssistantSettings {
                    hand_over: in_braces("We open {when}", "We open {when}"),
                    ..good.clone()
                },
                "`handOver.en`: line 1: `{when}` is no placeholder",
            ),
            (
                AssistantSettings { hand_over: in_braces("Later", "We open {when} {x}"), ..good.clone() },
                "`handOver.enWhenClosed`: line 1: `{x}`",
            ),
            (AssistantSettings { languages: vec![], ..good.clone() }, "languages"),
            (AssistantSettings { daily_tokens: 0, ..good.clone() }, "dailyTokens"),
            (
                AssistantSettings {
                    hand_over: HandOverTexts {
                        english_when_closed: Some("x".repeat(401)),
                        ..HandOverTexts::default()
                    },
                    ..good.clone()
                },
                "handOver.enWhenClosed",
            ),
            (AssistantSettings { mode: AssistantMode::Test, ..good.clone() }, "testNumbers"),
        ] {
            match settings.check() {
                Err(rule) => assert!(rule.to_string().contains(field), "{field}: {rule}"),
                Ok(()) => panic!("{field}"),
            }
        }
    }
}
