//! Keys that are looked up before updates are recorded, and what is found.

use std::collections::{BTreeSet, HashMap};

use super::super::conversation::{ConversationUpdate, UpdateKind};
use crate::{
    contacts::{Contact, Identity},
    conversation::Conversation,
    ids::{ChannelId, MessageId},
    messages::NetworkMessageId,
};

/// Everything that a batch of updates refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookupKeys {
    /// Every identity that the networks gave of the people.
    pub identities: BTreeSet<Identity>,
    pub channels: BTreeSet<ChannelId>,
    /// Messages by customers: only what a network has brought already can be the same.
    pub written: Vec<NetworkMessageId>,
    /// Messages that a network has brought or that we have sent.
    pub messages: Vec<NetworkMessageId>,
}

impl LookupKeys {
    pub(super) fn add(&mut self, channel: ChannelId, update: &ConversationUpdate) {
        self.channels.insert(channel);
        self.identities.extend(update.named().cloned());
        let message = match &update.what {
            UpdateKind::Wrote(written) => {
                self.messages.extend(written.context.reply_to.clone());
                self.written.push(written.network_id.clone());
                return;
            }
            UpdateKind::Echoed { written, .. } => {
                self.messages.extend(written.context.reply_to.clone());
                &written.network_id
            }
            UpdateKind::Reacted { message, .. }
            | UpdateKind::Edited { message, .. }
            | UpdateKind::Deleted { message } => message,
            UpdateKind::Renumbered { .. } | UpdateKind::Seen { .. } | UpdateKind::Signalled { .. } => return,
        };
        self.messages.push(message.clone());
    }
}

/// A contact that one of the requested identities leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPerson {
    pub contact: Contact,
    pub avatar_url: Option<String>,
    /// Requested identities that lead to them.
    pub identities: BTreeSet<Identity>,
    pub conversations: Vec<Conversation>,
}

/// A message that one of the requested ids is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownMessage {
    pub network_id: NetworkMessageId,
    /// Id of the message, or of the send.
    pub id: MessageId,
}

/// Result of a lookup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookupResult {
    /// People, each once.
    pub people: Vec<KnownPerson>,
    pub messages: Vec<KnownMessage>,
}

/// Index of known people by identity.
pub(super) struct ByIdentity<'a> {
    people: &'a [KnownPerson],
    places: HashMap<&'a Identity, Vec<usize>>,
}

impl<'a> ByIdentity<'a> {
    pub(super) fn of(people: &'a [KnownPerson]) -> Self {
        let mut places: HashMap<&Identity, Vec<usize>> = HashMap::new();
        for (place, person) in people.iter().enumerate() {
            for identity in &person.identities {
                places.entry(identity).or_default().push(place);
            }
        }
        Self { people, places }
    }

    /// Returns the people with any of these identities, each once.
    pub(super) fn any_of(&self, identities: &BTreeSet<Identity>) -> Vec<&'a KnownPerson> {
        let places = identities.iter().filter_map(|identity| self.places.get(identity)).flatten().copied();
        let places: BTreeSet<usize> = places.collect();
        places.into_iter().filter_map(|place| self.people.get(place)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::LookupKeys;
    use crate::{
        contacts::Identity,
        inbound::{ConversationUpdate, Person, UpdateKind, Written},
        messages::{Context, NetworkMessageId},
        testing::{a_conversation, a_moment},
    };

    fn named(name: &str) -> NetworkMessageId {
        name.to_owned().into()
    }

    /// Two messages, each an answer to the one that was sent.
    #[test]
    fn what_a_customer_wrote_is_looked_for_where_networks_brought_it_and_all_else_among_our_sends_too() {
        let written = |name: &str| Written {
            network_id: named(name),
            content: "yes".to_owned(),
            media: Vec::new(),
            context: Context { reply_to: Some(named("sent")), ..Context::default() },
        };
        let echoed = UpdateKind::Echoed { written: written("echoed"), tag: None, by_us: true };
        let deleted = UpdateKind::Deleted { message: named("deleted") };
        let mut asked = LookupKeys::default();
        for what in [UpdateKind::Wrote(written("wrote")), echoed, deleted] {
            let identities = vec![Identity::WhatsappUser("sara".to_owned())];
            let person = Person { identities, name: None, avatar_url: None };
            let update = ConversationUpdate { person, at: a_moment(), what };
            asked.add(a_conversation().channel, &update);
        }
        assert_eq!(asked.written, [named("wrote")]);
        assert_eq!(asked.messages, [named("sent"), named("sent"), named("echoed"), named("deleted")]);
    }
}
