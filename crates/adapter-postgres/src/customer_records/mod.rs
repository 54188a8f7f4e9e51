//! Customers' records in their workspaces' own systems.

mod leads;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, SelectableHelper,
};
use domain::{
    channels::ChannelKind,
    customer_records::{ConversationCustomer, ports::CustomerStore},
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
};
use time::OffsetDateTime;

use crate::{
    Database,
    contacts::ContactRow,
    conversations::current_conversation,
    error::{failed, unreadable},
    schema::{contacts, conversations, workspaces},
    sql::RunQueryDsl,
};

/// Customers' records in their workspaces' own systems.
#[derive(Clone)]
pub struct PgCustomerRecords {
    pub(crate) database: Database,
}

type CustomerRow = (uuid::Uuid, String, Option<OffsetDateTime>, ContactRow, String);

#[async_trait]
impl CustomerStore for PgCustomerRecords {
    async fn customer_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<ConversationCustomer>, StoreError> {
        let contact =
            contacts::workspace_id.eq(workspace.uuid()).and(contacts::id.eq(conversations::contact_id));
        let mut connection = self.database.connection().await?;
        let row: Option<CustomerRow> = conversations::table
            .inner_join(workspaces::table.on(workspaces::workspace_id.eq(workspace.uuid())))
            .inner_join(contacts::table.on(contact))
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(current_conversation(workspace, conversation)))
            .select((
                conversations::id,
                conversations::channel,
                conversations::customer_wrote_at,
                ContactRow::as_select(),
                workspaces::region,
            ))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((id, network, customer_wrote_at, contact, region)) = row else { return Ok(None) };
        Ok(Some(ConversationCustomer {
            conversation: id.into(),
            network: ChannelKind::read(&network).ok_or_else(|| unreadable("channel"))?,
            has_written: customer_wrote_at.is_some(),
            contact: contact.read()?,
            region: region.parse().map_err(|_| unreadable("region"))?,
        }))
    }
}
