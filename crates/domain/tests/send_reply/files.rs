//! Files that a member brings.

use domain::{
    attachments::{AttachmentKind, ports::KeptUpload},
    channels::ChannelKind,
    sending::{
        ConversationEntry, Refusal, Replied, ReplyContext, ReplyRequest, SendError, SendState, TextLimit,
        ports::{ReserveOutcome, SendFailure},
    },
    testing::{a_hash, a_moment, a_network_message_id, a_send_result},
};

use crate::send_reply::{
    TEXT, UPLOADING, World, a_context, a_file, an_upload, an_uploaded_file, keyed, over, saying, sending,
    sent, used,
};

#[pollster::test]
async fn a_file_is_begun_sent_and_shown_with_its_text_where_the_network_takes_one() {
    for (channel, text, kind) in [
        (ChannelKind::Whatsapp, TEXT, AttachmentKind::Image),
        (ChannelKind::Whatsapp, "", AttachmentKind::Image),
        (ChannelKind::Messenger, "", AttachmentKind::Image),
        (ChannelKind::Instagram, " ", AttachmentKind::Image),
    ] {
        let kept = a_file("image/png", 7);
        let world = World::willing(over(channel)).with_file(kept.clone());
        let (answer, seen) = world.reply(&sending(text)).await;
        let message = answer.unwrap().result.message.unwrap();
        let ConversationEntry::Reply(reply) = &seen.begun.first().unwrap().intent.conversation_entry else {
            panic!("no reply")
        };
        assert_eq!(reply.upload, Some(an_upload()));
        assert!(seen.asked.is_empty(), "no text by itself");
        let [sent] = &seen.files[..] else { panic!("{} files", seen.files.len()) };
        assert_eq!((sent.kind, &sent.file, sent.tag), (kind, &kept.file, message.id));
        assert_eq!(sent.caption.as_deref(), (text == TEXT).then_some(TEXT));
        assert_eq!(sent.link, format!("https://files.example/{}", kept.file.key));
        let is_given = channel == ChannelKind::Whatsapp;
        assert_eq!(sent.uploaded, is_given.then(an_uploaded_file), "others fetch it by its link");
        let [shown] = &message.attachments[..] else { panic!("{message:?}") };
        assert_eq!((&shown.url, shown.bytes, &shown.title), (&sent.link, 7, &kept.file.title));
    }
}

#[pollster::test]
async fn what_speaks_against_a_file_is_told_before_anything_is_begun() {
    use ChannelKind::{Instagram, Messenger, Whatsapp};
    const MB: u64 = 1024 * 1024;
    let used = KeptUpload { is_used: true, ..a_file("image/png", 7) };
    let too_large = |channel, megabytes| Refusal::AttachmentTooLarge { channel, most_bytes: megabytes * MB };
    let refused = |channel, content_type| Refusal::AttachmentType { channel, content_type };
    for (channel, kept, text, wanted) in [
        (Whatsapp, used, "", Refusal::AttachmentUsed),
        (Whatsapp, a_file("image/png", 5 * MB + 1), "", too_large(Whatsapp, 5)),
        (Instagram, a_file("image/png", 8 * MB + 1), "", too_large(Instagram, 8)),
        (Messenger, a_file("application/pdf", 25 * MB + 1), "", too_large(Messenger, 25)),
        (Instagram, a_file("text/csv", 7), "", refused(Instagram, "text/csv")),
        (Instagram, a_file("image/heic", 7), "", refused(Instagram, "image/heic")),
        (Instagram, a_file("video/matroska", 7), "", refused(Instagram, "video/matroska")),
    ] {
        let refusal = World::in_conversation(over(channel)).with_file(kept).refusal(&sending(text)).await;
        assert_eq!(refusal, wanted);
    }
    let too_long = Refusal::TextTooLong(TextLimit::Caption);
    for (channel, content_type, text, wanted) in [
        (Whatsapp, "image/png", "م".repeat(1_025).as_str(), too_long),
        (Instagram, "image/png", "م".repeat(501).as_str(), Refusal::TextTooLong(TextLimit::of(Instagram))),
    ] {
        let world = World::in_conversation(over(channel)).with_file(a_file(content_type, 7));
        let refusal = world.refusal(&sending(text)).await;
        assert_eq!(refusal, wanted);
        assert!(refusal.to_string().contains("`text`"), "{refusal}");
    }
    let unknown = ReplyRequest { upload: Some(uuid::Uuid::from_u128(9).into()), ..saying("") };
    let world = World::new().with_file(a_file("image/png", 7));
    assert_eq!(world.refusal(&unknown).await, Refusal::AttachmentNotFound);
}

#[pollster::test]
async fn a_text_beside_a_file_that_goes_without_one_is_a_message_of_its_own() {
    use ChannelKind::{Instagram, Messenger, Whatsapp};
    for (channel, content_type) in
        [(Messenger, "image/png"), (Instagram, "application/pdf"), (Whatsapp, "audio/ogg")]
    {
        let world = World::willing(over(channel)).holding(None).with_file(a_file(content_type, 7));
        let request = ReplyRequest { upload: Some(an_upload()), ..keyed() };
        let (answer, seen) = world.reply(&request).await;
        let answer = answer.unwrap().result.message.unwrap();
        let [file] = &seen.files[..] else { panic!("{} files", seen.files.len()) };
        let [(_, text)] = &seen.asked[..] else { panic!("{} texts", seen.asked.len()) };
        assert_eq!((file.caption.as_deref(), text.text.as_str()), (None, TEXT));
        assert_eq!(answer.id, file.tag, "the answer is the file's");
        let keys: Vec<_> = seen.begun.iter().map(|begun| begun.key.unwrap().key_hash).collect();
        assert_eq!(keys, [&b"answer-7"[..], b"answer-7\0second"].map(|key| a_hash("idempotency-key", key)));
    }
}

#[pollster::test]
async fn of_a_file_and_its_text_a_repeat_sends_what_was_not_sent() {
    // The first was sent, and the process ended before the second: its key is known, the other is not.
    let file_key = a_hash("idempotency-key", b"answer-7");
    let used_up = KeptUpload { is_used: true, ..a_file("image/png", 7) };
    let world = World::willing(over(ChannelKind::Messenger)).holding_only(file_key, used(sent(), b"{}"));
    let request = ReplyRequest { upload: Some(an_upload()), ..keyed() };
    let (answer, seen) = world.with_file(used_up).reply(&request).await;
    assert!(answer.unwrap().replayed);
    assert_eq!((seen.files.len(), seen.asked.len(), seen.begun.len()), (0, 1, 1));
}

#[pollster::test]
async fn a_file_that_another_send_has_taken_meanwhile_is_refused() {
    // Between the last look and the beginning.
    let world = open().beginning(ReserveOutcome::FileTaken).with_file(a_file("image/png", 7));
    assert_eq!(world.refusal(&sending("")).await, Refusal::AttachmentUsed);
    // While it went up: nothing is begun.
    let world = open().bringing(taken_meanwhile).uploading(|| Ok(an_uploaded_file()));
    let (answer, seen) = world.reply(&sending("")).await;
    assert!(matches!(answer, Err(SendError::Refused(Refusal::AttachmentUsed))), "{answer:?}");
    assert_eq!((seen.uploads.len(), seen.begun.len()), (1, 0));
}

/// An account that may send, and nothing else.
fn open() -> World {
    World::new().answering(Ok(a_network_message_id()))
}

/// Another send has the file once it has gone up.
fn taken_meanwhile(now: time::OffsetDateTime) -> KeptUpload {
    KeptUpload { is_used: now > a_moment(), ..a_file("image/png", 7) }
}

#[pollster::test]
async fn a_file_goes_up_before_its_send_is_begun_whose_time_is_counted_from_then() {
    let world = World::willing(a_context()).with_file(a_file("image/png", 7));
    let (answer, seen) = world.reply(&sending(TEXT)).await;
    answer.unwrap();
    assert_eq!(seen.uploads, [0], "nothing was begun");
    let [begun] = &seen.begun[..] else { panic!("{} begun", seen.begun.len()) };
    assert_eq!(begun.intent.created_at, a_moment() + UPLOADING);
    assert_eq!(seen.files.len(), 1);
}

#[pollster::test]
async fn what_has_changed_while_a_file_went_up_is_heeded() {
    let mut world = World::blind().answering(Ok(a_network_message_id())).with_file(a_file("image/png", 7));
    let clock = world.clock.clone();
    world.ledger.expect_reply_context().returning(move |_, _, _| {
        let author_is_here = domain::clock::Clock::now(&*clock) == a_moment();
        Ok(Some(ReplyContext { author_is_here, ..a_context() }))
    });
    let (answer, seen) = world.reply(&sending("")).await;
    assert!(matches!(answer, Err(SendError::Refused(Refusal::AuthorLeft))), "{answer:?}");
    assert_eq!((seen.uploads.len(), seen.begun.len(), seen.files.len()), (1, 0, 0));
}

#[pollster::test]
async fn a_key_that_was_used_is_told_before_its_file_goes_up_again() {
    let request = ReplyRequest { upload: Some(an_upload()), ..keyed() };
    for (holder, wanted) in
        [(used(SendState::InFlight, b"[]"), Refusal::KeyReused), (used(sent(), b"[]"), Refusal::KeyReused)]
    {
        let world = World::new().holding(Some(holder)).bringing(|_| a_file("image/png", 7));
        assert_eq!(world.refusal(&request).await, wanted);
    }
    let world = World::new().holding(Some(used(sent(), b"{}"))).bringing(|_| a_file("image/png", 7));
    let replied = world.reply(&request).await.0.unwrap();
    assert!(replied.replayed);
}

#[pollster::test]
async fn of_two_requests_with_one_key_and_file_the_slower_upload_is_for_nothing() {
    let request = ReplyRequest { upload: Some(an_upload()), ..keyed() };
    let mut world = open().bringing(taken_meanwhile).uploading(|| Ok(an_uploaded_file()));
    let clock = world.clock.clone();
    world.ledger.expect_holder().returning(move |_, _| {
        let is_late = domain::clock::Clock::now(&*clock) > a_moment();
        Ok(is_late.then(|| used(sent(), b"{}")))
    });
    let (answer, seen) = world.reply(&request).await;
    let Replied { result, replayed } = answer.unwrap();
    assert!(replayed);
    assert_eq!(result.id, a_send_result().id);
    assert_eq!((seen.uploads.len(), seen.begun.len(), seen.files.len()), (1, 0, 0));
}

#[pollster::test]
async fn a_file_that_the_network_refuses_stays_as_failed_and_one_that_did_not_arrive_may_go_again() {
    let refusal = || SendFailure::Refused { code: 131_053, subcode: None, message: "too large".to_owned() };
    let world = open().beginning(ReserveOutcome::Started).keeping_the_refused();
    let world = world.bringing(|_| a_file("image/png", 7)).uploading(move || Err(refusal()));
    let (answer, seen) = world.reply(&sending("")).await;
    let told = answer.unwrap_err();
    assert!(matches!(told, SendError::Refused(Refusal::Rejected { code: 131_053, .. })), "{told:?}");
    let begun = seen.begun.first().unwrap().intent.id;
    assert_eq!((seen.refused, seen.files.len()), (vec![(begun, "too large".to_owned())], 0));

    let away = || SendFailure::NotSent { reason: "away".to_owned(), retry_after: None };
    let world = open().beginning(ReserveOutcome::Started).releasing();
    let world = world.bringing(|_| a_file("image/png", 7)).uploading(move || Err(away()));
    let (answer, seen) = world.reply(&sending("")).await;
    let told = answer.unwrap_err();
    assert!(matches!(told, SendError::Refused(Refusal::NetworkUnavailable { .. })), "{told:?}");
    assert_eq!((seen.released.len(), seen.files.len()), (1, 0));

    // What comes before the network in the order of refusals still does.
    let world = open().beginning(ReserveOutcome::PlanLimitReached).bringing(|_| a_file("image/png", 7));
    let told = world.uploading(move || Err(away())).refusal(&sending("")).await;
    assert!(matches!(told, Refusal::PlanLimit(_)), "{told:?}");
}
