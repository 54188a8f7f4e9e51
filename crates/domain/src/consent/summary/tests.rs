use std::num::NonZeroU32;

use proptest::prelude::*;
use time::macros::datetime;
use uuid::Uuid;

use super::{Summary, question_of};
use crate::{
    consent::{
        BookingProposal, CancellationProposal, DraftKind, OrderProposal, Proposal, ProposedLine, Said,
        read_answer,
        receipt::{Receipt, passed_on, said_again},
    },
    external_id::ExternalId,
    ids::DraftId,
    language::{Language, is_sorani},
    money::Money,
    orders::{DeliveryAddress, Order, OrderReference, OrderStatus, Recipient},
    phone::PhoneNumber,
    systems::{Availability, Listing, Product, Span},
    text::PlainText,
};

fn text(text: &str) -> PlainText {
    PlainText::read(text, 200).unwrap()
}

fn id(text: &str) -> ExternalId {
    ExternalId::of_text(text).unwrap()
}

fn phone() -> PhoneNumber {
    PhoneNumber::from_e164("+9647701234567").unwrap()
}

fn line(title: &str, price: &str, quantity: u32) -> ProposedLine {
    ProposedLine {
        product: id("p"),
        variant: ExternalId::of_number("12").unwrap(),
        title: text(title),
        price: Money::of_number(price).unwrap(),
        quantity: NonZeroU32::new(quantity).unwrap(),
    }
}

fn order() -> OrderProposal {
    OrderProposal {
        lines: vec![line("حليب", "15000", 2), line("خبز", "250.5", 3)],
        currency: "IQD".parse().unwrap(),
        recipient: Recipient { name: text("سارة"), phone: phone(), email: None },
        address: DeliveryAddress {
            line1: text("شارع 14"),
            city: text("الكرادة"),
            province: text("بغداد"),
            country: "IQ".parse().unwrap(),
            notes: None,
        },
        note: Some(text("بعد العصر")),
    }
}

fn booking() -> BookingProposal {
    let span = Span::new(datetime!(2026-11-24 16:30 +03:00), datetime!(2026-11-24 17:00 +03:00));
    BookingProposal {
        slot: id("s-1"),
        span: span.unwrap(),
        service: text("تنظيف"),
        name: text("سارة"),
        phone: phone(),
        note: None,
    }
}

fn cancellation() -> CancellationProposal {
    CancellationProposal {
        reference: OrderReference::read("#1001").unwrap(),
        number: ExternalId::of_number("1001").unwrap(),
        total: Money::of_number("1234567").unwrap(),
        currency: "IQD".parse().unwrap(),
        phone: phone(),
        reason: text("the customer asked for it"),
    }
}

fn proposals() -> [Proposal; 3] {
    [Proposal::Order(order()), Proposal::Booking(booking()), Proposal::Cancellation(cancellation())]
}

fn draft() -> DraftId {
    Uuid::from_u128(7).into()
}

#[test]
fn a_summary_says_all_that_will_be_sent() {
    let summary = |proposal: &Proposal, language| Summary::of(draft(), proposal, language).unwrap().text;
    let [order, booking, cancellation] = proposals();
    assert_eq!(
        summary(&order, Language::Arabic),
        "ملخص الطلب:\n• حليب: قطعتان × 15,000 = 30,000 د.ع\n• خبز: 3 قطع × 250.5 = 751.5 د.ع\nالمجموع: 30,751.5 \
         د.ع\nالدفع عند الاستلام\nالاسم: سارة\nالهاتف: \u{2066}+9647701234567\u{2069}\nالعنوان: شارع 14، الكرادة، بغداد\nملاحظة: بعد العصر\nهل تؤكد الطلب؟"
    );
    assert_eq!(
        summary(&booking, Language::English),
        "Your booking:\nService: تنظيف\nDate: Tuesday 2026-11-24\nTime: 16:30-17:00\nName: سارة\nPhone: \
         +9647701234567\nDo you confirm this booking?"
    );
    assert_eq!(
        summary(&cancellation, Language::English),
        "Cancelling order #1001\nTotal: 1,234,567 IQD\nDo you confirm that this order is cancelled?"
    );
}

#[test]
fn whoever_writes_sorani_is_asked_and_answered_in_it() {
    let [order, booking, cancellation] = proposals();
    let summary = |proposal: &Proposal| Summary::of(draft(), proposal, Language::Sorani).unwrap();
    assert_eq!(
        summary(&order).text,
        "پوختەی داواکاری:\n• حليب: 2 دانە × 15,000 = 30,000 دینار\n• خبز: 3 دانە × 250.5 = 751.5 دینار\nکۆی گشتی: \
         30,751.5 دینار\nپارە لە کاتی وەرگرتن دەدرێت\nناو: سارة\nژمارەی مۆبایل: \u{2066}+9647701234567\u{2069}\nناونیشان: شارع 14، الكرادة، \
         بغداد\nتێبینی: بعد العصر\nئایا ئەم داواکارییە پشتڕاست دەکەنەوە؟"
    );
    assert!(summary(&booking).text.contains("ڕێکەوت: سێشەممە \u{2066}2026-11-24\u{2069}\nکات: "));
    for proposal in [order, booking, cancellation] {
        let question = question_of(&proposal, Language::Sorani).unwrap();
        let receipts =
            [Receipt::NotDone, Receipt::Tested, Receipt::Gone(&[]), Receipt::Changed, Receipt::Unclear];
        let texts = receipts.map(|receipt| receipt.text(&proposal, Language::Sorani));
        for text in
            texts.iter().map(String::as_str).chain([&*question, passed_on(&proposal, Language::Sorani)])
        {
            assert!(is_sorani(text) && text.chars().all(|c| !c.is_ascii_alphabetic()), "{text}");
        }
    }
}

#[test]
fn what_is_said_again_is_in_the_language_that_it_was_said_in() {
    for (language, already) in [
        (Language::Arabic, "سبق أن أكّدت ذلك:"),
        (Language::English, "You have confirmed that already:"),
        (Language::Sorani, "پێشتر ئەوەتان پشتڕاست کردووەتەوە:"),
    ] {
        for proposal in proposals() {
            let receipt = Receipt::NotDone.text(&proposal, language);
            assert_eq!(said_again(&receipt), format!("{already}\n{receipt}"));
        }
    }
}

#[test]
fn a_price_is_the_same_with_a_fraction_of_zeros_and_a_number_has_one_sign() {
    let priced = |price: &str| {
        let mut order = order();
        order.lines = vec![line("حليب", price, 1)];
        Proposal::Order(order)
    };
    let words = |proposal: &Proposal| Summary::of(draft(), proposal, Language::English).unwrap().text;
    for price in ["25000.0", "25000.00", "2.5e4", "25000.000000000004", "24999.999999999996"] {
        assert_eq!(words(&priced(price)), words(&priced("25000")), "{price}");
        assert_eq!(priced(price).quoted(), priced("25000").quoted(), "{price}");
    }
    assert_ne!(priced("25000.5").quoted(), priced("25000").quoted());
    let cancelled = |number: &str, total: &str| {
        let (number, total) = (id(number), Money::of_number(total).unwrap());
        Proposal::Cancellation(CancellationProposal { number, total, ..cancellation() })
    };
    let words = words(&cancelled("#6001", "1000.0"));
    assert!(words.starts_with("Cancelling order #6001\nTotal: 1,000 IQD"), "{words}");
    for total in ["1000.0", "1000.0000000000001"] {
        assert_eq!(cancelled("1", total).quoted(), cancelled("1", "1000").quoted(), "{total}");
    }
}

#[test]
fn an_order_costs_what_was_confirmed_however_its_system_reckons() {
    let mut confirmed = order();
    confirmed.lines = vec![line("حليب", "12100", 3)];
    let confirmed = Proposal::Order(confirmed);
    let iqd = "IQD".parse().unwrap();
    for (total, costs) in [
        ("36300", true),
        ("36300.0", true),
        ("36300.000000000004", true),
        ("36299.999999999996", true),
        ("36300.5", false),
        ("36000", false),
    ] {
        let placed = Order {
            id: id("1"),
            number: id("1001"),
            status: OrderStatus::Pending,
            stage: OrderStatus::Pending.into(),
            total: Money::of_number(total).unwrap(),
            currency: None,
            placed_at: None,
            tracking: None,
            lines: Vec::new(),
        };
        assert_eq!(confirmed.costs(&placed, iqd), costs, "{total}");
    }
    // A difference below the smallest coin adds up in many pieces.
    let many = |price: &str| {
        let mut order = order();
        order.lines = vec![line("حليب", price, 100)];
        order.currency = "USD".parse().unwrap();
        Proposal::Order(order).quoted()
    };
    assert_ne!(many("12.341"), many("12.344"));
}

#[test]
fn the_buttons_fit_and_what_they_say_means_the_same_when_it_is_typed() {
    for proposal in proposals() {
        for language in Language::ALL {
            let buttons = Summary::of(draft(), &proposal, language).unwrap().buttons;
            let answers = buttons.iter().map(|button| {
                assert!(button.title.chars().count() <= 20, "{}", button.title);
                assert!(button.id.len() <= 256);
                let tapped = Said { tapped: Some(&button.id), ..Said::default() };
                let typed = Said { text: &button.title, ..Said::default() };
                let answer = read_answer(draft(), proposal.kind(), &[typed]);
                assert_eq!(read_answer(draft(), proposal.kind(), &[tapped]), answer, "{}", button.title);
                format!("{answer:?}")
            });
            assert_eq!(answers.collect::<Vec<_>>(), ["Yes", "No"]);
        }
    }
}

#[test]
fn a_proposal_is_kept_and_read_back_as_it_was() {
    for proposal in proposals() {
        let kept = proposal.canonical();
        let read = Proposal::read(&kept).unwrap();
        assert_eq!(read, proposal);
        assert_eq!(read.canonical(), kept);
        assert_eq!(DraftKind::read(read.kind().as_str()), Some(proposal.kind()));
    }
    // A numeric id stays numeric, and a time keeps its offset.
    let Some(Proposal::Order(read)) = Proposal::read(&Proposal::Order(order()).canonical()) else { panic!() };
    assert!(read.lines[0].variant.is_number() && !read.lines[0].product.is_number());
    let Some(Proposal::Booking(read)) = Proposal::read(&Proposal::Booking(booking()).canonical()) else {
        panic!()
    };
    assert_eq!(read.span.starts_at().offset().whole_hours(), 3);
    assert_eq!(Proposal::read(b"{}"), None);
}

#[test]
fn what_was_quoted_is_another_when_a_price_a_time_or_a_title_is() {
    let quoted = |order: OrderProposal| Proposal::Order(order).quoted();
    let change = |changed: &dyn Fn(&mut OrderProposal)| {
        let mut other = order();
        changed(&mut other);
        quoted(other) == quoted(order())
    };
    assert!(!change(&|order| order.lines[0].price = Money::of_number("15001").unwrap()));
    assert!(!change(&|order| order.lines[0].title = text("حليب آخر")));
    assert!(!change(&|order| order.currency = "USD".parse().unwrap()));
    assert!(!change(&|order| order.lines.truncate(1)));
    assert!(change(&|order| order.note = None));
    let later = Span::new(datetime!(2026-11-24 17:30 +03:00), datetime!(2026-11-24 18:00 +03:00)).unwrap();
    let moved = BookingProposal { span: later, ..booking() };
    assert_ne!(Proposal::Booking(moved).quoted(), Proposal::Booking(booking()).quoted());
}

#[test]
fn a_line_is_what_a_product_sells_now_or_none() {
    let listing = |id_of: &str, title: &str, availability| Listing {
        id: id(id_of),
        title: text(title),
        price: Money::of_number("5").unwrap(),
        availability,
    };
    let plain = Product::of(listing("1", "a", Availability::Few));
    let iqd = "IQD".parse().unwrap();
    let one = NonZeroU32::MIN;
    let line = ProposedLine::of(&plain, &id("1"), one, iqd).unwrap();
    assert_eq!((line.title.as_str(), line.price.as_str()), ("a", "5"));
    assert_eq!(ProposedLine::of(&plain, &id("2"), one, iqd), None);
    let out = Product::of(listing("1", "a", Availability::Out));
    assert_eq!(ProposedLine::of(&out, &id("1"), one, iqd), None);
    let mut foreign = plain;
    foreign.currency = Some("USD".parse().unwrap());
    assert_eq!(ProposedLine::of(&foreign, &id("1"), one, iqd), None);
}

proptest! {
    #[test]
    fn a_summary_has_its_lines_and_nothing_a_title_could_add_to_them(title in "\\PC{1,80}|.{1,80}") {
        let Some(title) = PlainText::read(&title, 200) else { return Ok(()) };
        let mut with_title = order();
        with_title.lines[0].title = title;
        let words = Summary::of(draft(), &Proposal::Order(with_title), Language::English).unwrap().text;
        prop_assert_eq!(words.lines().count(), 10);
    }
}

#[test]
fn pieces_are_counted_as_each_language_does_and_amounts_have_the_digits_of_their_currency() {
    let words = |price: &str, currency: &str, quantity, language| {
        let mut order = order();
        order.lines = vec![line("كوب", price, quantity)];
        order.currency = currency.parse().unwrap();
        let text = Summary::of(draft(), &Proposal::Order(order), language).unwrap().text;
        text.lines().nth(1).unwrap().to_owned()
    };
    for (quantity, pieces) in [
        (1, "قطعة واحدة × 36,300 = 36,300"),
        (2, "قطعتان × 36,300 = 72,600"),
        (3, "3 قطع × 36,300 = 108,900"),
        (10, "10 قطع × 36,300 = 363,000"),
        (11, "11 قطعة × 36,300 = 399,300"),
        (100, "100 قطعة × 36,300 = 3,630,000"),
        (103, "103 قطع × 36,300 = 3,738,900"),
    ] {
        let read = words("36300.000000000004", "IQD", quantity, Language::Arabic);
        assert_eq!(read, format!("• كوب: {pieces} د.ع"));
    }
    for (price, currency, quantity, read) in [
        ("19.990000000000002", "USD", 1, "1 piece × 19.99 = 19.99 USD"),
        ("19.990000000000002", "USD", 3, "3 pieces × 19.99 = 59.97 USD"),
        ("10.5", "USD", 2, "2 pieces × 10.50 = 21 USD"),
        ("1.2500000000000002", "KWD", 1, "1 piece × 1.250 = 1.250 KWD"),
        ("1200.0000000000002", "JPY", 2, "2 pieces × 1,200 = 2,400 JPY"),
    ] {
        assert_eq!(words(price, currency, quantity, Language::English), format!("• كوب: {read}"));
    }
}

#[test]
fn what_is_read_from_left_to_right_keeps_its_order_within_arabic() {
    let mut latin = order();
    latin.lines = vec![line("iPhone 15 أسود", "1500", 1)];
    latin.recipient.name = text("Sara");
    let words = |proposal: &Proposal, language| Summary::of(draft(), proposal, language).unwrap().text;
    let told = words(&Proposal::Order(latin), Language::Arabic);
    for part in
        ["• \u{2068}iPhone 15 أسود\u{2069}: ", "\u{2068}Sara\u{2069}", "\u{2066}+9647701234567\u{2069}"]
    {
        assert!(told.contains(part), "{told}");
    }
    let [_, booking, cancellation] = proposals();
    let told = words(&booking, Language::Arabic);
    for part in ["\u{2066}2026-11-24\u{2069}", "\u{2066}16:30-17:00\u{2069}"] {
        assert!(told.contains(part), "{told}");
    }
    assert!(words(&cancellation, Language::Arabic).contains("\u{2066}#1001\u{2069}"));
    for proposal in proposals() {
        let told = words(&proposal, Language::English);
        assert!(!told.contains(crate::text::is_direction_control), "{told}");
    }
}
