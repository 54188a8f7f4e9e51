//! Outcomes of sends that could not be stored: retried until they are, or lost with the process.

use std::{
    collections::BTreeMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use time::{Duration, OffsetDateTime};

use super::{
    ledger::{Intent, SendAttempt},
    ports::SendLedger,
    record::Recorder,
};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    messages::{NetworkError, NetworkMessageId},
};

/// Largest number of outcomes remembered at once; those beyond are left to the networks' statuses.
const MOST: usize = 10_000;
/// Largest number of sends released in one call.
const TOGETHER: usize = 100;
/// Time within which a reservation whose answer was lost may still be committed.
const LATE: Duration = Duration::minutes(1);

/// Known outcome of a send that is, or may be, in flight in the ledger.
#[derive(Debug, Clone)]
pub enum KnownOutcome {
    /// The network was never asked. Whether the send was begun is unknown: the answer to that was lost.
    NeverAsked,
    /// The send was begun, and certainly nothing was sent.
    NotSent,
    /// The network refused a reply, which stays in its conversation as failed.
    Refused { error: NetworkError, at: OffsetDateTime },
    /// The network accepted the message under this id.
    Accepted(NetworkMessageId),
}

/// Sends whose outcome this process knows and the ledger does not.
pub struct Unfinished {
    ledger: Arc<dyn SendLedger>,
    recorder: Arc<Recorder>,
    clock: Arc<dyn Clock>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    sends: Vec<Remembered>,
    forgotten: usize,
}

struct Remembered {
    intent: Intent,
    known: KnownOutcome,
    since: OffsetDateTime,
}

/// Result of one round of retries.
#[derive(Debug, Default)]
pub struct Finished {
    /// Sends that were stored, or no longer need to be.
    pub finished: usize,
    pub left: usize,
    /// Sends that could not be remembered since the last round, for there were too many.
    pub forgotten: usize,
    /// Last failure of the store. If there was none, sends that are left may or may not have been begun, and
    /// the next round looks again.
    pub failed: Option<StoreError>,
}

impl Unfinished {
    /// Creates one without any sends.
    pub fn new(ledger: Arc<dyn SendLedger>, recorder: Arc<Recorder>, clock: Arc<dyn Clock>) -> Self {
        Self { ledger, recorder, clock, waiting: Mutex::default() }
    }

    /// Remembers what is known of a send until it is stored.
    pub fn remember(&self, intent: &Intent, known: KnownOutcome) {
        let since = self.clock.now();
        let mut waiting = self.waiting();
        if waiting.sends.len() < MOST {
            waiting.sends.push(Remembered { intent: intent.clone(), known, since });
        } else {
            waiting.forgotten += 1;
        }
    }

    /// Returns `true` if nothing is left to store.
    pub fn is_empty(&self) -> bool {
        self.waiting().sends.is_empty()
    }

    /// Tries once to store everything. A store that proves unavailable is not asked again in the same round.
    pub async fn run(&self) -> Finished {
        let Waiting { sends, forgotten } = mem::take(&mut *self.waiting());
        let mut round = Round { finished: 0, left: Vec::new(), failed: None };
        let mut unsent: BTreeMap<WorkspaceId, Vec<Remembered>> = BTreeMap::new();
        for send in sends {
            match &send.known {
                KnownOutcome::NeverAsked | KnownOutcome::NotSent => {
                    unsent.entry(send.intent.workspace).or_default().push(send);
                }
                KnownOutcome::Refused { .. } | KnownOutcome::Accepted(_) => {
                    self.write(&mut round, send).await;
                }
            }
        }
        for (workspace, mut sends) in unsent {
            while !sends.is_empty() {
                let rest = sends.split_off(sends.len().min(TOGETHER));
                self.release(&mut round, workspace, mem::replace(&mut sends, rest)).await;
            }
        }
        let Round { finished, left, failed } = round;
        let mut waiting = self.waiting();
        let come_meanwhile = mem::replace(&mut waiting.sends, left);
        waiting.sends.extend(come_meanwhile);
        Finished { finished, left: waiting.sends.len(), forgotten, failed }
    }

    async fn write(&self, round: &mut Round, send: Remembered) {
        if round.store_is_away() {
            return round.left.push(send);
        }
        let Intent { workspace, id, .. } = send.intent;
        let written = match &send.known {
            KnownOutcome::Accepted(network_id) => self.recorder.run(&send.intent, network_id).await.map(drop),
            KnownOutcome::Refused { error, at } => self.ledger.refuse_reply(workspace, id, error, *at).await,
            KnownOutcome::NeverAsked | KnownOutcome::NotSent => Ok(()),
        };
        match written {
            Ok(()) => round.finished += 1,
            Err(error) => round.fail(error, [send]),
        }
    }

    async fn release(&self, round: &mut Round, workspace: WorkspaceId, sends: Vec<Remembered>) {
        if round.store_is_away() {
            return round.left.extend(sends);
        }
        let attempts: Vec<SendAttempt> = sends.iter().map(|send| send.intent.attempt()).collect();
        match self.ledger.release(workspace, &attempts).await {
            Ok(released) => {
                let now = self.clock.now();
                let may_come = |send: &Remembered| {
                    let lost = matches!(send.known, KnownOutcome::NeverAsked) && now - send.since < LATE;
                    lost && !released.contains(&send.intent.attempt())
                };
                let (left, done): (Vec<_>, Vec<_>) = sends.into_iter().partition(may_come);
                round.finished += done.len();
                round.left.extend(left);
            }
            Err(error) => round.fail(error, sends),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Round {
    finished: usize,
    left: Vec<Remembered>,
    failed: Option<StoreError>,
}

impl Round {
    fn store_is_away(&self) -> bool {
        matches!(self.failed, Some(StoreError::Unavailable(_)))
    }

    fn fail(&mut self, error: StoreError, sends: impl IntoIterator<Item = Remembered>) {
        self.failed = Some(error);
        self.left.extend(sends);
    }
}
