//! `GET /v1/templates`.

use std::sync::Arc;

use super::{
    listed::{ListedTemplate, TemplateFilter},
    ports::TemplateStore,
};
use crate::{errors::StoreError, ids::WorkspaceId};

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
