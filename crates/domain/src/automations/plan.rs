//! Steps that a message sets off.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    hours::OpeningHours,
    rule::{Action, Automation, AutomationName},
};
use crate::ids::{AutomationId, ConversationId, MemberId, MessageId};

/// Customer's message, as rules see it.
#[derive(Clone, PartialEq, Eq)]
pub struct Trigger {
    pub message: MessageId,
    pub conversation: ConversationId,
    /// Whether the message began the conversation or brought it back.
    pub began: bool,
    pub text: String,
    pub at: OffsetDateTime,
}

impl std::fmt::Debug for Trigger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trigger").field("message", &self.message).finish_non_exhaustive()
    }
}

/// Action of a rule that was set off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedStep {
    pub automation: AutomationId,
    /// Name that the rule had then.
    pub name: AutomationName,
    /// Member in whose name the rule replies.
    pub author: MemberId,
    pub action: Action,
}

/// Returns the actions of every rule whose conditions hold, in the order of the rules. A workspace without
/// opening hours is always open.
pub fn plan(automations: &[Automation], hours: Option<&OpeningHours>, trigger: &Trigger) -> Vec<PlannedStep> {
    let closed = hours.is_some_and(|hours| !hours.are_open(trigger.at));
    let set_off = automations.iter().filter(|automation| {
        let when = &automation.rule.when;
        automation.enabled
            && (trigger.began || !when.began)
            && (closed || !when.outside_hours)
            && (when.words.is_empty() || when.words.are_in(&trigger.text))
    });
    let steps = set_off.flat_map(|automation| {
        automation.rule.then.iter().map(|action| PlannedStep {
            automation: automation.id,
            name: automation.name.clone(),
            author: automation.author,
            action: action.clone(),
        })
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;
    use uuid::Uuid;

    use super::{Trigger, plan};
    use crate::automations::{Action, Automation, Conditions, OpeningHours, Rule, Words};

    fn automation(name: &str, when: Conditions) -> Automation {
        Automation {
            id: Uuid::from_u128(1).into(),
            name: name.to_owned().try_into().unwrap(),
            author: Uuid::from_u128(9).into(),
            enabled: true,
            rule: Rule { when, then: vec![Action::Return {}, Action::Close {}] },
        }
    }

    fn words(words: &str) -> Words {
        Words::try_from(vec![words.to_owned()]).unwrap()
    }

    /// Returns the names of the rules that a message on a Monday sets off.
    fn set_off(began: bool, text: &str, hour: u8) -> Vec<String> {
        let began_only = Conditions { began: true, ..Conditions::default() };
        let late = Conditions { outside_hours: true, ..Conditions::default() };
        let price = Conditions { words: words("سعر"), ..Conditions::default() };
        let off = Automation { enabled: false, ..automation("off", began_only.clone()) };
        let automations = [
            automation("began", began_only),
            automation("price", price.clone()),
            off,
            automation("late", late),
            automation("late price", Conditions { outside_hours: true, ..price }),
        ];
        let hours: OpeningHours =
            serde_json::from_str(r#"{"zone":"UTC","week":{"monday":[["09:00","17:00"]]}}"#).unwrap();
        let trigger = Trigger {
            message: Uuid::from_u128(2).into(),
            conversation: Uuid::from_u128(3).into(),
            began,
            text: text.to_owned(),
            at: datetime!(2026-11-23 00:00 UTC).replace_hour(hour).unwrap(),
        };
        let steps = plan(&automations, Some(&hours), &trigger);
        let names = steps.chunks(2).map(|steps| {
            assert_eq!(steps[0].name, steps[1].name, "a rule's actions stay together");
            assert_eq!((&steps[0].action, &steps[1].action), (&Action::Return {}, &Action::Close {}));
            steps[0].name.as_str().to_owned()
        });
        names.collect()
    }

    #[test]
    fn a_rule_is_set_off_when_all_that_it_asks_for_holds() {
        assert_eq!(set_off(true, "كم السعر", 20), ["began", "price", "late", "late price"]);
        assert_eq!(set_off(true, "مرحبا", 12), ["began"]);
        assert_eq!(set_off(false, "السعر", 12), ["price"]);
        assert_eq!(set_off(false, "مرحبا", 8), ["late"]);
        assert_eq!(set_off(false, "مرحبا", 9), [""; 0]);
    }

    #[test]
    fn who_has_no_opening_hours_is_never_closed() {
        let late = Conditions { outside_hours: true, ..Conditions::default() };
        let trigger = Trigger {
            message: Uuid::from_u128(2).into(),
            conversation: Uuid::from_u128(3).into(),
            began: true,
            text: String::new(),
            at: datetime!(2026-11-23 03:00 UTC),
        };
        assert!(plan(&[automation("late", late)], None, &trigger).is_empty());
    }
}
