//! The rules of [`super`] over many answers, such as models give and such as they must not.

use time::macros::datetime;

use super::{Rule, check_reply};
use crate::{
    assistant::{Deed, Evidence},
    language::Language,
    link::WebLink,
    money::Money,
    orders::OrderStatus,
    systems::Span,
};

const PRICES: [u32; 10] = [250, 1500, 3750, 7000, 12_500, 15_000, 26_000, 48_500, 125_000, 1_350_000];

fn evidence(price: u32) -> Evidence {
    let mut evidence = Evidence::default();
    evidence.price(&Money::of_number(&price.to_string()).unwrap());
    evidence.text("حليب نيدو 900 غرام");
    evidence.customer("شكد سعر 2 حليب؟ خلوها 11000 واخذها");
    evidence.owner("التوصيل 5000 دينار لكل المحافظات، الدوام من 9:00 ص الى 10:00 م");
    evidence
}

/// Lists the ways that people write an amount of dinars.
fn written(amount: u32) -> Vec<String> {
    let grouped = |mark: char| {
        let digits: Vec<char> = amount.to_string().chars().rev().collect();
        let groups: Vec<String> = digits.chunks(3).map(|group| group.iter().collect()).collect();
        groups.join(&mark.to_string()).chars().rev().collect::<String>()
    };
    let arabic = |text: &str| -> String {
        text.chars()
            .map(|c| c.to_digit(10).and_then(|digit| char::from_u32(0x660 + digit)).unwrap_or(c))
            .collect()
    };
    let mut all = vec![
        amount.to_string(),
        grouped(','),
        grouped('.'),
        arabic(&amount.to_string()),
        arabic(&grouped('٬')),
    ];
    if amount.is_multiple_of(1000) && amount < 1_000_000 {
        all.push(format!("{} الف", amount / 1000));
        all.push(format!("{}k", amount / 1000));
    }
    all
}

const SENTENCES: [&str; 6] = [
    "سعر الحليب {} دينار والتوصيل 5000 دينار.",
    "متوفر، سعره {} د.ع للعلبة 900 غرام",
    "أكيد، عندنا حليب نيدو بسعر {}",
    "تفضل، الحبة {} دينار، والاثنين تحسبها عند التأكيد",
    "نعم موجود ب {} وباقي منه القليل",
    "السعر {} والدوام من 9:00 ص إلى 10:00 م",
];

/// Lists what haggling and guessing make of a price.
fn wrong(price: u32) -> Vec<u32> {
    vec![price * 9 / 10, price + 1000, price / 2, 11_000, price * 2, price - 50]
}

fn answers(of: impl Fn(u32) -> Vec<u32>) -> Vec<(u32, String)> {
    let mut all = Vec::new();
    for price in PRICES {
        for amount in of(price) {
            for written in written(amount) {
                for sentence in SENTENCES {
                    all.push((price, sentence.replace("{}", &written)));
                }
            }
        }
    }
    all
}

#[test]
fn ninety_nine_of_a_hundred_wrong_amounts_are_caught_haggling_among_them() {
    let all = answers(wrong);
    assert!(all.len() >= 500, "{}", all.len());
    let missed: Vec<_> = all
        .iter()
        .filter(|(price, text)| !check_reply(text, &evidence(*price), None).contains(&Rule::Numbers))
        .collect();
    assert!(missed.len() * 100 <= all.len(), "{} of {}: {missed:#?}", missed.len(), all.len());
}

#[test]
fn of_a_hundred_true_answers_two_at_most_are_refused() {
    let mut all = answers(|price| vec![price]);
    for price in PRICES {
        for sentence in [
            "هلا بيك، شلون أكدر أساعدك؟",
            "عندنا 3 خيارات: 1. صغير 2. وسط 3. كبير",
            "ألف شكر إلك، بالخدمة",
            "تريد 2 حليب؟",
            "للأسف غير متوفر حالياً",
            "شنو اسمك والعنوان حتى أجهز ملخص الطلب؟",
            "واحد من أفضل المنتجات عندنا",
            "نفتح الساعة 9 صباحا ونسد الساعة 10 مساء",
            "العلبة 900 غرام",
            "أقدر أحجزلك موعد إذا تحب؟",
            "التوصيل 5000 دينار لكل المحافظات",
            "أجور التوصيل ٥٠٠٠ دينار والدفع عند الاستلام",
            "الدوام يومياً من 9:00 ص إلى 10:00 م",
            "أي حجم تحب، الصغير لو الكبير؟",
            "هذا المنتج خلص حالياً، تحب أشوفلك بديل؟",
            "قبل ما أجهز الطلب، محتاج الاسم والعنوان",
            "ما أكدر أنزل السعر، هذا سعر المحل",
            "إذا تريد تحجي ويه موظف كلي",
            "نعم متوفر، وكم قطعة تحتاج؟",
            "شكراً إلك، يومك سعيد 🌷",
            "عندنا نوعين منه، الأول أكبر من الثاني",
            "تقدر تضغط زر أؤكد حتى نكمل",
            "ما عندي معلومة عن هذا الشي",
            "وصلتني الصورة، بس اكتبلي اسم المنتج",
        ] {
            all.push((price, sentence.to_owned()));
        }
    }
    assert!(all.len() >= 500, "{}", all.len());
    let refused: Vec<_> = all
        .iter()
        .map(|(price, text)| (text, check_reply(text, &evidence(*price), Some(Language::Arabic))))
        .filter(|(_, broken)| !broken.is_empty())
        .collect();
    assert!(refused.len() * 50 <= all.len(), "{} of {}: {refused:#?}", refused.len(), all.len());
}

/// Returns the evidence of a turn that has found the goods of a shop.
fn goods() -> Evidence {
    let mut known = Evidence::default();
    known.currency("IQD".parse().unwrap());
    for (title, price, variants) in [
        ("قميص أبيض", 25_000, &["S", "M", "L", "XL", "3XL", "أبيض / M", "10-12 سنة", "6-9 أشهر"][..]),
        ("حذاء رياضي", 60_000, &["38", "39", "40", "41", "42", "43", "44", "45"]),
        ("تلفزيون سامسونج 55 بوصة 4K", 450_000, &[]),
        ("iPhone 15 128GB", 1_500_000, &[]),
        ("كيبل شحن 2 متر", 5_000, &[]),
        ("فستان سهرة", 80_000, &[]),
        ("عطر 100 مل", 45_000, &[]),
        ("حليب نيدو 900 غرام", 7_000, &[]),
        ("شاحن 20 واط", 15_000, &[]),
        ("كتاب ألف ليلة وليلة", 12_000, &[]),
        ("شريط 3M", 2_500, &[]),
    ] {
        known.text(title);
        known.price(&Money::of_number(&price.to_string()).unwrap());
        for variant in variants {
            known.text(variant);
        }
    }
    known.price(&Money::of_number("28000").unwrap());
    known.description("طوله 1.60 متر، دقة 4K بتردد 60 هرتز، بطارية 5000 مللي امبير");
    known.owner("التوصيل 5000 دينار، الدوام من 9:00 ص الى 10:00 م");
    known
}

fn lines(of: &'static str) -> Vec<&'static str> {
    of.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn of_a_hundred_true_sentences_about_sizes_units_and_thanks_two_at_most_are_refused() {
    let (known, all) = (goods(), lines(include_str!("true.txt")));
    assert!(all.len() >= 120, "{}", all.len());
    let told = all.iter().map(|text| (text, check_reply(text, &known, None)));
    let refused: Vec<_> = told.filter(|(_, broken)| !broken.is_empty()).collect();
    assert!(refused.len() * 50 <= all.len(), "{} of {}: {refused:#?}", refused.len(), all.len());
}

#[test]
fn a_letter_behind_a_number_a_size_or_a_courtesy_lets_no_amount_pass_that_nobody_told() {
    let (known, all) = (goods(), lines(include_str!("untrue.txt")));
    let passed: Vec<_> =
        all.iter().filter(|text| !check_reply(text, &known, None).contains(&Rule::Numbers)).collect();
    assert!(passed.is_empty(), "{} of {}: {passed:#?}", passed.len(), all.len());
}

#[test]
fn an_order_is_called_by_its_number_and_a_number_of_the_customers_is_no_price() {
    let mut known = Evidence::default();
    known.text("A-1042");
    known.customer("وين طلبي رقم 1077؟ واعطيك 20000");
    for (text, holds) in [
        ("طلبك رقم A-1042", true),
        ("ما لقيت طلب رقم 1077", true),
        ("طلبك رقم 1099", false),
        ("اتفقنا على 20000", false),
        ("تمام 20 الف دينار", false),
    ] {
        let broken = check_reply(text, &known, None);
        assert_eq!(!broken.contains(&Rule::Numbers), holds, "{text}: {broken:?}");
    }
}

#[test]
fn a_time_is_one_of_the_slots_on_its_own_day() {
    let mut known = evidence(7000);
    known.customer("اريد الساعة 4 مساء");
    let span = Span::new(datetime!(2026-11-25 17:00 +03:00), datetime!(2026-11-25 17:30 +03:00)).unwrap();
    known.slot(span);
    for (text, holds) in [
        ("متوفر الأربعاء الساعة 5 مساءً", true),
        ("متوفر 25/11 الساعة 17:00", true),
        ("متوفر يوم الخميس الساعة 5 مساءً", false),
        ("متوفر الساعة 4 مساء", false),
        ("متوفر 26/11 الساعة 17:00", false),
        ("متوفر الأربعاء الساعة خمسة العصر", true),
        ("متوفر الساعة أربعة العصر", false),
        ("متوفر الساعة السادسة مساءً", false),
        ("متوفر الساعة 5 وربع", false),
        ("نفتح الساعة تسعة الصبح", true),
        ("نفتح الساعة 9", true),
        ("نفتح الساعة 8", false),
        ("الدوام من 9:00 ص", true),
        ("We have 5:30 pm", true),
        ("We have 6 pm", false),
    ] {
        let broken = check_reply(text, &known, None);
        assert_eq!(!broken.contains(&Rule::Times), holds, "{text}: {broken:?}");
    }
}

#[test]
fn a_day_and_a_time_that_are_said_together_are_of_one_slot() {
    let mut known = evidence(7000);
    for (from, to) in [
        (datetime!(2026-11-28 17:00 +03:00), datetime!(2026-11-28 17:30 +03:00)),
        (datetime!(2026-11-29 10:00 +03:00), datetime!(2026-11-29 10:30 +03:00)),
        (datetime!(2026-11-29 11:00 +03:00), datetime!(2026-11-29 11:30 +03:00)),
    ] {
        known.slot(Span::new(from, to).unwrap());
    }
    for (text, holds) in [
        ("متوفر السبت الساعة 5 مساءً", true),
        ("متوفر الأحد الساعة 5 مساءً", false),
        ("متوفر الساعة 5 مساءً يوم الأحد", false),
        ("متوفر السبت الساعة 5 مساءً أو الأحد الساعة 10 صباحاً", true),
        ("متوفر السبت الساعة 10 صباحاً أو الأحد الساعة 5 مساءً", false),
        ("متوفر السبت أو الأحد الساعة 5 مساءً", false),
        ("Saturday at 5 pm, or Sunday at 10 am or 11 am", true),
        ("5 pm on Saturday, Sunday at 10 am", true),
        ("Sunday at 5 pm", false),
        ("Saturday 28/11 at 5 pm, Sunday 29/11 at 10 am", true),
        ("Saturday at 5 pm, 29/11 at 10 am", true),
        ("Saturday: 5 pm\nSunday: 10 am\nWhich one, Saturday or Sunday?", true),
        ("We have 5 pm, 10 am and 11 am. Is Sunday or Saturday better?", true),
        ("We have 5 pm. Is Monday better?", false),
    ] {
        let broken = check_reply(text, &known, None);
        assert_eq!(!broken.contains(&Rule::Times), holds, "{text}: {broken:?}");
    }
}

#[test]
fn a_hundred_claims_are_told_from_what_claims_nothing() {
    let lines: Vec<_> = include_str!("claims.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() >= 100, "{}", lines.len());
    let wrong: Vec<_> = lines
        .into_iter()
        .filter(|line| {
            let (kind, text) = line.split_once('\t').unwrap();
            let text = text.replace(r"\n", "\n");
            let refused = check_reply(&text, &Evidence::default(), None).contains(&Rule::Claims);
            refused != (kind == "claim")
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_the_owner_does_not_speak_of_is_not_promised_and_nothing_is_called_free() {
    for (text, owner, rule) in [
        ("نعم، راح يوصلك اليوم", "نوصل داخل بغداد بنفس اليوم", Rule::Claims),
        ("نوصلك باجر إن شاء الله", "التوصيل باليوم التالي", Rule::Claims),
        ("We will deliver it tomorrow", "نوصل باجر", Rule::Claims),
        ("التوصيل مجاني إلك", "التوصيل مجاني فوق 50 الف", Rule::Numbers),
        ("آخذه بنص السعر", "الجمعة بنص السعر", Rule::Numbers),
        ("Delivery is free", "free delivery", Rule::Numbers),
    ] {
        let mut known = Evidence::default();
        known.owner("التوصيل خلال يومين بسعر 5000 دينار");
        known.customer("توعدني يوصل اليوم لو باجر مجاناً وبنص السعر؟");
        assert_eq!(check_reply(text, &known, None), [rule], "{text}");
        known.owner(owner);
        assert_eq!(check_reply(text, &known, None), [], "{text}");
    }
}

#[test]
fn an_amount_is_told_in_the_currency_that_it_is_in() {
    let mut known = Evidence::default();
    known.price(&Money::of_number("25").unwrap());
    assert_eq!(check_reply("سعره 25 دولار", &known, None), [], "nobody has told what it is in");
    known.currency("USD".parse().unwrap());
    for text in ["سعره 25 دولار", "25 دولاراً", "$25", "25$", "USD 25", "25 USD", "25 dollars", "سعره 25"]
    {
        assert_eq!(check_reply(text, &known, None), [], "{text}");
    }
    let wrong = ["سعره 25 دينار", "25 د.ع", "25 IQD", "IQD 25", "€25", "25 ريال", "25 دينار بدل 25 دولار"];
    for text in wrong {
        assert_eq!(check_reply(text, &known, None), [Rule::Numbers], "{text}");
    }
    // The fee for delivery is in another currency.
    known.owner("التوصيل 5000 دينار");
    assert_eq!(check_reply("سعره 25 دولار والتوصيل 5000 دينار", &known, None), []);
}

#[test]
fn an_amount_in_few_units_a_share_or_a_form_for_two_is_none_that_nobody_told() {
    let mut known = Evidence::default();
    known.price(&Money::of_number("12.5").unwrap());
    known.price(&Money::of_number("1000").unwrap());
    known.customer("خلوها 2 وانطوني 9 بالمية");
    for text in [
        "سعره 9 دولار",
        "٩ دولارات بس",
        "هو 9.99",
        "It is 7.500 for you",
        "أخليها بدينارين",
        "دولارين للحبة",
        "أنزلك ٩ بالمئة",
        "9 في المية أقل",
        "9 percent off",
        "ألف ونص",
        "الف وربع دينار",
        "9 bucks",
        "تاخذه بعشرة",
        "سعره خمستالاف",
        "أخليها بخمس تالاف",
        "الحليب 9️⃣0️⃣0️⃣0️⃣ بس",
    ] {
        assert_eq!(check_reply(text, &known, None), [Rule::Numbers], "{text}");
    }
    for text in ["سعره 12.50", "السعر ألف دينار", "عندي 3 خيارات", "تريد 2؟"]
    {
        assert_eq!(check_reply(text, &known, None), [], "{text}");
    }
}

#[test]
fn a_claim_holds_that_this_turn_bears_out() {
    for (text, deed) in [
        ("تم إلغاء طلبك", Deed::CancellationSeen),
        ("راح يتصل بيك فريقنا", Deed::LeadCaptured),
        ("طلبك بعده ما تأكد، راح نخبرك من يوصلنا الجواب", Deed::UnderWay),
    ] {
        let mut known = Evidence::default();
        assert_eq!(check_reply(text, &known, None), [Rule::Claims], "{text}");
        known.deed(deed);
        assert_eq!(check_reply(text, &known, None), [], "{text}");
    }
}

#[test]
fn what_is_said_of_an_order_names_it_and_is_how_it_stands() {
    for (text, status, holds) in [
        ("طلبك رقم 5005 تم شحنه", OrderStatus::Shipped, true),
        ("تم شحن طلبك رقم ٥٠٠٥", OrderStatus::Shipped, true),
        ("تم شحن طلبك رقم 5005", OrderStatus::Delivered, true),
        ("تم شحن طلبك رقم 5005", OrderStatus::Pending, false),
        ("طلبك 5005 بالطريق", OrderStatus::Processing, false),
        ("تم تثبيت طلبك رقم 5005", OrderStatus::Pending, true),
        ("Your order #5005 has been confirmed", OrderStatus::Confirmed, true),
        ("تم تثبيت طلبك", OrderStatus::Shipped, false),
        ("Your order has been placed", OrderStatus::Confirmed, false),
        ("تم تثبيت طلبك رقم 50051", OrderStatus::Confirmed, false),
    ] {
        let mut known = Evidence::default();
        known.order("5005", status);
        let broken = check_reply(text, &known, None);
        assert_eq!(!broken.contains(&Rule::Claims), holds, "{text} {status:?}: {broken:?}");
    }
}

#[test]
fn what_tools_are_called_and_how_programs_write_is_no_answer() {
    let known = Evidence::default();
    for text in [
        "Call placeOrder now",
        "{\"lines\": []}",
        "هلا {  \"name\":\"x\"}",
        "getOrderStatus يكول ما موجود",
        "نتصل بك على [number]",
    ] {
        assert!(check_reply(text, &known, None).contains(&Rule::Internals), "{text}");
    }
    for text in ["نعم {متوفر}", "You can order it here", "search products as you like"] {
        assert!(!check_reply(text, &known, None).contains(&Rule::Internals), "{text}");
    }
}

#[test]
fn only_links_that_a_system_gave_are_sent() {
    let mut known = Evidence::default();
    known.link(&WebLink::parse("https://shop.example/p/1").unwrap());
    assert_eq!(check_reply("شوف https://shop.example/p/1", &known, None), []);
    for foreign in
        ["https://evil.example/p/1", "https://shop.example/p/1?x=1", "evil.com", "www.evil.com/pay"]
    {
        assert_eq!(check_reply(&format!("شوف {foreign}"), &known, None), [Rule::Links], "{foreign}");
    }
}

#[test]
fn an_answer_has_words_of_the_customers_language() {
    let known = evidence(7000);
    assert_eq!(check_reply(" \u{200f}", &known, None), [Rule::Empty]);
    assert_eq!(check_reply("We have it", &known, Some(Language::Arabic)), [Rule::Language]);
    assert_eq!(check_reply("We have حليب نيدو 900 غرام", &known, Some(Language::English)), []);
}
