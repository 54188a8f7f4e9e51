//! Consequences that the outcome of a send has for its broadcast.

use std::time::Duration;

use time::OffsetDateTime;

use super::person::{PersonState, SkipReason};
use crate::{
    channels::ChannelKind,
    errors::StoreError,
    pause_reason::PauseReason,
    sending::{PlanLimitReason, Refusal, SendError, SendResult},
};

/// The network's code for a person who wants no marketing (`docs/use/troubleshooting.md`).
pub(super) const WANTS_NO_MARKETING: i64 = 131_050;

/// Returns whether the network's refusal with this code holds for everybody that a broadcast goes to: the
/// account, its token, its number or the template may not send, or too much was sent
/// (`docs/use/troubleshooting.md`).
pub const fn holds_for_all(code: i64) -> bool {
    matches!(
        code,
        // The token or its permissions, the account; 401 and 403 of answers without a code of the network.
        0 | 3 | 10 | 33 | 190 | 200..=299 | 368 | 401 | 403
            | 131_005 | 131_031 | 131_042
            // The number: its name, its certificate, its registration.
            | 131_037 | 131_045 | 133_000 | 133_005 | 133_006 | 133_008..=133_010 | 133_015 | 133_016
            // Too much was sent, or what was sent is not wanted.
            | 131_048 | 131_063 | 131_064 | 134_102
            // The template: other variables than we know, none in this language, against the rules, paused,
            // disabled.
            | 132_000 | 132_001 | 132_007 | 132_012 | 132_015 | 132_016
    )
}

/// Returns the single code for what the network says by a code and a subcode: it reports a number that is
/// gone, or that the token does not see, in either of two ways.
pub(super) const fn telling_code(code: i64, subcode: Option<i64>) -> i64 {
    match (code, subcode) {
        (100, Some(33)) => 33,
        (code, _) => code,
    }
}

/// Consequence of a send for the person and the broadcast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterSend {
    /// Final state of the person, with its reason.
    Done(PersonState, Option<String>),
    /// The person is skipped, and opted out of all marketing.
    Stopped,
    /// Wait before the person is written to; everybody waits if somebody else is held back as well.
    Later(Duration),
    /// End of the wait for the network's limit, until which the number may write to nobody more; the person
    /// stays queued.
    Limited(OffsetDateTime),
    /// The number is left out; another one writes to the person.
    LeftOut,
    /// Another process is sending the message.
    Elsewhere,
    /// Nobody is written to until a member has seen to it; the person stays queued.
    Pause(PauseReason),
}

/// Returns what follows the outcome of a send.
///
/// # Errors
/// The [`StoreError`] that the send ended with: its outcome is looked up again.
pub fn after_send(sent: Result<SendResult, SendError>) -> Result<AfterSend, StoreError> {
    let refusal = match sent {
        Ok(_) => return Ok(AfterSend::Done(PersonState::Sent, None)),
        Err(SendError::Open { .. }) => return Ok(AfterSend::Done(PersonState::Unconfirmed, None)),
        Err(SendError::Store(error)) => return Err(error),
        Err(SendError::Refused(refusal)) => refusal,
    };
    let skipped =
        |reason: SkipReason| AfterSend::Done(PersonState::Skipped, Some(reason.as_str().to_owned()));
    Ok(match refusal {
        Refusal::Rejected { code: WANTS_NO_MARKETING, .. } => AfterSend::Stopped,
        Refusal::Rejected { code, subcode, .. } if holds_for_all(telling_code(code, subcode)) => {
            AfterSend::Pause(PauseReason::NetworkRefused)
        }
        Refusal::Rejected { code, .. } => AfterSend::Done(PersonState::Failed, Some(code.to_string())),
        Refusal::HeldBack { retry_after } | Refusal::NetworkUnavailable { retry_after, .. } => {
            AfterSend::Later(retry_after)
        }
        Refusal::OutcomeUnknown { .. } => AfterSend::Done(PersonState::Unconfirmed, None),
        Refusal::RequestInFlight => AfterSend::Elsewhere,
        Refusal::PlanLimit(PlanLimitReason::ActiveCustomerLimit) => AfterSend::Pause(PauseReason::PlanLimit),
        Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused) => {
            AfterSend::Pause(PauseReason::SubscriptionPaused)
        }
        Refusal::NoChannel(ChannelKind::Whatsapp | ChannelKind::Messenger | ChannelKind::Instagram)
        | Refusal::UnknownSender { .. } => AfterSend::Pause(PauseReason::NoNumber),
        Refusal::AccountBarred(_) => AfterSend::Pause(PauseReason::AccountBarred),
        // The template has changed since the start, so that its variables differ for everybody. A malformed
        // message is the same for everybody, too: a person's own name and cell were checked before.
        Refusal::TemplateNotFound { .. }
        | Refusal::TemplateNotApproved { .. }
        | Refusal::TemplateNotOnNumber
        | Refusal::Invalid(_)
        | Refusal::VariablesMismatch { .. }
        | Refusal::HeaderRequired { .. }
        | Refusal::HeaderNotAllowed { .. }
        | Refusal::ButtonVariablesMismatch { .. }
        | Refusal::CodeRequired
        | Refusal::InvalidCode => AfterSend::Pause(PauseReason::TemplateUnusable),
        Refusal::TextTooLong(_)
        | Refusal::VariableEmpty { .. }
        | Refusal::InvalidPhone(_)
        | Refusal::KeyReused
        | Refusal::ConversationNotFound
        | Refusal::AttachmentNotFound
        | Refusal::AttachmentUsed
        | Refusal::AttachmentType { .. }
        | Refusal::AttachmentTooLarge { .. }
        | Refusal::AuthorLeft => skipped(SkipReason::Value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::CODES_OF_CHANNELS;
    use crate::testing::{a_moment, a_rejection, a_send_result};

    fn refused(refusal: Refusal) -> Result<SendResult, SendError> {
        Err(SendError::Refused(refusal))
    }

    fn with_subcode(code: i64, subcode: i64) -> Result<SendResult, SendError> {
        refused(a_rejection(code, Some(subcode)))
    }

    fn rejected(code: i64) -> Result<SendResult, SendError> {
        refused(a_rejection(code, None))
    }

    #[test]
    fn a_refusal_of_one_person_is_theirs_and_one_of_the_account_stops_everybody() {
        let second = Duration::from_secs(1);
        let failed = |code: i64| AfterSend::Done(PersonState::Failed, Some(code.to_string()));
        for (sent, wanted) in [
            (Ok(a_send_result()), AfterSend::Done(PersonState::Sent, None)),
            (rejected(131_026), failed(131_026)),
            (rejected(131_049), failed(131_049)),
            (rejected(131_050), AfterSend::Stopped),
            (rejected(131_048), AfterSend::Pause(PauseReason::NetworkRefused)),
            (rejected(132_015), AfterSend::Pause(PauseReason::NetworkRefused)),
            (with_subcode(100, 33), AfterSend::Pause(PauseReason::NetworkRefused)),
            (with_subcode(100, 2_494_010), failed(100)),
            (refused(Refusal::HeldBack { retry_after: second }), AfterSend::Later(second)),
            (
                refused(Refusal::NetworkUnavailable { retry_after: second, reason: String::new() }),
                AfterSend::Later(second),
            ),
            (refused(Refusal::RequestInFlight), AfterSend::Elsewhere),
            (
                refused(Refusal::PlanLimit(PlanLimitReason::ActiveCustomerLimit)),
                AfterSend::Pause(PauseReason::PlanLimit),
            ),
            (
                refused(Refusal::TemplateNotFound { languages: vec![] }),
                AfterSend::Pause(PauseReason::TemplateUnusable),
            ),
            (
                refused(Refusal::Invalid("`header.text` must be one line".to_owned())),
                AfterSend::Pause(PauseReason::TemplateUnusable),
            ),
            (refused(Refusal::NoChannel(ChannelKind::Whatsapp)), AfterSend::Pause(PauseReason::NoNumber)),
            (
                refused(Refusal::VariableEmpty { variable: "1".to_owned() }),
                AfterSend::Done(PersonState::Skipped, Some("value".to_owned())),
            ),
        ] {
            assert_eq!(after_send(sent).unwrap(), wanted);
        }
    }

    #[test]
    fn whatever_is_wrong_with_a_channel_or_the_template_burns_nobody() {
        let template = [132_000, 132_001, 132_007, 132_012, 132_015, 132_016];
        for code in CODES_OF_CHANNELS.into_iter().chain(template).chain([0, 33, 294, 401, 403, 133_015]) {
            assert_eq!(
                after_send(rejected(code)).unwrap(),
                AfterSend::Pause(PauseReason::NetworkRefused),
                "{code}"
            );
        }
        for code in [100, 130_472, 130_497, 131_026, 131_047, 132_005, 132_008, 132_018] {
            assert_eq!(
                after_send(rejected(code)).unwrap(),
                AfterSend::Done(PersonState::Failed, Some(code.to_string()))
            );
        }
    }

    #[test]
    fn what_the_network_may_have_is_never_sent_again_and_what_the_store_lost_is_asked_again() {
        let unconfirmed = AfterSend::Done(PersonState::Unconfirmed, None);
        let open =
            SendError::Open { id: a_send_result().id, since: a_moment(), reason: "no answer".to_owned() };
        assert_eq!(after_send(Err(open)).unwrap(), unconfirmed);
        let unknown = Refusal::OutcomeUnknown { id: a_send_result().id, since: a_moment() };
        assert_eq!(after_send(refused(unknown)).unwrap(), unconfirmed);
        assert!(after_send(Err(SendError::Store(StoreError::Unavailable("down".to_owned())))).is_err());
    }
}
