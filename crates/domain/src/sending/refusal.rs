//! Why a send does not happen. Each has one code and one status on the wire (docs/rest-api.md, "Errors").

use std::time::Duration;

use time::OffsetDateTime;

use crate::{
    attachments::MAX_CAPTION_CHARS,
    channels::{ChannelKind, StandingState},
    ids::MessageId,
    phone::{PhoneError, PhoneNumber},
    templates::TemplateStatus,
};

/// It says which end of the plan was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanLimitReason {
    /// One more customer would be active than the plan allows.
    ActiveCustomerLimit,
    /// The subscription is paused.
    SubscriptionPaused,
}

impl PlanLimitReason {
    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ActiveCustomerLimit => "active_customer_limit",
            Self::SubscriptionPaused => "subscription_paused",
        }
    }
}

/// What a text is too long for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextLimit {
    /// Any answer.
    Answer,
    /// What stands beside a file.
    Caption,
    /// Messenger.
    Messenger,
    /// Instagram, which counts bytes.
    Instagram,
}

impl TextLimit {
    /// What a network takes at most beside no file.
    pub const fn of(channel: ChannelKind) -> Self {
        match channel {
            ChannelKind::Whatsapp => Self::Answer,
            ChannelKind::Messenger => Self::Messenger,
            ChannelKind::Instagram => Self::Instagram,
        }
    }

    /// The most characters that fit (docs/networks.md, "How long a text may be"). On Instagram they fit where
    /// each is a byte.
    pub const fn characters(self) -> usize {
        match self {
            Self::Answer => 4_096,
            Self::Caption => MAX_CAPTION_CHARS,
            Self::Messenger => 1_999,
            Self::Instagram => 1_000,
        }
    }

    /// Whether the text is no longer.
    pub fn fits(self, text: &str) -> bool {
        let length = match self {
            Self::Answer | Self::Caption | Self::Messenger => text.chars().count(),
            Self::Instagram => text.len(),
        };
        length <= self.characters()
    }

    fn rule(self) -> String {
        match self {
            Self::Answer => format!("at most {} characters", self.characters()),
            Self::Caption => format!("at most {} characters beside a file", self.characters()),
            Self::Messenger => "fewer than 2000 characters on Messenger".to_owned(),
            Self::Instagram => "at most 1000 bytes of UTF-8 on Instagram".to_owned(),
        }
    }
}

/// A refusal, in the words for the developer who called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A field breaks a rule that has no code of its own; the text names the field.
    #[error("{0}")]
    Invalid(String),
    /// The text is longer than is taken.
    #[error("`text` has {}", .0.rule())]
    TextTooLong(TextLimit),
    /// `to` is no number that can be called, or none that is certain.
    #[error("`to` is {0}")]
    InvalidPhone(PhoneError),
    /// The key belongs to another request.
    #[error("this Idempotency-Key was used for a different request")]
    KeyReused,
    /// The key's first request has not finished.
    #[error(
        "the first request with this Idempotency-Key has not finished; retry shortly, for a minute at most"
    )]
    RequestInFlight,
    /// There is no such conversation.
    #[error("there is no such conversation in this workspace")]
    ConversationNotFound,
    /// The author brought no such file, or too long ago.
    #[error("there is no such attachment; one may be sent by whoever uploaded it, within a day")]
    AttachmentNotFound,
    /// A message has it already.
    #[error("this attachment was sent already; upload it again")]
    AttachmentUsed,
    /// The conversation's network takes no such file.
    #[error("{} takes no files of the type {content_type}: send it as {}", .channel.as_str(), instead(content_type))]
    AttachmentType {
        channel: ChannelKind,
        /// The file is of this type.
        content_type: &'static str,
    },
    /// The conversation's network takes none of this size.
    #[error("{} takes such files up to {most_bytes} bytes", .channel.as_str())]
    AttachmentTooLarge {
        channel: ChannelKind,
        /// The file may have so many bytes at most.
        most_bytes: u64,
    },
    /// Who made the key has left the workspace.
    #[error("the person who made this key has left the workspace")]
    AuthorLeft,
    /// There is no template of that name and language.
    #[error("there is no template of that name{}", in_other_languages(.languages))]
    TemplateNotFound {
        /// The languages that there is one of that name in, in order.
        languages: Vec<String>,
    },
    /// The template cannot be sent now.
    #[error("the template is {}{}", .status.as_str(), .reason.as_ref().map(|why| format!(", but {why}")).unwrap_or_default())]
    TemplateNotApproved {
        /// The network says this of it.
        status: TemplateStatus,
        /// It says why the template is not sent although it is approved.
        reason: Option<String>,
    },
    /// `from` is no number of the workspace.
    #[error("`from` is no connected number of this workspace")]
    UnknownSender {
        /// It could be these numbers.
        connected: Vec<PhoneNumber>,
    },
    /// `from` belongs to another account than the template.
    #[error("`from` belongs to an account that does not have this template")]
    TemplateNotOnNumber,
    /// Nothing is connected that could send it.
    #[error("{}", .0.missing())]
    NoChannel(ChannelKind),
    /// The network does not let the account send.
    #[error("the business account is {} at the network, which is where to see to it", .0.as_str())]
    AccountBarred(StandingState),
    /// There are too few values, too many, or one of an unknown name.
    #[error("the template takes {}", spelled_all(.wanted))]
    VariablesMismatch {
        /// These names are wanted, in order.
        wanted: Vec<String>,
    },
    /// A value is blank.
    #[error("{} is blank", spelled(.variable))]
    VariableEmpty { variable: String },
    /// A one-time-code template came without a code.
    #[error("a one-time-code template needs `code`")]
    CodeRequired,
    /// The code has other characters, or too many.
    #[error("`code` is 1 to 15 letters, digits and dashes")]
    InvalidCode,
    /// The header's value is missing.
    #[error("the template's header needs a value: `header.{field}`")]
    HeaderRequired {
        /// It is `text`, `link` or `location`.
        field: &'static str,
    },
    /// The header has no place for the value.
    #[error("the template's header has no place for `header.{field}`")]
    HeaderNotAllowed {
        /// It is `text`, `link`, `filename` or `location`.
        field: &'static str,
    },
    /// There is not one value for each URL button that needs one.
    #[error("the template's buttons need {wanted} value(s) in `buttonVariables`, {given} came")]
    ButtonVariablesMismatch {
        /// So many are needed.
        wanted: usize,
        /// So many came.
        given: usize,
    },
    /// The plan does not allow it.
    #[error("the plan does not allow this send: {}", .0.as_str())]
    PlanLimit(PlanLimitReason),
    /// The network refused, in its own words.
    #[error("{} refused the message: {message}", .channel.spoken())]
    Rejected { channel: ChannelKind, code: i64, subcode: Option<i64>, message: String },
    /// It would go beyond the pace that is kept here; nobody was asked.
    #[error(
        "held back to keep the pace: too many messages at once from this sender or to this person; nothing was sent"
    )]
    HeldBack {
        /// The caller may come back after this.
        retry_after: Duration,
    },
    /// The network could not be reached, or slows its callers down; certainly nothing was sent.
    #[error(
        "the network takes no message now: it cannot be reached, or it slows its callers down; nothing was sent"
    )]
    NetworkUnavailable {
        /// The caller may come back after this.
        retry_after: Duration,
        reason: String,
    },
    /// Nobody knows yet whether it was sent.
    #[error(
        "nobody knows whether the network took the message: an event or `GET /v1/messages/{id}` may tell, or nothing ever \
         will; another Idempotency-Key may send it a second time; in place of a one-time code make a new one"
    )]
    OutcomeUnknown {
        /// It is the send, as its delivery events will name it.
        id: MessageId,
        since: OffsetDateTime,
    },
}

fn in_other_languages(languages: &[String]) -> String {
    if languages.is_empty() {
        String::new()
    } else {
        format!(" in that language; it is in {}", languages.join(", "))
    }
}

impl ChannelKind {
    /// Says what is to be connected before anything can be sent.
    const fn missing(self) -> &'static str {
        match self {
            Self::Whatsapp => "no WhatsApp number is connected that could send this",
            Self::Messenger => "the Facebook page of this conversation is not connected",
            Self::Instagram => "the Instagram account of this conversation is not connected",
        }
    }
}

/// Returns a variable as a request names it, the same in every message about it.
fn spelled(variable: &str) -> String {
    if variable.starts_with("buttonVariables[") {
        format!("`{variable}`")
    } else {
        format!("`variables.{variable}`")
    }
}

fn spelled_all(variables: &[String]) -> String {
    if variables.is_empty() {
        return "no `variables`".to_owned();
    }
    variables.iter().map(|variable| spelled(variable)).collect::<Vec<_>>().join(", ")
}

/// Returns the type that every network takes of such a file.
fn instead(content_type: &str) -> &'static str {
    match content_type.split_once('/') {
        Some(("image", _)) => "image/jpeg",
        Some(("video", _)) => "video/mp4",
        Some(("audio", _)) => "audio/mp4",
        _ => "application/pdf",
    }
}

#[cfg(test)]
mod tests {
    use super::Refusal;
    use crate::channels::ChannelKind;

    #[test]
    fn a_variable_is_spelled_as_the_request_names_it() {
        let mismatch = |wanted: &[&str]| Refusal::VariablesMismatch {
            wanted: wanted.iter().map(|name| (*name).to_owned()).collect(),
        };
        let empty = |variable: &str| Refusal::VariableEmpty { variable: variable.to_owned() };
        for (refusal, said) in [
            (empty("order"), "`variables.order` is blank"),
            (empty("2"), "`variables.2` is blank"),
            (empty("buttonVariables[0]"), "`buttonVariables[0]` is blank"),
            (mismatch(&["1", "order"]), "the template takes `variables.1`, `variables.order`"),
            (mismatch(&[]), "the template takes no `variables`"),
        ] {
            assert_eq!(refusal.to_string(), said);
        }
    }

    #[test]
    fn what_is_not_connected_and_what_there_is_instead_is_named() {
        let missing = |languages: &[&str]| {
            let languages = languages.iter().map(|it| (*it).to_owned()).collect();
            Refusal::TemplateNotFound { languages }.to_string()
        };
        assert_eq!(missing(&[]), "there is no template of that name");
        let other = "there is no template of that name in that language; it is in ar, en_US";
        assert_eq!(missing(&["ar", "en_US"]), other);
        for (channel, named) in [
            (ChannelKind::Whatsapp, "WhatsApp number"),
            (ChannelKind::Messenger, "Facebook page"),
            (ChannelKind::Instagram, "Instagram account"),
        ] {
            let said = Refusal::NoChannel(channel).to_string();
            assert!(said.contains(named) && said.contains("connected"), "{said}");
        }
    }

    #[test]
    fn a_refusal_of_a_network_names_it() {
        for (channel, name) in [
            (ChannelKind::Whatsapp, "WhatsApp"),
            (ChannelKind::Messenger, "Messenger"),
            (ChannelKind::Instagram, "Instagram"),
        ] {
            let refused = Refusal::Rejected {
                channel,
                code: 10,
                subcode: None,
                message: "Outside the window".to_owned(),
            };
            assert_eq!(refused.to_string(), format!("{name} refused the message: Outside the window"));
        }
    }
}
