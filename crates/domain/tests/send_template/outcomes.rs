//! What the network and the ledger answer, and what the caller hears of it.

use std::time::Duration;

use domain::{
    channels::{AccountAccess, AccountStanding, ChannelKind, StandingState},
    errors::StoreError,
    sending::{
        Catalogue, ConversationParts, PlanLimitReason, Refusal, SendError, TemplateRequest,
        ports::{MockSendLedger, Recorded, ReserveOutcome, SendFailure},
    },
    testing::{a_moment, a_network_message_id, a_send_result, a_template_request},
    workspaces::{Month, Plan},
};
use secrecy::SecretString;
use time::macros::{date, datetime};

use crate::send_template::{World, a_catalogue};

fn failing(failure: SendFailure) -> World {
    World::new().beginning(ReserveOutcome::Started).answering(Err(failure))
}

fn not_sent(retry_after_secs: Option<u64>) -> SendFailure {
    SendFailure::NotSent {
        reason: "connection refused".to_owned(),
        retry_after: retry_after_secs.map(Duration::from_secs),
    }
}

fn limited_to(customers: u32) -> Catalogue {
    let mut catalogue = a_catalogue();
    catalogue.workspace.plan = Plan { active_customer_limit: Some(customers), paused: false };
    catalogue
}

#[pollster::test]
async fn what_the_network_refuses_is_taken_back_and_answered_in_its_words() {
    let refused =
        SendFailure::Refused { code: 131_026, subcode: None, message: "Message undeliverable".to_owned() };
    let (answer, seen) = failing(refused).releasing().send(&a_template_request()).await;
    let Err(SendError::Refused(refusal)) = answer else { panic!("{answer:?}") };
    assert_eq!(
        refusal,
        Refusal::Rejected {
            channel: ChannelKind::Whatsapp,
            code: 131_026,
            subcode: None,
            message: "Message undeliverable".to_owned()
        }
    );
    assert_eq!(seen.released, [seen.begun.first().unwrap().intent.id]);
}

#[pollster::test]
async fn what_was_certainly_not_sent_is_taken_back_and_may_be_tried_again() {
    for (asked_for, told) in [(Some(90), 90), (None, 5)] {
        let world = failing(not_sent(asked_for)).releasing();
        let (answer, seen) = world.send(&a_template_request()).await;
        let Err(SendError::Refused(refusal)) = answer else { panic!("{answer:?}") };
        let Refusal::NetworkUnavailable { retry_after, .. } = refusal else { panic!("{refusal:?}") };
        assert_eq!(retry_after, Duration::from_secs(told));
        assert_eq!(seen.released.len(), 1);
    }
}

#[pollster::test]
async fn what_may_have_been_sent_stays_in_the_ledger_under_the_id_that_the_caller_hears() {
    let unknown = SendFailure::Unknown { reason: "the connection broke".to_owned() };
    let (answer, seen) = failing(unknown).send(&a_template_request()).await;
    let Err(SendError::Open { id, .. }) = answer else { panic!("{answer:?}") };
    assert_eq!(seen.begun.first().unwrap().intent.id, id);
}

#[pollster::test]
async fn an_acceptance_that_cannot_be_written_down_is_open_and_not_taken_back() {
    let broken = || Err(StoreError::Unavailable("no connection".to_owned()));
    let moving = || Err(StoreError::Stale);
    let gone = || Ok(Recorded::Released);
    let answers: [fn() -> Result<Recorded, StoreError>; 3] = [broken, moving, gone];
    for answer in answers {
        let world = World::new()
            .beginning(ReserveOutcome::Started)
            .answering(Ok(a_network_message_id()))
            .with_conversation(ConversationParts::default())
            .recorded_as(answer);
        let (answer, seen) = world.send(&a_template_request()).await;
        let Err(SendError::Open { id, .. }) = answer else { panic!("{answer:?}") };
        assert_eq!(seen.begun.first().unwrap().intent.id, id);
    }
}

#[pollster::test]
async fn a_status_that_was_faster_than_the_answer_has_the_last_word() {
    let world = World::new()
        .beginning(ReserveOutcome::Started)
        .answering(Ok(a_network_message_id()))
        .with_conversation(ConversationParts::default())
        .recorded_as(|| Ok(Recorded::Before(Box::new(a_send_result()))));
    let (answer, _) = world.send(&a_template_request()).await;
    assert_eq!(answer.unwrap().result, a_send_result());
}

#[pollster::test]
async fn without_the_account_s_token_the_network_is_not_asked_and_the_send_is_taken_back() {
    let mut world = World::new().beginning(ReserveOutcome::Started).releasing();
    world.ledger.expect_token().returning(|_, _| Err(StoreError::Internal("cannot open".to_owned())));
    let (answer, seen) = world.send(&a_template_request()).await;
    assert!(matches!(answer, Err(SendError::Store(StoreError::Internal(_)))), "{answer:?}");
    assert_eq!(seen.released.len(), 1);
}

#[pollster::test]
async fn a_number_whose_account_was_disconnected_meanwhile_sends_nothing() {
    let mut world = World::new().beginning(ReserveOutcome::Started).releasing();
    world.ledger.expect_token().returning(|_, _| Ok(None));
    let (answer, seen) = world.send(&a_template_request()).await;
    let refused = matches!(answer, Err(SendError::Refused(Refusal::NoChannel(ChannelKind::Whatsapp))));
    assert!(refused, "{answer:?}");
    assert_eq!(seen.released.len(), 1);
}

#[pollster::test]
async fn an_account_that_its_network_bars_sends_nothing_and_the_send_is_taken_back() {
    let mut world = World::new().beginning(ReserveOutcome::Started).releasing();
    let access = AccountAccess {
        token: SecretString::from("a token"),
        standing: Some(AccountStanding::since(StandingState::Disabled, a_moment())),
    };
    world.ledger.expect_token().returning(move |_, _| Ok(Some(access.clone())));
    let (answer, seen) = world.send(&a_template_request()).await;
    let refused = matches!(answer, Err(SendError::Refused(Refusal::AccountBarred(StandingState::Disabled))));
    assert!(refused, "{answer:?}");
    assert_eq!((seen.released.len(), seen.asked.len()), (1, 0));
}

#[pollster::test]
async fn a_send_that_cannot_be_written_down_first_does_not_happen() {
    let mut world = World::new();
    world.ledger.expect_begin().returning(|_, _| Err(StoreError::Unavailable("no connection".to_owned())));
    let (answer, _) = world.send(&a_template_request()).await;
    assert!(matches!(answer, Err(SendError::Store(StoreError::Unavailable(_)))), "{answer:?}");
}

#[pollster::test]
async fn one_active_customer_too_many_is_refused_before_the_network_is_asked() {
    let world = World::knowing(limited_to(100)).beginning(ReserveOutcome::PlanLimitReached);
    let refusal = world.refusal(&a_template_request()).await;
    assert_eq!(refusal, Refusal::PlanLimit(PlanLimitReason::ActiveCustomerLimit));
}

#[pollster::test]
async fn the_limit_counts_in_the_month_of_the_send_by_utc() {
    let world = World::knowing(limited_to(100)).beginning(ReserveOutcome::PlanLimitReached);
    let (_, seen) = world.at(datetime!(2026-12-01 02:30 +03:00)).send(&a_template_request()).await;
    let (month, limit) = seen.begun.first().and_then(|reservation| reservation.limit).unwrap();
    assert_eq!((month.first_day(), limit), (date!(2026 - 11 - 01), 100));
    assert_eq!(month, Month::of(datetime!(2026-11-30 23:59 UTC)));
}

#[pollster::test]
async fn a_plan_without_a_limit_counts_nobody() {
    let (_, seen) = World::willing().send(&a_template_request()).await;
    assert_eq!(seen.begun.first().unwrap().limit, None);
}

#[pollster::test]
async fn a_request_of_the_wrong_shape_is_refused_before_anything_is_read() {
    let world = World { ledger: MockSendLedger::new(), ..World::new() };
    let request = TemplateRequest { reference: Some("x".repeat(129)), ..a_template_request() };
    assert!(matches!(world.refusal(&request).await, Refusal::Invalid(text) if text.contains("`reference`")));
}
