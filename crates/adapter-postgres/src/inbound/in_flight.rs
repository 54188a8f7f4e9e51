//! Sends of pages and accounts of which nobody knows yet what became of them.

use diesel::{ExpressionMethods, NullableExpressionMethods, QueryDsl, SelectableHelper};
use diesel_async::RunQueryDsl;
use domain::{
    attachments::AttachmentKind,
    contacts::Identity,
    errors::StoreError,
    ids::{ChannelId, WorkspaceId},
    inbound::SendInFlight,
};

use crate::{
    error::{failed, unreadable},
    inbound::PgInbound,
    schema::{conversations, identities, sends, uploads},
    sending::{LedgerRow, ledger_of},
};

/// Sends that are looked at.
const AT_MOST: i64 = 100;

impl PgInbound {
    /// Those of one person over one connection, by the index of what a watermark may still move forward.
    pub(super) async fn find_in_flight(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        person: &Identity,
    ) -> Result<Vec<SendInFlight>, StoreError> {
        let contact = identities::table
            .filter(identities::workspace_id.eq(workspace.uuid()))
            .filter(identities::kind.eq(person.kind()))
            .filter(identities::value.eq(person.value()))
            .select(identities::contact_id)
            .single_value();
        let conversation = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::contact_id.nullable().eq(contact))
            .filter(conversations::channel_id.eq(channel.uuid()))
            .select(conversations::id)
            .single_value();
        let file = uploads::table
            .filter(uploads::workspace_id.eq(workspace.uuid()))
            .filter(uploads::message_id.eq(sends::id.nullable()))
            .select(uploads::kind)
            .single_value();
        let mut connection = self.database.connection().await?;
        let rows: Vec<(LedgerRow, Option<String>)> = ledger_of(workspace)
            .filter(sends::conversation_id.eq(conversation))
            .filter(sends::behind)
            .filter(sends::state.eq("in_flight"))
            .order((sends::created_at, sends::id))
            .limit(AT_MOST)
            .select((LedgerRow::as_select(), file))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |(row, file): (LedgerRow, Option<String>)| {
            let kind = |name: String| AttachmentKind::read(&name).ok_or_else(|| unreadable("kind"));
            let intent = row.entry(workspace)?.intent;
            Ok(SendInFlight { intent, file: file.map(kind).transpose()? })
        };
        rows.into_iter().map(read).collect()
    }
}
