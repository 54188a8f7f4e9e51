//! Meaning of a repeated `Idempotency-Key` (docs/use/rest-api.md, "Idempotency").

use std::fmt;

use time::{Duration, OffsetDateTime};

use super::ledger::{LedgerEntry, SendResult, SendState};
use crate::{ids::MessageId, vault::Vault};

/// Longest key (docs/use/rest-api.md, "Limits").
pub const MAX_KEY_CHARS: usize = 200;
/// Time for which a settled key answers with its first result.
pub(super) const REMEMBERED: Duration = Duration::hours(24);
/// Time for which a begun send may still be in somebody's hands; after it, the outcome is unknown.
const IN_FLIGHT: Duration = Duration::minutes(1);

/// A key as the caller sent it, with the request in a form that is equal for equal JSON values. `Debug` shows
/// nothing.
#[derive(Clone)]
pub struct IdempotencyKey {
    pub key: String,
    /// Request in canonical form.
    pub request: Vec<u8>,
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdempotencyKey(…)")
    }
}

impl IdempotencyKey {
    /// Returns the key of the second message of a request sent as two. No caller's own key contains its mark.
    pub(super) fn of_second(self) -> Self {
        Self { key: format!("{}\0second", self.key), ..self }
    }
}

/// Stored form of a key: keyed hashes, since both parts may hold a code or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyClaim {
    pub key_hash: [u8; 32],
    pub request_hash: [u8; 32],
}

impl KeyClaim {
    /// Computes the hashes to store.
    pub fn of(key: &IdempotencyKey, vault: &dyn Vault) -> Self {
        Self {
            key_hash: vault.keyed_hash("idempotency-key", key.key.as_bytes()),
            request_hash: vault.keyed_hash("idempotent-request", &key.request),
        }
    }
}

/// Earlier use of a key.
#[derive(Debug, Clone)]
pub struct KeyHolder {
    pub request_hash: [u8; 32],
    /// Time when the key was claimed or its send settled, whichever is later.
    pub claimed_at: OffsetDateTime,
    pub entry: LedgerEntry,
}

/// Verdict on a request whose key was used before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyVerdict {
    /// The key may be claimed again.
    Expired,
    Replay(Box<SendResult>),
    InFlight,
    OutcomeUnknown {
        id: MessageId,
        /// Beginning of the first request.
        since: OffsetDateTime,
    },
    /// The key was used for another request.
    Reused,
}

impl KeyHolder {
    /// Returns the verdict on a request with `request_hash` at `now`. A key whose send is not settled never
    /// expires: sending again could send twice.
    pub fn verdict(&self, request_hash: [u8; 32], now: OffsetDateTime) -> KeyVerdict {
        let age = now - self.claimed_at;
        match &self.entry.state {
            // A refusal gives its key back; a key that is found all the same is free.
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

    /// Returns `true` if the key may be claimed again at `now`.
    pub fn has_expired(&self, now: OffsetDateTime) -> bool {
        match self.entry.state {
            SendState::Sent(_) => now - self.claimed_at >= REMEMBERED,
            SendState::InFlight => false,
            SendState::Refused => true,
        }
    }
}
