//! A workspace's own synonyms for product search.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use domain::{
    audit::AuditEntry,
    catalogue::{OwnSynonyms, ports::SynonymStore},
    errors::StoreError,
    ids::WorkspaceId,
    text::PlainText,
};

use crate::{
    Database,
    audit::audit,
    error::{failed, unreadable},
    schema::synonyms,
    sql::{RunQueryDsl, insert},
};

/// Synonyms for product search.
#[derive(Clone)]
pub struct PgCatalogue {
    pub(crate) database: Database,
}

/// Separator of words in a column, which no word contains.
const BETWEEN_WORDS: char = '\t';

fn stored(group: &[PlainText]) -> String {
    group.iter().map(PlainText::as_str).collect::<Vec<_>>().join(&BETWEEN_WORDS.to_string())
}

#[async_trait]
impl SynonymStore for PgCatalogue {
    async fn synonyms(&self, workspace: WorkspaceId) -> Result<OwnSynonyms, StoreError> {
        let mut connection = self.database.connection().await?;
        let groups: Option<Vec<String>> = synonyms::table
            .filter(synonyms::workspace_id.eq(workspace.uuid()))
            .select(synonyms::groups)
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let words = |group: String| group.split(BETWEEN_WORDS).map(str::to_owned).collect();
        let groups: Vec<Vec<String>> = groups.unwrap_or_default().into_iter().map(words).collect();
        OwnSynonyms::read(&groups).map_err(|_| unreadable("synonyms"))
    }

    async fn replace(
        &self,
        workspace: WorkspaceId,
        own: &OwnSynonyms,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let rows = [own];
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.insert(
            insert(synonyms::table, workspace, &rows)
                .list(synonyms::groups, |own| own.groups().map(stored).collect())
                .column(synonyms::changed_at, |_| entry.at)
                .on_conflict(())
                .set_excluded(synonyms::groups)
                .set_excluded(synonyms::changed_at),
        );
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }
}
