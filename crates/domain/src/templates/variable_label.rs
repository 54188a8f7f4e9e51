//! An owner's words for the variables of a template.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Template, variables::VariableKind};
use crate::ids::AccountId;

/// Label of a variable, and its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableLabel {
    /// Name under which the variable's value is sent.
    pub label: String,
    pub kind: VariableKind,
}

/// Labels by the network's name for the variable's place. A place that the template no longer has is ignored.
pub type VariableLabels = BTreeMap<String, VariableLabel>;

/// Key of a template within a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateKey {
    pub account: AccountId,
    pub name: String,
    pub language: String,
}

impl TemplateKey {
    pub(super) fn names(&self, template: &Template) -> bool {
        let Self { account, name, language } = self;
        template.account == *account && template.name == *name && template.language == *language
    }
}
