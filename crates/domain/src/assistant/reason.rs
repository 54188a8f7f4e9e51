//! Why the assistant asks for a person.

/// It says why a conversation goes to the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandOverReason {
    /// The customer asked for a person.
    Asked,
    /// The model found that a person is needed.
    ModelAsked,
    /// Twice the model worded what may not be said.
    UnsafeAnswer,
    /// The model did not answer.
    ModelDown,
    /// The model did not answer in time.
    ModelTimedOut,
    /// The turn took more calls or more time than it may.
    Exhausted,
    /// The day's tokens are spent, or the conversation has had its turns of the day.
    CapReached,
    /// The customer has waited for too long.
    Unanswered,
    /// Nobody knows whether the network has the answer.
    AnswerUnconfirmed,
    /// No answer can be sent here now.
    CannotAnswer,
    /// What the customer confirmed was not done, or nobody knows whether it was.
    NotCarriedOut,
    /// What the customer confirmed was done at another cost or time.
    DoneOtherwise,
    /// The workspace's system could not be asked, and nothing of it was had otherwise.
    SystemUnavailable,
}

impl HandOverReason {
    /// Every reason.
    pub const ALL: [Self; 13] = [
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
        Self::NotCarriedOut,
        Self::DoneOtherwise,
        Self::SystemUnavailable,
    ];

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }

    /// Says whether the customer is told by a receipt what it is about.
    pub const fn follows_receipt(self) -> bool {
        matches!(self, Self::NotCarriedOut | Self::DoneOtherwise)
    }

    /// Returns its name, which events give after `ai_escalation:`.
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
            Self::NotCarriedOut => "not_carried_out",
            Self::DoneOtherwise => "done_otherwise",
            Self::SystemUnavailable => "system_unavailable",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HandOverReason;

    /// The variant after this one; whoever adds one is led here by the compiler.
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
            Reason::CannotAnswer => Some(Reason::NotCarriedOut),
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
