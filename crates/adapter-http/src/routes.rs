//! Routes of the public server.

use std::sync::{Arc, LazyLock};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ACCEPT, HeaderMap, LOCATION, VARY},
    middleware::from_fn,
    web::{self, ServiceConfig},
};
use domain::inbound::ports::NetworkWebhook;

use crate::{
    access, attachments, contacts, conversations, dashboard, document,
    endpoint::{Endpoint, at, nearest},
    inbound, messages, pages,
    problem::Problem,
    query::known::KnownParameters,
    sending, templates,
};

/// Lists everything under `/v1`. The API's document lists the same, as a test checks: `document::Document`.
pub(crate) fn v1() -> Vec<Endpoint> {
    vec![
        at("/me").get(access::me),
        at("/contacts").get(contacts::list).post(contacts::add),
        at("/contacts/{id}").get(contacts::get).patch(contacts::rename),
        at("/conversations").get(conversations::list),
        at("/conversations/{id}").get(conversations::get),
        at("/conversations/{id}/messages").get(messages::list),
        at("/templates").get(templates::list),
        at("/messages").get(messages::find::list).post(sending::reply::send_reply),
        at("/messages/template").post(sending::send_template),
        at("/messages/{id}").get(messages::find::get),
    ]
}

/// Registers everything that the public server answers.
pub(crate) fn public(config: &mut ServiceConfig, webhooks: &[Arc<dyn NetworkWebhook>]) {
    let scope = web::scope("/v1").wrap(from_fn(access::admit)).default_service(web::to(no_such_route_of_v1));
    let v1 = v1().into_iter().fold(scope, |scope, endpoint| scope.service(endpoint.resource()));
    let file = at("/attachments/{workspace}/{file}").get(attachments::open);
    let file = file.resource().wrap(from_fn(access::keyless));
    // Before the scope of `/v1`, which would ask for a key.
    let open = at(DOCUMENT).get(document::document);
    config
        .app_data(KnownParameters(document::known_parameters))
        .configure(document::page::routes)
        .configure(|config| dashboard::routes(config, pages::acts()))
        .configure(pages::routes)
        .service(open.resource().wrap(from_fn(access::admit_everybody)))
        .service(v1)
        .service(file)
        .default_service(web::to(outside));
    for webhook in webhooks {
        config.service(inbound::endpoint(webhook));
    }
}

/// Path of the API's document, which does not list itself.
const DOCUMENT: &str = "/v1/openapi.json";

/// Paths under `/v1`.
static PATHS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let listed = v1().into_iter().map(|endpoint| format!("/v1{}", endpoint.path()));
    listed.chain([DOCUMENT.to_owned()]).collect()
});

/// Refuses an unknown path under `/v1`.
async fn no_such_route_of_v1(request: HttpRequest) -> Result<String, Problem> {
    Err(Problem::no_such_route_but(nearest(request.path(), &PATHS), Some(DOCUMENT)))
}

/// Refuses an unknown path outside `/v1`, where a key opens nothing. A browser is redirected from the root to
/// the dashboard, and gets the icon that it looks for by itself.
async fn outside(request: HttpRequest) -> Result<HttpResponse, Problem> {
    if access::bearer(request.headers()).is_some() {
        return Err(Problem::key_opens_nothing_here());
    }
    match request.path() {
        "/" if request.method().is_safe() && asks_for_a_page(request.headers()) => {
            let (vary, to) = ((VARY, "accept"), (LOCATION, "/dashboard"));
            Ok(HttpResponse::SeeOther().insert_header(vary).insert_header(to).finish())
        }
        "/favicon.ico" if request.method().is_safe() => pages::icon(),
        _ => Err(Problem::no_such_route()),
    }
}

/// Returns whether a browser asks for a page to show: programs ask for anything, or for JSON.
fn asks_for_a_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|accepted| accepted.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == "text/html"))
}
