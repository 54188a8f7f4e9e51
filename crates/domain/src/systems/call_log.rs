//! Log of calls: how each went and what a refusal said, but nothing of what was asked or answered.

use std::time::Duration;

use serde::Serialize;
use time::OffsetDateTime;

use super::{
    answered::{Answered, CallError, FailedCall, RefusalMessage, Unusable},
    route::Route,
};
use crate::ids::{IdSource, SystemCallId};

/// Retention of the log of calls.
pub const CALLS_KEPT_FOR: Duration = Duration::from_hours(14 * 24);
/// Most unusable parts of one answer that are named.
pub const UNUSABLE_KEPT: usize = 50;

macro_rules! results {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal;)*) => {
        /// Result of a call.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        pub enum CallResult {
            $($(#[doc = $doc])+ #[serde(rename = $word)] $name,)*
        }

        impl CallResult {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the result's word in the log.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

results! {
    /// A usable answer, but for the parts that the record names as unusable.
    Answered = "answered";
    /// The system refused.
    Refused = "refused";
    /// The system has no such thing.
    NotFound = "not_found";
    /// The system does not accept the secret.
    NeedsReconnection = "needs_reconnection";
    /// The system leads to another address.
    Misdirected = "misdirected";
    /// The system asks for fewer calls.
    SlowDown = "slow_down";
    /// The system says that it is down.
    Down = "down";
    /// No answer in time.
    TimedOut = "timed_out";
    /// The system could not be reached.
    Unreachable = "unreachable";
    /// The answer was too large.
    TooLarge = "too_large";
    /// The answer could not be read.
    Unreadable = "unreadable";
    /// The call could not be made from here.
    NotMade = "not_made";
}

impl CallResult {
    /// Parses what [`Self::as_str`] returns.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|result| result.as_str() == word)
    }

    /// Returns the result of a failed call.
    pub const fn of(error: &CallError) -> Self {
        match error {
            CallError::Refused { .. } => Self::Refused,
            CallError::NotFound { .. } => Self::NotFound,
            CallError::NeedsReconnection { .. } => Self::NeedsReconnection,
            CallError::Misdirected { .. } => Self::Misdirected,
            CallError::SlowDown { .. } => Self::SlowDown,
            CallError::Down { .. } => Self::Down,
            CallError::TimedOut => Self::TimedOut,
            CallError::Unreachable { .. } => Self::Unreachable,
            CallError::TooLarge => Self::TooLarge,
            CallError::Unreadable { .. } => Self::Unreadable,
            CallError::NotMade(_) => Self::NotMade,
        }
    }

    /// Parses the stored text of a [`CallError`] into the call's result and the rest of the text, such as the
    /// status or why there was no connection. `None` if it is no such text.
    pub fn of_kept(text: &str) -> Option<(Self, &str)> {
        KEPT_TEXTS.iter().find_map(|(begins, result)| Some((*result, text.strip_prefix(begins)?)))
    }
}

/// Beginnings of the texts of [`CallError`].
const KEPT_TEXTS: [(&str, CallResult); 11] = [
    ("the system refused it with status ", CallResult::Refused),
    ("the system does not have it", CallResult::NotFound),
    ("the system does not accept the secret", CallResult::NeedsReconnection),
    ("the system leads to another address: register that one", CallResult::Misdirected),
    ("the system asks for fewer calls", CallResult::SlowDown),
    ("the system is down: status ", CallResult::Down),
    ("the system did not answer in time", CallResult::TimedOut),
    ("the system cannot be reached: ", CallResult::Unreachable),
    ("the system's answer is too large", CallResult::TooLarge),
    ("the system's answer cannot be read", CallResult::Unreadable),
    ("the call could not be made from here: ", CallResult::NotMade),
];

/// A call in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    pub id: SystemCallId,
    pub route: Route,
    pub result: CallResult,
    /// Status of the last answer; `None` if there was none or it said nothing.
    pub status: Option<u16>,
    /// Duration of the call, a retry included.
    pub duration_ms: u32,
    /// Bytes received of the last answer's body; `None` if no answer began.
    pub bytes: Option<u32>,
    /// Unusable parts of the answer, as `products[3].price: wrong_type`; the first [`UNUSABLE_KEPT`].
    pub unusable: Vec<String>,
    /// Message of the system's refusal.
    pub message: Option<RefusalMessage>,
    pub at: OffsetDateTime,
}

impl CallRecord {
    /// Creates the record of a call that began at `began` and ended at `now`.
    pub fn of<T>(
        route: Route,
        result: &Result<Answered<T>, FailedCall>,
        began: OffsetDateTime,
        now: OffsetDateTime,
        ids: &dyn IdSource,
    ) -> Self {
        let taken = (now - began).whole_milliseconds();
        let mut record = Self {
            id: SystemCallId::new(ids),
            route,
            result: CallResult::Answered,
            status: None,
            duration_ms: u32::try_from(taken.max(0)).unwrap_or(u32::MAX),
            bytes: None,
            unusable: Vec::new(),
            message: None,
            at: now,
        };
        match result {
            Ok(answered) => {
                record.status = Some(answered.exchange.status);
                record.bytes = Some(counted(answered.exchange.bytes));
                record.unusable = named(&answered.unusable);
            }
            Err(FailedCall { error, bytes }) => {
                record.bytes = bytes.map(counted);
                record.result = CallResult::of(error);
                record.status = error.status();
                record.message = error.message().cloned();
                if let CallError::Unreadable { unusable, .. } = error {
                    record.unusable = named(unusable);
                }
            }
        }
        record
    }
}

fn counted(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn named(unusable: &[Unusable]) -> Vec<String> {
    unusable.iter().take(UNUSABLE_KEPT).map(ToString::to_string).collect()
}

/// Filter of the log of calls; `None` matches all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallFilter {
    pub route: Option<Route>,
    pub result: Option<CallResult>,
    /// Whether an answer had unusable parts.
    pub unusable: Option<bool>,
}

#[cfg(test)]
mod tests {
    use time::{Duration, macros::datetime};

    use super::{CallRecord, CallResult, UNUSABLE_KEPT};
    use crate::{
        systems::{Answered, CallError, Exchange, FailedCall, RefusalMessage, Route, Unusable, Why},
        testing::SequentialIds,
    };

    fn recorded(result: &Result<Answered<()>, FailedCall>) -> CallRecord {
        let now = datetime!(2026-11-22 10:00 UTC);
        CallRecord::of(
            Route::Product,
            result,
            now - Duration::milliseconds(120),
            now,
            &SequentialIds::default(),
        )
    }

    #[test]
    fn an_answer_is_kept_as_how_it_went_with_what_could_not_be_used() {
        let unusable = |n: usize| Unusable { path: format!("variants[{n}].price"), why: Why::WrongType };
        let exchange = Exchange { status: 200, bytes: 812, attempts: 1, left_origin: false };
        let answered = Answered { value: (), unusable: (0..60).map(unusable).collect(), exchange };
        let record = recorded(&Ok(answered));
        assert_eq!(
            (record.result, record.status, record.bytes),
            (CallResult::Answered, Some(200), Some(812))
        );
        assert_eq!(record.duration_ms, 120);
        assert_eq!(record.unusable.len(), UNUSABLE_KEPT);
        assert_eq!(record.unusable.first().unwrap(), "variants[0].price: wrong_type");
    }

    #[test]
    fn a_refusal_is_kept_with_its_words() {
        let message = RefusalMessage::read("نفدت الكمية");
        let said = || message.clone();
        for (error, result, status) in [
            (CallError::Refused { status: 409, message: said() }, CallResult::Refused, 409),
            (CallError::NotFound { message: said() }, CallResult::NotFound, 404),
            (
                CallError::NeedsReconnection { status: 403, message: said() },
                CallResult::NeedsReconnection,
                403,
            ),
            (CallError::SlowDown { retry_after: None, message: said() }, CallResult::SlowDown, 429),
            (CallError::Down { status: 503, message: said() }, CallResult::Down, 503),
        ] {
            let record = recorded(&Err(FailedCall { error, bytes: Some(31) }));
            assert_eq!((record.result, record.status, &record.message), (result, Some(status), &message));
            assert_eq!(record.bytes, Some(31), "{result:?}");
        }
        let silent = recorded(&Err(CallError::TimedOut.into()));
        assert_eq!((silent.status, silent.bytes), (None, None));
    }

    #[test]
    fn what_is_kept_of_every_error_is_read_back() {
        let unreachable = |words: &str| CallError::Unreachable { words: words.to_owned(), sent: false };
        for (error, rest) in [
            (CallError::Refused { status: 409, message: None }, "409"),
            (CallError::NOT_FOUND, ""),
            (CallError::NeedsReconnection { status: 401, message: None }, ""),
            (CallError::Misdirected { status: 302 }, ""),
            (CallError::SlowDown { retry_after: None, message: None }, ""),
            (CallError::Down { status: 503, message: None }, "503"),
            (CallError::TimedOut, ""),
            (unreachable("connection refused"), "connection refused"),
            (CallError::TooLarge, ""),
            (CallError::Unreadable { status: 200, unusable: Vec::new() }, ""),
            (CallError::NotMade("no client"), "no client"),
        ] {
            let kept = error.to_string();
            assert_eq!(CallResult::of_kept(&kept), Some((CallResult::of(&error), rest)), "{kept}");
        }
        assert_eq!(CallResult::of_kept("written by hand"), None);
    }

    #[test]
    fn every_result_is_read_by_its_word() {
        for result in CallResult::ALL {
            assert_eq!(CallResult::read(result.as_str()), Some(*result));
        }
        assert_eq!(CallResult::read("fine"), None);
    }
}
