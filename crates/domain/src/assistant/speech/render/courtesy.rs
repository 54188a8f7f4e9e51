//! Courtesy, what the assistant is and cannot do, and what it leaves to people.

use super::Teller;
use crate::{
    assistant::speech::{
        act::{Act, Concern, Topic},
        phrase::Phrase,
        refusal::{FieldRefusal, Refusal},
        spoken::Spoken,
    },
    text::{PlainText, fold_for_search},
};

/// Longest words of the customer's that are repeated, in characters.
const LONGEST_WORDS: usize = 300;
/// Words of a whole salam, which has a whole answer.
const WHOLE_SALAM: &[&str] = &["ورحمة الله", "وبركاته"];
/// Greetings that have an answer of their own, by what a word of theirs begins with; which goes before
/// another.
const GREETINGS: &[(Phrase, &[&str])] = &[
    (Phrase::GreetSalam, &["سلام عليكم", "السلام", "سەلام", "salam", "slm ", "slam "]),
    (
        Phrase::GreetMorning,
        &["صباح ال", "صباحو", "بەیانیت", "بەیانی باش", "بەیانی باشە", "sabah al", "good morning"],
    ),
    (
        Phrase::GreetEvening,
        &["مساء ال", "مسا ال", "مسائو", "ئێوارەت", "ئێوارە باش", "masa2 al", "good evening"],
    ),
    (
        Phrase::GreetDay,
        &["نهارك سعيد", "نهاركم سعيد", "ڕۆژباش", "ڕۆژ باش", "ڕۆژتان باش", "ڕۆژت باش", "good afternoon"],
    ),
    (
        Phrase::GreetFeast,
        &[
            "رمضان كريم",
            "رمضان مبارك",
            "عيد مبارك",
            "عيدكم مبارك",
            "عيدك مبارك",
            "كل عام وانتم",
            "ڕەمەزانتان پیرۆز",
            "جەژنتان پیرۆز",
            "جەژن پیرۆز",
            "ramadan kareem",
            "ramadan mubarak",
            "eid mubarak",
        ],
    ),
    (
        Phrase::GreetHealth,
        &[
            "يعطيكم العافية",
            "يعطيك العافية",
            "الله يساعدكم",
            "الله يساعدك",
            "قواكم الله",
            "ماندوو نەبن",
            "ماندوو نەبیت",
        ],
    ),
    (
        Phrase::GreetHow,
        &[
            "شلونكم",
            "شلونك",
            "شلونج",
            "شخباركم",
            "شخبارك",
            "كيف حالكم",
            "كيف حالك",
            "چۆنن",
            "چۆنیت",
            "how are you",
        ],
    ),
    (Phrase::GreetHello, &["سڵاو", "سلاو"]),
];

impl Teller<'_> {
    pub(super) fn greet(self) -> Spoken {
        let said: Vec<_> = self.evidence.customer.iter().map(|said| greeting(said)).collect();
        let has = |words: &[&str]| {
            words.iter().map(|word| format!(" {}", fold_for_search(word))).any(|word| {
                let word = word.trim_end();
                said.iter().any(|said| said.contains(word))
            })
        };
        let greeted = GREETINGS.iter().find(|(_, words)| has(words));
        let phrase = match greeted.map_or(Phrase::Greet, |(phrase, _)| *phrase) {
            Phrase::GreetSalam if has(WHOLE_SALAM) => Phrase::GreetSalamWhole,
            phrase => phrase,
        };
        // What follows is the answer: how one may help has been said by the customer.
        let turn = self.rotation.turn(phrase, self.place);
        if self.acts.len() == 1 { self.word(phrase, &[]) } else { self.book.state(phrase, turn, false) }
    }

    pub(super) fn who_i_am(self) -> Spoken {
        let told = |name: &PlainText| self.told(name.as_str());
        match (self.evidence.assistant.as_ref().map(told), self.evidence.business.as_ref().map(told)) {
            (None, None) => self.word(Phrase::WhoIAmPlain, &[]),
            (Some(name), None) => self.word(Phrase::WhoIAmName, &[("name", name)]),
            (None, Some(business)) => self.word(Phrase::WhoIAmBusiness, &[("business", business)]),
            (Some(name), Some(business)) => {
                self.word(Phrase::WhoIAmBoth, &[("name", name), ("business", business)])
            }
        }
    }

    /// Words that no person answers, and who does if the answer has that, too.
    pub(super) fn not_a_person(self) -> Spoken {
        let says_who = self.acts.iter().any(|act| matches!(act, Act::WhoIAm {}));
        let told = |name: &PlainText| self.told(name.as_str());
        let (name, business) =
            (self.evidence.assistant.as_ref().map(told), self.evidence.business.as_ref().map(told));
        match (name, business) {
            (Some(name), Some(business)) if says_who => {
                self.word(Phrase::NotAPersonBoth, &[("name", name), ("business", business)])
            }
            (Some(name), None) if says_who => self.word(Phrase::NotAPersonName, &[("name", name)]),
            (None, Some(business)) if says_who => {
                self.word(Phrase::NotAPersonBusiness, &[("business", business)])
            }
            _ => self.word_once(Phrase::NotAPerson),
        }
    }

    pub(super) fn cannot(self, topic: Topic) -> Spoken {
        let phrase = match topic {
            Topic::Discount => Phrase::CannotDiscount,
            Topic::Voice => Phrase::CannotVoice,
            Topic::Picture => Phrase::CannotPicture,
            Topic::Payment => Phrase::CannotPayment,
            Topic::OrderChange => Phrase::CannotOrderChange,
            Topic::Medical => Phrase::CannotMedical,
            Topic::OffTopic => Phrase::CannotOffTopic,
            Topic::Call => Phrase::CannotCall,
            Topic::Unknown => Phrase::CannotUnknown,
        };
        self.word_once(phrase)
    }

    pub(super) fn lead(self, words: &str) -> Result<Spoken, FieldRefusal> {
        let words = Some(words).filter(|words| self.evidence.has_said(words));
        let words = words.and_then(|words| PlainText::read(words, LONGEST_WORDS));
        let words = words.ok_or_else(|| Refusal::NotSaid.of("words"))?;
        Ok(self.word(Phrase::Lead, &[("words", self.told(words.as_str()))]))
    }

    pub(super) fn hand_over(self, reason: Concern) -> Spoken {
        let phrase = match reason {
            Concern::Asked => Phrase::HandOverAsked,
            Concern::Complaint => Phrase::HandOverComplaint,
            Concern::Order => Phrase::HandOverOrder,
            Concern::Other => Phrase::HandOverOther,
        };
        self.word(phrase, &[])
    }
}

/// Returns the words of a text, each behind a space.
fn greeting(said: &str) -> String {
    let folded = fold_for_search(said);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(String::new(), |all, word| format!("{all} {word}"))
}
