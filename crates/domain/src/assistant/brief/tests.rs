//! What a turn begins with.

use proptest::prelude::*;
use time::Duration;

use super::{Speaker, TurnBrief, history, without_phones};
use crate::{
    assistant::{
        ModelMessage, OwnersWords, Tool, ToolDescription,
        fixtures::{a_brief, all_evidence},
        speech::{Evidence, Register, Voice},
        toolbox::describe,
    },
    attachments::AttachmentKind,
    language::Language,
    messages::{Role, ports::KeptMessage},
    phone::{PhoneNumber, Region, tests::vectors},
    systems::{Capabilities, Capability},
    testing::{a_message, a_moment},
    text::decimal,
};

/// Most tokens that instructions and tools take of each request. Vendors count one for some 4.1 bytes of
/// them.
const MOST_TOKENS: usize = 1_000;

#[test]
fn no_phone_number_reaches_a_model_however_it_is_written() {
    let (iraq, digits) =
        (Region::default(), |text: &str| text.chars().filter_map(decimal).collect::<String>());
    for phone in [
        "07701234567",
        "+964 770 123 4567",
        "٠٧٧٠١٢٣٤٥٦٧",
        "0770-123-4567",
        "(0770) 1234567",
        "00964 770 1234567",
        "0171/1234567",
        "\u{2067}0770\u{202f}123\u{2011}4567\u{2069}",
    ] {
        let clean = without_phones(&format!("رقمي {phone} تمام"), iraq);
        assert!(clean.contains("[number]") && clean.ends_with(" تمام"), "{phone}: {clean}");
        assert!(!clean.chars().any(char::is_numeric), "{phone}: {clean}");
    }
    let numbers = vectors().filter(|(_, _, number)| number.starts_with('+'));
    let mut spellings = 0;
    for (region, phone, number) in numbers {
        // Seven or eight digits that do not begin as a number are a price or an order as well.
        if digits(&phone).len() < 9 && !phone.starts_with(['+', '0', '٠']) {
            continue;
        }
        let clean = without_phones(&format!("رقمي {phone} تمام"), region);
        let end = number.get(number.len() - 4..).unwrap();
        assert!(clean.contains("[number]") && !digits(&clean).contains(end), "{region} {phone:?}: {clean:?}");
        assert!(clean.ends_with(" تمام") || phone.contains('?'), "{region} {phone:?}: {clean:?}");
        spellings += 1;
    }
    assert!(spellings > 150, "{spellings}");
}

#[test]
fn what_is_no_phone_number_stays_readable() {
    for text in [
        "طلب 1001 بسعر 15000",
        "طلب 1001\nالسعر 15000\n12000\n7000",
        "1001\n15000",
        "السعر 15000/12000",
        "موعدك 05/11/2026 17:30",
        "25/11/2026\n10:00",
        "2026/11/25 9:00",
        "طلب رقم 12345678",
        "السعر 150,000,000 دينار",
        "السعر 250,000,000 دينار",
        "طلب 1001,1002,1003",
        "قياس 38,39,40,41,42,43",
        "يوم 25/11/2026، الساعة 10",
        "23500\n7500",
        "طلب 00001042",
        "القياس 1/2 او 3/4 انج",
        "هـــلا 👨‍👩‍👧 \u{200f}تمام",
    ] {
        assert_eq!(without_phones(text, Region::default()), text);
    }
    assert_eq!(without_phones("هلا\n0171/1234567\nعلي", Region::default()), "هلا\n[number]\nعلي");
    assert_eq!(without_phones("يوم 05-11-2026", "BH".parse().unwrap()), "يوم 05-11-2026");
}

#[test]
fn a_phone_number_is_hidden_alone_and_what_stands_beside_it_stays() {
    for (text, shown) in [
        ("بغداد شارع 14 07709998877", "بغداد شارع 14 [number]"),
        ("دار 3 07709998877", "دار 3 [number]"),
        ("عدد 2 07709998877", "عدد 2 [number]"),
        ("طلبي 5001 07709998877", "طلبي 5001 [number]"),
        ("07709998877 عدد 2", "[number] عدد 2"),
        ("0770 999 8877 2", "[number] 2"),
        ("دار ٣ ٠٧٧٠ ٩٩٩ ٨٨٧٧", "دار ٣ [number]"),
        ("زقاق 5 دار 3 +964 770 999 8877", "زقاق 5 دار 3 [number]"),
        ("236 770 999 8877", "236 [number]"),
        ("رقمي 964 770 999 8877", "رقمي [number]"),
        ("07709998877 07801112233", "[number] [number]"),
        ("07709998877 - 07801112233", "[number] - [number]"),
        ("28-11-2026 11:00", "28-11-2026 11:00"),
        ("28-11-2026 07709998877", "28-11-2026 [number]"),
        ("قياس 40 41 42 43 44", "قياس 40 41 42 43 44"),
        ("قياس 36 37 38 39 40", "قياس 36 37 38 39 40"),
        ("25000 - 30000", "25000 - 30000"),
        ("75000 - 85000", "75000 - 85000"),
        ("25000-30000", "25000-30000"),
        ("طلبي 5001 12 25000", "طلبي 5001 12 25000"),
        // No country's number, but it begins as one or is as long, and is hidden.
        ("0770 999 88777", "[number]"),
        ("دار 3 0770 999 88", "دار 3 [number]"),
        ("طلبي 123456789", "طلبي [number]"),
        ("رقم-123456789", "رقم-[number]"),
        ("هلا،0770,999,8877،شكرا", "هلا،[number]،شكرا"),
        ("السعر 15,000، 07709998877", "السعر 15,000، [number]"),
        ("0770_999_8877", "[number]"),
    ] {
        assert_eq!(without_phones(text, Region::default()), shown, "{text}");
    }
}

#[test]
fn of_several_numbers_a_phone_is_to_be_called_and_another_is_an_order() {
    let brief = |text: &str| TurnBrief { history: vec![(Speaker::Customer, text.to_owned())], ..a_brief() };
    let both = brief("طلبي 123456789 ورقمي دار 3 07709998877");
    assert_eq!(both.typed_number().as_deref(), Some("07709998877"));
    assert_eq!(both.typed_reference().as_deref(), Some("123456789"));
    let order = brief("وين صار 123456789");
    assert_eq!(order.typed_number().as_deref(), Some("123456789"));
    assert_eq!(brief("هلا").typed_reference(), None);
}

fn in_arabic(text: &str) -> String {
    text.chars()
        .map(|c| c.to_digit(10).and_then(|digit| char::from_u32(0x660 + digit)).unwrap_or(c))
        .collect()
}

proptest! {
    #[test]
    fn no_phone_number_among_other_numbers_reaches_a_model(
        house in 1_u32..1000,
        count in 1_u32..1000,
        mobile in "7[78][0-9]",
        middle in "[0-9]{3}",
        end in "[0-9]{4}",
        style in 0_usize..10,
        arabic in any::<bool>(),
    ) {
        // Before a number, that is the country's code.
        prop_assume!(house != 964);
        let phone = match style {
            0 => format!("0{mobile}{middle}{end}"),
            1 => format!("0{mobile} {middle} {end}"),
            2 => format!("0{mobile}-{middle}-{end}"),
            3 => format!("+964 {mobile} {middle} {end}"),
            4 => format!("+964{mobile}{middle}{end}"),
            5 => format!("00964 {mobile} {middle}{end}"),
            6 => format!("\u{2067}(0{mobile}) {middle} - {end}\u{2069}"),
            7 => format!("964 {mobile} {middle} {end}"),
            8 => format!("{mobile} {middle} {end}"),
            _ => format!("964{mobile}{middle}{end}"),
        };
        let text = format!("دار {house} {phone} {count} قطعة");
        let text = if arabic { in_arabic(&text) } else { text };
        let clean = without_phones(&text, Region::default());
        let left: String = clean.chars().filter_map(decimal).collect();
        prop_assert!(clean.contains("[number]") && left.len() <= 6, "{} {}", text, clean);
        // What begins as a phone number takes nothing of what stands beside it.
        if style < 7 {
            prop_assert_eq!(left, format!("{house}{count}"), "{}", text);
            let brief = TurnBrief { history: vec![(Speaker::Customer, text)], ..a_brief() };
            let typed = PhoneNumber::parse(&brief.typed_number().unwrap(), Region::default()).unwrap();
            prop_assert_eq!(typed.as_str(), format!("+964{mobile}{middle}{end}"));
        }
    }

    #[test]
    fn whatever_is_written_nine_digits_in_a_row_are_shown_to_no_model(text in "[0-9 +/().-]{0,40}|\\PC{0,40}") {
        let clean = without_phones(&text, Region::default());
        let mut in_a_row = clean.split(|c| decimal(c).is_none()).map(str::chars).map(Iterator::count);
        prop_assert!(in_a_row.all(|digits| digits < 9), "{} {}", text, clean);
    }
}

#[test]
fn a_model_is_told_the_newest_messages_and_the_burst_is_what_nobody_answered() {
    let mut history: Vec<_> = (0..30).map(|_| (Speaker::Business, "هلا".to_owned())).collect();
    history.extend([(Speaker::Customer, "شكد".to_owned()), (Speaker::Customer, "السعر".to_owned())]);
    let brief = TurnBrief { history, ..a_brief() };
    let said = brief.said();
    assert_eq!(said.len(), 20);
    assert!(said.last() == Some(&ModelMessage::Customer("السعر".to_owned())));
    assert_eq!(brief.burst().count(), 2);
}

#[test]
fn what_is_in_no_language_is_answered_in_the_one_that_the_customer_wrote_before() {
    let said = |speaker, text: &str| (speaker, text.to_owned());
    let before = [said(Speaker::Customer, "اريد معجون أسنان"), said(Speaker::Business, "Summary")];
    for (burst, language) in [
        ("👌", Some(Language::Arabic)),
        ("[image]", Some(Language::Arabic)),
        ("yes please", Some(Language::English)),
    ] {
        let history = before.iter().cloned().chain([said(Speaker::Customer, burst)]).collect();
        assert_eq!(TurnBrief { history, ..a_brief() }.language(), language, "{burst}");
    }
    let history = vec![said(Speaker::Customer, "👌")];
    assert_eq!(TurnBrief { history, ..a_brief() }.language(), None);
}

#[test]
fn sixty_switches_of_the_language_in_one_conversation_are_answered_in_its_voice() {
    let arabic = ["شكد السعر", "عندكم توصيل", "اريد حليب", "وين صار طلبي", "shlonkum", "maku tawseel?"];
    let english = ["how much", "do you deliver", "I want milk", "where is my order", "thanks a lot"];
    let pairs = arabic.into_iter().flat_map(|one| english.map(|other| [one, other]));
    let mut brief = a_brief();
    for (said, voice) in pairs.flatten().zip([Voice::IraqiArabic, Voice::English].into_iter().cycle()) {
        brief.history.push((Speaker::Customer, said.to_owned()));
        assert_eq!(brief.voice(), voice, "{said}");
        brief.history.push((Speaker::Business, "هلا".to_owned()));
    }
    assert_eq!(brief.history.len(), 120);
}

#[test]
fn who_writes_sorani_is_answered_so_where_it_is_spoken() {
    for (said, languages, register, voice) in [
        ("نرخی ئەمە چەندە؟", vec![], Register::Dialect, Voice::Sorani),
        ("نرخی ئەمە چەندە؟", vec![Language::English, Language::Sorani], Register::Formal, Voice::Sorani),
        ("نرخی ئەمە چەندە؟", vec![Language::English], Register::Dialect, Voice::English),
        ("نرخی ئەمە چەندە؟", vec![Language::Arabic], Register::Dialect, Voice::IraqiArabic),
        ("bu çantanın fiyatı ne kadar?", vec![Language::Sorani], Register::Dialect, Voice::Sorani),
        ("این چنده؟", vec![], Register::Dialect, Voice::IraqiArabic),
        ("شكد سعره؟", vec![], Register::Formal, Voice::FormalArabic),
        ("👍", vec![], Register::Dialect, Voice::IraqiArabic),
        ("👍", vec![Language::English], Register::Dialect, Voice::English),
    ] {
        let owner = OwnersWords { register, ..OwnersWords::default() };
        let history = vec![(Speaker::Customer, said.to_owned())];
        assert_eq!(TurnBrief { history, owner, languages, ..a_brief() }.voice(), voice, "{said}");
    }
}

/// Returns roughly how many tokens a request takes beside the conversation.
fn tokens_of(brief: &TurnBrief, evidence: &Evidence) -> usize {
    let told = |tool: ToolDescription| tool.name.len() + tool.purpose.len() + tool.schema.to_string().len();
    let tools = describe(&brief.tools, evidence).into_iter().map(told);
    (brief.instructions().len() + tools.sum::<usize>()) / 4
}

#[test]
fn what_a_request_tells_every_time_is_short_whatever_the_turn_has_read() {
    // A business has products or times to sell, and documents beside either.
    let Evidence { products, searches, .. } = all_evidence();
    let Evidence { orders, slots, facts, passages, .. } = all_evidence();
    let all: Capabilities = Capability::ALL.into_iter().collect();
    let brief = TurnBrief { tools: Tool::offered(Some(&all), true, true), ..a_brief() };
    for evidence in [
        Evidence { facts: facts.clone(), ..Evidence::default() },
        Evidence { products, facts, searches, ..Evidence::default() },
        Evidence { orders, slots, passages, ..Evidence::default() },
    ] {
        let tokens = tokens_of(&brief, &evidence);
        assert!(tokens <= MOST_TOKENS, "{tokens}");
    }
}

#[test]
fn a_long_conversation_is_told_from_its_end_and_what_waits_for_an_answer_whole() {
    let said = |speaker, text: &str, times: usize| (speaker, text.repeat(times));
    let history = vec![
        said(Speaker::Customer, "a", 1_500),
        said(Speaker::Business, "b", 1_500),
        said(Speaker::Customer, "c", 1_500),
        said(Speaker::Business, "d", 1_500),
        said(Speaker::Customer, "e", 2_000),
        said(Speaker::Customer, "f", 2_000),
        said(Speaker::Customer, "g", 2_000),
    ];
    let begin = |history: &[(Speaker, String)]| {
        let said = TurnBrief { history: history.to_vec(), ..a_brief() }.said();
        let first = |message: &ModelMessage| match message {
            ModelMessage::Customer(text) | ModelMessage::Business(text) => text.chars().next(),
            _ => None,
        };
        said.iter().filter_map(first).collect::<String>()
    };
    assert_eq!((begin(&history).as_str(), begin(&history[..4]).as_str()), ("efg", "bcd"));
    assert_eq!(begin(&history[..3]), "abc");
}

#[test]
fn the_number_that_counts_is_the_one_that_the_customer_typed_last() {
    let said = |speaker, text: &str| (speaker, text.to_owned());
    let history = vec![
        said(Speaker::Customer, "رقمي 0770 123 4567 او 07811111111 بس"),
        said(Speaker::Business, "الهاتف: +9647700000000"),
        said(Speaker::Customer, "بيت 12"),
    ];
    let brief = TurnBrief { history, ..a_brief() };
    assert_eq!(brief.typed_number().as_deref(), Some("07811111111"));
    let history = vec![said(Speaker::Customer, "اتصلوا على:\n0770\u{202f}–\u{202f}123/4567\nشكراً")];
    let typed = TurnBrief { history, ..a_brief() }.typed_number().unwrap();
    let typed = PhoneNumber::parse(&typed, Region::default()).unwrap();
    assert_eq!(typed.as_str(), "+9647701234567");
    assert_eq!(TurnBrief { history: vec![], ..a_brief() }.typed_number(), None);
}

#[test]
fn a_file_is_named_before_it_has_come() {
    let message = crate::messages::Message { role: Role::Customer, content: String::new(), ..a_message() };
    let awaited = vec![AttachmentKind::Image];
    let kept = KeptMessage { message, files: vec![], missing: vec![], awaited, sending: None };
    assert_eq!(history(&[kept], a_moment()), [(Speaker::Customer, "[image]".to_owned())]);
}

/// Builds a message sent `seconds` after [`a_moment`].
fn kept(seconds: i64, role: Role, text: &str) -> KeptMessage {
    let created_at = a_moment() + Duration::seconds(seconds);
    let message = crate::messages::Message { role, content: text.to_owned(), created_at, ..a_message() };
    KeptMessage { message, files: vec![], missing: vec![], awaited: vec![], sending: None }
}

/// Returns what a turn is told of `messages`, oldest first, whose customer waits since the last of them.
fn told(mut messages: Vec<KeptMessage>) -> Vec<String> {
    let since = messages.last().map_or(a_moment(), |last| last.message.created_at);
    messages.reverse();
    history(&messages, since).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn what_nobody_has_answered_is_answered_once_the_team_gives_the_conversation_back() {
    let asked = || kept(1, Role::Customer, "شكد سعر الحليب؟");
    let handed_over = || kept(2, Role::System, "assigned (ai_escalation: model_unavailable)");
    let given_back = |seconds| kept(seconds, Role::System, "returned (unanswered_return)");
    assert_eq!(told(vec![asked(), handed_over(), given_back(3)]), ["شكد سعر الحليب؟"]);
    let more = kept(3, Role::Customer, "الو؟");
    assert_eq!(told(vec![asked(), handed_over(), more, given_back(4)]), ["شكد سعر الحليب؟", "الو؟"]);
    // What was answered before the hand-over is left out.
    let before = [kept(-2, Role::Customer, "هلا"), kept(-1, Role::Assistant, "هلا بيك")];
    let all = before.into_iter().chain([asked(), handed_over(), given_back(3)]).collect();
    assert_eq!(told(all), ["شكد سعر الحليب؟"]);
    // A question that came to nothing twice is not taken up again.
    let again = || kept(4, Role::System, "assigned (ai_escalation: cannot_answer)");
    assert_eq!(told(vec![asked(), handed_over(), given_back(3), again(), given_back(5)]), [""; 0]);
    let next = kept(6, Role::Customer, "هلو؟");
    assert_eq!(told(vec![asked(), handed_over(), given_back(3), again(), given_back(5), next]), ["هلو؟"]);
    // A request for a person is met once.
    let wants_one = || kept(1, Role::Customer, "اريد احجي ويه موظف");
    assert_eq!(told(vec![wants_one(), handed_over(), given_back(3)]), [""; 0]);
    let next = kept(4, Role::Customer, "شكد التوصيل؟");
    assert_eq!(told(vec![wants_one(), handed_over(), given_back(3), next]), ["شكد التوصيل؟"]);
    // A person has answered the question.
    let answered = kept(3, Role::Team, "2500");
    let next = kept(5, Role::Customer, "شكراً");
    assert_eq!(told(vec![asked(), handed_over(), answered, given_back(4), next]), ["2500", "شكراً"]);
    // A close leaves nothing open.
    let (closed, next) = (kept(3, Role::System, "closed"), kept(5, Role::Customer, "هلو"));
    assert_eq!(told(vec![asked(), handed_over(), closed, next]), ["هلو"]);
}

#[test]
fn what_a_customer_waits_with_stands_at_the_end_whatever_came_in_between() {
    let mut messages = vec![
        kept(0, Role::Customer, "أؤكد"),
        kept(5, Role::Customer, "ومتى يوصل؟"),
        kept(6, Role::Assistant, "تم تسجيل طلبك"),
        kept(7, Role::Customer, "الو؟"),
        kept(8, Role::Team, "أهلاً بك"),
    ];
    messages.reverse();
    let said = history(&messages, a_moment() + Duration::seconds(5));
    let texts: Vec<_> = said.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["أؤكد", "تم تسجيل طلبك", "أهلاً بك", "ومتى يوصل؟", "الو؟"]);
    let brief = TurnBrief { history: said, ..a_brief() };
    assert_eq!(brief.burst().count(), 2);
}
