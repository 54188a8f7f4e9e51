//! People's files, in two hops: the id gives the address, the address gives the bytes. A file sent to a page
//! or an Instagram account has a public address at once.

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};
use ring::hmac;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use url::Url;
use url::form_urlencoded;

use super::call::{Call, bearer};
use super::error::GraphError;
use super::spoil;
use crate::clock;
use crate::core::Core;
use crate::faults::{On, Target};
use crate::files::{File, sample};

/// Path of WhatsApp's files.
const ATTACHMENTS: &str = "/whatsapp_business/attachments/";
/// Prefix of the names of people's pictures.
const PORTRAIT: &str = "portrait-";

/// Mounts the addresses of files.
pub(crate) fn routes(config: &mut web::ServiceConfig) {
    config.route(ATTACHMENTS, web::get().to(attachment));
    config.route("/cdn/{id}", web::get().to(public));
}

/// Answers `GET /{media}`: the address of a file, valid for a few minutes.
pub(super) fn get(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let missing = || GraphError::missing_object("get", call.id());
    let file = core.files().find(call.id()).ok_or_else(missing)?;
    if !sees(core, &call.token, &file) {
        return Err(missing());
    }
    let number = call.query.get("phone_number_id");
    if number.is_some_and(|number| *number != file.channel_id) {
        return Err(missing());
    }
    Ok(json!({
        "messaging_product": "whatsapp",
        "url": address(core, &file),
        "mime_type": file.content_type,
        "sha256": HEXLOWER.encode(digest(&SHA256, &file.bytes).as_ref()),
        "file_size": file.bytes.len(),
        "id": file.id,
    }))
}

/// Returns the signed address of a file, with its expiry.
pub(crate) fn address(core: &Core, file: &File) -> Url {
    let life = i64::try_from(core.config.media_address_life.as_secs()).unwrap_or(i64::MAX);
    let ends = clock::now().unix_timestamp().saturating_add(life).to_string();
    let mut url = core.base_url.clone();
    url.set_path(ATTACHMENTS);
    url.query_pairs_mut()
        .append_pair("mid", &file.id)
        .append_pair("ext", &ends)
        .append_pair("hash", &proof(core, &file.id, &ends));
    url
}

/// Returns the public address of a file on a page or an Instagram account.
pub(crate) fn public_address(core: &Core, file: &File) -> String {
    format!("{}cdn/{}", core.base_url, file.id)
}

fn proof(core: &Core, id: &str, ends: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, core.config.app_secret.expose_secret().as_bytes());
    HEXLOWER.encode(hmac::sign(&key, format!("{id} {ends}").as_bytes()).as_ref())
}

/// Serves the second hop, to the same bearer and until the address expires.
async fn attachment(request: HttpRequest, core: Data<Core>) -> HttpResponse {
    let core = core.into_inner();
    let query: HashMap<String, String> =
        form_urlencoded::parse(request.query_string().as_bytes()).into_owned().collect();
    let text = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
    let token = bearer(&request).unwrap_or_default().to_owned();
    if token.is_empty() || !core.world().knows_token(&token) {
        return GraphError::token("An access token is required to request this resource.")
            .response(&core.ids);
    }
    let (id, ends) = (text("mid"), text("ext"));
    let proven = proof(&core, id, ends) == text("hash");
    let fresh = ends.parse::<i64>().is_ok_and(|ends| clock::now().unix_timestamp() < ends);
    let file = core.files().find(id).filter(|file| proven && fresh && sees(&core, &token, file));
    serve(&core, &request, file).await
}

async fn public(request: HttpRequest, core: Data<Core>, id: web::Path<String>) -> HttpResponse {
    let core = core.into_inner();
    if id.starts_with(PORTRAIT) {
        return match sample("image") {
            Some((content_type, bytes)) => HttpResponse::Ok().content_type(content_type).body(bytes),
            None => HttpResponse::NotFound().finish(),
        };
    }
    let file = core.files().find(&id).filter(|file| core.world().channel(&file.channel_id).is_some());
    serve(&core, &request, file).await
}

/// Returns the public address of a person's picture.
pub(super) fn portrait(core: &Core, person: &str) -> String {
    format!("{}cdn/{PORTRAIT}{person}", core.base_url)
}

async fn serve(core: &Core, request: &HttpRequest, file: Option<Arc<File>>) -> HttpResponse {
    let channel = file.as_ref().map(|file| file.channel_id.clone());
    let target = Target { on: On::Files, phone_number_id: channel.as_deref(), to: None };
    if let Some(answer) = spoil::before(core, request, target).await {
        return answer;
    }
    let Some(file) = file else { return HttpResponse::NotFound().body("URL signature expired") };
    let answer =
        HttpResponse::Ok().insert_header((CONTENT_TYPE, file.content_type.clone())).body(file.bytes.clone());
    let fault = core.faults().after(target);
    spoil::after(request, fault, answer).await
}

/// Returns whether the token sees the channel that the file was sent to.
fn sees(core: &Core, token: &str, file: &File) -> bool {
    let world = core.world();
    world.resolve(&file.channel_id, token).is_some() || world.channel_seen(&file.channel_id, token).is_some()
}
