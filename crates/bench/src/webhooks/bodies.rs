//! Bodies of deliveries: an event as the service writes it.

use time::{OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description};
use uuid::Uuid;

pub(super) const EVENT: &str = "message.delivered";
const STAMP: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

/// Builds the body of delivery `id`, about 700 bytes.
pub(super) fn body(id: Uuid, workspace: Uuid, at: OffsetDateTime) -> anyhow::Result<String> {
    let at = at.format(STAMP)?;
    Ok(format!(
        r#"{{"id":"{id}","type":"{EVENT}","createdAt":"{at}","team":{{"id":"{workspace}"}},"data":{{"conversationId":"{id}","messageId":"{id}","status":"delivered","providerMessageId":"wamid.HBgMOTY0NzcwMTIzNDU2NxUCABEYEjAyRkQ0QkE3OEVDMTlCMzRDQwA=","reference":"order-1042","template":{{"name":"order_ready","language":"ar"}},"error":null,"occurredAt":"{at}","customer":{{"id":"{workspace}","name":"سارة عبد الرحمن","phone":"+9647701234567"}}}}}}"#
    ))
}
