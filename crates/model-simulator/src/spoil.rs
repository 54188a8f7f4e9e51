//! Spoiling of answers by faults.

use serde_json::Value;

use crate::answer::{Answer, Call};
use crate::core::Core;
use crate::faults::Fault;
use crate::hostile;
use crate::mind::is_arabic;
use crate::wire::Seen;

/// Applies the active faults to an answer.
pub(crate) fn spoil(core: &Core, seen: &Seen, mut answer: Answer) -> Answer {
    if core.strikes(Fault::Hostile) {
        return hostile::answer(seen);
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
        answer = obey(seen, description);
    }
    if !answer.calls.is_empty() {
        if core.strikes(Fault::EmptyArguments) {
            answer.calls.iter_mut().for_each(|call| call.arguments.clear());
        }
        if core.strikes(Fault::BrokenArguments) {
            answer.calls.iter_mut().for_each(halve);
        }
        return answer;
    }
    let arabic = seen.burst.iter().any(|text| is_arabic(text));
    let said = |fault, in_arabic: &str, in_english: &str| {
        let text = if arabic { in_arabic } else { in_english };
        core.strikes(fault).then(|| Answer::words(text))
    };
    said(Fault::InventedPrice, "السعر إلك 7777 دينار بس", "For you it is 7777 dinars")
        .or_else(|| said(Fault::FalsePromise, "تم تثبيت طلبك", "Your order has been placed"))
        .or_else(|| said(Fault::WrongLanguage, "Yes, of course, we have that", "نعم، موجود عندنا"))
        .unwrap_or(answer)
}

fn halve(call: &mut Call) {
    call.arguments = call.arguments.chars().take(call.arguments.chars().count() / 2).collect();
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
fn obey(seen: &Seen, description: &str) -> Answer {
    let already = |tool: &str| seen.result(tool).is_some();
    let named = seen.tools.iter().find(|tool| description.contains(tool.as_str()) && !already(tool));
    let Some(tool) = named else { return Answer::words(description) };
    let json = description.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}'));
    Answer::call(tool, json.map_or_else(|| "{}".to_owned(), |(inner, _)| format!("{{{inner}}}")))
}
