//! Published questions over a small shop, and what holds for any.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::{Match, Synonyms, rank, skeleton::skeletons, stem, variants, words::words};
use crate::{
    external_id::ExternalId,
    money::Money,
    systems::{Availability, Listing, Product},
    text::PlainText,
};

static SHIPPED: LazyLock<Synonyms> = LazyLock::new(Synonyms::shipped);

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
fn what_only_resembles_what_was_asked_for_is_labelled_weak() {
    let synonyms = Synonyms::shipped();
    for (asked, strong, weak) in [
        // An alef at the beginning belongs to the word, and so does what looks like a plural's ending.
        ("اسبرين", &[][..], &["مزيل عرق سبراي", "عطر اسود"][..]),
        ("اسبرين", &["اسبرين 100 حبة"], &["مزيل عرق سبراي"]),
        // One of two words, however rare, is half of what was asked for.
        (
            "عربة أطفال",
            &["عربة أطفال قابلة للطي"],
            &["جبنة عرب بيضاء", "قهوة عربية شقراء", "كرسي طعام أطفال", "سرير أطفال", "دراجة أطفال"],
        ),
    ] {
        let titles = [strong, weak].concat();
        let ranked = rank(asked, &products(&titles), &synonyms);
        for it in ranked {
            let is_strong = it.position < strong.len();
            assert_eq!(it.matched == Match::Strong, is_strong, "{asked}: {}", titles[it.position]);
        }
    }
}

#[test]
fn the_sound_of_one_short_word_makes_no_strong_match() {
    let synonyms = Synonyms::shipped();
    for (asked, title) in [
        ("برشا", "فرشة شعر"),
        ("soora", "سوار ذهب"),
        ("salam", "سلم المنيوم"),
        ("ok", "عكال اسود"),
        ("تنك", "طنجرة ضغط"),
    ] {
        let first = rank(asked, &products(&[title]), &synonyms)[0];
        assert_eq!(first.matched, Match::Weak, "{asked}: {title}");
    }
}

#[test]
fn a_question_about_buying_wants_no_product() {
    let synonyms = Synonyms::shipped();
    let titles =
        ["صورة جدارية", "شاحن سريع", "مرحبا لوحة", "كارت توصيل", "خيمة البصرة", "ضمان ممدد", "حليب 1 لتر"];
    for asked in [
        "L",
        "do you have it in L",
        "شكرا",
        "بي ضمان؟",
        "ممكن صورة",
        "هلو",
        "شكد التوصيل للبصرة",
        "وين فرعكم بالبصرة",
        "do you deliver to Basra",
        "thanks",
        "shgad tawseel",
        "گەیاندن بۆ هەولێر",
    ] {
        let ranked = rank(asked, &products(&titles), &synonyms);
        assert!(ranked.iter().all(|it| it.matched == Match::Weak), "{asked}");
    }
    // A good that is asked for beside it is wanted.
    for asked in ["شاحن سريع بيه ضمان", "شاحن سريع بي ضمان", "شاحن سريع وياه ضمان", "شەحنکەر هەیە بە چەند؟"]
    {
        assert_eq!(rank(asked, &products(&titles), &synonyms)[0].matched, Match::Strong, "{asked}");
    }
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
        // A name in the other script, as it is written.
        ("شاومي", "Xiaomi Redmi 13"),
        ("ڤيرزاتشي", "عطر Versace"),
        ("chanel", "عطر شانيل"),
        ("بلي ستيشن", "PlayStation 5"),
        ("جي بي ال", "سبيكر JBL"),
        // Vowels are long or short.
        ("fustan", "فستان صيفي"),
        ("sha7in", "شاحن سريع"),
        ("qamsala", "جاكيت جلد"),
        // Of a story, the words that are wanted.
        ("عيني باجر عندي سفره لاهلي واريد قمصلة دافية", "جاكيت جلد"),
        ("my son starts school tomorrow and we need a laptop", "لابتوب لينوفو"),
        ("تنانير", "تنورة طويلة"),
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

#[test]
fn words_that_only_ask_are_not_asked_of_a_shop() {
    for (asked, question) in [
        ("شنو عندكم شامبو؟", "شامبو"),
        ("هلو اكو آيفون ١٥", "آيفون ١٥"),
        ("do you have Samsung", "Samsung"),
        ("شنو عندكم", "شنو عندكم"),
        ("شعري كلش ناشف ومتعب اريد زيت", "زيت"),
        ("", ""),
    ] {
        assert_eq!(super::question(asked, &SHIPPED), question);
    }
}

#[test]
fn letters_that_are_said_alike_sound_alike_in_either_script() {
    for (one, other) in [
        ("قميص", "قميس"),
        ("حذاء", "حظاء"),
        ("قلم", "گلم"),
        ("عطر", "3tr"),
        ("زيتون", "zaytoon"),
        ("عسل", "3asal"),
        ("موبايل", "mobayl"),
    ] {
        let sounds = |word: &str| super::features::sounds(&super::words::plain(word));
        assert!(
            sounds(one).iter().any(|it| sounds(other).contains(it)),
            "{:?} {:?}",
            sounds(one),
            sounds(other)
        );
    }
}

#[test]
fn a_slip_is_one_letter_in_a_word_that_is_long_enough() {
    for (one, other, near) in [
        ("تلفزيون", "تلفزون", true),
        ("شاحن", "شاخن", true),
        ("سامسونج", "سمسونج", true),
        ("شاي", "شال", false),
        ("حليب", "عطر", false),
        ("كب", "كت", false),
    ] {
        assert_eq!(super::spelling::slips(one, other) > 0.5, near, "{one} {other}");
    }
}

/// Searches a shop of these titles that compares letter by letter; also returns how often it was asked.
fn found(asked: &str, titles: &[&str], failing: &str) -> (Result<Vec<super::Found>, ()>, usize) {
    let (shop, times) = (products(titles), std::cell::Cell::new(0));
    let ask = |q: String| {
        times.set(times.get() + 1);
        let holds = |product: &&Product| product.listing.title.as_str().contains(&q);
        let answer = if q == failing { Err(()) } else { Ok(shop.iter().filter(holds).cloned().collect()) };
        async move { answer }
    };
    let found = pollster::block_on(super::find(asked, &SHIPPED, ask));
    (found, times.get())
}

#[test]
fn a_shop_is_asked_once_where_that_finds_enough_and_four_times_at_most() {
    let (many, times) = found("اكو شاي", &["شاي أحمد", "شاي محمود", "شاي ليبتون"], "");
    assert_eq!((many.unwrap().len(), times), (3, 1));
    let (few, times) = found("نفنوف احمر", &SHOP, "");
    let few = few.unwrap();
    assert_eq!(few[0].product.listing.title.as_str(), "فستان سهرة أحمر");
    assert_eq!(few[0].matched, Match::Strong);
    assert!((2..=4).contains(&times));
    let ids: std::collections::HashSet<_> = few.iter().map(|it| it.product.listing.id.clone()).collect();
    assert_eq!(ids.len(), few.len());
}

#[test]
fn a_product_that_a_shop_answers_several_times_is_found_once() {
    let mut all = products(&["شاي أحمد", "شاي محمود", "شاي ليبتون"]);
    all.extend(all.clone());
    let ask = |_| {
        let all = all.clone();
        async move { Ok::<_, ()>(all) }
    };
    assert_eq!(pollster::block_on(super::find("اكو شاي", &SHIPPED, ask)).unwrap().len(), 3);
}

#[test]
fn only_a_failure_of_the_first_question_is_one_of_the_whole() {
    assert!(found("جنطه", &SHOP, "جنطه").0.is_err());
    let (other, _) = found("جنطه", &SHOP, "حقيب");
    assert!(other.is_ok());
}

proptest! {
    #[test]
    fn the_order_in_which_a_shop_answers_changes_nothing(asked in "[ء-ي ]{1,20}", turn in 0_usize..40) {
        let shop = products(&SHOP);
        let mut turned = shop.clone();
        turned.rotate_left(turn);
        let ids = |shop: &[Product]| -> Vec<_> {
            let ranked = rank(&asked, shop, &SHIPPED);
            ranked.iter().map(|it| (shop[it.position].listing.id.clone(), it.matched)).collect()
        };
        prop_assert_eq!(ids(&shop), ids(&turned));
    }

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
        let first = rank(SHOP[position], &shop, &SHIPPED)[0];
        prop_assert_eq!((first.position, first.matched), (position, Match::Strong));
    }

    #[test]
    fn a_shop_is_asked_in_three_other_ways_at_most(asked in "\\PC{0,40}|[ء-ي ]{0,20}") {
        let ways = variants(&asked, &SHIPPED);
        prop_assert!(ways.len() <= 3 && ways.iter().all(|way| !way.trim().is_empty() && *way != asked));
    }
}
