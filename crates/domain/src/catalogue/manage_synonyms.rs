//! Reading and replacing the synonyms.

use std::sync::Arc;

use super::{
    own_synonyms::{InvalidSynonyms, OwnSynonyms},
    ports::SynonymStore,
    search::Synonyms,
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::WorkspaceId,
};

/// Reason why synonyms were not replaced.
#[derive(Debug, thiserror::Error)]
pub enum SynonymsError {
    #[error(transparent)]
    Invalid(#[from] InvalidSynonyms),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that shows and replaces a workspace's synonyms, and loads them for a search.
pub struct ManageSynonyms {
    pub store: Arc<dyn SynonymStore>,
    pub shipped: Synonyms,
    pub deps: Deps,
}

impl ManageSynonyms {
    /// Returns the workspace's own synonyms.
    pub async fn get(&self, workspace: WorkspaceId) -> Result<OwnSynonyms, StoreError> {
        self.store.synonyms(workspace).await
    }

    /// Replaces all groups of the workspace.
    pub async fn replace(&self, acting: Acting, typed: &[Vec<String>]) -> Result<OwnSynonyms, SynonymsError> {
        let synonyms = OwnSynonyms::read(typed)?;
        let entry = acting.does(Action::SynonymsChanged, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.with("groups", synonyms.groups().count());
        self.store.replace(acting.workspace, &synonyms, &entry).await?;
        Ok(synonyms)
    }

    /// Returns the shipped synonyms and the workspace's own.
    pub(crate) async fn for_search(&self, workspace: WorkspaceId) -> Result<Synonyms, StoreError> {
        Ok(self.store.synonyms(workspace).await?.beside(&self.shipped))
    }
}
