//! Rules, opening hours and sweepers.

use askama::Template;

use crate::{
    frame::Frame,
    inbox::Choice,
    words::{AutomationWords, Words},
};

/// Most steps of a rule, and times of a day.
const MOST: usize = 10;

/// A step of a rule, as it stands in a form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepForm {
    /// What is done: nothing, `close`, `return`, `tag`, `reply`, `member:` or `group:` with an id.
    pub what: String,
    /// The words of a reply, or the tag.
    pub text: String,
}

/// A rule, as it stands in a form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleForm {
    /// What it is called.
    pub name: String,
    /// Whether it is in force.
    pub is_on: bool,
    /// Whether the message has to begin a conversation.
    pub began: bool,
    /// Whether it has to come outside opening hours.
    pub outside_hours: bool,
    /// Words of which it has to contain one, a line for each.
    pub words: String,
    /// What is done, in this order.
    pub steps: Vec<StepForm>,
}

impl RuleForm {
    /// Its steps, with room for more.
    fn rows(&self) -> Vec<StepForm> {
        let rows = (self.steps.len() + 1).clamp(3, MOST.max(self.steps.len()));
        let mut steps = self.steps.clone();
        steps.resize_with(rows, StepForm::default);
        steps
    }
}

/// A rule.
#[derive(Debug, Clone)]
pub struct RuleRow {
    /// Its id.
    pub id: String,
    /// Whether it is being changed.
    pub is_open: bool,
    /// What it says.
    pub form: RuleForm,
}

/// Opening hours and waiting times, as they stand in a form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HoursForm {
    /// After how many minutes a quiet conversation is closed; empty where never.
    pub idle_close: String,
    /// After how many minutes an unanswered one goes back to the assistant; empty where never.
    pub unanswered_return: String,
    /// Whether there are opening hours.
    pub has_hours: bool,
    /// Whether there were when the form was shown.
    pub had_hours: bool,
    /// Where their clock is.
    pub zone: String,
    /// The times of each day, from Monday on: when it opens, and when it closes.
    pub week: [Vec<(String, String)>; 7],
}

/// A day's name in forms, its name on the page, and its times.
type ShownDay = (&'static str, &'static str, Vec<(String, String)>);

impl HoursForm {
    /// The days by their names in forms and on pages, with room for another time.
    fn days(&self, words: &AutomationWords) -> Vec<ShownDay> {
        let named = DAYS.into_iter().zip(words.days()).zip(&self.week);
        let day = |((name, shown), times): ((&'static str, &'static str), &Vec<(String, String)>)| {
            let rows = (times.len() + 1).clamp(2, MOST.max(times.len()));
            let mut times = times.clone();
            times.resize_with(rows, Default::default);
            (name, shown, times)
        };
        named.map(day).collect()
    }
}

/// The days as forms and the API name them.
pub const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The form of one rule.
#[derive(Template)]
#[template(path = "automations/rule.html")]
struct RuleFields<'a> {
    words: &'static Words,
    /// What sets its fields apart from those of other rules on the page.
    at: String,
    rule: &'a RuleForm,
    members: &'a [Choice],
    groups: &'a [Choice],
}

impl RuleFields<'_> {
    /// Whether nothing to choose from is what the step says.
    fn is_gone(&self, step: &StepForm) -> bool {
        step.what.contains(':')
            && !self.members.iter().chain(self.groups).any(|choice| choice.value == step.what)
    }
}

/// The rules and settings.
#[derive(Template)]
#[template(path = "automations/automations.html")]
pub struct AutomationsPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// In the order in which they are looked at.
    pub rules: Vec<RuleRow>,
    /// A rule that is to be added.
    pub draft: RuleForm,
    /// Whether somebody wrote it, and it was not taken.
    pub is_draft_typed: bool,
    /// Opening hours and waiting times.
    pub hours: HoursForm,
    /// Whether somebody wrote them, and they were not taken.
    pub are_hours_typed: bool,
    /// Whom a conversation can be given to.
    pub members: Vec<Choice>,
    /// Where it can be sent.
    pub groups: Vec<Choice>,
    /// Why something was not done.
    pub refused: Option<&'a str>,
}

impl AutomationsPage<'_> {
    fn fields<'b>(&'b self, at: &str, rule: &'b RuleForm) -> RuleFields<'b> {
        RuleFields {
            words: self.frame.words(),
            at: at.to_owned(),
            rule,
            members: &self.members,
            groups: &self.groups,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RuleForm, StepForm};

    #[test]
    fn a_form_has_room_for_another_step_until_a_rule_is_full() {
        let rule = |steps: usize| RuleForm { steps: vec![StepForm::default(); steps], ..RuleForm::default() };
        for (steps, rows) in [(0, 3), (2, 3), (3, 4), (9, 10), (10, 10), (11, 11)] {
            assert_eq!(rule(steps).rows().len(), rows, "{steps}");
        }
    }
}
