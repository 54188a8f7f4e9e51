//! Page of rules, opening hours and sweepers.

use askama::Template;

use crate::{
    frame::Frame,
    inbox::Choice,
    refused::Refused,
    words::{AutomationWords, Words},
};

/// Most steps of a rule, and most times of a day.
const MOST: usize = 10;

/// A step of a rule, as a form has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepForm {
    /// Kind of step: empty, `close`, `return`, `tag`, `reply`, `member:` or `group:` with an id.
    pub what: String,
    /// Text of the reply, or the tag.
    pub text: String,
}

/// A rule, as a form has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleForm {
    pub name: String,
    /// Whether it is in force.
    pub is_on: bool,
    /// Whether the message must begin a conversation.
    pub began: bool,
    /// Whether the message must come outside of opening hours.
    pub outside_hours: bool,
    /// Words of which the message must contain one, one per line.
    pub words: String,
    /// Steps in their order.
    pub steps: Vec<StepForm>,
}

impl RuleForm {
    /// Returns its steps, with room for more.
    fn rows(&self) -> Vec<StepForm> {
        let rows = (self.steps.len() + 1).clamp(3, MOST.max(self.steps.len()));
        let mut steps = self.steps.clone();
        steps.resize_with(rows, StepForm::default);
        steps
    }
}

/// A rule in the list.
#[derive(Debug, Clone)]
pub struct RuleRow {
    pub id: String,
    /// Whether it is being changed.
    pub is_open: bool,
    pub form: RuleForm,
}

/// Opening hours and waiting times, as a form has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HoursForm {
    /// Minutes after which a quiet conversation is closed; empty for never.
    pub idle_close: String,
    /// Minutes after which an unanswered one goes back to the assistant; empty for never.
    pub unanswered_return: String,
    /// Whether there are opening hours.
    pub has_hours: bool,
    /// Whether there were when the form was shown.
    pub had_hours: bool,
    /// Time zone of the hours.
    pub zone: String,
    /// Opening and closing times of each day, from Monday on.
    pub week: [Vec<(String, String)>; 7],
}

/// Name of a day in forms, its name on the page, and its times.
type ShownDay = (&'static str, &'static str, Vec<(String, String)>);

impl HoursForm {
    /// Returns the days by their names in forms and on pages, with room for another time. The first is
    /// that of a week where the hours are.
    fn days(&self, words: &AutomationWords) -> Vec<ShownDay> {
        let named = DAYS.into_iter().zip(words.days()).zip(&self.week);
        let day = |((name, shown), times): ((&'static str, &'static str), &Vec<(String, String)>)| {
            let rows = (times.len() + 1).clamp(2, MOST.max(times.len()));
            let mut times = times.clone();
            times.resize_with(rows, Default::default);
            (name, shown, times)
        };
        let mut days: Vec<_> = named.map(day).collect();
        days.rotate_left(first_day(&self.zone));
        days
    }

    /// Gives a day the times of the day before; returns whether there is a day of this name.
    pub fn copy_day(&mut self, day: &str) -> bool {
        let Some(at) = DAYS.iter().position(|name| *name == day) else { return false };
        let before = self.week.get(at.checked_sub(1).unwrap_or(DAYS.len() - 1)).cloned();
        if let (Some(day), Some(before)) = (self.week.get_mut(at), before) {
            *day = before;
        }
        true
    }
}

/// Zones of countries whose weeks begin on a Saturday (CLDR 48, `weekData`).
const FROM_SATURDAY: [&str; 15] = [
    "Africa/Algiers",
    "Africa/Cairo",
    "Africa/Djibouti",
    "Africa/Khartoum",
    "Africa/Tripoli",
    "Asia/Amman",
    "Asia/Baghdad",
    "Asia/Bahrain",
    "Asia/Damascus",
    "Asia/Dubai",
    "Asia/Kabul",
    "Asia/Kuwait",
    "Asia/Muscat",
    "Asia/Qatar",
    "Asia/Tehran",
];

/// Returns the place in [`DAYS`] of the day that a week begins with in a zone.
fn first_day(zone: &str) -> usize {
    match zone {
        zone if FROM_SATURDAY.contains(&zone) => 5,
        "Asia/Riyadh" | "Asia/Aden" => 6,
        _ => 0,
    }
}

/// Names of the days in forms and in the API.
pub const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Form of one rule.
#[derive(Template)]
#[template(path = "automations/rule.html")]
struct RuleFields<'a> {
    words: &'static Words,
    /// Prefix that tells its fields from those of other rules on the page.
    at: String,
    rule: &'a RuleForm,
    members: &'a [Choice],
    groups: &'a [Choice],
    refused: &'a Option<Refused>,
}

impl RuleFields<'_> {
    /// Returns what tells its form from those of other rules: the last part of the path that it is sent to.
    fn form(&self) -> &str {
        if self.at == "new" { "automations" } else { &self.at }
    }

    /// Returns whether the step names a member or a group that is no longer there.
    fn is_gone(&self, step: &StepForm) -> bool {
        step.what.contains(':')
            && !self.members.iter().chain(self.groups).any(|choice| choice.value == step.what)
    }
}

/// Page of the rules and the waiting times.
#[derive(Template)]
#[template(path = "automations/automations.html")]
pub struct AutomationsPage<'a> {
    pub frame: &'a Frame,
    /// In the order in which they are looked at.
    pub rules: Vec<RuleRow>,
    /// Rule that is to be added.
    pub draft: RuleForm,
    /// Whether the draft was typed, and refused.
    pub is_draft_typed: bool,
    pub hours: HoursForm,
    /// Whether the hours were typed, and refused.
    pub are_hours_typed: bool,
    pub members: Vec<Choice>,
    pub groups: Vec<Choice>,
    pub refused: Option<Refused>,
}

impl AutomationsPage<'_> {
    fn fields<'b>(&'b self, at: &str, rule: &'b RuleForm) -> RuleFields<'b> {
        RuleFields {
            words: self.frame.words(),
            at: at.to_owned(),
            rule,
            members: &self.members,
            groups: &self.groups,
            refused: &self.refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HoursForm, RuleForm, StepForm};
    use crate::words::Language;

    #[test]
    fn a_week_begins_as_it_does_where_the_hours_are() {
        let words = &Language::English.words().automations;
        for (zone, first, last) in [
            ("Asia/Baghdad", "saturday", "friday"),
            ("Asia/Riyadh", "sunday", "saturday"),
            ("Europe/Berlin", "monday", "sunday"),
            ("+03:00", "monday", "sunday"),
        ] {
            let days = HoursForm { zone: zone.to_owned(), ..HoursForm::default() }.days(words);
            let names: Vec<_> = days.iter().map(|(name, ..)| *name).collect();
            assert_eq!((names[0], names[6]), (first, last), "{zone}");
        }
    }

    #[test]
    fn a_day_is_given_the_times_of_the_day_before() {
        let times = vec![("09:00".to_owned(), "17:00".to_owned())];
        let mut form = HoursForm::default();
        form.week[6].clone_from(&times);
        assert!(form.copy_day("monday"));
        assert_eq!(form.week[0], times);
        assert!(form.copy_day("sunday"));
        assert_eq!(form.week[6], []);
        assert!(!form.copy_day("save"));
    }

    #[test]
    fn a_form_has_room_for_another_step_until_a_rule_is_full() {
        let rule = |steps: usize| RuleForm { steps: vec![StepForm::default(); steps], ..RuleForm::default() };
        for (steps, rows) in [(0, 3), (2, 3), (3, 4), (9, 10), (10, 10), (11, 11)] {
            assert_eq!(rule(steps).rows().len(), rows, "{steps}");
        }
    }
}
