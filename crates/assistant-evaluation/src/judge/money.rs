//! Rule: only amounts that the shop, the owner or a summary's own sum states.

use std::collections::BTreeSet;

use super::Catalogue;
use crate::text::plain;

/// Least amount of money: smaller numbers are sizes, quantities or days.
const LEAST: u64 = 500;
/// Units behind a number that mark it as money.
const UNITS: [&str; 6] = ["دينار", "iqd", "د.ع", "dinar", "الف", "$"];
/// Fewest digits of a phone number or of another number that is no amount.
const PHONE_DIGITS: usize = 8;

/// Returns an amount that nothing supports. `sums` are the totals that summaries have shown so far.
pub(super) fn wrong(
    catalogue: &Catalogue,
    text: &str,
    sums: &mut BTreeSet<u64>,
    numbers_of_orders: &[String],
) -> Option<String> {
    let folded = plain(text);
    let mut sum = 0;
    for line in folded.lines() {
        if let Some((each, quantity)) = summary_line(line) {
            sum += each * quantity;
            sums.insert(each * quantity);
        }
    }
    if sum > 0 {
        sums.insert(sum);
    }
    for line in folded.lines() {
        let prices = catalogue.prices_in(line);
        let line_is_titled = prices.is_some();
        for (amount, digits) in amounts(&catalogue.without_titles(line)) {
            if numbers_of_orders.contains(&digits) {
                continue;
            }
            if !catalogue.knows(amount) && !sums.contains(&amount) {
                return Some(format!("nothing costs {amount}"));
            }
            let is_sum = summary_line(line).is_some_and(|(each, quantity)| each * quantity == amount);
            if line_is_titled && !is_sum && prices.is_some_and(|prices| !prices.contains(&amount)) {
                return Some(format!("that product does not cost {amount}"));
            }
        }
    }
    None
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
        wrong(&Catalogue::open(&[]), text, &mut BTreeSet::new(), &["5004".to_owned()])
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
        ] {
            assert_eq!(judged(text), None, "{text}");
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
            "أنطيك إياه ب 13 الف",
            "ملخص الطلب:\n• حفاضات بامبرز Pampers بريميوم كير – قياس 3: قطعتان × 14,500 = 29,000 د.ع\nالمجموع: 28,999 د.ع",
        ] {
            assert!(judged(text).is_some(), "{text}");
        }
    }
}
