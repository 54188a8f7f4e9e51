//! Outbox of mails for the mail server: tried in the background, for an hour.

use std::{sync::Arc, time::Duration};

use domain::clock::Clock;
use futures_util::{StreamExt, stream::FuturesUnordered};
use lettre::Message;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};
use uuid::Uuid;

use crate::server::{MailServer, NotTaken};

/// Most mails that wait, and as many more until they are looked at.
pub(crate) const MOST: usize = 500;
/// Most mails that the mail server is given at once.
const AT_ONCE: usize = 4;
/// Pauses between the attempts. A server that puts off mail of strangers accepts it after some minutes.
const GAPS: [Duration; 6] = [
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_mins(2),
    Duration::from_mins(7),
    Duration::from_mins(20),
    Duration::from_mins(30),
];
/// Time for the last attempts at the end of the process.
const LAST_TRIES: Duration = Duration::from_secs(3);

/// A mail that is written.
pub(crate) struct Letter {
    pub(crate) id: Uuid,
    pub(crate) message: Message,
}

/// Mails that wait for the mail server.
pub struct Outbox {
    waiting: mpsc::Receiver<Letter>,
    round: Round,
}

/// Everything that an attempt at a mail needs.
struct Round {
    server: MailServer,
    slots: Semaphore,
    clock: Arc<dyn Clock>,
}

impl Outbox {
    pub(crate) fn new(waiting: mpsc::Receiver<Letter>, server: MailServer, clock: Arc<dyn Clock>) -> Self {
        Self { waiting, round: Round { server, slots: Semaphore::new(AT_ONCE), clock } }
    }

    /// Hands mails over until `stop`. Then each that waits is tried once more, all within three seconds;
    /// mails that the mail server has not accepted by then are lost, which is logged.
    pub async fn run(self, stop: CancellationToken) {
        let Self { mut waiting, round } = self;
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(()) = under_way.next() => {}
                Some(letter) = waiting.recv(), if under_way.len() < MOST => {
                    under_way.push(round.deliver(letter, &stop));
                }
            }
        }
        waiting.close();
        while let Ok(letter) = waiting.try_recv() {
            under_way.push(round.deliver(letter, &stop));
        }
        let last_tries = async { while under_way.next().await.is_some() {} };
        if tokio::time::timeout(LAST_TRIES, last_tries).await.is_err() {
            error!(
                mails = under_way.len(),
                "mails are lost: the mail server has not taken them before the stop"
            );
        }
    }
}

impl Round {
    async fn deliver(&self, letter: Letter, stop: &CancellationToken) {
        let Letter { id, message } = letter;
        let mut gaps = GAPS.iter();
        loop {
            let is_last = stop.is_cancelled();
            let Err(NotTaken { why, for_good }) = self.attempt(&message).await else {
                info!(mail = %id, "the mail server has taken a mail");
                return;
            };
            let Some(gap) = gaps.next().filter(|_| !for_good && !is_last) else {
                error!(mail = %id, why, "a mail is given up");
                return;
            };
            warn!(mail = %id, why, again_in_s = gap.as_secs(), "a mail waits");
            tokio::select! {
                () = self.clock.sleep(*gap) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    async fn attempt(&self, message: &Message) -> Result<(), NotTaken> {
        // Nobody closes the semaphore.
        let _slot = self.slots.acquire().await;
        self.server.take(message).await
    }
}
