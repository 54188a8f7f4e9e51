//! Page of the templates of a workspace's accounts.

mod draft;

pub use draft::{DraftPage, DraftedButton, DraftedVariable, TypedDraft};

use askama::Template;
use domain::{
    ids::AccountId,
    templates::{TemplateStatus, Variable},
};
use serde::Serialize;

use crate::{frame::Frame, moment::Moment, refused::Refused, words::TemplateWords};

/// A template with its state at the network.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateRow {
    pub name: String,
    pub language: String,
    /// Category, as the network names it.
    pub category: String,
    pub status: TemplateStatus,
    pub rejection_reason: Option<String>,
    /// Why a one-time code is not sent with it although it is approved, and what to do at the network.
    pub validity_problem: Option<String>,
    /// Why it may not be sent, in the reader's language.
    #[serde(skip)]
    pub because: Option<String>,
    /// Text of the template, with `{{1}}`, `{{2}}`… in the places of its variables.
    pub body: String,
    /// Variables in the order of their places.
    pub variables: Vec<Variable>,
    pub account_id: AccountId,
    /// The account's id at the network.
    pub account_network_id: String,
    /// Connected numbers that can send it.
    pub numbers: Vec<String>,
    /// When it was last read; `None` once its account is disconnected.
    pub synced_at: Option<Moment>,
    /// Whether its account is connected: without it, the template cannot be changed.
    #[serde(skip)]
    pub is_connected: bool,
}

impl TemplateRow {
    /// Returns the path of the page that changes it.
    fn write(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("accountId", &self.account_id.to_string());
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
