//! The dashboard's API, `/dashboard/api`, for signed-in members.
//!
//! [`api`] is the table of the routes that it alone has: a path, and for each method who may call it, what
//! its query may say, and its handler. Acts that pages have, too, are in the table of `pages`. A handler
//! takes `SignedIn`, makes changes as `SignedIn::acting`, and runs only after the role was checked.

pub(crate) mod accounts;
mod admit;
pub(crate) mod assistant;
pub(crate) mod attachments;
pub(crate) mod audit;
pub(crate) mod broadcasts;
pub(crate) mod contacts;
pub(crate) mod conversations;
mod endpoint;
pub(crate) mod imports;
pub(crate) mod invitations;
pub(crate) mod live;
pub(crate) mod me;
pub(crate) mod messages;
pub(crate) mod pages;
pub(crate) mod password_resets;
pub(crate) mod receipts;
pub(crate) mod registration;
mod same_site;
pub(crate) mod sign_in;
pub(crate) mod system;
pub(crate) mod tokens;
pub(crate) mod usage;
pub(crate) mod workspace;

pub use admit::Needs;
pub use endpoint::Route;
pub(crate) use endpoint::{Act, Guarded, act, page};
pub(crate) use same_site::{is_of_api, is_ours};

use std::sync::Arc;

use actix_web::{
    HttpRequest,
    middleware::from_fn,
    web::{self, ServiceConfig},
};

use crate::{
    access,
    endpoint::nearest,
    problem::{DashboardCode, Problem},
};
use Needs::{Anyone, Member, Owner};
use endpoint::at;
use same_site::Surface;

/// Parameters of a page of a list.
const PAGE: &[&str] = &["limit", "cursor"];

/// Parameters of a search for messages.
const SEARCH: &[&str] = &["q", "limit", "cursor"];

/// Parameters of a list that is imported.
const FILE: &[&str] = &["name", "encoding"];

/// Parameters of the inbox.
const CONVERSATIONS: &[&str] =
    &["view", "groupId", "memberId", "status", "channel", "tag", "search", "order", "limit", "cursor"];

/// Lists the operations of the dashboard's API, with those of acts.
pub(crate) fn operations(acts: &[Act]) -> Vec<Route> {
    let routes = |guarded: &Guarded| guarded.routes().to_vec();
    api().iter().chain(acts.iter().map(|act| &act.api)).flat_map(routes).collect()
}

/// Lists the codes of refusals that the dashboard alone has.
pub fn dashboard_codes() -> Vec<&'static str> {
    DashboardCode::ALL.iter().map(|code| code.as_str()).collect()
}

fn api() -> Vec<Guarded> {
    vec![
        at("/sign-in").post(Anyone, sign_in::sign_in),
        at("/sign-out").post(Member, sign_in::sign_out),
        at("/invitations/accept").post(Anyone, invitations::accept),
        at("/workspace").get(Member, workspace::get).patch(Owner, workspace::change),
        at("/usage").get(Owner, usage::get),
        at("/contacts")
            .query(&["search", "tag", "channel", "activeSince", "activeUntil", "limit", "cursor"])
            .get(Member, contacts::directory::list)
            .post(Member, contacts::directory::add),
        at("/contacts/export")
            .query(&["search", "tag", "channel", "activeSince", "activeUntil"])
            .get(Owner, contacts::export::export),
        at("/contacts/{id}/template").post(Member, contacts::template::send),
        at("/contacts/{id}/templates").get(Member, contacts::template::list),
        at("/contacts/{id}/marketing")
            .get(Member, broadcasts::marketing::get)
            .put(Member, broadcasts::marketing::set),
        at("/contacts/{id}").get(Member, contacts::get).patch(Member, contacts::rename),
        at("/conversations").query(CONVERSATIONS).get(Member, conversations::inbox::list),
        at("/conversations/{id}").get(Member, conversations::get),
        at("/conversations/{id}/messages")
            .query(PAGE)
            .get(Member, conversations::messages)
            .post(Member, conversations::reply::reply),
        at("/attachments").query(&["name"]).post(Member, attachments::upload),
        at("/conversations/{id}/template").post(Member, conversations::template::send),
        at("/conversations/{id}/templates").get(Member, conversations::template::list),
        at("/events").query(&["lastEventId"]).get(Member, live::listen),
        at("/messages")
            .query(&["reference", "phone", "networkId", "limit", "cursor"])
            .get(Member, messages::find),
        at("/messages/search").query(SEARCH).get(Member, messages::search::everywhere),
        at("/conversations/{id}/messages/search").query(SEARCH).get(Member, messages::search::within),
        at("/messages/{id}").get(Member, messages::explain),
        at("/conversations/{id}/moves").post(Member, conversations::moves::make),
        at("/conversations/{id}/seen").put(Member, conversations::seen::mark),
        at("/tags").get(Member, conversations::tags::in_use),
        at("/conversations/{id}/tags")
            .post(Member, conversations::tags::add)
            .query(&["tag"])
            .delete(Member, conversations::tags::remove),
        at("/conversations/{id}/notes")
            .query(PAGE)
            .get(Member, conversations::notes::list)
            .post(Member, conversations::notes::add),
        at("/conversations/{id}/presence")
            .get(Member, conversations::presence::list)
            .put(Member, conversations::presence::note)
            .delete(Member, conversations::presence::leave),
        at("/conversations/{id}/mentions").delete(Member, conversations::notes::see),
        at("/mentions").get(Member, conversations::notes::mentions),
        at("/broadcasts").query(PAGE).get(Member, broadcasts::list).post(Owner, broadcasts::add),
        at("/broadcasts/preview").post(Owner, broadcasts::preview),
        at("/broadcasts/{id}")
            .get(Member, broadcasts::get)
            .put(Owner, broadcasts::replace)
            .delete(Owner, broadcasts::remove),
        at("/broadcasts/{id}/start").post(Owner, broadcasts::state::start),
        at("/broadcasts/{id}/pause").post(Owner, broadcasts::state::pause),
        at("/broadcasts/{id}/resume").post(Owner, broadcasts::state::resume),
        at("/broadcasts/{id}/cancel").post(Owner, broadcasts::state::cancel),
        at("/broadcasts/{id}/people")
            .query(&["state", "reason", "limit", "cursor"])
            .get(Member, broadcasts::people::list),
        at("/broadcasts/{id}/people/export")
            .query(&["state", "reason"])
            .get(Owner, broadcasts::export::export),
        at("/accounts").get(Owner, accounts::list).post(Owner, accounts::connect),
        at("/accounts/{id}").delete(Owner, accounts::disconnect),
        at("/accounts/{id}/sync").post(Owner, accounts::sync),
        at("/numbers/{id}").patch(Owner, accounts::set_send_only),
        at("/pages").get(Owner, pages::list).post(Owner, pages::connect),
        at("/system").get(Member, system::get).put(Owner, system::connect).delete(Owner, system::disconnect),
        at("/system/verify").post(Owner, system::verify),
        at("/system/calls")
            .query(&["route", "result", "unusable", "limit", "cursor"])
            .get(Member, system::calls),
        at("/system/products").query(&["q"]).get(Member, system::products::search),
        at("/system/products/{id}").get(Member, system::products::get),
        at("/conversations/{id}/orders/{reference}").get(Member, conversations::customer::order),
        at("/conversations/{id}/customer").get(Member, conversations::customer::record),
        at("/conversations/{id}/booking-requests").post(Member, conversations::booking_requests::request),
        at("/conversations/{id}/drafts")
            .get(Member, conversations::drafts::list)
            .post(Member, conversations::drafts::propose),
        at("/conversations/{id}/leads").post(Member, conversations::leads::capture),
        at("/conversations/{id}/products").post(Member, conversations::products::show),
        at("/conversations/{id}/slots")
            .query(&["from", "to", "service"])
            .get(Member, conversations::customer::slots),
        at("/assistant").get(Owner, assistant::get).put(Owner, assistant::set),
        at("/assistant/key").put(Owner, assistant::key::set).delete(Owner, assistant::key::remove),
        at("/assistant/try").post(Owner, assistant::try_out::try_out),
        at("/assistant/turns").query(PAGE).get(Owner, assistant::turns::list),
        at("/assistant/usage").get(Owner, assistant::turns::usage),
        at("/contact-imports").get(Owner, imports::jobs::list).query(FILE).post(Owner, imports::import),
        at("/contact-imports/{id}").get(Owner, imports::jobs::get),
        at("/audit").query(&["memberId", "action", "limit", "cursor"]).get(Owner, audit::list),
    ]
}

/// Registers the API, with these acts.
pub(crate) fn routes(config: &mut ServiceConfig, acts: Vec<Act>) {
    let paths: Arc<[String]> = operations(&acts).into_iter().map(|route| route.path).collect();
    // Paths of the API without a route.
    let no_such_route = move |request: HttpRequest| {
        let problem = Problem::no_such_route_but(nearest(request.path(), &paths), None);
        async move { Err::<String, _>(problem) }
    };
    let scope = web::scope(Surface::Api.prefix())
        .wrap(from_fn(admit::mark))
        .wrap(from_fn(access::keyless))
        .default_service(web::to(no_such_route));
    let guarded = api().into_iter().chain(acts.into_iter().map(|act| act.api));
    config.service(guarded.fold(scope, |scope, guarded| scope.service(guarded.resource())));
}
