//! One-time codes and send-only numbers: nothing of the person is written down.

use domain::{
    sending::{
        Catalogue, ConversationEntry, TemplateRequest,
        ports::{Recorded, ReserveOutcome},
    },
    testing::{a_code_request, a_code_template, a_network_message_id, a_number, a_template_request},
    workspaces::Plan,
};

use crate::send_template::{Seen, World, a_catalogue};

fn with_a_code_template() -> Catalogue {
    Catalogue { templates: vec![a_code_template("login_code")], ..a_catalogue() }
}

fn with_a_send_only_number() -> Catalogue {
    let mut number = a_number(0, 1);
    number.send_only = true;
    Catalogue { numbers: vec![number], ..a_catalogue() }
}

/// Sends without a conversation to read: that would be asked for by number. The plan has a limit, and it is
/// reached.
async fn sent(mut catalogue: Catalogue, request: &TemplateRequest) -> Seen {
    catalogue.workspace.plan = Plan { active_customer_limit: Some(0), paused: false };
    let world = World::knowing(catalogue)
        .beginning(ReserveOutcome::Started)
        .answering(Ok(a_network_message_id()))
        .recorded_as(|| Ok(Recorded::Now));
    let (answer, seen) = world.send(request).await;
    let result = answer.unwrap().result;
    assert_eq!((result.contact, result.conversation, result.message), (None, None, None));
    assert_eq!(result.reference, request.reference);
    seen
}

#[pollster::test]
async fn nothing_of_the_person_reaches_the_ledger_and_nobody_becomes_active() {
    for (what, catalogue, request) in [
        ("a code", with_a_code_template(), a_code_request()),
        ("a notice from a send-only number", with_a_send_only_number(), a_template_request()),
    ] {
        let seen = sent(catalogue, &request).await;
        let reservation = seen.begun.first().unwrap();
        assert_eq!(reservation.intent.conversation_entry, ConversationEntry::Nothing, "{what}");
        assert_eq!(reservation.limit, None, "{what}");
        let accepted = seen.accepted.first().unwrap();
        assert_eq!(accepted.effect, None, "{what}");
        assert!(accepted.events.is_empty(), "{what}");
    }
}

#[pollster::test]
async fn the_network_gets_the_code_all_the_same() {
    let seen = sent(with_a_code_template(), &a_code_request()).await;
    let asked = seen.asked.first().unwrap();
    let body: Vec<_> = asked.body.iter().map(|value| value.text.as_str()).collect();
    let buttons: Vec<_> = asked.buttons.iter().map(|value| value.text.as_str()).collect();
    assert_eq!((body, buttons), (vec!["483920"], vec!["483920"]));
}

#[pollster::test]
async fn neither_code_nor_number_nor_text_is_printed() {
    for (catalogue, request) in [
        (with_a_code_template(), a_code_request()),
        (with_a_send_only_number(), a_template_request()),
        (a_catalogue(), a_template_request()),
    ] {
        let world = World::knowing(catalogue)
            .beginning(ReserveOutcome::Started)
            .answering(Ok(a_network_message_id()))
            .recording();
        let (answer, seen) = world.send(&request).await;
        let printed = format!("{request:?} {answer:?} {:?} {:?} {:?}", seen.begun, seen.asked, seen.accepted);
        for secret in ["483920", "7701234567", "A-1042", "wamid"] {
            assert!(!printed.contains(secret), "{secret}");
        }
    }
}
