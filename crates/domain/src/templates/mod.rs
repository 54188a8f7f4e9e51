//! Approved templates: what they hold, what a send must fill, how they are kept in step with the network.

mod content;
mod draft;
mod label;
mod list;
pub mod ports;
mod status;
mod sync;
mod validity;
mod variables;
mod write;

pub use content::{Authentication, Button, Header, HeaderNeed, TemplateContent};
pub use draft::{
    DraftButton, DraftFault, DraftHeader, DraftVariable, MediaFormat, TemplateDraft, WrongDraft,
};
pub use label::{
    LabelVariables, LabelVariablesError, TemplateKey, VariableLabel, VariableLabels, WrongLabels,
    label_variables,
};
pub use list::{ListTemplates, ListedTemplate, TemplateFilter};
pub use status::{Category, TemplateStatus};
pub use sync::{SyncAccount, SyncReport};
pub use validity::{validity_problem, wanted_validity};
pub use variables::{Variable, VariableKind, placeholders, render};
pub use write::{LARGEST_SAMPLE, Submitted, WriteTemplateError, WriteTemplates};

use crate::ids::AccountId;

/// A template of a business account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The account it belongs to.
    pub account: AccountId,
    /// That account's id at the network, which the API shows.
    pub account_network_id: String,
    /// The template's id at the network.
    pub network_id: String,
    /// Its name.
    pub name: String,
    /// Its language code.
    pub language: String,
    /// Its category, as the network names it.
    pub category: String,
    /// Whether it can be sent.
    pub status: TemplateStatus,
    /// Why the network refused it.
    pub rejection_reason: Option<String>,
    /// Its parts.
    pub content: TemplateContent,
    /// What the workspace's owners call its variables.
    pub labels: VariableLabels,
    /// For how many seconds the network tries to deliver it; `None` is the network's default.
    pub send_ttl_seconds: Option<i64>,
    /// Why a one-time code of this template may arrive after it has expired.
    pub validity_problem: Option<String>,
}

impl Template {
    /// Whether it delivers one-time codes.
    pub const fn is_authentication(&self) -> bool {
        self.content.authentication.is_some()
    }

    /// Whether it may be sent: the network has approved it, and no code of it would arrive too late.
    pub fn is_sendable(&self) -> bool {
        self.status == TemplateStatus::Approved && validity_problem(self).is_none()
    }

    /// The body's variables in order, as the owners call them; none for a one-time code, which is filled by the code
    /// itself.
    pub fn variables(&self) -> Vec<Variable> {
        let labelled = |variable: Variable| match self.labels.get(&variable.place) {
            Some(VariableLabel { label, kind }) => Variable { label: label.clone(), kind: *kind, ..variable },
            None => variable,
        };
        self.content.variables().into_iter().map(labelled).collect()
    }
}
