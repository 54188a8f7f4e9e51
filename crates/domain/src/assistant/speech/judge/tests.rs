use proptest::prelude::*;

use super::{LONGEST_WORDING, Objection, is_courtesy, judge, judge_courtesy, telling};
use crate::assistant::speech::{
    Phrase, Phrasebook, Speech,
    Voice::{self, English, FormalArabic, IraqiArabic, Sorani},
    tests::{a_shop, say, say_in},
};

const PRICE: &str = r#"[{"act":"quote","product":"milk","parts":["price","availability"]}]"#;
const OUT: &str =
    r#"[{"act":"quote","product":"shirt","variant":"shirt-s","parts":["price","availability"]}]"#;
const TWO: &str = r#"[{"act":"list","products":["milk",2]}]"#;
const SIZE: &str = r#"[{"act":"ask","what":"size"}]"#;
const PERSON: &str = r#"[{"act":"hand_over","reason":"other"}]"#;
const DECLINE: &str = r#"[{"act":"decline_offer","amount":12000,"product":"milk"}]"#;
const FOUND_NOTHING: &str = r#"[{"act":"not_found"}]"#;
const ORDER: &str = r#"[{"act":"order_status","order":"1043"}]"#;
const GREETED: &str = r#"[{"act":"greet"},{"act":"ask","what":"address"}]"#;

/// Answers whose every word matters, but for a greeting.
const ANSWERS: [&str; 9] = [PRICE, OUT, TWO, SIZE, PERSON, DECLINE, FOUND_NOTHING, ORDER, GREETED];

fn verdict(voice: Voice, acts: &str, wording: &str) -> Result<(), Objection> {
    let speech: Speech = say(voice, acts, &a_shop()).unwrap();
    judge(&Phrasebook::shipped(voice).unwrap(), &speech, wording)
}

#[test]
fn courtesy_around_codes_pieces_passes() {
    for voice in Voice::ALL {
        let (before, behind) = match voice {
            IraqiArabic | FormalArabic => ("أهلاً وسهلاً بكم عزيزي 🌹 ", "، شكراً جزيلاً لكم، تدللون"),
            English => ("Hello dear, thank you for your message! ", " Thank you very much 🙏"),
            Sorani => ("سڵاو بەڕێزم، ", "، زۆر سوپاس"),
        };
        for acts in ANSWERS {
            let text = say(voice, acts, &a_shop()).unwrap().text();
            for wording in
                [format!("{before}{text}"), format!("{text}{behind}"), format!("{before}{text}{behind}")]
            {
                assert_eq!(verdict(voice, acts, &wording), Ok(()), "{wording}");
            }
        }
    }
}

#[test]
fn codes_greeting_may_be_another() {
    for (voice, greeting) in
        [(English, "Good morning, dear!"), (IraqiArabic, "حياكم الله 🌹"), (Sorani, "سڵاو بەڕێزم")]
    {
        let asked = say(voice, r#"[{"act":"ask","what":"address"}]"#, &a_shop()).unwrap().text();
        assert_eq!(verdict(voice, GREETED, &format!("{greeting} {asked}")), Ok(()), "{greeting}");
        assert_eq!(
            verdict(voice, GREETED, greeting).map_err(|why| why.kind()),
            Err("left_out"),
            "{greeting}"
        );
    }
}

#[test]
fn what_is_told_beside_codes_pieces_is_refused() {
    for (voice, told) in [
        (IraqiArabic, "ونوصله باچر"),
        (IraqiArabic, "والتوصيل مجاني"),
        (IraqiArabic, "وأصلي"),
        (IraqiArabic, "نعم"),
        (IraqiArabic, "أكيد"),
        (IraqiArabic, "ما"),
        (IraqiArabic, "available"),
        (FormalArabic, "بالتأكيد"),
        (English, "Yes, of course."),
        (English, "Sure!"),
        (English, "no"),
        (English, "I'm a real employee."),
        (English, "today only"),
        (English, "Oui"),
        (English, "10"),
        (English, "with 10% off"),
        (English, "https://evil.example"),
        (English, "{title}"),
        (English, "✅"),
        (Sorani, "بەڵێ"),
        (Sorani, "بە خۆڕایی دەگەیەنین"),
    ] {
        for acts in ANSWERS {
            let text = say(voice, acts, &a_shop()).unwrap().text();
            for wording in [format!("{told} {text}"), format!("{text} {told}"), told.to_owned()] {
                assert!(verdict(voice, acts, &wording).is_err(), "{wording}");
            }
        }
    }
}

#[test]
fn prose_without_acts_is_courtesy_alone_or_nothing() {
    for (voice, text, courteous) in [
        (IraqiArabic, "هلا بيكم 🌹", true),
        (IraqiArabic, "العفو، تدللون، بالخدمة", true),
        (FormalArabic, "أهلاً وسهلاً بكم", true),
        (English, "You're welcome! Thank you very much.", true),
        (IraqiArabic, "نعم متوفر", false),
        (IraqiArabic, "أكيد، تدللون", false),
        (IraqiArabic, "لا يوجد توصيل", false),
        (IraqiArabic, "تدللون، يوصلكم باچر", false),
        (IraqiArabic, "السعر 15,000 دينار", false),
        (English, "Welcome, it is cancelled.", false),
        (English, "Of course, dear!", false),
        (English, "Thanks, we will call you.", false),
        (English, "No problem at all", false),
        (English, "شكراً", false),
        (English, "", false),
    ] {
        let book = Phrasebook::shipped(voice).unwrap();
        assert_eq!(judge_courtesy(&book, text).is_ok(), courteous, "{text}");
        assert!(is_courtesy(text) || !courteous || text.is_empty(), "{text}");
    }
    let book = Phrasebook::shipped(English).unwrap();
    assert_eq!(judge_courtesy(&book, &"thanks ".repeat(100)), Err(Objection::TooLong));
}

#[test]
fn that_no_person_answers_is_said_in_codes_words_alone() {
    for wording in ["I'm a person.", "No, this is an automated assistant."] {
        let acts = r#"[{"act":"not_a_person"}]"#;
        assert_eq!(
            verdict(English, acts, wording),
            Err(Objection::Reserved(Phrase::NotAPerson)),
            "{wording}"
        );
    }
}

#[test]
fn a_huge_wording_is_refused_before_it_is_read() {
    assert_eq!(verdict(English, PRICE, &"a ".repeat(LONGEST_WORDING)), Err(Objection::TooLong));
    assert_eq!(verdict(English, PRICE, &"hello ".repeat(200)), Err(Objection::Longer));
    assert_eq!(verdict(English, PRICE, " \u{200f}"), Err(Objection::Empty));
}

proptest! {
    #[test]
    fn a_wording_of_another_turn_passes(place in 0..ANSWERS.len(), voice in 0..4_usize, turn in 0..60_u64) {
        let (acts, voice) = (ANSWERS[place], Voice::ALL[voice]);
        let text = say_in(turn, voice, acts, &a_shop()).unwrap().text();
        prop_assert_eq!(verdict(voice, acts, &text), Ok(()));
    }

    /// Words that code has, taken away, doubled or exchanged, are another of its wordings or are refused.
    #[test]
    fn no_words_of_codes_are_put_together_otherwise(
        place in 0..ANSWERS.len() - 1,
        voice in 0..4_usize,
        turn in 0..12_u64,
        kind in 0..3_u8,
        (one, other) in (0..40_usize, 0..40_usize),
    ) {
        let (acts, voice) = (ANSWERS[place], Voice::ALL[voice]);
        let text = say_in(turn, voice, acts, &a_shop()).unwrap().text();
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let (one, other) = (one % words.len(), other % words.len());
        prop_assume!(![words[one], words[other]].into_iter().any(is_courtesy));
        match kind {
            0 => drop(words.remove(one)),
            1 => words.insert(other, words[one]),
            _ => words.swap(one, other),
        }
        let changed = words.join(" ");
        if verdict(voice, acts, &changed).is_ok() {
            let book = Phrasebook::shipped(voice).unwrap();
            let is_codes = (0..60).any(|turn| {
                let own = say_in(turn, voice, acts, &a_shop()).unwrap();
                judge(&book, &own, &changed).is_ok() && telling(&own.text()) == telling(&changed)
            });
            prop_assert!(is_codes, "{} passes for {}", changed, text);
        }
    }

    #[test]
    fn no_wording_panics(wording in ".{0,80}") {
        let _ = verdict(IraqiArabic, DECLINE, &wording);
        let _ = is_courtesy(&wording);
    }
}
