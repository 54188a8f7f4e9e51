//! What the networks tell us: taken in, applied to the sends they are about, and worked off.
//!
//! A mock that a test did not set up panics when it is called: "nothing is written" is said by leaving it
//! out.
#![expect(clippy::clone_on_ref_ptr, clippy::unwrap_used, clippy::panic, reason = "test support")]

mod journal;
mod quarantine;
mod receive;
mod recording;
mod refusals;
mod standings;
mod statuses;

pub(crate) use journal::Sync;

use std::sync::{Arc, Mutex};

use domain::{
    broadcasts::{
        HeedRefusals,
        ports::{MockBroadcastStore, MockMarketingStopStore},
    },
    deps::Deps,
    ids::JournalId,
    inbound::{ApplyStatuses, StatusChange, ports::MockSentMessages},
    sending::{Recorder, ports::MockSendLedger},
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, some_links},
};

/// The ports around statuses, and what was written.
struct Statuses {
    messages: MockSentMessages,
    ledger: MockSendLedger,
    signals: MockSignals,
    broadcasts: MockBroadcastStore,
    stops: MockMarketingStopStore,
    clock: Arc<ManualClock>,
    written: Arc<Mutex<Vec<StatusChange>>>,
    taken_in: Arc<Mutex<Vec<JournalId>>>,
}

impl Statuses {
    fn at(clock: Arc<ManualClock>) -> Self {
        Self {
            messages: MockSentMessages::new(),
            ledger: MockSendLedger::new(),
            signals: MockSignals::new(),
            broadcasts: MockBroadcastStore::new(),
            stops: MockMarketingStopStore::new(),
            clock,
            written: Arc::default(),
            taken_in: Arc::default(),
        }
    }

    fn use_case(self) -> ApplyStatuses {
        let signals = Arc::new(self.signals);
        let recorder = Recorder {
            ledger: Arc::new(self.ledger),
            deps: Deps {
                clock: self.clock.clone(),
                ids: Arc::new(SequentialIds::default()),
                signals: signals.clone(),
            },
            links: Arc::new(some_links()),
        };
        let deps = Deps { clock: self.clock, ids: Arc::new(SequentialIds::default()), signals };
        ApplyStatuses {
            messages: Arc::new(self.messages),
            recorder: Arc::new(recorder),
            refusals: HeedRefusals {
                broadcasts: Arc::new(self.broadcasts),
                stops: Arc::new(self.stops),
                deps: deps.clone(),
            },
            deps,
        }
    }
    fn writing(mut self) -> Self {
        let (written, taken_in) = (self.written.clone(), self.taken_in.clone());
        self.messages.expect_commit().returning(move |_, changes, updates| {
            written.lock().unwrap().extend_from_slice(changes);
            taken_in.lock().unwrap().extend_from_slice(updates);
            Ok(())
        });
        self
    }
}
