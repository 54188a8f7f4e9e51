//! Code and details of every refusal.

use actix_web::http::StatusCode;
use domain::{
    channels::ChannelKind,
    clock::rfc3339_ms,
    sending::{Refusal, SendError},
};
use serde_json::{Map, Value, json};

use crate::problem::{DashboardCode, Problem, RefusalCode as Code};

impl From<SendError> for Problem {
    fn from(error: SendError) -> Self {
        let cause = error.to_string();
        match error {
            SendError::Refused(Refusal::NetworkUnavailable { retry_after, reason }) => {
                let cause = reason.clone();
                Self::from(Refusal::NetworkUnavailable { retry_after, reason }).caused_by(cause)
            }
            SendError::Refused(refusal) => refusal.into(),
            SendError::Open { id, since, .. } => {
                Self::from(Refusal::OutcomeUnknown { id, since }).caused_by(cause)
            }
            SendError::Store(error) => error.into(),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let message = refusal.to_string();
        let mut wait = None;
        let (code, details) = match refusal {
            Refusal::Invalid(_) | Refusal::TextTooLong(_) => {
                return Self::invalid(message);
            }
            Refusal::InvalidPhone(_) => (Code::InvalidPhone, none()),
            Refusal::VariablesMismatch { wanted } => {
                (Code::VariablesMismatch, one("variables", json!(wanted)))
            }
            Refusal::VariableEmpty { variable } => (Code::VariableEmpty, one("variable", json!(variable))),
            Refusal::CodeRequired => (Code::CodeRequired, none()),
            Refusal::InvalidCode => (Code::InvalidCode, none()),
            Refusal::HeaderRequired { .. } => (Code::HeaderRequired, none()),
            Refusal::HeaderNotAllowed { .. } => (Code::HeaderNotAllowed, none()),
            Refusal::ButtonVariablesMismatch { .. } => (Code::ButtonVariablesMismatch, none()),
            Refusal::UnknownSender { connected } => (Code::UnknownSender, one("connected", json!(connected))),
            Refusal::ConversationNotFound => return Self::new(StatusCode::NOT_FOUND, message),
            Refusal::AttachmentNotFound => {
                return Self::dashboard(DashboardCode::AttachmentNotFound, message);
            }
            Refusal::AttachmentUsed => return Self::dashboard(DashboardCode::AttachmentUsed, message),
            Refusal::AttachmentType { .. } => return Self::dashboard(DashboardCode::AttachmentType, message),
            Refusal::AttachmentTooLarge { most_bytes, .. } => {
                let problem = Self::dashboard(DashboardCode::AttachmentTooLarge, message);
                return problem.with_detail("mostBytes", most_bytes);
            }
            Refusal::AuthorLeft => (Code::AuthorLeft, none()),
            Refusal::TemplateNotFound { languages } if languages.is_empty() => {
                (Code::TemplateNotFound, none())
            }
            Refusal::TemplateNotFound { languages } => {
                (Code::TemplateNotFound, one("languages", json!(languages)))
            }
            Refusal::TemplateNotApproved { status, reason } => {
                let mut details = one("status", json!(status.as_str()));
                details.extend(reason.map(|reason| ("reason".to_owned(), json!(reason))));
                (Code::TemplateNotApproved, details)
            }
            Refusal::TemplateNotOnNumber => (Code::TemplateNotOnNumber, none()),
            Refusal::NoChannel(ChannelKind::Whatsapp) => (Code::NoWhatsappChannel, none()),
            Refusal::NoChannel(ChannelKind::Messenger | ChannelKind::Instagram) => (Code::NoChannel, none()),
            Refusal::AccountBarred(state) => {
                (Code::NoWhatsappChannel, one("reason", json!(format!("account_{}", state.as_str()))))
            }
            Refusal::PlanLimit(reason) => (Code::PlanLimit, one("reason", json!(reason.as_str()))),
            Refusal::RequestInFlight => (Code::RequestInFlight, none()),
            Refusal::Rejected { code, .. } => (Code::WhatsappRejected, one("whatsappCode", json!(code))),
            Refusal::KeyReused => (Code::IdempotencyKeyReused, none()),
            Refusal::HeldBack { retry_after } => {
                wait = Some(retry_after);
                (Code::HeldBack, none())
            }
            Refusal::NetworkUnavailable { retry_after, .. } => {
                wait = Some(retry_after);
                (Code::NetworkUnavailable, none())
            }
            Refusal::OutcomeUnknown { id, since } => {
                let mut details = one("id", json!(id));
                details.insert("since".to_owned(), json!(rfc3339_ms(since)));
                (Code::OutcomeUnknown, details)
            }
        };
        let problem = Self::refused(code, message, details);
        match wait {
            Some(wait) => problem.retry_after(wait),
            None => problem,
        }
    }
}

fn none() -> Map<String, Value> {
    Map::new()
}

fn one(name: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value)])
}

#[cfg(test)]
mod tests;
