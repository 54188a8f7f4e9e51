//! Details of an order, parsed from a customer's messages: quantity, recipient, address.

use serde_json::{Value, json};

use super::fold::{fold, is_one_of, is_said, tokens};
use super::lexicon::{ORDER, PRICE, STOCK};

const NAME: &[&str] = &["اسمي", "الاسم", "اسم", "name", "ismi", "esmi"];
const ADDRESS: &[&str] = &["العنوان", "عنواني", "عنوان", "address", "3inwani", "3unwani", "inwani"];
/// Words before a phone number.
const PHONE: &[&str] = &["رقمي", "رقم", "هاتف", "الهاتف", "تلفون", "موبايل", "number", "phone", "raqmi"];
/// Placeholder of a phone number in a request to a model.
pub(super) const SHOWN_PHONE: &str = "[number]";
/// Units that make a number a size.
const UNITS: &[&str] = &[
    "لتر", "مل", "غم", "كغم", "كيلو", "كيكا", "سم", "متر", "قدم", "واط", "طن", "ليتر", "l", "ml", "g", "kg",
    "cm", "gb",
];
const NUMBERS: &[(&[&str], u32)] = &[
    (&["واحد", "واحده", "وحده", "one", "wahid"], 1),
    (&["اثنين", "ثنين", "اثنان", "قطعتين", "علبتين", "حبتين", "كيسين", "two", "thnain"], 2),
    (&["ثلاث", "ثلاثه", "تلاثه", "three", "thlatha"], 3),
    (&["اربع", "اربعه", "four"], 4),
    (&["خمس", "خمسه", "five"], 5),
    (&["ست", "سته", "six"], 6),
];
/// Towns, each with its spoken names, its written name and its governorate.
const TOWNS: &[(&[&str], &str, &str)] = &[
    (&["بغداد", "baghdad"], "بغداد", "بغداد"),
    (&["بصره", "basra"], "البصرة", "البصرة"),
    (&["موصل", "mosul"], "الموصل", "نينوى"),
    (&["اربيل", "erbil"], "أربيل", "أربيل"),
    (&["سليمانيه", "sulaymaniyah"], "السليمانية", "السليمانية"),
    (&["دهوك", "duhok"], "دهوك", "دهوك"),
    (&["كركوك", "kirkuk"], "كركوك", "كركوك"),
    (&["نجف", "najaf"], "النجف", "النجف"),
    (&["كربلاء", "karbala"], "كربلاء", "كربلاء"),
    (&["حله", "بابل", "hilla"], "الحلة", "بابل"),
    (&["ناصريه", "nasiriyah"], "الناصرية", "ذي قار"),
    (&["عماره", "amarah"], "العمارة", "ميسان"),
    (&["ديوانيه", "diwaniyah"], "الديوانية", "القادسية"),
    (&["سماوه", "samawah"], "السماوة", "المثنى"),
    (&["كوت", "kut"], "الكوت", "واسط"),
    (&["بعقوبه", "baqubah"], "بعقوبة", "ديالى"),
    (&["رمادي", "ramadi"], "الرمادي", "الأنبار"),
    (&["تكريت", "tikrit"], "تكريت", "صلاح الدين"),
];

/// Returns whether a folded word introduces a name or an address.
pub(super) fn begins(word: &str) -> bool {
    is_one_of(word, NAME) || is_one_of(word, ADDRESS)
}

/// Returns whether a folded word is a unit, which makes the number before it a size.
pub(super) fn has_unit(word: &str) -> bool {
    is_one_of(word, UNITS)
}

/// Parses a folded word as a number.
pub(super) fn number(word: &str) -> Option<u32> {
    let spoken = NUMBERS.iter().find(|(words, _)| words.contains(&word)).map(|(_, number)| *number);
    word.parse().ok().or(spoken)
}

/// Finds the wanted quantity: the first number that is not a size.
pub(super) fn quantity(text: &str) -> Option<u32> {
    let words = tokens(text);
    for (at, word) in words.iter().enumerate() {
        if begins(word) {
            break;
        }
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_size = before.is_some_and(|before| is_one_of(before, &["قياس", "مقاس", "size", "رقم"]))
            || words.get(at + 1).is_some_and(|next| has_unit(next));
        if let Some(number) = number(word).filter(|number| (1..100).contains(number) && !is_size) {
            return Some(number);
        }
    }
    None
}

/// Name and address of an order's recipient, as far as they are known.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Recipient {
    pub(super) name: Option<String>,
    pub(super) address: Option<Value>,
}

/// Parses the newest of each. The flag of a message tells whether it may answer the question for them.
pub(super) fn recipient<'a>(messages: impl DoubleEndedIterator<Item = (&'a str, bool)>) -> Recipient {
    let mut known = Recipient::default();
    for (message, asked) in messages.rev() {
        let said = read(message, asked);
        known.name = known.name.or(said.name);
        known.address = known.address.or(said.address);
    }
    known
}

/// Returns whether a message contains a phone number, as it is shown to a model.
pub(super) fn has_phone(message: &str) -> bool {
    message.contains(SHOWN_PHONE)
}

fn read(message: &str, asked: bool) -> Recipient {
    let (mut name, mut place) = (None, Vec::<String>::new());
    let mut in_address = false;
    for part in message.split(['،', ',', '\n', ';', '؛']) {
        let words: Vec<_> = part.split_whitespace().collect();
        let is = |word: &str, list| is_one_of(fold(word).trim_matches([':', '.', '!']), list);
        let mut rest = words.as_slice();
        // "My name is Sara my address is …" without punctuation.
        while !rest.is_empty() {
            let end = rest.iter().skip(1).position(|word| {
                is(word, NAME) || is(word, ADDRESS) || *word == SHOWN_PHONE || is(word, &["هاتف", "رقمي"])
            });
            let (these, others) =
                rest.split_at_checked(end.map_or(rest.len(), |end| end + 1)).unwrap_or_default();
            rest = others;
            let told = || told(these);
            match these.first() {
                Some(word) if *word == SHOWN_PHONE || is(word, PHONE) => in_address = false,
                Some(word) if is(word, NAME) => {
                    in_address = false;
                    name = name.or(told());
                }
                Some(word) if is(word, ADDRESS) => {
                    in_address = true;
                    place.extend(told());
                }
                // A leftover of the part before, such as "my".
                Some(word) if is(word, &["my", "هو"]) && these.len() == 1 => {}
                Some(_) if in_address || names_place(&these.join(" ")) => place.push(these.join(" ")),
                Some(_) if asked && name.is_none() && these.len() <= 3 => name = Some(these.join(" ")),
                _ => {}
            }
        }
    }
    Recipient { name, address: address(&place.join("، ")) }
}

/// Returns the words behind the one that introduces them.
fn told(words: &[&str]) -> Option<String> {
    let rest = words.iter().skip(1).skip_while(|word| matches!(**word, "is" | "هو" | ":" | "-"));
    let told = rest.copied().filter(|word| *word != "my").collect::<Vec<_>>().join(" ");
    let told = told.trim_matches([':', '.', ' ', '!']).to_owned();
    Some(told).filter(|told| !told.is_empty())
}

/// Returns whether a part names a town, without asking for something that is named after one.
fn names_place(part: &str) -> bool {
    let asks = |word: &String| [ORDER, PRICE, STOCK].into_iter().any(|list| is_said(word, list));
    town(part).is_some() && !tokens(part).iter().any(asks)
}

fn town(text: &str) -> Option<(&'static str, &'static str)> {
    let words = tokens(text);
    let named = |names: &[&str]| words.iter().any(|word| is_one_of(word, names));
    TOWNS.iter().find(|(names, _, _)| named(names)).map(|(_, town, governorate)| (*town, *governorate))
}

/// Parses an address with its town; `None` without one, as nobody could deliver there.
fn address(place: &str) -> Option<Value> {
    let (city, province) = town(place)?;
    let is_town = |word: &&str| {
        let word = fold(word.trim_matches(['،', '.']));
        TOWNS.iter().any(|(names, _, _)| is_one_of(&word, names))
    };
    let line: Vec<_> = place.split_whitespace().filter(|word| !is_town(word)).collect();
    let line = line.join(" ").trim_matches(['،', ' ']).to_owned();
    (!line.is_empty()).then(|| json!({ "line1": line, "city": city, "province": province }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_an_address_are_read_as_people_write_them() {
        let karrada = json!({ "line1": "الكرادة شارع 14", "city": "بغداد", "province": "بغداد" });
        for (text, asked, name) in [
            ("اريد اثنين قياس 3، اسمي سارة، العنوان الكرادة شارع 14 بغداد", false, "سارة"),
            ("الاسم: سارة علي\nالعنوان: بغداد، الكرادة شارع 14", false, "سارة علي"),
            ("سارة علي، بغداد الكرادة شارع 14", true, "سارة علي"),
        ] {
            let read = recipient([(text, asked)].into_iter());
            assert_eq!(read.name.as_deref(), Some(name), "{text}");
            assert_eq!(read.address, Some(karrada.clone()), "{text}");
        }
        let english =
            recipient([("my name is Sara, my address is Karrada street 14 Baghdad", false)].into_iter());
        assert_eq!(english.name.as_deref(), Some("Sara"));
        assert_eq!(english.address.unwrap()["line1"], "Karrada street 14");
        assert_eq!(recipient([("اريد اثنين", false)].into_iter()), Recipient::default());
        let called_after_a_town = "اريد نومي بصرة، اسمي علي، العنوان الكرادة شارع 14 بغداد";
        assert_eq!(recipient([(called_after_a_town, false)].into_iter()).address, Some(karrada.clone()));
        let with_phone = "اسمي علي، العنوان الكرادة شارع 14 بغداد، رقم الهاتف [number]";
        let read = recipient([(with_phone, false)].into_iter());
        assert_eq!((read.name.as_deref(), read.address), (Some("علي"), Some(karrada)));
    }

    #[test]
    fn a_quantity_is_no_size_and_no_street() {
        for (text, many) in [
            ("اريد اثنين قياس 3", Some(2)),
            ("اريد قياس 3", None),
            ("اريد قياس 3 عدد ٤", Some(4)),
            ("اريد علبتين، العنوان شارع 14", Some(2)),
            ("اريد، العنوان شارع 14", None),
            ("اريد ترمس 2 لتر", None),
        ] {
            assert_eq!(quantity(text), many, "{text}");
        }
    }
}
