//! Control routes for the network's measures against an account.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data};
use serde::Deserialize;
use serde_json::{Value, json};
use time::Duration;

use super::outcome::shown;
use super::refused::{Refused, read};
use crate::clock;
use crate::core::Core;
use crate::posts::{Signed, payload};
use crate::webhooks::post;
use crate::world::Sends;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Request {
    account_id: String,
    standing: Standing,
    /// Duration of a restriction, as it is reported.
    hours: Option<u32>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Standing {
    Good,
    /// May answer, but send no templates.
    Restricted,
    Disabled,
    Deleted,
}

/// Sets the standing of an account, and posts it to the callback.
pub(super) async fn put(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let core = core.into_inner();
    let request: Request = read(&body)?;
    let now = clock::now();
    {
        let mut world = core.world();
        let unknown = || Refused::unknown("account", &request.account_id);
        let account = world.account_mut(&request.account_id).ok_or_else(unknown)?;
        account.sends = match request.standing {
            Standing::Good => Sends::Everything,
            Standing::Restricted => Sends::Answers,
            Standing::Disabled | Standing::Deleted => Sends::Nothing,
        };
    }
    let ban = |state: &str| {
        json!({ "event": "DISABLED_UPDATE", "ban_info": {
        "waba_ban_state": state, "waba_ban_date": "November 21, 2026" } })
    };
    let value: Value = match request.standing {
        Standing::Good => ban("REINSTATE"),
        Standing::Disabled => ban("DISABLE"),
        Standing::Deleted => json!({ "event": "ACCOUNT_DELETED" }),
        Standing::Restricted => {
            let ends = now + Duration::hours(request.hours.unwrap_or(24).into());
            json!({ "event": "ACCOUNT_RESTRICTION", "restriction_info": [
                { "restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING", "expiration": ends.unix_timestamp() },
                { "restriction_type": "RESTRICTED_ADD_PHONE_NUMBER_ACTION" },
            ] })
        }
    };
    let body = payload::account_update(&request.account_id, &value, now);
    let task = Arc::clone(&core);
    let posted = core.spawn(async move {
        post(&task, &request.account_id, "account_update", &body, Signed::Rightly).await
    });
    Ok(HttpResponse::Ok().json(json!({ "webhook": shown(posted.await.unwrap_or_default()) })))
}
