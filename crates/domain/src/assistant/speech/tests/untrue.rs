use super::{Evidence, Phrasebook, Voice, a_shop, say};
use crate::assistant::{
    language::language_of,
    speech::{judge, judge_courtesy},
};

/// Answers beside which a model may suggest a wording.
const ANSWERS: [&str; 12] = [
    r#"[{"act":"quote","product":"milk","parts":["price","availability"]}]"#,
    r#"[{"act":"quote","product":"shirt","variant":"shirt-s","parts":["price","availability"]}]"#,
    r#"[{"act":"quote","product":"milk","parts":["price"]},{"act":"ask","what":"quantity"}]"#,
    r#"[{"act":"discount","product":"milk"}]"#,
    r#"[{"act":"multiple","product":"milk","quantity":2}]"#,
    r#"[{"act":"order_status","order":"A-1042","parts":["lines","total"]}]"#,
    r#"[{"act":"order_status","order":"1043"}]"#,
    r#"[{"act":"cite","fact":"delivery"}]"#,
    r#"[{"act":"slots","slots":["s1","s2"]}]"#,
    r#"[{"act":"greet"},{"act":"ask","what":"address"}]"#,
    r#"[{"act":"hand_over","reason":"order"}]"#,
    r#"[{"act":"under_way"}]"#,
];

fn shop() -> Evidence {
    Evidence { is_under_way: true, ..a_shop() }
}

fn sentences() -> Vec<(Voice, String)> {
    let lines = include_str!("untrue.txt").lines().filter(|line| !line.starts_with('#'));
    let voiced = lines.map(|line| {
        let english = language_of([line]) == Some(crate::language::Language::English);
        let voice = if english { Voice::English } else { Voice::IraqiArabic };
        (voice, line.replace(r"\n", "\n"))
    });
    voiced.collect()
}

#[test]
fn what_nobody_told_passes_beside_no_answer() {
    let (shop, all) = (shop(), sentences());
    assert!(all.len() >= 250, "{}", all.len());
    let mut passed = Vec::new();
    for acts in ANSWERS {
        for voice in [Voice::IraqiArabic, Voice::English] {
            let (book, speech) = (Phrasebook::shipped(voice).unwrap(), say(voice, acts, &shop).unwrap());
            let of_voice = all.iter().filter(|(of, _)| *of == voice);
            let said = of_voice.filter(|(_, text)| judge(&book, &speech, text).is_ok());
            passed.extend(said.map(|(_, text)| (acts, text)));
        }
    }
    assert!(passed.is_empty(), "{passed:#?}");
}

#[test]
fn what_nobody_told_is_no_courtesy() {
    let books = [Voice::IraqiArabic, Voice::English].map(|voice| Phrasebook::shipped(voice).unwrap());
    let is_courtesy = |(voice, text): &(Voice, String)| {
        books.iter().any(|book| book.voice() == *voice && judge_courtesy(book, text).is_ok())
    };
    let passed: Vec<_> = sentences().into_iter().filter(is_courtesy).collect();
    assert!(passed.is_empty(), "{passed:#?}");
}
