//! Calls of the ports by a use case that captures leads.

use std::sync::{Arc, Mutex};

use pollster::FutureExt;

use super::{CaptureLead, CaptureLeadError, LeadOutcome, LeadRequest};
use crate::{
    audit::{Acting, Action},
    channels::ChannelKind,
    contacts::Contact,
    customer_records::{
        ConversationCustomer, LeadState,
        ports::{LeadHolder, MockCustomerStore, MockLeadStore, NewLead},
    },
    errors::StoreError,
    events::EventType,
    fence::Fence,
    phone::{PhoneNumber, Region},
    sending::IdempotencyKey,
    signals::MockSignals,
    systems::{
        Capability,
        call::fixtures::{connected, workspace},
        ports::MockSystemStore,
    },
    testing::{a_contact, a_conversation, a_vault, deps_waking},
    text::PlainText,
};

const PHONE: &str = "+9647701234567";

fn customer(network: ChannelKind) -> ConversationCustomer {
    let phone = Some(PhoneNumber::from_e164(PHONE).unwrap());
    ConversationCustomer {
        conversation: a_conversation().id,
        network,
        has_written: true,
        contact: Contact { phone, name: Some("سارة".to_owned()), ..a_contact() },
        region: Region::default(),
    }
}

/// Returns the use case, and the leads that it writes.
fn capture(
    network: ChannelKind,
    capability: Option<Capability>,
    answers: Vec<Result<Option<LeadHolder>, StoreError>>,
) -> (CaptureLead, Arc<Mutex<Vec<NewLead>>>) {
    let written = Arc::new(Mutex::new(Vec::new()));
    let (mut leads, mut customers, mut systems) =
        (MockLeadStore::new(), MockCustomerStore::new(), MockSystemStore::new());
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    let (kept, answers) = (written.clone(), Mutex::new(answers.into_iter()));
    leads.expect_capture().returning(move |_, lead| {
        kept.lock().unwrap().push(lead.clone());
        answers.lock().unwrap().next().unwrap_or(Ok(None))
    });
    customers
        .expect_customer_of()
        .returning(move |_, id| Ok(Some(customer(network)).filter(|customer| customer.conversation == id)));
    systems.expect_find().returning(move |_| Ok(capability.map(|one| connected([one]).connection)));
    let capture = CaptureLead {
        leads: Arc::new(leads),
        customers: Arc::new(customers),
        systems: Arc::new(systems),
        vault: Arc::new(a_vault()),
        deps: deps_waking(signals),
    };
    (capture, written)
}

fn request(name: Option<&str>, need: &str) -> LeadRequest {
    LeadRequest {
        conversation: a_conversation().id,
        name: name.map(str::to_owned),
        need: need.to_owned(),
        key: None,
        fence: None,
    }
}

fn acting() -> Acting {
    Acting::operator(workspace())
}

#[test]
fn a_lead_is_told_of_with_the_number_that_the_network_told_and_with_no_other() {
    use Capability::{Catalog, Customers};
    for (network, capability, told) in [
        (ChannelKind::Whatsapp, Some(Customers), true),
        (ChannelKind::Whatsapp, Some(Catalog), false),
        (ChannelKind::Whatsapp, None, false),
        (ChannelKind::Messenger, Some(Customers), false),
        (ChannelKind::Instagram, Some(Customers), false),
    ] {
        let (capture, written) = capture(network, capability, Vec::new());
        let outcome = capture.run(acting(), &request(None, "ثلاجة\n١٦ قدم")).block_on().unwrap();
        assert_eq!(outcome.state, if told { LeadState::Waiting } else { LeadState::NotTold }, "{network:?}");
        let written = written.lock().unwrap();
        let [lead] = &**written else { panic!("{written:?}") };
        assert_eq!(lead.push.is_some(), told, "{network:?} {capability:?}");
        if let Some(push) = &lead.push {
            assert_eq!((push.phone.as_str(), push.conversation), (PHONE, a_conversation().id));
            assert_eq!(push.name.as_ref().map(PlainText::as_str), Some("سارة"));
            assert_eq!(push.note.as_ref().map(PlainText::as_str), Some("ثلاجة ١٦ قدم"));
        }
        // The event is told whatever becomes of the lead.
        assert_eq!(lead.event.kind, EventType::LeadCaptured);
        assert_eq!((lead.entry.action, lead.id), (Action::LeadCaptured, outcome.id));
        assert!(!format!("{:?}", lead.entry).contains("ثلاجة"), "the log of changes has nothing of it");
    }
}

#[test]
fn a_name_that_was_given_goes_before_the_contacts() {
    let (capture, written) = capture(ChannelKind::Whatsapp, Some(Capability::Customers), Vec::new());
    capture.run(acting(), &request(Some("  أم علي "), "ثلاجة")).block_on().unwrap();
    let written = written.lock().unwrap();
    let push = written.first().unwrap().push.as_ref().unwrap();
    assert_eq!(push.name.as_ref().map(PlainText::as_str), Some("أم علي"));
}

#[test]
fn a_lead_that_says_nothing_is_none_and_one_of_no_conversation_neither() {
    let (capture, written) = capture(ChannelKind::Whatsapp, None, Vec::new());
    for (name, need) in [
        (None, String::new()),
        (None, " \u{200f}".to_owned()),
        (None, "x".repeat(1_001)),
        (Some(""), "ثلاجة".to_owned()),
    ] {
        let refused = capture.run(acting(), &request(name, &need)).block_on().unwrap_err();
        assert!(matches!(refused, CaptureLeadError::Invalid(_)), "{refused}");
    }
    let elsewhere =
        LeadRequest { conversation: uuid::Uuid::from_u128(99).into(), ..request(None, "ثلاجة") };
    let refused = capture.run(acting(), &elsewhere).block_on().unwrap_err();
    assert!(matches!(refused, CaptureLeadError::UnknownConversation), "{refused}");
    assert!(written.lock().unwrap().is_empty());
}

#[test]
fn a_repeat_with_its_key_answers_as_the_first_and_another_request_with_it_is_refused() {
    let key = IdempotencyKey { key: "k".to_owned(), request: b"a".to_vec() };
    let asked = LeadRequest { key: Some(key), ..request(None, "ثلاجة") };
    let claim = crate::sending::KeyClaim::of(asked.key.as_ref().unwrap(), &a_vault());
    let holder = |request_hash| LeadHolder {
        request_hash,
        id: uuid::Uuid::from_u128(8).into(),
        state: LeadState::Told,
    };
    let answers = vec![Ok(Some(holder(claim.request_hash))), Ok(Some(holder([0; 32])))];
    let (capture, _) = capture(ChannelKind::Whatsapp, None, answers);
    let first = capture.run(acting(), &asked).block_on().unwrap();
    let replayed =
        LeadOutcome { id: uuid::Uuid::from_u128(8).into(), state: LeadState::Told, replayed: true };
    assert_eq!(first, replayed);
    let reused = capture.run(acting(), &asked).block_on().unwrap_err();
    assert!(matches!(reused, CaptureLeadError::KeyReused), "{reused}");
}

#[test]
fn a_lead_of_a_conversation_that_became_one_with_another_meanwhile_is_decided_again() {
    let (capture, written) = capture(ChannelKind::Whatsapp, None, vec![Err(StoreError::Stale)]);
    capture.run(acting(), &request(None, "ثلاجة")).block_on().unwrap();
    assert_eq!(written.lock().unwrap().len(), 2);
}

#[test]
fn a_lead_whose_fence_has_passed_is_not_decided_again() {
    let (capture, written) = capture(ChannelKind::Whatsapp, None, vec![Err(StoreError::Stale)]);
    let fence = Fence { conversation: a_conversation().id, version: 3, heard: 1 };
    let asked = LeadRequest { fence: Some(fence), ..request(None, "ثلاجة") };
    let passed = capture.run(acting(), &asked).block_on().unwrap_err();
    assert!(matches!(passed, CaptureLeadError::Store(StoreError::Stale)), "{passed}");
    let written = written.lock().unwrap();
    assert_eq!(written.iter().map(|lead| lead.fence).collect::<Vec<_>>(), [Some(fence)]);
}
