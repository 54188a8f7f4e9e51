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
/// Questions after somebody's health.
const HOW: &[&str] = &[
    "شلونكم",
    "شلونك",
    "شلونج",
    "شونك",
    "شلون الصحة",
    "شلون صحتكم",
    "شخباركم",
    "شخبارك",
    "كيف حالكم",
    "كيف حالك",
    "چۆنن",
    "چۆنی",
    "choni",
    "how are you",
];
/// Blessings that thank, by the answer that each has.
const BLESSINGS: &[(Phrase, &[&str])] = &[
    (Phrase::WelcomeParents, &["والديك", "والدينك", "والديچ"]),
    (Phrase::WelcomeHands, &["عاشت ايد", "عاشت الايادي", "دەستت خۆش", "دەستتان خۆش", "دەستخۆش"]),
    (
        Phrase::WelcomeBlessing,
        &[
            "الله يحفظ",
            "الله يوفق",
            "الله يخلي",
            "يبارك ب",
            "بارك الله",
            "تسلم",
            "خوا بتپارێز",
            "خوا بتانپارێز",
        ],
    ),
];
/// Wishes for the night, with which somebody leaves.
const NIGHT: &[&str] = &["تصبح", "شەو باش", "شەوت باش", "شەوتان باش", "شەو شاد", "شەوتان شاد", "good night"];
/// Greetings that have an answer of their own, by what a word of theirs begins with; which goes before
/// another.
const GREETINGS: &[(Phrase, &[&str])] = &[
    (Phrase::GreetSalam, &["سلام عليكم", "السلام", "سەلام", "salam", "slm ", "slam "]),
    (
        Phrase::GreetMorning,
        &[
            "صباح ال",
            "صباحو",
            "صباحكم",
            "صبحكم",
            "بەیانیت",
            "بەیانی باش",
            "بەیانیباش",
            "sabah al",
            "good morning",
        ],
    ),
    (
        Phrase::GreetEvening,
        &[
            "مساء ال",
            "مسا ال",
            "مسائو",
            "مساكم",
            "مسيكم",
            "ئێوارەت",
            "ئێوارە باش",
            "ئێوارەباش",
            "masa2 al",
            "good evening",
        ],
    ),
    (Phrase::GreetNight, &["شەو باش", "شەوباش", "شەوت باش", "شەوتان باش"]),
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
            "كل سنة وانتم",
            "جمعة مباركة",
            "جمعة طيبة",
            "شهر مبارك",
            "عساكم من عواده",
            "جەژنت پیرۆز",
            "ڕەمەزانت پیرۆز",
            "نەورۆزت پیرۆز",
            "نەورۆزتان پیرۆز",
            "ساڵی نوێت پیرۆز",
            "ساڵی نوێتان پیرۆز",
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
    (Phrase::GreetHow, HOW),
    (Phrase::GreetHello, &["سڵاو", "سلاو"]),
];

impl Teller<'_> {
    pub(super) fn greet(self) -> Spoken {
        let greeted = GREETINGS.iter().find(|(_, words)| self.has_said_one_of(words));
        let phrase = match greeted.map_or(Phrase::Greet, |(phrase, _)| *phrase) {
            Phrase::GreetSalam if self.has_said_one_of(HOW) => Phrase::GreetSalamHow,
            Phrase::GreetSalam if self.has_said_one_of(WHOLE_SALAM) => Phrase::GreetSalamWhole,
            Phrase::GreetMorning if self.has_said_one_of(HOW) => Phrase::GreetMorningHow,
            phrase => phrase,
        };
        // What follows is the answer: how one may help has been said by the customer.
        let turn = self.rotation.turn(phrase, self.place);
        if self.acts.len() == 1 { self.word(phrase, &[]) } else { self.book.state(phrase, turn, false) }
    }

    pub(super) fn you_are_welcome(self) -> Spoken {
        let blessed = BLESSINGS.iter().find(|(_, words)| self.has_said_one_of(words));
        self.word(blessed.map_or(Phrase::YouAreWelcome, |(phrase, _)| *phrase), &[])
    }

    pub(super) fn bye(self) -> Spoken {
        self.word(if self.has_said_one_of(NIGHT) { Phrase::ByeNight } else { Phrase::Bye }, &[])
    }

    /// Returns whether the customer's last messages have words that begin with one of these.
    fn has_said_one_of(self, words: &[&str]) -> bool {
        let said: Vec<_> = self.evidence.customer.iter().map(|said| greeting(said)).collect();
        words.iter().map(|word| format!(" {}", fold_for_search(word))).any(|word| {
            let word = word.trim_end();
            said.iter().any(|said| said.contains(word))
        })
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
        let asks_after = self.acts.iter().skip(self.place).any(Act::asks);
        let phrase = match topic {
            Topic::Discount => Phrase::CannotDiscount,
            Topic::Voice => Phrase::CannotVoice,
            Topic::Picture if asks_after => Phrase::CannotPictureThen,
            Topic::Picture => Phrase::CannotPicture,
            Topic::Payment => Phrase::CannotPayment,
            Topic::OrderChange => Phrase::CannotOrderChange,
            Topic::Medical => Phrase::CannotMedical,
            Topic::OffTopic if asks_after => Phrase::CannotOffTopicThen,
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
