//! Files that a waiting customer has sent, and which of them a model can read.

use time::OffsetDateTime;

use super::super::pictures::{MOST_PICTURES, is_readable};
use crate::{
    attachments::{AttachmentKind, StoredAttachment},
    messages::{Role, ports::KeptMessage},
};

/// What a customer's files come to for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant) enum UnreadFiles {
    None,
    /// A voice note may still become words, or a picture come.
    Awaited,
    Unreadable,
}

/// Returns what the files come to that the customer has sent since `since`, for a model that reads words
/// alone or pictures, too. A sticker has nothing to read.
pub(in crate::assistant) fn unread_files(
    newest_first: &[KeptMessage],
    since: OffsetDateTime,
    reads_pictures: bool,
) -> UnreadFiles {
    if reads_pictures && pictures(newest_first, since).count() > MOST_PICTURES {
        return UnreadFiles::Unreadable;
    }
    let of_message = |kept: &KeptMessage| {
        let is_unread = |kind: &AttachmentKind| match kind {
            AttachmentKind::Sticker => false,
            AttachmentKind::Audio => kept.message.transcription.is_none(),
            AttachmentKind::Image
            | AttachmentKind::Video
            | AttachmentKind::Document
            | AttachmentKind::File => true,
        };
        let may_come = |kind: &AttachmentKind| {
            let is_read = match kind {
                AttachmentKind::Audio => true,
                AttachmentKind::Image => reads_pictures,
                _ => false,
            };
            is_read && kept.awaited.contains(kind)
        };
        let stored = kept.files.iter().filter(|file| !(reads_pictures && is_readable(file)));
        let kinds = stored.map(|file| file.kind).chain(kept.missing.iter().chain(&kept.awaited).copied());
        let unread: Vec<_> = kinds.filter(is_unread).collect();
        if unread.is_empty() {
            UnreadFiles::None
        } else if unread.iter().all(may_come) {
            UnreadFiles::Awaited
        } else {
            UnreadFiles::Unreadable
        }
    };
    let all: Vec<_> = waiting(newest_first, since).map(of_message).collect();
    let worst = [UnreadFiles::Unreadable, UnreadFiles::Awaited].into_iter().find(|it| all.contains(it));
    worst.unwrap_or(UnreadFiles::None)
}

/// Iterates over the pictures that the customer has sent since `since` and a model can read, newest first.
pub(in crate::assistant) fn pictures(
    newest_first: &[KeptMessage],
    since: OffsetDateTime,
) -> impl Iterator<Item = &StoredAttachment> {
    let files = waiting(newest_first, since).flat_map(|kept| kept.files.iter().rev());
    files.filter(|file| is_readable(file))
}

/// Iterates over the messages that the customer has sent since `since`.
fn waiting(newest_first: &[KeptMessage], since: OffsetDateTime) -> impl Iterator<Item = &KeptMessage> {
    newest_first.iter().filter(move |kept| {
        let message = &kept.message;
        message.role == Role::Customer && message.created_at >= since && message.marks.deleted_at.is_none()
    })
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

#[cfg(test)]
mod tests {
    use super::{
        super::{Speaker, history},
        AttachmentKind, KeptMessage, Role, StoredAttachment, UnreadFiles, last_file, pictures, unread_files,
    };
    use crate::{
        attachments::{ContentType, ObjectKey},
        messages::Message,
        testing::{a_message, a_moment, a_vault, a_workspace},
    };

    fn sent(awaited: &[AttachmentKind], missing: &[AttachmentKind], words: Option<&str>) -> KeptMessage {
        let transcription = words.map(str::to_owned);
        let message = Message { role: Role::Customer, transcription, ..a_message() };
        let (awaited, missing) = (awaited.to_vec(), missing.to_vec());
        KeptMessage { message, files: vec![], missing, awaited, sending: None }
    }

    fn stored(kind: AttachmentKind, content_type: &str, bytes: u64) -> StoredAttachment {
        let content_type = ContentType::read(content_type);
        let key = ObjectKey::of(&a_vault(), a_workspace().id, a_message().id, 0, content_type);
        StoredAttachment { kind, key, content_type, bytes, title: None }
    }

    #[test]
    fn a_model_that_reads_pictures_is_shown_three_of_a_usual_form_and_size_and_waits_for_one_to_come() {
        use AttachmentKind::{Audio, Document, Image, Sticker};
        const MB: u64 = 1024 * 1024;
        let of = |files: &[StoredAttachment]| KeptMessage { files: files.to_vec(), ..sent(&[], &[], None) };
        let picture = |form| stored(Image, form, 2 * MB);
        for (message, come_to, shown) in [
            (of(&[picture("image/jpeg")]), UnreadFiles::None, 1),
            (of(&[picture("image/png"), picture("image/webp"), picture("image/jpeg")]), UnreadFiles::None, 3),
            (of(&[stored(Document, "image/png", MB)]), UnreadFiles::None, 1),
            (of(&[stored(Sticker, "image/webp", MB)]), UnreadFiles::None, 0),
            (of(&[picture("image/jpeg"), stored(Sticker, "image/webp", MB)]), UnreadFiles::None, 1),
            (of(&[(); 4].map(|()| picture("image/jpeg"))), UnreadFiles::Unreadable, 4),
            (of(&[stored(Image, "image/jpeg", 2 * MB + 1)]), UnreadFiles::Unreadable, 0),
            (of(&[stored(Image, "image/gif", MB)]), UnreadFiles::Unreadable, 0),
            (sent(&[Image], &[], None), UnreadFiles::Awaited, 0),
            (sent(&[Audio, Image], &[], None), UnreadFiles::Awaited, 0),
            (sent(&[], &[Image], None), UnreadFiles::Unreadable, 0),
        ] {
            let messages = std::slice::from_ref(&message);
            assert_eq!(unread_files(messages, a_moment(), true), come_to, "{message:?}");
            assert_eq!(pictures(messages, a_moment()).count(), shown, "{message:?}");
        }
        let with_voice = KeptMessage { files: vec![picture("image/jpeg")], ..sent(&[Audio], &[], None) };
        assert_eq!(unread_files(&[with_voice], a_moment(), true), UnreadFiles::Awaited);
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
            assert_eq!(
                unread_files(std::slice::from_ref(&message), a_moment(), false),
                come_to,
                "{message:?}"
            );
        }
        let both = [sent(&[Audio], &[], None), sent(&[Image], &[], None)];
        assert_eq!(unread_files(&both, a_moment(), false), UnreadFiles::Unreadable);
        assert_eq!(last_file(&both), Some(Audio));
    }

    #[test]
    fn a_stored_sticker_stays_one_though_its_bytes_are_a_pictures() {
        let mut message = sent(&[], &[], None);
        message.message.content.clear();
        message.files = vec![stored(AttachmentKind::Sticker, "image/webp", 6)];
        assert_eq!(unread_files(std::slice::from_ref(&message), a_moment(), false), UnreadFiles::None);
        let told = history(&[message], a_moment());
        assert_eq!(told, [(Speaker::Customer, "[sticker]".to_owned())]);
    }

    #[test]
    fn files_that_were_answered_before_or_deleted_are_nothing_to_read() {
        let picture = sent(&[AttachmentKind::Image], &[], None);
        let later = a_moment() + time::Duration::SECOND;
        assert_eq!(unread_files(std::slice::from_ref(&picture), later, false), UnreadFiles::None);
        let mut deleted = picture;
        deleted.message.marks.deleted_at = Some(a_moment());
        assert_eq!(unread_files(&[deleted], a_moment(), false), UnreadFiles::None);
    }
}
