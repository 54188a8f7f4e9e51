//! What a customer wants.

use super::fold::{fold, is_one_of, tokens};
use super::words;

/// What a customer wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    Greeting,
    Thanks,
    /// A price, or whether something is there.
    Product,
    Order,
    Cancel,
    Status,
    Slot,
    Person,
    Unknown,
}

/// Words of Arabic that are written in Latin letters.
pub(super) const LATIN: &[&str] = &[
    "shgad", "shkad", "shkd", "bshgad", "bish", "si3r", "aku", "ako", "maku", "mawjood", "3indkum", "andkum",
    "areed", "arid", "aryd", "abi", "salam", "marhaba", "mar7aba", "shukran", "wen", "wain", "talabi",
    "talab", "alghi", "maw3id", "muwazaf", "ismi", "alaikum", "shlonkum", "kam",
];
const PERSON: &[&str] =
    &["موظف", "انسان", "مدير", "مندوب", "شكوي", "اشتكي", "human", "agent", "manager", "complaint", "muwazaf"];
const CANCEL: &[&str] = &["الغي", "الغاء", "الغوا", "كنسل", "كنسلوا", "الغيه", "cancel", "alghi"];
const SLOT: &[&str] =
    &["موعد", "مواعيد", "حجز", "احجز", "احجزلي", "appointment", "book", "booking", "slot", "maw3id"];
const STATUS: &[&str] = &["طلبي", "طلبيتي", "طلبيه", "اوردري", "تتبع", "track", "talabi", "status"];
const PRICE: &[&str] = &[
    "سعر",
    "سعره",
    "سعرها",
    "اسعار",
    "شكد",
    "شقد",
    "بشكد",
    "بيش",
    "بكم",
    "كم",
    "price",
    "cost",
    "much",
    "shgad",
    "shkad",
    "shkd",
    "bshgad",
    "bish",
    "si3r",
    "kam",
];
const STOCK: &[&str] = &[
    "عندكم",
    "عندك",
    "عدكم",
    "اكو",
    "ماكو",
    "متوفر",
    "متوفره",
    "موجود",
    "موجوده",
    "available",
    "stock",
    "have",
    "3indkum",
    "andkum",
    "aku",
    "ako",
    "maku",
    "mawjood",
];
const ORDER: &[&str] = &[
    "اريد",
    "اريده",
    "اطلب",
    "اشتري",
    "اخذ",
    "ابي",
    "ابغي",
    "بدي",
    "دزولي",
    "دزلي",
    "ارسلولي",
    "want",
    "order",
    "buy",
    "take",
    "areed",
    "arid",
    "aryd",
    "abi",
];
const THANKS: &[&str] = &[
    "شكرا",
    "مشكور",
    "مشكورين",
    "تسلم",
    "تسلمون",
    "تمام",
    "زين",
    "thanks",
    "thank",
    "ok",
    "okay",
    "shukran",
];
const GREETING: &[&str] = &[
    "سلام",
    "هلا",
    "هلو",
    "مرحبا",
    "اهلا",
    "صباح",
    "مساء",
    "هاي",
    "hello",
    "hi",
    "hey",
    "salam",
    "marhaba",
    "mar7aba",
];

/// Words that name nothing that is sold.
const EMPTY: &[&str] = &[
    "من",
    "في",
    "على",
    "علي",
    "هل",
    "شنو",
    "شكو",
    "هذا",
    "هاي",
    "هذه",
    "لو",
    "سمحت",
    "ممكن",
    "رجاء",
    "بدون",
    "مال",
    "الي",
    "يا",
    "ي",
    "وين",
    "صار",
    "بعد",
    "لطفا",
    "عليكم",
    "و",
    "او",
    "نوع",
    "قطعه",
    "قطعتين",
    "حبه",
    "حبتين",
    "علبه",
    "علبتين",
    "كيس",
    "كيسين",
    "اعرف",
    "منه",
    "منها",
    "اليوم",
    "بلا",
    "زحمه",
    "اخي",
    "اختي",
    "عيوني",
    "دينار",
    "توصيل",
    "the",
    "a",
    "an",
    "is",
    "are",
    "do",
    "does",
    "you",
    "i",
    "it",
    "of",
    "for",
    "to",
    "in",
    "on",
    "how",
    "what",
    "please",
    "me",
    "my",
    "can",
    "any",
    "there",
    "this",
    "that",
    "some",
    "and",
    "like",
    "would",
    "know",
    "piece",
    "pieces",
    "el",
    "al",
    "alaikum",
];

impl Intent {
    /// What the burst asks for; where it says nothing by itself, what the business asked is being answered.
    pub(super) fn of(burst: &str, business: &str) -> Self {
        let own = Self::own(burst);
        if own != Self::Unknown {
            return own;
        }
        let asked = |question| words::asks(business, question);
        if asked(words::DETAILS) || asked(words::WHICH) {
            Self::Order
        } else if asked(words::NUMBER_TO_CANCEL) {
            Self::Cancel
        } else if asked(words::NUMBER) {
            Self::Status
        } else if asked(words::TIME) {
            Self::Slot
        } else if asked(words::PRODUCT) {
            Self::Product
        } else {
            Self::Unknown
        }
    }

    /// What a text asks for by its own words.
    fn own(text: &str) -> Self {
        let tokens = tokens(text);
        let has = |list| tokens.iter().any(|word| is_one_of(word, list));
        let folded = fold(text);
        if has(PERSON) {
            Self::Person
        } else if has(CANCEL) {
            Self::Cancel
        } else if has(SLOT) {
            Self::Slot
        } else if has(STATUS) || folded.contains("my order") {
            Self::Status
        } else if (has(PRICE) || has(STOCK)) && !subject(text).is_empty() {
            Self::Product
        } else if has(ORDER) {
            Self::Order
        } else if has(PRICE) || has(STOCK) {
            // Of what was spoken of before; of delivery the owner wrote.
            if folded.contains("توصيل") || folded.contains("deliver") {
                Self::Unknown
            } else {
                Self::Product
            }
        } else if has(THANKS) {
            Self::Thanks
        } else if has(GREETING) {
            Self::Greeting
        } else {
            Self::Unknown
        }
    }
}

/// The words of a text that name what is wanted, as they were written.
pub(super) fn subject(text: &str) -> String {
    let mut kept = Vec::new();
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    while let Some(written) = words.next() {
        let word = fold(written);
        if super::details::begins(&word) {
            break;
        }
        if is_one_of(&word, &["قياس", "مقاس", "حجم", "لون", "size", "colour", "color"]) {
            words.next();
            continue;
        }
        let lists = [PERSON, CANCEL, SLOT, STATUS, PRICE, STOCK, ORDER, THANKS, GREETING, EMPTY];
        let is_number = super::details::number(&word).is_some();
        if !is_number && !lists.into_iter().any(|list| is_one_of(&word, list)) {
            kept.push(written);
        }
    }
    kept.join(" ")
}

/// What is spoken of: in the newest messages, or else in those before that asked for something sold.
pub(super) fn spoken_of(burst: &str, earlier: &[String]) -> Option<String> {
    let names = |text: &str| {
        let sold = matches!(Intent::own(text), Intent::Product | Intent::Order);
        Some(subject(text)).filter(|subject| sold && !subject.is_empty())
    };
    names(burst).or_else(|| earlier.iter().rev().find_map(|text| names(text)))
}

#[cfg(test)]
mod tests {
    use super::{Intent, spoken_of, subject};

    #[test]
    fn intents_are_read_in_arabic_of_two_kinds_in_two_scripts_and_in_english() {
        for (text, intent) in [
            ("شكد سعر بامبرز؟", Intent::Product),
            ("كم سعر الحليب", Intent::Product),
            ("shgad si3r pampers", Intent::Product),
            ("How much is the milk?", Intent::Product),
            ("عدكم حليب نيدو", Intent::Product),
            ("هل يتوفر موجود عندكم شامبو", Intent::Product),
            ("اريد اثنين قياس 3، اسمي سارة، العنوان الكرادة شارع 14 بغداد", Intent::Order),
            ("areed thnain", Intent::Order),
            ("I want to buy two", Intent::Order),
            ("اريد الغي طلبي 5003", Intent::Cancel),
            ("cancel my order 5003", Intent::Cancel),
            ("وين صار طلبي 5001", Intent::Status),
            ("wen talabi", Intent::Status),
            ("where is my order 5001?", Intent::Status),
            ("اريد موعد باچر", Intent::Slot),
            ("can I book an appointment", Intent::Slot),
            ("اريد احجي ويه موظف", Intent::Person),
            ("السلام عليكم", Intent::Greeting),
            ("شكراً جزيلاً", Intent::Thanks),
            ("شكد سعر التوصيل", Intent::Unknown),
            ("قصيدة عن البحر", Intent::Unknown),
        ] {
            assert_eq!(Intent::of(text, ""), intent, "{text}");
        }
    }

    #[test]
    fn what_is_wanted_is_named_apart_from_how_it_is_asked_for() {
        for (text, wanted) in [
            ("شكد سعر بامبرز؟", "بامبرز"),
            ("هلا، عندكم حليب نيدو لو سمحت؟", "حليب نيدو"),
            ("اريد اثنين قياس 3، اسمي سارة", ""),
            ("do you have Nido milk?", "Nido milk"),
        ] {
            assert_eq!(subject(text), wanted, "{text}");
        }
        let earlier = ["شكد سعر بامبرز؟".to_owned(), "اسمي سارة".to_owned()];
        assert_eq!(spoken_of("اريد اثنين قياس 3", &earlier).as_deref(), Some("بامبرز"));
    }
}
