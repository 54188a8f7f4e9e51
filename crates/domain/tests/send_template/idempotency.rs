//! What a repeated key answers.

use domain::{
    contacts::{ContactProfile, ports::MockContactStore},
    ids::MessageId,
    phone::PhoneError,
    sending::{
        Catalogue, KeyHolder, LedgerEntry, Refusal, SendError, SendState, TemplateRequest,
        ports::{ReserveOutcome, SendFailure},
    },
    testing::{a_contact, a_hash, a_ledger_entry, a_moment, a_recipient, a_send_result, a_template_request},
};
use time::{Duration, ext::NumericalDuration};

use crate::send_template::{World, a_catalogue, keyed};

/// The key of [`keyed`], used `age` ago for the same request, which was sent.
fn sent(age: Duration) -> KeyHolder {
    KeyHolder {
        request_hash: a_hash("idempotent-request", b"{}"),
        claimed_at: a_moment() - age,
        entry: a_ledger_entry(),
    }
}

/// As above, but nobody knows yet what became of it.
fn in_flight(age: Duration) -> KeyHolder {
    KeyHolder { entry: LedgerEntry { state: SendState::InFlight, ..a_ledger_entry() }, ..sent(age) }
}

fn for_another_request(holder: KeyHolder) -> KeyHolder {
    KeyHolder { request_hash: a_hash("idempotent-request", b"[]"), ..holder }
}

fn first_id() -> MessageId {
    a_ledger_entry().intent.id
}

#[pollster::test]
async fn the_same_key_answers_with_the_first_result_and_sends_nothing() {
    let (answer, _) = World::new().holding(Some(sent(23.hours()))).send(&keyed()).await;
    let answer = answer.unwrap();
    assert_eq!(answer.result, a_send_result());
    assert_eq!(answer.to, a_recipient());
    assert!(answer.replayed);
}

#[pollster::test]
async fn the_first_use_of_a_key_claims_it_by_its_hashes() {
    let (answer, seen) = World::willing().holding(None).send(&keyed()).await;
    assert!(!answer.unwrap().replayed);
    let claim = seen.begun.first().and_then(|reservation| reservation.key).unwrap();
    assert_eq!(claim.key_hash, a_hash("idempotency-key", b"order-1042"));
    assert_eq!(claim.request_hash, a_hash("idempotent-request", b"{}"));
}

#[pollster::test]
async fn every_age_and_state_of_a_used_key() {
    let day = 24.hours();
    let moment = 1.seconds();
    let unknown = || Refusal::OutcomeUnknown { id: first_id(), since: a_ledger_entry().intent.created_at };
    for (what, holder, refusal) in [
        ("used for another request", for_another_request(sent(moment)), Refusal::KeyReused),
        (
            "used for another request, almost a day ago",
            for_another_request(sent(day - moment)),
            Refusal::KeyReused,
        ),
        ("just begun", in_flight(Duration::ZERO), Refusal::RequestInFlight),
        ("begun almost a minute ago", in_flight(1.minutes() - moment), Refusal::RequestInFlight),
        ("begun a minute ago", in_flight(1.minutes()), unknown()),
        ("begun a month ago, and never settled", in_flight(30.days()), unknown()),
        ("begun for another request", for_another_request(in_flight(moment)), Refusal::KeyReused),
        ("begun for another request, long ago", for_another_request(in_flight(day * 2)), Refusal::KeyReused),
    ] {
        assert_eq!(World::new().holding(Some(holder)).refusal(&keyed()).await, refusal, "{what}");
    }
}

#[pollster::test]
async fn a_day_after_a_sent_request_its_key_may_be_used_for_any_other() {
    for holder in [sent(24.hours()), for_another_request(sent(24.hours()))] {
        let (answer, seen) = World::willing().holding(Some(holder)).send(&keyed()).await;
        assert!(!answer.unwrap().replayed);
        assert_eq!(seen.asked.len(), 1);
    }
}

#[pollster::test]
async fn of_two_requests_at_once_the_second_hears_of_the_first() {
    let loses_to = |holder| World::new().holding(None).beginning(ReserveOutcome::KeyTaken(Box::new(holder)));
    let (answer, _) = loses_to(sent(Duration::ZERO)).send(&keyed()).await;
    let answer = answer.unwrap();
    assert_eq!((answer.result, answer.replayed), (a_send_result(), true));
    for (holder, refusal) in [
        (in_flight(Duration::ZERO), Refusal::RequestInFlight),
        (for_another_request(in_flight(Duration::ZERO)), Refusal::KeyReused),
    ] {
        assert_eq!(loses_to(holder).refusal(&keyed()).await, refusal);
    }
}

#[pollster::test]
async fn somebody_whose_number_no_plan_of_today_has_is_written_to_where_the_workspace_knows_them() {
    let to = || TemplateRequest { to: "+5215512345678".to_owned(), ..a_template_request() };
    assert_eq!(World::new().refusal(&to()).await, Refusal::InvalidPhone(PhoneError::Impossible));
    let mut world = World::willing();
    world.contacts = MockContactStore::new();
    let known = ContactProfile::without_conversations(a_contact());
    world.contacts.expect_find_by_phone().returning(move |_, _| Ok(Some(known.clone())));
    let (answer, _) = world.send(&to()).await;
    assert_eq!(answer.unwrap().to.as_str(), "+5215512345678");
}

#[pollster::test]
async fn the_recipient_is_checked_before_the_key_and_the_key_before_the_template() {
    let wrong_number = TemplateRequest { to: "12".to_owned(), ..keyed() };
    assert_eq!(World::new().refusal(&wrong_number).await, Refusal::InvalidPhone(PhoneError::Impossible));

    let no_template = || World::knowing(Catalogue { templates: vec![], ..a_catalogue() });
    let used = no_template().holding(Some(for_another_request(sent(1.hours()))));
    assert_eq!(used.refusal(&keyed()).await, Refusal::KeyReused);
    assert_eq!(
        no_template().holding(None).refusal(&keyed()).await,
        Refusal::TemplateNotFound { languages: vec![] }
    );
}

#[pollster::test]
async fn a_key_that_was_sent_is_replayed_even_when_its_template_is_gone() {
    let gone = World::knowing(Catalogue { templates: vec![], ..a_catalogue() });
    let (answer, _) = gone.holding(Some(sent(1.hours()))).send(&keyed()).await;
    assert!(answer.unwrap().replayed);
}

#[pollster::test]
async fn without_a_key_nobody_is_asked_for_one() {
    let (answer, seen) = World::willing().send(&a_template_request()).await;
    assert!(answer.is_ok());
    assert_eq!(seen.begun.first().map(|reservation| reservation.key), Some(None));
}

#[pollster::test]
async fn a_refused_request_leaves_its_key_free() {
    let refused = SendFailure::Refused { code: 131_026, subcode: None, message: "Undeliverable".to_owned() };
    let world =
        World::new().holding(None).beginning(ReserveOutcome::Started).answering(Err(refused)).releasing();
    let (answer, seen) = world.send(&keyed()).await;
    assert!(matches!(answer, Err(SendError::Refused(Refusal::Rejected { .. }))));
    assert_eq!(seen.released, [seen.begun.first().unwrap().intent.id]);
}
