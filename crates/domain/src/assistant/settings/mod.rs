//! Settings of the assistant, which owners make.

mod rule;

pub use self::rule::SettingsRule;
use super::{
    by_language::ByLanguage,
    cost::{Cost, DayLimit},
    hand_over::HandOverTexts,
    speech::{OwnersFact, Register},
    toolbox::Tool,
};
use crate::{external_id::ExternalId, ids::GroupId, language::Language, phone::PhoneNumber};

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
/// Longest text of a fact, and longest wording of it in a language, in characters.
pub const LONGEST_FACT: usize = 1_000;
/// Longest file of own wordings of a language, in characters: the service's own are shorter.
pub const LONGEST_WORDINGS: usize = 16_000;
/// Most numbers that may try the assistant.
pub const MOST_TEST_NUMBERS: usize = 20;
/// Tokens that a day may take, unless the owner sets another limit.
pub const DAILY_TOKENS: u64 = 2_000_000;
/// Tokens that a turn takes, roughly: a question for a price asks the model twice.
pub const TOKENS_OF_A_TURN: u64 = 2_500;
/// Highest limit of a day's tokens that an owner may set.
pub const MOST_DAILY_TOKENS: u64 = 1_000_000_000;

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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fact {
    pub title: String,
    pub text: String,
    /// Wordings of it for customers who write in a language; the text stands in for one that is absent.
    pub wordings: ByLanguage,
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
    /// Money that a day may take, in the currency of the model's price; `None` without such a limit.
    pub daily_budget: Option<Cost>,
    /// Tools that it may use; `None` for all.
    pub tools: Option<Vec<Tool>>,
    pub hand_over: HandOverTexts,
    /// Register of the answers in Arabic.
    pub register: Register,
    /// Wordings in place of the service's own, as its files have them.
    pub wordings: ByLanguage,
    /// Whether the first answer in a conversation says that an assistant answers.
    pub introduces_itself: bool,
    /// Whether the owner's questions are asked again after a change, where that is cheap.
    pub rehearses_changes: bool,
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
            daily_budget: None,
            tools: None,
            hand_over: HandOverTexts::default(),
            register: Register::Dialect,
            wordings: ByLanguage::default(),
            introduces_itself: true,
            rehearses_changes: true,
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

    /// Returns what a day may take.
    pub const fn day_limit(&self) -> DayLimit {
        DayLimit { tokens: self.daily_tokens, cost: self.daily_budget }
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

    /// Returns the facts as evidence: `f1` is the first.
    pub fn owners_facts(&self) -> Vec<OwnersFact> {
        let evidence = |(number, fact): (usize, &Fact)| {
            let approved = fact.wordings.named().map(|(code, text)| (code, text.to_owned())).collect();
            Some(OwnersFact {
                id: ExternalId::of_text(&format!("f{number}"))?,
                text: fact.text.clone(),
                approved,
            })
        };
        (1..).zip(&self.facts).filter_map(evidence).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{AssistantMode, AssistantSettings, ByLanguage, Fact, Tool};
    use crate::{
        assistant::speech::{Answer, Evidence, Rotation, Telling, Voice},
        testing::a_recipient,
    };

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
    fn tokens_do_for_so_many_turns() {
        let settings = AssistantSettings { daily_tokens: 10_000, ..AssistantSettings::default() };
        assert_eq!((settings.daily_turns(), AssistantSettings::default().daily_turns()), (4, 800));
    }

    #[test]
    fn answers_are_in_the_owners_words_where_they_have_written_some() {
        let wordings = ByLanguage {
            arabic: Some("[greet]\nهلا بيكم بمحل النور\n".to_owned()),
            // Of a version that still had this phrase.
            english: Some("[gone]\nHello\n".to_owned()),
            ..ByLanguage::default()
        };
        let fact = Fact {
            title: "التوصيل".to_owned(),
            text: "نوصل خلال يومين".to_owned(),
            wordings: ByLanguage {
                sorani: Some("لە دوو ڕۆژدا".to_owned()), ..ByLanguage::default()
            },
        };
        let settings = AssistantSettings { wordings, facts: vec![fact], ..AssistantSettings::default() };
        let evidence = Evidence { facts: settings.owners_facts(), ..Evidence::default() };
        let said = |voice, acts: &str| {
            let book = settings.wordings.phrasebook(voice).unwrap();
            let telling = Telling { evidence: &evidence, book: &book, rotation: Rotation::default() };
            telling.say(&acts.parse::<Answer>().unwrap().acts).unwrap().text()
        };
        let (greet, cite) = (r#"[{"act":"greet"}]"#, r#"[{"act":"cite","fact":"f1"}]"#);
        for voice in [Voice::IraqiArabic, Voice::FormalArabic] {
            assert_eq!(
                (said(voice, greet).as_str(), said(voice, cite).as_str()),
                ("هلا بيكم بمحل النور", "نوصل خلال يومين")
            );
        }
        assert!(said(Voice::English, greet).starts_with(['H', 'W']), "{}", said(Voice::English, greet));
        assert_eq!(said(Voice::Sorani, cite), "لە دوو ڕۆژدا");
    }
}
