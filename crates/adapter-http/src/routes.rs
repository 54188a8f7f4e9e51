//! The routes of the public server.

use actix_web::{
    HttpRequest, Resource, Route,
    middleware::from_fn,
    web::{self, ServiceConfig},
};

use crate::{access, inbound, problem::Problem, sending, templates};

/// Everything the public server answers.
pub(crate) fn public(config: &mut ServiceConfig) {
    let v1 = web::scope("/v1")
        .wrap(from_fn(access::admit))
        .service(only_get("/me", web::get().to(access::me)))
        .service(only_get("/templates", web::get().to(templates::list)))
        .service(only("POST", "/messages/template").route(web::post().to(sending::send_template)))
        .default_service(web::to(no_such_route));
    let webhook = only("GET, POST", "/networks/meta/webhook")
        .route(web::get().to(inbound::handshake))
        .route(web::post().to(inbound::receive));
    config.service(v1).service(webhook).default_service(web::to(outside));
}

/// A route for reading.
pub(crate) fn only_get(path: &str, get: Route) -> Resource {
    only("GET", path).route(get)
}

/// A resource that answers every method but those it is given routes for with 405 and `Allow`.
fn only(allowed: &'static str, path: &str) -> Resource {
    let refuse = move || async move { Err::<String, _>(Problem::method_not_allowed(allowed)) };
    web::resource(path).default_service(web::to(refuse))
}

/// A path that nothing answers.
pub(crate) async fn no_such_route() -> Result<String, Problem> {
    Err(Problem::no_such_route())
}

/// A path that nothing answers outside `/v1`, where a key opens nothing.
async fn outside(request: HttpRequest) -> Result<String, Problem> {
    match access::bearer(request.headers()) {
        Some(_) => Err(Problem::key_opens_nothing_here()),
        None => Err(Problem::no_such_route()),
    }
}
