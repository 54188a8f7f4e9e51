//! Searching the log over all addresses.

use diesel::sql_types::{BigInt, Text, Timestamptz, Uuid};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    paging::PageRequest,
    webhooks::{Delivery, DeliverySubject},
};

use super::log::{LAST, LineRow, lines};
use crate::{
    PgStore,
    contacts::contact_now,
    error::failed,
    sql::{Bind, sql},
};

/// After the row at $3 and $4, $5 rows.
macro_rules! page_of {
    ($condition:literal) => {
        concat!(
            "SELECT id, address_id, event, undelivered, created_at FROM delivery_log log
             WHERE workspace_id = $1 AND created_at <= $3 AND (created_at, id) < ($3, $4) AND ",
            $condition,
            " ORDER BY created_at DESC, id DESC LIMIT $5"
        )
    };
}

/// Of a person, under every id that they have had.
pub(super) const BY_CONTACT: &str = lines!(concat!(
    "SELECT page.* FROM (
         SELECT ",
    contact_now!("$2"),
    " AS id
         UNION ALL
         SELECT id FROM contact_aliases WHERE workspace_id = $1 AND contact_id = ",
    contact_now!("$2"),
    "
     ) who CROSS JOIN LATERAL (",
    page_of!("contact_id = who.id"),
    ") page ORDER BY page.created_at DESC, page.id DESC LIMIT $5"
));

pub(super) const BY_MESSAGE: &str = lines!(page_of!("message_id = $2"));

/// No event of a message is much older than its send: messages of one moment are moved behind each other.
pub(super) const BY_REFERENCE: &str = lines!(concat!(
    "SELECT page.* FROM (
         SELECT id, created_at FROM sends WHERE workspace_id = $1 AND reference = $2
           AND created_at <= $3 + interval '1 minute'
         ORDER BY created_at DESC LIMIT 200
     ) send CROSS JOIN LATERAL (",
    page_of!("message_id = send.id AND created_at >= send.created_at - interval '1 minute'"),
    ") page ORDER BY page.created_at DESC, page.id DESC LIMIT $5"
));

impl PgStore {
    pub(super) async fn search_deliveries(
        &self,
        workspace: WorkspaceId,
        subject: &DeliverySubject,
        page: PageRequest,
    ) -> Result<Vec<Delivery>, StoreError> {
        let (at, id) = page.after.map_or((LAST, uuid::Uuid::max()), |place| (place.at, place.id));
        let rows = i64::from(page.limit.rows()) + 1;
        let mut connection = self.delivering().await?;
        macro_rules! load {
            ($statement:expr, $kind:ty, $value:expr) => {
                sql($statement)
                    .bind::<Uuid, _>(workspace.uuid())
                    .bind::<$kind, _>($value)
                    .bind::<Timestamptz, _>(at)
                    .bind::<Uuid, _>(id)
                    .bind::<BigInt, _>(rows)
                    .load::<LineRow>(&mut connection)
                    .await
            };
        }
        let found = match subject {
            DeliverySubject::Contact(contact) => load!(BY_CONTACT, Uuid, contact.uuid()),
            DeliverySubject::Message(message) => load!(BY_MESSAGE, Uuid, message.uuid()),
            DeliverySubject::Reference(reference) => load!(BY_REFERENCE, Text, reference),
        };
        found.map_err(failed)?.iter().map(LineRow::read).collect()
    }
}
