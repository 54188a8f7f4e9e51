//! `/contacts/{id}/marketing`: whether a person gets marketing.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    broadcasts::{MarketingStop, StopSource},
    ids::ContactId,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

/// Whether a person gets marketing.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MarketingBody {
    stopped: bool,
    /// Who said so: `customer`, by a word such as STOP; `network`; or `team`.
    source: Option<&'static str>,
    #[serde(with = "domain::clock::timestamp::option")]
    at: Option<OffsetDateTime>,
}

impl From<Option<MarketingStop>> for MarketingBody {
    fn from(stop: Option<MarketingStop>) -> Self {
        Self {
            stopped: stop.is_some(),
            source: stop.map(|stop| StopSource::as_str(stop.source)),
            at: stop.map(|stop| stop.at),
        }
    }
}

/// Whether they are to get any.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeBody {
    /// Whether they are to get none.
    stopped: bool,
}

fn unknown() -> Problem {
    not_found("contact with a number")
}

/// Whether a person gets marketing: broadcasts of marketing templates leave out whoever gets none.
pub(crate) async fn get(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<MarketingBody>, Problem> {
    let (workspace, id): (_, ContactId) = (by.session.workspace, id(&request).ok_or_else(unknown)?);
    let found = app.run(move |app| async move { app.dashboard.broadcasts.stops.of(workspace, id).await });
    Ok(Json(found.await??.ok_or_else(unknown)?.into()))
}

/// Has a person get no marketing any more, or again. Whether the network lets them have any is theirs to say.
pub(crate) async fn set(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let ChangeBody { stopped } = body::json(&request, payload).await?.fields;
    let (acting, id): (_, ContactId) = (by.acting(), id(&request).ok_or_else(unknown)?);
    let set =
        app.run(move |app| async move { app.dashboard.broadcasts.stops.set(acting, id, stopped).await });
    if set.await?? { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
}
