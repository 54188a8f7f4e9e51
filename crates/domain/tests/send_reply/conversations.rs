//! To whom an answer goes, in whose name, and what it leaves in the conversation.

use domain::{
    channels::ChannelKind,
    conversation::{Conversation, ConversationStatus},
    events::{EventData, EventType},
    messages::Role,
    sending::{ConversationEntry, Recipient, ReplyContext, ReplyWindow, TextMessage},
    testing::{a_caller, a_contact, a_conversation, a_moment, a_number, a_recipient},
};
use time::Duration;

use crate::send_reply::{TEXT, World, a_context, a_page_context, saying};

#[pollster::test]
async fn a_reply_is_begun_sent_recorded_and_announced_as_its_author_s() {
    let (answer, seen) = World::willing(a_context()).reply(&saying(TEXT)).await;
    let answer = answer.unwrap();
    assert!(!answer.replayed);

    let intent = seen.begun.first().unwrap().intent.clone();
    assert_eq!((&intent.template, &intent.reference), (&None, &None));
    assert_eq!((intent.channel, &intent.from), (a_number(0, 1).id, &Some(a_number(0, 1).phone)));
    let ConversationEntry::Reply(reply) = &intent.conversation_entry else { panic!("{intent:?}") };
    assert_eq!((reply.conversation, reply.contact), (a_conversation().id, a_contact().id));
    assert_eq!(
        (reply.author, reply.text.as_str()),
        (domain::messages::ReplyAuthor::Member(a_caller().creator), TEXT)
    );

    let message = TextMessage {
        tag: intent.id,
        to: Recipient::Phone(a_recipient()),
        text: TEXT.to_owned(),
        buttons: Vec::new(),
        window: ReplyWindow::Within24h,
    };
    let [(from, asked)] = &seen.asked[..] else { panic!("asked {} times", seen.asked.len()) };
    assert_eq!((from, asked.tag), (&a_number(0, 1).network_id, message.tag));
    assert_eq!((&asked.to, &asked.text), (&message.to, &message.text));

    let message = answer.result.message.unwrap();
    assert_eq!((message.id, message.conversation), (intent.id, a_conversation().id));
    assert_eq!((message.role, message.content.as_str()), (Role::Team, TEXT));
    assert_eq!(message.sender_id, Some(a_caller().creator.to_string()));
    assert_eq!((&message.meta, message.created_at), (&None, a_moment()));

    let [event] = &seen.accepted.first().unwrap().events[..] else { panic!("one event") };
    assert_eq!(event.kind, EventType::MessageSent);
    let EventData::Message { message: told, customer } = &event.data else { panic!("{event:?}") };
    assert_eq!((&**told, customer.id), (&message, a_contact().id));
}

#[pollster::test]
async fn a_conversation_keeps_its_status_and_its_person_keeps_their_name() {
    for status in [ConversationStatus::Bot, ConversationStatus::Open, ConversationStatus::Closed] {
        let conversation = Conversation { status, ..a_conversation() };
        let context = ReplyContext { conversation: conversation.clone(), ..a_context() };
        let (answer, seen) = World::willing(context).reply(&saying(TEXT)).await;
        assert!(answer.is_ok(), "{answer:?}");
        let kept = seen.accepted.first().and_then(|accepted| accepted.effect.clone()).unwrap();
        assert_eq!((kept.contact_is_new, kept.conversation_is_new), (false, false));
        assert_eq!(kept.contact, a_contact());
        assert_eq!(kept.conversation, Conversation { last_message_at: a_moment(), ..conversation });
    }
}

#[pollster::test]
async fn whoever_has_no_number_is_answered_by_their_id_at_the_network() {
    for kind in ChannelKind::ALL {
        let context = a_page_context(kind, Duration::hours(1));
        let to = context.to.clone().unwrap();
        let (answer, seen) = World::willing(context).reply(&saying(TEXT)).await;
        assert!(answer.is_ok(), "{answer:?}");
        assert_eq!(seen.asked.first().unwrap().1.to, Recipient::User(to));
        assert_eq!(seen.begun.first().unwrap().intent.from, None);
    }
}

#[pollster::test]
async fn after_a_day_a_person_answers_on_pages_and_accounts_as_a_person() {
    use ChannelKind::{Instagram, Messenger, Whatsapp};
    use ReplyWindow::{HumanAgent, Within24h};
    let almost = Duration::hours(24) - Duration::seconds(1);
    for (kind, ago, window) in [
        (Messenger, almost, Within24h),
        (Messenger, Duration::hours(24), HumanAgent),
        (Instagram, almost, Within24h),
        (Instagram, Duration::days(6), HumanAgent),
        (Whatsapp, Duration::days(6), Within24h),
    ] {
        let (answer, seen) = World::willing(a_page_context(kind, ago)).reply(&saying(TEXT)).await;
        assert!(answer.is_ok(), "{answer:?}");
        assert_eq!(seen.asked.first().unwrap().1.window, window, "{kind:?} {ago}");
    }
}

#[pollster::test]
async fn neither_text_nor_number_is_in_what_a_log_may_print() {
    let (_, seen) = World::willing(a_context()).reply(&saying(TEXT)).await;
    let shown = format!("{:?} {:?}", seen.begun.first().unwrap().intent.conversation_entry, seen.asked);
    for secret in [TEXT, a_recipient().as_str()] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
