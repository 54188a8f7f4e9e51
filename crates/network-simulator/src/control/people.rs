//! Control routes for the other side: people write, the team writes from the network's own app, files are
//! added.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data};
use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use time::Duration;

use super::outcome::shown;
use super::refused::{Refused, read};
use crate::clock;
use crate::core::Core;
use crate::faults::Effects;
use crate::files::File;
use crate::graph::media;
use crate::log::PageMessage;
use crate::people::{self, Destination, Person, Words};
use crate::phones;
use crate::posts::{Piece, Signed};
use crate::webhooks::{Writer, deliver, echo, rungs};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Inbound {
    /// Number, page or Instagram account that is written to.
    #[serde(alias = "phoneNumberId", alias = "pageId", alias = "instagramId")]
    channel_id: String,
    /// The person's number, absent for one who has none; on a page the person's id.
    from: Option<String>,
    /// WhatsApp's user id; made from the number if absent.
    user_id: Option<String>,
    name: Option<String>,
    message: Option<Map<String, Value>>,
    event: Option<Map<String, Value>>,
    sample: Option<String>,
    /// Message that a sample refers to.
    about: Option<String>,
    #[serde(default)]
    signature: Signed,
}

pub(super) async fn inbound(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    Ok(HttpResponse::Ok().json(write(&core.into_inner(), read(&body)?).await?))
}

/// Lets a person write.
pub(crate) async fn write(core: &Arc<Core>, inbound: Inbound) -> Result<Value, Refused> {
    let place = place(core, &inbound.channel_id)?;
    let words = match (inbound.message, inbound.event, inbound.sample) {
        (Some(message), None, None) => Words::Message(message),
        (None, Some(event), None) => Words::Event(event),
        (None, None, Some(sample)) => Words::Sample(sample),
        _ => return Err(Refused::bad("one of `message`, `event` and `sample` is needed")),
    };
    let person = Person { from: inbound.from, user_id: inbound.user_id, name: inbound.name };
    let about = inbound.about.as_deref();
    let written = people::write(core, &place, &person, &words, about, clock::now());
    let (id, piece) = written.map_err(Refused::bad)?;
    let whose = phones::person_did(core, &place, &person, &id, &piece);
    let outcome = posted(core, piece, inbound.signature).await;
    if outcome.get("status") == Some(&json!(200)) {
        phones::taken(core, &whose, &id);
    }
    Ok(json!({ "id": id, "webhook": outcome }))
}

/// Returns a sample of every kind of message.
pub(super) async fn samples() -> HttpResponse {
    HttpResponse::Ok().json(people::samples())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Echo {
    #[serde(alias = "phoneNumberId", alias = "pageId", alias = "instagramId")]
    channel_id: String,
    /// The person, by number or id.
    to: String,
    message: Map<String, Value>,
}

/// Lets the team write from the network's own app or inbox.
pub(super) async fn team(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let core = core.into_inner();
    let request: Echo = read(&body)?;
    let (id, piece) = match place(&core, &request.channel_id)? {
        Destination::Number(sender) => {
            let (number_id, to) = (sender.phone_number_id.as_str(), request.to.as_str());
            let (id, piece) = people::by_the_team(&core, &sender, to, request.message.clone(), clock::now());
            phones::team_wrote(&core, number_id, to, &id, &request.message);
            (id, piece)
        }
        Destination::Page(channel) => {
            let message = PageMessage {
                id: core.ids.mid(channel.surface),
                to: request.to,
                shown: request.message,
                at: clock::now(),
                body: Box::default(),
                channel,
            };
            let to = [message.to.as_str()];
            core.log().note(&message.channel.id, to, |person| person.got = Some(message.id.clone()));
            phones::page_sent(&core, &message, &rungs(&core, message.at, None, &Effects::default()));
            (message.id.clone(), echo(&core, &message, Writer::Inbox))
        }
    };
    let outcome = posted(&core, piece, Signed::Rightly).await;
    Ok(HttpResponse::Ok().json(json!({ "id": id, "webhook": outcome })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wrote {
    #[serde(alias = "phoneNumberId", alias = "pageId", alias = "instagramId")]
    channel_id: String,
    /// A number's digits, a user id, or a person's id.
    person: String,
    hours_ago: i64,
}

/// Moves the person's last message in time, and with it the window.
pub(super) async fn put_wrote(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let request: Wrote = read(&body)?;
    let place = place(&core, &request.channel_id)?;
    let at = clock::now() - Duration::hours(request.hours_ago.clamp(0, 100_000));
    core.log().note(place.id(), [request.person.as_str()], |person| person.wrote_at = Some(at));
    Ok(HttpResponse::Ok().json(json!({ "wroteAt": clock::rfc3339(at) })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewFile {
    #[serde(alias = "phoneNumberId", alias = "pageId", alias = "instagramId")]
    channel_id: String,
    content_type: String,
    base64: String,
}

pub(super) async fn put_file(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    Ok(HttpResponse::Ok().json(keep(&core, read(&body)?)?))
}

/// Stores a file; returns its id for a message on WhatsApp, its address for one on a page.
pub(crate) fn keep(core: &Core, request: NewFile) -> Result<Value, Refused> {
    let place = place(core, &request.channel_id)?;
    let bytes = BASE64.decode(request.base64.as_bytes()).map_err(Refused::bad)?.into();
    let file = File {
        id: core.ids.media(),
        channel_id: request.channel_id,
        content_type: request.content_type,
        bytes,
    };
    let file = core.files().put(file);
    Ok(match place {
        Destination::Number(_) => json!({ "id": file.id, "url": media::address(core, &file) }),
        Destination::Page(_) => json!({ "id": file.id, "url": media::public_address(core, &file) }),
    })
}

pub(super) fn place(core: &Core, id: &str) -> Result<Destination, Refused> {
    Destination::find(core, id).ok_or_else(|| Refused::unknown("number, page or Instagram account", id))
}

/// Posts an update like the other webhooks; the posting goes on even if the caller hangs up.
async fn posted(core: &Arc<Core>, piece: Piece, signed: Signed) -> Value {
    let pending = core.begin_pending();
    let task = Arc::clone(core);
    let post = core.spawn(async move {
        let outcomes = deliver(&task, vec![piece], signed).await;
        drop(pending);
        outcomes.into_iter().next().flatten()
    });
    shown(post.await.unwrap_or_default())
}
