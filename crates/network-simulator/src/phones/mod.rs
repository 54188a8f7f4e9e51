//! `/phones`: the people's side in a browser. Somebody writes there as a customer, and sees what a business
//! sends.

mod assets;
mod from_business;
mod from_person;
mod page_files;
mod template;

use actix_web::HttpResponse;
use actix_web::web::{self, Data, Query, ServiceConfig};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use time::Duration;

use crate::chats::Whose;
use crate::clock;
use crate::config::Status;
use crate::core::Core;
use crate::ids;
use crate::log::{Accepted, PageMessage};
use crate::people::{Destination, Person};
use crate::posts::Piece;
use crate::webhooks::Rung;
use crate::world::digits;

/// Times that typing is shown (docs/run/networks.md, "Typing").
const NUMBER_TYPES: Duration = Duration::seconds(25);
const PAGE_TYPES: Duration = Duration::seconds(20);

/// Mounts the page and its data routes.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(
        web::scope("/phones")
            .route("", web::get().to(assets::page))
            .route("/chat", web::get().to(chat))
            .route("/settings", web::get().to(settings))
            .route("/assets/{name}", web::get().to(assets::asset)),
    );
}

/// Returns the dashboard's URL, if it is known.
async fn settings(core: Data<Core>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "dashboardUrl": core.config.dashboard_url }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ChatQuery {
    channel_id: String,
    /// As in `POST /control/inbound`.
    from: String,
}

async fn chat(core: Data<Core>, asked: Query<ChatQuery>) -> HttpResponse {
    let ChatQuery { channel_id, from } = asked.into_inner();
    let Some(place) = Destination::find(&core, &channel_id) else {
        return HttpResponse::NotFound().json(json!({ "error": "there is no such number, page or account" }));
    };
    let whose = whose(&place, &Person { from: Some(from), ..Person::default() });
    let (chats, now) = (core.chats(), clock::now());
    HttpResponse::Ok()
        .json(json!({ "lines": chats.shown(&whose, now), "typing": chats.is_typing(&whose, now) }))
}

/// Returns the key of a person's chat with a place. On WhatsApp people are known by their user id, with a
/// number or without.
fn whose(place: &Destination, person: &Person) -> Whose {
    let from = person.from.as_deref().unwrap_or_default();
    let name = match place {
        Destination::Number(_) => person.user_id.clone().unwrap_or_else(|| ids::user_id(&digits(from))),
        Destination::Page(_) => from.to_owned(),
    };
    (place.id().to_owned(), name)
}

/// Shows an act of a person that is about to be posted.
pub(crate) fn person_did(
    core: &Core,
    place: &Destination,
    person: &Person,
    id: &str,
    piece: &Piece,
) -> Whose {
    let whose = whose(place, person);
    if let Some(act) = from_person::act(core, piece) {
        core.chats().person_did(&whose, id, act, clock::now());
    }
    whose
}

/// Shows that the callback accepted a person's message.
pub(crate) fn taken(core: &Core, whose: &Whose, id: &str) {
    core.chats().taken(whose, id);
}

/// Shows a message of a number. If its delivery is never posted, somebody sets by hand how far it got.
pub(crate) fn number_sent(core: &Core, message: &Accepted, rungs: &[Rung], dropped: &[Status]) {
    let whose = whose_of(message);
    let bubble = from_business::on_whatsapp(core, message);
    let by_hand = dropped.contains(&Status::Delivered);
    let posted = rungs.iter().filter(|rung| !by_hand || !dropped.contains(&rung.status));
    let steps = posted.map(|rung| (rung.status, rung.at)).collect();
    core.chats().business_sent(&whose, &message.id, message.at, (steps, by_hand), bubble);
}

/// Shows that a number is typing to whoever wrote this message.
pub(crate) fn number_types(core: &Core, message: &str) {
    core.chats().types_to_writer_of(message, clock::now() + NUMBER_TYPES);
}

/// Shows that a page or an Instagram account is typing, or that it has stopped.
pub(crate) fn page_types(core: &Core, channel: &str, to: &str, types: bool) {
    let until = clock::now() + if types { PAGE_TYPES } else { Duration::ZERO };
    core.chats().types(&(channel.to_owned(), to.to_owned()), until);
}

/// Shows a status that was posted by hand.
pub(crate) fn ticked(core: &Core, message: &Accepted, status: Status) {
    core.chats().ticked(&whose_of(message), &message.id, status, clock::now());
}

fn whose_of(message: &Accepted) -> Whose {
    (message.phone_number_id.clone(), message.user_id.clone())
}

/// Shows a message of a page or an Instagram account.
pub(crate) fn page_sent(core: &Core, message: &PageMessage, rungs: &[Rung]) {
    let whose = (message.channel.id.clone(), message.to.clone());
    let bubble = from_business::on_page(core, message);
    core.chats().business_sent(&whose, &message.id, message.at, (steps(rungs), false), bubble);
}

/// Shows a message of the team from the business's own app on WhatsApp.
pub(crate) fn team_wrote(core: &Core, number_id: &str, to: &str, id: &str, message: &Map<String, Value>) {
    let (whose, at) = ((number_id.to_owned(), ids::user_id(&digits(to))), clock::now());
    let bubble = from_business::by_the_team(message);
    core.chats().business_sent(&whose, id, at, (vec![(Status::Delivered, at)], false), bubble);
}

fn steps(rungs: &[Rung]) -> Vec<(Status, time::OffsetDateTime)> {
    rungs.iter().map(|rung| (rung.status, rung.at)).collect()
}
