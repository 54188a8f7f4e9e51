//! `POST /{number}/messages`: checks and accepts a message and starts its statuses.

mod content;
mod envelope;
mod page;
mod template;

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use time::Duration;

use crate::clock;
use crate::config::Window;
use crate::core::Core;
use crate::faults::{Effects, On, Target};
use crate::graph::{Call, GraphError, spoil_after, spoil_before};
use crate::ids::{self, Direction};
use crate::log::{Accepted, Taken};
use crate::phones;
use crate::webhooks::{follow, rungs};
use crate::world::{Object, Sender, Sends};
use envelope::{Envelope, Recipient};

pub(crate) use page::serve as serve_page;

/// Time after the person's last message in which a free-form one may be sent.
const WINDOW: Duration = Duration::hours(24);
/// Code for a free-form message outside that window.
const RE_ENGAGEMENT: i64 = 131_047;
/// Code for a disabled or restricted account.
const LOCKED: i64 = 131_031;
/// Code for a file that is not available.
const MEDIA: i64 = 131_053;
const RE_ENGAGEMENT_DETAILS: &str = "Message failed to send because more than 24 hours have passed since the \
                                     customer last replied to this number.";

/// A message that passed every check.
struct Checked<'a> {
    sender: Sender,
    envelope: Envelope<'a>,
    /// Category for pricing and seconds of validity; `None` for a free-form message.
    template: Option<(String, u64)>,
    window_closed: bool,
}

pub(crate) async fn serve(core: &Arc<Core>, request: &HttpRequest, call: &Call) -> HttpResponse {
    let Some(sender) = sender(core, call) else {
        return GraphError::missing_object("post", call.id()).response(&core.ids);
    };
    let to = envelope::recipient(&call.fields).map(|recipient| recipient.name().to_owned());
    // A call that sends nothing uses up no fault that is meant for sends.
    let on = if envelope::is_read_mark(&call.fields) { On::Edits } else { On::Sends };
    let target = Target { on, phone_number_id: Some(call.id()), to: to.as_deref() };
    if let Some(answer) = spoil_before(core, request, target).await {
        return answer;
    }
    if envelope::is_read_mark(&call.fields) {
        return match envelope::check_read_mark(&call.fields) {
            Ok(()) => {
                let fault = core.faults().after(target);
                if let Some(message) = envelope::typed_about(&call.fields) {
                    phones::number_types(core, message);
                }
                spoil_after(request, fault, HttpResponse::Ok().json(json!({ "success": true }))).await
            }
            Err(error) => error.response(&core.ids),
        };
    }
    let checked = match check(core, sender, &call.fields) {
        Ok(checked) => checked,
        Err(error) => return error.response(&core.ids),
    };
    let mut effects = core.faults().effects(target);
    if checked.window_closed && effects.failure.is_none() {
        effects.failure = Some((RE_ENGAGEMENT, None, Some(RE_ENGAGEMENT_DETAILS.to_owned())));
    }
    let fault = core.faults().after(target);
    let answer = HttpResponse::Ok().json(accept(core, call, &checked, &effects).await);
    spoil_after(request, fault, answer).await
}

fn sender(core: &Core, call: &Call) -> Option<Sender> {
    let world = core.world();
    let (object, _) = world.resolve(call.id(), &call.token)?;
    (object == Object::Number && call.path.len() == 2).then(|| world.sender(call.id()))?
}

fn check<'a>(core: &Core, sender: Sender, fields: &'a Map<String, Value>) -> Result<Checked<'a>, GraphError> {
    let envelope = Envelope::read(fields)?;
    if !sender.connected {
        return Err(GraphError::of(133_010));
    }
    let is_barred = match sender.sends {
        Sends::Everything => false,
        Sends::Answers => envelope.kind == "template",
        Sends::Nothing => true,
    };
    if is_barred {
        return Err(GraphError::of(LOCKED));
    }
    if envelope.recipient.name() == sender.digits {
        return Err(GraphError::of(131_021));
    }
    if envelope.kind != "template" {
        content::check(envelope.kind, envelope.content)?;
        has_media(core, &sender, envelope.content)?;
        let window_closed = core.config.window != Window::Open && {
            let person = envelope.recipient.name();
            !core.log().wrote_within(&sender.phone_number_id, person, WINDOW, clock::now())
        };
        if window_closed && core.config.window == Window::Refused {
            return Err(GraphError::detailed(RE_ENGAGEMENT, RE_ENGAGEMENT_DETAILS));
        }
        return Ok(Checked { sender, envelope, template: None, window_closed });
    }
    let name = template::name(envelope.content)?;
    let found = {
        let world = core.world();
        let account = world.account(&sender.account_id);
        account.and_then(|account| account.templates.find(name.name, name.language)).cloned()
    };
    let found = template::sendable(found, &name)?;
    if found.shape.authentication && matches!(envelope.recipient, Recipient::UserId(_)) {
        return Err(GraphError::of(131_062));
    }
    template::check(&found.shape, envelope.content)?;
    let template = Some((found.category().to_ascii_lowercase(), found.ttl_seconds()));
    Ok(Checked { sender, envelope, template, window_closed: false })
}

/// Checks that a file named by id was uploaded to this number before.
fn has_media(core: &Core, sender: &Sender, content: &Value) -> Result<(), GraphError> {
    let Some(id) = content.get("id").and_then(Value::as_str) else { return Ok(()) };
    let file = core.files().find(id).filter(|file| file.channel_id == sender.phone_number_id);
    file.map(|_| ()).ok_or_else(|| GraphError::detailed(MEDIA, "No file was uploaded under this id."))
}

/// Records the message, starts its statuses, and returns the answer.
async fn accept(core: &Arc<Core>, call: &Call, checked: &Checked<'_>, effects: &Effects) -> Value {
    let recipient = &checked.envelope.recipient;
    let (to, user_id) = match recipient {
        Recipient::Phone { digits, .. } => (Some(digits.clone()), ids::user_id(digits)),
        Recipient::UserId(user_id) => (None, user_id.clone()),
    };
    let id = core.ids.wamid(recipient.name(), Direction::Outbound);
    let message = Arc::new(Accepted {
        id: id.clone(),
        account_id: checked.sender.account_id.clone(),
        phone_number_id: checked.sender.phone_number_id.clone(),
        sender_digits: checked.sender.digits.clone(),
        to,
        user_id,
        tag: checked.envelope.tag.map(str::to_owned),
        category: checked
            .template
            .as_ref()
            .map_or_else(|| "service".to_owned(), |(category, _)| category.clone()),
        ttl_seconds: checked.template.as_ref().map(|(_, ttl)| *ttl),
        at: clock::now(),
        body: as_received(call),
    });
    {
        let mut log = core.log();
        log.accept(Taken::Whatsapp(Arc::clone(&message)));
        let names = message.to.as_deref().into_iter().chain([message.user_id.as_str()]);
        log.note(&message.phone_number_id, names, |person| person.got = Some(message.id.clone()));
    }
    let rungs = rungs(core, message.at, message.ttl_seconds, effects);
    phones::number_sent(core, &message, &rungs, &effects.dropped);
    let statuses = follow(core, &message, effects);
    if let Some(longest) = effects.before_response {
        // After the longest wait the statuses go on without being waited for.
        let _late = tokio::time::timeout(longest, statuses).await;
    }
    let contact = match recipient {
        Recipient::Phone { input, digits } => json!({ "input": input, "wa_id": digits }),
        Recipient::UserId(user_id) => json!({ "input": user_id, "user_id": user_id }),
    };
    let mut sent = Map::new();
    sent.insert("id".to_owned(), json!(id));
    if checked.template.is_some() {
        sent.insert("message_status".to_owned(), json!("accepted"));
    }
    json!({ "messaging_product": "whatsapp", "contacts": [contact], "messages": [sent] })
}

/// Returns the body byte for byte; a form is shown as the JSON it stands for.
fn as_received(call: &Call) -> Box<RawValue> {
    let raw = serde_json::from_slice::<Box<RawValue>>(&call.body);
    raw.or_else(|_| serde_json::value::to_raw_value(&call.fields)).unwrap_or_default()
}
