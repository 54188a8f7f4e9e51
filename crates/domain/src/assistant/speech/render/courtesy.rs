//! Courtesy, what the assistant is and cannot do, and what it leaves to people.

use super::Teller;
use crate::{
    assistant::speech::{
        act::{Concern, Topic},
        phrase::Phrase,
        refusal::{FieldRefusal, Refusal},
        spoken::Spoken,
    },
    text::{PlainText, fold_for_search},
};

/// Longest words of the customer's that are repeated, in characters.
const LONGEST_WORDS: usize = 300;
/// Greetings that have an answer of their own, and which goes before another.
const GREETINGS: &[(Phrase, &[&str])] = &[
    (Phrase::GreetSalam, &["سلام عليكم", "السلام", "سەلام", "salam"]),
    (Phrase::GreetMorning, &["صباح ال", "بەیانیت", "sabah al", "good morning"]),
    (Phrase::GreetEvening, &["مساء ال", "ئێوارەت", "masa2 al", "good evening"]),
];

impl Teller<'_> {
    pub(super) fn greet(self) -> Spoken {
        let said: Vec<_> = self.evidence.customer.iter().map(|said| fold_for_search(said)).collect();
        let has = |words: &[&str]| {
            words
                .iter()
                .map(|word| fold_for_search(word))
                .any(|word| said.iter().any(|said| said.contains(&word)))
        };
        let greeted = GREETINGS.iter().find(|(_, words)| has(words));
        let phrase = greeted.map_or(Phrase::Greet, |(phrase, _)| *phrase);
        // What follows is the answer: how one may help has been said by the customer.
        let turn = self.rotation.turn(phrase, self.place);
        if self.acts.len() == 1 { self.word(phrase, &[]) } else { self.book.state(phrase, turn) }
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
