//! Page of the templates of a workspace's accounts.

mod draft;

pub use draft::{DraftPage, DraftedButton, DraftedVariable, TypedDraft};

use askama::Template;
use domain::templates::TemplateStatus;

use crate::{frame::Frame, refused::Refused, words::TemplateWords};

/// A template in the list.
#[derive(Debug, Clone)]
pub struct TemplateRow {
    pub account: String,
    pub name: String,
    pub language: String,
    pub category: String,
    pub status: TemplateStatus,
    /// Why it may not be sent.
    pub because: Option<String>,
    /// Text of the template, with its variables.
    pub body: String,
    pub labels: Vec<String>,
    /// Whether its account is connected: without it, the template cannot be changed.
    pub is_connected: bool,
    pub numbers: Vec<String>,
}

impl TemplateRow {
    /// Returns the path of the page that changes it.
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

/// Page of the templates.
#[derive(Template)]
#[template(path = "templates/list.html")]
pub struct TemplatesPage<'a> {
    pub frame: &'a Frame,
    /// Sorted by name and language.
    pub templates: Vec<TemplateRow>,
    pub refused: Option<Refused>,
}

impl TemplateWords {
    /// Returns the words for why the network rejected a template, or the network's code if there are none.
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

    /// Returns the words for a template's status.
    pub const fn status(&self, status: &TemplateStatus) -> &'static str {
        match status {
            TemplateStatus::Approved => self.approved,
            TemplateStatus::Pending => self.pending,
            TemplateStatus::Rejected => self.rejected,
            TemplateStatus::Paused => self.paused,
        }
    }
}
