//! Conversion of a rule between form and domain.

use dashboard_pages::{RuleForm, StepForm, Words};
use domain::{
    automations::{
        Action, Automation, AutomationDraft, AutomationName, Conditions, InvalidRule, ReplyText, Rule,
        Words as Wanted,
    },
    tag::Tag,
};

use crate::{
    pages::{form::Form, refusal::WrongField},
    problem::Problem,
};

/// Steps read from a form: one more than a rule may have, so that the excess is reported.
const MOST_READ: usize = 11;

/// Restores the line ends that phones write, LF; browsers post CRLF.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

pub(super) fn read(form: &Form) -> Result<RuleForm, Problem> {
    let mut steps = Vec::new();
    for at in 1..=MOST_READ {
        let what = form.text(&format!("do-{at}"))?;
        let text = lines(&form.text(&format!("text-{at}"))?);
        if !what.is_empty() || !text.trim().is_empty() {
            steps.push(StepForm { what, text });
        }
    }
    Ok(RuleForm {
        name: form.text("name")?,
        is_on: form.filled("enabled")?.is_some(),
        began: form.filled("began")?.is_some(),
        outside_hours: form.filled("outside-hours")?.is_some(),
        words: lines(&form.text("words")?),
        steps,
    })
}

/// Returns the form's field that breaks this rule about rules.
pub(super) const fn field_of(wrong: InvalidRule) -> &'static str {
    match wrong {
        InvalidRule::Name => "name",
        InvalidRule::NoCondition => "began",
        InvalidRule::Actions => "do-1",
        InvalidRule::Reply => "text-1",
    }
}

/// Converts the form to a rule.
///
/// # Errors
/// The field that is wrong, with the reason.
pub(super) fn draft(form: &RuleForm, words: &Words) -> Result<AutomationDraft, WrongField> {
    let words = &words.automations;
    let name = AutomationName::try_from(form.name.clone());
    let name = name.map_err(|wrong| WrongField::new(field_of(wrong), words.rule(wrong)))?;
    let wanted = form.words.lines().map(str::trim).filter(|line| !line.is_empty());
    let wanted: Vec<String> = wanted.map(str::to_owned).collect();
    let wanted = Wanted::try_from(wanted).map_err(|_| WrongField::new("words", words.wrong_words))?;
    let mut then = Vec::new();
    for (at, step) in (1_u32..).zip(&form.steps) {
        let wrong_step = || WrongField::new(format!("do-{at}"), words.wrong_step);
        let wrong_text = |because| WrongField::new(format!("text-{at}"), because);
        then.push(match step.what.split_once(':') {
            Some(("member", id)) => Action::Assign { member: id.parse().map_err(|_| wrong_step())? },
            Some(("group", id)) => Action::SendToGroup { group: id.parse().map_err(|_| wrong_step())? },
            Some(_) => return Err(wrong_step()),
            None => match step.what.as_str() {
                "close" => Action::Close {},
                "return" => Action::Return {},
                "tag" => Action::Tag { tag: Tag::read(&step.text).map_err(|_| wrong_text(words.wrong_tag))? },
                "reply" => {
                    let text = ReplyText::try_from(step.text.clone());
                    Action::Reply { text: text.map_err(|wrong| wrong_text(words.rule(wrong)))? }
                }
                _ => return Err(wrong_step()),
            },
        });
    }
    let when = Conditions { began: form.began, words: wanted, outside_hours: form.outside_hours };
    let rule = Rule { when, then };
    rule.check().map_err(|wrong| WrongField::new(field_of(wrong), words.rule(wrong)))?;
    Ok(AutomationDraft { name, enabled: form.is_on, rule })
}

fn step(action: &Action) -> StepForm {
    let bare = |what: &str| StepForm { what: what.to_owned(), text: String::new() };
    match action {
        Action::SendToGroup { group } => bare(&format!("group:{group}")),
        Action::Assign { member } => bare(&format!("member:{member}")),
        Action::Close {} => bare("close"),
        Action::Return {} => bare("return"),
        Action::Tag { tag } => StepForm { text: tag.as_str().to_owned(), ..bare("tag") },
        Action::Reply { text } => StepForm { text: text.as_str().to_owned(), ..bare("reply") },
    }
}

pub(super) fn form_of(automation: &Automation) -> RuleForm {
    let Conditions { began, words, outside_hours } = automation.rule.when.clone();
    RuleForm {
        name: automation.name.as_str().to_owned(),
        is_on: automation.enabled,
        began,
        outside_hours,
        words: Vec::<String>::from(words).join("\n"),
        steps: automation.rule.then.iter().map(step).collect(),
    }
}

#[cfg(test)]
mod tests {
    use dashboard_pages::{Language, RuleForm, StepForm};
    use domain::automations::Automation;
    use uuid::Uuid;

    use super::{draft, form_of};
    use crate::pages::refusal::WrongField;

    fn steps(steps: &[(&str, &str)]) -> Vec<StepForm> {
        let step =
            |(what, text): &(&str, &str)| StepForm { what: (*what).to_owned(), text: (*text).to_owned() };
        steps.iter().map(step).collect()
    }

    fn written() -> RuleForm {
        RuleForm {
            name: "Prices".to_owned(),
            is_on: true,
            began: true,
            outside_hours: false,
            words: "price\nكم السعر".to_owned(),
            steps: steps(&[
                ("group:00000000-0000-0000-0000-000000000001", ""),
                ("member:00000000-0000-0000-0000-000000000002", ""),
                ("tag", "VIP"),
                ("reply", "One\nTwo"),
                ("return", ""),
                ("close", ""),
            ]),
        }
    }

    #[test]
    fn a_rule_is_read_from_its_form_and_shown_in_it_as_it_was() {
        let draft = draft(&written(), Language::English.words()).unwrap();
        let kept = Automation {
            id: Uuid::from_u128(1).into(),
            name: draft.name,
            author: Uuid::from_u128(2).into(),
            enabled: draft.enabled,
            rule: draft.rule,
        };
        assert_eq!(form_of(&kept), written());
    }

    #[test]
    fn what_is_wrong_with_a_form_is_told_in_a_sentence() {
        let words = Language::Arabic.words();
        let said = &words.automations;
        let with = |done: &[(&str, &str)]| RuleForm { steps: steps(done), ..written() };
        for (form, field, wanted) in [
            (RuleForm { name: " ".to_owned(), ..written() }, "name", said.wrong_name),
            (RuleForm { words: "؟".to_owned(), ..written() }, "words", said.wrong_words),
            (RuleForm { began: false, words: String::new(), ..written() }, "began", said.no_condition),
            (with(&[]), "do-1", said.wrong_actions),
            (with(&[("close", ""); 11]), "do-1", said.wrong_actions),
            (with(&[("tag", "")]), "text-1", said.wrong_tag),
            (with(&[("close", ""), ("reply", " ")]), "text-2", said.wrong_reply),
            (with(&[("return", ""), ("member:me", "")]), "do-2", said.wrong_step),
            (with(&[("", "words without a step")]), "do-1", said.wrong_step),
        ] {
            assert_eq!(draft(&form, words), Err(WrongField::new(field, wanted)), "{form:?}");
        }
    }
}
