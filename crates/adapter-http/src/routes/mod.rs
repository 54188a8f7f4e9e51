//! The routes of the public server.

mod nearest;

pub(crate) use nearest::nearest;

use std::sync::LazyLock;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ACCEPT, HeaderMap, LOCATION, VARY},
    middleware::from_fn,
    web::{self, ServiceConfig},
};

use crate::{
    access, attachments, contacts, conversations, dashboard,
    endpoint::{Endpoint, at},
    inbound, messages, openapi, pages,
    problem::Problem,
    sending, templates,
};

/// Everything under `/v1`. The API's document lists the same, or its test fails: `openapi::Document`.
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

/// Everything the public server answers.
pub(crate) fn public(config: &mut ServiceConfig) {
    let scope = web::scope("/v1").wrap(from_fn(access::admit)).default_service(web::to(no_such_route_of_v1));
    let v1 = v1().into_iter().fold(scope, |scope, endpoint| scope.service(endpoint.resource()));
    let webhook = at(inbound::WEBHOOK).get(inbound::handshake).post(inbound::receive);
    let webhook = webhook.resource().wrap(from_fn(access::keyless));
    let file = at("/attachments/{workspace}/{file}").get(attachments::open);
    let file = file.resource().wrap(from_fn(access::keyless));
    // Before the scope of `/v1`, which would ask for a key.
    let document = at(DOCUMENT).get(openapi::document);
    config.configure(openapi::page::routes).configure(dashboard::routes).configure(pages::routes);
    config
        .service(document.resource().wrap(from_fn(access::admit_everybody)))
        .service(v1)
        .service(webhook)
        .service(file)
        .default_service(web::to(outside));
}

/// Where the API's document is, besides what it lists.
const DOCUMENT: &str = "/v1/openapi.json";

/// The paths under `/v1`.
static PATHS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let listed = v1().into_iter().map(|endpoint| format!("/v1{}", endpoint.path()));
    listed.chain([DOCUMENT.to_owned()]).collect()
});

/// A path under `/v1` that nothing answers.
async fn no_such_route_of_v1(request: HttpRequest) -> Result<String, Problem> {
    Err(Problem::no_such_route_but(nearest(request.path(), &PATHS), DOCUMENT))
}

/// A path that nothing answers.
pub(crate) async fn no_such_route() -> Result<String, Problem> {
    Err(Problem::no_such_route())
}

/// A path that nothing answers outside `/v1`, where a key opens nothing; but a person's browser is led to the dashboard from
/// the root, and given an icon where it looks for one by itself.
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

/// Whether a browser asks for something to show to a person: programs ask for anything, or for JSON.
fn asks_for_a_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|accepted| accepted.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == "text/html"))
}
