//! Files that a member brings.

use domain::{
    attachments::{AttachmentKind, ports::KeptUpload},
    channels::ChannelKind,
    sending::{ConversationEntry, Refusal, ReplyRequest, TextLimit, ports::ReserveOutcome},
};

use crate::{TEXT, World, a_file, an_upload, over, saying, sending};

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
        (Whatsapp, "audio/ogg", TEXT, Refusal::TextBesideFile),
        (Messenger, "image/png", TEXT, Refusal::TextBesideFile),
        (Instagram, "application/pdf", TEXT, Refusal::TextBesideFile),
        (Whatsapp, "image/png", "م".repeat(1_025).as_str(), too_long),
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
async fn a_file_that_another_send_has_taken_meanwhile_is_refused() {
    let world = World::new().beginning(ReserveOutcome::FileTaken).with_file(a_file("image/png", 7));
    assert_eq!(world.refusal(&sending("")).await, Refusal::AttachmentUsed);
}
