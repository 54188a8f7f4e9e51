//! The dashboard's API, `/dashboard/api`, for signed-in members.
//!
//! [`api`] is the table of the routes that it alone has: a path, and for each method who may call it, what
//! its query may say, and its handler. Acts that pages have, too, are in the table of `pages`. A handler
//! takes `SignedIn`, makes changes as `SignedIn::acting`, and runs only after the role was checked.

mod admit;
pub(crate) mod attachments;
mod endpoint;
pub(crate) mod failure;
pub(crate) mod invitations;
pub(crate) mod live;
pub(crate) mod me;
pub(crate) mod password_resets;
pub(crate) mod receipts;
mod same_site;
pub(crate) mod sign_in;

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
use Needs::{Anyone, Member};
use endpoint::at;
use same_site::Surface;

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
        at("/attachments").query(&["name"]).post(Member, attachments::upload),
        at("/events").query(&["lastEventId"]).get(Member, live::listen),
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
