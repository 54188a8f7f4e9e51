use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use actix_web::{HttpRequest, HttpResponse, web};
use data_encoding::HEXLOWER_PERMISSIVE;
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
    let Some(id) = event["id"].as_str() else { return HttpResponse::BadRequest().finish() };
    let new = webhooks.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned());
    if new {
        println!("{} {}", event["type"], event["id"]);
    }
    HttpResponse::NoContent().finish()
}

/// Whether the header is the signature of these bytes, not older or newer than the tolerance.
pub fn verified(secret: &str, header: &str, raw: &[u8], now: u64) -> bool {
    let values = |name| {
        let parts = header.split(',').filter_map(|part| part.trim().split_once('='));
        parts.filter(move |part| part.0 == name).map(|part| part.1)
    };
    let mut times = values("t");
    let (Some(t), None) = (times.next(), times.next()) else { return false };
    let Some(at) = t.parse::<u64>().ok().filter(|_| t.bytes().all(|byte| byte.is_ascii_digit())) else {
        return false;
    };
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signed = [t.as_bytes(), b".", raw].concat();
    let genuine = |v1: &str| {
        let tag = HEXLOWER_PERMISSIVE.decode(v1.as_bytes());
        tag.is_ok_and(|tag| hmac::verify(&key, &signed, &tag).is_ok())
    };
    values("v1").any(genuine) && now.abs_diff(at) <= TOLERANCE
}
