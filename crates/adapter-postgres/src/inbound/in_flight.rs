//! Sends of pages and accounts of which nobody knows yet what became of them.

use diesel::{
    QueryableByName,
    sql_types::{Nullable, Text, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    attachments::AttachmentKind,
    contacts::Identity,
    errors::StoreError,
    ids::{ChannelId, WorkspaceId},
    inbound::SendInFlight,
};

use crate::{
    PgStore,
    error::{failed, unreadable},
    sending::{LedgerRow, ledger},
    sql::{Bind, sql},
};

/// Those of one person over one connection, by the index of what a watermark may still move forward.
pub(super) const IN_FLIGHT: &str = concat!(
    ledger!(
        @ "(
            SELECT found.* FROM (
                SELECT contact_id AS id FROM identities
                WHERE workspace_id = $1 AND kind = $3 AND value = $4 LIMIT 1
            ) person
            CROSS JOIN LATERAL (
                SELECT id FROM conversations
                WHERE workspace_id = $1 AND contact_id = person.id AND channel_id = $2 LIMIT 1
            ) conversation
            CROSS JOIN LATERAL (
                SELECT * FROM sends
                WHERE workspace_id = $1 AND conversation_id = conversation.id AND behind AND state = 'in_flight'
                ORDER BY created_at LIMIT 100
            ) found
        )",
        ", file.kind AS file_kind"
    ),
    " LEFT JOIN LATERAL (
        SELECT kind FROM uploads WHERE uploads.workspace_id = send.workspace_id AND uploads.message_id = send.id
        LIMIT 1
    ) file ON true
    ORDER BY send.created_at, send.id"
);

#[derive(QueryableByName)]
struct InFlightRow {
    #[diesel(sql_type = Nullable<Text>)]
    file_kind: Option<String>,
    #[diesel(embed)]
    row: LedgerRow,
}

impl PgStore {
    pub(super) async fn find_in_flight(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        person: &Identity,
    ) -> Result<Vec<SendInFlight>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<InFlightRow> = sql(IN_FLIGHT)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(channel.uuid())
            .bind::<Text, _>(person.kind())
            .bind::<Text, _>(person.value())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |InFlightRow { file_kind, row }| {
            let kind = |name: String| AttachmentKind::read(&name).ok_or_else(|| unreadable("kind"));
            Ok(SendInFlight { intent: row.entry(workspace)?.intent, file: file_kind.map(kind).transpose()? })
        };
        rows.into_iter().map(read).collect()
    }
}
