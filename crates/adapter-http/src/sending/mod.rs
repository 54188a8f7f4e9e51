//! `POST /v1/messages/template`.

mod key;
mod refusal;
mod request;
mod result;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use domain::{access::Scope, sending::IdempotencyKey};

use crate::{App, access::permitted, body, problem::Problem};
use request::SendBody;
use result::SendResultBody;

/// What sets this route's requests apart under an idempotency key.
const ROUTE: &str = "POST /v1/messages/template";

/// Sends a template, or answers as the first request with the same `Idempotency-Key` did.
pub(crate) async fn send_template(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let caller = permitted(&request, Scope::MessagesSend)?;
    let key = key::read(request.headers())?;
    let body = body::json::<SendBody>(&request, payload).await?;
    let canonical = format!("{ROUTE}\n{}", body.canonical).into_bytes();
    let key = key.map(|key| IdempotencyKey { key, request: canonical });
    let asked = body.fields.into_request(key);

    let sent = app.run(|app| async move { app.send_template.run(&caller, &asked).await }).await??;

    let mut answer = HttpResponse::Created();
    if sent.replayed {
        answer.insert_header(("Idempotency-Replayed", "true"));
    }
    Ok(answer.json(SendResultBody::from(sent)))
}
