//! Numbers that a broadcast does without, where all numbers send it: one that is gone, or that the network
//! lets write to nobody, must not hold up people whom another can write to.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{
    left_out::{LeftOutNumber, LeftOutReason},
    outcome::{holds_for_all, telling_code},
};
use crate::{
    channels::Number,
    ids::ChannelId,
    pause_reason::PauseReason,
    sending::{Catalogue, Refusal, SendError, SendResult},
};

/// Obstacle that keeps a number from writing to anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    pub reason: LeftOutReason,
    /// The network's code, if the network refused.
    pub code: Option<i64>,
    pub whole_account: bool,
}

/// Returns whether the network's refusal with this code concerns one number and no other of its account: it
/// is gone, its name, its certificate or its registration is not in order, or people complain about it.
const fn is_of_one_number(code: i64) -> bool {
    matches!(
        code,
        33 | 131_037 | 131_045 | 131_048 | 133_000 | 133_005 | 133_006 | 133_008
            ..=133_010 | 133_015 | 133_016
    )
}

impl Bar {
    /// Returns the obstacle that a refusal with this code is to its number; `None` if it concerns one person
    /// only.
    pub const fn of_code(code: i64) -> Option<Self> {
        if !holds_for_all(code) {
            return None;
        }
        let whole_account = !is_of_one_number(code);
        Some(Self { reason: LeftOutReason::NetworkRefused, code: Some(code), whole_account })
    }

    /// Returns the obstacle that a send's outcome is to its number; `None` if the number may go on.
    pub fn of_send(sent: &Result<SendResult, SendError>) -> Option<Self> {
        let Err(SendError::Refused(refusal)) = sent else { return None };
        let bar = |reason, whole_account| Some(Self { reason, code: None, whole_account });
        match refusal {
            Refusal::Rejected { code, subcode, .. } => Self::of_code(telling_code(*code, *subcode)),
            Refusal::AccountBarred(_) => bar(LeftOutReason::AccountBarred, true),
            // The account was disconnected since the number was looked up.
            Refusal::NoChannel(_) | Refusal::UnknownSender { .. } => bar(LeftOutReason::Disconnected, true),
            _ => None,
        }
    }
}

/// Numbers that send a batch: those of its catalogue that are not left out.
pub(super) struct Senders(Mutex<Left>);

struct Left {
    catalogue: Arc<Catalogue>,
    last: Option<LeftOutReason>,
}

impl Senders {
    pub(super) fn of(catalogue: Arc<Catalogue>, out: &[LeftOutNumber]) -> Self {
        let senders = Self(Mutex::new(Left { catalogue, last: None }));
        senders.go_without(out);
        senders
    }

    pub(super) fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.left().catalogue)
    }

    pub(super) fn go_without(&self, out: &[LeftOutNumber]) {
        let Some(last) = out.last() else { return };
        let ids: Vec<ChannelId> = out.iter().map(|number| number.channel).collect();
        self.left().go_without(&ids, last.reason);
    }

    /// Removes the number, or all of its account; returns those that were still there.
    pub(super) fn leave_out(&self, number: &Number, bar: Bar) -> Vec<ChannelId> {
        let mut left = self.left();
        let is_meant =
            |other: &&Number| other.id == number.id || (bar.whole_account && other.account == number.account);
        let ids: Vec<ChannelId> =
            left.catalogue.numbers.iter().filter(is_meant).map(|number| number.id).collect();
        if !ids.is_empty() {
            left.go_without(&ids, bar.reason);
        }
        ids
    }

    /// Returns why the last number was left out, as the reason for a pause; `None` if none was.
    pub(super) fn pause_reason(&self) -> Option<PauseReason> {
        self.left().last.map(LeftOutReason::pauses)
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Left {
    fn go_without(&mut self, ids: &[ChannelId], reason: LeftOutReason) {
        self.last = Some(reason);
        if self.catalogue.numbers.iter().any(|number| ids.contains(&number.id)) {
            let mut catalogue = Catalogue::clone(&self.catalogue);
            catalogue.numbers.retain(|number| !ids.contains(&number.id));
            self.catalogue = Arc::new(catalogue);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::{Bar, Senders};
    use crate::broadcasts::left_out::{LeftOutNumber, LeftOutReason};
    use crate::{
        channels::ChannelKind,
        pause_reason::PauseReason,
        sending::{PlanLimitReason, Refusal, SendError, SendResult},
        testing::{a_moment, a_number, a_rejection, a_send_result, a_template, catalogue_of},
    };

    fn refused(refusal: Refusal) -> Result<SendResult, SendError> {
        Err(SendError::Refused(refusal))
    }

    fn rejected(code: i64) -> Result<SendResult, SendError> {
        refused(a_rejection(code, None))
    }

    #[test]
    fn what_is_a_numbers_own_is_told_from_what_is_its_accounts_and_what_is_nobodys() {
        let network = |code, whole_account| {
            Some(Bar { reason: LeftOutReason::NetworkRefused, code: Some(code), whole_account })
        };
        let gone = refused(a_rejection(100, Some(33)));
        let disconnected = Some(Bar { reason: LeftOutReason::Disconnected, code: None, whole_account: true });
        for (sent, wanted) in [
            (rejected(131_048), network(131_048, false)),
            (rejected(133_010), network(133_010, false)),
            (rejected(33), network(33, false)),
            (gone, network(33, false)),
            (rejected(190), network(190, true)),
            (rejected(131_042), network(131_042, true)),
            (rejected(132_015), network(132_015, true)),
            (rejected(131_026), None),
            (rejected(131_050), None),
            (refused(Refusal::NoChannel(ChannelKind::Whatsapp)), disconnected),
            (refused(Refusal::UnknownSender { connected: vec![] }), disconnected),
            (refused(Refusal::TemplateNotFound { languages: vec![] }), None),
            (refused(Refusal::PlanLimit(PlanLimitReason::ActiveCustomerLimit)), None),
            (refused(Refusal::HeldBack { retry_after: Duration::from_secs(1) }), None),
            (refused(Refusal::RequestInFlight), None),
            (Ok(a_send_result()), None),
        ] {
            assert_eq!(Bar::of_send(&sent), wanted, "{sent:?}");
        }
    }

    #[test]
    fn a_number_is_left_out_alone_or_with_its_account_and_the_last_says_why_it_pauses() {
        let (first, second, other) = (a_number(0, 1), a_number(0, 2), a_number(1, 3));
        let numbers = vec![first.clone(), second.clone(), other.clone()];
        let catalogue = Arc::new(catalogue_of(numbers, vec![a_template("offer")]));
        let senders = Senders::of(Arc::clone(&catalogue), &[]);
        let left = || senders.catalogue().numbers.iter().map(|number| number.id).collect::<Vec<_>>();
        assert_eq!(senders.pause_reason(), None);
        let quality = Bar::of_code(131_048).unwrap();
        assert_eq!(senders.leave_out(&first, quality), [first.id]);
        assert_eq!(senders.leave_out(&first, quality), [], "it is left out already");
        assert_eq!(left(), [second.id, other.id]);
        let barred = Bar { reason: LeftOutReason::AccountBarred, code: None, whole_account: true };
        assert_eq!(senders.leave_out(&other, barred), [other.id], "the other account's stays");
        assert_eq!(left(), [second.id]);
        assert_eq!(senders.pause_reason(), Some(PauseReason::AccountBarred));

        // All numbers of an account are left out together.
        let senders = Senders::of(Arc::clone(&catalogue), &[]);
        assert_eq!(senders.leave_out(&first, Bar::of_code(190).unwrap()), [first.id, second.id]);

        // Numbers that were left out before a batch are no part of it.
        let out = LeftOutNumber {
            channel: second.id,
            phone: None,
            reason: LeftOutReason::Disconnected,
            code: None,
            at: a_moment(),
        };
        let senders = Senders::of(catalogue, &[out]);
        assert_eq!(senders.catalogue().numbers.len(), 2);
        assert_eq!(senders.pause_reason(), Some(PauseReason::NoNumber));
    }

    #[test]
    fn every_reason_is_read_by_its_own_name() {
        for reason in LeftOutReason::ALL {
            assert_eq!(LeftOutReason::read(reason.as_str()), Some(reason));
        }
        assert_eq!(LeftOutReason::read("nonsense"), None);
    }
}
