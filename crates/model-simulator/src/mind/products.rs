//! Prices and availability.

use serde_json::{Value, json};

use super::acts::{act, ask, cannot, discount, list, not_found, quote};
use super::fold::{is_said, same, tokens};
use super::intent::spoken_of;
use super::lexicon::{HAGGLES, OFFERS, STOCK};
use super::questions::Question;
use super::results::{failed, text};
use super::tools::{call, hand_over};
use super::words::Words;
use crate::answer::Answer;
use crate::wire::Seen;

/// Most products mentioned in an answer.
const MOST_TOLD: usize = 3;

/// Looks up the current subject, and tells its price and availability.
pub(super) fn answer(seen: &Seen, words: Words) -> Answer {
    let found = match found(seen, words) {
        Ok(found) => found,
        Err(next) => return next,
    };
    let fitting = found.fitting();
    let Some(first) = fitting.first().copied() else { return closest(&found, words) };
    let burst: Vec<_> = seen.burst.iter().map(String::as_str).collect();
    let asked = tokens(&burst.join(" "));
    let asks_for = |list| asked.iter().any(|word| is_said(word, list));
    let told = fitting.get(..MOST_TOLD).unwrap_or(&fitting);
    let each = |act: &dyn Fn(&Value) -> Value| told.iter().map(|product| act(product)).collect();
    let mut told = match told {
        told if asks_for(OFFERS) => Answer::said(each(&discount), words.products(told)),
        [_] => quoted(seen, first, &choose(first, &burst), words),
        // A list names only what is not there.
        told if asks_for(STOCK) => {
            Answer::said(each(&|product| quote(seen, product, None)), words.products(told))
        }
        told => Answer::said(vec![list("list", told)], words.products(told)),
    };
    let has_none = |item: &Value| text(item, "availability") == "out_of_stock";
    let is_gone = match choose(first, &burst) {
        Choice::Variant(variant) if fitting.len() == 1 => has_none(variant),
        _ => fitting.iter().all(|it| has_none(it)),
    };
    if asks_for(HAGGLES) {
        told.acts.insert(0, cannot("discount"));
        told.text = format!("{}\n{}", words.fixed_price(), told.text);
    } else if seen.offers("placeOrder") && !is_gone {
        told.acts.push(act("how_to_order"));
        told.text = format!("{}\n{}", told.text, words.how_to_order());
    }
    told
}

/// Tells price and availability of a product, or of the variant that was chosen.
pub(super) fn quoted(seen: &Seen, product: &Value, choice: &Choice<'_>, words: Words) -> Answer {
    match choice {
        Choice::Variant(variant) => {
            Answer::said(vec![quote(seen, product, Some(variant))], words.variant(product, variant))
        }
        Choice::Plain | Choice::Open(_) => {
            Answer::said(vec![quote(seen, product, None)], words.product(product))
        }
    }
}

/// Results of a search in this turn, best first.
pub(super) struct FoundProducts<'a> {
    pub(super) products: Vec<&'a Value>,
    /// Words that were searched for.
    subject: String,
    /// Index of the message that named the subject, among all of the customer's.
    pub(super) since: usize,
}

impl<'a> FoundProducts<'a> {
    /// Returns the strong matches; only those that contain every searched word, if there are any.
    pub(super) fn fitting(&self) -> Vec<&'a Value> {
        let strong: Vec<_> = self.products.iter().copied().filter(|it| is_strong(it)).collect();
        let wanted = tokens(&self.subject);
        let holds_all = |product: &Value| {
            let title = tokens(text(product, "title"));
            wanted.iter().all(|word| title.iter().any(|it| same(it, word)))
        };
        let whole: Vec<_> = strong.iter().copied().filter(|it| holds_all(it)).collect();
        if wanted.is_empty() || whole.is_empty() { strong } else { whole }
    }
}

/// Returns the results of a search in this turn, or the call that has to come before.
pub(super) fn found(seen: &Seen, words: Words) -> Result<FoundProducts<'_>, Answer> {
    let burst = seen.burst.join("\n");
    let is_answer = Question::of(&seen.business) == Some(Question::Product);
    let named = spoken_of(&burst, &seen.earlier).or_else(|| is_answer.then_some((burst, seen.earlier.len())));
    let Some((subject, since)) = named else {
        return Err(Answer::said(vec![ask("product")], words.which_product()));
    };
    match seen.result("searchProducts") {
        Some(result) if failed(result) => Err(hand_over(seen, words)),
        Some(result) => {
            let products = result.get("products").and_then(Value::as_array);
            Ok(FoundProducts { products: products.into_iter().flatten().collect(), subject, since })
        }
        None => Err(call(seen, words, "searchProducts", &json!({ "query": subject }))),
    }
}

/// Answers with the closest product, if any was found.
pub(super) fn closest(found: &FoundProducts<'_>, words: Words) -> Answer {
    match found.products.first() {
        Some(product) => Answer::said(vec![list("closest", &[product])], words.closest(product)),
        None => Answer::said(vec![not_found(&found.subject)], words.nothing_found()),
    }
}

fn is_strong(product: &Value) -> bool {
    text(product, "match") == "strong"
}

/// Choice among the variants: `Plain` without any, `Open` while several fit.
pub(super) enum Choice<'a> {
    Plain,
    Variant(&'a Value),
    Open(Vec<&'a Value>),
}

/// Chooses the variant that the newest message naming one asks for.
pub(super) fn choose<'a>(product: &'a Value, messages: &[&str]) -> Choice<'a> {
    let variants: Vec<_> = product.get("variants").and_then(Value::as_array).into_iter().flatten().collect();
    match variants.as_slice() {
        [] => return Choice::Plain,
        [only] => return Choice::Variant(only),
        _ => {}
    }
    let named = messages.iter().rev().find_map(|message| {
        let words = tokens(message);
        let is_whole = |variant: &&Value| {
            let title = tokens(text(variant, "title"));
            !title.is_empty() && words.windows(title.len()).any(|window| window == title)
        };
        // "قياس 42" of a variant that is called 42, and "اللون الأسود" of one that is called أسود.
        let is_option = |variant: &&Value| {
            let options = variant.get("options").and_then(Value::as_array).into_iter().flatten();
            let values: Vec<_> = options.flat_map(|option| tokens(text(option, "value"))).collect();
            let is_letters = |value: &String| value.parse::<u32>().is_err();
            values
                .iter()
                .filter(|value| is_letters(value))
                .any(|value| words.iter().any(|it| same(it, value)))
        };
        variants.iter().copied().find(is_whole).or_else(|| variants.iter().copied().find(is_option))
    });
    named.map_or(Choice::Open(variants), Choice::Variant)
}
