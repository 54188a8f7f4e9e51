//! Control routes that show what the network has seen.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{Bytes, Data, Path};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::clock;
use crate::core::Core;
use crate::log::Taken;
use crate::surface::Surface;

use super::refused::{Refused, read};

/// JSON form of an accepted message.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shown<'a> {
    id: &'a str,
    channel: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone_number_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instagram_id: Option<&'a str>,
    accepted_at: String,
    body: &'a RawValue,
}

#[derive(Serialize)]
struct List<T> {
    data: T,
}

pub(crate) fn shown(message: &Taken) -> Shown<'_> {
    match message {
        Taken::Whatsapp(message) => Shown {
            id: &message.id,
            channel: "whatsapp",
            account_id: Some(&message.account_id),
            phone_number_id: Some(&message.phone_number_id),
            page_id: None,
            instagram_id: None,
            accepted_at: clock::rfc3339(message.at),
            body: &message.body,
        },
        Taken::Page(message) => {
            let on_instagram = message.channel.surface == Surface::Instagram;
            Shown {
                id: &message.id,
                channel: message.channel.surface.name(),
                account_id: None,
                phone_number_id: None,
                page_id: Some(&message.channel.page_id),
                instagram_id: on_instagram.then_some(message.channel.id.as_str()),
                accepted_at: clock::rfc3339(message.at),
                body: &message.body,
            }
        }
    }
}

pub(super) async fn messages(core: Data<Core>) -> HttpResponse {
    let messages = core.log().messages();
    let data: Vec<Shown<'_>> = messages.iter().map(shown).collect();
    HttpResponse::Ok().json(List { data })
}

/// Returns a file that arrived: by the id that the upload answered, or on a page by the id of its message.
pub(super) async fn file(core: Data<Core>, id: Path<String>) -> Result<HttpResponse, Refused> {
    let file = core.files().find(&id).ok_or_else(|| Refused::unknown("file", &id))?;
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, file.content_type.clone())).body(file.bytes.clone()))
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
    let pages: Vec<Value> = core
        .world()
        .pages()
        .map(|page| {
            let instagram = page.instagram.as_ref();
            json!({
                "id": page.id,
                "name": page.name,
                "subscribed": page.subscription.is_some(),
                "instagram": instagram.map(|account| json!({ "id": account.id, "username": account.username })),
            })
        })
        .collect();
    HttpResponse::Ok().json(json!({ "data": accounts, "pages": pages }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settle {
    /// Whether to wait until everything was accepted or given up, beyond the first attempts.
    #[serde(default)]
    acknowledged: bool,
}

pub(super) async fn settle(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let core = core.into_inner();
    let request: Settle = read(&body)?;
    if request.acknowledged {
        core.acknowledged().await;
    } else {
        core.settled().await;
    }
    Ok(HttpResponse::Ok().json(json!({ "settled": true })))
}
