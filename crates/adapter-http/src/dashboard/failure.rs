//! Problems for systems that were not called or did not answer; the only place that tells them apart.

use std::time::Duration;

use actix_web::http::StatusCode;
use domain::{
    customer_records::LookUpError,
    systems::{CallError, LONGEST_COOLING, SystemError, Unavailable},
};

use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
};

/// Pause suggested when a system asked for fewer calls without saying for how long.
const AFTER_SLOW_DOWN: Duration = Duration::from_secs(30);
/// Pause suggested for a lost system, which is verified again in the background.
const AFTER_LOSS: Duration = Duration::from_mins(1);

/// Kind of thing requested from a system, by its name in answers: `order`, `product`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SoughtKind(pub(crate) &'static str);

impl SoughtKind {
    /// Converts an error of a system.
    pub(crate) fn failed(self, error: SystemError) -> Problem {
        let message = error.to_string();
        match error {
            SystemError::NoSystem => Problem::dashboard(DashboardCode::NoSystem, message),
            SystemError::NotDeclared(capability) => {
                let problem = Problem::dashboard(DashboardCode::SystemUndeclared, message);
                problem.with_detail("capability", capability.as_str())
            }
            SystemError::Unavailable(why) => {
                let (state, wait) = match why {
                    Unavailable::Cooling => ("cooling", AFTER_SLOW_DOWN),
                    Unavailable::Unreachable => ("unreachable", AFTER_LOSS),
                    Unavailable::NeedsReconnection => ("needs_reconnection", AFTER_LOSS),
                };
                let problem = Problem::dashboard(DashboardCode::SystemUnavailable, message);
                problem.with_detail("state", state).retry_after(wait)
            }
            SystemError::Call(error) => self.call_failed(error),
            SystemError::Store(error) => error.into(),
        }
    }

    fn call_failed(self, error: CallError) -> Problem {
        let text = error.to_string();
        match error {
            CallError::NotFound { .. } => {
                Problem::new(StatusCode::NOT_FOUND, format!("the system has no such {}", self.0))
            }
            CallError::Refused { status, message } => {
                let problem = Problem::dashboard(DashboardCode::SystemRefused, text);
                let said = message.map(|message| message.as_str().to_owned());
                problem.with_detail("status", status).with_detail("message", said)
            }
            CallError::SlowDown { retry_after, .. } => {
                let problem = Problem::dashboard(DashboardCode::SystemUnavailable, text);
                // Upper bound: by then the system is called again in any case.
                let wait = retry_after.unwrap_or(AFTER_SLOW_DOWN).min(LONGEST_COOLING);
                problem.with_detail("state", "cooling").retry_after(wait)
            }
            CallError::NotMade(cause) => Problem::internal(cause),
            CallError::NeedsReconnection { .. }
            | CallError::Misdirected { .. }
            | CallError::Down { .. }
            | CallError::TimedOut
            | CallError::Unreachable { .. }
            | CallError::TooLarge
            | CallError::Unreadable { .. } => Problem::dashboard(DashboardCode::SystemFailed, text),
        }
    }

    /// Converts an error of a look-up for a conversation.
    pub(crate) fn not_looked_up(self, error: LookUpError) -> Problem {
        let message = error.to_string();
        match error {
            LookUpError::UnknownConversation => not_found("conversation"),
            LookUpError::NoVerifiedNumber => Problem::dashboard(DashboardCode::NoVerifiedNumber, message),
            LookUpError::System(error) => self.failed(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use actix_web::{
        body::MessageBody,
        error::ResponseError,
        http::header::{self, HeaderValue},
    };
    use domain::{
        errors::StoreError,
        systems::{CallError, Capability, RefusalMessage, SystemError, Unavailable},
    };
    use serde_json::Value;

    use super::SoughtKind;

    #[test]
    fn every_error_of_a_system_has_its_status_and_code() {
        let down = || StoreError::Unavailable("no connection".to_owned());
        let refused =
            CallError::Refused { status: 409, message: RefusalMessage::read("نفدت الكمية") };
        let unreachable = CallError::Unreachable { words: "no such host".to_owned(), sent: false };
        for (error, status, code, wait) in [
            (SystemError::NoSystem, 404, Some("no_system"), None),
            (SystemError::NotDeclared(Capability::Orders), 409, Some("system_undeclared"), None),
            (Unavailable::Cooling.into(), 503, Some("system_unavailable"), Some("30")),
            (Unavailable::Unreachable.into(), 503, Some("system_unavailable"), Some("60")),
            (Unavailable::NeedsReconnection.into(), 503, Some("system_unavailable"), Some("60")),
            (refused.into(), 422, Some("system_refused"), None),
            (CallError::NOT_FOUND.into(), 404, None, None),
            (
                CallError::NeedsReconnection { status: 401, message: None }.into(),
                502,
                Some("system_failed"),
                None,
            ),
            (CallError::Misdirected { status: 302 }.into(), 502, Some("system_failed"), None),
            (
                CallError::SlowDown { retry_after: Some(Duration::from_secs(7)), message: None }.into(),
                503,
                Some("system_unavailable"),
                Some("7"),
            ),
            (
                CallError::SlowDown { retry_after: Some(Duration::MAX), message: None }.into(),
                503,
                Some("system_unavailable"),
                Some("600"),
            ),
            (CallError::Down { status: 503, message: None }.into(), 502, Some("system_failed"), None),
            (CallError::TimedOut.into(), 502, Some("system_failed"), None),
            (unreachable.into(), 502, Some("system_failed"), None),
            (CallError::TooLarge.into(), 502, Some("system_failed"), None),
            (
                CallError::Unreadable { status: 200, unusable: vec![] }.into(),
                502,
                Some("system_failed"),
                None,
            ),
            (CallError::NotMade("no").into(), 500, None, None),
            (down().into(), 503, None, Some("1")),
        ] {
            let told = format!("{error:?}");
            let answer = SoughtKind("order").failed(error).error_response();
            let after = answer.headers().get(header::RETRY_AFTER).map(HeaderValue::to_str);
            assert_eq!(answer.status().as_u16(), status, "{told}");
            assert_eq!(after.transpose().unwrap(), wait, "{told}");
            let body = answer.into_body().try_into_bytes().unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body["code"].as_str(), code, "{told}");
        }
    }
}
