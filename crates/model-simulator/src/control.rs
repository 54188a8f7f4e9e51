//! Control routes: what a test or a person does to the stand-in, and what it has seen.

use actix_web::HttpResponse;
use actix_web::web::{self, Data, Json, ServiceConfig};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::core::Core;
use crate::faults::{self, ALL};
use crate::script::Script;

pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(
        web::scope("/control")
            .route("/faults", web::get().to(list_faults))
            .route("/faults", web::put().to(put_faults))
            .route("/faults", web::delete().to(clear_faults))
            .route("/requests", web::get().to(requests))
            .route("/scripts", web::put().to(put_scripts))
            .route("/scripts", web::get().to(scripts))
            .route("/state", web::delete().to(reset)),
    );
}

async fn list_faults(core: Data<Core>) -> HttpResponse {
    let known: Vec<Value> =
        ALL.iter().map(|fault| json!({ "name": fault.name(), "about": fault.about() })).collect();
    let active = core.faults().to_json();
    HttpResponse::Ok().json(json!({ "faults": active, "known": known }))
}

async fn put_faults(core: Data<Core>, body: Json<Value>) -> HttpResponse {
    match faults::parse(&body) {
        Ok(faults) => {
            core.faults().replace(faults);
            HttpResponse::Ok().json(json!({ "faults": core.faults().to_json() }))
        }
        Err(reason) => HttpResponse::BadRequest().json(json!({ "error": reason })),
    }
}

async fn clear_faults(core: Data<Core>) -> HttpResponse {
    core.faults().replace(Vec::new());
    HttpResponse::NoContent().finish()
}

async fn requests(core: Data<Core>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "requests": core.requests() }))
}

#[derive(Deserialize)]
struct Scripts {
    scripts: Vec<Script>,
}

async fn put_scripts(core: Data<Core>, body: Json<Scripts>) -> HttpResponse {
    core.play(body.into_inner().scripts);
    scripts(core).await
}

async fn scripts(core: Data<Core>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "left": core.scripts_left(), "errors": core.errors() }))
}

async fn reset(core: Data<Core>) -> HttpResponse {
    core.reset();
    HttpResponse::NoContent().finish()
}
