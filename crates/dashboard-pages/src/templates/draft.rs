//! Page of a template that is being written.

use askama::Template;
use domain::templates::TemplateStatus;

use crate::{frame::Frame, refused::Refused, words::TemplateWords};

/// A variable, as it was typed.
#[derive(Debug, Clone, Default)]
pub struct DraftedVariable {
    /// Placeholder in the text.
    pub place: String,
    /// Label of the variable in this service.
    pub label: String,
    /// Whether it is the person's name.
    pub is_name: bool,
    /// Example of a value.
    pub sample: String,
}

/// A button, as it was typed.
#[derive(Debug, Clone, Default)]
pub struct DraftedButton {
    /// `quick`, `link`, `call`, or empty.
    pub kind: String,
    pub text: String,
    /// Address or number that it leads to.
    pub target: String,
    /// Example of its variable.
    pub sample: String,
}

/// Typed values of the form.
#[derive(Debug, Clone, Default)]
pub struct TypedDraft {
    pub account: String,
    /// Whether the network has it already.
    pub is_known: bool,
    pub name: String,
    pub language: String,
    pub category: String,
    /// `TEXT`, a kind of file, or empty.
    pub header: String,
    /// Line above the text.
    pub header_text: String,
    /// Example of the header's variable.
    pub header_sample: String,
    /// Id of the uploaded example of the header's file.
    pub attachment: String,
    pub body: String,
    pub variables: Vec<DraftedVariable>,
    /// Line below the text.
    pub footer: String,
    pub buttons: Vec<DraftedButton>,
    /// Whether a one-time code warns against sharing it.
    pub warns: bool,
    /// Minutes for which a code is valid.
    pub minutes: String,
}

impl TypedDraft {
    /// Makes an empty form, with room for this many buttons.
    pub fn new(buttons: usize) -> Self {
        let mut new = Self { language: "ar".to_owned(), category: "UTILITY".to_owned(), ..Self::default() };
        new.buttons.resize_with(buttons, DraftedButton::default);
        new
    }
}

/// Page of a template that is being written, with a preview.
#[derive(Template)]
#[template(path = "templates/write.html")]
pub struct DraftPage<'a> {
    pub frame: &'a Frame,
    /// Accounts: id, and id at the network.
    pub accounts: Vec<(String, String)>,
    pub typed: TypedDraft,
    /// Status of an existing template, with the reason; `None` unless the page shows it as it is stored.
    pub standing: Option<(TemplateStatus, Option<String>)>,
    /// Text as it would be read.
    pub preview: Option<String>,
    pub refused: Option<Refused>,
}

impl TemplateWords {
    /// Returns the words for a header, by the network's name of its format.
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
