//! `GET /v1/templates`.

use std::sync::Arc;

use super::{Category, Template, TemplateStatus, ports::TemplateStore};
use crate::{errors::StoreError, ids::WorkspaceId, phone::PhoneNumber};

/// Which templates are wanted; `None` is all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TemplateFilter {
    /// Of this status.
    pub status: Option<TemplateStatus>,
    /// Of this category.
    pub category: Option<Category>,
}

/// A template with the connected numbers that can send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTemplate {
    /// The template.
    pub template: Template,
    /// Its account's connected numbers, in the order they were connected.
    pub numbers: Vec<PhoneNumber>,
}

/// Lists a workspace's templates.
pub struct ListTemplates {
    /// Where templates are kept.
    pub store: Arc<dyn TemplateStore>,
}

impl ListTemplates {
    /// The templates that pass the filter, by name, language and account.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        filter: TemplateFilter,
    ) -> Result<Vec<ListedTemplate>, StoreError> {
        self.store.list(workspace, filter).await
    }
}
