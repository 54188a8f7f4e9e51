//! Texts of system messages: from their stored parts, or by their text where none are stored.

use std::collections::HashMap;

use domain::{
    assistant::HandOverReason,
    messages::{Cause, Step, Sweeper, SystemMessage},
};

use super::Words;

impl Words {
    /// Translates a system message by its text, including the reason for which the assistant asked for a
    /// person.
    pub fn system_message(&self, line: &str) -> String {
        let said = self.inbox.system_message(line);
        let reason = said.split_once("ai_escalation: ").and_then(|(before, rest)| {
            let (name, after) = rest.split_at_checked(rest.find(')').unwrap_or(rest.len()))?;
            let reason = self.assistant.reason(&HandOverReason::read(name)?);
            Some(format!("{before}{}{after}", reason.trim_end_matches('.')))
        });
        reason.unwrap_or(said)
    }

    /// Renders a system message from its stored parts; `names` maps ids of members to names.
    pub fn told(&self, line: &SystemMessage, by: Option<&str>, names: &HashMap<String, String>) -> String {
        let words = &self.inbox;
        let to = line.to.map(|member| member.to_string());
        let said = match (line.kind, &to, &line.group) {
            (Step::Assigned, None, _) => words.waits_for_person.to_owned(),
            (Step::Assigned, Some(to), _) if by == Some(to.as_str()) => words.was_taken.to_owned(),
            (Step::Assigned, Some(to), _) => match names.get(to) {
                Some(name) => format!("{} {}", words.was_given, isolated(name)),
                None => words.was_assigned.to_owned(),
            },
            (Step::SentToGroup, _, Some(group)) => {
                format!("{}: {}", words.was_sent_to_group, isolated(group))
            }
            (step, ..) => words.step(step).to_owned(),
        };
        match line.cause.as_ref().map(|cause| self.cause(cause)) {
            Some(cause) => format!("{said} ({cause})"),
            None => said,
        }
    }

    fn cause(&self, cause: &Cause) -> String {
        match cause {
            Cause::Automation(name) => format!("{} {}", self.inbox.by_rule, isolated(name)),
            Cause::Sweeper(Sweeper::IdleClose) => self.inbox.by_idle_close.to_owned(),
            Cause::Sweeper(Sweeper::UnansweredReturn) => self.inbox.by_unanswered_return.to_owned(),
            Cause::Assistant(need) => match HandOverReason::read(need) {
                Some(reason) => self.assistant.reason(&reason).trim_end_matches('.').to_owned(),
                None => isolated(need),
            },
        }
    }
}

/// Isolates a name in a line whose other words may run the other way.
fn isolated(name: &str) -> String {
    format!("\u{2068}{name}\u{2069}")
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use domain::{
        assistant::HandOverReason,
        ids::MemberId,
        messages::{Cause, Step, Sweeper, SystemMessage},
    };

    use crate::words::Language;

    #[test]
    fn a_system_message_says_in_words_why_the_assistant_asked_for_a_person() {
        let words = Language::English.words();
        for (line, wanted) in [
            ("assigned (ai_escalation: customer_asked)", "Somebody has it (The customer asked for a person)"),
            ("assigned (ai_escalation: wants a refund)", "Somebody has it (ai_escalation: wants a refund)"),
            ("closed", "Closed"),
        ] {
            assert_eq!(words.system_message(line), wanted);
        }
    }

    #[test]
    fn every_reason_of_the_assistant_is_worded_in_either_language() {
        for reason in HandOverReason::ALL {
            let line = format!("assigned (ai_escalation: {})", reason.as_str());
            let cause = Cause::Assistant(reason.as_str().to_owned());
            let kept = SystemMessage {
                kind: Step::Assigned,
                to: None,
                group: None,
                cause: Some(cause),
                before: None,
            };
            for language in [Language::English, Language::Arabic] {
                let words = language.words();
                let worded = words.assistant.reason(&reason).trim_end_matches('.');
                assert!(!worded.is_empty(), "{reason:?}");
                for told in [words.system_message(&line), words.told(&kept, None, &HashMap::new())] {
                    assert!(told.ends_with(&format!("({worded})")), "{told}");
                }
            }
        }
    }

    #[test]
    fn no_word_is_empty_or_left_in_the_other_language() {
        let said = format!("{:?}", Language::Arabic.words());
        let texts: Vec<&str> = said.split('"').skip(1).step_by(2).collect();
        assert!(texts.len() > 50);
        let arabic = |text: &str| text.chars().any(|character| ('\u{600}'..'\u{700}').contains(&character));
        for text in texts {
            assert!(arabic(text), "{text}");
        }
        assert!(!format!("{:?}", Language::English.words()).contains("\"\""));
    }

    #[test]
    fn a_system_message_is_told_from_its_data_in_either_language() {
        let [giver, taker] =
            [1, 2].map(|id| format!("00000000-0000-0000-0000-00000000000{id}").parse::<MemberId>().unwrap());
        let names = HashMap::from([(taker.to_string(), "Sara".to_owned())]);
        let by = giver.to_string();
        let plain = |kind| SystemMessage { kind, to: None, group: None, cause: None, before: None };
        let because = |kind, cause| SystemMessage { cause: Some(cause), ..plain(kind) };
        let assistant = |need: &str| Cause::Assistant(need.to_owned());
        for (kept, english, arabic) in [
            (
                SystemMessage { to: Some(taker), ..plain(Step::Assigned) },
                "Given to \u{2068}Sara\u{2069}",
                "أُسندت إلى \u{2068}Sara\u{2069}",
            ),
            (SystemMessage { to: Some(giver), ..plain(Step::Assigned) }, "Took it", "تولى المحادثة"),
            (plain(Step::Closed), "Closed", "أُغلقت"),
            (
                SystemMessage { group: Some("Sales".to_owned()), ..plain(Step::SentToGroup) },
                "Sent to a group: \u{2068}Sales\u{2069}",
                "أُرسلت إلى مجموعة: \u{2068}Sales\u{2069}",
            ),
            (
                because(Step::Closed, Cause::Sweeper(Sweeper::IdleClose)),
                "Closed (nobody wrote any more)",
                "أُغلقت (لم يكتب أحد بعدها)",
            ),
            (
                because(Step::Closed, Cause::Automation("night".to_owned())),
                "Closed (rule \u{2068}night\u{2069})",
                "أُغلقت (القاعدة \u{2068}night\u{2069})",
            ),
            (
                because(Step::Assigned, assistant("wants a refund")),
                "Waits for a person (\u{2068}wants a refund\u{2069})",
                "بانتظار أحد الأعضاء (\u{2068}wants a refund\u{2069})",
            ),
        ] {
            for (language, wanted) in [(Language::English, english), (Language::Arabic, arabic)] {
                assert_eq!(language.words().told(&kept, Some(&by), &names), wanted);
            }
        }
        let asked = because(Step::Assigned, assistant("customer_asked"));
        let told = Language::English.words().told(&asked, None, &names);
        assert_eq!(told, "Waits for a person (The customer asked for a person)");
        let left = SystemMessage { to: Some(giver), ..plain(Step::Assigned) };
        let told = Language::English.words().told(&left, None, &names);
        assert_eq!(told, "Somebody has it", "who has left has no name here");
    }
}
