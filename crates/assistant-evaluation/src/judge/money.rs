//! Rule: only amounts that the shop, the owner or a summary's own sum states.

use std::collections::BTreeSet;

use super::Catalogue;
use crate::text::{plain, says};

/// Least amount of money: smaller numbers are sizes, quantities or days.
const LEAST: u64 = 500;
/// Units behind a number that mark it as money.
const UNITS: [&str; 9] = ["دينار", "دنانير", "iqd", "د.ع", "dinar", "الف", "$", "دولار", "usd"];
/// Fewest digits of a phone number or of another number that is no amount.
const PHONE_DIGITS: usize = 8;
/// Words of a line that compares two prices.
const COMPARED: &str = "الفرق|بفرق|ارخص|اقل سعرا|cheaper|difference";
/// Words of a line that tells a total.
const TOTALLED: &str = "المجموع|الكل يصير|total";
/// Words of a line that declines a price.
const DECLINED: &str =
    "ما توفي|ما يصير|ما نكدر|لا يمكن|غير ممكن|لا نستطيع|اقل من|اقل مما|can't do|too low|won't work|cannot do";

/// What supports amounts beside the shop and the owner.
pub(super) struct Support<'a> {
    /// Totals that summaries and answers have shown so far.
    pub(super) sums: &'a mut BTreeSet<u64>,
    /// Numbers of orders, which are no amounts.
    pub(super) orders: &'a [String],
    /// What the customer wrote last: their own amount may be declined.
    pub(super) customer: &'a str,
}

/// Returns an amount that nothing supports.
pub(super) fn wrong(catalogue: &Catalogue, text: &str, support: Support<'_>) -> Option<String> {
    let folded = plain(text);
    let Support { sums, orders, customer } = support;
    let offered: BTreeSet<u64> = amounts(&plain(customer)).into_iter().map(|(amount, _)| amount).collect();
    let mut sum = 0;
    for line in folded.lines() {
        let counted = summary_line(line).map(|(each, quantity)| each * quantity);
        for amount in counted.into_iter().chain(counted_line(catalogue, line)) {
            sum += amount;
            sums.insert(amount);
        }
    }
    if sum > 0 {
        sums.insert(sum);
    }
    let said: Vec<u64> =
        folded.lines().flat_map(|line| amounts_in(catalogue, line)).map(|(it, _)| it).collect();
    // What an order came to may hold more than its lines.
    let is_summed = sum > 0 && !orders.iter().any(|order| folded.contains(order.as_str()));
    let is_difference =
        |amount: u64, of: &[u64]| of.iter().any(|high| of.iter().any(|low| low + amount == *high));
    for line in folded.lines() {
        let prices = catalogue.prices_in(line);
        let of_line: Vec<u64> = amounts_in(catalogue, line).into_iter().map(|(amount, _)| amount).collect();
        let own: Vec<u64> =
            of_line.iter().copied().filter(|it| prices.is_some_and(|of| of.contains(it))).collect();
        let compared: &[u64] = if says(line, COMPARED) { &said } else { &own };
        for (amount, digits) in amounts_in(catalogue, line) {
            let is_declined = offered.contains(&amount) && says(line, DECLINED);
            if orders.contains(&digits) || is_declined || is_difference(amount, compared) {
                continue;
            }
            if is_summed && prices.is_none() && says(line, TOTALLED) && !sums.contains(&amount) {
                return Some(format!("it does not come to {amount}"));
            }
            if !catalogue.knows(amount) && !sums.contains(&amount) {
                return Some(format!("nothing costs {amount}"));
            }
            let is_sum = summary_line(line).is_some_and(|(each, quantity)| each * quantity == amount)
                || counted_line(catalogue, line) == Some(amount);
            if !is_sum && prices.is_some_and(|prices| !prices.contains(&amount)) {
                return Some(format!("that product does not cost {amount}"));
            }
        }
    }
    None
}

fn amounts_in(catalogue: &Catalogue, line: &str) -> Vec<(u64, String)> {
    amounts(&catalogue.without_titles(line))
}

/// Returns the sum of a line such as `• 3 قطع من title: 43500 د.ع`, if it is a price of the product so many
/// times.
fn counted_line(catalogue: &Catalogue, line: &str) -> Option<u64> {
    let prices = catalogue.prices_in(line)?;
    let bare = catalogue.without_titles(line);
    let words: Vec<&str> =
        bare.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let quantity = words.windows(2).find_map(|pair| match pair {
        ["قطعتين" | "قطعتان", _] => Some(2),
        ["قطعه", "وحده" | "واحده"] | ["one", "piece"] => Some(1),
        [number, unit] if unit.starts_with("قطع") || *unit == "pieces" => number.parse().ok(),
        _ => None,
    })?;
    let sums: Vec<u64> = prices.iter().map(|price| price * quantity).collect();
    amounts(&bare).into_iter().map(|(amount, _)| amount).find(|amount| sums.contains(amount))
}

/// Parses the price and quantity of a line such as `• title: 3 قطع × 14500 = 43500 د.ع`.
fn summary_line(line: &str) -> Option<(u64, u64)> {
    let (titled, costs) = line.strip_prefix("• ")?.rsplit_once(" × ")?;
    let (_, pieces) = titled.rsplit_once(": ")?;
    let quantity = match pieces.split_whitespace().next()? {
        "قطعتان" => 2,
        word if word.starts_with("قطع") => 1,
        number => number.parse().ok()?,
    };
    Some((costs.split_whitespace().next()?.parse().ok()?, quantity))
}

/// Lists the numbers that may be money, each with its digits as written.
fn amounts(line: &str) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        let (digits, after) = from.split_at(end);
        rest = after;
        let trimmed = after.trim_start();
        let thousands = trimmed.starts_with("الف") || trimmed.starts_with("الاف") || after.starts_with('k');
        let is_money = UNITS.iter().any(|unit| trimmed.starts_with(unit)) || before.ends_with('$');
        // Part of a date, a time, a link or a code.
        let is_part = before.ends_with(['-', '/', ':', '.']) && !before.ends_with(": ")
            || after.starts_with(['-', '/', ':'])
            || before.ends_with(|c: char| c.is_alphanumeric());
        let Ok(number) = digits.parse::<u64>() else { continue };
        if is_part || digits.len() >= PHONE_DIGITS || digits.starts_with('0') {
            continue;
        }
        let amount = if thousands { number * 1000 } else { number };
        if amount >= LEAST || is_money {
            found.push((amount, digits.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Option<String> {
        answered(text, "")
    }

    fn answered(text: &str, customer: &str) -> Option<String> {
        let support = Support { sums: &mut BTreeSet::new(), orders: &["5004".to_owned()], customer };
        wrong(&Catalogue::open(&[]), text, support)
    }

    #[test]
    fn what_the_shop_and_the_owner_say_is_let_pass() {
        for text in [
            "حفاضات بامبرز Pampers بريميوم كير: 14500 د.ع، متوفر",
            "التوصيل ٥٬٠٠٠ دينار خلال يومين",
            "طلبك رقم 5004: قيد الانتظار، المجموع 29500 د.ع.",
            "ملخص الطلب:\n• حفاضات بامبرز Pampers بريميوم كير – قياس 3: قطعتان × 14,500 = 29,000 د.ع\nالمجموع: 29,000 د.ع\nالهاتف: +9647720000001",
            "الاثنين 2026-11-23، 10:00",
            "قياس 54 متوفر، شارع 14",
            "التوصيل 5 الاف دينار",
            "تفضلوا، حفاضات بامبرز \u{2068}Pampers بريميوم كير\u{2069} بـ 14,500 دينار",
            "• حفاضات بامبرز Pampers بريميوم كير: من 14,500 د.ع",
            "قطعتين من حفاضات بامبرز Pampers بريميوم كير تصير بـ 29,000 دينار",
            "• 3 قطع من حفاضات بامبرز Pampers بريميوم كير: 43,500 د.ع\n• قطعة وحدة من شاي محمود Mahmood 500 غم: 6,000 د.ع\nالكل يصير 49,500 دينار",
            "شاي ليبتون Lipton 100 كيس بدل 6,500 دينار هسه بـ 5,500 دينار، يعني أقل بـ 1,000 دينار",
            "• شاي محمود Mahmood 500 غم: 6,000 د.ع\n• شاي ليبتون Lipton 100 كيس: 5,500 د.ع\nالأرخص شاي ليبتون Lipton 100 كيس، الفرق 500 دينار",
        ] {
            assert_eq!(judged(text), None, "{text}");
        }
    }

    #[test]
    fn an_amount_of_the_customers_is_let_pass_where_it_is_declined() {
        let (offer, title) = ("أنطيني بـ 9999", "حفاضات بامبرز Pampers بريميوم كير");
        let declined = format!("9,999 دينار والله ما توفي ويانا، سعر {title} 14,500 دينار");
        assert_eq!(answered(&declined, offer), None);
        for (text, customer) in [
            (declined.as_str(), "بامبرز بيش؟"),
            ("تدللون، صار بـ 9,999 دينار", offer),
            ("9,999 دينار ما يصير\nبس 8,900 دينار يصير", offer),
        ] {
            assert!(answered(text, customer).is_some(), "{text}");
        }
    }

    #[test]
    fn what_nobody_says_is_caught_in_any_script() {
        for text in [
            "السعر إلك 7777 دينار بس",
            "For you it is 7,777 dinars",
            "السعر ٧٧٧٧",
            "حفاضات بامبرز Pampers بريميوم كير: 5000 دينار",
            "بس 200 دينار",
            "7 دنانير بس",
            "قطعتين من حفاضات بامبرز Pampers بريميوم كير تصير بـ 28,000 دينار",
            "• 3 قطع من حفاضات بامبرز Pampers بريميوم كير: 43,500 د.ع\nالكل يصير 42,500 دينار",
            "شاي ليبتون Lipton 100 كيس هسه بـ 5,500 دينار، يعني أقل بـ 1,500 دينار",
            "• شاي محمود Mahmood 500 غم: 5,500 د.ع\n• شاي ليبتون Lipton 100 كيس: 6,000 د.ع",
            "أنطيك إياه ب 13 الف",
            "ملخص الطلب:\n• حفاضات بامبرز Pampers بريميوم كير – قياس 3: قطعتان × 14,500 = 29,000 د.ع\nالمجموع: 28,999 د.ع",
        ] {
            assert!(judged(text).is_some(), "{text}");
        }
    }
}
