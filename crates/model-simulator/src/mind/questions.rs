//! Questions in a message of the business, by the words that they are asked in: whoever words them, a reply
//! to one is read as its answer.

use super::fold::{same, tokens};

/// What a message of the business asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// To confirm a summary, which the service has written.
    Summary,
    Name,
    Address,
    Phone,
    /// Which size, colour or kind.
    Variant,
    Product,
    OrderNumber,
    Time,
    AnythingElse,
    /// What an order needs: product, quantity, name and address.
    Order,
}

/// Words in a summary of an order, a booking or a cancellation.
const SUMMARY: [&str; 2] = ["هل تؤكد", "Do you confirm"];
/// Words in a receipt.
const RECEIPT: [&str; 2] = ["تم ت", "is placed."];
/// Words in a summary of a cancellation.
const CANCELLATION: [&str; 2] = ["إلغاء", "cancel"];

/// Words that a question is recognised by; the first of these that fits counts.
const ASKED: &[(Question, &[&str])] = &[
    (Question::OrderNumber, &["رقم الطلب", "order number", "number does the order"]),
    (Question::Phone, &["الموبايل", "الهاتف", "نتواصل", "التواصل", "phone", "reach you"]),
    (
        Question::Address,
        &["عنوان", "محافظه", "address", "where should it go", "province", "which city", "the city"],
    ),
    (Question::Name, &["اسم", "اسمكم", "باسم", "your name", "which name", "the name"]),
    (
        Question::Variant,
        &["قياس", "لون", "نوع", "موديل", "size", "colour", "which one would", "which kind", "which model"],
    ),
    (Question::AnythingElse, &["شي ثاني", "شيء آخر", "تامرون", "anything else"]),
    (
        Question::Product,
        &[
            "منتج",
            "بالضبط",
            "تحبون تطلبون",
            "يا واحد تحبون",
            "يا واحد يعجبكم",
            "أيها",
            "product",
            "what exactly",
            "of these would you like",
        ],
    ),
    (
        Question::Time,
        &[
            "وقت",
            "ساعه",
            "يوم",
            "what time",
            "which time",
            "time suits",
            "time works",
            "which day",
            "what day",
            "موعد",
            "these times",
            "other day",
            "another day",
            "that time",
            "of these would suit",
        ],
    ),
];
/// Words of what an order needs.
const NEEDED: [&[&str]; 2] = [&["اسم", "name"], &["عنوان", "address"]];

impl Question {
    /// Finds the question of a message.
    pub(super) fn of(business: &str) -> Option<Self> {
        if SUMMARY.iter().any(|words| business.contains(words)) {
            return Some(Self::Summary);
        }
        if confirms(business) {
            return None;
        }
        let asked = |sentence: &str| {
            let words = tokens(sentence);
            let has = |phrases: &[&str]| phrases.iter().any(|phrase| is_in(phrase, &words));
            ASKED.iter().find(|(_, phrases)| has(phrases)).map(|(question, _)| *question)
        };
        let words = tokens(business);
        let needs = NEEDED.iter().all(|phrases| phrases.iter().any(|phrase| is_in(phrase, &words)));
        questions(business).rev().find_map(asked).or(needs.then_some(Self::Order))
    }
}

/// Returns whether a phrase is among words, whatever article they have.
fn is_in(phrase: &str, words: &[String]) -> bool {
    let phrase = tokens(phrase);
    let is_it = |said: &[String]| said.iter().zip(&phrase).all(|(one, other)| same(one, other));
    words.windows(phrase.len().max(1)).any(is_it)
}

/// Returns whether a message is a receipt.
pub(super) fn confirms(business: &str) -> bool {
    RECEIPT.iter().any(|words| business.contains(words))
}

/// Returns whether a summary is one of a cancellation.
pub(super) fn is_of_cancellation(business: &str) -> bool {
    CANCELLATION.iter().any(|words| business.contains(words))
}

/// Lists the sentences that end with a question mark.
fn questions(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let ends = |c: char| matches!(c, '?' | '؟' | '!' | '\n' | '.');
    text.split_inclusive(ends).filter(|sentence| sentence.ends_with(['?', '؟']))
}

#[cfg(test)]
mod tests {
    use domain::assistant::speech::Question as Asked;
    use domain::assistant::speech::{Act, Evidence, Phrasebook, Rotation, Telling, Topic, Voice};

    use super::Question;

    /// Voices of customers that the stand-in understands.
    const VOICES: [Voice; 3] = [Voice::IraqiArabic, Voice::FormalArabic, Voice::English];
    /// Turns that have more wordings than any phrase.
    const TURNS: u64 = 6;

    /// Returns what code says by an act in every voice, with each of its wordings.
    fn wordings(act: &Act) -> Vec<String> {
        let evidence = Evidence::default();
        let say = |voice: Voice, turn: u64| {
            let book = Phrasebook::shipped(voice).unwrap();
            let telling =
                Telling { evidence: &evidence, book: &book, rotation: Rotation::of(b"a chat", turn) };
            telling.say(std::slice::from_ref(act)).unwrap().text()
        };
        VOICES.into_iter().flat_map(|voice| (0..TURNS).map(move |turn| say(voice, turn))).collect()
    }

    #[test]
    fn a_question_is_recognised_in_every_wording_of_codes() {
        let ask = |what| Act::Ask { what, options: Vec::new() };
        for (act, question) in [
            (ask(Asked::Name), Question::Name),
            (ask(Asked::Address), Question::Address),
            (ask(Asked::City), Question::Address),
            (ask(Asked::Phone), Question::Phone),
            (ask(Asked::Size), Question::Variant),
            (ask(Asked::Colour), Question::Variant),
            (ask(Asked::Model), Question::Variant),
            (ask(Asked::Product), Question::Product),
            (ask(Asked::OrderNumber), Question::OrderNumber),
            (ask(Asked::Time), Question::Time),
            (ask(Asked::Day), Question::Time),
            (ask(Asked::AnythingElse), Question::AnythingElse),
            (Act::HowToOrder {}, Question::Order),
        ] {
            for text in wordings(&act) {
                assert_eq!(Question::of(&text), Some(question), "{text}");
            }
        }
    }

    #[test]
    fn courtesy_and_what_cannot_be_done_ask_for_nothing_of_an_order() {
        for act in [
            Act::Greet {},
            Act::Thank {},
            Act::YouAreWelcome {},
            Act::Bye {},
            Act::NotFound { query: None },
            Act::Cannot { topic: Topic::Discount },
        ] {
            for text in wordings(&act) {
                assert_eq!(Question::of(&text), None, "{text}");
            }
        }
        let summary = "ملخص الطلب:\n• شاي × 1: 5,250 IQD\nالاسم: علي\nالعنوان: الكرادة\nهل تؤكد الطلب؟";
        assert_eq!(Question::of(summary), Some(Question::Summary));
    }
}
