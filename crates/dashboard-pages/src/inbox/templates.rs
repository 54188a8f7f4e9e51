//! The templates that can be sent into a conversation.

use askama::Template;
use domain::templates::HeaderNeed;

use super::NotDone;
use crate::{frame::Frame, words::InboxWords};

/// A template, with the values that it needs.
#[derive(Debug, Clone)]
pub struct TemplateForm {
    /// Its name.
    pub name: String,
    /// Its language code.
    pub language: String,
    /// What it says, with its places.
    pub body: String,
    /// What its places are called, each with what was typed.
    pub places: Vec<(String, String)>,
    /// What its header needs.
    pub header: Option<HeaderNeed>,
    /// What was typed for its header.
    pub header_value: String,
    /// The labels of the buttons that need a value, each with what was typed.
    pub buttons: Vec<(String, String)>,
    /// What it is sent under.
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

    /// Whether a form of ours can fill it.
    const fn can_be_filled(&self) -> bool {
        !matches!(self.header, Some(HeaderNeed::Location))
    }
}

/// Somebody with whom there is no conversation, who can be given another name.
#[derive(Debug, Clone)]
pub struct Addressee {
    /// What they are called, or else their number.
    pub name: String,
    /// Their number, where it is not all that is known.
    pub phone: Option<String>,
    /// What stands in the field for their name.
    pub written_name: String,
    /// Where it posts to.
    pub action: String,
}

/// The templates to choose from.
#[derive(Template)]
#[template(path = "inbox/templates.html")]
pub struct TemplateChoicePage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// To whom, where it is not said by the conversation.
    pub to: Option<Addressee>,
    /// Where it leads back to, and what that is called.
    pub back: (String, &'a str),
    /// Where the form posts to.
    pub action: String,
    /// What is said where there is no template.
    pub none: &'a str,
    /// By name and language.
    pub templates: Vec<TemplateForm>,
    /// Why something was not sent.
    pub refused: Option<NotDone<'a>>,
}
