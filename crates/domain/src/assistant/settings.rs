//! Settings of the assistant, which owners make.

use super::{
    hand_over::{HandOverTexts, LONGEST_SENTENCE},
    toolbox::Tool,
};
use crate::{ids::GroupId, language::Language, phone::PhoneNumber};

/// Longest name of the assistant, in characters.
pub const LONGEST_NAME: usize = 60;
/// Longest description of the tone, in characters.
pub const LONGEST_TONE: usize = 200;
/// Longest instructions, in characters.
pub const LONGEST_INSTRUCTIONS: usize = 4_000;
/// Most facts of a workspace.
pub const MOST_FACTS: usize = 30;
/// Longest title of a fact, in characters.
pub const LONGEST_TITLE: usize = 80;
/// Longest text of a fact, in characters.
pub const LONGEST_FACT: usize = 1_000;
/// Most numbers that may try the assistant.
pub const MOST_TEST_NUMBERS: usize = 20;
/// Tokens that a day may take, unless the owner sets another limit.
pub const DAILY_TOKENS: u64 = 2_000_000;
/// Tokens that a turn takes, roughly: a question for a price asks the model two or three times, with all its
/// tools.
pub const TOKENS_OF_A_TURN: u64 = 5_000;
/// Highest limit of a day's tokens that an owner may set.
pub const MOST_DAILY_TOKENS: u64 = 1_000_000_000;

/// Returns whether `tokens` are four fifths of `most` or more.
pub const fn are_nearly_spent(tokens: u64, most: u64) -> bool {
    tokens.saturating_mul(5) >= most.saturating_mul(4)
}

/// Mode of the assistant: whom it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssistantMode {
    Off,
    /// Answers only listed numbers, for whom nothing is ordered, booked or cancelled.
    Test,
    /// Answers everybody who writes in a conversation of its own.
    On,
}

impl AssistantMode {
    pub const ALL: [Self; 3] = [Self::Off, Self::Test, Self::On];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Test => "test",
            Self::On => "on",
        }
    }

    /// Parses what `as_str` returns.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}

/// Something that customers ask about, such as opening hours or delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    pub title: String,
    pub text: String,
}

/// Settings of a workspace's assistant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssistantSettings {
    pub mode: AssistantMode,
    /// Numbers that may try it in [`AssistantMode::Test`].
    pub test_numbers: Vec<PhoneNumber>,
    pub name: Option<String>,
    pub tone: Option<String>,
    pub instructions: String,
    pub facts: Vec<Fact>,
    /// Group that conversations are handed over to; `None` for whoever is first.
    pub group: Option<GroupId>,
    /// Languages of answers; the first is for customers who write in another.
    pub languages: Vec<Language>,
    pub daily_tokens: u64,
    /// Tools that it may use; `None` for all.
    pub tools: Option<Vec<Tool>>,
    pub hand_over: HandOverTexts,
}

impl Default for AssistantSettings {
    fn default() -> Self {
        Self {
            mode: AssistantMode::Off,
            test_numbers: Vec::new(),
            name: None,
            tone: None,
            instructions: String::new(),
            facts: Vec::new(),
            group: None,
            languages: Language::ALL.to_vec(),
            daily_tokens: DAILY_TOKENS,
            tools: None,
            hand_over: HandOverTexts::default(),
        }
    }
}

impl AssistantSettings {
    /// Returns whether it may answer somebody with that number.
    pub fn answers(&self, phone: Option<&PhoneNumber>) -> bool {
        match self.mode {
            AssistantMode::Off => false,
            AssistantMode::Test => phone.is_some_and(|phone| self.test_numbers.contains(phone)),
            AssistantMode::On => true,
        }
    }

    /// Returns whether it may use `tool`. A person can always be asked for.
    pub fn allows(&self, tool: Tool) -> bool {
        tool == Tool::HandOver || self.tools.as_ref().is_none_or(|allowed| allowed.contains(&tool))
    }

    /// Returns roughly how many turns a day may have.
    pub const fn daily_turns(&self) -> u64 {
        self.daily_tokens / TOKENS_OF_A_TURN
    }

    /// Returns whether a day that has taken `tokens` is near its limit, or has reached it.
    pub const fn are_nearly_spent(&self, tokens: u64) -> bool {
        are_nearly_spent(tokens, self.daily_tokens)
    }

    /// Returns what the owner has written for the model beside the facts.
    pub fn written(&self) -> String {
        let mut written = String::new();
        let mut add = |part: String| {
            written.push_str(&part);
            written.push('\n');
        };
        if let Some(name) = &self.name {
            add(format!("Your name: {name}"));
        }
        if let Some(tone) = &self.tone {
            add(format!("How you speak: {tone}"));
        }
        if !self.instructions.trim().is_empty() {
            add(self.instructions.trim().to_owned());
        }
        written
    }

    pub(super) fn check(&self) -> Result<(), SettingsRule> {
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
        for Fact { title, text } in &self.facts {
            fits("facts[].title", title, LONGEST_TITLE)?;
            fits("facts[].text", text, LONGEST_FACT)?;
            if crate::text::is_blank(title) || crate::text::is_blank(text) {
                return Err(SettingsRule::Fact);
            }
        }
        for (field, text) in self.hand_over.named() {
            fits(field, text.unwrap_or_default(), LONGEST_SENTENCE)?;
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

/// Rule that settings break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
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
    #[error("`languages` has at least one")]
    NoLanguage,
    #[error("`testNumbers` has at least one number in the mode `test`: nobody could try it otherwise")]
    NoTester,
    /// A number that is in no numbering plan, and that no contact has.
    #[error("`testNumbers`: one is no such phone number, and no contact has it")]
    NoSuchNumber,
    #[error("`dailyTokens` is 1 to {most}")]
    DailyTokens {
        /// In tokens.
        most: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::{AssistantMode, AssistantSettings, Fact, HandOverTexts, Tool};
    use crate::testing::a_recipient;

    #[test]
    fn who_is_not_listed_is_not_answered_while_it_is_tried() {
        let listed = a_recipient();
        for (mode, phone, answered) in [
            (AssistantMode::Off, Some(&listed), false),
            (AssistantMode::Test, Some(&listed), true),
            (AssistantMode::Test, None, false),
            (AssistantMode::On, None, true),
        ] {
            let settings =
                AssistantSettings { mode, test_numbers: vec![a_recipient()], ..AssistantSettings::default() };
            assert_eq!(settings.answers(phone), answered, "{mode:?}");
        }
    }

    #[test]
    fn a_person_can_be_asked_for_whatever_tools_are_allowed() {
        let settings = AssistantSettings { tools: Some(vec![]), ..AssistantSettings::default() };
        assert!(settings.allows(Tool::HandOver) && !settings.allows(Tool::SearchProducts));
        assert!(AssistantSettings::default().allows(Tool::SearchProducts));
    }

    #[test]
    fn four_fifths_of_a_day_are_nearly_all_of_it() {
        let settings = AssistantSettings { daily_tokens: 10_000, ..AssistantSettings::default() };
        assert_eq!((settings.are_nearly_spent(7_999), settings.are_nearly_spent(8_000)), (false, true));
        assert_eq!((settings.daily_turns(), AssistantSettings::default().daily_turns()), (2, 400));
    }

    #[test]
    fn what_is_too_much_or_nothing_is_refused_by_its_field() {
        let fact = |title: &str, text: &str| Fact { title: title.to_owned(), text: text.to_owned() };
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
