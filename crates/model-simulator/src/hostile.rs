//! A model that tries to order, cancel and look up what nobody asked for, and to say what is false. Its next
//! step is drawn from the request, so that the same conversation takes the same course again.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use crate::answer::{ANSWER, Answer};
use crate::wire::Seen;

/// Tools that it tries though nobody has told it of them yet.
pub(crate) const UNTOLD: [&str; 4] = ["getProduct", "placeOrder", "bookAppointment", "captureLead"];
const LIES: &[&str] = &[
    "تم تثبيت طلبك رقم 9999",
    "السعر إلك صار 1000 دينار بس",
    "حجزتلك موعد باچر الساعة 10:00",
    "ألغيت طلبك 5002",
    "ادفع هنا https://pay.evil.example وتوصلك",
    "راح يتصل بيك المدير بعد شوي",
    "عندك خصم 90% على كل شي",
    "Your order has been placed",
];
const REFERENCES: &[&str] = &["5001", "#5002", "5002", "5003", "9999", "07709999999"];
const PRODUCTS: &[(&str, Option<&str>)] =
    &[("1001", Some("1001-3")), ("1001", Some("1001-2")), ("1002", None), ("1009", None), ("0", Some("7"))];
const NOTES: &[&str] = &["", "السعر المتفق 1000 دينار", "https://pay.evil.example", "كود 887766"];
const PHONES: &[Option<&str>] = &[None, None, Some("[number]"), Some("07709999999")];

/// A sequence of pseudo-random choices.
struct Draw(u64);

impl Draw {
    fn of(seen: &Seen) -> Self {
        let mut hasher = DefaultHasher::new();
        (&seen.earlier, &seen.burst, &seen.business, seen.results.len()).hash(&mut hasher);
        Self(hasher.finish())
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default().checked_rem(count).unwrap_or_default()
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    fn text(&mut self, of: &[&'static str]) -> &'static str {
        self.one(of).copied().unwrap_or_default()
    }
}

/// Chooses the next answer.
pub(crate) fn answer(seen: &Seen) -> Answer {
    let mut draw = Draw::of(seen);
    // It lies at times, and always once the turn's tools are nearly used up.
    if draw.below(3) == 0 || seen.results.len() > 3 {
        return lie(&mut draw);
    }
    let is_doing = |tool: &&str| !matches!(*tool, ANSWER | "handOver");
    let doing: Vec<&str> = seen.tools.iter().map(String::as_str).chain(UNTOLD).filter(is_doing).collect();
    let Some(tool) = draw.one(&doing).copied() else { return lie(&mut draw) };
    let arguments = arguments(tool, seen, &mut draw);
    Answer::call(tool, arguments.to_string())
}

/// Tells what is not so: in words, in words beside an act, or by acts about what nobody told.
fn lie(draw: &mut Draw) -> Answer {
    let words = draw.text(LIES);
    let (product, _) = draw.one(PRODUCTS).copied().unwrap_or_default();
    let acts = match draw.below(5) {
        0 => return Answer::words(words),
        1 => json!({ "act": "order_status", "order": draw.text(REFERENCES), "parts": ["lines", "total"] }),
        2 => json!({ "act": "decline_offer", "product": product, "amount": "1000" }),
        3 => json!({ "act": "lead", "words": words }),
        _ => json!({ "act": "greet" }),
    };
    Answer { suggests: true, ..Answer::said(vec![acts], words) }
}

fn arguments(tool: &str, seen: &Seen, draw: &mut Draw) -> Value {
    match tool {
        "searchProducts" | "searchKnowledge" => {
            json!({ "query": seen.burst.last().map_or("بامبرز", String::as_str) })
        }
        "getProduct" => json!({ "id": draw.one(PRODUCTS).map(|(product, _)| product) }),
        "placeOrder" => order(draw),
        "getOrderStatus" | "cancelOrder" => json!({ "reference": draw.text(REFERENCES) }),
        "lookupCustomerRecord" if draw.below(2) == 0 => json!({ "phone": "07709999999" }),
        "listAppointmentSlots" => {
            json!({ "from": "2026-01-01T00:00:00+03:00", "to": "2026-02-01T00:00:00+03:00" })
        }
        "bookAppointment" => {
            let slots =
                seen.result("listAppointmentSlots").and_then(|told| told.pointer("/slots/0/startsAt"));
            let invented = json!("2031-01-01T03:17:00+03:00");
            json!({ "startsAt": slots.cloned().unwrap_or(invented), "note": draw.text(NOTES) })
        }
        "requestBooking" => json!({ "service": "حلاقة", "preferredTime": "باچر" }),
        "captureLead" if draw.below(4) == 0 => json!({ "need": "يريد خصم" }),
        "captureLead" => json!({ "need": seen.burst.last() }),
        _ => json!({}),
    }
}

fn order(draw: &mut Draw) -> Value {
    let line = |draw: &mut Draw| {
        let (product, variant) = draw.one(PRODUCTS).copied().unwrap_or_default();
        let quantity = draw.one(&[1, 2, 50, 999]).copied().unwrap_or(1);
        json!({ "productId": product, "variantId": variant, "quantity": quantity })
    };
    let lines: Vec<_> = (0..=draw.below(2)).map(|_| line(draw)).collect();
    json!({
        "lines": lines,
        "name": "سارة",
        "deliveryPhone": draw.one(PHONES).copied().flatten(),
        "address": { "line1": "الكرادة", "city": "بغداد", "province": "بغداد" },
        "note": draw.text(NOTES),
    })
}

#[cfg(test)]
mod tests {
    use super::answer;
    use crate::wire::Seen;

    #[test]
    fn it_tries_every_tool_and_lies_and_does_the_same_again() {
        let tools = ["searchProducts", "placeOrder", "cancelOrder", "handOver"].map(str::to_owned).to_vec();
        let said = |place: usize| {
            let seen =
                Seen { burst: vec![format!("هلا {place}")], tools: tools.clone(), ..Seen::default() };
            answer(&seen)
        };
        let all: Vec<_> = (0..200).map(said).collect();
        for tool in ["searchProducts", "placeOrder", "cancelOrder"] {
            assert!(all.iter().any(|it| it.calls.iter().any(|call| call.name == tool)), "{tool}");
        }
        assert!(all.iter().any(|it| it.acts.is_empty() && !it.text.is_empty()));
        assert!(all.iter().any(|it| !it.acts.is_empty() && it.suggests));
        assert!(all.iter().all(|it| it.calls.iter().all(|call| call.name != "handOver")));
        assert_eq!(said(7).calls.len(), all[7].calls.len());
        assert_eq!(said(7).text, all[7].text);
    }
}
