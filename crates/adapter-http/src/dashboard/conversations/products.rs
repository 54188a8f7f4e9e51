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

use super::{
    drafts::{GivenId, LanguageBody, read_language},
    missing::unknown,
};
use crate::{
    app::App,
    body,
    dashboard::failure::SoughtKind,
    paging::{id, not_found},
    problem::Problem,
    sending::{created, key},
    session::SignedIn,
};

/// First part of the canonical request, which tells this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/api/conversations/products";

/// A product to show.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ShowBody {
    product_id: GivenId,
    /// Of which variant the price is.
    variant_id: Option<GivenId>,
    language: Option<LanguageBody>,
}

/// What the customer got.
#[derive(Serialize)]
pub(crate) struct ShownBody {
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
