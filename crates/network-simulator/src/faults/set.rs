//! The active faults, and the choice of those that affect a call.

use std::time::Duration;

use serde_json::Value;

use super::{Fault, Kind, On};
use crate::config::Status;
use crate::world::digits;

/// Active faults, in the order in which they were set.
#[derive(Debug, Default)]
pub(crate) struct FaultSet {
    active: Vec<Active>,
}

#[derive(Debug)]
struct Active {
    fault: Fault,
    left: Option<u32>,
}

/// A call that a fault may affect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) on: On,
    pub(crate) phone_number_id: Option<&'a str>,
    /// The recipient's digits or user id.
    pub(crate) to: Option<&'a str>,
}

/// Effects on an accepted message, beside those on the answer.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) duplicate: bool,
    pub(crate) reorder: bool,
    pub(crate) dropped: Vec<Status>,
    /// Batch size, and the wait of an incomplete batch.
    pub(crate) batch: Option<(usize, Duration)>,
    /// Longest wait for the statuses, if they are to come before the answer.
    pub(crate) before_response: Option<Duration>,
    pub(crate) no_phone: bool,
    pub(crate) offline_seconds: Option<u64>,
    /// Code, title and details of a failure by webhook.
    pub(crate) failure: Option<(i64, Option<String>, Option<String>)>,
}

impl FaultSet {
    pub(crate) fn replace(&mut self, faults: Vec<Fault>) {
        self.active = faults.into_iter().map(|fault| Active { left: fault.scope.times, fault }).collect();
    }

    pub(crate) fn to_json(&self) -> Vec<Value> {
        self.active.iter().map(|active| active.fault.to_json(active.left)).collect()
    }

    /// Returns the delay of a call, and the fault that is answered instead of carrying it out.
    pub(crate) fn before(&mut self, target: Target<'_>) -> (Duration, Option<Kind>) {
        let mut latency = Duration::ZERO;
        let mut answer = None;
        let mut decided = false;
        for active in self.active.iter_mut().filter(|active| active.strikes(target)) {
            if let Kind::Latency { ms } = active.fault.kind {
                latency += Duration::from_millis(ms);
                active.spend();
            } else if active.fault.kind.answers() && !decided {
                decided = true;
                if active.fault.kind.answers_instead() {
                    answer = Some(active.fault.kind.clone());
                    active.spend();
                }
            }
        }
        self.forget_spent();
        (latency, answer)
    }

    /// Returns the fault that spoils the answer of a call that was carried out.
    pub(crate) fn after(&mut self, target: Target<'_>) -> Option<Kind> {
        let mut matching = self.active.iter_mut().filter(|active| active.strikes(target));
        let first = matching.find(|active| active.fault.kind.answers())?;
        let answer = first.fault.kind.answers_afterwards().then(|| first.fault.kind.clone());
        if answer.is_some() {
            first.spend();
        }
        self.forget_spent();
        answer
    }

    /// Collects the effects on the statuses of an accepted message.
    pub(crate) fn effects(&mut self, target: Target<'_>) -> Effects {
        let mut effects = Effects::default();
        for active in self.active.iter_mut().filter(|active| active.strikes(target)) {
            match &active.fault.kind {
                Kind::DuplicateStatuses {} => effects.duplicate = true,
                Kind::ReorderStatuses {} => effects.reorder = true,
                Kind::DropStatuses { statuses } => effects.dropped.extend(statuses),
                Kind::BatchStatuses { size, linger_ms } => {
                    effects.batch = Some((*size, Duration::from_millis(*linger_ms)));
                }
                Kind::StatusBeforeResponse { wait_ms } => {
                    effects.before_response = Some(Duration::from_millis(*wait_ms));
                }
                Kind::NoPhone {} => effects.no_phone = true,
                Kind::Offline { seconds } => effects.offline_seconds = Some(*seconds),
                Kind::Error { later: true, code, title, details, .. } if effects.failure.is_none() => {
                    effects.failure = Some((*code, title.clone(), details.clone()));
                }
                _ => continue,
            }
            active.spend();
        }
        self.forget_spent();
        effects
    }

    fn forget_spent(&mut self) {
        self.active.retain(|active| active.left != Some(0));
    }
}

impl Active {
    fn strikes(&self, target: Target<'_>) -> bool {
        let scope = &self.fault.scope;
        let same_person = |wanted: &str| {
            target.to.is_some_and(|to| to == wanted || (!digits(wanted).is_empty() && to == digits(wanted)))
        };
        (scope.on == On::Any || scope.on == target.on)
            && scope.to.as_deref().is_none_or(same_person)
            && scope.phone_number_id.as_deref().is_none_or(|wanted| target.phone_number_id == Some(wanted))
    }

    fn spend(&mut self) {
        self.left = self.left.map(|left| left.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SEND: Target<'_> = Target { on: On::Sends, phone_number_id: Some("1"), to: Some("9647701234567") };

    fn set(faults: &Value) -> FaultSet {
        let mut set = FaultSet::default();
        set.replace(super::super::parse(&json!({ "faults": faults })).unwrap());
        set
    }

    #[test]
    fn answers_strike_one_after_the_other_in_the_order_given() {
        let mut faults = set(&json!([
            { "kind": "cut_after_accept", "times": 1 },
            { "kind": "throttle", "times": 2 },
        ]));
        assert!(faults.before(SEND).1.is_none());
        assert!(matches!(faults.after(SEND), Some(Kind::CutAfterAccept {})));
        for _ in 0..2 {
            assert!(matches!(faults.before(SEND).1, Some(Kind::Throttle { .. })));
        }
        assert!(faults.before(SEND).1.is_none());
        assert!(faults.to_json().is_empty());
    }

    #[test]
    fn a_fault_strikes_only_whom_it_names() {
        for (scope, strikes) in [
            (json!({ "to": "+964 770 123 4567" }), true),
            (json!({ "to": "+964 770 123 4568" }), false),
            (json!({ "phoneNumberId": "1" }), true),
            (json!({ "phoneNumberId": "2" }), false),
            (json!({ "on": "any" }), true),
            (json!({ "on": "reads" }), false),
        ] {
            let mut fault = scope;
            fault["kind"] = json!("throttle");
            assert_eq!(set(&json!([fault])).before(SEND).1.is_some(), strikes, "{fault}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_a_reason() {
        for (fault, reason) in [
            (json!({ "kind": "earthquake" }), "unknown variant `earthquake`"),
            (json!({ "kind": "throttle", "speed": 1 }), "unknown field `speed`"),
            (json!({ "kind": "cut_after_accept", "speed": 1 }), "unknown field `speed`"),
            (json!({ "kind": "throttle", "times": 0 }), "`times` is at least 1"),
            (json!({ "kind": "throttle", "variant": "503" }), "unknown variant `503`"),
            (json!({ "kind": "no_phone", "on": "reads" }), "`\"on\": \"sends\"`"),
            (json!({ "kind": "error" }), "missing field `code`"),
            (json!({ "kind": "error", "code": 1, "httpStatus": 200 }), "`httpStatus` is 400 to 599"),
            (json!("throttle"), "a fault is an object"),
        ] {
            let error = super::super::parse(&json!({ "faults": [fault] })).unwrap_err();
            assert!(error.contains(reason), "{fault}: {error}");
        }
    }
}
