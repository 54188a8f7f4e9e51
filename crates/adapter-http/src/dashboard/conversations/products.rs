//! `POST /conversations/{id}/products`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::{
    catalogue::{ShowError, ShowRequest},
    messages::MessageBody,
    sending::{IdempotencyKey, Replied},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    super::system::failure::SoughtKind,
    drafts::{GivenId, LanguageBody, read_language},
    missing::unknown,
};
use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::Problem,
    schema::{messages::Message, values},
    sending::{
        created,
        key::{self, IdempotencyKeyHeader},
    },
    session::SignedIn,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/products";

/// A product to show.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ShowProduct)]
pub(crate) struct ShowBody {
    #[schema(value_type = values::ExternalId)]
    product_id: GivenId,
    /// Of which variant the price is.
    #[schema(value_type = Option<values::ExternalId>)]
    variant_id: Option<GivenId>,
    language: Option<LanguageBody>,
}

/// What the customer got.
#[derive(Serialize, ToSchema)]
#[schema(as = ShownProduct)]
pub(crate) struct ShownBody {
    /// Title, price and availability.
    #[schema(value_type = Message)]
    message: Option<MessageBody>,
    /// The photo; null where there is none, or the network did not take it.
    #[schema(value_type = Option<Message>, required = true)]
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
#[utoipa::path(
    post, path = "/dashboard/api/conversations/{id}/products", tag = "Conversations", operation_id = "showProduct",
    params(("id" = values::Id, Path, description = "The conversation's id."), IdempotencyKeyHeader),
    request_body(content = ShowBody),
    responses(
        (status = 201, description = "The network took it, now or when this key was first used.", body = ShownBody),
        (status = 404, description = "It is not in this workspace; `no_system`; or the system has no such product or variant."),
        (
            status = 409,
            description = "`system_undeclared`; or as a reply: `no_whatsapp_channel`, `no_channel`, `plan_limit`, \
                `author_left` or `request_in_flight`.",
        ),
        (status = 422, description = "`system_refused`, `whatsapp_rejected` or `idempotency_key_reused`."),
        (status = 502, description = "`system_failed`; the message says how."),
        (status = 503, description = "`system_unavailable`, `network_unavailable` or `held_back`: nothing was sent; wait `Retry-After` seconds."),
        (status = 504, description = "`outcome_unknown`: an event may tell, or nothing ever will. Another key may send it twice.")
    )
)]
pub(crate) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let key = key::read(request.headers())?;
    let body = body::json::<ShowBody>(&request, payload).await?;
    let conversation = id(&request).ok_or_else(unknown)?;
    let canonical = format!("{ROUTE}/{conversation}\n{}", body.canonical).into_bytes();
    let ShowBody { product_id, variant_id, language } = body.fields;
    let variant = variant_id.map(|id| id.read("variantId")).transpose()?;
    let asked = ShowRequest {
        conversation,
        product: product_id.read("productId")?.as_str().to_owned(),
        variant: variant.map(|id| id.as_str().to_owned()),
        language: read_language(language),
        key: key.map(|key| IdempotencyKey { key, request: canonical }),
    };
    let (workspace, author) = (by.session.workspace, by.session.member);
    let shown =
        app.run(move |app| async move { app.dashboard.show_product.run(workspace, author, &asked).await });
    let shown = shown.await??;
    let replayed = shown.words.replayed;
    let taken = |replied: Replied| replied.result.message.map(MessageBody::taken);
    let body = ShownBody { message: taken(shown.words), photo: shown.photo.and_then(taken) };
    Ok(created(replayed).json(body))
}
