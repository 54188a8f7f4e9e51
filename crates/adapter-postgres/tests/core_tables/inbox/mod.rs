//! Customers' messages, from the journal to the conversation.

mod echoes;
mod people;
mod races;
mod recording;
mod seen;
mod unnamed;

use std::sync::Arc;

use adapter_postgres::Stores;
use domain::{
    broadcasts::HeedRefusals,
    contacts::Identity,
    deps::Deps,
    ids::{ChannelId, JournalId},
    inbound::{
        ApplyStatuses, ConversationUpdate, JournalEntry, JournalItem, Person, RecordUpdates, UpdateKind,
        UpdateOutcome, Written,
        ports::{Inbox, Journal},
    },
    messages::{Context, NetworkMessageId},
    sending::Recorder,
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, some_links},
};
use time::{Duration, OffsetDateTime};

use crate::core_tables::world::{NOW, World, phone};

pub(crate) const SARA: &str = "+9647701234567";

/// A person with a number.
pub(crate) fn number(e164: &str) -> Identity {
    Identity::Phone(phone(e164))
}

/// A person whose number WhatsApp hides.
pub(crate) fn user(id: &str) -> Identity {
    Identity::WhatsappUser(id.to_owned())
}

pub(crate) fn network_id(id: &str) -> NetworkMessageId {
    NetworkMessageId::from(id.to_owned())
}

pub(crate) fn words(id: &str, content: &str) -> Written {
    Written {
        network_id: network_id(id),
        content: content.to_owned(),
        media: Vec::new(),
        context: Context::default(),
    }
}

/// Somebody with these identities does something, `before` our clock's now.
pub(crate) fn update(identities: &[Identity], what: UpdateKind) -> ConversationUpdate {
    ConversationUpdate {
        person: Person {
            identities: identities.to_vec(), name: Some("سارة".to_owned()), avatar_url: None
        },
        at: NOW - Duration::seconds(3),
        what,
    }
}

pub(crate) fn wrote(identities: &[Identity], id: &str) -> ConversationUpdate {
    update(identities, UpdateKind::Wrote(words(id, &format!("نص {id}"))))
}

impl World {
    /// Journals the updates over the world's number and records them together.
    pub(crate) async fn record(&self, updates: Vec<ConversationUpdate>) -> Vec<UpdateOutcome> {
        let updates = updates.into_iter().map(|update| (self.channel, update)).collect();
        self.record_over(&self.stores, updates, NOW).await
    }

    /// Records the updates over any connection, by any node, at any time.
    pub(crate) async fn record_over(
        &self,
        stores: &Stores,
        updates: Vec<(ChannelId, ConversationUpdate)>,
        now: OffsetDateTime,
    ) -> Vec<UpdateOutcome> {
        let entry = |(channel, update)| JournalEntry {
            id: JournalId::new(&*self.ids),
            workspace: self.workspace,
            received_at: NOW,
            attempts: 1,
            item: JournalItem::Conversation { channel, update: Box::new(update) },
        };
        let entries: Vec<JournalEntry> = updates.into_iter().map(entry).collect();
        stores.inbound.append(self.workspace, &entries, false).await.unwrap();
        self.recording(stores, now).record(self.workspace, &entries).await
    }

    pub(crate) fn recording(&self, stores: &Stores, now: OffsetDateTime) -> RecordUpdates {
        let signals = || {
            let mut signals = MockSignals::new();
            signals.expect_deliveries_due().return_const(());
            signals.expect_files_awaited().return_const(());
            signals.expect_broadcast_paused().return_const(());
            Arc::new(signals)
        };
        let stores = Arc::new(stores.clone());
        let clock = Arc::new(ManualClock::at(now));
        let ids = Arc::<SequentialIds>::clone(&self.ids);
        let recorder = Recorder {
            ledger: stores.sends.clone(),
            deps: Deps { clock: clock.clone(), ids: Arc::<SequentialIds>::clone(&ids), signals: signals() },
            links: Arc::new(some_links()),
        };
        RecordUpdates {
            store: stores.inbound.clone(),
            statuses: ApplyStatuses {
                messages: stores.inbound.clone(),
                recorder: Arc::new(recorder),
                refusals: HeedRefusals {
                    broadcasts: stores.broadcasts.clone(),
                    stops: stores.broadcasts.clone(),
                    deps: Deps {
                        clock: clock.clone(),
                        ids: Arc::<SequentialIds>::clone(&ids),
                        signals: signals(),
                    },
                },
                deps: Deps {
                    clock: clock.clone(),
                    ids: Arc::new(SequentialIds::default()),
                    signals: signals(),
                },
            },
            stops: stores.broadcasts.clone(),
            unread: stores.inbound.clone(),
            deps: Deps { clock, ids, signals: signals() },
        }
    }
}
