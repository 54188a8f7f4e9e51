//! People on the other side of the networks: their messages, as pieces of webhooks.

mod fill;
mod on_page;
mod on_whatsapp;

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::core::Core;
use crate::posts::Piece;
use crate::surface::Surface;
use crate::world::{Channel, Sender};

pub(crate) use on_whatsapp::by_the_team;

/// A sample of every kind of message, by network and name. `$about`, `$own`, `$got`, `$new` and `$now` stand
/// for ids and the time.
const SAMPLES: &str = include_str!("samples.json");

/// Number or channel that a person writes to.
#[derive(Debug, Clone)]
pub(crate) enum Destination {
    Number(Sender),
    Page(Channel),
}

impl Destination {
    /// Finds the number, page or Instagram account with this id.
    pub(crate) fn find(core: &Core, id: &str) -> Option<Self> {
        let world = core.world();
        world.sender(id).map(Self::Number).or_else(|| world.channel(id).map(Self::Page))
    }

    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Number(sender) => &sender.phone_number_id,
            Self::Page(channel) => &channel.id,
        }
    }

    /// Returns the network's name.
    fn network(&self) -> &'static str {
        match self {
            Self::Number(_) => "whatsapp",
            Self::Page(channel) => channel.surface.name(),
        }
    }
}

/// A person who writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Person {
    /// On WhatsApp the number in any spelling, if the person has one; elsewhere the person's id.
    pub(crate) from: Option<String>,
    /// WhatsApp's user id; made from the number if absent.
    pub(crate) user_id: Option<String>,
    pub(crate) name: Option<String>,
}

/// Content that a person writes.
#[derive(Debug, Clone)]
pub(crate) enum Words {
    /// A message as on the wire; on a page the object under `message`.
    Message(Map<String, Value>),
    /// On a page: anything beside sender, recipient and time.
    Event(Map<String, Value>),
    /// Name of a sample.
    Sample(String),
}

/// Returns the samples of `whatsapp`, `messenger` or `instagram`, by name: a message of each kind. On
/// WhatsApp without id, time and writer; elsewhere an element without sender, recipient and time.
pub fn samples_of(network: &str) -> BTreeMap<String, Value> {
    samples().remove(network).unwrap_or_default()
}

/// Returns the samples of every network, by name.
pub(crate) fn samples() -> BTreeMap<String, BTreeMap<String, Value>> {
    serde_json::from_str(SAMPLES).unwrap_or_default()
}

/// Lets a person write to a place, about an earlier message if one is named; records that the person wrote.
/// Returns the message's id and its piece of a webhook.
pub(crate) fn write(
    core: &Core,
    place: &Destination,
    person: &Person,
    words: &Words,
    about: Option<&str>,
    now: OffsetDateTime,
) -> Result<(String, Piece), String> {
    let words = match words {
        Words::Sample(name) => {
            let network = place.network();
            let all = samples();
            let sample = all.get(network).and_then(|samples| samples.get(name)).and_then(Value::as_object);
            let sample = sample.cloned().ok_or_else(|| format!("there is no sample {name} of {network}"))?;
            match place {
                Destination::Number(_) => Words::Message(sample),
                Destination::Page(_) => Words::Event(sample),
            }
        }
        own => own.clone(),
    };
    match (place, words) {
        (Destination::Number(sender), Words::Message(message)) => {
            on_whatsapp::write(core, sender, person, message, about, now)
        }
        (Destination::Number(_), _) => Err("a number takes a `message` or a `sample`".to_owned()),
        (Destination::Page(channel), Words::Message(message)) => {
            let event = Map::from_iter([("message".to_owned(), Value::Object(message))]);
            on_page::write(core, channel, person, event, about, now)
        }
        (Destination::Page(channel), Words::Event(event)) => {
            on_page::write(core, channel, person, event, about, now)
        }
        (Destination::Page(_), Words::Sample(name)) => Err(format!("there is no sample {name}")),
    }
}

/// Returns the `index`th made-up person of a place: the same one every time.
pub(crate) fn made_up(place: &Destination, index: u64) -> Person {
    let from = match place {
        Destination::Number(_) => 9_647_710_000_000 + index,
        Destination::Page(Channel { surface: Surface::Messenger, .. }) => 24_810_000_000_000_000 + index,
        Destination::Page(_) => 17_850_000_000_000_000 + index,
    };
    Person { from: Some(from.to_string()), user_id: None, name: Some(format!("Person {index}")) }
}
