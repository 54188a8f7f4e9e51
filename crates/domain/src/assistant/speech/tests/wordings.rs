//! Faults that no wording of the service has.

use crate::assistant::speech::{
    Phrase, Phrasebook,
    Voice::{self, English, FormalArabic, IraqiArabic, Sorani},
};

/// Lists the wordings of phrases whose key begins so, with `*` for what evidence tells.
fn wordings(voice: Voice, keys: &str) -> Vec<(&'static str, String)> {
    let book = Phrasebook::shipped(voice).unwrap();
    let mut all = Vec::new();
    for phrase in Phrase::ALL.into_iter().filter(|phrase| phrase.key().starts_with(keys)) {
        all.extend(book.patterns(phrase).map(|text| (phrase.key(), text)));
    }
    all
}

#[test]
fn a_name_and_an_amount_have_a_word_or_a_sign_between_them() {
    let stand_together = ["total.line", "multiple", "confirm_understanding", "when", "date"];
    for voice in Voice::ALL {
        for (key, text) in wordings(voice, "") {
            let may = stand_together.iter().any(|may| key.starts_with(may));
            let pairs = text.matches("* *").count();
            assert!(pairs == 0 || (may && (pairs == 1 || key == "when")), "{voice:?} {key}: {text}");
        }
    }
}

#[test]
fn a_wording_is_without_faults_of_its_language() {
    for (voice, keys, faults) in [
        // Nobody told that what is not offered is booked.
        (English, "no_slots", &["booked", " on *"][..]),
        (IraqiArabic, "no_slots", &["محجوز", "يوم *"]),
        (FormalArabic, "no_slots", &["محجوز", "يوم *"]),
        (Sorani, "no_slots", &["گیراوە"]),
        // A piece of a cake is a slice of it.
        (English, "", &["piece of *", "pieces of *", "status:", "* of *"]),
        // A preposition is never apart from its word, nor is a thing's gender known.
        (IraqiArabic, "", &["لـ *", "السموحة", "متسلم", "انشحن"]),
        (FormalArabic, "", &["لـ *", "في حالة:"]),
        (IraqiArabic, "quote.in", &["نعم موجود", "نعم متوفر", "اي موجود"]),
        // Who asked where an order is did not ask for a yes.
        (English, "order", &["Yes"]),
        (IraqiArabic, "order", &["نعم،"]),
        (FormalArabic, "order", &["نعم،"]),
        (Sorani, "order", &["بەڵێ", "داواکاریتان *", "داواکاری *"]),
        // Plural for what may be one.
        (Sorani, "closest", &["ئەمانە"]),
        (Sorani, "clarify", &["مەبەستتان *"]),
        (IraqiArabic, "list", &["الأنواع"]),
    ] {
        for (key, text) in wordings(voice, keys) {
            assert!(!faults.iter().any(|fault| text.contains(fault)), "{voice:?} {key}: {text}");
        }
    }
}

#[test]
fn each_voice_greets_without_a_question_in_two_ways() {
    for (voice, keys) in Voice::ALL.into_iter().flat_map(|voice| [(voice, "greet"), (voice, "greet.salam")]) {
        let all = wordings(voice, keys);
        let plain = all.iter().filter(|(key, text)| *key == keys && !text.contains(['?', '؟']));
        assert!(plain.count() >= 2, "{voice:?} {keys}");
    }
}
