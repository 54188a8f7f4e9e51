//! Sending of plain texts and files (docs/run/networks.md, "Sending over a page").

use async_trait::async_trait;
use domain::{
    attachments::{AttachmentKind, StoredAttachment},
    contacts::Identity,
    ids::MessageId,
    messages::{NetworkMessageId, ReplyButton},
    sending::{
        FileMessage, PhotoMessage, Recipient, ReplyWindow, TemplateMessage, TextMessage, UploadedFile,
        ports::{AcceptedMessage, MessagingNetwork, SendFailure},
    },
};
use graph_client::{HeldBack, Rate, webhook};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{PageNetwork, failure};

/// Code of the network for an invalid parameter.
const INVALID: i64 = 100;
/// Bound of a text on Messenger, in characters; texts are shorter than this.
const MESSENGER_CHARACTERS: usize = 2000;
/// Longest text on Instagram, in bytes.
const INSTAGRAM_BYTES: usize = 1000;
/// Texts per second that a page may send.
const MESSENGER_RATE: u32 = 300;
/// Texts per second that an Instagram account may send.
const INSTAGRAM_RATE: u32 = 100;
/// Files per second that either may send.
const FILE_RATE: u32 = 10;

#[async_trait]
impl MessagingNetwork for PageNetwork {
    /// Refuses: there are no templates here.
    async fn send_template(
        &self,
        _: &str,
        _: &SecretString,
        _: &TemplateMessage,
    ) -> Result<AcceptedMessage, SendFailure> {
        Err(refused("templates are sent over WhatsApp only"))
    }

    async fn send_text(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &TextMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        let (path, body) = text(from_network_id, message)?;
        let rate = match &message.to {
            Recipient::User(Identity::InstagramUser(_)) => INSTAGRAM_RATE,
            _ => MESSENGER_RATE,
        };
        self.post(&[(from_network_id, Rate::per_second(rate))], &path, &body, token).await
    }

    /// Uploads nothing: the network fetches files by their links.
    async fn upload_file(
        &self,
        _: &str,
        _: &SecretString,
        _: &Recipient,
        _: &StoredAttachment,
    ) -> Result<Option<UploadedFile>, SendFailure> {
        Ok(None)
    }

    async fn send_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &FileMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        let (path, body) = file(from_network_id, message)?;
        self.post_file(from_network_id, &path, &body, token).await
    }

    async fn send_photo(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &PhotoMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        let (path, body) = photo(from_network_id, message)?;
        self.post_file(from_network_id, &path, &body, token).await
    }
}

impl PageNetwork {
    async fn post_file(
        &self,
        from_network_id: &str,
        path: &str,
        body: &Value,
        token: &SecretString,
    ) -> Result<NetworkMessageId, SendFailure> {
        let slow = format!("{from_network_id} files");
        self.post(&[(&slow, Rate::per_second(FILE_RATE))], path, body, token).await
    }

    async fn post(
        &self,
        turns: &[(&str, Rate)],
        path: &str,
        body: &Value,
        token: &SecretString,
    ) -> Result<NetworkMessageId, SendFailure> {
        let turn = self.pace.turn(turns).await;
        turn.map_err(|HeldBack { wait }| SendFailure::HeldBack { retry_after: wait })?;
        let answer: Value = self.graph.post_json(path, body, token).await.map_err(failure::of_send)?;
        webhook::message_id(answer.get("message_id")).map(NetworkMessageId::from).ok_or_else(|| {
            let reason = "the network accepted, but its answer names no message".to_owned();
            SendFailure::Unknown { reason }
        })
    }
}

/// Builds the path and the body of a text. What the network would cut off or refuse is refused here.
fn text(from_network_id: &str, message: &TextMessage) -> Result<(String, Value), SendFailure> {
    match &message.to {
        Recipient::User(Identity::MessengerUser(_))
            if message.text.chars().count() >= MESSENGER_CHARACTERS =>
        {
            return Err(refused("Messenger takes texts of fewer than 2000 characters"));
        }
        Recipient::User(Identity::InstagramUser(_)) if message.text.len() > INSTAGRAM_BYTES => {
            return Err(refused("Instagram takes texts of at most 1000 bytes"));
        }
        _ => {}
    }
    let said = if message.buttons.is_empty() {
        json!({ "text": message.text })
    } else {
        let reply = |ReplyButton { id, title }: &ReplyButton| json!({ "content_type": "text", "title": title, "payload": id });
        json!({ "text": message.text, "quick_replies": message.buttons.iter().map(reply).collect::<Vec<_>>() })
    };
    request(from_network_id, &message.to, message.tag, message.window, said)
}

/// Builds the path and the body of a file. Texts are sent separately.
fn file(from_network_id: &str, message: &FileMessage) -> Result<(String, Value), SendFailure> {
    let kind = match message.kind {
        AttachmentKind::Image | AttachmentKind::Sticker => "image",
        AttachmentKind::Video => "video",
        AttachmentKind::Audio => "audio",
        AttachmentKind::Document | AttachmentKind::File => "file",
    };
    let attachment = json!({ "type": kind, "payload": { "url": message.link } });
    let said = json!({ "attachment": attachment });
    request(from_network_id, &message.to, message.tag, message.window, said)
}

/// Builds the path and the body of a photo.
fn photo(from_network_id: &str, message: &PhotoMessage) -> Result<(String, Value), SendFailure> {
    let attachment = json!({ "type": "image", "payload": { "url": message.photo.as_str() } });
    let said = json!({ "attachment": attachment });
    request(from_network_id, &message.to, message.tag, message.window, said)
}

fn request(
    from_network_id: &str,
    to: &Recipient,
    tag: MessageId,
    window: ReplyWindow,
    mut said: Value,
) -> Result<(String, Value), SendFailure> {
    match to {
        Recipient::User(Identity::MessengerUser(person)) => {
            if let Some(fields) = said.as_object_mut() {
                // It comes back in the echo.
                fields.insert("metadata".to_owned(), json!(tag.to_string()));
            }
            let recipient = json!({ "id": person });
            let mut body = json!({ "recipient": recipient, "messaging_type": "RESPONSE", "message": said });
            by_right_of(&mut body, window);
            Ok((format!("{from_network_id}/messages"), body))
        }
        Recipient::User(Identity::InstagramUser(person)) => {
            // No `messaging_type` but beside a tag: one of the two ways to Instagram does not know it.
            let mut body = json!({ "recipient": { "id": person }, "message": said });
            by_right_of(&mut body, window);
            // With the token of the linked page the account has no path of its own, and `me` is right with
            // either.
            Ok(("me/messages".to_owned(), body))
        }
        _ => Err(refused("nobody of this network")),
    }
}

/// Adds the tag under which a person's answer is accepted after 24 hours, and nothing else is.
fn by_right_of(body: &mut Value, window: ReplyWindow) {
    if let (ReplyWindow::HumanAgent, Some(fields)) = (window, body.as_object_mut()) {
        fields.insert("messaging_type".to_owned(), json!("MESSAGE_TAG"));
        fields.insert("tag".to_owned(), json!("HUMAN_AGENT"));
    }
}

fn refused(message: &str) -> SendFailure {
    SendFailure::Refused { code: INVALID, subcode: None, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use domain::{
        attachments::{AttachmentKind, ContentType, ObjectKey, StoredAttachment},
        contacts::Identity,
        link::PhotoUrl,
        messages::ReplyButton,
        phone::PhoneNumber,
        sending::{FileMessage, PhotoMessage, Recipient, ReplyWindow, TextMessage, ports::SendFailure},
    };
    use serde_json::json;
    use uuid::Uuid;

    use super::{file, text as request};

    fn message(to: Identity, text: &str, window: ReplyWindow) -> TextMessage {
        TextMessage {
            tag: Uuid::from_u128(7).into(),
            to: Recipient::of(to),
            text: text.to_owned(),
            buttons: Vec::new(),
            window,
        }
    }

    fn messenger() -> Identity {
        Identity::MessengerUser("2481".to_owned())
    }

    fn instagram() -> Identity {
        Identity::InstagramUser("1785".to_owned())
    }

    #[test]
    fn a_photo_is_fetched_from_where_it_lies() {
        let link = "https://shop.example/milk.jpg";
        for (to, path) in [(messenger(), "page/messages"), (instagram(), "me/messages")] {
            let photo = PhotoMessage {
                tag: Uuid::from_u128(7).into(),
                to: Recipient::of(to),
                photo: PhotoUrl::parse(link).unwrap(),
                caption: None,
                window: ReplyWindow::Within24h,
            };
            let (asked, body) = super::photo("page", &photo).unwrap();
            let attachment = json!({ "type": "image", "payload": { "url": link } });
            assert_eq!((asked.as_str(), &body["message"]["attachment"]), (path, &attachment));
        }
    }

    #[test]
    fn a_text_goes_as_an_answer_within_a_day_and_as_a_persons_answer_after_it() {
        let tag = "00000000-0000-0000-0000-000000000007";
        for (to, window, path, body) in [
            (
                messenger(),
                ReplyWindow::Within24h,
                "page/messages",
                json!({ "recipient": { "id": "2481" }, "messaging_type": "RESPONSE",
                        "message": { "text": "أهلا", "metadata": tag } }),
            ),
            (
                messenger(),
                ReplyWindow::HumanAgent,
                "page/messages",
                json!({ "recipient": { "id": "2481" }, "messaging_type": "MESSAGE_TAG", "tag": "HUMAN_AGENT",
                        "message": { "text": "أهلا", "metadata": tag } }),
            ),
            (
                instagram(),
                ReplyWindow::Within24h,
                "me/messages",
                json!({ "recipient": { "id": "1785" }, "message": { "text": "أهلا" } }),
            ),
            (
                instagram(),
                ReplyWindow::HumanAgent,
                "me/messages",
                json!({ "recipient": { "id": "1785" }, "messaging_type": "MESSAGE_TAG", "tag": "HUMAN_AGENT",
                        "message": { "text": "أهلا" } }),
            ),
        ] {
            assert_eq!(request("page", &message(to, "أهلا", window)), Ok((path.to_owned(), body)));
        }
    }

    #[test]
    fn buttons_go_as_quick_replies_beside_the_text() {
        let buttons = vec![ReplyButton { id: "yes-1".to_owned(), title: "أؤكد".to_owned() }];
        let replies = json!([{ "content_type": "text", "title": "أؤكد", "payload": "yes-1" }]);
        for to in [messenger(), instagram()] {
            let asking =
                TextMessage { buttons: buttons.clone(), ..message(to, "هل؟", ReplyWindow::Within24h) };
            let (_, body) = request("page", &asking).unwrap();
            assert_eq!(
                (&body["message"]["text"], &body["message"]["quick_replies"]),
                (&json!("هل؟"), &replies)
            );
        }
    }

    #[test]
    fn texts_are_as_long_as_the_network_takes_them() {
        let fits =
            |to: Identity, text: &str| match request("page", &message(to, text, ReplyWindow::Within24h)) {
                Ok(_) => true,
                Err(SendFailure::Refused { .. }) => false,
                Err(other) => panic!("{other:?}"),
            };
        assert!(fits(messenger(), &"ب".repeat(1999)));
        assert!(!fits(messenger(), &"ب".repeat(2000)));
        assert!(fits(instagram(), &"ب".repeat(500)));
        assert!(!fits(instagram(), &"ب".repeat(501)));
        let phone = Identity::Phone(PhoneNumber::from_e164("+9647701234567").unwrap());
        assert!(!fits(phone, "Hello"), "a number is of another network");
    }

    fn a_file(to: Identity, kind: AttachmentKind) -> FileMessage {
        let key = format!("00000000-0000-0000-0000-000000000001/{}.pdf", "0".repeat(64));
        let file = StoredAttachment {
            kind,
            key: ObjectKey::read(&key).unwrap(),
            content_type: ContentType::read("application/pdf"),
            bytes: 3,
            title: None,
        };
        FileMessage {
            tag: Uuid::from_u128(7).into(),
            to: Recipient::of(to),
            kind,
            file,
            link: "https://files.example/a".to_owned(),
            uploaded: None,
            caption: None,
            window: ReplyWindow::Within24h,
        }
    }

    #[test]
    fn a_file_goes_as_the_link_by_which_the_network_fetches_it() {
        let tag = "00000000-0000-0000-0000-000000000007";
        for (kind, name) in [(AttachmentKind::Image, "image"), (AttachmentKind::File, "file")] {
            let attachment = json!({ "type": name, "payload": { "url": "https://files.example/a" } });
            let wanted = json!({ "recipient": { "id": "2481" }, "messaging_type": "RESPONSE",
                "message": { "attachment": attachment, "metadata": tag } });
            assert_eq!(file("page", &a_file(messenger(), kind)), Ok(("page/messages".to_owned(), wanted)));
            let wanted = json!({ "recipient": { "id": "1785" }, "message": { "attachment": attachment } });
            assert_eq!(file("page", &a_file(instagram(), kind)), Ok(("me/messages".to_owned(), wanted)));
        }
    }
}
