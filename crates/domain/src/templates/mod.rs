//! Templates: what they hold, what a send must fill, how owners write them, and how they are kept in step
//! with the network.

mod content;
mod draft;
mod label;
mod list;
mod listed;
pub mod ports;
mod status;
mod sync;
mod validity;
mod variable_label;
mod variables;
mod write;

pub use content::{Authentication, Button, Header, HeaderNeed, TemplateContent};
pub use draft::{
    DraftButton, DraftFault, DraftHeader, DraftVariable, MediaFormat, TemplateDraft, WrongDraft,
};
pub use label::{LabelVariables, LabelVariablesError, WrongLabels, label_variables};
pub use list::ListTemplates;
pub use listed::{ListedTemplate, TemplateFilter};
pub use status::{Category, TemplateStatus};
pub use sync::{SyncAccount, SyncReport};
pub use validity::{code_validity, validity_problem, wanted_validity};
pub use variable_label::{TemplateKey, VariableLabel, VariableLabels};
pub use variables::{Variable, VariableKind, placeholders, render};
pub use write::{Submitted, WriteTemplateError, WriteTemplates};

use crate::ids::AccountId;

/// A template of a business account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub account: AccountId,
    /// Id of the account at the network, which the API shows.
    pub account_network_id: String,
    pub network_id: String,
    pub name: String,
    pub language: String,
    /// The network's name for the category.
    pub category: String,
    pub status: TemplateStatus,
    pub rejection_reason: Option<String>,
    pub content: TemplateContent,
    pub labels: VariableLabels,
    /// Seconds for which the network tries to deliver it; `None` for the network's default.
    pub send_ttl_seconds: Option<i64>,
    /// Why the network did not shorten the validity of a one-time-code template, so that a code could arrive
    /// after it has expired.
    pub validity_problem: Option<String>,
}

impl Template {
    /// Returns `true` if it is in the language of this code; `en-us` matches `en_US`.
    pub fn is_in(&self, language: &str) -> bool {
        let letter = |c: char| if c == '-' { '_' } else { c.to_ascii_lowercase() };
        self.language.chars().map(letter).eq(language.chars().map(letter))
    }

    /// Returns `true` if it delivers one-time codes.
    pub const fn is_authentication(&self) -> bool {
        self.content.authentication.is_some()
    }

    /// Returns `true` if it may be sent: the network has approved it, and no code of it would arrive too
    /// late.
    pub fn is_sendable(&self) -> bool {
        self.status == TemplateStatus::Approved && validity_problem(self).is_none()
    }

    /// Returns the body's variables in order, with the owners' labels; none for a one-time code, which is
    /// filled by the code itself.
    pub fn variables(&self) -> Vec<Variable> {
        let labelled = |variable: Variable| match self.labels.get(&variable.place) {
            Some(VariableLabel { label, kind }) => Variable { label: label.clone(), kind: *kind, ..variable },
            None => variable,
        };
        self.content.variables().into_iter().map(labelled).collect()
    }
}
