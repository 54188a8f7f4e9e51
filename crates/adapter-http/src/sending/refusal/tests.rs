//! Every variant of a refusal against its answer.

use std::time::Duration;

use actix_web::{ResponseError, body::to_bytes, http::header::RETRY_AFTER};
use domain::{
    channels::{ChannelKind, StandingState},
    errors::StoreError,
    phone::{PhoneError, PhoneNumber},
    sending::{PlanLimitReason, Refusal, SendError},
    templates::TemplateStatus,
};
use serde_json::{Value, json};
use time::macros::datetime;
use uuid::Uuid;

use crate::{
    document::{openapi, tests::contract::Contract},
    problem::Problem,
};

/// Status, `Retry-After` and body of an answer.
async fn answer(problem: Problem) -> (u16, Option<String>, Value) {
    let answer = problem.error_response();
    let retry_after = answer.headers().get(RETRY_AFTER).map(|value| value.to_str().unwrap().to_owned());
    let status = answer.status().as_u16();
    let body = to_bytes(answer.into_body()).await.unwrap();
    (status, retry_after, serde_json::from_slice(&body).unwrap())
}

#[actix_web::test]
async fn every_refusal_has_its_status_code_and_details() {
    let id = Uuid::from_u128(7);
    let number = |text: &str| PhoneNumber::from_e164(text).unwrap();
    let waits = Refusal::NetworkUnavailable {
        retry_after: Duration::from_millis(1_200),
        reason: "cut off".to_owned(),
    };
    let held_back = Refusal::HeldBack { retry_after: Duration::from_millis(1_200) };
    let table: Vec<(Refusal, u16, &str, Value)> = vec![
        (Refusal::InvalidPhone(PhoneError::Doubtful), 400, "invalid_phone", json!({})),
        (
            Refusal::VariablesMismatch { wanted: vec!["1".to_owned(), "الاسم".to_owned()] },
            400,
            "variables_mismatch",
            json!({ "variables": ["1", "الاسم"] }),
        ),
        (
            Refusal::VariableEmpty { variable: "2".to_owned() },
            400,
            "variable_empty",
            json!({ "variable": "2" }),
        ),
        (Refusal::CodeRequired, 400, "code_required", json!({})),
        (Refusal::InvalidCode, 400, "invalid_code", json!({})),
        (Refusal::HeaderRequired { field: "link" }, 400, "header_required", json!({})),
        (Refusal::HeaderNotAllowed { field: "text" }, 400, "header_not_allowed", json!({})),
        (
            Refusal::ButtonVariablesMismatch { wanted: 2, given: 1 },
            400,
            "button_variables_mismatch",
            json!({}),
        ),
        (
            Refusal::UnknownSender { connected: vec![number("+9647700000000")] },
            400,
            "unknown_sender",
            json!({ "connected": ["+9647700000000"] }),
        ),
        (Refusal::TemplateNotFound { languages: vec![] }, 404, "template_not_found", json!({})),
        (
            Refusal::TemplateNotFound { languages: vec!["ar".to_owned()] },
            404,
            "template_not_found",
            json!({ "languages": ["ar"] }),
        ),
        (
            Refusal::TemplateNotApproved {
                status: TemplateStatus::Approved,
                reason: Some("its codes would come too late".to_owned()),
            },
            409,
            "template_not_approved",
            json!({ "status": "approved", "reason": "its codes would come too late" }),
        ),
        (
            Refusal::TemplateNotApproved { status: TemplateStatus::Paused, reason: None },
            409,
            "template_not_approved",
            json!({ "status": "paused" }),
        ),
        (Refusal::TemplateNotOnNumber, 409, "template_not_on_number", json!({})),
        (Refusal::NoChannel(ChannelKind::Whatsapp), 409, "no_whatsapp_channel", json!({})),
        (
            Refusal::AccountBarred(StandingState::Disabled),
            409,
            "no_whatsapp_channel",
            json!({ "reason": "account_disabled" }),
        ),
        (Refusal::NoChannel(ChannelKind::Messenger), 409, "no_channel", json!({})),
        (Refusal::NoChannel(ChannelKind::Instagram), 409, "no_channel", json!({})),
        (
            Refusal::PlanLimit(PlanLimitReason::ActiveCustomerLimit),
            409,
            "plan_limit",
            json!({ "reason": "active_customer_limit" }),
        ),
        (
            Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused),
            409,
            "plan_limit",
            json!({ "reason": "subscription_paused" }),
        ),
        (Refusal::RequestInFlight, 409, "request_in_flight", json!({})),
        (
            Refusal::Rejected {
                channel: ChannelKind::Whatsapp,
                code: 131_026,
                subcode: None,
                message: "undeliverable".to_owned(),
            },
            422,
            "whatsapp_rejected",
            json!({ "whatsappCode": 131_026 }),
        ),
        (Refusal::KeyReused, 422, "idempotency_key_reused", json!({})),
        (held_back, 503, "held_back", json!({})),
        (waits, 503, "network_unavailable", json!({})),
        (
            Refusal::OutcomeUnknown { id: id.into(), since: datetime!(2026-11-21 10:00:45 UTC) },
            504,
            "outcome_unknown",
            json!({ "id": id, "since": "2026-11-21T10:00:45.000Z" }),
        ),
    ];
    let phrases = [
        (400, "Bad Request"),
        (404, "Not Found"),
        (409, "Conflict"),
        (422, "Unprocessable Entity"),
        (503, "Service Unavailable"),
        (504, "Gateway Timeout"),
    ];
    let contract = Contract::new(openapi());
    for (refusal, status, code, details) in table {
        let message = refusal.to_string();
        let waits = (status == 503 || code == "request_in_flight").then(|| "2".to_owned());
        let phrase = phrases.iter().find(|(of, _)| *of == status).unwrap().1;
        let body = json!({
            "statusCode": status, "message": message, "error": phrase, "code": code, "details": details
        });
        let routes = ["/v1/messages/template", "/v1/messages"];
        let faults = routes.map(|route| contract.faults(&format!("POST {route} {status}"), &body));
        assert!(faults.iter().any(Vec::is_empty), "{body}: {faults:?}");
        assert_eq!(answer(refusal.into()).await, (status, waits, body));
    }
}

#[actix_web::test]
async fn what_speaks_against_a_file_has_a_code_of_the_dashboard() {
    let channel = ChannelKind::Instagram;
    for (refusal, status, code, details) in [
        (Refusal::AttachmentNotFound, 404, "attachment_not_found", json!({})),
        (Refusal::AttachmentUsed, 409, "attachment_used", json!({})),
        (Refusal::AttachmentType { channel, content_type: "text/csv" }, 415, "attachment_type", json!({})),
        (
            Refusal::AttachmentTooLarge { channel, most_bytes: 8 },
            413,
            "attachment_too_large",
            json!({ "mostBytes": 8 }),
        ),
    ] {
        let (got, _, body) = answer(refusal.into()).await;
        assert_eq!((got, &body["code"], &body["details"]), (status, &json!(code), &details), "{body}");
    }
}

#[actix_web::test]
async fn a_rule_without_a_code_is_a_plain_400() {
    let (status, _, body) = answer(Refusal::Invalid("`reference` is long".to_owned()).into()).await;
    let wanted = json!({ "statusCode": 400, "message": "`reference` is long", "error": "Bad Request" });
    assert_eq!((status, body), (400, wanted));
}

#[actix_web::test]
async fn an_open_outcome_keeps_its_reason_for_the_log() {
    let id = Uuid::from_u128(7);
    let since = datetime!(2026-11-21 10:00:45 UTC);
    let open = || SendError::Open { id: id.into(), since, reason: "cut off".to_owned() };
    assert!(Problem::from(open()).cause().unwrap().contains("cut off"));
    assert!(Problem::from(open()).cause().unwrap().contains(&id.to_string()));
    let (status, _, body) = answer(open().into()).await;
    assert_eq!(
        (status, &body["code"], &body["details"]),
        (504, &json!("outcome_unknown"), &json!({ "id": id, "since": "2026-11-21T10:00:45.000Z" }))
    );
    assert!(!body.to_string().contains("cut off"));
}

#[actix_web::test]
async fn a_store_that_fails_shows_nothing_of_itself() {
    for (error, status, retry_after) in [
        (StoreError::Unavailable("pool".to_owned()), 503, Some("1".to_owned())),
        (StoreError::Internal("pool".to_owned()), 500, None),
        (StoreError::Stale, 503, Some("1".to_owned())),
    ] {
        let text = error.to_string();
        let problem = Problem::from(SendError::Store(error));
        assert_eq!(problem.cause(), Some(text.as_str()));
        let (got, waits, body) = answer(problem).await;
        assert_eq!((got, waits), (status, retry_after));
        assert!(!body.to_string().contains("pool") && body.get("code").is_none(), "{body}");
    }
}
