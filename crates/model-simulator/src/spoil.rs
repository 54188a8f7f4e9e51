//! Spoiling of answers by faults.

use serde_json::{Value, json};

use crate::answer::{ANSWER, Answer, Call};
use crate::core::Core;
use crate::faults::Fault;
use crate::hostile;
use crate::mind::is_arabic;
use crate::wire::Seen;

/// Fields of acts that hold an id, or several.
const IDS: [&str; 12] = [
    "product", "variant", "products", "order", "slots", "range", "fact", "passage", "draft", "options", "a",
    "b",
];
/// Id that nothing has.
const NO_ID: &str = "0000";
/// Number of a sentence that no text has.
const NO_SENTENCE: usize = 1_000;
/// Least number that is taken for an amount.
const LEAST_AMOUNT: u64 = 500;
/// Length of what a model says that cannot stop, in bytes.
const BABBLE: usize = 10 * 1024;

/// Applies the active faults to an answer, and makes it what is sent.
pub(crate) fn spoil(core: &Core, seen: &Seen, mut answer: Answer) -> Answer {
    if core.strikes(Fault::Hostile) {
        return hostile::answer(seen).sent(seen);
    }
    if core.strikes(Fault::EndlessTools) {
        // Another argument each time: repeated calls would be noticed sooner.
        let arguments = format!("{{\"query\":\"{}\"}}", seen.results.len());
        let tool = seen.tools.first().cloned().unwrap_or_default();
        answer =
            Answer::call(if seen.offers("searchProducts") { "searchProducts" } else { &tool }, arguments);
    }
    if core.strikes(Fault::UnknownTool) {
        answer = Answer::call("refundEverything", "{}".to_owned());
    }
    // A description is known only once a tool has returned it.
    if let Some(description) = description(seen)
        && core.strikes(Fault::ObeysDescriptions)
    {
        answer = obey(seen, description, answer);
    }
    let mut sent =
        if answer.calls.is_empty() { said(core, seen, answer) } else { called(core, seen, answer) };
    if core.strikes(Fault::EmptyArguments) {
        sent.calls.iter_mut().for_each(|call| call.arguments.clear());
    }
    if core.strikes(Fault::BrokenArguments) {
        sent.calls.iter_mut().for_each(halve);
    }
    if core.strikes(Fault::CutActs) {
        sent.calls.iter_mut().filter(|call| call.name == ANSWER).for_each(halve);
    }
    if core.strikes(Fault::ActsAsText)
        && let [call] = sent.calls.as_slice()
        && call.name == ANSWER
    {
        sent = Answer::words(&call.arguments);
    }
    sent
}

/// Spoils calls of tools.
fn called(core: &Core, seen: &Seen, mut answer: Answer) -> Answer {
    if core.strikes(Fault::NoDate) {
        answer.calls.iter_mut().for_each(without_dates);
    }
    // Told that it was the wrong one, it takes the right one.
    if seen.results.is_empty() && core.strikes(Fault::WrongTool) {
        answer.calls.iter_mut().for_each(|call| call.name = tool_beside(seen, &call.name));
    }
    answer
}

/// Spoils an answer to the customer: its acts, or the words in place of them.
fn said(core: &Core, seen: &Seen, mut answer: Answer) -> Answer {
    if core.strikes(Fault::UnknownIds) {
        if !answer.acts.iter_mut().any(with_unknown_ids) {
            answer.acts = vec![json!({ "act": "quote", "product": NO_ID, "parts": ["price"] })];
        }
        answer.suggests = false;
    }
    if core.strikes(Fault::UnknownSentence) {
        let cites = |act: &&mut Value| act.get("act") == Some(&json!("cite"));
        for act in answer.acts.iter_mut().filter(cites).filter_map(Value::as_object_mut) {
            act.insert("sentences".to_owned(), json!([NO_SENTENCE]));
        }
    }
    if core.strikes(Fault::HalfAnswers) {
        answer.acts.truncate(answer.acts.len().div_ceil(2));
        answer.acts.iter_mut().for_each(with_half_its_parts);
        answer.suggest(half(&answer.text));
    }
    if core.strikes(Fault::SwappedPrices)
        && let Some(swapped) = with_swapped_amounts(seen, &answer.text)
    {
        answer.suggest(swapped);
    }
    let arabic = seen.burst.iter().any(|text| is_arabic(text));
    for (fault, in_arabic, in_english) in [
        (Fault::InventedPrice, "السعر إلك 7777 دينار بس", "For you it is 7777 dinars"),
        (Fault::FalsePromise, "تم تثبيت طلبك", "Your order has been placed"),
        (Fault::WrongLanguage, "Yes, of course, we have that", "نعم، موجود عندنا"),
        (Fault::OtherTongue, "Elbette, hemen yardımcı olalım", "Bien sûr, nous en avons encore"),
    ] {
        if core.strikes(fault) {
            answer.suggest(if arabic { in_arabic } else { in_english }.to_owned());
        }
    }
    if core.strikes(Fault::Babble) {
        let more = if arabic {
            "والله عيوني هذا سؤال حلو هواية. "
        } else {
            "That is such a nice thing to ask. "
        };
        answer.suggest(more.repeat(BABBLE / more.len() + 1) + &answer.text);
    }
    if core.strikes(Fault::ProseOnly) {
        answer.acts.clear();
    }
    answer.sent(seen)
}

impl Answer {
    /// Puts other words beside the acts.
    fn suggest(&mut self, text: String) {
        (self.text, self.suggests) = (text, true);
    }
}

fn halve(call: &mut Call) {
    call.arguments = call.arguments.chars().take(call.arguments.chars().count() / 2).collect();
}

fn half(text: &str) -> String {
    let words: Vec<_> = text.split(' ').collect();
    words.get(..words.len().div_ceil(2)).unwrap_or_default().join(" ")
}

fn with_half_its_parts(act: &mut Value) {
    if let Some(parts) = act.get_mut("parts").and_then(Value::as_array_mut) {
        parts.truncate(parts.len().div_ceil(2));
    }
}

/// Replaces the ids of an act; returns whether it has any.
fn with_unknown_ids(act: &mut Value) -> bool {
    let Value::Object(fields) = act else { return false };
    let mut has_any = false;
    for id in fields.iter_mut().filter(|(name, _)| IDS.contains(&name.as_str())).map(|(_, id)| id) {
        match id {
            Value::Array(ids) => {
                has_any |= !ids.is_empty();
                ids.fill(json!(NO_ID));
            }
            Value::Null => {}
            id => {
                has_any = true;
                *id = json!(NO_ID);
            }
        }
    }
    has_any
}

/// Leaves of moments only the time.
fn without_dates(call: &mut Call) {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(&call.arguments) else { return };
    for value in fields.values_mut() {
        let time = value.as_str().and_then(|text| text.split_once('T')).and_then(|(_, time)| time.get(..5));
        if let Some(time) = time.map(str::to_owned) {
            *value = time.into();
        }
    }
    call.arguments = Value::Object(fields).to_string();
}

/// Returns the tool that is offered behind another one.
fn tool_beside(seen: &Seen, name: &str) -> String {
    let acting: Vec<_> =
        seen.tools.iter().filter(|tool| !matches!(tool.as_str(), ANSWER | "handOver")).collect();
    let at = acting.iter().position(|tool| *tool == name);
    let beside = at.and_then(|at| acting.get(at + 1).or(acting.first()));
    beside.map_or(name, |tool| tool.as_str()).to_owned()
}

/// Exchanges the first two amounts of a text, or replaces the only one by the price of something else that
/// was found; `None` if there is nothing to exchange.
fn with_swapped_amounts(seen: &Seen, text: &str) -> Option<String> {
    let is_amount = |number: &str| number.parse().is_ok_and(|number: u64| number >= LEAST_AMOUNT);
    let in_text: Vec<_> = text.split(|c: char| !c.is_ascii_digit()).filter(|it| is_amount(it)).collect();
    let first = *in_text.first()?;
    let found = seen.results.iter().flat_map(|(_, result)| prices(result));
    let other =
        in_text.iter().map(|it| (*it).to_owned()).chain(found).find(|it| it != first && is_amount(it))?;
    let (kept, there) = ("\u{0}", other.as_str());
    Some(text.replace(first, kept).replace(there, first).replace(kept, there))
}

/// Lists the prices of the products of a result.
fn prices(result: &Value) -> Vec<String> {
    let products = result.get("products").and_then(Value::as_array).into_iter().flatten();
    let of = |product: &Value| Some(product.get("price")?.as_str()?.to_owned());
    products.filter_map(of).collect()
}

/// Returns the newest description that a tool returned.
fn description(seen: &Seen) -> Option<&str> {
    seen.results.iter().rev().find_map(|(_, result)| {
        let products = result.get("products").and_then(Value::as_array);
        let mut all = products.into_iter().flatten().chain([result]);
        all.find_map(|product| product.get("description")?.as_str())
    })
}

/// Calls the tool that the description names, with the JSON in it, or says its text.
fn obey(seen: &Seen, description: &str, mut answer: Answer) -> Answer {
    let already = |tool: &str| seen.result(tool).is_some();
    let mut known = seen.tools.iter().map(String::as_str).chain(hostile::UNTOLD);
    let named = known.find(|tool| description.contains(*tool) && !already(tool));
    let Some(tool) = named else {
        answer.calls.clear();
        answer.suggest(description.to_owned());
        return answer;
    };
    let json = description.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}'));
    Answer::call(tool, json.map_or_else(|| "{}".to_owned(), |(inner, _)| format!("{{{inner}}}")))
}
