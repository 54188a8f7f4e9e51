//! Published questions over a small shop, and what holds for any.

use proptest::prelude::*;

use super::{Match, Synonyms, rank, skeleton::skeletons, stem, variants, words::words};
use crate::{
    catalogue::{Availability, Listing, Money, Product},
    systems::ExternalId,
    text::PlainText,
};

const SHOP: [&str; 40] = [
    "حليب نيدو مجفف ٩٠٠ غم",
    "حليب أطفال سيميلاك",
    "حفاضات بامبرز مقاس ٤",
    "قميص رجالي قطن",
    "فستان سهرة أحمر",
    "حذاء رياضي نايك",
    "حقيبة مدرسية",
    "شاحن Samsung سريع 25W",
    "عطر عود ملكي ١٠٠ مل",
    "رز بسمتي ٥ كغم",
    "نظارة شمسية",
    "ساعة يد رجالية",
    "مكواة بخار",
    "سماعة بلوتوث JBL",
    "هاتف آيفون 15 برو",
    "هاتف شاومي ريدمي نوت 13",
    "شاشة تلفزيون سوني 55 بوصة",
    "غسالة أوتوماتيك LG",
    "طقم صحون سيراميك",
    "ملعقة خشبية",
    "مفتاح ربط ١٢ ملم",
    "كرسي مكتب دوّار",
    "طاولة طعام خشب",
    "سجادة صلاة",
    "بطانية شتوية",
    "مخدة طبية",
    "قلم حبر جاف",
    "دفتر مدرسي ١٠٠ ورقة",
    "كريم نيفيا مرطب",
    "شامبو كلير للرجال",
    "معجون أسنان كولجيت",
    "فرشاة أسنان ناعمة",
    "خاتم فضة",
    "قهوة تركية بن",
    "شاي أحمد",
    "نسكافيه كلاسيك",
    "نوتيلا ٧٥٠ غم",
    "زيت زيتون بكر",
    "لعبة سيارة سباق",
    "عباءة سوداء مطرزة",
];

fn products(titles: &[&str]) -> Vec<Product> {
    let product = |(position, title): (usize, &&str)| {
        Product::of(Listing {
            id: ExternalId::of_number(&position.to_string()).unwrap(),
            title: PlainText::read(title, 200).unwrap(),
            price: Money::of_number("1000").unwrap(),
            availability: Availability::In,
        })
    };
    titles.iter().enumerate().map(product).collect()
}

#[test]
fn every_published_question_finds_its_product_first() {
    let (shop, synonyms) = (products(&SHOP), Synonyms::shipped());
    let lines = include_str!("search.tsv").lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    for line in lines {
        let fields: Vec<_> = line.split('\t').collect();
        let [asked, title, strength] = fields[..] else { panic!("{line}") };
        let first = rank(asked, &shop, &synonyms)[0];
        let got = (SHOP[first.position], if first.matched == Match::Strong { "strong" } else { "weak" });
        if got != (title, strength) {
            wrong.push(format!("{asked}: {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_the_shop_does_not_have_is_labelled_weak() {
    let (shop, synonyms) = (products(&SHOP), Synonyms::shipped());
    let mut wrong = Vec::new();
    for asked in [
        "طباخ غاز",
        "خيمة",
        "حليب المراعي",
        "playstation",
        "بيتزا",
        "شاحن سيارة",
        "مكيف",
        "دراجة",
        "كتاب",
        "laptop",
        "dyson",
        "ثلاجة",
        "huawei",
        "بسكويت",
        "جوارب",
        "دهان",
        "ستائر",
        "مسبح",
        "عسل",
        "pizza",
        "كاميرا",
        "طابعة",
    ] {
        let ranked = rank(asked, &shop, &synonyms);
        let strong = ranked.iter().filter(|it| it.matched == Match::Strong).map(|it| SHOP[it.position]);
        wrong.extend(strong.map(|title| format!("{asked}: {title}")));
        assert_eq!(ranked.len(), SHOP.len());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_word_has_the_same_consonants_in_either_script() {
    for (arabic, latin) in [
        ("بامبرز", "pampers"),
        ("سامسونج", "samsung"),
        ("نيدو", "nido"),
        ("حليب", "7aleeb"),
        ("خبز", "5obz"),
        ("شاومي", "shawmi"),
        ("كوكاكولا", "cocacola"),
        ("فازلين", "vaseline"),
        ("بلوتوث", "bluetooth"),
    ] {
        let same = skeletons(latin).iter().any(|it| skeletons(arabic).contains(it));
        assert!(same, "{arabic} {:?} {latin} {:?}", skeletons(arabic), skeletons(latin));
    }
}

#[test]
fn broken_plurals_lead_back() {
    for (plural, singular) in [
        ("قمصان", "قميص"),
        ("عطور", "عطر"),
        ("اقلام", "قلم"),
        ("فساتين", "فستان"),
        ("مفاتيح", "مفتاح"),
        ("احذيه", "حذا"),
        ("حقايب", "حقيب"),
        ("خواتم", "خاتم"),
        ("الكتب", ""),
    ] {
        assert_eq!(stem::singulars(plural).first().map_or("", String::as_str), singular, "{plural}");
    }
    for (one, many) in [("قميص", "القمصان"), ("فستان", "فساتين"), ("كتاب", "كتب"), ("مفتاح", "مفاتيح")]
    {
        assert_eq!(stem::root(one), stem::root(many), "{one}");
    }
}

#[test]
fn digits_are_words_of_their_own_but_where_they_are_letters() {
    for (text, split) in [
        ("500مل", vec!["500", "مل"]),
        ("iphone15", vec!["iphone", "15"]),
        ("٥kg", vec!["5", "kg"]),
        ("7aleeb", vec!["7aleeb"]),
        ("A52", vec!["a", "52"]),
        ("s23ultra", vec!["s", "23", "ultra"]),
        ("saa3a", vec!["saa3a"]),
        ("5kg", vec!["5", "kg"]),
        ("أُمّ-٣", vec!["ام", "3"]),
    ] {
        assert_eq!(words(text), split, "{text}");
    }
}

#[test]
fn a_shop_that_compares_letters_is_asked_in_ways_that_it_finds() {
    let synonyms = Synonyms::shipped();
    for (asked, title) in [
        ("قمصان", "قميص رجالي"),
        ("احذيه", "حذاء رياضي"),
        ("اكو عطور عدكم", "عطر عود"),
        ("pampers", "حفاضات بامبرز"),
        ("جنطه", "حقيبة مدرسية"),
        ("تمن", "رز بسمتي"),
        ("7aleeb", "حليب مجفف"),
        ("nutella", "شوكولاتة نوتيلا"),
        ("laban", "لبن رائب"),
        ("3asal", "عسل جبلي"),
        ("حليب للاطفال", "حليب سيميلاك"),
    ] {
        let ways = variants(asked, &synonyms);
        assert!(ways.iter().any(|way| title.contains(way.as_str())), "{asked}: {ways:?}");
    }
}

#[test]
fn an_owners_own_words_are_found_too() {
    let shop = products(&["علبة زرقاء", "مظلة مطر"]);
    let mut synonyms = Synonyms::shipped();
    synonyms.add(["شمسيه", "مظله"].into_iter());
    let first = rank("شمسية", &shop, &synonyms)[0];
    assert_eq!((first.position, first.matched), (1, Match::Strong));
}

proptest! {
    #[test]
    fn any_question_orders_all_products_once(asked in "\\PC{0,40}|.{0,40}", titles in prop::collection::vec("[ء-ي a-z0-9]{1,20}x", 0..12)) {
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let shop = products(&titles);
        let ranked = rank(&asked, &shop, &Synonyms::default());
        let mut positions: Vec<usize> = ranked.iter().map(|it| it.position).collect();
        positions.sort_unstable();
        prop_assert_eq!(positions, (0..titles.len()).collect::<Vec<_>>());
        prop_assert_eq!(rank(&asked, &shop, &Synonyms::default()), ranked);
    }

    #[test]
    fn a_title_finds_itself_strongly(position in 0_usize..40) {
        let shop = products(&SHOP);
        let first = rank(SHOP[position], &shop, &Synonyms::shipped())[0];
        prop_assert_eq!((first.position, first.matched), (position, Match::Strong));
    }

    #[test]
    fn a_shop_is_asked_in_three_other_ways_at_most(asked in "\\PC{0,40}|[ء-ي ]{0,20}") {
        let ways = variants(&asked, &Synonyms::shipped());
        prop_assert!(ways.len() <= 3 && ways.iter().all(|way| !way.trim().is_empty() && *way != asked));
    }
}
