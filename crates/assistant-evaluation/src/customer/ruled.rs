//! A customer who follows a scenario's lines. A seed decides the wording, whether they greet first, and how
//! they split what they say into messages.

use fastrand::Rng;

use super::Next;
use crate::{
    chat::{Act, Heard},
    scenario::{Line, Scenario, Tap},
    text::says,
};

/// Greetings before people come to the point.
const GREETINGS: [&str; 4] = ["هلا", "السلام عليكم", "مرحبا", "مساء الخير"];

/// Values of a scenario's placeholders.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    /// Number of the customer's own order.
    pub(crate) own: String,
    /// Number of somebody else's order.
    pub(crate) foreign: String,
    /// The customer's phone number, as they would type it.
    pub(crate) phone: String,
    /// Another number of theirs, without the prefix of any spelling.
    pub(crate) other: String,
}

impl Names {
    pub(crate) fn fill(&self, text: &str) -> String {
        let text = text.replace("{own}", &self.own).replace("{foreign}", &self.foreign);
        text.replace("{phone}", &self.phone).replace("{other}", &self.other)
    }
}

pub(crate) struct Ruled {
    scenario: Scenario,
    names: Names,
    lines: Vec<Line>,
    dice: Rng,
    /// Buttons of each summary so far.
    summaries: Vec<Vec<Act>>,
}

impl Ruled {
    pub(crate) fn of(scenario: &Scenario, names: Names, seed: u64) -> Self {
        let dice = Rng::with_seed(seed);
        Self { scenario: scenario.clone(), names, lines: scenario.lines.clone(), dice, summaries: Vec::new() }
    }

    pub(super) fn begin(&mut self) -> Next {
        if let Some(sample) = &self.scenario.opens_with {
            return Next { meanwhile: None, acts: vec![Act::Show(sample.clone())] };
        }
        let wording = self.dice.choice(&self.scenario.opens).cloned().unwrap_or_default();
        let mut acts = self.worded(&wording);
        // Customers who write English greet in English, and keep to their point.
        if self.scenario.greets && !wording.is_ascii() && self.dice.bool() {
            let greeting = self.dice.choice(GREETINGS).unwrap_or_default();
            match acts.first_mut() {
                Some(Act::Write(first)) if self.dice.bool() => *first = format!("{greeting}، {first}"),
                _ => acts.insert(0, Act::Write(greeting.to_owned())),
            }
        }
        Next { meanwhile: None, acts }
    }

    pub(super) fn answer(&mut self, heard: &[Heard]) -> Next {
        let with_buttons = heard.iter().filter(|heard| !heard.buttons.is_empty());
        self.summaries.extend(with_buttons.map(|heard| heard.buttons.clone()));
        let fits = |line: &Line| line.to.iter().any(|to| heard.iter().any(|heard| says(&heard.text, to)));
        let Some(at) = self.lines.iter().position(fits) else { return Next::default() };
        let line = self.lines.remove(at);
        let acts = if let Some(tap) = line.taps {
            self.button(tap).into_iter().collect()
        } else {
            let wording = self.dice.choice(&line.says).cloned().unwrap_or_default();
            self.worded(&wording)
        };
        Next { meanwhile: line.meanwhile.map(|it| (it.id, it.price)), acts }
    }

    fn button(&self, tap: Tap) -> Option<Act> {
        let (summary, at) = match tap {
            Tap::Confirm => (self.summaries.last(), 0),
            Tap::Change => (self.summaries.last(), 1),
            Tap::FirstConfirm => (self.summaries.first(), 0),
        };
        summary?.get(at).cloned()
    }

    /// Splits a wording into messages: at line breaks, and sometimes at commas.
    fn worded(&mut self, wording: &str) -> Vec<Act> {
        let filled = self.names.fill(wording);
        let spreads = self.dice.u8(..3) == 0;
        let parts = filled.split('\n').flat_map(|line| {
            let breaks: &[char] = if spreads { &['،'] } else { &[] };
            line.split(breaks)
        });
        let texts = parts.map(str::trim).filter(|part| !part.is_empty());
        texts.map(|text| Act::Write(text.to_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario() -> Scenario {
        Scenario::all().unwrap().into_iter().find(|it| it.name == "an_order_to_the_end").unwrap()
    }

    fn names() -> Names {
        Names {
            own: "5004".to_owned(),
            foreign: "5005".to_owned(),
            phone: "07720000001".to_owned(),
            other: String::new(),
        }
    }

    #[test]
    fn a_seed_says_the_same_again_and_others_say_it_otherwise() {
        let begin = |seed| Ruled::of(&scenario(), names(), seed).begin().acts;
        assert_eq!(begin(3), begin(3));
        assert!((0..20).any(|seed| begin(seed) != begin(3)));
    }

    #[test]
    fn a_line_is_said_to_what_it_fits_and_once() {
        let mut customer = Ruled::of(&scenario(), names(), 1);
        let asked = [Heard { text: "شنو الاسم والعنوان؟".to_owned(), buttons: Vec::new() }];
        assert!(!customer.answer(&asked).acts.is_empty());
        assert_eq!(customer.answer(&asked).acts, Vec::new());
        let tap =
            |id: &str| Act::Tap { id: id.to_owned(), title: String::new(), reply: serde_json::json!({}) };
        let summary =
            [Heard { text: "ملخص الطلب:".to_owned(), buttons: vec![tap("yes"), tap("no")] }];
        assert_eq!(customer.answer(&summary).acts, vec![tap("yes")]);
    }
}
