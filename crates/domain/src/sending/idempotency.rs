//! What a repeated `Idempotency-Key` means (docs/rest-api.md, "Idempotency").

use std::fmt;

use time::{Duration, OffsetDateTime};

use super::{LedgerEntry, SendResult, SendState};
use crate::{ids::MessageId, vault::Vault};

/// A key has at most so many characters (docs/rest-api.md, "Limits").
pub const MAX_KEY_CHARS: usize = 200;
/// A settled key answers with its first result for so long.
pub(super) const REMEMBERED: Duration = Duration::hours(24);
/// Somebody may still have a send in hand for so long after its beginning.
const IN_FLIGHT: Duration = Duration::minutes(1);

/// It is a key as the caller sent it, with the request in a form that is equal for equal JSON values. It
/// prints nothing.
#[derive(Clone)]
pub struct IdempotencyKey {
    /// It is the caller's key.
    pub key: String,
    /// It is the request in canonical form.
    pub request: Vec<u8>,
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdempotencyKey(…)")
    }
}

impl IdempotencyKey {
    /// Returns the key of the second message of a request that is sent as two. No caller's own key has this mark.
    pub(super) fn of_second(self) -> Self {
        Self { key: format!("{}\0second", self.key), ..self }
    }
}

/// It is what is kept of a key: keyed hashes, since both parts may hold a code or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyClaim {
    /// It is the hash of the key.
    pub key_hash: [u8; 32],
    /// It is the hash of the request.
    pub request_hash: [u8; 32],
}

impl KeyClaim {
    /// Makes the hashes to keep.
    pub fn of(key: &IdempotencyKey, vault: &dyn Vault) -> Self {
        Self {
            key_hash: vault.keyed_hash("idempotency-key", key.key.as_bytes()),
            request_hash: vault.keyed_hash("idempotent-request", &key.request),
        }
    }
}

/// The key was used before.
#[derive(Debug, Clone)]
pub struct KeyHolder {
    /// The key was used for the request with this hash.
    pub request_hash: [u8; 32],
    /// The key was claimed then; once its send is settled, it is when that was.
    pub claimed_at: OffsetDateTime,
    pub entry: LedgerEntry,
}

/// It says what to do with a request whose key was used before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyVerdict {
    /// The key's time is over: it may be claimed again.
    Expired,
    /// The answer is that of the first time.
    Replay(Box<SendResult>),
    /// The first request has not finished.
    InFlight,
    /// Nobody knows what became of the first request.
    OutcomeUnknown {
        id: MessageId,
        /// The first request was begun then.
        since: OffsetDateTime,
    },
    /// The key belongs to another request.
    Reused,
}

impl KeyHolder {
    /// Returns the verdict on a request with `request_hash` at `now`. A key whose send is not settled never
    /// expires: sending again could send twice.
    pub fn verdict(&self, request_hash: [u8; 32], now: OffsetDateTime) -> KeyVerdict {
        let age = now - self.claimed_at;
        match &self.entry.state {
            // A refusal gives its key back; one that is found all the same is free.
            SendState::Refused => KeyVerdict::Expired,
            SendState::Sent(_) if age >= REMEMBERED => KeyVerdict::Expired,
            _ if self.request_hash != request_hash => KeyVerdict::Reused,
            SendState::Sent(result) => KeyVerdict::Replay(result.clone()),
            SendState::InFlight if age < IN_FLIGHT => KeyVerdict::InFlight,
            SendState::InFlight => {
                let intent = &self.entry.intent;
                KeyVerdict::OutcomeUnknown { id: intent.id, since: intent.created_at }
            }
        }
    }

    /// Says whether the key may be claimed again at `now`.
    pub fn has_expired(&self, now: OffsetDateTime) -> bool {
        match self.entry.state {
            SendState::Sent(_) => now - self.claimed_at >= REMEMBERED,
            SendState::InFlight => false,
            SendState::Refused => true,
        }
    }
}
