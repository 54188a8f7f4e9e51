//! What the network has seen.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::clock;
use crate::core::Core;
use crate::log::Accepted;

/// An accepted message, as it is shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shown<'a> {
    id: &'a str,
    account_id: &'a str,
    phone_number_id: &'a str,
    accepted_at: String,
    body: &'a RawValue,
}

#[derive(Serialize)]
struct List<T> {
    data: T,
}

pub(crate) fn shown(message: &Accepted) -> Shown<'_> {
    Shown {
        id: &message.id,
        account_id: &message.account_id,
        phone_number_id: &message.phone_number_id,
        accepted_at: clock::rfc3339(message.at),
        body: &message.body,
    }
}

pub(super) async fn messages(core: Data<Core>) -> HttpResponse {
    let messages: Vec<Arc<Accepted>> = core.log().messages();
    let data: Vec<Shown<'_>> = messages.iter().map(|message| shown(message)).collect();
    HttpResponse::Ok().json(List { data })
}

pub(super) async fn webhooks(core: Data<Core>) -> HttpResponse {
    let webhooks = core.log().webhooks();
    let data: Vec<_> = webhooks.iter().map(AsRef::as_ref).collect();
    HttpResponse::Ok().json(List { data })
}

pub(super) async fn accounts(core: Data<Core>) -> HttpResponse {
    let accounts: Vec<Value> = core
        .world()
        .accounts()
        .map(|account| {
            let numbers: Vec<Value> = account
                .numbers
                .iter()
                .map(|number| {
                    json!({
                        "id": number.id,
                        "displayPhoneNumber": number.display_phone_number,
                        "verifiedName": number.verified_name,
                        "status": number.status,
                    })
                })
                .collect();
            json!({
                "id": account.id,
                "name": account.name,
                "subscribed": account.subscription.is_some(),
                "numbers": numbers,
                "templates": account.templates.all().count(),
            })
        })
        .collect();
    HttpResponse::Ok().json(json!({ "data": accounts }))
}

pub(super) async fn settle(core: Data<Core>) -> HttpResponse {
    core.into_inner().settled().await;
    HttpResponse::Ok().json(json!({ "settled": true }))
}
