//! Order in which updates are handled.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use super::{JournalEntry, JournalItem, UpdateOutcome, conversation::UpdateKind};
use crate::contacts::Identity;

/// Key shared by updates that must be handled in the order of their arrival. Keys shared by chance only cost
/// time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OrderKey(u64);

impl OrderKey {
    fn of(kind: &str, name: &impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        kind.hash(&mut hasher);
        name.hash(&mut hasher);
        Self(hasher.finish())
    }
}

impl JournalItem {
    /// Returns the keys: of a status its message; of a conversation's update its person, under every identity
    /// that the network gave; of changed templates and standings their account. How far a person has read has
    /// keys of its own: it is about what we sent, and neither follows what they write nor the other way
    /// round.
    pub fn order_keys(&self) -> Vec<OrderKey> {
        let person = |identity: &Identity| OrderKey::of(identity.kind(), &identity.value());
        let reader = |identity: &Identity| OrderKey::of("reader", &(identity.kind(), identity.value()));
        match self {
            Self::Status(status) => vec![OrderKey::of("message", &status.network_id.reveal())],
            Self::TemplatesChanged { account_network_id }
            | Self::AccountStanding { account_network_id, .. } => {
                vec![OrderKey::of("account", account_network_id)]
            }
            // The person is not known yet.
            Self::Named { named, .. } => vec![OrderKey::of("named", &named.message.reveal())],
            Self::Conversation { update, .. } => match update.what {
                UpdateKind::Seen { .. } => update.named().map(reader).collect(),
                UpdateKind::Renumbered { .. } => {
                    update.named().map(person).chain(update.named().map(reader)).collect()
                }
                _ => update.named().map(person).collect(),
            },
        }
    }
}

/// Order keys that are held up by updates of a batch that could not be handled.
#[derive(Default)]
pub(super) struct HeldUp(HashSet<OrderKey>);

impl HeldUp {
    /// Returns whether the update follows one that holds it up; if so, it holds up what follows it.
    pub(super) fn holds(&mut self, entry: &JournalEntry) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let keys = entry.item.order_keys();
        let holds = keys.iter().any(|key| self.0.contains(key));
        if holds {
            self.0.extend(keys);
        }
        holds
    }

    /// Records the outcome of an update; one that failed or has to hold up others holds up what follows it.
    pub(super) fn note(&mut self, entry: &JournalEntry, outcome: &UpdateOutcome) {
        if matches!(outcome, UpdateOutcome::HoldsUp | UpdateOutcome::Failed(_) | UpdateOutcome::Unreached(_))
        {
            self.0.extend(entry.item.order_keys());
        }
    }
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::{
        super::{ConversationUpdate, Person, StatusUpdate, UpdateKind},
        Identity, JournalItem,
    };
    use crate::{
        messages::{DeliveryStatus, NetworkMessageId},
        phone::PhoneNumber,
    };

    fn phone(last: u32) -> Identity {
        Identity::Phone(PhoneNumber::from_e164(&format!("+964771000000{last}")).unwrap())
    }

    fn in_conversation(identities: Vec<Identity>, what: UpdateKind) -> JournalItem {
        let person = Person { identities, name: None, avatar_url: None };
        let update = Box::new(ConversationUpdate { person, at: OffsetDateTime::UNIX_EPOCH, what });
        JournalItem::Conversation { channel: Uuid::from_u128(1).into(), update }
    }

    fn deleted(identities: Vec<Identity>) -> JournalItem {
        in_conversation(identities, UpdateKind::Deleted { message: NetworkMessageId::from("m".to_owned()) })
    }

    fn status(network_id: &str, status: DeliveryStatus) -> JournalItem {
        JournalItem::Status(StatusUpdate {
            network_id: NetworkMessageId::from(network_id.to_owned()),
            tag: None,
            status,
            at: OffsetDateTime::UNIX_EPOCH,
            error: None,
        })
    }

    fn follow_each_other(one: &JournalItem, other: &JournalItem) -> bool {
        one.order_keys().iter().any(|key| other.order_keys().contains(key))
    }

    #[test]
    fn statuses_of_one_message_follow_each_other() {
        let sent = status("a", DeliveryStatus::Sent);
        assert!(follow_each_other(&sent, &status("a", DeliveryStatus::Read)));
        assert!(!follow_each_other(&sent, &status("b", DeliveryStatus::Read)));
    }

    #[test]
    fn what_one_person_does_follows_whatever_name_they_go_by() {
        let both = deleted(vec![phone(1), Identity::MessengerUser("1".to_owned())]);
        assert!(follow_each_other(&both, &deleted(vec![phone(1)])));
        assert!(follow_each_other(&both, &deleted(vec![Identity::MessengerUser("1".to_owned())])));
        assert!(!follow_each_other(&both, &deleted(vec![phone(2)])));
    }

    #[test]
    fn a_changed_number_holds_up_what_comes_from_the_new_one() {
        let changed = in_conversation(vec![phone(1)], UpdateKind::Renumbered { now: vec![phone(2)] });
        assert!(follow_each_other(&changed, &deleted(vec![phone(1)])));
        assert!(follow_each_other(&changed, &deleted(vec![phone(2)])));
    }
}
