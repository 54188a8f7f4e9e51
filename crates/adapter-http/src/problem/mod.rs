//! The one shape of an error answer (docs/use/rest-api.md, "Errors").

mod code;

pub(crate) use code::{Code, DashboardCode, RefusalCode};

use std::{fmt, time::Duration};

use actix_web::{
    HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{self, HeaderName},
    },
};
use domain::{access::Scope, errors::StoreError};
use serde::Serialize;
use serde_json::{Map, Value};

/// Longest message, in characters, that repeats what the caller sent.
const MAX_ECHO_CHARS: usize = 500;

/// Pause asked of a client after the store could not be reached.
const STORE_RETRY_AFTER: Duration = Duration::from_secs(1);

/// An error answer. Its cause is for the log and never leaves the process.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    message: String,
    coded: Option<Box<Coded>>,
    header: Option<(HeaderName, String)>,
    cause: Option<String>,
    store_is_away: bool,
}

/// Code and details of a refusal.
#[derive(Debug, Serialize)]
struct Coded {
    code: Code,
    details: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProblemBody<'a> {
    status_code: u16,
    message: &'a str,
    error: &'a str,
    #[serde(flatten)]
    coded: Option<&'a Coded>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), coded: None, header: None, cause: None, store_is_away: false }
    }

    /// Makes a 400 for a field that breaks a rule. The message may repeat what the caller sent, and is cut if
    /// it is long.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        let mut message = message.into();
        if let Some((end, _)) = message.char_indices().nth(MAX_ECHO_CHARS) {
            message.truncate(end);
            message.push('…');
        }
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn unauthorized() -> Self {
        let message = "this needs a valid API key in the header `Authorization: Bearer <key>`";
        Self::new(StatusCode::UNAUTHORIZED, message).with_header(header::WWW_AUTHENTICATE, "Bearer")
    }

    /// Makes the refusal of a bearer token where none opens anything.
    pub(crate) fn key_opens_nothing_here() -> Self {
        let message = "an API key opens only the routes under /v1";
        Self::new(StatusCode::UNAUTHORIZED, message).with_header(header::WWW_AUTHENTICATE, "Bearer")
    }

    pub(crate) fn too_many_requests(retry_after: Duration) -> Self {
        let message = "too many requests; wait as many seconds as the header `Retry-After` says";
        Self::new(StatusCode::TOO_MANY_REQUESTS, message).retry_after(retry_after)
    }

    /// Makes the refusal of a key that holds none of the scopes that open the route.
    pub(crate) fn scope_missing(scopes: &[Scope]) -> Self {
        let wanted: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
        Self::new(StatusCode::FORBIDDEN, format!("this key lacks the scope `{}`", wanted.join("` or `")))
    }

    pub(crate) fn too_large(limit: usize) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body has more than {limit} bytes"))
    }

    pub(crate) fn no_such_route() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is no such route")
    }

    /// Makes a 404 that names the nearest route, or the document that lists all.
    pub(crate) fn no_such_route_but(nearest: Option<&str>, document: Option<&str>) -> Self {
        let instead = match (nearest, document) {
            (Some(nearest), _) => format!(": the nearest is `{nearest}`"),
            (None, Some(document)) => format!(": `{document}` lists all"),
            (None, None) => String::new(),
        };
        Self::new(StatusCode::NOT_FOUND, format!("there is no such route{instead}"))
    }

    pub(crate) fn method_not_allowed(allowed: &str) -> Self {
        let message = format!("this route takes {allowed}");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, message).with_header(header::ALLOW, allowed)
    }

    /// Makes the refusal of a range without any byte of the file.
    pub(crate) fn beyond(message: impl Into<String>, size: u64) -> Self {
        Self::new(StatusCode::RANGE_NOT_SATISFIABLE, message)
            .with_header(header::CONTENT_RANGE, format!("bytes */{size}"))
    }

    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "something went wrong on our side").caused_by(cause)
    }

    pub(crate) fn unavailable(cause: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "the service cannot answer now; try again shortly")
            .retry_after(STORE_RETRY_AFTER)
            .caused_by(cause)
    }

    /// Makes a refusal with its code and details.
    pub(crate) fn refused(
        code: RefusalCode,
        message: impl Into<String>,
        details: Map<String, Value>,
    ) -> Self {
        let coded = Some(Box::new(Coded { code: Code::Sending(code), details }));
        Self { coded, ..Self::new(code.status(), message) }
    }

    /// Makes a refusal of the dashboard's API.
    pub(crate) fn dashboard(code: DashboardCode, message: impl Into<String>) -> Self {
        let coded = Some(Box::new(Coded { code: Code::Dashboard(code), details: Map::new() }));
        Self { coded, ..Self::new(code.status(), message) }
    }

    /// Adds a detail to a refusal.
    pub(crate) fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let Some(coded) = &mut self.coded {
            coded.details.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Sets `Retry-After`: whole seconds, rounded up, at least one.
    pub(crate) fn retry_after(self, wait: Duration) -> Self {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        self.with_header(header::RETRY_AFTER, seconds.max(1).to_string())
    }

    pub(crate) fn caused_by(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    fn with_header(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.header = Some((name, value.into()));
        self
    }

    /// Returns whether the store is out of reach; these are counted together in the log.
    pub(crate) fn says_store_is_away(&self) -> bool {
        self.store_is_away
    }

    /// Returns the `Retry-After` in seconds of a refusal that passes by itself; an explicit one overrules it.
    fn passes_within(&self) -> Option<&'static str> {
        match self.code() {
            Some(Code::Sending(RefusalCode::RequestInFlight)) => Some("2"),
            Some(Code::Dashboard(DashboardCode::JustDeregistered)) => Some("300"),
            Some(Code::Dashboard(DashboardCode::TooManyResends)) => Some("60"),
            _ if self.status == StatusCode::TOO_MANY_REQUESTS => Some("10"),
            _ if self.status == StatusCode::SERVICE_UNAVAILABLE => Some("5"),
            _ => None,
        }
    }

    /// Returns the cause for the log.
    pub(crate) fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// Returns the code of a refusal; `None` for other problems.
    pub(crate) fn code(&self) -> Option<Code> {
        self.coded.as_deref().map(|coded| coded.code)
    }

    /// Returns a detail of a refusal by its name.
    pub(crate) fn detail(&self, name: &str) -> Option<&Value> {
        self.coded.as_deref().and_then(|coded| coded.details.get(name))
    }

    /// Returns the field of the request that the problem names: the message of a 400 names it first, in
    /// backticks.
    pub(crate) fn field(&self) -> Option<&str> {
        let named = self.detail("field").and_then(Value::as_str);
        let said = || self.message.split('`').nth(1).filter(|_| self.status == StatusCode::BAD_REQUEST);
        named.or_else(said)
    }

    #[cfg(test)]
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut answer = HttpResponse::build(self.status);
        if let Some(seconds) = self.passes_within() {
            answer.insert_header((header::RETRY_AFTER, seconds));
        }
        if let Some((name, value)) = &self.header {
            answer.insert_header((name.clone(), value.as_str()));
        }
        answer.json(ProblemBody {
            status_code: self.status.as_u16(),
            message: &self.message,
            error: self.status.canonical_reason().unwrap_or("Error"),
            coded: self.coded.as_deref(),
        })
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Unavailable(_) => {
                Self { store_is_away: true, ..Self::unavailable(error.to_string()) }
            }
            // Others were faster, again and again: the next try may be first.
            StoreError::Stale => Self::unavailable(error.to_string()),
            // The answers of somebody whose session ended, and of somebody who is an agent by now.
            StoreError::NotMember => Self::dashboard(DashboardCode::NotSignedIn, "sign in first"),
            StoreError::NotOwner => Self::dashboard(DashboardCode::OwnerOnly, "only an owner may do this"),
            StoreError::Internal(_) => Self::internal(error.to_string()),
        }
    }
}
