//! The templates that a workspace's accounts have.

mod draft;

pub use draft::{DraftPage, DraftedButton, DraftedVariable, TypedDraft};

use askama::Template;
use domain::templates::TemplateStatus;

use crate::{frame::Frame, words::TemplateWords};

/// A template.
#[derive(Debug, Clone)]
pub struct TemplateRow {
    /// Its account's id.
    pub account: String,
    /// Its name.
    pub name: String,
    /// Its language code.
    pub language: String,
    /// What the network files it under.
    pub category: String,
    /// Whether it may be sent.
    pub status: TemplateStatus,
    /// Why it may not.
    pub because: Option<String>,
    /// What it says, with its places.
    pub body: String,
    /// What its places are called.
    pub labels: Vec<String>,
    /// Whether its account is connected: without it, nothing can be done about it.
    pub is_connected: bool,
    /// The numbers that can send it.
    pub numbers: Vec<String>,
}

impl TemplateRow {
    /// Where it is changed.
    fn write(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("accountId", &self.account);
        query.append_pair("name", &self.name).append_pair("language", &self.language);
        format!("/dashboard/settings/templates/write?{}", query.finish())
    }

    fn can_be_changed(&self) -> bool {
        self.status != TemplateStatus::Pending
    }
}

/// The templates.
#[derive(Template)]
#[template(path = "templates/list.html")]
pub struct TemplatesPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// By name and language.
    pub templates: Vec<TemplateRow>,
    /// Why one was not deleted.
    pub refused: Option<&'a str>,
    /// What the network says of it.
    pub detail: Option<String>,
}

impl TemplateWords {
    /// Why the network has rejected a template, by its code; one without words here stays as it is.
    pub fn rejection<'a>(&'a self, code: &'a str) -> &'a str {
        match code {
            "ABUSIVE_CONTENT" => self.abusive,
            "INVALID_FORMAT" => self.wrong_format,
            "PROMOTIONAL" => self.promotional,
            "TAG_CONTENT_MISMATCH" => self.wrong_language,
            "SCAM" => self.scam,
            "INCORRECT_CATEGORY" => self.wrong_category,
            other => other,
        }
    }

    /// Whether a template may be sent.
    pub const fn status(&self, status: &TemplateStatus) -> &'static str {
        match status {
            TemplateStatus::Approved => self.approved,
            TemplateStatus::Pending => self.pending,
            TemplateStatus::Rejected => self.rejected,
            TemplateStatus::Paused => self.paused,
        }
    }
}
