//! `/contacts/{id}/marketing`: whether a person gets marketing.

use actix_web::web::Payload;
use domain::{
    broadcasts::{MarketingStop, StopSource},
    ids::ContactId,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::super::act::{self, Answer, Call};
use crate::{paging::not_found, problem::Problem};

/// Whether a person gets marketing.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MarketingBody {
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
struct ChangeBody {
    /// Whether they are to get none.
    stopped: bool,
}

fn unknown() -> Problem {
    not_found("contact with a number")
}

/// Whether a person gets marketing: broadcasts of marketing templates leave out whoever gets none.
pub(in crate::pages) async fn get(call: Call) -> Answer {
    let (workspace, id): (_, ContactId) = (call.workspace(), call.id(unknown)?);
    let found = call.run(move |app| async move { app.dashboard.broadcasts.stops.of(workspace, id).await });
    act::ok(&MarketingBody::from(found.await?.ok_or_else(unknown)?))
}

/// Has a person get no marketing any more, or again. Whether the network lets them have any is theirs to say.
pub(in crate::pages) async fn set(call: Call, payload: Payload) -> Answer {
    let ChangeBody { stopped } = call.json(payload).await?;
    let (acting, id): (_, ContactId) = (call.acting(), call.id(unknown)?);
    let set =
        call.run(move |app| async move { app.dashboard.broadcasts.stops.set(acting, id, stopped).await });
    if set.await? { Ok(call.done("")) } else { Err(unknown()) }
}
