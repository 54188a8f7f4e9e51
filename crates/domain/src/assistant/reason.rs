//! Reasons for a hand-over.

/// Reason for handing a conversation over to the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandOverReason {
    Asked,
    /// The model asked for a person, or its answer left a wish to cancel to nobody.
    ModelAsked,
    /// The model answered twice with nothing that can be said.
    UnsafeAnswer,
    /// The model did not answer, or the installation has none.
    ModelDown,
    ModelTimedOut,
    /// The turn used up its calls or its time.
    Exhausted,
    /// The day's tokens are spent, or the conversation has had its turns of the day.
    CapReached,
    /// The customer has waited longer than [`LONGEST_WAIT`](super::LONGEST_WAIT).
    Unanswered,
    /// The network may or may not have the answer.
    AnswerUnconfirmed,
    /// No answer can be sent now: the plan, the number or the messaging window forbids it.
    CannotAnswer,
    /// The customer has sent a picture, a voice note or another file that nobody but a person can read.
    CannotRead,
    /// What the customer confirmed was not done, or its outcome is unknown.
    NotCarriedOut,
    /// What the customer confirmed was done at another price or time.
    DoneOtherwise,
    /// The workspace's system could not be asked, and told nothing else in the turn.
    SystemUnavailable,
}

impl HandOverReason {
    pub const ALL: [Self; 14] = [
        Self::Asked,
        Self::ModelAsked,
        Self::UnsafeAnswer,
        Self::ModelDown,
        Self::ModelTimedOut,
        Self::Exhausted,
        Self::CapReached,
        Self::Unanswered,
        Self::AnswerUnconfirmed,
        Self::CannotAnswer,
        Self::CannotRead,
        Self::NotCarriedOut,
        Self::DoneOtherwise,
        Self::SystemUnavailable,
    ];

    /// Parses what `as_str` returns.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }

    /// Returns whether a receipt tells the customer what happened.
    pub const fn follows_receipt(self) -> bool {
        matches!(self, Self::NotCarriedOut | Self::DoneOtherwise)
    }

    /// Returns its name, which events carry after `ai_escalation:`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "customer_asked",
            Self::ModelAsked => "needs_person",
            Self::UnsafeAnswer => "unsafe_answer",
            Self::ModelDown => "model_unavailable",
            Self::ModelTimedOut => "model_timed_out",
            Self::Exhausted => "turn_exhausted",
            Self::CapReached => "cap_reached",
            Self::Unanswered => "unanswered",
            Self::AnswerUnconfirmed => "answer_unconfirmed",
            Self::CannotAnswer => "cannot_answer",
            Self::CannotRead => "cannot_read",
            Self::NotCarriedOut => "not_carried_out",
            Self::DoneOtherwise => "done_otherwise",
            Self::SystemUnavailable => "system_unavailable",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HandOverReason;

    /// Returns the variant after this one; the compiler leads here when one is added.
    const fn next(reason: HandOverReason) -> Option<HandOverReason> {
        use HandOverReason as Reason;
        match reason {
            Reason::Asked => Some(Reason::ModelAsked),
            Reason::ModelAsked => Some(Reason::UnsafeAnswer),
            Reason::UnsafeAnswer => Some(Reason::ModelDown),
            Reason::ModelDown => Some(Reason::ModelTimedOut),
            Reason::ModelTimedOut => Some(Reason::Exhausted),
            Reason::Exhausted => Some(Reason::CapReached),
            Reason::CapReached => Some(Reason::Unanswered),
            Reason::Unanswered => Some(Reason::AnswerUnconfirmed),
            Reason::AnswerUnconfirmed => Some(Reason::CannotAnswer),
            Reason::CannotAnswer => Some(Reason::CannotRead),
            Reason::CannotRead => Some(Reason::NotCarriedOut),
            Reason::NotCarriedOut => Some(Reason::DoneOtherwise),
            Reason::DoneOtherwise => Some(Reason::SystemUnavailable),
            Reason::SystemUnavailable => None,
        }
    }

    #[test]
    fn every_reason_is_listed_and_read_by_its_name() {
        let all: Vec<_> =
            std::iter::successors(Some(HandOverReason::Asked), |reason| next(*reason)).collect();
        assert_eq!(all, HandOverReason::ALL);
        for reason in all {
            assert_eq!(HandOverReason::read(reason.as_str()), Some(reason));
        }
    }
}
