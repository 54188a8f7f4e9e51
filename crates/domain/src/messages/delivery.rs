//! Delivery of a message that this service sent, as one status.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use time::{Duration, OffsetDateTime};

use super::{
    progress::DeliveryStatus,
    sending::{Sending, SendingState},
};

/// Time after its beginning for which the network may still answer a send.
const UNDER_WAY: Duration = Duration::minutes(1);

/// A network's objection to a message.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkError {
    /// `None` if the network names none.
    pub code: Option<i64>,
    /// Network's words, without the recipient's number.
    pub message: String,
}

impl NetworkError {
    /// Makes an error without words of the network's.
    pub fn unsaid(code: Option<i64>) -> Self {
        Self { code, message: "the network did not say why".to_owned() }
    }
}

impl fmt::Debug for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkError").field("code", &self.code).finish_non_exhaustive()
    }
}

/// Stage that a message has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The network is being asked.
    InFlight,
    /// The network was asked; whether it took the message is unknown.
    Unknown,
    Reported(DeliveryStatus),
}

impl Stage {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::Unknown => "unknown",
            Self::Reported(status) => status.as_str(),
        }
    }
}

/// Stage that a message has reached, since when, and the error if it failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageDelivery {
    #[serde(rename = "status")]
    stage: Stage,
    error: Option<DeliveryError>,
    #[serde(with = "crate::clock::timestamp")]
    at: OffsetDateTime,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct DeliveryError {
    code: Option<i64>,
    /// `None` if the content is not stored: the words are not stored either.
    message: Option<String>,
}

impl Serialize for Stage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl MessageDelivery {
    /// Makes the delivery of a message that the network has just taken.
    pub const fn taken(at: OffsetDateTime) -> Self {
        Self { stage: Stage::Reported(DeliveryStatus::Sent), error: None, at }
    }

    /// Derives the delivery from the stored state of a send, as of `now`.
    pub fn of(sending: &Sending, now: OffsetDateTime) -> Self {
        let Sending { state, asked_at, settled_at, progress, .. } = sending;
        let reported = match progress.status {
            DeliveryStatus::Sent => *settled_at,
            DeliveryStatus::Delivered => progress.delivered_at,
            DeliveryStatus::Read => progress.read_at,
            DeliveryStatus::Failed => progress.failed_at,
        };
        let stage = match state {
            SendingState::InFlight if now - *asked_at < UNDER_WAY => Stage::InFlight,
            SendingState::InFlight => Stage::Unknown,
            SendingState::Sent => Stage::Reported(progress.status),
            SendingState::Refused => Stage::Reported(DeliveryStatus::Failed),
        };
        let at = if *state == SendingState::InFlight { None } else { reported }.unwrap_or(*asked_at);
        let failed = stage == Stage::Reported(DeliveryStatus::Failed);
        let error = DeliveryError { code: sending.error_code, message: sending.error.clone() };
        Self { stage, error: failed.then_some(error), at }
    }

    pub const fn stage(&self) -> Stage {
        self.stage
    }

    /// Returns the error of a failed message: the network's code, and its words if they are stored.
    pub fn failure(&self) -> Option<(Option<i64>, Option<&str>)> {
        self.error.as_ref().map(|error| (error.code, error.message.as_deref()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::{Duration, OffsetDateTime};

    use super::MessageDelivery;
    use crate::messages::{DeliveryStatus, Progress, Sending, SendingState};

    const BEGAN: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn sending(state: SendingState, status: DeliveryStatus) -> Sending {
        let at = |seconds| Some(BEGAN + Duration::seconds(seconds));
        Sending {
            state,
            asked_at: BEGAN,
            settled_at: at(1).filter(|_| state != SendingState::InFlight),
            progress: Progress { status, delivered_at: at(2), read_at: at(3), failed_at: at(4) },
            error: Some("Message undeliverable".to_owned()),
            error_code: Some(131_026),
        }
    }

    #[test]
    fn every_state_of_a_sending_is_one_word_with_its_time_and_what_speaks_against_it() {
        use DeliveryStatus::{Delivered, Failed, Read, Sent};
        let error = json!({ "code": 131_026, "message": "Message undeliverable" });
        for (state, reported, after, status, error, at) in [
            (SendingState::InFlight, Sent, 59, "in_flight", None, "00"),
            (SendingState::InFlight, Sent, 60, "unknown", None, "00"),
            (SendingState::Sent, Sent, 60, "sent", None, "01"),
            (SendingState::Sent, Delivered, 60, "delivered", None, "02"),
            (SendingState::Sent, Read, 60, "read", None, "03"),
            (SendingState::Sent, Failed, 60, "failed", Some(error.clone()), "04"),
            (SendingState::Refused, Failed, 60, "failed", Some(error), "04"),
        ] {
            let delivery = MessageDelivery::of(&sending(state, reported), BEGAN + Duration::seconds(after));
            let at = format!("1970-01-01T00:00:{at}.000Z");
            let wanted = json!({ "status": status, "error": error, "at": at });
            assert_eq!(serde_json::to_value(&delivery).unwrap(), wanted);
        }
    }

    #[test]
    fn of_what_is_kept_nowhere_the_networks_code_is_told() {
        let kept_nowhere = Sending { error: None, ..sending(SendingState::Sent, DeliveryStatus::Failed) };
        let delivery = serde_json::to_value(MessageDelivery::of(&kept_nowhere, BEGAN)).unwrap();
        assert_eq!(delivery["error"], json!({ "code": 131_026, "message": null }));
    }
}
