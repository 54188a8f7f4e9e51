//! What an answer of several acts says once, and what its questions refer to.

use super::say;
use crate::{
    assistant::speech::{
        Evidence, Message, Rotation, Telling,
        Voice::{self, English, FormalArabic, IraqiArabic, Sorani},
    },
    channels::ChannelKind,
};

fn shop() -> Evidence {
    r#"{
        "today": "2026-11-28",
        "products": [
            { "id": "sofa", "title": "Corner Sofa", "price": 1450000, "priceBefore": 1600000,
              "imageUrl": "https://cdn.shop.example/sofa.jpg", "url": "https://shop.example/sofa" },
            { "id": "table", "title": "Dining Table", "price": 780000, "availability": "out_of_stock" },
            { "id": "chair", "title": "Oak Chair", "price": 900000 },
            { "id": "tee", "title": "Tee", "price": 15000, "variants": [
                { "id": "bm", "title": "M / Black", "price": 15000, "options": { "Size": "M", "Color": "Black" } },
                { "id": "wm", "title": "M / White", "price": 17000, "options": { "Size": "M", "Color": "White" } },
                { "id": "rl", "title": "L / Red", "price": 15000, "availability": "out_of_stock",
                  "options": { "Size": "L", "Color": "Red" } } ] },
            { "id": "bank", "title": "Power Bank", "price": 20000, "variants": [
                { "id": "b1", "title": "Default Title", "price": 20000,
                  "options": { "Title": "Default Title" } } ] }
        ],
        "orders": [
            { "number": "1", "status": "Out for delivery", "trackingUrl": "https://t.example/1" },
            { "number": "2", "status": "wc-on-hold" },
            { "number": "3", "status": "cancelled", "trackingUrl": "https://t.example/3" },
            { "number": "4", "status": "بانتظار المندوب" }
        ],
        "slots": [
            { "id": "b", "startsAt": "2026-11-28T19:30:00+03:00", "endsAt": "2026-11-28T20:00:00+03:00",
              "service": "Haircut" },
            { "id": "a", "startsAt": "2026-11-28T19:00:00+03:00", "endsAt": "2026-11-28T19:30:00+03:00",
              "service": "Haircut" }
        ],
        "ranges": [{ "id": "friday", "from": "2026-12-04T00:00:00+03:00", "to": "2026-12-05T00:00:00+03:00" }],
        "record": { "next_visit": "2026-12-01 09:00", "joined": "2026-01-05", "Balance": "-" },
        "drafts": [{ "id": "d", "kind": "order", "summary": "Your order:\n2 × Oak Chair – 1,800,000 IQD" }],
        "facts": [{ "id": "f", "text": "Open daily." }],
        "customer": ["1.2m?", "السلام عليكم ورحمة الله وبركاته"],
        "business": "Palm Store", "assistant": "Sara"
    }"#
    .parse()
    .unwrap()
}

/// Returns all that is said in the turns after each other.
fn said(voice: Voice, acts: &str) -> Vec<String> {
    let (evidence, answer) = (shop(), acts.parse::<super::Answer>().unwrap());
    let book = super::Phrasebook::shipped(voice).unwrap();
    let turns = (0..6).map(|turn| {
        let telling = Telling { evidence: &evidence, book: &book, rotation: Rotation::of(b"a chat", turn) };
        let speech = telling.say(&answer.acts).unwrap_or_else(|error| panic!("{acts}: {error}"));
        speech.text().replace(['\u{2068}', '\u{2069}'], "")
    });
    turns.collect()
}

fn assert_said(voice: Voice, acts: &str, has: &[&str], has_not: &[&str]) {
    for text in said(voice, acts) {
        assert!(has.iter().all(|part| text.contains(part)), "{acts}: {text}");
        assert!(!has_not.iter().any(|part| text.contains(part)), "{acts}: {text}");
    }
}

#[test]
fn an_orders_state_is_told_as_its_system_has_it_and_followed_only_while_it_is_to_come() {
    let of = |number: u8| format!(r#"[{{"act":"order_status","order":"{number}"}}]"#);
    assert_said(English, &of(1), &["out for delivery", "https://t.example/1"], &["shipped"]);
    assert_said(English, &of(2), &["on hold"], &["can't see"]);
    assert_said(Sorani, &of(2), &["ڕاگیراوە"], &[]);
    assert_said(English, &of(3), &["cancelled"], &["https://"]);
    assert_said(IraqiArabic, &of(4), &["«بانتظار المندوب»"], &[]);
}

#[test]
fn a_name_and_a_price_stand_once() {
    for voice in Voice::ALL {
        for acts in [
            r#"[{"act":"decline_offer","amount":1200000,"product":"sofa"},{"act":"discount","product":"sofa"}]"#,
            r#"[{"act":"quote","product":"sofa","parts":["availability"]},
                {"act":"quote","product":"sofa","parts":["price","link"]}]"#,
            r#"[{"act":"quote","product":"sofa","parts":["price"]},{"act":"cite","fact":"f"},
                {"act":"quote","product":"sofa","parts":["link"]}]"#,
        ] {
            for text in said(voice, acts) {
                assert_eq!(text.matches("Corner Sofa").count(), 1, "{text}");
                assert_eq!(text.matches("1,450,000").count(), 1, "{text}");
            }
        }
        let sum =
            r#"[{"act":"multiple","product":"chair","quantity":2},{"act":"propose_order","draft":"d"}]"#;
        assert!(said(voice, sum).iter().all(String::is_empty));
        let counted = r#"[{"act":"multiple","product":"chair","quantity":2},
            {"act":"confirm_understanding","product":"chair","quantity":2}]"#;
        assert!(said(voice, counted).iter().all(|text| text.matches("Oak Chair").count() == 1));
    }
}

#[test]
fn an_answer_apologises_once_and_at_its_beginning() {
    let two =
        r#"[{"act":"decline_offer","amount":1200000,"product":"sofa"},{"act":"cannot","topic":"discount"}]"#;
    let late = r#"[{"act":"apologise"},{"act":"order_status","order":"2"},
        {"act":"hand_over","reason":"complaint"}]"#;
    for (voice, sorry) in [
        (English, &["orry", "afraid", "pologi"][..]),
        (IraqiArabic, &["العفو", "نعتذر", "سامحونا", "حقكم علينا"]),
        (FormalArabic, &["نعتذر", "عذراً", "نأسف"]),
        (Sorani, &["ببوورن", "بەداخەوە", "لێبوردن"]),
    ] {
        let apologises = |text: &str| sorry.iter().any(|word| text.contains(word));
        for text in said(voice, two) {
            let (_, second) = text.split_once('\n').unwrap();
            assert!(!apologises(second) || !apologises(text.lines().next().unwrap()), "{text}");
        }
        for text in said(voice, late) {
            let (first, rest) = text.split_once('\n').unwrap();
            assert!(apologises(first) && !apologises(rest), "{text}");
        }
    }
}

#[test]
fn nobody_waits_for_what_is_there() {
    let waits = r#"[{"act":"wait"},{"act":"quote","product":"sofa","parts":["price"]}]"#;
    assert_said(English, waits, &["1,450,000"], &["moment"]);
    let who = r#"[{"act":"not_a_person"},{"act":"who_i_am"}]"#;
    assert_said(English, who, &["No, ", "Sara", "Palm Store"], &["?", "\n"]);
}

#[test]
fn times_of_one_day_stand_beside_each_other_in_their_order() {
    let slots = r#"[{"act":"slots","slots":["b","a"]},{"act":"ask","what":"time"}]"#;
    assert_said(English, slots, &["• Today, Saturday 28/11: 7:00 pm, 7:30 pm", "Which of these"], &[]);
    assert_said(IraqiArabic, slots, &["• اليوم السبت 28/11: 7:00 المسا، 7:30 المسا", "موعد"], &[]);
    let none = r#"[{"act":"no_slots","range":"friday"},{"act":"ask","what":"day"}]"#;
    assert_said(English, none, &[" on Friday 4/12", "other day"], &[]);
    let record = r#"[{"act":"record","fields":["next_visit","joined"]}]"#;
    assert_said(English, record, &["• Next visit: Tuesday 1/12 at 9:00 am", "• Joined: 5/1/2026"], &["_"]);
}

#[test]
fn a_question_refers_to_what_stands_above_it() {
    for (voice, listed) in
        [(English, "Which one"), (IraqiArabic, "منهم"), (FormalArabic, "أيها"), (Sorani, "کامیان")]
    {
        let ask = r#"[{"act":"list","products":["sofa","chair"]},{"act":"ask","what":"product"}]"#;
        let all = said(voice, ask);
        assert!(all.iter().any(|text| text.contains(listed)), "{all:?}");
        assert!(said(voice, r#"[{"act":"ask","what":"product"}]"#).iter().all(|text| !text.contains(listed)));
    }
    let colour = r#"[{"act":"ask","what":"colour","options":["bm","wm"]}]"#;
    assert_said(English, colour, &["• Black: 15,000 IQD", "• White: 17,000 IQD"], &["M /"]);
    let left = r#"[{"act":"ask","what":"colour","options":["bm","rl"]}]"#;
    assert_said(English, left, &["M / Black", "?"], &["Red", "•"]);
    let bank = r#"[{"act":"confirm_understanding","product":"bank","variant":"b1","quantity":2}]"#;
    assert_said(English, bank, &["Power Bank"], &["Default"]);
}

#[test]
fn what_comes_near_is_what_there_is_and_is_not_said_to_be_missed_beside_a_refused_offer() {
    let others = r#"[{"act":"quote","product":"tee","variant":"rl","parts":["availability"]},
        {"act":"closest","products":["tee"]}]"#;
    assert_said(
        English,
        others,
        &["• M / Black: 15,000 IQD", "• M / White: 17,000 IQD"],
        &["• Tee", "closest"],
    );
    let refused = r#"[{"act":"decline_offer","amount":1200000,"product":"sofa"},
        {"act":"closest","products":["chair"]}]"#;
    assert_said(English, refused, &["Oak Chair: 900,000 IQD", "less"], &["find", "closest", "close to"]);
    let compared = r#"[{"act":"compare","products":["table","chair"]}]"#;
    assert_said(
        English,
        compared,
        &["Dining Table: 780,000 IQD (out of stock)", "n stock", "Oak Chair"],
        &[],
    );
}

#[test]
fn a_line_of_isolated_letters_begins_at_the_right_and_a_greeting_stands_above_a_photo() {
    let acts = r#"[{"act":"greet"},{"act":"quote","product":"sofa","parts":["photo","link"]}]"#;
    let messages = |voice, channel| say(voice, acts, &shop()).unwrap().messages(channel);
    let arabic = messages(IraqiArabic, ChannelKind::Instagram);
    let [Message::Text(greeting), Message::Photo { caption: None, .. }, Message::Text(text)] =
        arabic.as_slice()
    else {
        panic!("{arabic:?}")
    };
    assert!(greeting.contains("وبركاته"), "{greeting}");
    assert!(text.starts_with("\u{200f}\u{2068}Corner Sofa") && text.contains("\nhttps://"), "{text}");
    let english = messages(English, ChannelKind::Whatsapp);
    assert!(english.iter().all(|message| !message.text().unwrap_or_default().contains('\u{200f}')));
}
