//! Page of the assistant's settings.

use askama::Template;
use domain::assistant::{
    AssistantMode, ByLanguage, Tool,
    rehearsal::RehearsalSummary,
    speech::{Phrase, Register},
};

use super::tabs;
use crate::{frame::Frame, moment::Moment, refused::Refused, words::AssistantWords};

/// A fact as typed.
#[derive(Debug, Clone, Default)]
pub struct TypedFact {
    pub title: String,
    pub text: String,
    /// Wordings of it, in the order of [`ByLanguage::CODES`]; empty for the text.
    pub wordings: [String; 3],
}

impl TypedFact {
    /// Returns whether nothing was typed: it is room for another.
    pub fn is_blank(&self) -> bool {
        [&self.title, &self.text].into_iter().chain(&self.wordings).all(|typed| typed.trim().is_empty())
    }
}

/// Values of the form's fields, as stored or as typed.
#[derive(Debug, Clone, Default)]
pub struct TypedAssistant {
    pub mode: String,
    /// Numbers that may try it, one per line.
    pub test_numbers: String,
    /// Name that it gives itself.
    pub name: String,
    pub tone: String,
    pub instructions: String,
    /// Facts that it may tell; empty ones are room for more.
    pub facts: Vec<TypedFact>,
    /// Id of the group that conversations are handed over to; empty for none: whoever is first.
    pub group: String,
    /// Codes of languages, separated by commas.
    pub languages: String,
    pub daily_tokens: String,
    /// Money that a day may take; empty without such a limit.
    pub daily_budget: String,
    /// Names of the tools that it may use.
    pub tools: Vec<&'static str>,
    /// What customers are told of a hand-over: in Arabic, in English, and both outside of opening hours;
    /// empty for the service's own text.
    pub hand_over: [String; 6],
    /// Minutes after which whoever writes on is told that they are not forgotten.
    pub minutes: String,
    pub register: String,
    /// Own wordings, in the order of [`ByLanguage::CODES`]; empty for the service's own.
    pub wordings: [String; 3],
    /// Whether its first answer says that an assistant answers.
    pub introduces_itself: bool,
    /// Whether the test questions are asked again after a change.
    pub rehearses_changes: bool,
}

/// A workspace's own key of the model, without its secret.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnKey {
    /// When it was set; `None` where there is none.
    pub set_at: Option<Moment>,
    /// Since when the model refuses it.
    pub refused_at: Option<Moment>,
}

/// Page of the settings.
#[derive(Template)]
#[template(path = "assistant/assistant.html")]
pub struct AssistantPage<'a> {
    pub frame: &'a Frame,
    /// Values of the fields.
    pub typed: TypedAssistant,
    /// Groups of the team, by id and name.
    pub groups: Vec<(String, String)>,
    /// Name of the installation's model; `None` without one.
    pub model: Option<String>,
    /// Rough number of turns that a day's tokens are enough for.
    pub daily_turns: u64,
    /// Whether today has taken most of its tokens.
    pub is_nearly_spent: bool,
    /// What today has cost, and its currency; `None` where the model has no price.
    pub cost_today: Option<(String, String)>,
    /// The workspace's own key; `None` where it may have none.
    pub key: Option<OwnKey>,
    /// What came of the test questions last; `None` without any.
    pub tested: Option<RehearsalSummary>,
    pub refused: Option<Refused>,
}

impl AssistantPage<'_> {
    fn tabs(&self) -> [(&'static str, &'static str, bool); 5] {
        tabs(self.frame, "/dashboard/settings/assistant")
    }

    /// Returns when the newest result of the test questions came.
    fn tested_at(&self) -> Option<Moment> {
        self.tested.and_then(|tested| tested.at).map(Moment::from)
    }

    fn has(&self, tool: &str) -> bool {
        self.typed.tools.contains(&tool)
    }

    /// Returns the texts of a hand-over: name of the field, label, and value.
    fn hand_over(&self) -> [(&'static str, &'static str, &str); 6] {
        let words = &self.frame.words().assistant;
        let [arabic, english, arabic_when_closed, english_when_closed, sorani, sorani_when_closed] =
            &self.typed.hand_over;
        [
            ("ar", words.hand_over_ar, arabic),
            ("en", words.hand_over_en, english),
            ("ar-when-closed", words.hand_over_ar_closed, arabic_when_closed),
            ("en-when-closed", words.hand_over_en_closed, english_when_closed),
            ("ckb", words.in_sorani, sorani),
            ("ckb-when-closed", words.hand_over_ckb_closed, sorani_when_closed),
        ]
    }

    /// Lists the languages of own texts, with a text of each: code, name, and text.
    fn by_language<'a>(
        &self,
        texts: &'a [String; 3],
    ) -> impl Iterator<Item = (&'static str, &'static str, &'a str)> {
        let words = &self.frame.words().assistant;
        let names = [words.hand_over_ar, words.hand_over_en, words.in_sorani];
        let texts = names.into_iter().zip(texts);
        ByLanguage::CODES.into_iter().zip(texts).map(|(code, (name, text))| (code, name, text.as_str()))
    }

    /// Lists what an owner may word, with the placeholders of each.
    fn phrases() -> impl Iterator<Item = String> {
        let owners = Phrase::ALL.into_iter().filter(|phrase| phrase.is_owners());
        owners.map(|phrase| {
            let places = phrase.places().iter().map(|place| format!(" {{{place}}}"));
            let may = phrase.optional_places().iter().map(|place| format!(" ({{{place}}})"));
            std::iter::once(format!("[{}]", phrase.key())).chain(places).chain(may).collect()
        })
    }

    /// Returns the choices of languages; the first of each is used for customers who write in another.
    const fn languages(&self) -> [(&'static str, &'static str); 9] {
        let words = &self.frame.words().assistant;
        [
            ("ar,en,ckb", words.all_arabic_first),
            ("ckb,ar,en", words.all_sorani_first),
            ("en,ar,ckb", words.all_english_first),
            ("ar,en", words.arabic_first),
            ("en,ar", words.english_first),
            ("ar,ckb", words.arabic_and_sorani),
            ("ar", words.arabic),
            ("en", words.english),
            ("ckb", words.sorani),
        ]
    }
}

impl AssistantWords {
    /// Returns the words for a mode.
    pub const fn mode(&self, mode: &AssistantMode) -> &'static str {
        match mode {
            AssistantMode::Off => self.mode_off,
            AssistantMode::Test => self.mode_test,
            AssistantMode::On => self.mode_on,
        }
    }

    /// Returns the words for a register.
    pub const fn register(&self, register: &Register) -> &'static str {
        match register {
            Register::Dialect => self.dialect,
            Register::Formal => self.formal,
        }
    }

    /// Returns the words for what a tool does.
    pub const fn tool(&self, tool: &Tool) -> &'static str {
        match tool {
            Tool::SearchProducts => self.search_products,
            Tool::GetProduct => self.get_product,
            Tool::SearchKnowledge => self.search_knowledge,
            Tool::PlaceOrder => self.place_order,
            Tool::GetOrderStatus => self.get_order_status,
            Tool::CancelOrder => self.cancel_order,
            Tool::LookupCustomerRecord => self.lookup_customer_record,
            Tool::ListAppointmentSlots => self.list_appointment_slots,
            Tool::BookAppointment => self.book_appointment,
            Tool::RequestBooking => self.request_booking,
            Tool::CaptureLead => self.capture_lead,
            Tool::HandOver => self.hand_over,
        }
    }

    /// Returns the same by the tool's name, or the name itself if there is no such tool.
    pub fn tool_named<'a>(&self, name: &'a str) -> &'a str {
        Tool::ALL.into_iter().find(|tool| tool.as_str() == name).map_or(name, |tool| self.tool(&tool))
    }
}
