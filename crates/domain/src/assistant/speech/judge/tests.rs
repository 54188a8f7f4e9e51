use proptest::prelude::*;

use super::{LONGEST_WORDING, Objection, judge, judge_courtesy};
use crate::assistant::speech::{
    Phrasebook, Speech,
    Voice::{self, English, FormalArabic, IraqiArabic, Sorani},
    tests::{a_shop, say},
};

const PRICE: &str = r#"[{"act":"quote","product":"milk","parts":["price","availability"]}]"#;
const OUT: &str =
    r#"[{"act":"quote","product":"shirt","variant":"shirt-s","parts":["price","availability"]}]"#;
const TWO: &str = r#"[{"act":"list","products":["milk",2]}]"#;
const SIZE: &str = r#"[{"act":"ask","what":"size"}]"#;
const PERSON: &str = r#"[{"act":"hand_over","reason":"other"}]"#;
const DECLINE: &str = r#"[{"act":"decline_offer","amount":12000,"product":"milk"}]"#;
const FOUND_NOTHING: &str = r#"[{"act":"not_found"}]"#;

fn verdict(voice: Voice, acts: &str, wording: &str) -> Result<(), Objection> {
    let shop = a_shop();
    let speech: Speech = say(voice, acts, &shop).unwrap();
    judge(&Phrasebook::shipped(voice).unwrap(), &speech, &shop.customer, wording)
}

#[test]
fn a_wording_that_says_the_same_passes() {
    for (voice, acts, wording) in [
        (IraqiArabic, PRICE, "هلا بيكم 🌹 حليب نيدو 900 غم موجود والسعر 15,000 دينار"),
        (IraqiArabic, PRICE, "حياكم الله، نعم متوفر بـ 15,000 دينار، تفضلوا"),
        (FormalArabic, PRICE, "أهلاً بكم، نعم، حليب نيدو ٩٠٠ غم متوفر بسعر ١٥٬٠٠٠ دينار."),
        (English, PRICE, "Hello! Yes, we have it for 15,000 IQD. Thank you!"),
        (English, PRICE, "Hi dear, حليب نيدو 900 غم is available at 15,000 IQD"),
        (Sorani, PRICE, "سڵاو بەڕێزان، بەڵێ حليب نيدو 900 غم هەیە، نرخەکەی 15,000 دینار. سوپاس"),
        (IraqiArabic, SIZE, "العفو منكم، شنو القياس اللي تريدون؟"),
        (English, SIZE, "Could you please let me know: which size would you like?"),
        (English, FOUND_NOTHING, "I'm afraid we couldn't find that, sorry."),
        (IraqiArabic, DECLINE, "العفو عيوني، 12,000 دينار ما يصير، السعر 15,000 دينار"),
        (English, PERSON, "Thanks, a colleague will answer you here."),
    ] {
        assert_eq!(verdict(voice, acts, wording), Ok(()), "{wording}");
    }
}

#[test]
fn a_wording_that_says_more_less_or_otherwise_is_refused() {
    for (voice, acts, wording) in [
        // Numbers.
        (IraqiArabic, PRICE, "حليب نيدو 900 غم موجود والسعر 14,000 دينار"),
        (IraqiArabic, PRICE, "حليب نيدو 900 غم موجود والسعر 15,000 دينار، الباقي 5"),
        (IraqiArabic, PRICE, "موجود والسعر خمسة عشر ألف دينار"),
        (IraqiArabic, PRICE, "موجود والسعر 15 دينار"),
        (English, PRICE, "We have it for 15,000 IQD, with 10% off"),
        (English, PRICE, "Yes, we have it"),
        (English, PRICE, "We have it for 15,000 USD"),
        // Promises and facts that nobody told.
        (IraqiArabic, PRICE, "موجود بـ 15,000 دينار ونوصله باچر"),
        (IraqiArabic, PRICE, "موجود بـ 15,000 دينار والتوصيل مجاني"),
        (IraqiArabic, PRICE, "موجود بـ 15,000 دينار وأصلي"),
        (IraqiArabic, PRICE, "محجوز إلكم بـ 15,000 دينار"),
        (English, PRICE, "We have it for 15,000 IQD today only"),
        (English, PRICE, "We have it for 15,000 IQD and will call you"),
        (English, PERSON, "A colleague will call you here tomorrow"),
        (Sorani, PRICE, "بەڵێ هەیە بە 15,000 دینار، بە خۆڕایی دەگەیەنین"),
        // Denials.
        (IraqiArabic, PRICE, "حليب نيدو 900 غم مو موجود، السعر 15,000 دينار"),
        (IraqiArabic, OUT, "نعم موجود، قميص قطن (أبيض / S) بـ 25,000 دينار"),
        (English, OUT, "Yes, it's available, at 25,000 IQD"),
        (English, PRICE, "It is not 15,000 IQD"),
        (IraqiArabic, DECLINE, "نعم، 12,000 دينار يصير، السعر 15,000 دينار"),
        // Facts that have changed places.
        (IraqiArabic, DECLINE, "العفو، 15,000 دينار ما يصير، سعر حليب نيدو 900 غم 12,000 دينار"),
        (IraqiArabic, TWO, "حليب نيدو 900 غم بـ 15,000 د.ع و iPhone 15 case بـ 10,000 د.ع"),
        // A question that is none, and a statement that is one.
        (IraqiArabic, SIZE, "تفضلوا القياس"),
        (English, PRICE, "Would you like it for 15,000 IQD?"),
        // What has to be said is not.
        (IraqiArabic, PERSON, "هلا بيكم، تفضلوا 🌹"),
        (English, FOUND_NOTHING, "Welcome, dear!"),
        // The customer's words, stated.
        (IraqiArabic, PRICE, "موجود بـ 15,000 دينار، اريد احجي على الجملة"),
        // Other languages, links, programs.
        (English, PRICE, "متوفر 15,000 IQD"),
        (IraqiArabic, PRICE, "available 15,000 دينار"),
        (English, PRICE, "Oui, nous avons 15,000 IQD"),
        (English, PRICE, "15,000 IQD https://evil.example"),
        (English, PRICE, "15,000 IQD {title}"),
        (English, PRICE, "15,000 IQD ✅"),
        (English, PRICE, " \u{200f}"),
    ] {
        assert!(verdict(voice, acts, wording).is_err(), "{wording}");
    }
}

#[test]
fn a_customers_word_may_be_asked_back_and_not_stated() {
    assert_eq!(verdict(IraqiArabic, SIZE, "أي قياس تريدون من الحليب؟"), Ok(()));
    assert_eq!(
        verdict(IraqiArabic, SIZE, "الحليب. أي قياس تريدون؟"),
        Err(Objection::Word("الحليب".to_owned()))
    );
}

#[test]
fn prose_without_acts_is_courtesy_alone_or_nothing() {
    for (voice, text, is_courtesy) in [
        (IraqiArabic, "هلا بيكم 🌹", true),
        (IraqiArabic, "العفو، تدللون، بالخدمة دائماً", true),
        (FormalArabic, "أهلاً وسهلاً بكم", true),
        (English, "You're welcome! Thank you very much.", true),
        (IraqiArabic, "نعم متوفر", false),
        (IraqiArabic, "لا يوجد توصيل", false),
        (IraqiArabic, "تدللون، يوصلكم باچر", false),
        (IraqiArabic, "السعر 15,000 دينار", false),
        (English, "Welcome, it is cancelled.", false),
        (English, "Thanks, we will call you.", false),
        (English, "No problem at all", false),
        (English, "شكراً", false),
        (English, "", false),
    ] {
        let book = Phrasebook::shipped(voice).unwrap();
        assert_eq!(judge_courtesy(&book, text).is_ok(), is_courtesy, "{text}");
    }
    let book = Phrasebook::shipped(English).unwrap();
    assert_eq!(judge_courtesy(&book, &"thanks ".repeat(100)), Err(Objection::TooLong));
}

#[test]
fn that_no_person_answers_is_said_in_codes_words_alone() {
    for wording in ["I'm a person.", "No, this is an automated assistant."] {
        let acts = r#"[{"act":"not_a_person"}]"#;
        assert_eq!(verdict(English, acts, wording), Err(Objection::Denial), "{wording}");
    }
}

#[test]
fn a_huge_wording_is_refused_before_it_is_read() {
    assert_eq!(verdict(English, PRICE, &"a ".repeat(LONGEST_WORDING)), Err(Objection::TooLong));
    assert_eq!(verdict(English, PRICE, &"hello ".repeat(200)), Err(Objection::Longer));
}

proptest! {
    #[test]
    fn code_would_pass_its_own_judge(place in 0..7_usize, voice in 0..4_usize) {
        let acts = [PRICE, OUT, SIZE, PERSON, DECLINE, FOUND_NOTHING][place % 6];
        let voice = Voice::ALL[voice];
        let text = say(voice, acts, &a_shop()).unwrap().text();
        prop_assert_eq!(verdict(voice, acts, &text), Ok(()));
    }

    #[test]
    fn a_word_or_a_number_from_elsewhere_is_refused(word in "[b-df-hj-np-tv-xz]{4,9}|[1-9][0-9]{1,6}", voice in 0..4_usize) {
        let voice = Voice::ALL[voice];
        let text = say(voice, PRICE, &a_shop()).unwrap().text();
        let (behind, before) = (format!("{text} {word}"), format!("{word} {text}"));
        prop_assert!(verdict(voice, PRICE, &behind).is_err());
        prop_assert!(verdict(voice, PRICE, &before).is_err());
    }

    #[test]
    fn no_wording_panics(wording in ".{0,80}") {
        let _ = verdict(IraqiArabic, DECLINE, &wording);
    }
}
