//! Words that numbers are made of, and words beside numbers that tell what they stand for. All are as
//! [`crate::text::fold_for_search`] leaves them.

use super::{currencies, prefixes::bare};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Value(u64),
    /// A hundred of what is before it.
    Hundred,
    /// A thousand or a million of what is before it.
    Scale(u32),
}

const VALUES: &[(&[&str], u64)] = &[
    (&["واحد", "واحده", "one", "يهك", "wahid", "wahad"], 1),
    (
        &[
            "اثنين",
            "ثنين",
            "اثنان",
            "اثنا",
            "اثني",
            "اثنتين",
            "اثنتي",
            "ثنتين",
            "two",
            "دوو",
            "ithnain",
            "ithnen",
            "thnen",
        ],
        2,
    ),
    (currencies::TWO_OF_A_CURRENCY, 2),
    (&["ثلاثه", "تلاثه", "ثلاث", "ثلث", "تلث", "three", "سێ", "thalatha", "tlatha", "thlatha"], 3),
    (&["اربعه", "اربع", "four", "چوار", "arba", "arbaa"], 4),
    (&["خمسه", "خمس", "five", "پێنج", "khamsa", "xamsa"], 5),
    (&["سته", "ست", "six", "شهش", "sitta"], 6),
    (&["سبعه", "سبع", "seven", "حهوت", "sabaa", "saba"], 7),
    (&["ثمانيه", "ثمنيه", "ثماني", "ثمان", "eight", "ههشت", "thmanya", "thamanya"], 8),
    (&["تسعه", "تسع", "nine", "نۆ", "tisaa", "tisa"], 9),
    (&["عشره", "عشر", "ten", "ashra", "ashara"], 10),
    (&["احدعش", "هدعش", "حدعش", "دعش", "احدعشر", "هدعشر", "eleven", "يانزه"], 11),
    (&["اثنعش", "طنعش", "ثنعش", "اثناعش", "اثنعشر", "طنعشر", "twelve", "دوانزه", "دوازده"], 12),
    (
        &["ثلاثطعش", "تلطعش", "ثلطعش", "ثلثطعش", "تلتعش", "تلتطعش", "ثلاثطعشر", "thirteen", "سيانزه", "سێزده"],
        13,
    ),
    (&["اربعطعش", "اربعتعش", "اربعطعشر", "fourteen", "چوارده"], 14),
    (&["خمسطعش", "خمستعش", "خمسطعشر", "خمستعشر", "fifteen", "پانزه", "پازده", "khamustash"], 15),
    (&["سطعش", "ستطعش", "ستعش", "سطعشر", "ستطعشر", "sixteen", "شانزه", "شازده"], 16),
    (&["سبعطعش", "سبعتعش", "سبعطعشر", "سبعتعشر", "seventeen", "حهڤده", "حهفده"], 17),
    (&["ثمنطعش", "ثمانطعش", "ثمنتعش", "تمنطعش", "ثمنطعشر", "eighteen", "ههژده"], 18),
    (&["تسعطعش", "تسعتعش", "تسعطعشر", "تسعتعشر", "nineteen", "نۆزده"], 19),
    (&["عشرين", "عشرون", "twenty", "بيست", "ishreen", "eshreen", "ishrin"], 20),
    (&["ثلاثين", "ثلاثون", "تلاثين", "thirty", "thalatheen", "tlatheen", "thlatheen"], 30),
    (&["اربعين", "اربعون", "forty", "چل", "arbaeen", "arbaein", "arbaen"], 40),
    (&["خمسين", "خمسون", "fifty", "پهنجا", "khamseen", "khamsin", "xamsin"], 50),
    (&["ستين", "ستون", "sixty", "شهست", "sitteen", "sittin"], 60),
    (&["سبعين", "سبعون", "seventy", "حهفتا", "sabaeen", "sabeen"], 70),
    (&["ثمانين", "ثمانون", "eighty", "ههشتا", "thmaneen", "thamaneen"], 80),
    (&["تسعين", "تسعون", "ninety", "نهوهد", "tiseen", "tisaeen"], 90),
    (&["ميتين", "مايتين", "ميتان"], 200),
    (&["ثلاثميه", "ثلثميه", "تلثميه", "ثلاثمايه"], 300),
    (&["اربعميه", "اربعمايه"], 400),
    (&["خمسميه", "خمسمايه"], 500),
    (&["ستميه", "ستمايه"], 600),
    (&["سبعميه", "سبعمايه"], 700),
    (&["ثمنميه", "ثمانميه", "ثمانمايه"], 800),
    (&["تسعميه", "تسعمايه"], 900),
    (&["مليونين"], 2_000_000),
];
/// Thousands in one word, as they are said in Iraq.
const THOUSANDS_IN_ONE: &[(&[&str], u64)] = &[
    (&["الفين", "الفان"], 2000),
    (&["تلتالاف", "ثلتالاف", "ثلثتالاف", "تلثتالاف", "ثلاثتالاف", "تلاتالاف"], 3000),
    (&["اربعتالاف"], 4000),
    (&["خمستالاف", "خمسالاف"], 5000),
    (&["ستالاف", "ستتالاف"], 6000),
    (&["سبعتالاف"], 7000),
    (&["ثمنتالاف", "ثمانتالاف", "تمنتالاف"], 8000),
    (&["تسعتالاف"], 9000),
    (&["عشرتالاف", "عشرالاف"], 10_000),
];
const HALVES: &[&str] = &["نص", "نصف", "half", "nus", "nuss", "نيو"];
const QUARTERS: &[&str] = &["ربع", "quarter"];
const PERCENTS: &[&str] = &["بالميه", "بالمايه", "percent", "pct"];
const THE_HUNDRED: &[&str] = &["الميه", "المايه"];
const HUNDREDS: &[&str] = &["ميه", "مايه", "hundred", "miya", "meya", "سهد"];
const THOUSANDS: &[&str] = &[
    "الف",
    "الاف",
    "الفا",
    "تالاف",
    "thousand",
    "alf",
    "alaf",
    "ههزار",
    "ههزاره",
    "ههزاري",
    "ههزارم",
    "ههزارێك",
    "hezar",
];
/// Sorani words that are numbers before a thousand or a million alone: by themselves they are a letter's name
/// and a pronoun of other dialects.
const BEFORE_SCALES: &[(&[&str], u64)] = &[(&["ده", "de"], 10), (&["سي", "si"], 30)];
const MILLIONS: &[&str] = &["مليون", "ملايين", "million", "malyon", "milyon", "مليۆن", "مليۆنێك"];
/// Greetings, which people give a hundred times.
const GREETINGS: &[&str] =
    &["هلا", "هله", "مرحبا", "مرحبه", "اهلا", "اهلين", "السلام", "سلام", "welcome", "welcomes"];
/// Thanks and wishes, which people give a thousand times.
const COURTESIES: &[&str] = &[
    "شكر",
    "شكرا",
    "مبروك",
    "تحيه",
    "عافيه",
    "سلامه",
    "رحمه",
    "صحه",
    "خير",
    "مره",
    "بركه",
    "عفو",
    "thanks",
    "times",
    "apologies",
];
/// Words after which, with an article in English, a thousand or a million is of thanks.
const THANKS: &[&str] = &["شكرا", "مشكور", "مشكوره", "ممنون", "تسلم", "تسلمين", "thanks", "you", "in"];
const PRICES: &[&str] = &[
    "سعر",
    "سعره",
    "سعرها",
    "سعرهم",
    "السعر",
    "بسعر",
    "اسعار",
    "الاسعار",
    "ثمن",
    "ثمنه",
    "بكلفه",
    "كلفه",
    "تكلفه",
    "كلفته",
    "مجموع",
    "المجموع",
    "الاجمالي",
    "اجمالي",
    "مبلغ",
    "المبلغ",
    "خصم",
    "بخصم",
    "تخفيض",
    "عرض",
    "يكلف",
    "تكلف",
    "يكلفك",
    "نخليها",
    "اخليها",
    "نخليه",
    "اخليه",
    "نسويها",
    "انطيكياها",
    "نبيعها",
    "بيعها",
    "ب",
    "يصير",
    "تصير",
    "price",
    "prices",
    "costs",
    "cost",
    "total",
    "discount",
    "only",
    "pay",
    "fee",
    "amount",
    "sells",
    "worth",
];
const REFERENCES: &[&str] = &[
    "طلب",
    "طلبك",
    "الطلب",
    "طلبيه",
    "طلبيتك",
    "رقم",
    "برقم",
    "رقمه",
    "رقمها",
    "الرقم",
    "فاتوره",
    "order",
    "number",
    "no",
    "ref",
    "reference",
    "invoice",
];
/// Words right behind which a number is a size.
const SIZES: &[&str] = &[
    "قياس",
    "قياسي",
    "قياسات",
    "مقاس",
    "مقاسي",
    "مقاسات",
    "نمره",
    "حجم",
    "احجام",
    "عمر",
    "اعمار",
    "size",
    "sizes",
    "age",
    "ages",
];
/// Units and things that are counted or measured, and never paid.
const COUNTED: &[&str] = &[
    "دانه",
    "م",
    "m",
    "مم",
    "ملم",
    "مللي",
    "ملي",
    "امتار",
    "امبير",
    "فولت",
    "هرتز",
    "بكسل",
    "ميغا",
    "ميكا",
    "جيجابايت",
    "كيكابايت",
    "تيرا",
    "اونصه",
    "صفحه",
    "اسابيع",
    "meter",
    "meters",
    "metre",
    "metres",
    "inches",
    "ft",
    "feet",
    "oz",
    "lb",
    "lbs",
    "kilos",
    "grams",
    "liter",
    "liters",
    "litre",
    "litres",
    "watts",
    "volts",
    "v",
    "mp",
    "pages",
    "weeks",
    "week",
    "قطعه",
    "قطع",
    "قطعتين",
    "حبه",
    "حبات",
    "علبه",
    "علب",
    "عبوه",
    "عبوات",
    "كرتون",
    "مل",
    "ml",
    "لتر",
    "l",
    "غرام",
    "غم",
    "g",
    "gm",
    "كيلو",
    "كغم",
    "kg",
    "سم",
    "cm",
    "متر",
    "انج",
    "بوصه",
    "inch",
    "gb",
    "جيجا",
    "كيكا",
    "tb",
    "mb",
    "واط",
    "w",
    "يوم",
    "ايام",
    "يومين",
    "ساعه",
    "ساعات",
    "دقيقه",
    "دقايق",
    "اسبوع",
    "شهر",
    "اشهر",
    "سنه",
    "سنوات",
    "نقطه",
    "نقاط",
    "مقاس",
    "لون",
    "الوان",
    "خيار",
    "خيارات",
    "منتج",
    "منتجات",
    "شخص",
    "اشخاص",
    "pieces",
    "piece",
    "pcs",
    "items",
    "item",
    "days",
    "day",
    "hours",
    "hour",
    "minutes",
    "months",
    "month",
    "years",
    "year",
    "points",
    "options",
    "products",
    "mah",
    "mm",
    "hz",
];
/// Words that may follow an amount for which something is had: "for ten only".
const AFTER_AMOUNTS: &[&str] = &[
    "بس",
    "فقط",
    "الك",
    "لك",
    "لكم",
    "لو",
    "لان",
    "اذا",
    "كله",
    "كلها",
    "هسه",
    "هسع",
    "حبيبي",
    "عيني",
    "عيوني",
    "اخي",
    "اخوي",
    "غالي",
    "استاذ",
];
/// Words beside which a share lowers a price.
const LOWERS: &[&str] =
    &["خصم", "بخصم", "الخصم", "تخفيض", "بتخفيض", "تنزيل", "عرض", "discount", "off", "back"];
/// Parses a word of a number.
pub(super) fn read(word: &str) -> Option<Word> {
    let own = |word: &str| {
        if HUNDREDS.contains(&word) {
            return Some(Word::Hundred);
        }
        let mut values = VALUES.iter().chain(THOUSANDS_IN_ONE);
        let value = values.find(|(names, _)| names.contains(&word)).map(|(_, value)| *value);
        value.map(Word::Value).or_else(|| match scale(word) {
            1 => None,
            times => Some(Word::Scale(times)),
        })
    };
    own(word).or_else(|| bare(word).find_map(own))
}

/// Parses a word that is a number only before a thousand or a million.
pub(super) fn before_scale(word: &str) -> Option<u64> {
    BEFORE_SCALES.iter().find(|(names, _)| names.contains(&word)).map(|(_, value)| *value)
}

/// Returns what a half or a quarter of a thousand or a million is, as it stands before them.
pub(super) fn part_of(share: &str, scale: u32) -> Option<u64> {
    let divisor = |share: &str| {
        if HALVES.contains(&share) { Some(2) } else { QUARTERS.contains(&share).then_some(4) }
    };
    let divisor = std::iter::once(share).chain(bare(share)).find_map(divisor)?;
    (scale > 1).then_some(u64::from(scale) / divisor)
}

fn scale(word: &str) -> u32 {
    if THOUSANDS.contains(&word) {
        1000
    } else if MILLIONS.contains(&word) {
        1_000_000
    } else {
        1
    }
}

/// Returns a thousand, a million, or one for any other word.
pub(super) fn scale_of(word: &str) -> u32 {
    let own = |word: &str| {
        if word == "مليونين" {
            1_000_000
        } else if THOUSANDS_IN_ONE.iter().any(|(names, _)| names.contains(&word)) {
            1000
        } else {
            scale(word)
        }
    };
    std::iter::once(word).chain(bare(word)).map(own).find(|&times| times > 1).unwrap_or(1)
}

/// Returns whether the two words are eleven: the first by itself is anybody.
pub(super) fn is_eleven(word: &str, next: &str) -> bool {
    let is_one = |word: &str| matches!(word, "احد" | "احدي");
    std::iter::once(word).chain(bare(word)).any(is_one) && matches!(next, "عشر" | "عشره")
}

/// Returns what a word that adds to `value` has to be smaller than.
pub(super) const fn room_after(value: u64) -> u64 {
    match value {
        100.. => 100,
        20..=99 => 10,
        _ => 0,
    }
}

/// Returns whether it is a thousand thanks or a hundred greetings; `before` has the nearer word first.
pub(super) fn is_courtesy(before: [&str; 2], word: &str, next: &str) -> bool {
    let of_many = COURTESIES.contains(&next);
    let thanked = match before {
        ["a", thanks] => THANKS.contains(&thanks),
        [thanks, _] => THANKS.contains(&thanks) && thanks != "in",
    };
    let is_wished =
        of_many || is_greeting(next) || (scale_of(word) > 1 && thanked && !currencies::is_currency(next));
    is_wished && (scale_of(word) > 1 || HUNDREDS.contains(&word)) && !tells_a_price(before[0])
}

pub(super) fn is_greeting(word: &str) -> bool {
    GREETINGS.contains(&word)
}

pub(super) fn names_a_size(word: &str) -> bool {
    let word = word.strip_prefix('و').unwrap_or(word);
    let word = word
        .strip_prefix("ال")
        .or_else(|| word.strip_prefix("لل"))
        .or_else(|| word.strip_prefix('ب'))
        .unwrap_or(word);
    SIZES.contains(&word)
}

/// Returns whether it is a number for which something is had, as one word: "for ten".
pub(super) fn is_for(word: &str) -> bool {
    let word = word.strip_prefix('و').unwrap_or(word);
    word.starts_with('ب') && read(word).is_some()
}

/// Returns whether no number counts it, unlike `احجام`: in Arabic, what is counted has no article.
pub(super) fn names_nothing_counted(word: &str) -> bool {
    let word = word.strip_prefix('و').unwrap_or(word);
    word.is_empty() || word.starts_with("ال") || word.starts_with("لل") || AFTER_AMOUNTS.contains(&word)
}

pub(super) fn is_percent(word: &str) -> bool {
    PERCENTS.contains(&word)
}

pub(super) fn is_the_hundred(word: &str) -> bool {
    THE_HUNDRED.contains(&word)
}

/// Returns what a half or a quarter of a thousand, a million or one is.
pub(super) fn share_of(word: &str, scale: u32) -> Option<&'static str> {
    let (half, quarter) = match scale {
        1 => ("0.5", "0.25"),
        1_000 => ("500", "250"),
        1_000_000 => ("500000", "250000"),
        _ => return None,
    };
    if HALVES.contains(&word) { Some(half) } else { QUARTERS.contains(&word).then_some(quarter) }
}

/// Returns whether an amount likely follows.
pub(super) fn tells_a_price(word: &str) -> bool {
    PRICES.contains(&word) || word.strip_prefix('و').is_some_and(|word| PRICES.contains(&word))
}

pub(super) fn lowers_a_price(word: &str) -> bool {
    LOWERS.contains(&word)
}

pub(super) fn names_a_reference(word: &str) -> bool {
    REFERENCES.contains(&word)
}

pub(super) fn is_counted(word: &str) -> bool {
    COUNTED.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_written_as_it_is_compared() {
        let lists = [
            HUNDREDS,
            THOUSANDS,
            MILLIONS,
            GREETINGS,
            COURTESIES,
            THANKS,
            PRICES,
            REFERENCES,
            SIZES,
            COUNTED,
            AFTER_AMOUNTS,
            LOWERS,
        ];
        let lists = lists.into_iter().chain([HALVES, QUARTERS, PERCENTS, THE_HUNDRED]);
        let values = VALUES.iter().chain(THOUSANDS_IN_ONE).chain(BEFORE_SCALES).map(|(names, _)| *names);
        let all = lists.chain(values).flatten();
        for word in all {
            assert_eq!(crate::text::fold_for_search(word), *word);
        }
    }
}
