//! What the network accepted, written down with all that follows from it.

use diesel::{
    QueryableByName,
    sql_types::{Binary, Bool, Date, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    errors::StoreError,
    phone::PhoneNumber,
    sending::{AcceptedSend, NoticeRecord, SendState, ports::Recorded},
    webhooks::Event,
    workspaces::Month,
};

use super::{LedgerRow, ledger};
use crate::{
    PgStore,
    contacts::{count_contact, searchable},
    error::{failed, locked},
    sql::{Bind, sql},
    webhooks::{Owed, owe, owing},
};

/// One statement, and so one transaction. Each part takes place only when the one before did: the send is still
/// in flight, the person is who they were, the thread is the one that was read.
pub(super) const SETTLE_NOTICE: &str = concat!(
    "WITH send AS MATERIALIZED (
        SELECT id FROM sends
        WHERE workspace_id = $1 AND id = $7 AND state = 'in_flight' FOR UPDATE
    ), new_contact AS (
        INSERT INTO contacts
            (workspace_id, id, name, phone, source, active_month, created_at, searchable)
        SELECT $1, $11, $13, $14, $15, $16, $17, $32 FROM send WHERE $12
        ON CONFLICT (workspace_id, phone) DO NOTHING
        RETURNING id, searchable
    ), ",
    count_contact!(),
    ", contact AS (
        SELECT id FROM new_contact
        UNION ALL
        SELECT known.id FROM send, contacts known
        WHERE NOT $12 AND known.workspace_id = $1 AND known.id = $11
    ), new_thread AS (
        INSERT INTO conversations
            (workspace_id, id, contact_id, channel_id, channel, status, last_message_at, created_at)
        SELECT $1, $18, id, $20, $21, $22, $23, $24 FROM contact WHERE $19
        ON CONFLICT (workspace_id, contact_id, channel_id) DO NOTHING
        RETURNING id
    ), thread AS (
        SELECT id FROM new_thread
        UNION ALL
        SELECT known.id FROM contact, conversations known
        WHERE NOT $19 AND known.workspace_id = $1 AND known.id = $18
    ), moved_contact AS (
        UPDATE contacts known SET active_month = $16
        FROM thread WHERE NOT $12 AND known.workspace_id = $1 AND known.id = $11
          AND (known.active_month IS NULL OR known.active_month < $16)
    ), moved_thread AS (
        UPDATE conversations known SET last_message_at = greatest(known.last_message_at, $23)
        FROM thread WHERE NOT $19 AND known.workspace_id = $1 AND known.id = $18
    ), message AS (
        INSERT INTO messages (workspace_id, id, conversation_id, role, sender_id, content, template_name,
                              template_language, reference, created_at)
        SELECT $1, $7, id, $25, $26, $27, $28, $29, $30, $31 FROM thread
    ), place AS (
        DELETE FROM plan_reservations USING thread WHERE workspace_id = $1 AND send_id = $7
    ), owing AS (
        UPDATE sends
        SET state = 'sent', network_id_hash = $8, network_id_sealed = $9, settled_at = $10,
            contact_id = $11, conversation_id = $18,
            notice_to = NULL, notice_name = NULL, notice_content = NULL
        FROM thread WHERE workspace_id = $1 AND sends.id = $7
        RETURNING sends.id
    ), ",
    owe!(),
    " SELECT EXISTS (SELECT FROM send) AS in_flight, EXISTS (SELECT FROM owing) AS settled",
);

/// The same for what is kept nowhere.
pub(super) const SETTLE: &str = concat!(
    "WITH owing AS (
        UPDATE sends
        SET state = 'sent', network_id_hash = $8, network_id_sealed = $9, settled_at = $10
        WHERE workspace_id = $1 AND id = $7 AND state = 'in_flight'
        RETURNING id
    ), ",
    owe!(),
    " SELECT EXISTS (SELECT FROM owing) AS in_flight, EXISTS (SELECT FROM owing) AS settled",
);

pub(super) const ENTRY: &str = concat!(ledger!(), " WHERE send.workspace_id = $1 AND send.id = $2");

#[derive(QueryableByName)]
struct Settled {
    #[diesel(sql_type = Bool)]
    in_flight: bool,
    #[diesel(sql_type = Bool)]
    settled: bool,
}

/// The network's id of the message, as it is kept.
struct NetworkId {
    hash: [u8; 32],
    sealed: Vec<u8>,
}

impl PgStore {
    pub(super) async fn record_send(&self, accepted: &AcceptedSend) -> Result<Recorded, StoreError> {
        let revealed = accepted.network_id.reveal().as_bytes();
        let context = format!("network-message-id:{}", accepted.result.id);
        let network_id = NetworkId {
            hash: self.network_id_hash(&accepted.network_id),
            sealed: self.vault.seal(revealed, &context).map_err(locked)?,
        };
        let events: Vec<&Event> = accepted.events.iter().collect();
        let mut connection = self.connection().await?;
        let owed = self.owed(&mut connection, accepted.workspace, &events).await?;
        let settled = match &accepted.notice {
            Some(notice) => settle_notice(&mut connection, accepted, notice, &network_id, &owed).await?,
            None => settle(&mut connection, accepted, &network_id, &owed).await?,
        };
        if settled.settled {
            return Ok(Recorded::Now);
        }
        if settled.in_flight {
            return Err(StoreError::Stale);
        }
        let entry: Vec<LedgerRow> = sql(ENTRY)
            .bind::<Uuid, _>(accepted.workspace.uuid())
            .bind::<Uuid, _>(accepted.result.id.uuid())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let Some(entry) = entry.into_iter().next() else { return Ok(Recorded::Released) };
        match entry.entry(accepted.workspace)?.state {
            SendState::Sent(result) => Ok(Recorded::Before(result)),
            SendState::InFlight => Err(StoreError::Stale),
            SendState::Refused => Ok(Recorded::Released),
        }
    }
}

async fn settle(
    connection: &mut AsyncPgConnection,
    accepted: &AcceptedSend,
    network_id: &NetworkId,
    owed: &Owed,
) -> Result<Settled, StoreError> {
    owing(SETTLE, accepted.workspace, owed)
        .bind::<Uuid, _>(accepted.result.id.uuid())
        .bind::<Binary, _>(network_id.hash)
        .bind::<Binary, _>(&network_id.sealed)
        .bind::<Timestamptz, _>(accepted.accepted_at)
        .get_result(connection)
        .await
        .map_err(failed)
}

async fn settle_notice(
    connection: &mut AsyncPgConnection,
    accepted: &AcceptedSend,
    notice: &NoticeRecord,
    network_id: &NetworkId,
    owed: &Owed,
) -> Result<Settled, StoreError> {
    let NoticeRecord { contact, conversation, message, .. } = notice;
    let template = message.meta.as_ref().map(|meta| &meta.template);
    owing(SETTLE_NOTICE, accepted.workspace, owed)
        .bind::<Uuid, _>(accepted.result.id.uuid())
        .bind::<Binary, _>(network_id.hash)
        .bind::<Binary, _>(&network_id.sealed)
        .bind::<Timestamptz, _>(accepted.accepted_at)
        .bind::<Uuid, _>(contact.id.uuid())
        .bind::<Bool, _>(notice.contact_is_new)
        .bind::<Nullable<Text>, _>(contact.name.as_deref())
        .bind::<Nullable<Text>, _>(contact.phone.as_ref().map(PhoneNumber::as_str))
        .bind::<Text, _>(contact.source.as_str())
        .bind::<Date, _>(Month::of(accepted.accepted_at).first_day())
        .bind::<Timestamptz, _>(contact.created_at)
        .bind::<Uuid, _>(conversation.id.uuid())
        .bind::<Bool, _>(notice.conversation_is_new)
        .bind::<Uuid, _>(conversation.channel.uuid())
        .bind::<Text, _>(conversation.channel_kind.as_str())
        .bind::<Text, _>(conversation.status.as_str())
        .bind::<Timestamptz, _>(conversation.last_message_at)
        .bind::<Timestamptz, _>(conversation.created_at)
        .bind::<Text, _>(message.role.as_str())
        .bind::<Nullable<Text>, _>(message.sender_id.as_deref())
        .bind::<Text, _>(&message.content)
        .bind::<Nullable<Text>, _>(template.map(|template| template.name.as_str()))
        .bind::<Nullable<Text>, _>(template.map(|template| template.language.as_str()))
        .bind::<Nullable<Text>, _>(message.meta.as_ref().and_then(|meta| meta.reference.as_deref()))
        .bind::<Timestamptz, _>(message.created_at)
        .bind::<Text, _>(searchable(contact.name.as_deref(), contact.phone.as_ref()))
        .get_result(connection)
        .await
        .map_err(failed)
}
