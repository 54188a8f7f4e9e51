//! Refusals of sends, for the API's document.

use std::collections::BTreeMap;

use utoipa::{
    IntoResponses,
    openapi::{RefOr, Response},
};

use crate::{problem::RefusalCode as Code, schema::problems::refusals};

/// Refusals that a reply and a template send have in common.
const OF_EVERY_SEND: [Code; 7] = [
    Code::PlanLimit,
    Code::RequestInFlight,
    Code::WhatsappRejected,
    Code::IdempotencyKeyReused,
    Code::HeldBack,
    Code::NetworkUnavailable,
    Code::OutcomeUnknown,
];

/// Responses of every refusal of a reply, besides that of an unknown conversation.
pub(crate) struct ReplyRefused;

impl IntoResponses for ReplyRefused {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let own = [Code::AuthorLeft, Code::NoWhatsappChannel, Code::NoChannel];
        refusals(&[&own[..], &OF_EVERY_SEND].concat())
    }
}

/// Responses of every refusal of a template send.
pub(crate) struct Refused;

impl IntoResponses for Refused {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let own = [
            Code::InvalidPhone,
            Code::VariablesMismatch,
            Code::VariableEmpty,
            Code::CodeRequired,
            Code::InvalidCode,
            Code::HeaderRequired,
            Code::HeaderNotAllowed,
            Code::ButtonVariablesMismatch,
            Code::UnknownSender,
            Code::TemplateNotFound,
            Code::TemplateNotApproved,
            Code::TemplateNotOnNumber,
            Code::NoWhatsappChannel,
        ];
        refusals(&[&own[..], &OF_EVERY_SEND].concat())
    }
}
