//! The store of the audit log.

use async_trait::async_trait;
use diesel::{BoolExpressionMethods, ExpressionMethods, QueryDsl, SelectableHelper};
use domain::{
    audit::{AuditEntry, AuditFilter, AuditStore},
    errors::StoreError,
    ids::WorkspaceId,
    paging::PageRequest,
};

use crate::{
    access::PgAccess,
    audit::{AuditRow, commit_audited},
    error::failed,
    schema::audit_log,
    sql::RunQueryDsl,
};

#[async_trait]
impl AuditStore for PgAccess {
    async fn add(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<(), StoreError> {
        commit_audited(&self.database.transaction().await?, workspace, entry).await
    }

    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: AuditFilter,
        page: PageRequest,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let mut query = audit_log::table
            .filter(audit_log::workspace_id.eq(workspace.uuid()))
            .select(AuditRow::as_select())
            .order((audit_log::created_at.desc(), audit_log::id.desc()))
            .limit(i64::from(page.limit.rows()) + 1)
            .into_boxed();
        if let Some(member) = filter.member {
            query = query.filter(audit_log::member_id.eq(member.uuid()));
        }
        if let Some(action) = filter.action {
            query = query.filter(audit_log::action.eq(action.as_str()));
        }
        if let Some(after) = page.after {
            let later = audit_log::created_at.eq(after.at).and(audit_log::id.lt(after.id));
            query = query
                .filter(audit_log::created_at.le(after.at))
                .filter(audit_log::created_at.lt(after.at).or(later));
        }
        let mut connection = self.database.connection().await?;
        let rows: Vec<AuditRow> = query.load(&mut connection).await.map_err(failed)?;
        rows.into_iter().map(AuditRow::read).collect()
    }
}
