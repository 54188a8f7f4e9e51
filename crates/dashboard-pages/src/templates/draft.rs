//! A template that is being written.

use askama::Template;
use domain::templates::TemplateStatus;

use crate::{frame::Frame, words::TemplateWords};

/// A variable, as it was typed.
#[derive(Debug, Clone, Default)]
pub struct DraftedVariable {
    /// What stands in the text.
    pub place: String,
    /// What it is called here.
    pub label: String,
    /// Whether it is the person's name.
    pub is_name: bool,
    /// An example.
    pub sample: String,
}

/// A button, as it was typed.
#[derive(Debug, Clone, Default)]
pub struct DraftedButton {
    /// `quick`, `link`, `call`, or nothing.
    pub kind: String,
    /// What is written on it.
    pub text: String,
    /// Where it leads.
    pub target: String,
    /// An example of its variable.
    pub sample: String,
}

/// What was typed.
#[derive(Debug, Clone, Default)]
pub struct TypedDraft {
    /// The account.
    pub account: String,
    /// Whether the network has it already.
    pub is_known: bool,
    /// Its name.
    pub name: String,
    /// Its language code.
    pub language: String,
    /// What it is for, as the network names it.
    pub category: String,
    /// `TEXT`, a kind of file, or nothing.
    pub header: String,
    /// The line above.
    pub header_text: String,
    /// An example of its variable.
    pub header_sample: String,
    /// An example of the file, uploaded.
    pub attachment: String,
    /// The text.
    pub body: String,
    /// Its variables.
    pub variables: Vec<DraftedVariable>,
    /// The line below.
    pub footer: String,
    /// The buttons.
    pub buttons: Vec<DraftedButton>,
    /// Whether a one-time code warns against sharing it.
    pub warns: bool,
    /// For how many minutes a code is good.
    pub minutes: String,
}

impl TypedDraft {
    /// An empty one, with room for so many buttons.
    pub fn new(buttons: usize) -> Self {
        let mut new = Self { language: "ar".to_owned(), category: "UTILITY".to_owned(), ..Self::default() };
        new.buttons.resize_with(buttons, DraftedButton::default);
        new
    }
}

/// A template that is being written, with how it would be read.
#[derive(Template)]
#[template(path = "templates/write.html")]
pub struct DraftPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The accounts: the id, and the id at the network.
    pub accounts: Vec<(String, String)>,
    /// What was typed.
    pub typed: TypedDraft,
    /// Whether one that is there may be sent, and why not, where the page shows it as it is kept.
    pub standing: Option<(TemplateStatus, Option<String>)>,
    /// How it would be read.
    pub preview: Option<String>,
    /// Why it was not taken.
    pub refused: Option<&'a str>,
    /// What is wrong with it in particular, as the service or the network says it.
    pub wrong: Option<String>,
}

impl TemplateWords {
    /// What stands above the text, by the network's name for it.
    fn header_of(&self, format: &str) -> &'static str {
        match format {
            "IMAGE" => self.picture,
            "VIDEO" => self.film,
            "DOCUMENT" => self.document,
            "LOCATION" => self.place,
            _ => "",
        }
    }

    const fn category(&self, category: domain::templates::Category) -> &'static str {
        match category {
            domain::templates::Category::Utility => self.utility,
            domain::templates::Category::Marketing => self.marketing,
            domain::templates::Category::Authentication => self.authentication,
        }
    }
}
