//! Promises as people word them.

use super::{Promise, promises, spoken_of};
use crate::text::fold_for_search;

#[test]
fn every_word_is_written_as_it_is_compared() {
    let lists = [
        super::COMES,
        super::DAY,
        super::TODAY,
        super::SAME,
        super::TOMORROW,
        super::FOLLOWING,
        super::WHOLE,
        super::HOURS,
        super::WITHIN,
        super::SHOPS,
        super::FREE,
        super::IS,
        super::GOODS,
        super::SENT,
        super::CHARGES,
        super::HALF,
        super::PRICE,
        super::BUT,
        super::NO,
        super::THERE,
    ];
    for word in lists.into_iter().flatten() {
        assert_eq!(fold_for_search(word), *word);
    }
}

#[test]
fn what_is_promised_without_a_number_is_found() {
    for (text, promise) in [
        ("نعم، راح يوصلك اليوم", Promise::Today),
        ("أوعدك التوصيل يوصل اليوم", Promise::Today),
        ("نوصله إلك الليلة", Promise::Today),
        ("سنوصل طلبك غداً", Promise::Tomorrow),
        ("وتوصلك باجر إن شاء الله", Promise::Tomorrow),
        ("بدون تأخير نوصلك باجر", Promise::Tomorrow),
        ("We will deliver it tomorrow", Promise::Tomorrow),
        ("We can deliver tomorrow", Promise::Tomorrow),
        ("It arrives today", Promise::Today),
        ("الطلب بيكون عندك باجر", Promise::Tomorrow),
        ("You will have it tomorrow", Promise::Tomorrow),
        ("It will be with you today", Promise::Today),
        ("توصلك الطلبية خلال ساعة", Promise::Hours),
        ("We deliver within two hours", Promise::Hours),
        ("يوصلك يوم الأحد", Promise::Weekday),
        ("It arrives on Sunday", Promise::Weekday),
        ("التوصيل مجاني", Promise::Free),
        ("والتوصيل مجاناً لكل المحافظات", Promise::Free),
        ("ناخذه ببلاش", Promise::Free),
        ("Free delivery for you", Promise::Free),
        ("Delivery is free", Promise::Free),
        ("You get it for free", Promise::Free),
        ("انطيك اياه بنص السعر", Promise::Half),
        ("It is half price now", Promise::Half),
        ("Half off for you", Promise::Half),
        ("You get it for half the price", Promise::Half),
        ("ماكو مشكلة آخذه بنص السعر", Promise::Half),
        ("لا تقلق التوصيل مجاني", Promise::Free),
        ("Shipping to Baghdad is always free", Promise::Free),
        ("Free of charge", Promise::Free),
        ("Next day delivery", Promise::Tomorrow),
        ("توصلك باليوم التالي", Promise::Tomorrow),
        ("Same-day delivery", Promise::Today),
        ("نص ساعة ويوصلك", Promise::Hours),
        ("يوصلك بساعتين", Promise::Hours),
        ("It arrives in an hour", Promise::Hours),
        ("يوصلك الاربعا", Promise::Weekday),
        ("We deliver on Sundays", Promise::Weekday),
        ("Expect it tomorrow", Promise::Tomorrow),
        ("We can have it to you by tomorrow", Promise::Tomorrow),
        ("Your parcel comes on Sunday", Promise::Weekday),
        ("I can send it tomorrow", Promise::Tomorrow),
        ("Get it today", Promise::Today),
        ("You will get your order tomorrow", Promise::Tomorrow),
    ] {
        assert_eq!(promises(text), [promise], "{text}");
    }
}

#[test]
fn what_promises_nothing_is_let_pass() {
    for text in [
        "",
        "شلون أساعدك اليوم؟",
        "التوصيل يستغرق يومين",
        "ما نوصل اليوم",
        "ما نكدر نوصل اليوم",
        "لن يصلك اليوم",
        "تحب نوصله اليوم؟",
        "Would you like it delivered today?",
        "We do not deliver today",
        "We cannot deliver tomorrow",
        "We can't deliver tomorrow",
        "التوصيل مو مجاني",
        "التوصيل غير مجاني",
        "Delivery is not free",
        "These times are free:",
        "Feel free to ask",
        "Are you free on Tuesday",
        "نص كيلو",
        "متوفر اليوم",
        "الموعد يوم الأحد الساعة 5",
        "شنو عندك اليوم؟",
        "المحل يفتح بعد ساعة",
        "توصيل خلال يومين حسب المعلومات",
        "ماكو توصيل اليوم",
        "ماكو توصيل مجاني",
        "ما عندنا خدمة توصيل اليوم",
        "لا يوجد توصيل مجاني",
        "وما نوصل الجمعة",
        "التوصيل اليوم غير متوفر",
        "التوصيل مو متوفر يوم الجمعة",
        "ما أكدر أبيعه بنص السعر",
        "We don't deliver today",
        "There is no delivery on Friday",
        "We are not able to deliver today",
        "Delivery is not available on Friday",
        "We don't have free delivery",
        "Feel free to ask about delivery",
        "We deliver sugar-free milk, free of sugar",
        "Please send us your address today",
        "You can get an appointment on Thursday",
        "Yes, we have it today",
        "ساعة كاسيو متوفرة والتوصيل لكل المحافظات",
        "التوصيل خلال ساعات الدوام",
        "We deliver within working hours",
    ] {
        assert_eq!(promises(text), [], "{text}");
    }
}

#[test]
fn what_an_owner_speaks_of_may_be_promised() {
    for (text, promise) in [
        ("التوصيل: نوصل داخل بغداد بنفس اليوم", Promise::Today),
        ("التوصيل باليوم التالي", Promise::Tomorrow),
        ("Next day delivery", Promise::Tomorrow),
        ("نوصل داخل بغداد خلال 3 ساعات", Promise::Hours),
        ("التوصيل السبت والثلاثاء", Promise::Weekday),
        ("التوصيل مجاني فوق 50 الف", Promise::Free),
        ("free delivery in Baghdad", Promise::Free),
        ("الجمعة بنص السعر", Promise::Half),
        ("نوصل كل يوم ما عدا الجمعة", Promise::Weekday),
        ("ما نوصل للبصرة\nالتوصيل مجاني ببغداد", Promise::Free),
    ] {
        assert!(spoken_of(text).contains(&promise), "{text}: {:?}", spoken_of(text));
    }
    for text in [
        "داخل بغداد خلال يومين بسعر 5000 دينار",
        "نفس السعر لكل المحافظات",
        "المنتج الثاني بخصم",
        "نوصل طول اليوم",
        "ساعات الدوام من 9",
        "Working hours: 9 to 5",
        "لا يوجد توصيل مجاني",
        "No free delivery",
        "نص كيلو سعره 8000",
        "ما نوصل بنفس اليوم",
    ] {
        assert_eq!(spoken_of(text), [], "{text}");
    }
    assert_eq!(spoken_of("باليوم التالي"), [Promise::Tomorrow]);
}
