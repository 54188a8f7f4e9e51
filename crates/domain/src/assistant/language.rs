//! The language that a customer writes.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use crate::{
    attachments::AttachmentKind,
    language::{Language, is_arabic_letter, is_sorani},
    text::{fold_for_search, is_mark},
};

static WORDS: LazyLock<HashMap<Tongue, HashSet<String>>> =
    LazyLock::new(|| read(include_str!("tongues.txt")));

/// Letters of Urdu that neither Arabic nor Sorani has.
const URDU: &str = "ٹڈڑںےہ";
/// Letters that keyboards of Persian, Urdu and Sorani write for Arabic ones.
const PERSIAN: &str = "یک";

/// Language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Tongue {
    Spoken(Language),
    /// A language in which customers are not written to.
    Other,
}

const ARABIC: Tongue = Tongue::Spoken(Language::Arabic);
const ENGLISH: Tongue = Tongue::Spoken(Language::English);
const SORANI: Tongue = Tongue::Spoken(Language::Sorani);

/// Letters of a text by script.
struct Letters {
    arabic: usize,
    latin: usize,
    other: usize,
}

/// Returns the language of a burst of messages; Arabic and Sorani in Latin letters are what they are. `None`
/// if nothing in it is in a language, or in one in which customers are not written to.
pub fn language_of<'a>(burst: impl IntoIterator<Item = &'a str>) -> Option<Language> {
    // Placeholders of files are nobody's words.
    let bare = |text: &str| {
        AttachmentKind::ALL.iter().fold(text.to_owned(), |text, kind| text.replace(&kind.stand_in(), ""))
    };
    let text = burst.into_iter().map(bare).collect::<Vec<_>>().join("\n");
    match tongue_of(&text)? {
        Tongue::Spoken(language) => Some(language),
        Tongue::Other => None,
    }
}

fn tongue_of(text: &str) -> Option<Tongue> {
    let Letters { arabic, latin, other } = Letters::of(text);
    if arabic + latin + other == 0 {
        return None;
    }
    if other > arabic + latin {
        return Some(Tongue::Other);
    }
    // A product's name in an Arabic sentence does not make it English.
    let in_latin = (latin > 0).then(|| latin_tongue(text)).flatten();
    if arabic > 0 && (arabic * 3 >= latin || in_latin.is_none()) {
        return Some(arabic_tongue(text).unwrap_or(ARABIC));
    }
    Some(in_latin.unwrap_or(ENGLISH))
}

/// Returns the language of a text in Latin letters; `None` if no word tells it.
fn latin_tongue(text: &str) -> Option<Tongue> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| has_latin(word)).collect();
    let folded: Vec<String> = words.iter().map(|word| fold_for_search(word)).collect();
    let foreign = words.iter().filter(|word| word.chars().any(|c| is_latin(c) && !c.is_ascii())).count();
    // Digits stand for letters that Latin does not have.
    let stands_for_letters = |word: &&String| {
        word.contains(['3', '7']) && word.chars().filter(char::is_ascii_alphabetic).count() > 2
    };
    let with_digits = folded.iter().filter(stands_for_letters).count();
    // Goods have foreign names: `eau de parfum`.
    let other = told(Tongue::Other, &folded) + foreign;
    most_told([
        (ARABIC, told(ARABIC, &folded) + with_digits),
        (ENGLISH, told(ENGLISH, &folded)),
        (SORANI, told(SORANI, &folded)),
        (Tongue::Other, if other > 1 || other * 2 >= words.len() { other } else { 0 }),
    ])
}

/// Returns the language of a text in Arabic letters; `None` if no word tells it.
fn arabic_tongue(text: &str) -> Option<Tongue> {
    if text.contains(|c: char| URDU.contains(c)) {
        return Some(Tongue::Other);
    }
    if is_sorani(text) {
        return Some(SORANI);
    }
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let folded: Vec<String> = words.iter().map(|word| fold_for_search(word)).collect();
    let has_article = |word: &&String| word.starts_with("ال") && word.chars().nth(3).is_some();
    let arabic = told(ARABIC, &folded) + folded.iter().filter(has_article).count();
    let (sorani, other) = (told(SORANI, &folded), told(Tongue::Other, &folded));
    // A keyboard is no proof, but where nothing else is told.
    let is_persian = text.contains(|c: char| PERSIAN.contains(c));
    let keyboard = usize::from(is_persian && arabic == 0 && sorani == 0);
    most_told([(ARABIC, arabic), (SORANI, sorani), (Tongue::Other, other + keyboard)])
}

/// Returns what most words tell, and of those that as many tell, the first; `None` if no word tells any.
fn most_told<const N: usize>(told: [(Tongue, usize); N]) -> Option<Tongue> {
    let most = told.iter().map(|(_, count)| *count).max().filter(|most| *most > 0)?;
    told.into_iter().find(|(_, count)| *count == most).map(|(tongue, _)| tongue)
}

fn told(tongue: Tongue, words: &[String]) -> usize {
    WORDS.get(&tongue).map_or(0, |known| words.iter().filter(|word| known.contains(*word)).count())
}

fn read(file: &str) -> HashMap<Tongue, HashSet<String>> {
    let mut words: HashMap<Tongue, HashSet<String>> = HashMap::new();
    let mut tongue = Tongue::Other;
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        match line {
            "[arabic]" => tongue = ARABIC,
            "[english]" => tongue = ENGLISH,
            "[sorani]" => tongue = SORANI,
            "[other]" => tongue = Tongue::Other,
            line => words.entry(tongue).or_default().extend(line.split_whitespace().map(fold_for_search)),
        }
    }
    words
}

impl Letters {
    fn of(text: &str) -> Self {
        let mut letters = Self { arabic: 0, latin: 0, other: 0 };
        for c in text.chars().filter(|c| c.is_alphabetic() && !is_mark(*c)) {
            let count = if is_arabic_letter(c) {
                &mut letters.arabic
            } else if is_latin(c) {
                &mut letters.latin
            } else {
                &mut letters.other
            };
            *count += 1;
        }
        letters
    }
}

fn has_latin(word: &str) -> bool {
    word.contains(is_latin)
}

/// Returns whether it is a letter of the Latin script, of whichever language.
fn is_latin(c: char) -> bool {
    c.is_alphabetic() && matches!(c, 'A'..='z' | '\u{aa}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

#[cfg(test)]
mod tests {
    use super::{WORDS, language_of};
    use crate::language::Language::{self, Arabic, English, Sorani};

    #[test]
    fn script_and_words_tell_the_language_and_arabic_in_latin_letters_is_arabic() {
        let cases: &[(&[&str], Option<Language>)] = &[
            (&["شكد سعر الحليب؟"], Some(Arabic)),
            (&["how much is the milk?"], Some(English)),
            (&["shgad si3r el 7aleeb"], Some(Arabic)),
            (&["aku iphone 15?"], Some(Arabic)),
            (&["3indkum pampers"], Some(Arabic)),
            (&["عندكم iPhone 15 Pro؟"], Some(Arabic)),
            (&["hello", "عندكم توصيل؟"], Some(Arabic)),
            (&["Galaxy S23 price"], Some(English)),
            (&["do you have mp3 players"], Some(English)),
            (&["salam, how much is it"], Some(English)),
            (&["نرخی ئەمە چەندە؟"], Some(Sorani)),
            (&["سوپاس"], Some(Sorani)),
            (&["nrxi am jantaya chanda"], Some(Sorani)),
            (&["اكو ڤازلين و پاوربانك؟"], Some(Arabic)),
            (&["bu ne kadar?"], None),
            (&["combien pour la taille M"], None),
            (&["این چنده"], None),
            (&["قیمت کیا ہے"], None),
            (&["сколько стоит"], None),
            (&["👍", "15"], None),
            (&["[image]"], None),
            (&["[audio] شكد هذا"], Some(Arabic)),
            (&[], None),
        ];
        for (burst, language) in cases {
            assert_eq!(language_of(burst.iter().copied()), *language, "{burst:?}");
        }
    }

    #[test]
    fn sixty_switches_are_followed() {
        let arabic = ["شكد السعر", "عندكم توصيل", "اريد حليب", "وين صار طلبي", "shlonkum", "maku tawseel?"];
        let english = ["how much", "do you deliver", "I want milk", "where is my order", "thanks a lot"];
        let mut switches = 0;
        for one in arabic {
            for other in english {
                assert_eq!(language_of([one]), Some(Arabic), "{one}");
                assert_eq!(language_of([other]), Some(English), "{other}");
                switches += 2;
            }
        }
        assert_eq!(switches, 60);
    }

    #[test]
    fn every_language_has_words() {
        assert!(WORDS.len() == 4 && WORDS.values().all(|words| words.len() > 80));
    }
}
