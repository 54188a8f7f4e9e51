//! How PostgreSQL runs the statements about drafts and commitments in a large workspace.

use std::num::NonZeroU32;

use domain::{
    appointments::ports::{BookingRequestHolder, BookingRequestStore, NewBookingRequest},
    audit::Action,
    consent::{
        CommitmentState, DRAFT_GOOD_FOR, Draft, DraftState, OrderProposal, Proposal, ProposedLine,
        ports::{
            AnswerSettled, AskedAgain, CommitmentSettlement, CommitmentStore, DraftHolder, DraftStore,
            NewCommitment, NewDraft, Postponement, PreparedReplies, Question,
        },
    },
    errors::StoreError,
    events::{BookingWish, Customer, Event, EventType},
    external_id::ExternalId,
    fence::Fence,
    ids::WorkspaceId,
    language::Language,
    messages::{PreparedReply, ReplyAuthor, ReplyButton},
    money::Money,
    orders::{CreationKey, DeliveryAddress, Recipient},
    phone::{PhoneNumber, Region},
    sending::KeyClaim,
    systems::{Availability, Listing, Product},
    text::PlainText,
};
use time::{Duration, OffsetDateTime, macros::datetime};
use tokio_postgres::Client;

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded},
    testing::TestDatabase,
};

const NOW: OffsetDateTime = datetime!(2026-11-22 10:00 UTC);

fn large() -> WorkspaceId {
    id(1, 0).into()
}

/// The seed without open or due rows, whose sealed values cannot be opened.
async fn quiet() -> (TestDatabase, Client, ExplainedStore) {
    let (database, client) = seeded().await;
    let quiet = "UPDATE drafts SET state = 'expired', answer_due_at = NULL;
        UPDATE commitments SET due_at = NULL;
        DELETE FROM prepared_replies WHERE workspace_id = id(1, 0) AND id > id(26, 19900)";
    client.batch_execute(quiet).await.unwrap();
    client.batch_execute("UPDATE prepared_replies SET due_at = '2027-01-01Z'").await.unwrap();
    let explained = ExplainedStore::over(&database);
    (database, client, explained)
}

fn text(text: &str) -> PlainText {
    PlainText::read(text, 200).unwrap()
}

fn order() -> Proposal {
    let milk = Product::of(Listing {
        id: ExternalId::of_text("m1").unwrap(),
        title: text("حليب"),
        price: Money::of_number("1500").unwrap(),
        availability: Availability::In,
    });
    let currency = "IQD".parse().unwrap();
    let line = ProposedLine::of(&milk, &milk.listing.id, NonZeroU32::new(2).unwrap(), currency);
    let phone = PhoneNumber::from_e164("+9647701234567").unwrap();
    Proposal::Order(OrderProposal {
        lines: vec![line.unwrap()],
        currency,
        recipient: Recipient { name: text("سارة"), phone, email: None },
        address: DeliveryAddress {
            line1: text("شارع"),
            city: text("بغداد"),
            province: text("بغداد"),
            country: Region::default(),
            notes: None,
        },
        note: None,
    })
}

fn draft(number: u128, explained: &ExplainedStore, key: Option<KeyClaim>) -> NewDraft {
    let draft = Draft {
        id: id(25, number).into(),
        conversation: id(6, 7).into(),
        proposal: order(),
        summary: id(28, number).into(),
        author: ReplyAuthor::Member(id(10, 0).into()),
        system: id(22, 0).into(),
        language: Language::Sorani,
        tried: false,
        created_at: NOW,
        expires_at: NOW + DRAFT_GOOD_FOR,
    };
    let summary = PreparedReply {
        id: draft.summary,
        conversation: draft.conversation,
        author: draft.author,
        text: "ملخص".to_owned(),
        buttons: vec![ReplyButton { id: "a".to_owned(), title: "أؤكد".to_owned() }],
        summary_of: Some(draft.id),
        until: draft.expires_at,
        fence: None,
        handed_over_at: None,
    };
    let entry = explained.entry(large(), Action::DraftProposed, NOW);
    NewDraft { draft, key, summary, entry }
}

#[tokio::test]
async fn what_the_assistant_proposes_takes_no_place_once_its_fence_has_passed() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.consent;
    let of_member = draft(30_000, &explained, None);
    assert_eq!(store.propose(large(), &of_member).await.unwrap(), None);
    client
        .batch_execute(
            "UPDATE assistant_turns SET heard = 5
             WHERE workspace_id = id(1, 0) AND conversation_id = id(6, 7)",
        )
        .await
        .unwrap();
    let fenced = |number, version, heard| {
        let mut new = draft(number, &explained, None);
        let conversation = new.draft.conversation;
        new.draft.author = ReplyAuthor::Assistant;
        new.summary.author = ReplyAuthor::Assistant;
        new.summary.fence = Some(Fence { conversation, version, heard });
        new
    };
    for (version, heard) in [(1, 4), (2, 5)] {
        let proposed = store.propose(large(), &fenced(30_001, version, heard)).await;
        assert!(matches!(proposed, Err(StoreError::Stale)), "{proposed:?}");
    }
    let open = store.unsent_summary(large(), of_member.draft.id).await.unwrap();
    assert_eq!(open, Some(of_member.summary), "the member's stands");
    let good = fenced(30_002, 1, 5);
    assert_eq!(store.propose(large(), &good).await.unwrap(), None);
    let kept = store.unsent_summary(large(), good.draft.id).await.unwrap();
    assert_eq!(kept, Some(good.summary), "with its fence");
    explained.ran().await;
}

#[tokio::test]
async fn a_draft_takes_the_place_of_the_open_one_and_is_found_by_its_key_and_its_conversation() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.consent;
    let key = KeyClaim { key_hash: [1; 32], request_hash: [2; 32] };
    let first = draft(30_000, &explained, Some(key));
    assert_eq!(store.propose(large(), &first).await.unwrap(), None);
    assert_ran_cheaply(&explained, 4).await;
    let holder = DraftHolder { request_hash: [2; 32], id: first.draft.id };
    assert_eq!(store.propose(large(), &draft(30_001, &explained, Some(key))).await.unwrap(), Some(holder));
    assert_eq!(store.holder(large(), [1; 32]).await.unwrap(), Some(holder));
    assert_eq!(store.holder(id(1, 1).into(), [1; 32]).await.unwrap(), None);
    assert_eq!(store.unsent_summary(large(), first.draft.id).await.unwrap(), Some(first.summary.clone()));
    explained.ran().await;

    let second = draft(30_002, &explained, None);
    assert_eq!(store.propose(large(), &second).await.unwrap(), None);
    assert_eq!(store.unsent_summary(large(), first.draft.id).await.unwrap(), None, "it is not sent any more");
    let listed = store.drafts(large(), id(6, 7).into(), 50).await.unwrap();
    let states: Vec<_> = listed.iter().map(|draft| (draft.id, draft.state)).collect();
    assert_eq!(states[0], (second.draft.id, DraftState::Open));
    assert!(states.contains(&(first.draft.id, DraftState::Replaced)));
    let kept = "SELECT proposal_sealed IS NULL FROM drafts WHERE id = id(25, 30000)";
    assert!(client.query_one(kept, &[]).await.unwrap().get::<_, bool>(0));

    let entry = explained.entry(large(), Action::DraftWithdrawn, NOW);
    let elsewhere = store.withdraw(large(), id(6, 8).into(), second.draft.id, &entry).await;
    assert!(!elsewhere.unwrap(), "another conversation's");
    assert!(store.withdraw(large(), id(6, 7).into(), second.draft.id, &entry).await.unwrap());
    assert!(!store.withdraw(large(), id(6, 7).into(), second.draft.id, &entry).await.unwrap());
    let gone = NewDraft { draft: Draft { conversation: id(6, 99_999).into(), ..second.draft }, ..second };
    assert!(matches!(store.propose(large(), &gone).await, Err(StoreError::Stale)));
    assert_ran_cheaply(&explained, 4).await;
}

async fn writes(client: &Client, at: OffsetDateTime) {
    let wrote = "UPDATE drafts SET answer_due_at = $1 WHERE state = 'open'";
    client.execute(wrote, &[&at]).await.unwrap();
}

#[tokio::test]
async fn an_answer_is_taken_up_by_one_and_settled_unless_the_customer_writes_meanwhile() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.consent;
    store.propose(large(), &draft(30_000, &explained, None)).await.unwrap();
    explained.ran().await;
    assert_eq!(store.workspaces_with_answers(NOW).await.unwrap(), []);
    assert_ran_cheaply(&explained, 401).await;
    writes(&client, NOW).await;
    assert_eq!(store.workspaces_with_answers(NOW).await.unwrap(), [large()]);
    explained.ran().await;
    let lease = NOW + Duration::MINUTE;
    let answered = store.claim_answer(large(), NOW, lease).await.unwrap().unwrap();
    assert_eq!((answered.read_until, answered.only_button, answered.lease_until), (NOW, false, lease));
    assert_eq!(answered.draft, draft(30_000, &explained, None).draft);
    assert_eq!(store.claim_answer(large(), NOW, lease).await.unwrap(), None);
    let heard = AnswerSettled::Heard(NOW + Duration::SECOND);
    store.settle_answer(large(), &answered, &heard).await.unwrap();
    assert!(matches!(store.settle_answer(large(), &answered, &heard).await, Err(StoreError::Stale)));

    writes(&client, NOW).await;
    let answered = store.claim_answer(large(), NOW, lease).await.unwrap().unwrap();
    assert!(answered.only_button, "they have spoken of something else");
    writes(&client, lease + Duration::SECOND).await;
    let commitment = NewCommitment {
        id: id(27, 30_000).into(),
        confirmed_by: id(7, 7).into(),
        key: CreationKey::parse("key").unwrap(),
        at: NOW,
    };
    let confirmed = AnswerSettled::Confirmed(commitment);
    assert!(matches!(store.settle_answer(large(), &answered, &confirmed).await, Err(StoreError::Stale)));
    let later = lease + Duration::MINUTE;
    let answered = store.claim_answer(large(), later, later + Duration::MINUTE).await.unwrap().unwrap();
    store.settle_answer(large(), &answered, &confirmed).await.unwrap();
    let listed = store.drafts(large(), id(6, 7).into(), 1).await.unwrap();
    assert_eq!(listed[0].state, DraftState::Confirmed);
    assert_eq!(listed[0].commitment.map(|it| it.state), Some(CommitmentState::Confirmed));
    assert_ran_cheaply(&explained, 4).await;
}

#[tokio::test]
async fn a_summary_is_sent_again_once_by_whoever_has_the_answer_and_its_question_is_the_last() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.consent;
    let first = draft(30_000, &explained, None);
    store.propose(large(), &first).await.unwrap();
    let conversation = first.draft.conversation;
    let question = || async { store.drafts(large(), conversation, 1).await.unwrap()[0].question };
    assert_eq!(question().await, Question::first(&first.draft));
    store.finish_reply(large(), first.summary.id, None).await.unwrap();
    writes(&client, NOW).await;
    let waits = "UPDATE assistant_turns SET due_at = $1, waiting_since = $1
        WHERE workspace_id = id(1, 0) AND conversation_id = id(6, 7)";
    client.execute(waits, &[&(NOW + Duration::SECOND)]).await.unwrap();
    let lease = NOW + Duration::MINUTE;
    let answered = store.claim_answer(large(), NOW, lease).await.unwrap().unwrap();
    assert_eq!((answered.question, answered.sent_again), (Question::first(&first.draft), 0));
    let at = NOW + Duration::seconds(3);
    let summary = PreparedReply { id: id(28, 30_001).into(), ..first.summary.clone() };
    let again = AskedAgain { heard_until: NOW + Duration::SECOND, at, summary: summary.clone() };
    let again = AnswerSettled::AskedAgain(again);
    explained.ran().await;
    store.settle_answer(large(), &answered, &again).await.unwrap();
    // Read by two nodes, or twice by one: there is one summary more.
    assert!(matches!(store.settle_answer(large(), &answered, &again).await, Err(StoreError::Stale)));
    assert_eq!(store.unsent_summary(large(), first.draft.id).await.unwrap(), Some(summary.clone()));
    assert_eq!(question().await, Question { message: summary.id, at });
    let due = "SELECT due_at IS NOT NULL FROM assistant_turns
        WHERE workspace_id = id(1, 0) AND conversation_id = id(6, 7)";
    assert!(!client.query_one(due, &[]).await.unwrap().get::<_, bool>(0), "no model is asked");

    // As long as that summary is not sent, no answer ends with the question.
    let told = Question { message: id(28, 30_002).into(), at: at + Duration::SECOND };
    assert_eq!(store.open_draft(large(), conversation).await.unwrap(), Some(first.draft.clone()));
    assert!(!store.repeat_question(large(), first.draft.id, told).await.unwrap());
    store.finish_reply(large(), summary.id, None).await.unwrap();
    assert!(store.repeat_question(large(), first.draft.id, told).await.unwrap());
    assert_eq!(question().await, told);
    // Nor while something that the customer has written is still to be read.
    writes(&client, NOW).await;
    assert!(!store.repeat_question(large(), first.draft.id, told).await.unwrap());
    let answered = store.claim_answer(large(), NOW, lease).await.unwrap().unwrap();
    assert_eq!((answered.question, answered.sent_again, answered.only_button), (told, 1, false));
    let declined = AnswerSettled::Ended(DraftState::Declined);
    store.settle_answer(large(), &answered, &declined).await.unwrap();
    assert_eq!(store.open_draft(large(), conversation).await.unwrap(), None);
    assert!(!store.repeat_question(large(), first.draft.id, told).await.unwrap());
    assert_ran_cheaply(&explained, 6).await;
}

#[tokio::test]
async fn a_summary_that_waits_to_be_sent_again_is_not_sent_once_its_draft_is_answered() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.consent;
    let first = draft(30_000, &explained, None);
    store.propose(large(), &first).await.unwrap();
    writes(&client, NOW).await;
    let answered = store.claim_answer(large(), NOW, NOW + Duration::MINUTE).await.unwrap().unwrap();
    let commitment = NewCommitment {
        id: id(27, 30_000).into(),
        confirmed_by: id(7, 7).into(),
        key: CreationKey::parse("key").unwrap(),
        at: NOW,
    };
    store.settle_answer(large(), &answered, &AnswerSettled::Confirmed(commitment)).await.unwrap();
    assert_eq!(store.unsent_summary(large(), first.draft.id).await.unwrap(), None);
    explained.ran().await;
}

#[tokio::test]
async fn a_confirmation_answers_what_the_customer_waits_with_but_not_what_they_asked_before_it() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.consent;
    let of_conversation = "WHERE workspace_id = id(1, 0) AND conversation_id = id(6, 7)";
    let waits = format!("UPDATE assistant_turns SET due_at = $1, waiting_since = $1 {of_conversation}");
    let is_due = format!("SELECT due_at IS NOT NULL FROM assistant_turns {of_conversation}");
    // Start of the customer's wait, in seconds after the draft was made; messages up to ten seconds after it
    // were read before.
    for (number, since, is_answered) in
        [(30_000, -1, true), (30_001, 1, false), (30_002, 10, false), (30_003, 11, true)]
    {
        store.propose(large(), &draft(number, &explained, None)).await.unwrap();
        writes(&client, NOW).await;
        let answered = store.claim_answer(large(), NOW, NOW + Duration::MINUTE).await.unwrap().unwrap();
        let heard = AnswerSettled::Heard(NOW + Duration::seconds(10));
        store.settle_answer(large(), &answered, &heard).await.unwrap();
        writes(&client, NOW).await;
        let answered = store.claim_answer(large(), NOW, NOW + Duration::MINUTE).await.unwrap().unwrap();
        assert_eq!(client.execute(&waits, &[&(NOW + Duration::seconds(since))]).await.unwrap(), 1);
        let commitment = NewCommitment {
            id: id(27, number).into(),
            confirmed_by: id(7, 7).into(),
            key: CreationKey::parse(&format!("key-{number}")).unwrap(),
            at: NOW,
        };
        store.settle_answer(large(), &answered, &AnswerSettled::Confirmed(commitment)).await.unwrap();
        let waits_still = client.query_one(&is_due, &[]).await.unwrap().get::<_, bool>(0);
        assert_eq!(waits_still, !is_answered, "since {since} s after the draft");
    }
    explained.ran().await;
}

#[tokio::test]
async fn a_commitment_is_carried_on_by_one_at_a_time_and_ends_once_with_all_that_tells_of_it() {
    let (_database, client, explained) = quiet().await;
    client.batch_execute("UPDATE webhook_addresses SET events = '{order.placed}'").await.unwrap();
    let store = &*explained.stores.consent;
    store.propose(large(), &draft(30_000, &explained, None)).await.unwrap();
    writes(&client, NOW).await;
    let answered = store.claim_answer(large(), NOW, NOW + Duration::MINUTE).await.unwrap().unwrap();
    let commitment = NewCommitment {
        id: id(27, 30_000).into(),
        confirmed_by: id(7, 7).into(),
        key: CreationKey::parse("key").unwrap(),
        at: NOW,
    };
    store.settle_answer(large(), &answered, &AnswerSettled::Confirmed(commitment)).await.unwrap();
    explained.ran().await;

    assert_eq!(store.workspaces_with_commitments(NOW).await.unwrap(), [large()]);
    assert_ran_cheaply(&explained, 401).await;
    let lease = NOW + Duration::MINUTE;
    let due = store.claim_commitment(large(), NOW, lease).await.unwrap().unwrap();
    assert_eq!((due.attempt, due.asked, due.key.as_str()), (1, false, "key"));
    assert_eq!(due.proposal, order());
    assert!(store.claim_commitment(large(), NOW, lease).await.unwrap().is_none());
    assert!(store.mark_asked(large(), due.id, 1).await.unwrap());
    // A holder that is still working keeps its claim.
    let kept = lease + Duration::SECOND;
    assert!(store.renew_commitment(large(), due.id, 1, kept).await.unwrap());
    assert!(store.claim_commitment(large(), lease, kept).await.unwrap().is_none());
    // The first holder is dead; a late result of it has no effect.
    let lease = kept;
    let again = store.claim_commitment(large(), lease, lease + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!((again.attempt, again.asked), (2, true));
    assert!(!store.renew_commitment(large(), due.id, 1, NOW).await.unwrap());
    assert!(!store.mark_asked(large(), due.id, 1).await.unwrap());
    let delay_message = |number| PreparedReply {
        id: due.delay_message(),
        text: "قيد الإرسال".to_owned(),
        summary_of: None,
        buttons: vec![],
        ..draft(number, &explained, None).summary
    };
    let postponed = |attempt| Postponement {
        attempt,
        at: NOW,
        until: lease,
        delay_message: Some(delay_message(u128::from(attempt))),
    };
    store.postpone_commitment(large(), due.id, &postponed(1)).await.unwrap();
    let late = store.claim_reply(large(), NOW, lease).await.unwrap();
    assert_eq!(late, None, "another attempt has begun since");
    store.postpone_commitment(large(), due.id, &postponed(2)).await.unwrap();
    let told = store.claim_reply(large(), NOW, lease).await.unwrap();
    assert_eq!(told, Some(delay_message(2)));
    let last = store.claim_commitment(large(), lease, lease + Duration::MINUTE).await.unwrap().unwrap();

    let customer = Customer { id: id(5, 7).into(), name: None, phone: None };
    let wish = BookingWish { name: None, phone: None, service: None, preferred_time: None };
    let event = Event::booking_wished(due.conversation, wish, customer, NOW);
    let receipt =
        PreparedReply { id: id(28, 1).into(), summary_of: None, ..draft(1, &explained, None).summary };
    let settlement = |attempt| CommitmentSettlement {
        attempt,
        state: CommitmentState::Done,
        event: Some(Event { kind: EventType::OrderPlaced, ..event.clone() }),
        receipt: Some(receipt.clone()),
        next: Some(draft(30_005, &explained, None)),
        entry: explained.entry(large(), Action::CommitmentSettled, NOW),
    };
    let late = store.settle_commitment(large(), &due, &settlement(1)).await;
    assert!(matches!(late, Err(StoreError::Stale)));
    // The delay message is queued once, and not after the commitment has ended.
    let again = Postponement { until: lease, ..postponed(3) };
    store.postpone_commitment(large(), due.id, &again).await.unwrap();
    let other = draft(30_007, &explained, None);
    assert_eq!(store.propose(large(), &other).await.unwrap(), None);
    assert!(!store.settle_commitment(large(), &last, &settlement(3)).await.unwrap(), "another draft is open");
    let entry = explained.entry(large(), Action::DraftWithdrawn, NOW);
    assert!(store.withdraw(large(), id(6, 7).into(), other.draft.id, &entry).await.unwrap());
    assert!(store.settle_commitment(large(), &last, &settlement(3)).await.unwrap());
    let twice = store.settle_commitment(large(), &last, &settlement(3)).await;
    assert!(matches!(twice, Err(StoreError::Stale)));
    assert!(!store.renew_commitment(large(), due.id, 3, lease).await.unwrap(), "it has ended");
    assert_ran_cheaply(&explained, 4).await;
    let told = "SELECT count(*) FROM delivery_log WHERE event = 'order.placed'";
    assert_eq!(client.query_one(told, &[]).await.unwrap().get::<_, i64>(0), 1);
    let listed = store.drafts(large(), id(6, 7).into(), 2).await.unwrap();
    assert!(listed.iter().any(|it| it.id == id(25, 30_005).into() && it.state == DraftState::Open));

    // The receipt and the next summary, each claimed once.
    assert_eq!(store.workspaces_with_replies(NOW).await.unwrap(), [large()]);
    assert_ran_cheaply(&explained, 401).await;
    let mut sent = Vec::new();
    while let Some(reply) = store.claim_reply(large(), NOW, lease).await.unwrap() {
        store.finish_reply(large(), reply.id, reply.summary_of).await.unwrap();
        sent.push(reply.summary_of);
    }
    sent.sort_unstable();
    assert_eq!(sent, [None, Some(id(25, 30_005).into())]);
    let listed = store.drafts(large(), id(6, 7).into(), 2).await.unwrap();
    assert!(listed.iter().all(|it| it.state != DraftState::Open), "its summary was refused");
    assert_ran_cheaply(&explained, 4).await;
}

#[tokio::test]
async fn a_wish_for_an_appointment_is_kept_once_with_its_key() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.consent;
    let customer = Customer { id: id(5, 7).into(), name: None, phone: None };
    let wish = BookingWish { name: None, phone: None, service: None, preferred_time: None };
    let key = KeyClaim { key_hash: [1; 32], request_hash: [2; 32] };
    let new = |number| NewBookingRequest {
        id: id(29, number).into(),
        conversation: id(6, 7).into(),
        key: Some(key),
        fence: None,
        event: Event::booking_wished(id(6, 7).into(), wish.clone(), customer.clone(), NOW),
        entry: explained.entry(large(), Action::BookingRequested, NOW),
    };
    assert_eq!(store.add(large(), &new(1)).await.unwrap(), None);
    let holder = BookingRequestHolder { request_hash: [2; 32], id: id(29, 1).into() };
    assert_eq!(store.add(large(), &new(2)).await.unwrap(), Some(holder));
    assert!(matches!(store.add(id(1, 1).into(), &new(3)).await, Err(StoreError::Stale)));
    // The fence of a turn that somebody has spoken after.
    let fence = Some(Fence { conversation: id(6, 7).into(), version: 1, heard: -1 });
    let late = NewBookingRequest { fence, key: None, ..new(4) };
    assert!(matches!(store.add(large(), &late).await, Err(StoreError::Stale)));
    assert_ran_cheaply(&explained, 4).await;
}
