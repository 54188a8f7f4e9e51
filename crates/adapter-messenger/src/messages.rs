//! Messages that a webhook names without their contents (docs/run/networks.md, "What a page is told").

use async_trait::async_trait;
use domain::{
    attachments::{AttachmentKind, MediaSource, ports::MediaOrigin},
    channels::{ChannelKind, ports::NetworkError},
    contacts::Identity,
    inbound::{
        ConversationUpdate, InboundMedia, NamedMessage, Person, UpdateKind, Written, ports::NetworkMessages,
    },
    messages::Context,
};
use graph_client::webhook;
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};

use crate::{PageNetwork, failure};

/// Fields requested of a message.
const FIELDS: &str = "from,to,message,created_time";

#[async_trait]
impl NetworkMessages for PageNetwork {
    async fn message(
        &self,
        origin: &MediaOrigin,
        named: &NamedMessage,
    ) -> Result<Option<ConversationUpdate>, NetworkError> {
        let id = named.message.reveal();
        // The id becomes a part of a path.
        if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:=+$".contains(&byte))
            || id.starts_with('.')
        {
            return Ok(None);
        }
        let row = self.ask_for(id, FIELDS, origin).await?;
        let said = webhook::text(row.get("message"));
        let media = match said {
            Some(_) => Vec::new(),
            None => files(&self.ask_for(id, "attachments", origin).await?),
        };
        Ok(update(&row, said, media, origin, named))
    }
}

impl PageNetwork {
    async fn ask_for(&self, id: &str, fields: &str, origin: &MediaOrigin) -> Result<Value, NetworkError> {
        self.graph.get(id, &[("fields", fields)], &origin.token).await.map_err(failure::of_question)
    }
}

/// Parses the message and its writer; `None` if the row does not say whose message it is.
fn update(
    row: &Value,
    said: Option<String>,
    media: Vec<InboundMedia>,
    origin: &MediaOrigin,
    named: &NamedMessage,
) -> Option<ConversationUpdate> {
    let from = webhook::network_id(row.pointer("/from/id"))?;
    let by_business = from == origin.channel_network_id;
    let person = if by_business { webhook::network_id(row.pointer("/to/data/0/id"))? } else { from };
    let identity = match origin.channel {
        ChannelKind::Messenger => Identity::MessengerUser(person),
        ChannelKind::Instagram => Identity::InstagramUser(person),
        ChannelKind::Whatsapp => return None,
    };
    let at = row.get("created_time").and_then(Value::as_str).and_then(instant).or(named.at)?;
    let content = match said {
        Some(said) => said,
        // An edited message without text stays as it was.
        None if named.is_edit => return None,
        None if media.is_empty() => "[unsupported]".to_owned(),
        None => String::new(),
    };
    let written = Written { network_id: named.message.clone(), content, media, context: Context::default() };
    let what = if by_business {
        UpdateKind::Echoed { written, tag: None, by_us: false }
    } else {
        UpdateKind::Wrote(written)
    };
    let person = Person { identities: vec![identity], name: None, avatar_url: None };
    Some(ConversationUpdate { person, at, what })
}

/// Parses a time in this row's form: the offset has no colon.
fn instant(text: &str) -> Option<OffsetDateTime> {
    let form = format_description!(
        "[year]-[month]-[day]T[hour]:[minute]:[second][offset_hour sign:mandatory][offset_minute]"
    );
    OffsetDateTime::parse(text, form).or_else(|_| OffsetDateTime::parse(text, &Rfc3339)).ok()
}

/// Lists the files of a message, by their addresses.
fn files(row: &Value) -> Vec<InboundMedia> {
    let listed = row.pointer("/attachments/data").and_then(Value::as_array);
    let file = |item: &Value| {
        let url = |at: &str| webhook::text(item.pointer(at));
        let picture = url("/image_data/url").map(|url| (AttachmentKind::Image, url));
        let film = || url("/video_data/url").map(|url| (AttachmentKind::Video, url));
        let other = || url("/file_url").map(|url| (AttachmentKind::File, url));
        let (kind, url) = picture.or_else(film).or_else(other)?;
        Some(InboundMedia {
            kind,
            source: MediaSource::Url(url),
            content_type: webhook::text(item.get("mime_type")),
            title: webhook::text(item.get("name")),
            sha256: None,
            voice: false,
        })
    };
    listed.into_iter().flatten().filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use domain::{
        attachments::ports::MediaOrigin,
        channels::ChannelKind,
        contacts::Identity,
        inbound::{NamedMessage, UpdateKind},
    };
    use secrecy::SecretString;
    use serde_json::{Value, json};
    use time::macros::datetime;

    use super::{files, instant, update};

    fn origin() -> MediaOrigin {
        MediaOrigin {
            channel: ChannelKind::Instagram,
            channel_network_id: "17".to_owned(),
            token: SecretString::from("a token"),
        }
    }

    fn named() -> NamedMessage {
        NamedMessage {
            network: ChannelKind::Instagram,
            message: "m_1".to_owned().into(),
            is_edit: false,
            is_held: false,
            at: None,
        }
    }

    #[test]
    fn whoever_wrote_it_is_told_and_the_business_wrote_to_whom_it_went_to() {
        let time = "2025-11-20T00:53:21+0000";
        let said = || Some("بكم هذا؟".to_owned());
        let row = json!({ "id": "m_1", "from": { "id": "99" }, "to": { "data": [{ "id": "17" }] }, "created_time": time });
        let told = update(&row, said(), Vec::new(), &origin(), &named()).unwrap();
        assert_eq!(told.at, datetime!(2025-11-20 00:53:21 UTC));
        assert_eq!(told.person.identities, [Identity::InstagramUser("99".to_owned())]);
        let UpdateKind::Wrote(written) = told.what else { panic!("the customer wrote") };
        assert_eq!((written.content.as_str(), written.network_id.reveal()), ("بكم هذا؟", "m_1"));
        let row = json!({ "from": { "id": "17" }, "to": { "data": [{ "id": "99" }] }, "created_time": time });
        let told = update(&row, said(), Vec::new(), &origin(), &named()).unwrap();
        assert_eq!(told.person.identities, [Identity::InstagramUser("99".to_owned())]);
        assert!(matches!(told.what, UpdateKind::Echoed { by_us: false, .. }));
        for row in [json!({ "from": { "id": "99" } }), json!({ "created_time": time }), Value::Null] {
            assert!(update(&row, said(), Vec::new(), &origin(), &named()).is_none(), "{row}");
        }
    }

    #[test]
    fn times_have_an_offset_with_or_without_a_colon() {
        for text in ["2025-11-20T03:53:21+0300", "2025-11-20T00:53:21Z", "2025-11-20T00:53:21+00:00"] {
            assert_eq!(instant(text), Some(datetime!(2025-11-20 00:53:21 UTC)), "{text}");
        }
        assert_eq!(instant("yesterday"), None);
    }

    #[test]
    fn files_are_told_by_their_addresses() {
        let row = json!({ "attachments": { "data": [
            { "image_data": { "url": "https://s.example/a" } }, { "video_data": { "url": "https://s.example/b" } },
            { "file_url": "https://s.example/c", "mime_type": "audio/mp4" }, {}] } });
        assert_eq!(files(&row).len(), 3);
        assert_eq!(files(&json!({})), []);
    }
}
