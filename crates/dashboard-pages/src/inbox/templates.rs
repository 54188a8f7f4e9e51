//! Page of the templates that can be sent into a conversation.

use askama::Template;
use domain::templates::HeaderNeed;

use crate::{frame::Frame, refused::Refused, words::InboxWords};

/// A template, with the values that it needs.
#[derive(Debug, Clone)]
pub struct TemplateForm {
    pub name: String,
    pub language: String,
    /// Text of the template, with its variables.
    pub body: String,
    /// Labels of its variables, each with what was typed.
    pub places: Vec<(String, String)>,
    pub header: Option<HeaderNeed>,
    /// Typed value of the header.
    pub header_value: String,
    /// Labels of the buttons that need a value, each with what was typed.
    pub buttons: Vec<(String, String)>,
    /// Idempotency key of the send.
    pub key: String,
}

impl TemplateForm {
    const fn header_word(&self, words: &'static InboxWords) -> &'static str {
        match self.header {
            Some(HeaderNeed::Text) => words.header_text,
            Some(HeaderNeed::Document) => words.header_document,
            Some(HeaderNeed::Media) => words.header_media,
            Some(HeaderNeed::Location) | None => "",
        }
    }

    /// Returns whether a form of ours can fill it.
    const fn can_be_filled(&self) -> bool {
        !matches!(self.header, Some(HeaderNeed::Location))
    }
}

/// A person without a conversation, who can be given another name.
#[derive(Debug, Clone)]
pub struct Addressee {
    /// Name, or else the number.
    pub name: String,
    /// `None` where the number is all that is known.
    pub phone: Option<String>,
    /// Value of the field for the name.
    pub written_name: String,
    /// Path that the name is posted to.
    pub action: String,
}

/// Page of the templates to choose from.
#[derive(Template)]
#[template(path = "inbox/templates.html")]
pub struct TemplateChoicePage<'a> {
    pub frame: &'a Frame,
    /// Recipient; `None` where the conversation says it.
    pub to: Option<Addressee>,
    /// Path that the page leads back to, and its title.
    pub back: (String, &'a str),
    /// Path that the form posts to.
    pub action: String,
    /// Sentence where there is no template.
    pub none: &'a str,
    /// Sorted by name and language.
    pub templates: Vec<TemplateForm>,
    pub refused: Option<Refused>,
}
