//! What is said before the first answer of a conversation: that an assistant answers.

use super::{act::Act, messages::Message, phrase::Phrase, render::Telling, spoken::Fact};
use crate::{channels::ChannelKind, sending::TextLimit};

impl Telling<'_> {
    /// Puts before the messages of these acts that an assistant answers, by its name if it has one: on a line
    /// of its own in the first message, or as a message before it where that has no text or no room. Acts
    /// that say it themselves stay as they are.
    pub fn introduce(&self, acts: &[Act], mut messages: Vec<Message>, channel: ChannelKind) -> Vec<Message> {
        if acts.iter().any(|act| matches!(act, Act::WhoIAm {} | Act::NotAPerson {})) {
            return messages;
        }
        let introduction = self.introduction();
        let first = match messages.first_mut() {
            Some(Message::Text(text)) => Some((text, TextLimit::of(channel))),
            Some(Message::Photo { caption: Some(text), .. }) => Some((text, TextLimit::Caption)),
            Some(Message::Photo { caption: None, .. } | Message::Summary { .. }) | None => None,
        };
        if let Some((text, limit)) = first {
            let both = format!("{introduction}\n{text}");
            if limit.fits(&both) {
                *text = both;
                return messages;
            }
        }
        messages.insert(0, Message::Text(introduction));
        messages
    }

    /// Words that an assistant answers.
    pub fn introduction(&self) -> String {
        let word = |phrase, told: &[_]| self.book.word(phrase, self.rotation.turn(phrase, 0), told).text;
        match &self.evidence.assistant {
            None => word(Phrase::Introduce, &[]),
            Some(name) => {
                let name = self.book.voice().isolate(name.as_str());
                word(Phrase::IntroduceName, &[("name", Fact::Told(name))])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Act, ChannelKind, Message, Telling};
    use crate::{
        assistant::speech::{Evidence, Phrasebook, Rotation, Voice},
        link::PhotoUrl,
        text::PlainText,
    };

    fn introduced(voice: Voice, name: Option<&str>, acts: &[Act], messages: Vec<Message>) -> Vec<Message> {
        let assistant = name.and_then(|name| PlainText::read(name, 60));
        let evidence = Evidence { assistant, ..Evidence::default() };
        let book = Phrasebook::shipped(voice).unwrap_or_else(|error| panic!("{error}"));
        let telling = Telling { evidence: &evidence, book: &book, rotation: Rotation::default() };
        telling.introduce(acts, messages, ChannelKind::Whatsapp)
    }

    #[test]
    fn an_assistant_says_in_every_voice_that_it_is_one_and_its_name() {
        for (voice, word) in [
            (Voice::IraqiArabic, "آلي"),
            (Voice::FormalArabic, "آلي"),
            (Voice::English, "automated assistant"),
            (Voice::Sorani, "ئۆتۆماتیکی"),
        ] {
            for name in [None, Some("سارة")] {
                let messages = introduced(voice, name, &[Act::Thank {}], vec![Message::Text("1".to_owned())]);
                let [Message::Text(text)] = messages.as_slice() else { panic!("{messages:?}") };
                let (said, answer) = text.split_once('\n').unwrap();
                assert!(said.contains(word) && answer == "1", "{text}");
                assert_eq!(said.contains("سارة"), name.is_some(), "{text}");
            }
        }
    }

    #[test]
    fn an_answer_that_says_it_itself_is_not_introduced() {
        for act in [Act::WhoIAm {}, Act::NotAPerson {}] {
            let messages = vec![Message::Text("1".to_owned())];
            assert_eq!(introduced(Voice::English, None, &[act], messages.clone()), messages);
        }
    }

    #[test]
    fn it_is_a_message_of_its_own_where_the_first_has_no_text_or_no_room() {
        let url = PhotoUrl::parse("https://cdn.shop.example/1.jpg").unwrap();
        let photo =
            |caption: Option<&str>| Message::Photo { url: url.clone(), caption: caption.map(str::to_owned) };
        for (first, is_apart) in [
            (photo(Some("15,000 IQD")), false),
            (photo(Some(&"x".repeat(1_024))), true),
            (photo(None), true),
            (Message::Text("x".repeat(4_096)), true),
            (Message::Summary { draft: "d".to_owned(), text: "1 × milk".to_owned() }, true),
        ] {
            let messages = introduced(Voice::English, None, &[], vec![first.clone()]);
            assert_eq!(messages.len(), if is_apart { 2 } else { 1 }, "{first:?}");
            assert_eq!(messages.last() == Some(&first), is_apart, "{first:?}");
        }
    }
}
