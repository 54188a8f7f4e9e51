//! Merging of contacts that turn out to be one person: their activity and signals.
//!
//! [`ContactMerge`](crate::inbound::ContactMerge) has their name, picture, number and identities.

use std::collections::{BTreeMap, BTreeSet};

use time::{Date, OffsetDateTime};

use crate::ids::{ChannelId, ContactId};

/// Activity of a contact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactActivity {
    /// Names of the networks over which they have conversations.
    pub networks: BTreeSet<String>,
    pub last_active_at: Option<OffsetDateTime>,
    /// First day of the last month in which they were active.
    pub active_month: Option<Date>,
}

/// Merges the activities of one person's contacts: all networks, and the latest times.
pub fn merge_activity(contacts: impl IntoIterator<Item = ContactActivity>) -> ContactActivity {
    contacts.into_iter().fold(ContactActivity::default(), |mut all, contact| {
        all.networks.extend(contact.networks);
        all.last_active_at = all.last_active_at.max(contact.last_active_at);
        all.active_month = all.active_month.max(contact.active_month);
        all
    })
}

/// A contact's signal, with its content as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedSignal<S> {
    pub contact: ContactId,
    pub channel: ChannelId,
    /// See [`ContactSignal::kind`](super::ContactSignal::kind).
    pub kind: String,
    pub at: OffsetDateTime,
    pub signal: S,
}

/// Returns the signals that the surviving contact gets from the others: those that are the latest of their
/// kind over their channel. Of equally late ones the survivor's own stays.
pub fn signals_to_move<S>(survivor: ContactId, signals: &[MergedSignal<S>]) -> Vec<&MergedSignal<S>> {
    let (own, others): (Vec<_>, Vec<_>) = signals.iter().partition(|signal| signal.contact == survivor);
    let mut latest: BTreeMap<(ChannelId, &str), &MergedSignal<S>> = BTreeMap::new();
    for signal in own.into_iter().chain(others) {
        let known = latest.entry((signal.channel, &signal.kind)).or_insert(signal);
        if known.at < signal.at {
            *known = signal;
        }
    }
    latest.into_values().filter(|signal| signal.contact != survivor).collect()
}
