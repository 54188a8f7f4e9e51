//! What an accepted notice leaves behind: the person, the conversation, the message, the event.

use std::sync::{Arc, Mutex};

use domain::{
    channels::{ChannelKind, Connection},
    contacts::{Contact, ContactSource},
    conversation::{Conversation, ConversationStatus},
    errors::StoreError,
    events::{EventData, EventType},
    messages::Role,
    sending::{
        ConversationEffect, ConversationParts, TemplateRequest,
        ports::{Recorded, ReserveOutcome},
    },
    testing::{
        a_caller, a_contact, a_conversation, a_moment, a_network_message_id, a_number, a_recipient,
        a_template_request,
    },
};

use crate::send_template::{Seen, World};

/// Sends to somebody of whom this much is known.
async fn sent_to(known: ConversationParts, request: &TemplateRequest) -> (Seen, ConversationEffect) {
    let world = World::new()
        .beginning(ReserveOutcome::Started)
        .answering(Ok(a_network_message_id()))
        .with_conversation(known)
        .recorded_as(|| Ok(Recorded::Now));
    let (answer, seen) = world.send(request).await;
    answer.unwrap();
    let kept = seen.accepted.first().and_then(|accepted| accepted.effect.clone()).unwrap();
    (seen, kept)
}

fn known(contact: Contact, conversation: Option<Conversation>) -> ConversationParts {
    ConversationParts { contact: Some(contact), conversation, files: Vec::new() }
}

#[pollster::test]
async fn a_notice_is_begun_sent_and_recorded_under_one_id() {
    let (answer, seen) = World::willing().send(&a_template_request()).await;
    let answer = answer.unwrap();
    let intent = &seen.begun.first().unwrap().intent;
    let asked = seen.asked.first().unwrap();
    let accepted = seen.accepted.first().unwrap();
    let kept = accepted.effect.as_ref().unwrap();

    assert_eq!([intent.id, asked.tag, accepted.result.id, kept.message.id], [answer.result.id; 4]);
    assert_eq!((intent.channel, &intent.from), (a_number(0, 1).id, &Some(a_number(0, 1).phone)));
    assert_eq!(intent.reference.as_deref(), Some("order-1042"));
    assert_eq!(asked.to, a_recipient());
    assert_eq!(accepted.network_id, a_network_message_id());
    assert_eq!(accepted.accepted_at, a_moment());
    assert_eq!(accepted.result, answer.result);
    assert_eq!(answer.result.contact, Some(kept.contact.id));
    assert_eq!(answer.result.conversation, Some(kept.conversation.id));
    assert_eq!(answer.result.message.as_ref(), Some(&kept.message));
    assert_eq!((answer.to, answer.replayed), (a_recipient(), false));
}

#[pollster::test]
async fn the_account_s_token_and_the_number_s_id_open_the_network() {
    let mut world = World::new().beginning(ReserveOutcome::Started).recording();
    world
        .ledger
        .expect_token()
        .withf(|workspace, connection| {
            *workspace == a_caller().workspace && *connection == Connection::from(&a_number(0, 1))
        })
        .returning(|_, _| Ok(Some(secrecy::SecretString::from("a token").into())));
    world
        .network
        .expect_send_template()
        .withf(|from, token, _| {
            from == "100000001" && secrecy::ExposeSecret::expose_secret(token) == "a token"
        })
        .returning(|_, _, _| Ok(a_network_message_id().into()));
    assert!(world.send(&a_template_request()).await.0.is_ok());
}

#[pollster::test]
async fn a_notice_to_a_stranger_makes_a_contact_and_a_conversation_of_the_assistant() {
    let (_, kept) = sent_to(ConversationParts::default(), &a_template_request()).await;
    assert!(kept.contact_is_new && kept.conversation_is_new);
    assert_eq!(kept.contact.source, ContactSource::Import);
    assert_eq!(kept.contact.phone, Some(a_recipient()));
    assert_eq!(kept.contact.created_at, a_moment());
    assert_eq!(kept.conversation.contact, kept.contact.id);
    assert_eq!(kept.conversation.status, ConversationStatus::Bot);
    assert_eq!(kept.conversation.channel, a_number(0, 1).id);
    assert_eq!(kept.conversation.channel_kind, ChannelKind::Whatsapp);
    assert_eq!((kept.conversation.created_at, kept.conversation.last_message_at), (a_moment(), a_moment()));
}

#[pollster::test]
async fn the_message_is_the_team_s_without_a_person_and_holds_the_rendered_text() {
    let (_, kept) = sent_to(ConversationParts::default(), &a_template_request()).await;
    assert_eq!((kept.message.role, &kept.message.sender_id), (Role::Team, &None));
    assert_eq!(kept.message.content, "مرحبا سارة، طلبك A-1042 جاهز");
    assert_eq!(kept.message.conversation, kept.conversation.id);
    let meta = kept.message.meta.unwrap();
    assert_eq!((meta.template.name.as_str(), meta.template.language.as_str()), ("order_ready", "ar"));
    assert_eq!(meta.reference.as_deref(), Some("order-1042"));
}

#[pollster::test]
async fn the_name_of_a_request_is_only_for_those_who_are_new() {
    let named =
        |name: Option<&str>| TemplateRequest { name: name.map(str::to_owned), ..a_template_request() };
    let nameless = Contact { name: None, ..a_contact() };
    for (what, parts, request, name) in [
        ("new, with a name", ConversationParts::default(), named(Some("  Sara A. ")), Some("Sara A.")),
        ("new, without one", ConversationParts::default(), named(None), None),
        ("new, with an empty one", ConversationParts::default(), named(Some("")), None),
        (
            "new, with one that cannot be seen",
            ConversationParts::default(),
            named(Some("\u{a0}\u{200f} ")),
            None,
        ),
        ("known by another name", known(a_contact(), None), named(Some("Sara A.")), Some("سارة")),
        ("known without a name", known(nameless, None), named(Some("Sara A.")), None),
    ] {
        let (_, kept) = sent_to(parts, &request).await;
        assert_eq!(kept.contact.name.as_deref(), name, "{what}");
    }
}

#[pollster::test]
async fn a_known_person_and_their_conversation_are_used_as_they_are() {
    let (_, kept) = sent_to(known(a_contact(), Some(a_conversation())), &a_template_request()).await;
    assert!(!kept.contact_is_new && !kept.conversation_is_new);
    assert_eq!(kept.contact, a_contact());
    assert_eq!(kept.conversation, Conversation { last_message_at: a_moment(), ..a_conversation() });

    let (_, first_over_this_number) = sent_to(known(a_contact(), None), &a_template_request()).await;
    assert!(!first_over_this_number.contact_is_new && first_over_this_number.conversation_is_new);
    assert_eq!(first_over_this_number.conversation.contact, a_contact().id);
}

#[pollster::test]
async fn a_notice_changes_nobody_s_hold_on_a_conversation() {
    for status in [ConversationStatus::Bot, ConversationStatus::Open, ConversationStatus::Closed] {
        let conversation = Conversation { status, ..a_conversation() };
        let (_, kept) = sent_to(known(a_contact(), Some(conversation)), &a_template_request()).await;
        assert_eq!(kept.conversation.status, status);
    }
}

#[pollster::test]
async fn a_notice_announces_the_message_and_nothing_else() {
    let (seen, kept) = sent_to(ConversationParts::default(), &a_template_request()).await;
    let [event] = seen.accepted.first().unwrap().events.as_slice() else { panic!("one event") };
    assert_eq!((event.kind, event.created_at), (EventType::MessageSent, a_moment()));
    let EventData::Message { message, customer } = &event.data else { panic!("{event:?}") };
    assert_eq!(**message, kept.message);
    assert_eq!(
        (customer.id, &customer.name, &customer.phone),
        (kept.contact.id, &kept.contact.name, &kept.contact.phone)
    );
}

#[pollster::test]
async fn a_committed_event_wakes_the_sender_of_webhooks() {
    let mut world = World::new()
        .beginning(ReserveOutcome::Started)
        .answering(Ok(a_network_message_id()))
        .with_conversation(ConversationParts::default());
    world.ledger.expect_record().returning(|_, _| Ok(Recorded::Now));
    let workspace = domain::testing::a_workspace().id;
    world.signals.expect_deliveries_due().withf(move |woken| *woken == workspace).once().return_const(());
    assert!(world.send(&a_template_request()).await.0.is_ok());
}

#[pollster::test]
async fn when_somebody_else_makes_the_contact_meanwhile_it_is_decided_again_with_theirs() {
    let mut world = World::new().beginning(ReserveOutcome::Started).answering(Ok(a_network_message_id()));
    let rounds =
        Arc::new(Mutex::new(vec![known(a_contact(), Some(a_conversation())), ConversationParts::default()]));
    world
        .ledger
        .expect_conversation()
        .times(2)
        .returning(move |_, _, _| Ok(rounds.lock().unwrap().pop().unwrap()));
    world
        .ledger
        .expect_record()
        .withf(|_, accepted| is_new(accepted.effect.as_ref()))
        .once()
        .returning(|_, _| Err(StoreError::Stale));
    world
        .ledger
        .expect_record()
        .withf(|_, accepted| !is_new(accepted.effect.as_ref()))
        .once()
        .returning(|_, _| Ok(Recorded::Now));
    world.signals.expect_deliveries_due().once().return_const(());
    let (answer, _) = world.send(&a_template_request()).await;
    let result = answer.unwrap().result;
    assert_eq!((result.contact, result.conversation), (Some(a_contact().id), Some(a_conversation().id)));
}

fn is_new(effect: Option<&ConversationEffect>) -> bool {
    effect.is_some_and(|effect| effect.contact_is_new)
}
