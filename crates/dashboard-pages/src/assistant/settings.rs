//! What owners set of the assistant.

use askama::Template;
use domain::assistant::{AssistantMode, Tool};

use super::tabs;
use crate::{frame::Frame, moment::Moment, words::AssistantWords};

/// What stands in the form's fields, as it is kept or as it was typed.
#[derive(Debug, Clone, Default)]
pub struct TypedAssistant {
    /// The mode's name.
    pub mode: String,
    /// Who may try it, a line for each.
    pub test_numbers: String,
    /// What it calls itself.
    pub name: String,
    /// How it speaks.
    pub tone: String,
    /// What it is told to do and to leave.
    pub instructions: String,
    /// What it may tell, by title and text; empty ones are room for more.
    pub facts: Vec<(String, String)>,
    /// The id of the group that conversations are handed over to; empty for whoever is first.
    pub group: String,
    /// Codes of languages with commas between them.
    pub languages: String,
    /// Tokens that a day may take.
    pub daily_tokens: String,
    /// The names of the tools that it may use.
    pub tools: Vec<&'static str>,
    /// What customers are told of a hand-over: in Arabic, in English, and both outside of opening hours; empty for the
    /// service's own text.
    pub hand_over: [String; 4],
}

/// What is shown of a workspace's own key.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnKey {
    /// When it was set; `None` where there is none.
    pub set_at: Option<Moment>,
    /// Since when it is refused.
    pub refused_at: Option<Moment>,
}

/// The settings.
#[derive(Template)]
#[template(path = "assistant/assistant.html")]
pub struct AssistantPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// What is in the fields.
    pub typed: TypedAssistant,
    /// The team's groups, by id and name.
    pub groups: Vec<(String, String)>,
    /// What the model is called; `None` where there is none.
    pub model: Option<String>,
    /// Turns that the tokens of a day do for, roughly.
    pub daily_turns: u64,
    /// Whether today has taken most of its tokens.
    pub is_nearly_spent: bool,
    /// The workspace's own key; `None` where it may have none.
    pub key: Option<OwnKey>,
    /// Why something was not done.
    pub refused: Option<&'a str>,
    /// What is wrong in particular.
    pub detail: Option<String>,
}

impl AssistantPage<'_> {
    fn tabs(&self) -> [(&'static str, &'static str, bool); 3] {
        tabs(self.frame, "/dashboard/settings/assistant")
    }

    fn has(&self, tool: &str) -> bool {
        self.typed.tools.contains(&tool)
    }

    /// The texts of a hand-over: the field of each, what it is called, and what stands in it.
    fn hand_over(&self) -> [(&'static str, &'static str, &str); 4] {
        let words = &self.frame.words().assistant;
        let [arabic, english, arabic_when_closed, english_when_closed] = &self.typed.hand_over;
        [
            ("ar", words.hand_over_ar, arabic),
            ("en", words.hand_over_en, english),
            ("ar-when-closed", words.hand_over_ar_closed, arabic_when_closed),
            ("en-when-closed", words.hand_over_en_closed, english_when_closed),
        ]
    }

    /// The choices of languages, the first of each for whoever writes in another.
    const fn languages(&self) -> [(&'static str, &'static str); 4] {
        let words = &self.frame.words().assistant;
        [
            ("ar,en", words.arabic_first),
            ("en,ar", words.english_first),
            ("ar", words.arabic),
            ("en", words.english),
        ]
    }
}

impl AssistantWords {
    /// Whether it answers.
    pub const fn mode(&self, mode: &AssistantMode) -> &'static str {
        match mode {
            AssistantMode::Off => self.mode_off,
            AssistantMode::Test => self.mode_test,
            AssistantMode::On => self.mode_on,
        }
    }

    /// What a tool does.
    pub const fn tool(&self, tool: &Tool) -> &'static str {
        match tool {
            Tool::SearchProducts => self.search_products,
            Tool::GetProduct => self.get_product,
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

    /// The same by the tool's name, or the name where there is no such tool.
    pub fn tool_named<'a>(&self, name: &'a str) -> &'a str {
        Tool::ALL.into_iter().find(|tool| tool.as_str() == name).map_or(name, |tool| self.tool(&tool))
    }
}
