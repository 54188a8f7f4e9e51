//! The dashboard's pages, `/dashboard`, for members with a browser.
//!
//! [`pages`] is the table of their routes: a path, and for each method who may call it and its handler, which
//! passes what use cases answer to a page of `dashboard_pages`. An accepted form is answered by 303, a
//! rejected one by 422 and the form again, with what is wrong. [`acts`] is the table of what the API
//! has, too: one handler takes JSON and forms, and answers JSON and pages ([`act`]).
//!
//! Deliberately absent: business rules and HTML.

mod access;
mod act;
mod answer;
mod assets;
mod assistant;
mod automations;
mod broadcasts;
mod browser;
mod canned_replies;
mod changes;
mod channels;
mod contacts;
mod dress;
mod export;
mod fields;
mod form;
mod frame;
mod inbox;
mod install;
mod language;
mod links;
mod messages;
mod names;
mod not_taken;
mod notice;
mod refusal;
mod settings;
mod start;
mod system;
mod templates;
mod upload;
mod webhooks;
mod workspace;

pub(crate) use assets::icon;
pub(crate) use assistant::{knowledge::RunningReadings, tries::Tries};
pub(crate) use contacts::imports::RunningImports;
pub(crate) use export::RunningExports;

use std::sync::LazyLock;

use actix_web::{
    http::Method,
    middleware::{Compress, from_fn},
    web::{self, ServiceConfig},
};

use crate::{
    access::keyless,
    dashboard::{
        self, Act, Guarded,
        Needs::{Anyone, Member, Owner},
        Route, act, page,
    },
    endpoint::{at, no_such_route},
};
use links::{Place, Places};

/// Lists the routes of the dashboard's pages.
pub fn dashboard_pages() -> Vec<Route> {
    pages().iter().flat_map(Guarded::routes).cloned().collect()
}

fn pages() -> Vec<Guarded> {
    // The first that fits a path is taken: `/broadcasts/new` stands before `/broadcasts/{id}`.
    let acts = acts().into_iter().map(|act| act.page).filter(|page| !page.routes().is_empty());
    signing_in().into_iter().chain(dashboard()).chain(acts).collect()
}

/// Lists the operations of the dashboard's API.
pub fn dashboard_operations() -> Vec<Route> {
    dashboard::operations(&acts())
}

/// Acts of members: in JSON under the API, and by pages and forms. A form's button says which change it is.
#[expect(clippy::too_many_lines, reason = "it is one table")]
pub(crate) fn acts() -> Vec<Act> {
    const GET: &[Method] = &[Method::GET];
    const POST: &[Method] = &[Method::POST];
    const DELETE: &[Method] = &[Method::DELETE];
    const PATCH: &[Method] = &[Method::PATCH];
    const PUT: &[Method] = &[Method::PUT];
    const PATCH_OR_DELETE: &[Method] = &[Method::PATCH, Method::DELETE];
    const PUT_OR_DELETE: &[Method] = &[Method::PUT, Method::DELETE];
    const DOCUMENT: &[&str] = &["title", "name"];
    const FILE: &[&str] = &["name", "encoding"];
    const PAGE: &[&str] = &["limit", "cursor"];
    const SEARCH: &[&str] = &["q", "limit", "cursor"];
    use access::{groups, invitations, keys, profile, team};
    use assistant::{key, knowledge as documents, questions, rehearsals, try_out, turns};
    use broadcasts::{draft, lists, people, preview};
    use canned_replies as canned;
    use channels::{accounts, numbers, pages};
    use contacts::{first_message, imports};
    use webhooks::{address, deliveries, resends};
    vec![
        act("/canned-replies", "/canned-replies").get(Member, canned::list).change(Member, POST, canned::add),
        act("/canned-replies/{id}", "/canned-replies/{id}").change(Member, PUT_OR_DELETE, canned::change),
        act("/api-keys", "/settings/keys").get(Owner, keys::list).change(Owner, POST, keys::make),
        act("/api-keys/{id}", "/settings/keys/{id}/revoke").change(Owner, DELETE, keys::revoke),
        act("/invitations", "/settings/team/invitations").only(Owner, GET, &invitations::list).change(
            Owner,
            POST,
            invitations::invite,
        ),
        act("/invitations/{id}", "/settings/team/invitations/{id}/withdraw").change(
            Owner,
            DELETE,
            invitations::withdraw,
        ),
        act("/groups", "/settings/team/groups").only(Member, GET, &groups::list).change(
            Owner,
            POST,
            groups::add,
        ),
        act("/groups/{id}", "/settings/team/groups/{id}").change(Owner, PATCH_OR_DELETE, groups::change),
        act("/groups/{id}/members/{memberId}", "").only(Owner, PUT_OR_DELETE, &groups::change),
        act("/me", "/profile").get(Member, profile::show).change(Member, PATCH, profile::change),
        act("/me/password", "").only(Member, POST, &profile::change),
        act("/me/second-factor", "").only(Member, POST, &profile::change),
        act("/me/second-factor/confirm", "").only(Member, POST, &profile::change),
        act("/me/refused-sign-ins", "").only(Member, GET, &profile::refusals),
        act("/sessions", "").only(Member, GET, &profile::sessions).only(Member, DELETE, &profile::change),
        act("/members", "").only(Member, GET, &team::list),
        act("/members/{id}", "/settings/team/members/{id}")
            .only(Owner, PATCH, &team::change)
            .query(&["revoke"])
            .change(Owner, DELETE, team::change),
        act("/webhooks", "/settings/webhooks").get(Owner, webhooks::list).change(
            Owner,
            POST,
            webhooks::register,
        ),
        act("/webhooks/{id}", "/settings/webhooks/{id}").get(Owner, address::get).change(
            Owner,
            PATCH_OR_DELETE,
            address::change,
        ),
        act("/webhooks/{id}/pause", "").only(Owner, POST, &address::change),
        act("/webhooks/{id}/resume", "").only(Owner, POST, &address::change),
        act("/webhooks/{id}/ping", "").only(Owner, POST, &address::change),
        act("/webhooks/{id}/rotate", "").only(Owner, POST, &address::change),
        act("/webhooks/{id}/resends", "").only(Owner, GET, &resends::list).only(Owner, POST, &resends::begin),
        act("/resends/{id}", "").only(Owner, GET, &resends::get),
        act("/webhooks/{id}/deliveries", "")
            .query(&["state", "event", "since", "until", "limit", "cursor"])
            .only(Owner, GET, &deliveries::list),
        act("/deliveries", "").query(&["contactId", "messageId", "reference", "limit", "cursor"]).only(
            Owner,
            GET,
            &deliveries::search,
        ),
        act("/deliveries/{id}", "/settings/deliveries/{id}").get(Owner, deliveries::get),
        act("/deliveries/{id}/resend", "/settings/deliveries/{id}/resend").change(
            Owner,
            POST,
            deliveries::resend,
        ),
        act("/assistant", "/settings/assistant").get(Owner, assistant::show).change(
            Owner,
            PUT,
            assistant::save,
        ),
        act("/assistant/key", "").only(Owner, PUT, &key::set).only(Owner, DELETE, &key::remove),
        act("/assistant/turns", "/settings/assistant/turns").query(PAGE).get(Owner, turns::list),
        act("/assistant/try", "").only(Owner, POST, &try_out::ask),
        act("/assistant/usage", "").only(Owner, GET, &turns::usage),
        act("/assistant/documents", "/settings/assistant/documents")
            .get(Owner, documents::list)
            .query(DOCUMENT)
            .change(Owner, POST, documents::change),
        act("/assistant/documents/{id}", "/settings/assistant/documents/{id}")
            .get(Owner, documents::show)
            .query(DOCUMENT)
            .change(Owner, PUT, documents::change)
            .only(Owner, DELETE, &documents::remove),
        act("/assistant/questions", "/settings/assistant/questions").get(Owner, questions::list).change(
            Owner,
            POST,
            questions::post,
        ),
        act("/assistant/questions/{id}", "/settings/assistant/questions/{id}").change(
            Owner,
            PUT_OR_DELETE,
            questions::change,
        ),
        act("/assistant/rehearsals", "").only(Owner, GET, &rehearsals::list).only(
            Owner,
            POST,
            &rehearsals::begin,
        ),
        act("/assistant/rehearsals/{id}/stop", "").only(Owner, POST, &rehearsals::stop),
        act("/assistant/hand-overs", "").only(Owner, GET, &rehearsals::hand_overs),
        act("/templates", "/settings/templates")
            .get(Owner, templates::list)
            .only(Owner, &[Method::POST, Method::PUT], &templates::write::submit)
            .only(Owner, DELETE, &templates::write::delete),
        act("/templates/variables", "").only(Owner, PUT, &templates::label),
        act("/automations", "/settings/automations").get(Owner, automations::list).change(
            Owner,
            POST,
            automations::add,
        ),
        act("/conversation-settings", "/settings/automations/settings")
            .only(Owner, GET, &automations::get_settings)
            .change(Owner, PUT, automations::set),
        act("/automations/{id}", "/settings/automations/{id}").change(
            Owner,
            PUT_OR_DELETE,
            automations::change,
        ),
        act("/broadcast-lists", "/broadcasts/lists").get(Owner, lists::list).query(FILE).change(
            Owner,
            POST,
            lists::add,
        ),
        act("/broadcast-lists/{id}", "/broadcasts/lists/{id}").change(Owner, DELETE, lists::remove),
        act("/broadcast-prices", "/broadcasts/prices").only(Owner, GET, &lists::prices).change(
            Owner,
            PUT,
            lists::set_prices,
        ),
        act("/broadcasts", "/broadcasts").query(PAGE).get(Member, broadcasts::list).only(
            Owner,
            POST,
            &draft::add,
        ),
        act("/broadcasts/preview", "").only(Owner, POST, &preview::of_written),
        act("/broadcasts/{id}", "/broadcasts/{id}")
            .get(Member, broadcasts::show)
            .only(Owner, PUT, &draft::replace)
            .only(Owner, DELETE, &broadcasts::change),
        act("/broadcasts/{id}/start", "/broadcasts/{id}/start").change(Owner, POST, preview::start),
        act("/broadcasts/{id}/pause", "").only(Owner, POST, &broadcasts::change),
        act("/broadcasts/{id}/resume", "").only(Owner, POST, &broadcasts::change),
        act("/broadcasts/{id}/cancel", "").only(Owner, POST, &broadcasts::change),
        act("/broadcasts/{id}/people", "/broadcasts/{id}/people")
            .query(&["state", "reason", "limit", "cursor"])
            .get(Member, people::list),
        act("/broadcasts/{id}/people/export", "").query(&["state", "reason"]).only(
            Owner,
            GET,
            &people::export,
        ),
        act("/accounts", "/settings/channels").get(Owner, channels::list).only(
            Owner,
            POST,
            &accounts::connect,
        ),
        act("/accounts/{id}", "/settings/channels/accounts/{id}").change(Owner, DELETE, accounts::change),
        act("/accounts/{id}/sync", "").only(Owner, POST, &accounts::change),
        act("/numbers/{id}", "/settings/channels/numbers/{id}").change(Owner, PATCH, numbers::change),
        act("/pages", "/settings/channels/pages").only(Owner, GET, &pages::list).change(
            Owner,
            POST,
            pages::connect,
        ),
        act("/workspace", "").only(Member, GET, &settings::show).only(Owner, PATCH, &settings::change),
        act("/usage", "/settings/usage").get(Owner, workspace::usage),
        act("/audit", "/settings/log")
            .query(&["memberId", "action", "limit", "cursor"])
            .get(Owner, changes::list),
        act("/messages", "").query(&["reference", "phone", "networkId", "limit", "cursor"]).only(
            Member,
            GET,
            &messages::find,
        ),
        act("/messages/search", "").query(SEARCH).only(Member, GET, &messages::search::everywhere),
        act("/conversations/{id}/messages/search", "").query(SEARCH).only(
            Member,
            GET,
            &messages::search::within,
        ),
        act("/messages/{id}", "/settings/messages/{id}").get(Member, messages::life::explain),
        act("/system", "").only(Member, GET, &system::show).only(Owner, PUT_OR_DELETE, &system::change),
        act("/system/verify", "").only(Owner, POST, &system::change),
        act("/system/calls", "").query(&["route", "result", "unusable", "limit", "cursor"]).only(
            Member,
            GET,
            &system::calls,
        ),
        act("/system/products", "").query(&["q"]).only(Member, GET, &system::products::search),
        act("/system/products/{id}", "").only(Member, GET, &system::products::get),
        act("/contacts/export", "").query(&["search", "tag", "channel", "activeSince", "activeUntil"]).only(
            Owner,
            GET,
            &contacts::export::export,
        ),
        act("/contact-imports", "/contacts/import").get(Owner, imports::jobs::list).query(FILE).change(
            Owner,
            POST,
            imports::begin,
        ),
        act("/contact-imports/{id}", "/contacts/import/{id}").get(Owner, imports::jobs::get),
        act("/contacts", "/contacts")
            .query(&["search", "tag", "channel", "activeSince", "activeUntil", "limit", "cursor"])
            .get(Member, contacts::list)
            .change(Member, POST, contacts::add),
        act("/contacts/{id}", "/contacts/{id}").get(Member, contacts::person::show).only(
            Member,
            PATCH,
            &first_message::rename,
        ),
        act("/contacts/{id}/template", "/contacts/{id}/template").change(Member, POST, first_message::send),
        act("/contacts/{id}/templates", "").only(Member, GET, &first_message::templates),
        act("/contacts/{id}/marketing", "").only(Member, GET, &contacts::marketing::get).only(
            Member,
            PUT,
            &contacts::marketing::set,
        ),
    ]
    .into_iter()
    .chain(conversations())
    .collect()
}

/// Acts in conversations.
fn conversations() -> [Act; 20] {
    use inbox::{booking_requests, customer, drafts, leads, moves, notes, presence, products, seen, tags};
    const PAGE: &[&str] = &["limit", "cursor"];
    const LIST: &[&str] =
        &["view", "groupId", "memberId", "status", "channel", "tag", "search", "order", "limit", "cursor"];
    let (get, post, put, delete) = (&[Method::GET], &[Method::POST], &[Method::PUT], &[Method::DELETE]);
    [
        act("/conversations", "/inbox").query(LIST).get(Member, inbox::list_conversations),
        act("/conversations/{id}", "/inbox/{id}").get(Member, inbox::show_conversation),
        act("/conversations/{id}/messages", "/inbox/{id}/reply")
            .query(PAGE)
            .only(Member, get, &inbox::messages)
            .change(Member, post, inbox::reply::send),
        act("/conversations/{id}/template", "").only(Member, post, &inbox::templates::send),
        act("/conversations/{id}/templates", "").only(Member, get, &inbox::templates::list),
        act("/conversations/{id}/moves", "/inbox/{id}/moves").change(Member, post, moves::make),
        act("/conversations/{id}/seen", "").only(Member, put, &seen::mark),
        act("/tags", "").only(Member, get, &tags::in_use),
        act("/conversations/{id}/tags", "/inbox/{id}/tags")
            .change(Member, post, tags::change)
            .query(&["tag"])
            .only(Member, delete, &tags::change),
        act("/conversations/{id}/notes", "/inbox/{id}/notes")
            .query(PAGE)
            .only(Member, get, &notes::list)
            .change(Member, post, notes::add),
        act("/conversations/{id}/presence", "")
            .only(Member, get, &presence::list)
            .only(Member, put, &presence::note)
            .only(Member, delete, &presence::leave),
        act("/conversations/{id}/mentions", "").only(Member, delete, &notes::see),
        act("/mentions", "").only(Member, get, &notes::mentions),
        act("/conversations/{id}/orders/{reference}", "").only(Member, get, &customer::order),
        act("/conversations/{id}/customer", "").only(Member, get, &customer::record),
        act("/conversations/{id}/slots", "").query(&["from", "to", "service"]).only(
            Member,
            get,
            &customer::slots,
        ),
        act("/conversations/{id}/booking-requests", "").only(Member, post, &booking_requests::request),
        act("/conversations/{id}/drafts", "").only(Member, get, &drafts::list).only(
            Member,
            post,
            &drafts::propose,
        ),
        act("/conversations/{id}/leads", "").only(Member, post, &leads::capture),
        act("/conversations/{id}/products", "").only(Member, post, &products::show),
    ]
}

/// Pages for signing in and out.
fn signing_in() -> Vec<Guarded> {
    vec![
        page("").get(Member, start::begin),
        page("/sign-in").get(Anyone, access::sign_in::show).post(Anyone, access::sign_in::sign_in),
        page("/sign-out").post(Member, access::sign_in::sign_out),
        page("/forgotten-password").get(Anyone, access::forgotten::show).post(Anyone, access::forgotten::ask),
        page("/password-reset").get(Anyone, access::reset::show).post(Anyone, access::reset::open),
        page("/password-reset/complete").post(Anyone, access::reset::complete),
        page("/invitation").get(Anyone, access::invitation::show).post(Anyone, access::invitation::open),
        page("/invitation/accept").post(Anyone, access::invitation::accept),
        page("/language").post(Anyone, language::choose),
        page("/offline").get(Anyone, install::offline),
    ]
}

/// Pages of the dashboard itself.
fn dashboard() -> Vec<Guarded> {
    vec![
        page("/inbox/moves").post(Member, inbox::several::make_move),
        page("/inbox/{id}/order")
            .get(Member, inbox::proposals::order)
            .post(Member, inbox::proposals::propose_order),
        page("/inbox/{id}/booking")
            .get(Member, inbox::proposals::booking)
            .post(Member, inbox::proposals::propose_booking),
        page("/inbox/{id}/template").get(Member, inbox::templates::show).post(Member, inbox::templates::send),
        page("/inbox/{id}/drafts").post(Member, inbox::drafts::withdraw),
        page("/inbox/{id}/name").post(Member, inbox::person::rename),
        page("/inbox/{id}/marketing").post(Member, inbox::person::set_marketing),
        page("/messages").get(Member, messages::search::show),
        page("/contacts/{id}/name").post(Member, contacts::first_message::rename),
        page("/contacts/{id}/conversations").get(Member, contacts::person::conversations),
        page("/broadcasts/new").get(Owner, broadcasts::draft::begin).post(Owner, broadcasts::draft::add),
        page("/broadcasts/{id}/audience")
            .get(Owner, broadcasts::draft::audience)
            .post(Owner, broadcasts::draft::change_audience),
        page("/broadcasts/{id}/content")
            .get(Owner, broadcasts::content::show)
            .post(Owner, broadcasts::content::change),
        page("/broadcasts/{id}/preview").get(Owner, broadcasts::preview::show),
        page("/broadcasts/{id}/skipped").get(Owner, broadcasts::preview::left_out),
        page("/broadcasts/{id}/try").post(Owner, broadcasts::preview::send_one),
        page("/broadcasts/{id}/moves").post(Owner, broadcasts::change),
        page("/settings").get(Owner, channels::begin),
        page("/settings/start").get(Owner, start::show),
        page("/settings/workspace").get(Owner, settings::show).post(Owner, settings::change),
        page("/settings/channels/sign-up").get(Owner, channels::sign_up::begin),
        page("/settings/channels/sign-up/back").get(Owner, channels::sign_up::back),
        page("/settings/channels/open").post(Owner, channels::connecting::open),
        page("/settings/channels/choose").post(Owner, channels::connecting::choose),
        page("/settings/channels/accounts").post(Owner, channels::accounts::connect),
        page("/settings/channels/accounts/{id}/numbers/{numberId}").post(Owner, channels::numbers::register),
        page("/settings/channels/pages/{id}").post(Owner, channels::pages::remove),
        page("/settings/team").get(Owner, access::team::show),
        page("/settings/templates/delete").post(Owner, templates::write::delete),
        page("/settings/templates/write")
            .get(Owner, templates::write::show)
            .post(Owner, templates::write::submit),
        page("/settings/system").get(Owner, system::show).post(Owner, system::change),
        page("/settings/messages").get(Owner, messages::show),
        page("/settings/assistant/try")
            .get(Owner, assistant::try_out::show)
            .post(Owner, assistant::try_out::ask),
    ]
}

/// Path of each page, and whether it can be shown.
static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| {
    let shows = |guarded: &Guarded| guarded.routes().iter().any(|route| route.method == "GET");
    let place = |guarded: &Guarded| Place::new(guarded.path(), shows(guarded));
    pages().iter().map(place).collect()
});

fn places() -> &'static [Place] {
    &PLACES
}

pub(crate) fn routes(config: &mut ServiceConfig) {
    let scope = web::scope("/dashboard")
        .wrap(from_fn(dress::dress))
        .wrap(from_fn(keyless))
        .wrap(Compress::default())
        .service(at("/assets/{version}/{name}").get(assets::asset).resource())
        .service(at("/manifest.webmanifest").get(install::manifest).resource())
        .service(at("/service-worker.js").get(install::service_worker).resource())
        .default_service(web::to(no_such_route));
    config.app_data(Places(places));
    config.service(pages().into_iter().fold(scope, |scope, guarded| scope.service(guarded.resource())));
}

#[cfg(test)]
mod tests {
    use actix_web::dev::ResourceDef;

    use super::{links::nearest_of, pages, places};

    #[test]
    fn no_page_is_hidden_by_one_before_it() {
        let paths: Vec<&str> = pages().iter().map(super::Guarded::path).collect();
        for (at, path) in paths.iter().enumerate() {
            let first = paths.iter().position(|known| ResourceDef::new(*known).is_match(path));
            assert_eq!(first, Some(at), "{path}");
        }
    }

    #[test]
    fn a_page_that_only_takes_a_form_is_come_back_to_by_the_one_above_it() {
        for (path, page) in [
            ("/dashboard", Some("/dashboard")),
            ("/dashboard/inbox/7", Some("/dashboard/inbox/7")),
            ("/dashboard/inbox/7/reply", Some("/dashboard/inbox/7")),
            ("/dashboard/inbox/7/template", Some("/dashboard/inbox/7/template")),
            ("/dashboard/inbox/moves", Some("/dashboard/inbox")),
            ("/dashboard/settings/keys/7/revoke", Some("/dashboard/settings/keys")),
            ("/dashboard/nowhere/at/all", Some("/dashboard")),
            ("/v1/messages", None),
            ("", None),
        ] {
            assert_eq!(nearest_of(places(), path), page, "{path}");
        }
    }
}
