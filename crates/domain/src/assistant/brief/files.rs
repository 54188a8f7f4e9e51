//! Files that a waiting customer has sent, and whether their words are known.

use time::OffsetDateTime;

use crate::{
    attachments::AttachmentKind,
    messages::{Role, ports::KeptMessage},
};

/// What a customer's files come to for a model, which reads words alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant) enum UnreadFiles {
    None,
    /// A voice note may still become words.
    Awaited,
    Unreadable,
}

/// Returns what the files come to that the customer has sent since `since`. A sticker has nothing to read.
pub(in crate::assistant) fn unread_files(newest_first: &[KeptMessage], since: OffsetDateTime) -> UnreadFiles {
    let waits = |kept: &&KeptMessage| {
        let message = &kept.message;
        message.role == Role::Customer && message.created_at >= since && message.marks.deleted_at.is_none()
    };
    let of_message = |kept: &KeptMessage| {
        let is_unread = |kind: &AttachmentKind| match kind {
            AttachmentKind::Sticker => false,
            AttachmentKind::Audio => kept.message.transcription.is_none(),
            AttachmentKind::Image
            | AttachmentKind::Video
            | AttachmentKind::Document
            | AttachmentKind::File => true,
        };
        let unread: Vec<_> = kinds(kept).filter(is_unread).collect();
        let may_be_heard = || unread.iter().all(|kind| kept.awaited.contains(kind) && is_sound(*kind));
        if unread.is_empty() {
            UnreadFiles::None
        } else if may_be_heard() {
            UnreadFiles::Awaited
        } else {
            UnreadFiles::Unreadable
        }
    };
    let all: Vec<_> = newest_first.iter().filter(waits).map(of_message).collect();
    let worst = [UnreadFiles::Unreadable, UnreadFiles::Awaited].into_iter().find(|it| all.contains(it));
    worst.unwrap_or(UnreadFiles::None)
}

/// Returns the kind of the file that the customer sent last; `None` if they sent none.
pub(in crate::assistant) fn last_file(newest_first: &[KeptMessage]) -> Option<AttachmentKind> {
    let of_customer = newest_first.iter().filter(|kept| kept.message.role == Role::Customer);
    of_customer.flat_map(kinds).find(|kind| *kind != AttachmentKind::Sticker)
}

/// Iterates over the kinds of a message's files: those that are stored, lost and awaited.
pub(super) fn kinds(kept: &KeptMessage) -> impl Iterator<Item = AttachmentKind> {
    let files = kept.files.iter().map(|file| file.kind);
    files.chain(kept.missing.iter().chain(&kept.awaited).copied())
}

fn is_sound(kind: AttachmentKind) -> bool {
    kind == AttachmentKind::Audio
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Speaker, history},
        AttachmentKind, KeptMessage, Role, UnreadFiles, last_file, unread_files,
    };
    use crate::{
        attachments::{ContentType, ObjectKey, StoredAttachment},
        messages::Message,
        testing::{a_message, a_moment, a_vault, a_workspace},
    };

    fn sent(awaited: &[AttachmentKind], missing: &[AttachmentKind], words: Option<&str>) -> KeptMessage {
        let transcription = words.map(str::to_owned);
        let message = Message { role: Role::Customer, transcription, ..a_message() };
        let (awaited, missing) = (awaited.to_vec(), missing.to_vec());
        KeptMessage { message, files: vec![], missing, awaited, sending: None }
    }

    #[test]
    fn a_picture_is_unreadable_and_a_voice_note_until_it_has_words() {
        use AttachmentKind::{Audio, Document, Image, Sticker, Video};
        for (message, come_to) in [
            (sent(&[], &[], None), UnreadFiles::None),
            (sent(&[], &[Sticker], None), UnreadFiles::None),
            (sent(&[Audio], &[], None), UnreadFiles::Awaited),
            (sent(&[], &[Audio], None), UnreadFiles::Unreadable),
            (sent(&[], &[Audio], Some("شكد سعره")), UnreadFiles::None),
            (sent(&[Image], &[], None), UnreadFiles::Unreadable),
            (sent(&[Audio, Image], &[], None), UnreadFiles::Unreadable),
            (sent(&[], &[Video], None), UnreadFiles::Unreadable),
            (sent(&[], &[Document], None), UnreadFiles::Unreadable),
        ] {
            assert_eq!(unread_files(std::slice::from_ref(&message), a_moment()), come_to, "{message:?}");
        }
        let both = [sent(&[Audio], &[], None), sent(&[Image], &[], None)];
        assert_eq!(unread_files(&both, a_moment()), UnreadFiles::Unreadable);
        assert_eq!(last_file(&both), Some(Audio));
    }

    #[test]
    fn a_stored_sticker_stays_one_though_its_bytes_are_a_pictures() {
        let content_type = ContentType::read("image/webp");
        let key = ObjectKey::of(&a_vault(), a_workspace().id, a_message().id, 0, content_type);
        let kind = AttachmentKind::Sticker;
        let mut message = sent(&[], &[], None);
        message.message.content.clear();
        message.files = vec![StoredAttachment { kind, key, content_type, bytes: 6, title: None }];
        assert_eq!(unread_files(std::slice::from_ref(&message), a_moment()), UnreadFiles::None);
        let told = history(&[message], a_moment());
        assert_eq!(told, [(Speaker::Customer, "[sticker]".to_owned())]);
    }

    #[test]
    fn files_that_were_answered_before_or_deleted_are_nothing_to_read() {
        let picture = sent(&[AttachmentKind::Image], &[], None);
        let later = a_moment() + time::Duration::SECOND;
        assert_eq!(unread_files(std::slice::from_ref(&picture), later), UnreadFiles::None);
        let mut deleted = picture;
        deleted.message.marks.deleted_at = Some(a_moment());
        assert_eq!(unread_files(&[deleted], a_moment()), UnreadFiles::None);
    }
}
