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
        ("اكو خصم على شاي ليبتون؟", Intent::Product),
        ("التوصيل بيش؟", Intent::Unknown),
        ("وين موقع المحل؟", Intent::Unknown),
        ("حليب نيدو بيش؟ ادفع بموقع www.pay-here.com؟", Intent::Product),
        ("شنو رقم تلفون صاحب الطلب 5005؟", Intent::Status),
        ("هونت ما اريد", Intent::Decline),
        ("زين اريد قياس 2، اسمي زينب، العنوان العشار البصرة", Intent::Order),
        ("ممكن تتصلون بيه؟ اريد اشتري بالجملة", Intent::Lead),
        ("المكواة وصلتني مكسورة واريد اشتكي", Intent::Person),
    ] {
        assert_eq!(Intent::of(text, "", &[]), intent, "{text}");
    }
}

#[test]
fn what_is_said_to_a_summary_is_read_by_it() {
    let summary = "ملخص الطلب:\n• شاي × 1: 5,250 IQD\nهل تؤكد الطلب؟";
    for (text, intent) in [
        ("تمام", Intent::Acknowledge),
        ("👍", Intent::Acknowledge),
        ("نعم", Intent::Acknowledge),
        ("لا خليها ثلاثة", Intent::Order),
        ("لا شكراً", Intent::Decline),
        ("تعديل", Intent::Change),
        ("لا خلص ما اريد شي", Intent::Decline),
        ("نعم بس شكد التوصيل؟", Intent::Unknown),
    ] {
        assert_eq!(Intent::of(text, summary, &[]), intent, "{text}");
    }
    assert_eq!(Intent::of("نعم", "تم تسجيل طلبك رقم 5004.", &[]), Intent::Thanks);
    assert_eq!(Intent::of("نعم أؤكد الطلب", "", &[]), Intent::Unknown);
}

#[test]
fn what_is_wanted_is_named_apart_from_how_it_is_asked_for() {
    for (text, wanted) in [
        ("شكد سعر بامبرز؟", "بامبرز"),
        ("هلا، عندكم حليب نيدو لو سمحت؟", "حليب نيدو"),
        ("اريد اثنين قياس 3، اسمي سارة", ""),
        ("do you have Nido milk?", "Nido milk"),
        ("اريد ترمس شاي 2 لتر", "ترمس شاي"),
        ("شوكت الدوام مالكم؟", ""),
    ] {
        assert_eq!(subject(text), wanted, "{text}");
    }
    let earlier = ["شكد سعر بامبرز؟".to_owned(), "اسمي سارة".to_owned()];
    assert_eq!(spoken_of("اريد اثنين قياس 3", &earlier), Some(("بامبرز".to_owned(), 0)));
    assert_eq!(spoken_of("وحليب نيدو شكد؟", &earlier), Some(("وحليب نيدو".to_owned(), 2)));
}
