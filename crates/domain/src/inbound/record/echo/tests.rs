use time::{Duration, OffsetDateTime, ext::NumericalDuration};
use uuid::Uuid;

use super::{About, about};
use crate::inbound::record::in_flight::SendInFlight;
use crate::{
    attachments::{AttachmentKind, MediaSource},
    inbound::{InboundMedia, Written},
    messages::{Context, NetworkMessageId},
    sending::{ConversationEntry, Intent, Reply},
    testing::{a_moment, a_reply_intent},
};

/// Makes send `number` of this text, begun `ago` before [`a_moment`].
fn saying(number: u128, text: &str, ago: Duration) -> SendInFlight {
    let reply = a_reply_intent().conversation_entry.reply().cloned().unwrap();
    let conversation_entry = ConversationEntry::Reply(Reply { text: text.to_owned(), ..reply });
    let (id, created_at) = (Uuid::from_u128(number).into(), a_moment() - ago);
    SendInFlight { intent: Intent { id, conversation_entry, created_at, ..a_reply_intent() }, file: None }
}

fn showing(number: u128, kind: AttachmentKind, ago: Duration) -> SendInFlight {
    SendInFlight { file: Some(kind), ..saying(number, "", ago) }
}

fn words(content: &str) -> Written {
    Written {
        network_id: NetworkMessageId::from("mid.1".to_owned()),
        content: content.to_owned(),
        media: Vec::new(),
        context: Context::default(),
    }
}

fn file(kind: AttachmentKind) -> Written {
    let source = MediaSource::Url("https://cdn.example/1".to_owned());
    let media = InboundMedia { kind, source, content_type: None, title: None, sha256: None, voice: false };
    Written { media: vec![media], ..words("") }
}

/// Returns the number of the send that the message is about; 0 for none, -1 while undecided.
fn told(written: &Written, at: OffsetDateTime, in_flight: &[SendInFlight]) -> i128 {
    match about(written, at, in_flight, a_moment()) {
        About::Send(intent) => i128::try_from(intent.id.uuid().as_u128()).unwrap(),
        About::Undecided => -1,
        About::Nothing => 0,
    }
}

#[test]
fn an_echo_is_about_the_send_of_the_same_words_or_the_same_kind_of_file() {
    let ago = 2.minutes();
    let in_flight = [
        saying(1, "Yes", ago),
        saying(2, " Look: https://shop.example/7\nIn blue ", ago),
        showing(3, AttachmentKind::Document, ago),
        showing(4, AttachmentKind::Image, ago),
    ];
    for (written, number) in [
        (words("Yes"), 1),
        (words("No"), 0),
        (words("Yes, in blue"), 0),
        (words(""), 0),
        (words("Look: https://shop.example/7\n\nIn blue"), 2),
        // The network appends the linked page's title.
        (words("Look: https://shop.example/7\nIn blue\nProduct 7"), 2),
        (words("Look: https://shop.example/7"), 0),
        (file(AttachmentKind::File), 3),
        (file(AttachmentKind::Image), 4),
        (file(AttachmentKind::Video), 0),
    ] {
        assert_eq!(told(&written, a_moment() - ago, &in_flight), number, "{}", written.content);
    }
}

#[test]
fn an_echo_is_about_a_send_of_its_own_time() {
    let in_flight = [saying(1, "Yes", 1.hours())];
    for (after, number) in
        [(-60.seconds(), 0), (-20.seconds(), 1), (0.seconds(), 1), (80.seconds(), 1), (100.seconds(), 0)]
    {
        assert_eq!(told(&words("Yes"), a_moment() - 1.hours() + after, &in_flight), number, "{after}");
    }
}

#[test]
fn of_equal_sends_the_oldest_is_meant() {
    let in_flight =
        [saying(2, "Yes", 70.seconds()), saying(1, "Yes", 80.seconds()), saying(3, "Yes", 80.seconds())];
    assert_eq!(told(&words("Yes"), a_moment() - 70.seconds(), &in_flight), 1);
}

#[test]
fn as_long_as_the_answer_to_one_of_them_may_come_nothing_is_decided() {
    let at = a_moment() - 50.seconds();
    let old = saying(1, "Yes", 61.seconds());
    assert_eq!(told(&words("Yes"), at, &[old.clone(), saying(2, "Yes", 59.seconds())]), -1);
    assert_eq!(told(&words("Yes"), at, &[old, saying(2, "No", 59.seconds())]), 1);
}
