//! The language that a customer writes.

use crate::{attachments::AttachmentKind, language::Language};

/// Arabic words as people write them in Latin letters.
const ARABIZI: &[&str] = &[
    "shlon",
    "shlonak",
    "shlonkum",
    "shlonkm",
    "shgad",
    "shkd",
    "shkad",
    "bish",
    "bshgad",
    "aku",
    "akuo",
    "ako",
    "maku",
    "mako",
    "aku",
    "aryd",
    "areed",
    "ared",
    "arid",
    "abi",
    "abgha",
    "salam",
    "salamo",
    "alaikum",
    "marhaba",
    "mar7aba",
    "habibi",
    "7abibi",
    "inshallah",
    "wallah",
    "yalla",
    "shukran",
    "shnw",
    "shno",
    "shinu",
    "wen",
    "wain",
    "hay",
    "hatha",
    "hadha",
    "lish",
    "leish",
    "zain",
    "zein",
    "minu",
    "kam",
    "si3r",
    "si3ra",
    "s3ra",
    "tawseel",
    "tawsil",
    "talab",
    "talabi",
    "mawjood",
    "mawjud",
    "3indkum",
    "3ndkm",
    "andkum",
    "indkum",
    "alf",
    "dinar",
    "la2",
    "na3am",
    "naam",
    "akid",
];

/// Returns the language of a burst of messages, by its script; Arabic in Latin letters is Arabic. `None` if
/// nothing in it is in a language.
pub fn language_of<'a>(burst: impl IntoIterator<Item = &'a str>) -> Option<Language> {
    let (mut arabic, mut latin) = (0_usize, 0_usize);
    let mut is_arabizi = false;
    for text in burst {
        // Placeholders of files are nobody's words.
        let text =
            AttachmentKind::ALL.iter().fold(text.to_owned(), |text, kind| text.replace(&kind.stand_in(), ""));
        arabic += text.chars().filter(|&c| is_arabic(c)).count();
        latin += text.chars().filter(char::is_ascii_alphabetic).count();
        let text = text.to_lowercase();
        is_arabizi |= text.split(|c: char| !c.is_alphanumeric()).any(|word| {
            ARABIZI.contains(&word)
                || (word.contains(['3', '7']) && word.chars().filter(char::is_ascii_alphabetic).count() > 2)
        });
    }
    match (arabic, latin) {
        (0, 0) => None,
        // A product's name in an Arabic sentence does not make it English.
        (arabic, latin) if arabic * 3 >= latin && arabic > 0 => Some(Language::Arabic),
        _ if is_arabizi => Some(Language::Arabic),
        _ => Some(Language::English),
    }
}

/// Letters of Sorani Kurdish that Arabic does not have.
const SORANI: &str = "ێۆەڵڕ";

/// Returns whether a text in Arabic letters is Sorani Kurdish: people write a word of Arabic with a letter of
/// it now and then, and no sentence.
pub(super) fn is_sorani(text: &str) -> bool {
    let letters = text.chars().filter(|&c| is_arabic(c) || SORANI.contains(c)).count();
    let own = text.chars().filter(|&c| SORANI.contains(c)).count();
    own * 8 > letters
}

/// Returns whether `reply` is in that language. Names of things are in any, so a few words of another pass.
pub(super) fn is_in(reply: &str, language: Language) -> bool {
    let arabic = reply.chars().filter(|&c| is_arabic(c)).count();
    let latin = reply.chars().filter(char::is_ascii_alphabetic).count();
    match language {
        _ if arabic + latin == 0 => true,
        Language::Arabic => arabic * 2 >= latin,
        Language::English => latin >= arabic,
    }
}

const fn is_arabic(c: char) -> bool {
    matches!(c, '\u{621}'..='\u{64a}' | '\u{66e}'..='\u{6d3}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

#[cfg(test)]
mod tests {
    use super::{is_in, is_sorani, language_of};
    use crate::language::Language::{self, Arabic, English};

    #[test]
    fn the_script_tells_the_language_and_arabic_in_latin_letters_is_arabic() {
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
    fn sorani_is_told_from_arabic_by_its_letters() {
        for (text, is) in [
            ("نرخی ئەمە چەندە؟", true),
            ("سڵاو، کراسی سپیتان هەیە؟", true),
            ("دەمەوێت داوای شیر بکەم", true),
            ("شكد سعر الحليب؟", false),
            ("اكو ڤازلين؟", false),
            ("how much", false),
            ("", false),
        ] {
            assert_eq!(is_sorani(text), is, "{text}");
        }
    }

    #[test]
    fn an_answer_is_in_a_language_whatever_its_products_are_called() {
        assert!(is_in("سعر iPhone 15 متوفر حالياً", Arabic));
        assert!(!is_in("Yes, we have it in stock.", Arabic));
        assert!(is_in("Yes, we have حليب نيدو in stock.", English));
        assert!(!is_in("نعم متوفر حالياً", English));
        assert!(is_in("15000", Arabic) && is_in("👍", English));
    }
}
