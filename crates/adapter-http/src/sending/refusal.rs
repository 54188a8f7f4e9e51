//! Every refusal's status, code and details: the one place where they are told apart.

use actix_web::http::StatusCode;
use domain::{
    channels::ChannelKind,
    sending::{Refusal, SendError},
};
use serde_json::{Map, Value, json};

use crate::problem::Problem;

impl From<SendError> for Problem {
    fn from(error: SendError) -> Self {
        let cause = error.to_string();
        match error {
            SendError::Refused(refusal) => refusal.into(),
            SendError::Open { id, .. } => Self::from(Refusal::OutcomeUnknown { id }).caused_by(cause),
            SendError::Store(error) => error.into(),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let message = refusal.to_string();
        let mut wait = None;
        let (status, code, details) = match refusal {
            Refusal::Invalid(message) => return Self::invalid(message),
            Refusal::InvalidPhone => (StatusCode::BAD_REQUEST, "invalid_phone", none()),
            Refusal::VariablesMismatch { wanted } => {
                (StatusCode::BAD_REQUEST, "variables_mismatch", one("variables", json!(wanted)))
            }
            Refusal::VariableEmpty { variable } => {
                (StatusCode::BAD_REQUEST, "variable_empty", one("variable", json!(variable)))
            }
            Refusal::CodeRequired => (StatusCode::BAD_REQUEST, "code_required", none()),
            Refusal::InvalidCode => (StatusCode::BAD_REQUEST, "invalid_code", none()),
            Refusal::HeaderRequired { .. } => (StatusCode::BAD_REQUEST, "header_required", none()),
            Refusal::HeaderNotAllowed { .. } => (StatusCode::BAD_REQUEST, "header_not_allowed", none()),
            Refusal::ButtonVariablesMismatch { .. } => {
                (StatusCode::BAD_REQUEST, "button_variables_mismatch", none())
            }
            Refusal::UnknownSender { connected } => {
                (StatusCode::BAD_REQUEST, "unknown_sender", one("connected", json!(connected)))
            }
            Refusal::TemplateNotFound => (StatusCode::NOT_FOUND, "template_not_found", none()),
            Refusal::TemplateNotApproved { status } => {
                (StatusCode::CONFLICT, "template_not_approved", one("status", json!(status.as_str())))
            }
            Refusal::TemplateNotOnNumber => (StatusCode::CONFLICT, "template_not_on_number", none()),
            Refusal::NoChannel(ChannelKind::Whatsapp) => {
                (StatusCode::CONFLICT, "no_whatsapp_channel", none())
            }
            Refusal::NoChannel(ChannelKind::Messenger | ChannelKind::Instagram) => {
                (StatusCode::CONFLICT, "no_channel", none())
            }
            Refusal::PlanLimit(reason) => {
                (StatusCode::CONFLICT, "plan_limit", one("reason", json!(reason.as_str())))
            }
            Refusal::RequestInFlight => (StatusCode::CONFLICT, "request_in_flight", none()),
            Refusal::Rejected { code, .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "whatsapp_rejected", one("whatsappCode", json!(code)))
            }
            Refusal::KeyReused => (StatusCode::UNPROCESSABLE_ENTITY, "idempotency_key_reused", none()),
            Refusal::NetworkUnavailable { retry_after } => {
                wait = Some(retry_after);
                (StatusCode::SERVICE_UNAVAILABLE, "network_unavailable", none())
            }
            Refusal::OutcomeUnknown { id } => {
                (StatusCode::GATEWAY_TIMEOUT, "outcome_unknown", one("id", json!(id)))
            }
        };
        let problem = Self::new(status, message).coded(code, details);
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
