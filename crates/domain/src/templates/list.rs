//! `GET /v1/templates`.

use std::sync::Arc;

use super::{Category, Template, TemplateStatus, ports::TemplateStore};
use crate::{errors::StoreError, ids::WorkspaceId, phone::PhoneNumber};

/// It says which templates are wanted; `None` is all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TemplateFilter {
    /// Only those of this status are wanted.
    pub status: Option<TemplateStatus>,
    /// Only those of this category are wanted.
    pub category: Option<Category>,
}

/// It is a template with the connected numbers that can send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTemplate {
    pub template: Template,
    /// They are its account's connected numbers, in the order they were connected.
    pub numbers: Vec<PhoneNumber>,
}

/// It lists a workspace's templates.
pub struct ListTemplates {
    pub store: Arc<dyn TemplateStore>,
}

impl ListTemplates {
    /// Lists the templates that pass the filter, by name, language and account.
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
