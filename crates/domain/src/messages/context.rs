//! Context of a message: what it refers to, and what brought the customer to write it.

use serde::{Deserialize, Serialize};

use crate::{attachments::AttachmentKind, ids::MessageId};

/// Context of a message, as stored and as the API writes it; `M` names other messages.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Context<M = MessageId> {
    /// Message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<M>,
    /// Whether it answers a message that is not known here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reply_to_unknown: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forwarded: bool,
    /// Whether another app, or the network's own inbox, held the conversation when it was written; then
    /// nobody here is to answer it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held_elsewhere: bool,
    /// Product that it asks about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<Box<Product>>,
    /// Story that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referral: Option<Box<Referral>>,
    /// Button or row that was tapped instead of writing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Box<TappedReply>>,
    /// Kinds of its files that could not be had, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<AttachmentKind>,
}

/// A button, a row of a list or a suggested answer that the customer tapped.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TappedReply {
    /// Id that the business gave it.
    pub id: String,
    /// Label that the customer saw.
    pub title: String,
}

impl TappedReply {
    /// Builds the reply; if only one of the two is given, it stands for both. `None` if neither is.
    pub fn told(id: Option<String>, title: Option<String>) -> Option<Box<Self>> {
        let id = id.or_else(|| title.clone())?;
        let title = title.unwrap_or_else(|| id.clone());
        Some(Box::new(Self { id, title }))
    }
}

/// A product of a catalogue at the network.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Product {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog_id: Option<String>,
    /// Name as the customer saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Line under the name, mostly the price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtitle: Option<String>,
}

/// A story of the business.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Story {
    /// Temporary address.
    pub url: String,
}

/// An advertisement, a post or a link that led the customer here.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Referral {
    /// Kind of the referral, as the network calls it: `ad`, `post`, `ads`, `shortlink`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Text that the business put into the link.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Network's id of the click, by which an advertiser reports what came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub click_id: Option<String>,
}

impl<M> Default for Context<M> {
    fn default() -> Self {
        Self {
            reply_to: None,
            reply_to_unknown: false,
            forwarded: false,
            held_elsewhere: false,
            product: None,
            story: None,
            referral: None,
            reply: None,
            unavailable: Vec::new(),
        }
    }
}

impl<M: PartialEq> Context<M> {
    /// Returns whether nothing is set: the message stands by itself.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl<M> Context<M> {
    /// Renames the answered message by `name`; if that returns `None`, the message counts as unknown.
    pub fn named<N>(self, name: impl FnOnce(M) -> Option<N>) -> Context<N> {
        let answers = self.reply_to.is_some();
        let reply_to = self.reply_to.and_then(name);
        let reply_to_unknown = self.reply_to_unknown || (answers && reply_to.is_none());
        Context {
            reply_to,
            reply_to_unknown,
            forwarded: self.forwarded,
            held_elsewhere: self.held_elsewhere,
            product: self.product,
            story: self.story,
            referral: self.referral,
            reply: self.reply,
            unavailable: self.unavailable,
        }
    }
}

impl Referral {
    /// Returns `None` if nothing is set.
    pub fn told(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::{Context, Product, Referral, Story, TappedReply};
    use crate::{attachments::AttachmentKind, ids::MessageId};

    fn written(context: &Context) -> Value {
        serde_json::to_value(context).unwrap()
    }

    #[test]
    fn it_reads_back_as_it_was_written_and_says_nothing_of_what_is_not_there() {
        assert_eq!(written(&Context::default()), json!({}));
        let whole = Context {
            reply_to: Some(MessageId::from(Uuid::from_u128(7))),
            reply_to_unknown: true,
            forwarded: true,
            held_elsewhere: true,
            product: Some(Box::new(Product {
                id: "SKU-7".to_owned(),
                catalog_id: Some("1".to_owned()),
                title: Some("سماعة بلوتوث".to_owned()),
                subtitle: Some("25,000 د.ع".to_owned()),
            })),
            story: Some(Story { url: "https://lookaside.example/s".to_owned() }),
            referral: Some(Box::new(Referral {
                source: Some("ad".to_owned()),
                reference: Some("summer".to_owned()),
                click_id: Some("AfCb-7".to_owned()),
                ..Referral::default()
            })),
            reply: TappedReply::told(Some("confirm:A-1042".to_owned()), Some("Confirm".to_owned())),
            unavailable: vec![AttachmentKind::Image, AttachmentKind::Audio],
        };
        let wanted = json!({
            "replyTo": "00000000-0000-0000-0000-000000000007", "replyToUnknown": true, "forwarded": true,
            "heldElsewhere": true,
            "product": { "id": "SKU-7", "catalogId": "1", "title": "سماعة بلوتوث", "subtitle": "25,000 د.ع" },
            "story": { "url": "https://lookaside.example/s" },
            "referral": { "source": "ad", "ref": "summer", "clickId": "AfCb-7" },
            "reply": { "id": "confirm:A-1042", "title": "Confirm" }, "unavailable": ["image", "audio"],
        });
        assert_eq!(written(&whole), wanted);
        let read: Context = serde_json::from_value(wanted).unwrap();
        assert!(read == whole && !read.is_empty());
        let read: Context = serde_json::from_value(json!({})).unwrap();
        assert!(read.is_empty());
    }

    #[test]
    fn of_a_tapped_reply_the_id_stands_for_the_title_and_the_title_for_the_id() {
        let text = |text: &str| Some(text.to_owned());
        for (id, title, wanted) in [
            (text("YES"), text("Yes"), Some(("YES", "Yes"))),
            (text("YES"), None, Some(("YES", "YES"))),
            (None, text("Yes"), Some(("Yes", "Yes"))),
            (None, None, None),
        ] {
            let told = TappedReply::told(id, title);
            assert_eq!(told.as_ref().map(|told| (told.id.as_str(), told.title.as_str())), wanted);
        }
    }
}
