//! `POST /conversations/{id}/products`.

use actix_web::web::Payload;
use domain::{
    catalogue::{ShowError, ShowRequest},
    messages::MessageBody,
    sending::Replied,
};
use serde::{Deserialize, Serialize};

use super::{
    super::act::{Answer, Call},
    drafts::{GivenId, LanguageBody, read_language},
    query::unknown,
};
use crate::{dashboard::failure::SoughtKind, paging::not_found, problem::Problem, sending::created};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/products";

/// A product to show.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ShowBody {
    product_id: GivenId,
    /// Of which variant the price is.
    variant_id: Option<GivenId>,
    language: Option<LanguageBody>,
}

/// What the customer got.
#[derive(Serialize)]
struct ShownBody {
    /// Title, price and availability.
    message: Option<MessageBody>,
    /// The photo; null where there is none, or the network did not take it.
    photo: Option<MessageBody>,
}

impl From<ShowError> for Problem {
    fn from(error: ShowError) -> Self {
        match error {
            ShowError::NoSuchVariant => not_found("variant"),
            ShowError::System(error) => SoughtKind("product").failed(error),
            ShowError::Send(error) => error.into(),
        }
    }
}

/// Shows the customer a product of the workspace's own system, as that says at the moment: first its title
/// and price, then its photo, which the network fetches from where it lies.
pub(in crate::pages) async fn show(call: Call, payload: Payload) -> Answer {
    let (conversation, body, key) = call.keyed(payload, ROUTE, unknown).await?;
    let ShowBody { product_id, variant_id, language } = body;
    let variant = variant_id.map(|id| id.read("variantId")).transpose()?;
    let asked = ShowRequest {
        conversation,
        product: product_id.read("productId")?.as_str().to_owned(),
        variant: variant.map(|id| id.as_str().to_owned()),
        language: read_language(language),
        key,
    };
    let (workspace, author) = (call.workspace(), call.by.session.member);
    let shown =
        call.run(move |app| async move { app.dashboard.show_product.run(workspace, author, &asked).await });
    let shown = shown.await?;
    let replayed = shown.words.replayed;
    let taken = |replied: Replied| replied.result.message.map(MessageBody::taken);
    let body = ShownBody { message: taken(shown.words), photo: shown.photo.and_then(taken) };
    Ok(created(replayed).json(body))
}
