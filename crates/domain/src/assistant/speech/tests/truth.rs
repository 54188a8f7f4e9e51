//! What code says holds for whatever the evidence has: hours, what is sold out, prices of several variants.

use super::say;
use crate::assistant::speech::{
    Evidence, Rotation, Telling,
    Voice::{self, English, FormalArabic, IraqiArabic, Sorani},
};

/// Evidence with times of a Saturday, a shoe, a shirt, a cake and an abaya.
fn evidence() -> Evidence {
    r#"{
        "today": "2026-11-28",
        "products": [
            { "id": "shoe", "title": "Nike Air Max 270", "price": 79000, "variants": [
                { "id": "s40", "title": "40", "price": 79000, "options": { "القياس": "40" } },
                { "id": "s41", "title": "41", "price": 79000, "availability": "out_of_stock",
                  "options": { "القياس": "41" } },
                { "id": "s42", "title": "42", "price": 79000, "options": { "القياس": "42" } } ] },
            { "id": "linen", "title": "قميص كتان", "price": 24000, "variants": [
                { "id": "wm", "title": "أبيض / M", "price": 24000,
                  "options": { "القياس": "M", "اللون": "أبيض" } },
                { "id": "wl", "title": "أبيض / L", "price": 24000,
                  "options": { "القياس": "L", "اللون": "أبيض" } },
                { "id": "bm", "title": "أزرق / M", "price": 24000, "availability": "out_of_stock",
                  "options": { "القياس": "M", "اللون": "أزرق" } },
                { "id": "bx", "title": "أزرق / XL", "price": 26000,
                  "options": { "القياس": "XL", "اللون": "أزرق" } } ] },
            { "id": "jeans", "title": "جينز", "price": 30000, "variants": [
                { "id": "j1", "title": "30 أسود", "price": 30000,
                  "options": { "القياس": "30", "اللون": "أسود" } },
                { "id": "j2", "title": "32 أسود", "price": 30000,
                  "options": { "القياس": "32", "اللون": "أسود" } } ] },
            { "id": "cake", "title": "كيكة", "price": 18000, "variants": [
                { "id": "c1", "title": "صغيرة", "price": 18000 },
                { "id": "c2", "title": "وسط", "price": 25000 },
                { "id": "c3", "title": "كبيرة", "price": 36000, "availability": "out_of_stock" } ] },
            { "id": "gone", "title": "حقيبة", "price": 20000, "variants": [
                { "id": "g1", "title": "سوداء", "price": 20000, "availability": "out_of_stock" },
                { "id": "g2", "title": "بنية", "price": 22000, "availability": "out_of_stock" } ] },
            { "id": "tee", "title": "تيشيرت", "price": 12000, "priceBefore": 14000, "variants": [
                { "id": "t1", "title": "M", "price": 12000 },
                { "id": "t2", "title": "L", "price": 15000 } ] },
            { "id": "abaya", "title": "عباية", "price": 60000 },
            { "id": "ps5", "title": "PlayStation 5", "price": 650, "currency": "USD" }
        ],
        "slots": [
            { "id": "a", "startsAt": "2026-11-29T10:00:00+03:00", "endsAt": "2026-11-29T10:30:00+03:00",
              "service": "فحص" },
            { "id": "b", "startsAt": "2026-11-29T00:30:00+03:00", "endsAt": "2026-11-29T01:00:00+03:00",
              "service": "فحص" }
        ],
        "ranges": [
            { "id": "hours", "from": "2026-11-29T16:00:00+03:00", "to": "2026-11-29T20:00:00+03:00" },
            { "id": "night", "from": "2026-11-28T22:00:00+03:00", "to": "2026-11-29T02:00:00+03:00" },
            { "id": "today", "from": "2026-11-28T00:00:00+03:00", "to": "2026-11-29T00:00:00+03:00" },
            { "id": "minute", "from": "2026-11-28T00:00:00+03:00", "to": "2026-11-28T23:59:00+03:00" },
            { "id": "evening", "from": "2026-11-28T18:00:00+03:00", "to": "2026-11-29T00:00:00+03:00" },
            { "id": "morning", "from": "2026-11-30T00:00:00+03:00", "to": "2026-11-30T12:00:00+03:00" },
            { "id": "week", "from": "2026-11-28T15:00:00+03:00", "to": "2026-12-05T00:00:00+03:00" },
            { "id": "open", "from": "2026-11-28T15:00:00+03:00" }
        ],
        "record": { "المتبقي عليكم": 72500, "رقم العضوية": 104233, "النقاط": 120 },
        "facts": [
            { "id": "doctor", "text": "د. علي الجبوري، أخصائي أسنان. موجود السبت والاثنين.",
              "en": "Dr. Ali is a dentist. He is in on Saturdays." },
            { "id": "delivery", "text": "متوفر توصيل؟ لا. الدفع نقداً." }
        ],
        "customer": ["يصير بخمسين؟", "بە 50 هەزار نابێت؟", "70000؟", "500$؟"]
    }"#
    .parse()
    .unwrap()
}

/// Returns all that is said in the turns after each other.
fn said(voice: Voice, acts: &str) -> Vec<String> {
    let (evidence, answer) = (evidence(), acts.parse::<super::Answer>().unwrap());
    let book = super::Phrasebook::shipped(voice).unwrap();
    let turns = (0..5).map(|turn| {
        let telling = Telling { evidence: &evidence, book: &book, rotation: Rotation::of(b"a chat", turn) };
        let speech = telling.say(&answer.acts).unwrap_or_else(|error| panic!("{acts}: {error}"));
        speech.text().replace(['\u{2068}', '\u{2069}'], "")
    });
    turns.collect()
}

/// Returns what is said to a customer who wrote this last.
fn said_to(customer: &str, voice: Voice, acts: &str) -> String {
    let (mut evidence, answer) = (evidence(), acts.parse::<super::Answer>().unwrap());
    evidence.customer = vec![customer.to_owned()];
    let book = super::Phrasebook::shipped(voice).unwrap();
    let telling = Telling { evidence: &evidence, book: &book, rotation: Rotation::default() };
    telling.say(&answer.acts).unwrap_or_else(|error| panic!("{acts}: {error}")).text()
}

fn refused(acts: &str) -> String {
    say(English, acts, &evidence()).unwrap_err()
}

/// Asserts what each wording has, and has not.
fn assert_said(voice: Voice, acts: &str, has: &[&str], has_not: &[&str]) {
    for text in said(voice, acts) {
        assert!(has.iter().all(|part| text.contains(part)), "{acts}: {text}");
        assert!(!has_not.iter().any(|part| text.contains(part)), "{acts}: {text}");
    }
}

#[test]
fn no_more_than_the_range_that_was_asked_for_is_said_to_have_no_times() {
    let of = |range: &str| format!(r#"[{{"act":"no_slots","range":"{range}"}}]"#);
    for (voice, range, has, has_not) in [
        (English, "hours", &["tomorrow, Sunday 29/11", "4:00 pm", "8:00 pm"][..], &["on tomorrow"][..]),
        (IraqiArabic, "hours", &["باچر الأحد 29/11", "4:00 العصر", "8:00 المسا"], &["يوم باچر"]),
        (Sorani, "hours", &["سبەی یەکشەممە 29/11", "4:00ی دوانیوەڕۆ", "8:00ی ئێوارە"], &[]),
        (English, "night", &["Saturday 28/11 at 10:00 pm", "Sunday 29/11 at 2:00 am"], &[]),
        (FormalArabic, "night", &["28/11 الساعة 10:00 ليلاً", "29/11 الساعة 2:00 بعد"], &[]),
        (English, "today", &["today, Saturday 28/11"], &["on today", "am", "pm"]),
        (IraqiArabic, "today", &["اليوم السبت 28/11"], &["يوم اليوم", "الساعة"]),
        (FormalArabic, "minute", &["اليوم السبت 28/11"], &["يوم اليوم", "الساعة"]),
        (English, "evening", &["today, Saturday 28/11", "6:00 pm"], &["12:00", "29/11"]),
        (Sorani, "morning", &["دووشەممە 30/11", "12:00ی نیوەڕۆ"], &[]),
        (English, "week", &["Saturday 28/11 at 3:00 pm", "Friday 4/12"], &["5/12"]),
        (English, "open", &["from today, Saturday 28/11 at 3:00 pm on"], &["then"]),
    ] {
        assert_said(voice, &of(range), has, has_not);
    }
}

#[test]
fn a_time_of_the_small_hours_is_told_with_its_night() {
    let acts = r#"[{"act":"slots","slots":["b"]}]"#;
    assert_said(IraqiArabic, acts, &["ليلة السبت على الأحد 29/11 الساعة 12:30"], &["باچر", ":\n"]);
    assert_said(English, acts, &["Sunday 29/11 at 12:30 am, in the night after Saturday"], &["tomorrow"]);
}

#[test]
fn a_sentence_is_cited_whole_and_a_question_with_its_answer() {
    let cite =
        |fact: &str, sentence: u8| format!(r#"[{{"act":"cite","fact":"{fact}","sentences":[{sentence}]}}]"#);
    for (voice, fact, sentence, text) in [
        (IraqiArabic, "doctor", 1, "د. علي الجبوري، أخصائي أسنان."),
        (English, "doctor", 1, "Dr. Ali is a dentist."),
        (IraqiArabic, "delivery", 1, "متوفر توصيل؟ لا."),
        (IraqiArabic, "delivery", 2, "متوفر توصيل؟ لا."),
        (IraqiArabic, "delivery", 3, "الدفع نقداً."),
    ] {
        assert_eq!(said(voice, &cite(fact, sentence))[0], text);
    }
    let both = r#"[{"act":"cite","fact":"delivery","sentences":[1,2,3]}]"#;
    assert_eq!(said(IraqiArabic, both)[0], "متوفر توصيل؟ لا. الدفع نقداً.");
}

#[test]
fn an_offer_is_declined_in_full_and_one_at_the_price_is_not() {
    let decline = |amount: &str, product: &str| {
        format!(r#"[{{"act":"decline_offer","amount":"{amount}","product":"{product}"}}]"#)
    };
    for amount in ["50", "50000"] {
        assert_said(IraqiArabic, &decline(amount, "abaya"), &["50,000 دينار", "60,000 دينار"], &["50 دينار"]);
        assert_said(Sorani, &decline(amount, "abaya"), &["50,000 دینار", "60,000 دینار"], &[]);
        let bare = format!(r#"[{{"act":"decline_offer","amount":"{amount}"}}]"#);
        assert_said(IraqiArabic, &bare, &["50,000 دينار"], &[]);
    }
    assert_said(English, &decline("500", "ps5"), &["$500", "$650"], &[]);
    for offer in ["70", "70000"] {
        let refused = refused(&decline(offer, "abaya"));
        assert!(refused.contains("amount: the price is 60,000 IQD"), "{refused}");
    }
    assert!(refused(&decline("40", "abaya")).contains("has not said it"));
}

#[test]
fn what_is_sold_out_is_neither_offered_nor_counted() {
    let ask = r#"[{"act":"ask","what":"size","options":["s40","s41","s42"]}]"#;
    assert_said(IraqiArabic, ask, &["• 40", "• 42"], &["41"]);
    let range = r#"[{"act":"quote","product":"cake","parts":["price","availability"]}]"#;
    assert_said(IraqiArabic, range, &["18,000", "25,000 دينار"], &["36,000"]);
    let list_price = r#"[{"act":"quote","product":"cake","parts":["price"]}]"#;
    assert_said(IraqiArabic, list_price, &["18,000", "36,000 دينار"], &[]);
    let gone = r#"[{"act":"quote","product":"gone","parts":["price","availability"]}]"#;
    assert_said(English, gone, &["20,000", "22,000 IQD"], &["in stock", "available"]);
    for act in ["multiple", "confirm_understanding"] {
        let refused = refused(&format!(r#"[{{"act":"{act}","product":"gone","quantity":1}}]"#));
        assert!(refused.contains("product: `gone` is sold out"), "{refused}");
    }
}

#[test]
fn a_size_that_is_sold_out_is_never_among_those_that_there_are_nor_a_yes() {
    for voice in [IraqiArabic, FormalArabic, English, Sorani] {
        let gone =
            r#"[{"act":"quote","product":"shoe","variant":"s41","parts":["price","availability","sizes"]}]"#;
        for text in said(voice, gone) {
            let sizes = text.lines().last().unwrap();
            assert!(["40", "42"].iter().all(|size| sizes.contains(size)) && !sizes.contains("41"), "{text}");
        }
        let quote = r#"[{"act":"quote","product":"shoe","parts":["price","availability","sizes"]}]"#;
        let asked = said_to("الاير ماكس موجود قياس ٤١؟", voice, quote);
        let (first, sizes) = (asked.lines().next().unwrap(), asked.lines().last().unwrap());
        assert!(first.contains("41") && !sizes.contains("41"), "{asked}");
        let other = said_to("الاير ماكس موجود قياس 42؟", voice, quote);
        assert!(!other.contains("41"), "{other}");
    }
}

#[test]
fn options_are_told_together_where_not_all_go_with_each_other() {
    let parts = |product: &str, parts: &str| {
        format!(r#"[{{"act":"quote","product":"{product}","parts":[{parts}]}}]"#)
    };
    let linen = parts("linen", r#""options""#);
    assert_said(IraqiArabic, &linen, &["الموجود:\n• أبيض: M، L\n• أزرق: XL"], &["اللون"]);
    let both = parts("linen", r#""sizes","options""#);
    assert_said(IraqiArabic, &both, &["الموجود:\n• أبيض: M، L\n• أزرق: XL"], &["M، L، XL"]);
    assert_said(
        IraqiArabic,
        &parts("jeans", r#""options""#),
        &["الألوان", ": أسود", "القياسات", ": 30، 32"],
        &[],
    );
}

#[test]
fn an_old_price_stands_beside_the_price_that_it_was_of() {
    let discount = r#"[{"act":"discount","product":"tee"}]"#;
    assert_said(IraqiArabic, discount, &["تيشيرت (M)", "14,000 دينار", "12,000 دينار"], &["15,000"]);
    let none = r#"[{"act":"discount","product":"cake"}]"#;
    assert_said(English, none, &["18,000 to 25,000 IQD"], &["36,000"]);
    let before = r#"[{"act":"quote","product":"tee","parts":["price","before"]}]"#;
    assert_said(IraqiArabic, before, &["12,000", "M: ", "14,000 دينار", "2,000 دينار"], &["تيشيرت (M)"]);
}

#[test]
fn nothing_is_asked_before_the_answer_listed_twice_or_apologised_for_twice() {
    for voice in Voice::ALL {
        let greeted = r#"[{"act":"greet"},{"act":"quote","product":"abaya","parts":["price"]}]"#;
        assert_said(voice, greeted, &["60,000"], &["?", "؟"]);
        let listed = r#"[{"act":"slots","slots":["a","b"]},{"act":"ask","what":"time","options":["a","b"]}]"#;
        assert!(said(voice, listed).iter().all(|text| text.matches("10:00").count() == 1));
        let sizes = r#"[{"act":"quote","product":"shoe","parts":["sizes"]},
            {"act":"ask","what":"size","options":["s40","s42"]}]"#;
        assert!(said(voice, sizes).iter().all(|text| text.matches("42").count() == 1));
        let sorry = r#"[{"act":"apologise"},{"act":"hand_over","reason":"complaint"}]"#;
        assert!(said(voice, sorry).iter().all(|text| !text.contains('\n')));
    }
}

#[test]
fn a_balance_is_grouped_and_a_number_of_something_is_not() {
    let record = r#"[{"act":"record","fields":["المتبقي عليكم","رقم العضوية","النقاط"]}]"#;
    assert_said(IraqiArabic, record, &["عليكم: 72,500", "العضوية: 104233", "النقاط: 120"], &[]);
}

#[test]
fn a_greeting_is_answered_in_kind() {
    let greeted = |voice, said: &str| {
        let evidence = Evidence { customer: vec![said.to_owned()], ..Evidence::default() };
        say(voice, r#"[{"act":"greet"}]"#, &evidence).unwrap().text()
    };
    for (voice, said, answer) in [
        (IraqiArabic, "سلام عليكم شلونكم", "وعليكم السلام"),
        (IraqiArabic, "صباح الخير", "صباح ال"),
        (FormalArabic, "مساء الخير", "مساء النور"),
        (English, "Good evening!", "Good evening"),
        (Sorani, "سەلامو عەلەیکوم", "عەلەیکوم سەلام"),
        (Sorani, "بەیانیت باش", "بەیانیتان باش"),
    ] {
        assert!(greeted(voice, said).contains(answer), "{said}: {}", greeted(voice, said));
    }
}
