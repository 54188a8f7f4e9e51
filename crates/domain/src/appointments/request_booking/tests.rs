//! Calls of the ports by a use case that records wishes.

use std::sync::{Arc, Mutex};

use pollster::FutureExt;

use super::{BookingRequest, RequestBooking, RequestBookingError};
use crate::{
    appointments::ports::{BookingRequestHolder, MockBookingRequestStore, NewBookingRequest},
    audit::Acting,
    channels::ChannelKind,
    consent::fixtures::{PHONE, customers, deps},
    events::EventType,
    ids::BookingRequestId,
    sending::{IdempotencyKey, KeyClaim},
    systems::{
        Capability,
        call::fixtures::{connected, workspace},
        ports::MockSystemStore,
    },
    testing::{a_conversation, a_vault},
};

fn requesting(
    network: ChannelKind,
    capability: Option<Capability>,
    holder: Option<BookingRequestHolder>,
) -> (RequestBooking, Arc<Mutex<Vec<NewBookingRequest>>>) {
    let written = Arc::new(Mutex::new(Vec::new()));
    let kept = written.clone();
    let (mut requests, mut systems) = (MockBookingRequestStore::new(), MockSystemStore::new());
    requests.expect_add().returning(move |_, new| {
        kept.lock().unwrap().push(new.clone());
        Ok(holder)
    });
    systems.expect_find().returning(move |_| Ok(capability.map(|one| connected([one]).connection)));
    let request = RequestBooking {
        requests: Arc::new(requests),
        customers: customers(network),
        systems: Arc::new(systems),
        vault: Arc::new(a_vault()),
        deps: deps(),
    };
    (request, written)
}

fn wish(service: &str) -> BookingRequest {
    let key = IdempotencyKey { key: "k".to_owned(), request: b"r".to_vec() };
    BookingRequest {
        conversation: a_conversation().id,
        name: None,
        service: service.to_owned(),
        preferred_time: Some("الخميس العصر".to_owned()),
        key: Some(key),
        fence: None,
    }
}

fn run(request: &RequestBooking, wish: &BookingRequest) -> Result<super::BookingAsked, RequestBookingError> {
    request.run(Acting::operator(workspace()), wish).block_on()
}

#[test]
fn a_wish_is_told_with_the_number_that_the_network_has_told_and_no_other() {
    for (network, phone) in [(ChannelKind::Whatsapp, Some(PHONE)), (ChannelKind::Instagram, None)] {
        let (request, written) = requesting(network, Some(Capability::Orders), None);
        assert!(!run(&request, &wish("حلاقة")).unwrap().replayed);
        let event = written.lock().unwrap()[0].event.clone();
        assert_eq!(event.kind, EventType::BookingRequested);
        let body = event.body(uuid::Uuid::from_u128(1).into(), workspace());
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let booking = serde_json::json!({
            "name": "سارة", "phone": phone, "service": "حلاقة", "preferredTime": "الخميس العصر"
        });
        assert_eq!(body["data"]["booking"], booking);
    }
}

#[test]
fn a_wish_is_none_where_the_system_has_a_calendar_or_the_words_are_empty() {
    let (request, written) = requesting(ChannelKind::Whatsapp, Some(Capability::Appointments), None);
    assert!(matches!(run(&request, &wish("حلاقة")), Err(RequestBookingError::SystemBooks)));
    assert!(matches!(run(&request, &wish(" ")), Err(RequestBookingError::Invalid(_))));
    let elsewhere = BookingRequest { conversation: uuid::Uuid::from_u128(404).into(), ..wish("حلاقة") };
    assert!(matches!(run(&request, &elsewhere), Err(RequestBookingError::UnknownConversation)));
    assert!(written.lock().unwrap().is_empty());
}

#[test]
fn a_repeat_with_its_key_answers_with_the_first_and_another_request_is_refused() {
    let id: BookingRequestId = uuid::Uuid::from_u128(5).into();
    let key = wish("حلاقة").key.unwrap();
    let same = KeyClaim::of(&key, &a_vault()).request_hash;
    for (request_hash, replayed) in [(same, true), ([0; 32], false)] {
        let holder = BookingRequestHolder { request_hash, id };
        let (request, _) = requesting(ChannelKind::Whatsapp, None, Some(holder));
        let answered = run(&request, &wish("حلاقة"));
        if replayed {
            assert_eq!(answered.unwrap(), super::BookingAsked { id, replayed: true });
        } else {
            assert!(matches!(answered, Err(RequestBookingError::KeyReused)));
        }
    }
}
