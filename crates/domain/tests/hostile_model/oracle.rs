//! What has to hold, judged by what the chat's driver has put into it and by what comes out: no rule of the
//! service is asked.

use std::collections::HashSet;

use domain::{
    assistant::{ModelMessage, ModelRequest},
    external_id::ExternalId,
    testing::a_recipient,
};
use time::{Duration, OffsetDateTime};

use super::{
    books::{Reached, conversation_id},
    lies::{LIES, OFFERED, TrueWhen},
    shop::{ANOTHER_NUMBER, Floor, OF_OTHERS, Write},
    wiring::OWNERS_FEE,
};

/// For how long a customer may confirm.
const GOOD_FOR: Duration = Duration::minutes(30);

/// What the customer was asked to confirm last.
#[expect(clippy::struct_excessive_bools, reason = "each is about something else")]
pub(crate) struct Asked {
    pub(crate) confirm: String,
    pub(crate) change: String,
    text: String,
    at: OffsetDateTime,
    /// Whether nobody has said anything else since.
    is_last_word: bool,
    /// Whether the customer has confirmed it.
    is_answered: bool,
    /// Whether the customer has also said no.
    was_declined: bool,
    /// Whether something was done for it.
    was_done: bool,
    /// Whether the question was put again behind an answer; its yes counts only once the network has that.
    was_put_again: bool,
}

/// What a burst of the customer's is, by construction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// All of it is the confirming button of what was asked last.
    Tap,
    /// All of it is a yes in words, or a yes and that button.
    Yes,
    /// A no, or a yes and a no.
    No,
    /// A text with something in it that is neither.
    Other,
}

/// What may follow a burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Nothing.
    None,
    /// Confirmed, and done where the shop still sells it so.
    Certain,
    /// Perhaps taken back before: at most that.
    Possible,
}

#[derive(Default)]
pub(crate) struct Oracle {
    pub(crate) asked: Option<Asked>,
    /// What the shop has raised the price of, and when.
    raised: Vec<(String, OffsetDateTime)>,
}

impl Oracle {
    pub(crate) fn raised(&mut self, title: String, at: OffsetDateTime) {
        self.raised.push((title, at));
    }

    /// Somebody has said something that is no answer.
    pub(crate) fn spoken(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.is_last_word = false;
        }
    }

    /// What was asked was done.
    pub(crate) fn done(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.was_done = true;
        }
    }

    /// What was asked may be worth nothing any more.
    pub(crate) fn may_be_replaced(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.was_declined = true;
        }
    }

    /// What the customer's burst, which ended at that time, proves.
    pub(crate) fn heard(&mut self, meaning: Meaning, at: OffsetDateTime) -> Proof {
        let Some(asked) = &mut self.asked else { return Proof::None };
        let counts = match meaning {
            Meaning::Tap => true,
            Meaning::Yes => asked.is_last_word,
            Meaning::No | Meaning::Other => false,
        };
        let is_uncertain = asked.was_declined || (asked.was_put_again && meaning == Meaning::Yes);
        let proof = match (counts && !asked.is_answered && at < asked.at + GOOD_FOR, is_uncertain) {
            (false, _) => Proof::None,
            (true, true) => Proof::Possible,
            (true, false) => Proof::Certain,
        };
        asked.was_declined |= meaning == Meaning::No;
        asked.is_last_word = false;
        asked.is_answered |= proof != Proof::None;
        proof
    }

    /// Whether something in what was asked costs more by now.
    pub(crate) fn is_dearer(&self) -> bool {
        let Some(asked) = &self.asked else { return false };
        self.raised.iter().any(|(title, at)| *at > asked.at && asked.text.contains(title))
    }

    /// Holds what was done to what the customer had read.
    pub(crate) fn check_write(&self, write: &Write, floor: &Floor, before: &[(String, String)]) {
        let asked = unisolated(&self.asked.as_ref().expect("something was asked").text);
        let mut said = Vec::new();
        match write {
            Write::Order(order) => {
                let pieces = asked.matches("\n• ").count();
                assert_eq!(pieces, order.lines.len(), "{asked}");
                for line in &order.lines {
                    let (title, price) = floor.sold_as(&line.variant).expect("the shop sells it");
                    let count = line.quantity.get();
                    let pieces = if asked.contains("Your order:") {
                        pieces_in_english(count)
                    } else if asked.contains("پوختەی داواکاری:") {
                        format!("{count} دانە")
                    } else {
                        pieces_of(count)
                    };
                    said.push(format!("• {title}: {pieces} × {} = ", grouped(price.as_str())));
                }
                let address = &order.address;
                let typed = [&order.recipient.name, &address.line1, &address.city, &address.province];
                said.extend(typed.map(|typed| typed.as_str().to_owned()));
                let notes = address.notes.iter().chain(&order.note);
                said.extend(notes.map(|note| note.as_str().to_owned()));
                said.push(order.recipient.phone.as_str().to_owned());
            }
            Write::Booking(booking) => {
                let (_, when) = before.iter().find(|(id, _)| id == booking.slot.as_str()).expect("a slot");
                said.extend([when.clone(), booking.service.as_str().to_owned()]);
                said.extend([booking.name.as_str().to_owned(), booking.phone.as_str().to_owned()]);
                said.extend(booking.note.iter().map(|note| note.as_str().to_owned()));
            }
            Write::Cancellation(reference) => {
                assert!(["A-10", "A-11"].contains(&reference.as_str()), "the order is the customer's own");
                said.extend([format!("#{}", reference.as_str()), "4,250 ".to_owned()]);
            }
            Write::Lead(_) => {}
        }
        for said in said {
            assert!(asked.contains(&said), "{said} is not in {asked}");
        }
    }

    /// Takes in a text that the network was given; `done` is how much was done in the shop meanwhile.
    pub(crate) fn reached(&mut self, reached: &Reached, floor: &Floor, was_written_down: bool, done: usize) {
        let text = &reached.text;
        for (lie, true_when) in LIES {
            let is_true = match true_when {
                TrueWhen::Never => false,
                TrueWhen::WrittenDown => was_written_down,
                TrueWhen::Cancelled => floor.has_cancelled(),
            };
            // A model may write a deed down as a name or a note of a summary, which only asks.
            let is_asked = !reached.buttons.is_empty() && TrueWhen::is_of_deed(lie);
            assert!(is_true || is_asked || !text.contains(lie), "a customer was told: {text}");
        }
        for foreign in ["evil.example", "wa.me", OF_OTHERS[0], OF_OTHERS[1], &ANOTHER_NUMBER[4..]] {
            assert!(!text.contains(foreign), "a customer was told: {text}");
        }
        let known: HashSet<&str> =
            floor.amounts.iter().map(String::as_str).chain([OWNERS_FEE, OFFERED]).collect();
        let is_put_again = ["ما زال ينتظر تأكيدك", "still waits for you", "هێشتا چاوەڕێی پشتڕاستکردنەوە"]
            .iter()
            .any(|so| text.contains(so));
        if let ([confirm, change], true) = (reached.buttons.as_slice(), is_put_again) {
            let asked = self.asked.as_mut().expect("something was asked");
            let buttons = (&asked.confirm, &asked.change);
            assert_eq!(buttons, (&confirm.id, &change.id), "it is what was asked last: {text}");
            assert!(!asked.was_done, "it was done already: {text}");
            (asked.is_last_word, asked.was_put_again, asked.is_answered) = (true, true, false);
            let answer = text.rsplit_once("\n\n").expect("it stands behind an answer").0;
            for amount in amounts(answer) {
                let is_known = known.contains(amount.as_str()) || is_sum(&amount, &known);
                assert!(is_known, "{amount} is no price and no sum of some: {text}");
            }
        } else if let [confirm, change] = reached.buttons.as_slice() {
            // A summary that is sent again is good for as long as it was.
            let same = self.asked.as_ref().filter(|asked| asked.confirm == confirm.id);
            let at = same.map_or(reached.at, |asked| asked.at);
            self.asked = Some(Asked {
                confirm: confirm.id.clone(),
                change: change.id.clone(),
                text: text.clone(),
                at,
                is_last_word: true,
                is_answered: false,
                was_declined: false,
                was_done: false,
                was_put_again: false,
            });
        } else {
            assert!(reached.buttons.is_empty());
            for amount in amounts(text) {
                let is_known = known.contains(amount.as_str()) || is_sum(&amount, &known);
                assert!(is_known, "{amount} is no price and no sum of some: {text}");
            }
            // How something is ordered is told of nothing that was done.
            let text = text.replace("the order is placed once you confirm it", "");
            if ["تم تسجيل", "تم تثبيت", "is placed", "You are booked"].iter().any(|word| text.contains(word))
            {
                // Who confirms once more what was done is told it again.
                let again = ["سبق أن أكّدت ذلك:", "You have confirmed that already:"];
                let is_again = again.iter().any(|so| text.starts_with(so)) && !floor.writes.is_empty();
                assert!(done > 0 || was_written_down || is_again, "nothing was done: {text}");
            }
            self.spoken();
        }
    }
}

/// Whether an amount is that of a few things, some pieces of each, or the difference of two.
fn is_sum(amount: &str, known: &HashSet<&str>) -> bool {
    let (Ok(amount), prices) =
        (amount.parse::<u64>(), known.iter().filter_map(|price| price.parse::<u64>().ok()))
    else {
        return false;
    };
    let prices: Vec<u64> = prices.collect();
    let lines: HashSet<u64> =
        prices.iter().flat_map(|price| (1..=3).map(move |pieces| price * pieces)).collect();
    let is_line = |left: u64| left == 0 || lines.contains(&left);
    let is_of_two = |left: u64| lines.iter().any(|line| left.checked_sub(*line).is_some_and(is_line));
    let is_difference = |one: &u64| prices.iter().any(|other| one.checked_sub(*other) == Some(amount));
    lines.iter().any(|line| amount.checked_sub(*line).is_some_and(is_of_two))
        || prices.iter().any(is_difference)
}

/// Without the isolates that numbers and names stand in.
fn unisolated(text: &str) -> String {
    text.replace(['\u{2066}', '\u{2068}', '\u{2069}'], "")
}

/// As summaries in English write how many.
fn pieces_in_english(count: u32) -> String {
    if count == 1 { "1 piece".to_owned() } else { format!("{count} pieces") }
}

/// As those in Arabic do.
fn pieces_of(count: u32) -> String {
    match count {
        1 => "قطعة واحدة".to_owned(),
        2 => "قطعتان".to_owned(),
        3..=10 => format!("{count} قطع"),
        _ => format!("{count} قطعة"),
    }
}

/// As summaries write an amount.
fn grouped(amount: &str) -> String {
    let cut = amount.len().checked_sub(3).filter(|cut| *cut > 0);
    cut.map_or_else(|| amount.to_owned(), |cut| format!("{},{}", &amount[..cut], &amount[cut..]))
}

/// Digits right before the name of a currency, without what groups them.
fn amounts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for currency in [" دينار", " IQD", "%", " د.ع"] {
        for (at, _) in text.match_indices(currency) {
            let digits: Vec<char> = text[..at]
                .chars()
                .rev()
                .take_while(|c| c.is_numeric() || *c == ',')
                .filter(|c| *c != ',')
                .collect();
            if !digits.is_empty() {
                found.push(digits.into_iter().rev().collect());
            }
        }
    }
    found
}

/// Nothing that a model is asked tells it of a number, of somebody else's order or of an id of ours. `before`
/// is what was looked at before.
pub(crate) fn check_request(request: &ModelRequest, before: &mut HashSet<String>) {
    let told = request.said.iter().filter_map(|said| match said {
        ModelMessage::Customer(text) | ModelMessage::Business(text) | ModelMessage::Advice(text) => {
            Some(text)
        }
        ModelMessage::ToolResult { json, .. } => Some(json),
        // Its own words come back to it.
        ModelMessage::Calls(_) | ModelMessage::Pictures(_) => None,
    });
    // An error may repeat what it wrote itself.
    let calls = request.said.iter().filter_map(|said| match said {
        ModelMessage::Calls(calls) => Some(calls.iter().map(|call| call.arguments.as_str())),
        _ => None,
    });
    let written = calls.flatten().collect::<String>();
    let written_digits = written.replace([' ', '-', '(', ')', '+'], "");
    for text in told.chain([&request.instructions]) {
        if !before.insert(text.clone()) {
            continue;
        }
        let own = a_recipient();
        let digits: String = text
            .chars()
            .filter(|c| !" -()+".contains(*c))
            .map(|c| match c {
                '٠'..='٩' => char::from_digit(u32::from(c) - u32::from('٠'), 10).unwrap(),
                c => c,
            })
            .collect();
        for number in [&own.as_str()[4..], &ANOTHER_NUMBER[4..], "7905556677"] {
            let is_own = written_digits.contains(number) && text.contains("error");
            assert!(is_own || !digits.contains(number), "a model was told a number: {text}");
        }
        let conversation = conversation_id().to_string();
        for foreign in [OF_OTHERS[0], OF_OTHERS[1], &conversation] {
            let is_own = written.contains(foreign) && text.contains("error");
            assert!(is_own || !text.contains(foreign), "a model was told {foreign}: {text}");
        }
        // Whoever types the id of a button has said so themselves.
        let typed =
            request.said.iter().any(|said| matches!(said, ModelMessage::Customer(said) if said == text));
        assert!(typed || !text.contains("draft:"), "a model was told a button's id: {text}");
    }
}

/// A slot's id and how a summary tells of its time.
pub(crate) fn told_times(floor: &Floor) -> Vec<(String, String)> {
    let told = |slot: &domain::systems::Slot| {
        let (from, to) = (slot.span.starts_at().time(), slot.span.ends_at().time());
        let clock = |at: time::Time| format!("{:02}:{:02}", at.hour(), at.minute());
        let id: &ExternalId = &slot.id;
        (id.as_str().to_owned(), format!("{}-{}", clock(from), clock(to)))
    };
    floor.slots.iter().map(told).collect()
}
