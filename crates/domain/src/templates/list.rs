//! `GET /v1/templates`.

use std::sync::Arc;

use super::{Category, Template, TemplateStatus, ports::TemplateStore};
use crate::{errors::StoreError, ids::WorkspaceId, phone::PhoneNumber};

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

/// Use case that lists a workspace's templates.
pub struct ListTemplates {
    pub store: Arc<dyn TemplateStore>,
}

impl ListTemplates {
    /// Lists the templates that pass the filter, by name, language and account.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        filter: TemplateFilter,
    ) -> Result<Vec<ListedTemplate>, StoreError> {
        self.store.list(workspace, filter).await
    }
}
