use super::{a_shop, say};
use crate::{
    assistant::speech::{
        Message,
        Voice::{self, English, FormalArabic, IraqiArabic, Sorani},
    },
    channels::ChannelKind,
};

fn text(voice: Voice, acts: &str) -> String {
    say(voice, acts, &a_shop()).unwrap().text().replace(['\u{2068}', '\u{2069}'], "")
}

/// Acts, who says them how, and what is in each of their wordings.
const SAID: &[(&str, Voice, &[&str])] = &[
    (
        r#"[{"act":"quote","product":"milk","parts":["price","availability"]}]"#,
        IraqiArabic,
        &["حليب نيدو 900 غم", "15,000 دينار"],
    ),
    (
        r#"[{"act":"quote","product":"milk","parts":["price","before"]}]"#,
        FormalArabic,
        &["15,000 دينار", "18,000 دينار"],
    ),
    (
        r#"[{"act":"quote","product":"milk","parts":[{"sentence":2},"link"]}]"#,
        English,
        &["حليب نيدو 900 غم", "الوزن 0.9 كغم.", "https://shop.example/milk"],
    ),
    (r#"[{"act":"quote","product":2,"parts":["availability"]}]"#, English, &["iPhone 15 case"]),
    (
        r#"[{"act":"quote","product":"shirt","parts":["price","sizes","options"]}]"#,
        IraqiArabic,
        &["قميص قطن:", "\n• أبيض / M: 25,000 دينار", "\n• أزرق / XL: 28,000 دينار"],
    ),
    (
        r#"[{"act":"quote","product":"shirt","variant":"shirt-xl","parts":["price"]}]"#,
        Sorani,
        &["قميص قطن (أزرق / XL)", "28,000 دینار"],
    ),
    (
        r#"[{"act":"list","products":["milk",2,"shirt"]}]"#,
        IraqiArabic,
        &[
            "• حليب نيدو 900 غم: 15,000 دينار",
            "• iPhone 15 case: 10,000 دينار (الباقي قليل)",
            "• قميص قطن: من 25,000 دينار",
        ],
    ),
    (r#"[{"act":"compare","products":["milk",2]}]"#, English, &["iPhone 15 case", "5,000 IQD"]),
    (r#"[{"act":"closest","products":["milk"]}]"#, IraqiArabic, &["حليب نيدو 900 غم: 15,000 دينار"]),
    (r#"[{"act":"not_found","query":"دراجه هوائية"}]"#, IraqiArabic, &["«دراجه هوائية»"]),
    (
        r#"[{"act":"total","lines":[{"product":"milk","quantity":2},
              {"product":"shirt","variant":"shirt-m","quantity":3}]}]"#,
        FormalArabic,
        &["2 × حليب نيدو 900 غم: 30,000 دينار", "3 × قميص قطن", "105,000 دينار"],
    ),
    (r#"[{"act":"multiple","product":"milk","quantity":12}]"#, IraqiArabic, &["12 ×", "180,000 دينار"]),
    (
        r#"[{"act":"decline_offer","amount":12000,"product":"milk"}]"#,
        IraqiArabic,
        &["12,000 دينار", "15,000 دينار"],
    ),
    (r#"[{"act":"decline_offer","amount":"12,000"}]"#, English, &["12,000 IQD"]),
    (r#"[{"act":"discount","product":"milk"}]"#, Sorani, &["18,000 دینار", "15,000 دینار", "3,000 دینار"]),
    (r#"[{"act":"discount","product":2}]"#, English, &["iPhone 15 case", "10,000 IQD"]),
    (
        r#"[{"act":"order_status","order":"A-1042"}]"#,
        IraqiArabic,
        &["A-1042", "\nhttps://shop.example/track/1042"],
    ),
    (
        r#"[{"act":"order_status","order":"A-1042","parts":["lines","total"]}]"#,
        IraqiArabic,
        &["• 2 × قميص قطن: 25,000 دينار", "40,000 دينار"],
    ),
    (r#"[{"act":"discount","product":"shirt","variant":"shirt-m"}]"#, English, &["25,000 IQD"]),
    (r#"[{"act":"order_status","order":1043}]"#, English, &["1043"]),
    (r##"[{"act":"order_status","order":"#١٠٤٣"}]"##, English, &["1043"]),
    (
        r#"[{"act":"record","fields":["النقاط","عضوية ذهبية","الرصيد"]}]"#,
        FormalArabic,
        &["• النقاط: 120", "• عضوية ذهبية: نعم", "• الرصيد: 12,500 د.ع"],
    ),
    (
        r#"[{"act":"slots","slots":["s1","s2"]}]"#,
        IraqiArabic,
        &["فحص", "• السبت 28/11 الساعة 4:30 العصر", "• الأحد 29/11 الساعة 10:00 الصبح"],
    ),
    (r#"[{"act":"slots","slots":["s1","s3"]}]"#, English, &["• Saturday 28/11 at 4:30 pm (فحص)", "(تنظيف)"]),
    (r#"[{"act":"no_slots","range":"r1"}]"#, English, &["Monday 30/11"]),
    (r#"[{"act":"no_slots","range":"r2"}]"#, FormalArabic, &["الاثنين 30/11", "الأربعاء 2/12"]),
    (r#"[{"act":"no_slots","range":"r3"}]"#, IraqiArabic, &[]),
    (
        r#"[{"act":"clarify","a":"shirt-m","b":"shirt-xl"}]"#,
        IraqiArabic,
        &["قميص قطن (أبيض / M) لو أزرق / XL؟"],
    ),
    (r#"[{"act":"clarify","a":"shirt-m","b":"shirt-s"}]"#, IraqiArabic, &["قميص قطن (M) لو S؟"]),
    (
        r#"[{"act":"not_found","query":"دراجه هوائية"},{"act":"closest","products":["milk"]}]"#,
        IraqiArabic,
        &["عدنا:\n• حليب نيدو"],
    ),
    (
        r#"[{"act":"cannot","topic":"picture"},{"act":"ask","what":"model"}]"#,
        English,
        &["Sorry, I can't see pictures.\n"],
    ),
    (
        r#"[{"act":"cite","fact":"delivery"}]"#,
        IraqiArabic,
        &["نوصل داخل بغداد خلال يومين بسعر 5000 دينار. المحافظات خلال أربعة أيام."],
    ),
    (r#"[{"act":"cite","passage":"p1","sentences":[1]}]"#, IraqiArabic, &["ضمان الأجهزة سنة كاملة."]),
    (
        r#"[{"act":"cite","fact":"p1"}]"#,
        IraqiArabic,
        &["ضمان الأجهزة سنة كاملة. لا يشمل الضمان الكسر\n• الفاتورة شرط للضمان"],
    ),
    (r#"[{"act":"cite","fact":"delivery","sentences":[2]}]"#, English, &["Other provinces take four days."]),
    (
        r#"[{"act":"ask","what":"size","options":["shirt-m","shirt-xl"]}]"#,
        IraqiArabic,
        &["؟\n• أبيض / M: 25,000 دينار\n• أزرق / XL: 28,000 دينار"],
    ),
    (r#"[{"act":"clarify","a":"milk","b":"s1"}]"#, IraqiArabic, &["حليب نيدو 900 غم", "السبت 28/11", "؟"]),
    (
        r#"[{"act":"confirm_understanding","product":"milk","quantity":2}]"#,
        FormalArabic,
        &["2 × حليب نيدو 900 غم", "؟"],
    ),
    (r#"[{"act":"greet"}]"#, IraqiArabic, &["وعليكم السلام"]),
    (r#"[{"act":"who_i_am"}]"#, IraqiArabic, &["سارة", "متجر النخلة"]),
    (r#"[{"act":"not_a_person"}]"#, IraqiArabic, &["لا، ", "مساعد آلي"]),
    (r#"[{"act":"not_a_person"}]"#, English, &["automated assistant, not a person"]),
    (r#"[{"act":"lead","words":"احجي وياكم على الجملة"}]"#, IraqiArabic, &["«احجي وياكم على الجملة»"]),
    (r#"[{"act":"thank"},{"act":"hand_over","reason":"other"}]"#, English, &["\n", "colleague"]),
    (r#"[{"act":"cannot","topic":"voice"},{"act":"ask","what":"product"}]"#, Sorani, &["؟"]),
    (r#"{"acts":[{"act":"apologise"},{"act":"wait"},{"act":"you_are_welcome"}]}"#, Sorani, &["\n"]),
];

#[test]
fn an_act_says_what_its_evidence_tells() {
    for (acts, voice, parts) in SAID {
        let said = text(*voice, acts);
        for part in *parts {
            assert!(said.contains(part), "{acts}: {said}");
        }
    }
}

#[test]
fn a_text_is_the_caption_of_its_photo_where_photos_have_captions() {
    let acts = r#"[{"act":"thank"},{"act":"quote","product":"milk","parts":["price","photo"]},
        {"act":"quote","product":"shirt","parts":["price","photo"]},{"act":"ask","what":"quantity"}]"#;
    let speech = say(IraqiArabic, acts, &a_shop()).unwrap();
    let kinds = |channel| {
        let kind = |message: &Message| match message {
            Message::Text(_) => "text",
            Message::Photo { caption: Some(_), .. } => "captioned",
            Message::Photo { caption: None, .. } => "photo",
            Message::Summary { .. } => "summary",
        };
        speech.messages(channel).iter().map(kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(ChannelKind::Whatsapp), ["captioned", "captioned"]);
    assert_eq!(kinds(ChannelKind::Instagram), ["photo", "text", "photo", "text"]);
}

#[test]
fn a_summary_is_a_message_of_its_own_as_it_stands() {
    let acts = r#"[{"act":"thank"},{"act":"propose_order","draft":"d1"}]"#;
    let messages = say(IraqiArabic, acts, &a_shop()).unwrap().messages(ChannelKind::Whatsapp);
    let [Message::Text(_), Message::Summary { draft, text }] = messages.as_slice() else {
        panic!("{messages:?}")
    };
    assert_eq!((draft.as_str(), text.as_str()), ("d1", "ملخص الطلب:\n• حليب نيدو: قطعتان\nهل تؤكد الطلب؟"));
}

#[test]
fn a_text_is_cut_between_lines_where_the_network_takes_less() {
    let mut shop = a_shop();
    shop.facts[0].text = format!("{}\n{}", "ا".repeat(400), "ب".repeat(400));
    let speech = say(IraqiArabic, r#"[{"act":"cite","fact":"delivery"}]"#, &shop).unwrap();
    let texts: Vec<_> = speech.messages(ChannelKind::Instagram);
    let lengths: Vec<_> = texts.iter().map(|message| message.text().unwrap().chars().count()).collect();
    assert_eq!(lengths, [400, 400]);
    shop.facts[0].text = "ا".repeat(1_200);
    let speech = say(IraqiArabic, r#"[{"act":"cite","fact":"delivery"}]"#, &shop).unwrap();
    let lengths: Vec<_> =
        speech.messages(ChannelKind::Instagram).iter().map(|it| it.text().unwrap().chars().count()).collect();
    assert_eq!(lengths, [500, 500, 200]);
}
