//! What a send that ended means to its broadcast.

use std::time::Duration;

use super::{PauseReason, PersonState, SkipReason};
use crate::{
    channels::ChannelKind,
    errors::StoreError,
    sending::{PlanLimitReason, Refusal, SendError, SendResult},
};

/// The network's code for somebody who wants no marketing (`docs/troubleshooting.md`).
const WANTS_NO_MARKETING: i64 = 131_050;
/// Codes of refusals that hold for everybody: the account, its number or the template may not send, or too much was sent
/// (`docs/troubleshooting.md`).
const FOR_EVERYBODY: [i64; 10] =
    [131_031, 131_042, 131_048, 131_063, 131_064, 132_001, 132_015, 132_016, 133_010, 368];

/// What follows a send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterSend {
    /// The person is dealt with.
    Done(PersonState, Option<String>),
    /// So they are, and they want no marketing at all.
    Stopped,
    /// They are written to later, and so is everybody.
    Later(Duration),
    /// Somebody else is sending it.
    Elsewhere,
    /// Nobody is written to any more until somebody has seen to it; the person is still to be written to.
    Pause(PauseReason),
}

/// What follows a send that ended so.
///
/// # Errors
/// Those of the store: what became of the send is asked again.
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
        Refusal::Rejected { code, .. } if FOR_EVERYBODY.contains(&code) => {
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
        Refusal::TemplateNotFound | Refusal::TemplateNotApproved { .. } | Refusal::TemplateNotOnNumber => {
            AfterSend::Pause(PauseReason::TemplateUnusable)
        }
        Refusal::NoChannel(ChannelKind::Whatsapp | ChannelKind::Messenger | ChannelKind::Instagram)
        | Refusal::UnknownSender { .. } => AfterSend::Pause(PauseReason::NoNumber),
        Refusal::AccountBarred(_) => AfterSend::Pause(PauseReason::AccountBarred),
        // The template has changed since it was started: its places are other ones for everybody.
        Refusal::VariablesMismatch { .. }
        | Refusal::HeaderRequired { .. }
        | Refusal::HeaderNotAllowed { .. }
        | Refusal::ButtonVariablesMismatch { .. }
        | Refusal::CodeRequired
        | Refusal::InvalidCode => AfterSend::Pause(PauseReason::TemplateUnusable),
        Refusal::Invalid(_)
        | Refusal::TextTooLong(_)
        | Refusal::TextBesideFile
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
    use crate::testing::{a_moment, a_send_result};

    fn refused(refusal: Refusal) -> Result<SendResult, SendError> {
        Err(SendError::Refused(refusal))
    }

    fn rejected(code: i64) -> Result<SendResult, SendError> {
        refused(Refusal::Rejected { channel: ChannelKind::Whatsapp, code, message: String::new() })
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
            (refused(Refusal::TemplateNotFound), AfterSend::Pause(PauseReason::TemplateUnusable)),
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
