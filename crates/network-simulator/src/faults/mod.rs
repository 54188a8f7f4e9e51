//! Faults, as the control route takes and shows them.

mod set;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(crate) use set::{Effects, FaultSet, Target};

use crate::config::Status;

/// A fault, and the calls that it affects.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) scope: Scope,
}

/// What goes wrong.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum Kind {
    /// Refused for a rate limit.
    Throttle {
        #[serde(default)]
        variant: ThrottleStatus,
        #[serde(default = "throughput_code")]
        code: i64,
        retry_after: Option<u64>,
        /// Minutes in the usage header, which is only added with them.
        regain_access_minutes: Option<u64>,
    },
    /// A 5xx with a page of HTML.
    ServerErrorHtml {
        #[serde(default = "internal_server_error")]
        status: u16,
        /// Whether the call is carried out nevertheless.
        #[serde(default)]
        accept: bool,
    },
    /// The call is carried out and the answer delayed.
    HangAfterAccept {
        #[serde(default = "a_minute")]
        seconds: u64,
    },
    /// The call is carried out and the connection cut.
    CutAfterAccept {},
    /// The connection is cut and the call not carried out.
    CutBeforeAccept {},
    /// The call is carried out and the answer is half a JSON document.
    GarbledAnswer {},
    /// A given error: at once, or (`async`) by a `failed` status after an acceptance.
    Error {
        code: i64,
        subcode: Option<i64>,
        http_status: Option<u16>,
        title: Option<String>,
        details: Option<String>,
        #[serde(rename = "async", default)]
        later: bool,
    },
    /// Every status is posted twice.
    DuplicateStatuses {},
    /// The last status is posted first.
    ReorderStatuses {},
    /// These statuses are never posted.
    DropStatuses {
        #[serde(default = "every_status")]
        statuses: Vec<Status>,
    },
    /// Statuses of several messages are posted together.
    BatchStatuses {
        size: usize,
        /// Milliseconds after which an incomplete batch is posted too.
        #[serde(default = "batch_linger_ms")]
        linger_ms: u64,
    },
    /// The statuses are posted before the send is answered.
    StatusBeforeResponse {
        /// Longest delay of the answer.
        #[serde(default = "a_second_ms")]
        wait_ms: u64,
    },
    /// Statuses name the person by user id alone.
    NoPhone {},
    /// The person's phone is off: no status after `sent` for these seconds, and none at all once the
    /// template's validity has passed.
    Offline { seconds: u64 },
    /// The call is delayed first.
    Latency { ms: u64 },
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) enum ThrottleStatus {
    #[default]
    #[serde(rename = "429")]
    TooManyRequests,
    #[serde(rename = "400")]
    BadRequest,
}

/// The calls that a fault affects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Scope {
    /// Number of calls; `None` until cleared.
    #[serde(default)]
    pub(crate) times: Option<u32>,
    #[serde(default)]
    pub(crate) on: On,
    /// The recipient's number, in any spelling, or user id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) phone_number_id: Option<String>,
}

/// Calls of the Graph API, by what they do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum On {
    #[default]
    Sends,
    Reads,
    /// Every other `POST` and `DELETE`.
    Edits,
    /// The bytes of people's files.
    Files,
    Any,
}

impl Kind {
    /// Returns whether the fault decides the answer. Of such faults only the first that matches takes effect;
    /// the others add up.
    fn answers(&self) -> bool {
        self.answers_instead() || self.answers_afterwards()
    }

    /// Returns whether the call is not carried out.
    fn answers_instead(&self) -> bool {
        matches!(
            self,
            Self::Throttle { .. }
                | Self::ServerErrorHtml { accept: false, .. }
                | Self::CutBeforeAccept {}
                | Self::Error { later: false, .. }
        )
    }

    /// Returns whether the call is carried out and its answer spoilt.
    fn answers_afterwards(&self) -> bool {
        matches!(
            self,
            Self::ServerErrorHtml { accept: true, .. }
                | Self::HangAfterAccept { .. }
                | Self::CutAfterAccept {}
                | Self::GarbledAnswer {}
        )
    }

    /// Returns whether the fault only concerns messages.
    fn needs_a_message(&self) -> bool {
        !self.answers() && !matches!(self, Self::Latency { .. })
    }
}

impl Fault {
    /// Renders the fault as the control route shows it.
    pub(crate) fn to_json(&self, remaining: Option<u32>) -> Value {
        let mut shown = Map::new();
        for part in [json!(self.kind), json!(self.scope), json!({ "remaining": remaining })] {
            if let Value::Object(fields) = part {
                shown.extend(fields);
            }
        }
        Value::Object(shown)
    }
}

/// Parses `{ "faults": [ … ] }`; the error says what is wrong with it.
pub(crate) fn parse(body: &Value) -> Result<Vec<Fault>, String> {
    let fields = body.as_object().ok_or("the body is an object with `faults`")?;
    if let Some(unknown) = fields.keys().find(|key| *key != "faults") {
        return Err(format!("unknown field `{unknown}`, expected `faults`"));
    }
    let faults = fields.get("faults").and_then(Value::as_array).ok_or("`faults` is an array")?;
    let parsed = faults.iter().enumerate();
    parsed.map(|(at, fault)| parse_one(fault).map_err(|error| format!("faults[{at}]: {error}"))).collect()
}

fn parse_one(fault: &Value) -> Result<Fault, String> {
    let mut kind = fault.as_object().cloned().ok_or("a fault is an object")?;
    let mut scope = Map::new();
    for field in ["times", "on", "to", "phoneNumberId"] {
        if let Some(value) = kind.remove(field) {
            scope.insert(field.to_owned(), value);
        }
    }
    let kind: Kind = serde_json::from_value(Value::Object(kind)).map_err(|error| error.to_string())?;
    let scope: Scope = serde_json::from_value(Value::Object(scope)).map_err(|error| error.to_string())?;
    if scope.times == Some(0) {
        return Err("`times` is at least 1, or null".to_owned());
    }
    if kind.needs_a_message() && scope.on != On::Sends {
        return Err("this kind is for `\"on\": \"sends\"`".to_owned());
    }
    match &kind {
        Kind::BatchStatuses { size: 0, .. } => Err("`size` is at least 1".to_owned()),
        Kind::ServerErrorHtml { status, .. } if !(500..600).contains(status) => {
            Err("`status` is 500 to 599".to_owned())
        }
        Kind::Error { http_status: Some(status), .. } if !(400..600).contains(status) => {
            Err("`httpStatus` is 400 to 599".to_owned())
        }
        _ => Ok(Fault { kind, scope }),
    }
}

fn throughput_code() -> i64 {
    130_429
}

fn internal_server_error() -> u16 {
    500
}

fn a_minute() -> u64 {
    60
}

fn a_second_ms() -> u64 {
    1000
}

fn batch_linger_ms() -> u64 {
    200
}

fn every_status() -> Vec<Status> {
    vec![Status::Sent, Status::Delivered, Status::Read, Status::Failed]
}
