use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use actix_web::{HttpRequest, HttpResponse, web};
use ring::hmac;
use serde_json::Value;

const TOLERANCE: u64 = 300; // seconds

/// Register with `web::post().to(receive)` and `app_data(web::Data::new(Webhooks { … }))`.
pub struct Webhooks {
    pub secret: String,
    pub seen: Mutex<HashSet<String>>,
}

pub async fn receive(request: HttpRequest, raw: web::Bytes, webhooks: web::Data<Webhooks>) -> HttpResponse {
    let header = request.headers().get("X-Service-Signature").and_then(|value| value.to_str().ok());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    if !header.is_some_and(|header| verified(&webhooks.secret, header, &raw, now)) {
        return HttpResponse::Unauthorized().finish();
    }
    let Ok(event) = serde_json::from_slice::<Value>(&raw) else { return HttpResponse::BadRequest().finish() };
    let id = event["id"].as_str().unwrap_or_default().to_owned();
    let new = webhooks.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    if new {
        println!("{} {}", event["type"], event["id"]);
    }
    HttpResponse::NoContent().finish()
}

/// Whether the header is the signature of these bytes, not older or newer than the tolerance.
pub fn verified(secret: &str, header: &str, raw: &[u8], now: u64) -> bool {
    let parts = || header.split(',').filter_map(|part| part.trim().split_once('='));
    let Some((_, t)) = parts().find(|(name, _)| *name == "t") else { return false };
    let Ok(at) = t.parse::<u64>() else { return false };
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signed = [t.as_bytes(), b".", raw].concat();
    let genuine = |v1| hex::decode(v1).is_ok_and(|tag| hmac::verify(&key, &signed, &tag).is_ok());
    parts().any(|(name, v1)| name == "v1" && genuine(v1)) && now.abs_diff(at) <= TOLERANCE
}
