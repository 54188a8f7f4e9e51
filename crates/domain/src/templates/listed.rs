//! Templates as a list shows them.

use super::{
    Template,
    status::{Category, TemplateStatus},
};
use crate::phone::PhoneNumber;

/// Filter for templates; `None` lets all pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TemplateFilter {
    pub status: Option<TemplateStatus>,
    pub category: Option<Category>,
}

/// A template with the connected numbers that can send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTemplate {
    pub template: Template,
    /// Connected numbers of its account, in the order they were connected.
    pub numbers: Vec<PhoneNumber>,
}
