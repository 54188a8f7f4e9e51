//! Numbers as people write them.

use super::{Sense, numbers};

fn first(text: &str) -> (Vec<String>, Sense) {
    let all = numbers(text);
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    (all[0].values.iter().map(|value| value.as_str().to_owned()).collect(), all[0].sense)
}

#[test]
fn one_amount_is_read_however_it_is_written() {
    for text in [
        "15000 دينار",
        "١٥٠٠٠ دينار",
        "۱۵۰۰۰ دينار",
        "15,000 د.ع",
        "١٥٬٠٠٠ د.ع",
        "15 000 IQD",
        "15 الف",
        "15الف",
        "١٥ ألف دينار",
        "15k",
        "خمسة عشر ألف دينار",
        "خمسطعش الف",
        "بخمسطعش الف",
        "fifteen thousand dinars",
        "IQD 15000",
        "سعره 15000",
        "price is 15000",
    ] {
        let (values, sense) = first(text);
        assert!(values.contains(&"15000".to_owned()), "{text}: {values:?}");
        assert!(sense.may_be_money(), "{text}: {sense:?}");
    }
}

#[test]
fn words_add_up_as_people_count() {
    for (text, value) in [
        ("خمسة وعشرين ألف", "25000"),
        ("مية وخمسين الف", "150000"),
        ("مئتين وخمسين", "250"),
        ("الفين وخمسمية", "2500"),
        ("ثلاثة آلاف وخمسمئة دينار", "3500"),
        ("15 الف و 500 دينار", "15500"),
        ("مليون ومئتين الف", "1200000"),
        ("two hundred and fifty", "250"),
        ("twenty five thousand", "25000"),
        ("1.5 مليون", "1500000"),
        ("12.50$", "12.50"),
        ("15 الف ونص", "15500"),
        ("ألف ونصف دينار", "1500"),
        ("مليون وربع", "1250000"),
        ("two and a half", "2.5"),
        ("one million and a half", "1500000"),
        ("بدينارين", "2"),
        ("خمستالاف", "5000"),
        ("بعشرتالاف دينار", "10000"),
        ("سعره ثلث تالاف", "3000"),
        ("خمس تالاف", "5000"),
        ("بخمستالاف وخمسمية", "5500"),
        ("ستالاف ونص", "6500"),
        ("بالفين وخمسمية", "2500"),
        ("سبعطعشر الف", "17000"),
        ("أحد عشر ألف دينار", "11000"),
        ("بأحد عشر ألف", "11000"),
        ("نص مليون", "500000"),
        ("ربع مليون دينار", "250000"),
        ("3 ونص مليون", "3500000"),
        ("half a million", "500000"),
        ("مليون و200", "1200000"),
        ("مليون وخمسين", "1050000"),
        ("khamseen alf", "50000"),
        ("50 هەزار دینار", "50000"),
        ("پەنجا هەزار", "50000"),
        ("سەد و بیست و پێنج هەزار", "125000"),
        ("دوو سەد هەزار", "200000"),
        ("سی هەزار", "30000"),
    ] {
        let (values, _) = first(text);
        assert!(values.contains(&value.to_owned()), "{text}: {values:?}");
    }
}

#[test]
fn digits_on_keys_beside_each_other_are_one_number_and_those_of_a_list_are_not() {
    assert_eq!(first("1️⃣2️⃣5️⃣0️⃣0️⃣ دينار").0, ["12500"]);
    assert_eq!(first("9️⃣").0, ["9"]);
    for text in ["1️⃣ صغير 2️⃣ وسط", "1️⃣ 500 مل", "2️⃣50 مل"] {
        assert_eq!(numbers(text).len(), 2, "{text}: {:?}", numbers(text));
    }
}

#[test]
fn two_amounts_stay_two() {
    for text in
        ["15 الف و20 الف", "بين 15000 و 20000", "15 الف و3 قطع", "خمسة آلاف وستة آلاف", "خمستالاف وستالاف"]
    {
        assert_eq!(numbers(text).len(), 2, "{text}: {:?}", numbers(text));
    }
}

#[test]
fn what_a_number_stands_for_is_told_by_its_neighbours() {
    assert_eq!(first("طلبك رقم 1001").1, Sense::Reference);
    assert_eq!(first("#1001").1, Sense::Reference);
    assert_eq!(first("تاخذه بعشرة").1, Sense::Money);
    for text in ["تاخذه بعشرة بس", "بعشرة الحبة", "بعشرة والتوصيل علينا", "خصم 100%", "100% off"]
    {
        assert_eq!(first(text).1, Sense::Money, "{text}");
    }
    for text in ["متوفر بثلاثة أحجام", "باربع نكهات", "بواحد من فروعنا"]
    {
        assert_eq!(first(text).1, Sense::Bare, "{text}");
    }
    for text in
        ["أصلي 100%", "أصلي 100% والسعر", "قطن ١٠٠٪", "%100 طبيعي", "مضمون مية بالمية", "100 percent cotton"]
    {
        assert_eq!(numbers(text), [], "{text}");
    }
    for text in ["3 قطع", "يجي بخمس قطع", "قياس 42", "3 دانە"] {
        assert_eq!(first(text).1, Sense::Counted, "{text}");
    }
    for text in ["خصم 20%", "انزللك 5 بالمية", "٥ بالمئة", "5 في المية", "5 percent", "دينارين", "بدولارين"]
    {
        assert_eq!(first(text).1, Sense::Money, "{text}");
    }
    assert_eq!(numbers("ألف شكر إلك"), []);
    assert_eq!(numbers("متوفر بأحد الفروع"), []);
    assert_eq!(numbers("هلا بيك"), []);
    assert_eq!(numbers("فيتامين سي"), []);
    assert_eq!(numbers("نص كيلو"), []);
}
