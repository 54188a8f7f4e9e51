//! Reasons why a send does not happen. Each has one code and one status on the wire
//! (docs/use/rest-api.md, "Errors").

use std::time::Duration;

use time::OffsetDateTime;

use crate::{
    attachments::MAX_CAPTION_CHARS,
    channels::{ChannelKind, StandingState},
    ids::MessageId,
    phone::{PhoneError, PhoneNumber},
    templates::TemplateStatus,
};

/// Limit of the plan that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanLimitReason {
    ActiveCustomerLimit,
    SubscriptionPaused,
}

impl PlanLimitReason {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ActiveCustomerLimit => "active_customer_limit",
            Self::SubscriptionPaused => "subscription_paused",
        }
    }
}

/// Limit on the length of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextLimit {
    /// Any answer, and WhatsApp's own limit.
    Answer,
    Caption,
    Messenger,
    /// Instagram, which counts bytes.
    Instagram,
}

impl TextLimit {
    /// Returns the limit of a network for a text without a file.
    pub const fn of(channel: ChannelKind) -> Self {
        match channel {
            ChannelKind::Whatsapp => Self::Answer,
            ChannelKind::Messenger => Self::Messenger,
            ChannelKind::Instagram => Self::Instagram,
        }
    }

    /// Returns the most characters that fit (docs/run/networks.md, "How long a text may be"); for Instagram
    /// the most bytes.
    pub const fn characters(self) -> usize {
        match self {
            Self::Answer => 4_096,
            Self::Caption => MAX_CAPTION_CHARS,
            Self::Messenger => 1_999,
            Self::Instagram => 1_000,
        }
    }

    /// Returns `true` if the text is within the limit.
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

/// Reason for refusing a send, worded for the developer who called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A field breaks a rule without a code of its own; the text names the field.
    #[error("{0}")]
    Invalid(String),
    #[error("`text` has {}", .0.rule())]
    TextTooLong(TextLimit),
    /// `to` is no number that can be called, or none that is certain.
    #[error("`to` is {0}")]
    InvalidPhone(PhoneError),
    #[error("this Idempotency-Key was used for a different request")]
    KeyReused,
    #[error(
        "the first request with this Idempotency-Key has not finished; retry shortly, for a minute at most"
    )]
    RequestInFlight,
    #[error("there is no such conversation in this workspace")]
    ConversationNotFound,
    /// The author uploaded no such file, or too long ago.
    #[error("there is no such attachment; one may be sent by whoever uploaded it, within a day")]
    AttachmentNotFound,
    #[error("this attachment was sent already; upload it again")]
    AttachmentUsed,
    #[error("{} takes no files of the type {content_type}: send it as {}", .channel.as_str(), instead(content_type))]
    AttachmentType {
        channel: ChannelKind,
        /// Type of the file.
        content_type: &'static str,
    },
    #[error("{} takes such files up to {most_bytes} bytes", .channel.as_str())]
    AttachmentTooLarge {
        channel: ChannelKind,
        /// Largest such file, in bytes, that the network takes.
        most_bytes: u64,
    },
    #[error("the person who made this key has left the workspace")]
    AuthorLeft,
    #[error("there is no template of that name{}", in_other_languages(.languages))]
    TemplateNotFound {
        /// Languages in which there is a template of that name, in order.
        languages: Vec<String>,
    },
    #[error("the template is {}{}", .status.as_str(), .reason.as_ref().map(|why| format!(", but {why}")).unwrap_or_default())]
    TemplateNotApproved {
        status: TemplateStatus,
        /// Why the template is not sent although it is approved.
        reason: Option<String>,
    },
    #[error("`from` is no connected number of this workspace")]
    UnknownSender {
        /// Numbers that `from` could name.
        connected: Vec<PhoneNumber>,
    },
    #[error("`from` belongs to an account that does not have this template")]
    TemplateNotOnNumber,
    #[error("{}", .0.missing())]
    NoChannel(ChannelKind),
    #[error("the business account is {} at the network, which is where to see to it", .0.as_str())]
    AccountBarred(StandingState),
    /// Too few values, too many, or one of an unknown name.
    #[error("the template takes {}", spelled_all(.wanted))]
    VariablesMismatch {
        /// Expected names, in order.
        wanted: Vec<String>,
    },
    #[error("{} is blank", spelled(.variable))]
    VariableEmpty { variable: String },
    #[error("a one-time-code template needs `code`")]
    CodeRequired,
    #[error("`code` is 1 to 15 letters, digits and dashes")]
    InvalidCode,
    #[error("the template's header needs a value: `header.{field}`")]
    HeaderRequired {
        /// `text`, `link` or `location`.
        field: &'static str,
    },
    #[error("the template's header has no place for `header.{field}`")]
    HeaderNotAllowed {
        /// `text`, `link`, `filename` or `location`.
        field: &'static str,
    },
    #[error("the template's buttons need {wanted} value(s) in `buttonVariables`, {given} came")]
    ButtonVariablesMismatch {
        /// Number of values that the buttons need.
        wanted: usize,
        given: usize,
    },
    #[error("the plan does not allow this send: {}", .0.as_str())]
    PlanLimit(PlanLimitReason),
    #[error("{} refused the message: {message}", .channel.spoken())]
    Rejected { channel: ChannelKind, code: i64, subcode: Option<i64>, message: String },
    /// Beyond our own pace; the network was not asked.
    #[error(
        "held back to keep the pace: too many messages at once from this sender or to this person; nothing was sent"
    )]
    HeldBack {
        /// Delay before the caller may retry.
        retry_after: Duration,
    },
    /// The network could not be reached, or slows its callers down; certainly nothing was sent.
    #[error(
        "the network takes no message now: it cannot be reached, or it slows its callers down; nothing was sent"
    )]
    NetworkUnavailable {
        /// Delay before the caller may retry.
        retry_after: Duration,
        reason: String,
    },
    #[error(
        "nobody knows whether the network took the message: an event or `GET /v1/messages/{id}` may tell, or nothing ever \
         will; another Idempotency-Key may send it a second time; in place of a one-time code make a new one"
    )]
    OutcomeUnknown {
        /// The send, as its delivery events will name it.
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
    /// Returns the message about what must be connected before anything can be sent.
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

/// Returns the content type of the same kind that every network takes.
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
