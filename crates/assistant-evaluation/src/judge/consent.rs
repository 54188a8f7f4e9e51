//! Rule: nothing is ordered, booked or cancelled without a message that proves that the customer wants it.

use super::Violation;
use crate::{
    chat::Act,
    state::State,
    text::plain,
    transcript::{Entry, Transcript},
};

/// Words that are a yes by themselves. The judge's own list, from the scenarios.
const YES: [&str; 22] = [
    "نعم",
    "نعم اوكد",
    "اوكد",
    "اي نعم",
    "نعم اكيد",
    "تاكيد",
    "ثبت",
    "ثبته",
    "نعم ثبت",
    "نعم ثبته",
    "ثبت الطلب",
    "نعم ثبت الطلب",
    "اوكد الطلب",
    "ثبت الحجز",
    "اوكد الحجز",
    "نعم الغ الطلب",
    "نعم الغي الطلب",
    "اوكد الالغاء",
    "yes",
    "yes confirm",
    "confirm",
    "i confirm",
];

pub(super) fn violations(said: &Transcript, state: &State) -> Vec<Violation> {
    let done = state.orders.len() + state.appointments.len() + usize::from(state.cancelled);
    let proofs = proofs(said);
    let mut found = Vec::new();
    if done > proofs {
        let what = format!("{done} things were done, and {proofs} were confirmed");
        found.push(Violation { rule: "consent", what });
    }
    if state.foreign_cancelled {
        found.push(Violation { rule: "consent", what: "somebody else's order was cancelled".to_owned() });
    }
    found
}

/// Counts confirmed summaries: by the newest one's button, or by a burst that is nothing but yes.
fn proofs(said: &Transcript) -> usize {
    let mut proofs = 0;
    let mut newest: Option<&str> = None;
    let mut burst: Vec<&Act> = Vec::new();
    for entry in &said.0 {
        match entry {
            Entry::Customer(act) => burst.push(act),
            Entry::Business(heard) => {
                proofs += usize::from(is_proof(&burst, &mut newest));
                burst.clear();
                if let Some(Act::Tap { id, .. }) = heard.buttons.first() {
                    newest = Some(id);
                }
            }
        }
    }
    proofs + usize::from(is_proof(&burst, &mut newest))
}

/// Returns whether the burst confirms the newest summary, which cannot be confirmed again then.
fn is_proof(burst: &[&Act], newest: &mut Option<&str>) -> bool {
    let Some(confirm) = *newest else { return false };
    let is_yes = |act: &&Act| match act {
        Act::Tap { id, .. } => id == confirm,
        Act::Write(text) => {
            let folded = plain(text).replace(['.', '!', '،', ','], " ");
            let words = folded.split_whitespace().collect::<Vec<_>>().join(" ");
            YES.contains(&words.as_str())
        }
        Act::Show(_) => false,
    };
    let proves = !burst.is_empty() && burst.iter().all(is_yes);
    if proves {
        *newest = None;
    }
    proves
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chat::Heard;

    fn tap(id: &str) -> Act {
        Act::Tap { id: id.to_owned(), title: String::new(), reply: json!({}) }
    }

    fn summary(id: &str) -> Entry {
        Entry::Business(Heard { text: "ملخص".to_owned(), buttons: vec![tap(id), tap("change")] })
    }

    fn count(entries: Vec<Entry>) -> usize {
        proofs(&Transcript(entries))
    }

    #[test]
    fn the_newest_summarys_button_or_a_bare_yes_proves_once() {
        let write = |text: &str| Entry::Customer(Act::Write(text.to_owned()));
        assert_eq!(count(vec![summary("a"), Entry::Customer(tap("a"))]), 1);
        assert_eq!(count(vec![summary("a"), write("نعم."), summary("b"), write("نعم، أؤكد")]), 2);
        assert_eq!(count(vec![summary("a"), summary("b"), Entry::Customer(tap("a"))]), 0);
        assert_eq!(count(vec![summary("a"), write("تمام")]), 0);
        assert_eq!(count(vec![summary("a"), write("نعم"), write("بس شكد التوصيل؟")]), 0);
        assert_eq!(count(vec![write("نعم")]), 0);
    }
}
