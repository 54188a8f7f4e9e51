//! What is known when updates are about to be recorded, and what is to be asked for it.

use std::collections::{BTreeSet, HashMap};

use super::super::{ConversationUpdate, UpdateKind};
use crate::{
    contacts::{Contact, Identity},
    conversations::Conversation,
    ids::{ChannelId, MessageId},
    messages::NetworkMessageId,
};

/// A batch of updates speaks of these.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookupKeys {
    /// They are the people, by every name that the networks gave of them.
    pub identities: BTreeSet<Identity>,
    pub channels: BTreeSet<ChannelId>,
    /// They are what customers wrote: only what a network has brought already can be the same.
    pub written: Vec<NetworkMessageId>,
    /// They may be of what a network has brought or of what we have sent.
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

/// One of the asked identities names this contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPerson {
    pub contact: Contact,
    pub avatar_url: Option<String>,
    /// These of the asked identities name them.
    pub identities: BTreeSet<Identity>,
    /// They are their conversations over the asked connections.
    pub conversations: Vec<Conversation>,
}

/// One of the asked names is about this message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownMessage {
    pub network_id: NetworkMessageId,
    /// It is the id of the message, or of the send.
    pub id: MessageId,
}

/// It is what the store knows of what was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookupResult {
    /// Each person is there once.
    pub people: Vec<KnownPerson>,
    pub messages: Vec<KnownMessage>,
}

/// They are known people, to be found by their identities.
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

    /// Returns whoever has one of these, each once.
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
