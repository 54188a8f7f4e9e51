//! Accepted messages and posted webhooks: the last [`Config::keep`](crate::Config::keep) of each.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use time::{Duration, OffsetDateTime};

use crate::world::Channel;

/// A message that the network accepted.
#[derive(Debug, Clone)]
pub(crate) enum Taken {
    Whatsapp(Arc<Accepted>),
    Page(Arc<PageMessage>),
}

impl Taken {
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Whatsapp(message) => &message.id,
            Self::Page(message) => &message.id,
        }
    }
}

/// A message sent by a page or an Instagram account.
#[derive(Debug)]
pub(crate) struct PageMessage {
    pub(crate) id: String,
    pub(crate) channel: Channel,
    /// The person's id there.
    pub(crate) to: String,
    /// The message as the echo shows it: text, attachments, metadata.
    pub(crate) shown: Map<String, Value>,
    pub(crate) at: OffsetDateTime,
    /// Body of the request, byte for byte.
    pub(crate) body: Box<RawValue>,
}

/// A message sent by a number.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) id: String,
    pub(crate) account_id: String,
    pub(crate) phone_number_id: String,
    /// The business's number, digits only.
    pub(crate) sender_digits: String,
    /// The person's number, digits only; `None` if addressed by user id.
    pub(crate) to: Option<String>,
    pub(crate) user_id: String,
    /// `biz_opaque_callback_data`.
    pub(crate) tag: Option<String>,
    /// Category for pricing: `utility`, `authentication`, `marketing`, `service`.
    pub(crate) category: String,
    /// Seconds that it is kept for a phone that is off; `None` for longer than anybody waits.
    pub(crate) ttl_seconds: Option<u64>,
    pub(crate) at: OffsetDateTime,
    /// Body of the request, byte for byte.
    pub(crate) body: Box<RawValue>,
}

/// A posted webhook with its outcome.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Posted {
    pub(crate) at: String,
    pub(crate) url: String,
    /// 1 for the first.
    pub(crate) attempt: usize,
    /// HTTP status of the callback's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// Reason why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// Posted body, byte for byte.
    #[serde(serialize_with = "raw")]
    pub(crate) body: Arc<RawValue>,
}

fn raw<S: Serializer>(body: &Arc<RawValue>, serializer: S) -> Result<S::Ok, S::Error> {
    body.as_ref().serialize(serializer)
}

/// What a number, a page or an Instagram account knows of a person.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownPerson {
    pub(crate) name: Option<String>,
    /// Time of the person's last message.
    pub(crate) wrote_at: Option<OffsetDateTime>,
    /// Last message that the person wrote.
    pub(crate) wrote: Option<String>,
    /// Last message that the person got.
    pub(crate) got: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Log {
    messages: Recent<String, Taken>,
    webhooks: VecDeque<Arc<Posted>>,
    /// By the channel's id and the person's.
    people: Recent<(String, String), KnownPerson>,
    /// Messages of people to pages and Instagram accounts, by the network's ids.
    written: Recent<String, PersonMessage>,
    keep: usize,
}

/// A message that a person wrote to a page or an Instagram account.
#[derive(Debug, Clone)]
pub(crate) struct PersonMessage {
    pub(crate) channel: Channel,
    /// The person's id there.
    pub(crate) from: String,
    pub(crate) text: String,
    pub(crate) at: OffsetDateTime,
}

impl Log {
    pub(crate) fn new(keep: usize) -> Self {
        let (messages, people, written) = (Recent::new(keep), Recent::new(keep), Recent::new(keep));
        Self { messages, webhooks: VecDeque::new(), people, written, keep }
    }

    /// Stores a message that a person wrote.
    pub(crate) fn write(&mut self, id: &str, message: PersonMessage) {
        self.written.put(id.to_owned(), message);
    }

    pub(crate) fn written(&self, id: &str) -> Option<&PersonMessage> {
        self.written.get(&id.to_owned())
    }

    pub(crate) fn accept(&mut self, message: Taken) {
        self.messages.put(message.id().to_owned(), message);
    }

    /// Finds a message that a number sent.
    pub(crate) fn message(&self, id: &str) -> Option<Arc<Accepted>> {
        match self.messages.get(&id.to_owned())? {
            Taken::Whatsapp(message) => Some(Arc::clone(message)),
            Taken::Page(_) => None,
        }
    }

    /// Lists the accepted messages, oldest first.
    pub(crate) fn messages(&self) -> Vec<Taken> {
        self.messages.order.iter().filter_map(|id| self.messages.values.get(id).cloned()).collect()
    }

    pub(crate) fn posted(&mut self, webhook: Posted) {
        self.webhooks.push_back(Arc::new(webhook));
        if self.webhooks.len() > self.keep {
            self.webhooks.pop_front();
        }
    }

    /// Lists the posted webhooks, oldest first.
    pub(crate) fn webhooks(&self) -> Vec<Arc<Posted>> {
        self.webhooks.iter().cloned().collect()
    }

    pub(crate) fn person(&self, channel_id: &str, person: &str) -> Option<&KnownPerson> {
        self.people.get(&(channel_id.to_owned(), person.to_owned()))
    }

    /// Updates what a channel knows of a person, under each of the person's names there.
    pub(crate) fn note<'a>(
        &mut self,
        channel_id: &str,
        names: impl IntoIterator<Item = &'a str>,
        mut note: impl FnMut(&mut KnownPerson),
    ) {
        for name in names {
            let key = (channel_id.to_owned(), name.to_owned());
            let mut known = self.people.get(&key).cloned().unwrap_or_default();
            note(&mut known);
            self.people.put(key, known);
        }
    }

    /// Returns whether the person wrote there within `length`.
    pub(crate) fn wrote_within(
        &self,
        channel_id: &str,
        person: &str,
        length: Duration,
        now: OffsetDateTime,
    ) -> bool {
        let wrote = self.person(channel_id, person).and_then(|person| person.wrote_at);
        wrote.is_some_and(|wrote| now - wrote < length)
    }
}

/// A map that drops its oldest key once it is full.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    order: VecDeque<K>,
    values: HashMap<K, V>,
    keep: usize,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    pub(crate) fn new(keep: usize) -> Self {
        Self { order: VecDeque::new(), values: HashMap::new(), keep }
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.values.get(key)
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.values.get_mut(key)
    }

    pub(crate) fn put(&mut self, key: K, value: V) {
        if self.values.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > self.keep
            && let Some(oldest) = self.order.pop_front()
        {
            self.values.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_entries_are_kept() {
        let mut recent = Recent::new(2);
        for (key, value) in [("a", 1), ("b", 2), ("a", 3), ("c", 4)] {
            recent.put(key, value);
        }
        assert_eq!(recent.order, ["b", "c"]);
        assert_eq!(recent.values.get("a"), None);
        assert_eq!(recent.values.len(), 2);
    }
}
