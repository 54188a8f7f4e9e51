//! What was accepted and what was posted: the last [`Config::keep`](crate::Config::keep) of each.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use time::{Duration, OffsetDateTime};

/// A message that the network took.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) id: String,
    pub(crate) account_id: String,
    pub(crate) phone_number_id: String,
    /// The business's number, digits only.
    pub(crate) sender_digits: String,
    /// The person's number, digits only. `None`: addressed by user id.
    pub(crate) to: Option<String>,
    pub(crate) user_id: String,
    /// `biz_opaque_callback_data`.
    pub(crate) tag: Option<String>,
    /// What it is priced as: `utility`, `authentication`, `marketing`, `service`.
    pub(crate) category: String,
    /// How long it is kept for a phone that is off. `None`: longer than anybody waits.
    pub(crate) ttl_seconds: Option<u64>,
    pub(crate) at: OffsetDateTime,
    /// The request's body, byte for byte.
    pub(crate) body: Box<RawValue>,
}

/// A webhook that was posted, and what became of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Posted {
    pub(crate) at: String,
    pub(crate) url: String,
    /// 1 for the first.
    pub(crate) attempt: usize,
    /// What the callback answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// What was posted, byte for byte.
    #[serde(serialize_with = "raw")]
    pub(crate) body: Arc<RawValue>,
}

fn raw<S: Serializer>(body: &Arc<RawValue>, serializer: S) -> Result<S::Ok, S::Error> {
    body.as_ref().serialize(serializer)
}

/// The log itself.
#[derive(Debug)]
pub(crate) struct Log {
    messages: Recent<String, Arc<Accepted>>,
    webhooks: VecDeque<Arc<Posted>>,
    /// (Number id, person) to when the person last wrote to it.
    windows: Recent<(String, String), OffsetDateTime>,
    keep: usize,
}

impl Log {
    pub(crate) fn new(keep: usize) -> Self {
        Self { messages: Recent::new(keep), webhooks: VecDeque::new(), windows: Recent::new(keep), keep }
    }

    pub(crate) fn accept(&mut self, message: Arc<Accepted>) {
        self.messages.put(message.id.clone(), message);
    }

    pub(crate) fn message(&self, id: &str) -> Option<Arc<Accepted>> {
        self.messages.values.get(id).cloned()
    }

    /// Oldest first.
    pub(crate) fn messages(&self) -> Vec<Arc<Accepted>> {
        self.messages.order.iter().filter_map(|id| self.messages.values.get(id).cloned()).collect()
    }

    pub(crate) fn posted(&mut self, webhook: Posted) {
        self.webhooks.push_back(Arc::new(webhook));
        if self.webhooks.len() > self.keep {
            self.webhooks.pop_front();
        }
    }

    /// Oldest first.
    pub(crate) fn webhooks(&self) -> Vec<Arc<Posted>> {
        self.webhooks.iter().cloned().collect()
    }

    /// Notes that a person wrote to a number: by each of their names.
    pub(crate) fn wrote<'a>(
        &mut self,
        number_id: &str,
        people: impl Iterator<Item = &'a str>,
        at: OffsetDateTime,
    ) {
        for person in people {
            self.windows.put((number_id.to_owned(), person.to_owned()), at);
        }
    }

    /// Whether the person wrote to the number within the last 24 hours.
    pub(crate) fn window_is_open(&self, number_id: &str, person: &str, now: OffsetDateTime) -> bool {
        let wrote = self.windows.values.get(&(number_id.to_owned(), person.to_owned()));
        wrote.is_some_and(|wrote| now - *wrote < Duration::hours(24))
    }
}

/// A map that forgets the key that came first once it is full.
#[derive(Debug)]
struct Recent<K, V> {
    order: VecDeque<K>,
    values: HashMap<K, V>,
    keep: usize,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    fn new(keep: usize) -> Self {
        Self { order: VecDeque::new(), values: HashMap::new(), keep }
    }

    fn put(&mut self, key: K, value: V) {
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
