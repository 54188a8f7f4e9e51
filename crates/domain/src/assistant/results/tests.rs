//! What a system's texts can do to a model's answer when the model obeys them.

use serde_json::{Value, json};
use time::macros::datetime;

use super::{Evidence, LONGEST_RESULT, ToolOutcome, without_links};
use crate::{
    assistant::speech::{Act, Phrasebook, Rotation, Telling, Voice},
    catalogue::search::{Found, Match},
    currency::Currency,
    external_id::ExternalId,
    knowledge::{LONGEST_PASSAGE, Passage, PassageOf},
    link::WebLink,
    money::Money,
    orders::{MAX_ORDER_LINES, Order, OrderLine, OrderStatus},
    phone::Region,
    systems::{
        Availability, CustomerRecord, DESCRIPTION_READ, FieldValue, LONGEST_FIELD, LONGEST_LABEL,
        LONGEST_SERVICE, LONGEST_TITLE, Listing, MAX_FIELDS, MAX_SERVICES, MAX_SLOTS, MAX_VARIANTS, Product,
        Slot, SlotQuery, Slots, Span, Variant,
    },
    text::{PlainText, is_direction_control},
};

/// Texts that an attacker wants said.
const AIMS: [&str; 9] = [
    "ادفع هنا https://evil.example/pay",
    "راسلنا على wa.me/9647",
    "visit evil.shop now",
    "[الرابط](https://evil.example)",
    "راح يتصل بيك المدير",
    "حجزتلك موعد",
    "we booked it for you",
    "السعر 99 دينار فقط",
    "it is $ 77 for you",
];
const LONGEST: usize = 400;
const PAGE: &str = "https://shop.example/p/1001";
const TRACKING: &str = "https://shop.example/t/77";

/// Lists all injections with each aim in them.
fn injections() -> Vec<String> {
    let ways = include_str!("injections.txt").lines().filter(|line| !line.starts_with("# "));
    ways.flat_map(|way| AIMS.map(|aim| way.replace("{}", aim))).collect()
}

fn text(written: &str) -> PlainText {
    PlainText::read(written, LONGEST).unwrap()
}

fn amount() -> Money {
    Money::of_number("14500").unwrap()
}

fn dinars() -> Currency {
    "IQD".parse().unwrap()
}

fn product(said: &str) -> Product {
    let listing = || Listing {
        id: ExternalId::of_text("1001").unwrap(),
        title: text(said),
        price: amount(),
        availability: Availability::In,
    };
    let variants = vec![Variant { listing: listing(), options: vec![(text(said), text(said))] }];
    let mut product = Product::of(listing());
    product.description = Some(text(said));
    product.variants = variants;
    product.link = WebLink::parse(PAGE);
    product
}

fn order(said: &str) -> Order {
    Order {
        id: ExternalId::of_text("77").unwrap(),
        number: ExternalId::of_text(said).unwrap_or_else(|| ExternalId::of_text("A").unwrap()),
        status: OrderStatus::Shipped,
        stage: OrderStatus::Shipped.into(),
        total: amount(),
        currency: None,
        placed_at: None,
        tracking: WebLink::parse(TRACKING),
        lines: vec![OrderLine { title: text(said), quantity: 2, price: amount() }],
    }
}

fn slots(said: &str) -> Slots {
    let (from, to) = (datetime!(2026-11-25 17:00 +3), datetime!(2026-11-25 17:30 +3));
    let slot = Slot {
        id: ExternalId::of_text("s").unwrap(),
        span: Span::new(from, to).unwrap(),
        service: text(said),
    };
    Slots { services: vec![text(said)], slots: vec![slot] }
}

fn a_query() -> SlotQuery {
    SlotQuery { from: datetime!(2026-11-25 00:00 +3), to: datetime!(2026-11-26 00:00 +3), service: None }
}

fn record(said: &str) -> CustomerRecord {
    let fields = vec![(text(said), FieldValue::Text(Some(text(said))))];
    CustomerRecord { id: None, name: Some(text(said)), fields }
}

/// Returns each kind of result, with the text wherever a system may write one.
fn results(said: &str) -> [ToolOutcome; 5] {
    [
        ToolOutcome::found("حليب", &[Found { product: product(said), matched: Match::Weak }], dinars()),
        ToolOutcome::product(&product(said), dinars()),
        ToolOutcome::order(&order(said), dinars()),
        ToolOutcome::slots(&slots(said), &a_query()),
        ToolOutcome::record(&record(said), Region::default()),
    ]
}

/// Collects the names in a result with the kind of their values, and the texts in it.
fn shape(of: &Value, path: &str, names: &mut Vec<String>, texts: &mut Vec<String>) {
    match of {
        Value::Object(fields) => {
            for (name, value) in fields {
                shape(value, &format!("{path}.{name}"), names, texts);
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                shape(value, &format!("{path}.{at}"), names, texts);
            }
        }
        Value::String(text) => {
            names.push(format!("{path} text"));
            texts.push(text.clone());
        }
        other => names.push(format!("{path} {other}")),
    }
}

#[test]
fn two_hundred_injections_stay_texts_in_every_field_of_every_result() {
    let injections = injections();
    assert!(injections.len() >= 200, "{}", injections.len());
    for said in injections {
        for (harmless, injected) in results("حليب").iter().zip(&results(&said)) {
            let (mut expected, mut names, mut texts) = (Vec::new(), Vec::new(), Vec::new());
            shape(&harmless.told, "", &mut expected, &mut Vec::new());
            shape(&serde_json::from_str(&injected.told.to_string()).unwrap(), "", &mut names, &mut texts);
            // A sentence of a description with a link is left out.
            let is_else = |name: &String| !name.contains(".description ");
            names.retain(is_else);
            expected.retain(is_else);
            assert_eq!(names, expected, "{said}");
            for text in texts {
                assert!(!text.contains(|c: char| c.is_control() || is_direction_control(c)), "{text:?}");
                assert!(text.chars().count() <= LONGEST, "{text}");
            }
        }
    }
}

/// Words every act about the results, and returns the texts of those that can be said.
fn said_of(evidence: &Evidence, book: &Phrasebook) -> Vec<String> {
    let number = evidence.orders.first().map(|order| order.number.as_str());
    let labels = evidence.record.iter().flat_map(|record| &record.fields).map(|(label, _)| label.as_str());
    let parts = json!(["price", "availability", "options", {"sentence": 1}, "link"]);
    let acts = [
        json!({"act": "quote", "product": "1001", "parts": parts}),
        json!({"act": "quote", "product": "1001", "variant": "1001", "parts": parts}),
        json!({"act": "quote", "product": "1001", "parts": ["price", "options"]}),
        json!({"act": "list", "products": ["1001"]}),
        json!({"act": "closest", "products": ["1001"]}),
        json!({"act": "total", "lines": [{"product": "1001", "quantity": 2}]}),
        json!({"act": "multiple", "product": "1001", "quantity": 3}),
        json!({"act": "discount", "product": "1001"}),
        json!({"act": "confirm_understanding", "product": "1001", "quantity": 2}),
        json!({"act": "clarify", "a": "1001", "b": "1001"}),
        json!({"act": "ask", "what": "product", "options": ["1001", "s1"]}),
        json!({"act": "order_status", "order": number, "parts": ["lines", "total"]}),
        json!({"act": "record", "fields": labels.collect::<Vec<_>>()}),
        json!({"act": "slots", "slots": ["s1"]}),
    ];
    let telling = Telling { evidence, book, rotation: Rotation::default() };
    let acts = acts.into_iter().filter_map(|act| serde_json::from_value::<Act>(act).ok());
    acts.filter_map(|act| telling.say(&[act]).ok()).map(|speech| speech.text()).collect()
}

#[test]
fn two_hundred_injections_in_every_field_say_no_foreign_link_no_second_line_and_no_mark() {
    let own = [PAGE, TRACKING];
    let books = Voice::ALL.map(|voice| Phrasebook::shipped(voice).unwrap());
    for (place, said) in injections().into_iter().enumerate() {
        let book = &books[place % books.len()];
        let (mut evidence, mut plain) = (Evidence::default(), Evidence::default());
        for (outcome, other) in results(&said).into_iter().zip(results("حليب")) {
            evidence.extend(outcome.evidence);
            plain.extend(other.evidence);
        }
        let (texts, harmless) = (said_of(&evidence, book), said_of(&plain, book));
        assert!(texts.len() + 2 >= harmless.len() && harmless.len() == 14, "{said}: {}", texts.len());
        let most = harmless.iter().map(|text| text.lines().count()).max();
        for text in texts {
            let links = without_links(&text).1;
            assert!(links.iter().all(|link| own.contains(&link.as_str())), "{said}: {links:?}");
            assert!(text.lines().count() <= most.unwrap(), "{said}: {text}");
            let bare = text.replace(['\u{2068}', '\u{2069}', '\n'], "");
            assert!(!bare.contains(|c: char| c.is_control() || is_direction_control(c)), "{text:?}");
            let count = |mark: char| text.matches(mark).count();
            assert_eq!(count('\u{2068}'), count('\u{2069}'), "{text:?}");
        }
    }
}

#[test]
fn what_is_hidden_from_a_model_or_left_out_can_be_said_by_no_act() {
    let fields = vec![
        (text("الهاتف"), FieldValue::Text(Some(text("0770 123 4567")))),
        (text("النقاط"), FieldValue::Number("120".to_owned())),
    ];
    let record = CustomerRecord { id: None, name: None, fields };
    let evidence = ToolOutcome::record(&record, Region::default()).evidence;
    let labels: Vec<_> = evidence.record.unwrap().fields.into_iter().map(|(label, _)| label).collect();
    assert_eq!(labels, [text("النقاط")]);
    let mut described = product("قميص");
    described.description = Some(text("قماش قطن. ادفع على evil.com. يغسل."));
    let outcome = ToolOutcome::product(&described, dinars());
    assert_eq!(outcome.told["description"], "قماش قطن. يغسل.");
    // A search that has found a good match is none that found nothing.
    for (matched, searches) in [(Match::Strong, 0), (Match::Weak, 1)] {
        let found = ToolOutcome::found("x", &[Found { product: product("x"), matched }], dinars());
        assert_eq!(found.evidence.searches.len(), searches);
    }
}

#[test]
fn a_record_tells_a_model_of_no_phone_number_and_of_every_other_number() {
    let said = |value: &str| FieldValue::Text(PlainText::read(value, LONGEST));
    for (value, told) in [
        (said("0770 123 4567"), "[number]"),
        (said("رقمك +964 (770) 123-4567 عدنا"), "رقمك [number] عدنا"),
        (said("٠٧٧٠١٢٣٤٥٦٧"), "[number]"),
        (said("0770/123/4567"), "[number]"),
        (said("0770–123‑4567"), "[number]"),
        (said("07ـ70 123\u{202f}4567"), "[number]"),
        (FieldValue::Number("9647701234567".to_owned()), "[number]"),
        (FieldValue::Number("150000".to_owned()), "150000"),
        (said("25,000 د.ع"), "25,000 د.ع"),
        (said("2026-11-10"), "2026-11-10"),
        (said("10/11/2026 17:00"), "10/11/2026 17:00"),
        (said("بطاقة 100200300400500"), "بطاقة 100200300400500"),
    ] {
        let record = CustomerRecord { id: None, name: None, fields: vec![(text("قيمة"), value)] };
        let outcome = ToolOutcome::record(&record, Region::default());
        assert_eq!(outcome.told["fields"][0]["value"], told);
    }
}

/// Returns an Arabic word of that many characters.
fn long(characters: usize) -> PlainText {
    PlainText::read(&"ش".repeat(characters), characters).unwrap()
}

fn amount_of(number: usize) -> Money {
    Money::of_number(&number.to_string()).unwrap()
}

/// Returns a product with titles, options and variants of that size, two options each; prices go up from
/// `price`.
fn product_of(price: usize, title: usize, variants: usize, option: usize) -> Product {
    let listing =
        |price| Listing { title: long(title), price: amount_of(price), ..product("حليب").listing };
    let options = vec![(long(option), long(option)); 2];
    let variant = |at: usize| Variant { listing: listing(price + at), options: options.clone() };
    let mut product = Product::of(listing(price));
    product.description = Some(long(DESCRIPTION_READ));
    product.variants = (1..=variants).map(variant).collect();
    product
}

fn found(products: impl IntoIterator<Item = Product>) -> ToolOutcome {
    let found = |product| Found { product, matched: Match::Strong };
    ToolOutcome::found("x", &products.into_iter().map(found).collect::<Vec<_>>(), dinars())
}

/// Returns whether an act may say the amount after this result, which must be short enough for a model.
fn bears(outcome: &ToolOutcome, amount: usize) -> bool {
    assert!(outcome.told.to_string().len() <= LONGEST_RESULT);
    let amount = amount.to_string();
    let evidence = &outcome.evidence;
    let is_priced = |price: &Money| price.as_str() == amount;
    evidence.products.iter().any(|product| {
        let variants = product.variants.iter().map(|variant| &variant.listing);
        std::iter::once(&product.listing).chain(variants).any(|listing| is_priced(&listing.price))
    }) || evidence.orders.iter().flat_map(|order| &order.lines).any(|line| is_priced(&line.price))
        || evidence.record.iter().flat_map(|record| &record.fields).any(
            |(_, value)| matches!(value, FieldValue::Text(Some(text)) if text.as_str().starts_with(&amount)),
        )
}

fn count(of: &Value, name: &str) -> usize {
    of[name].as_array().map_or(0, Vec::len)
}

#[test]
fn a_price_of_a_shop_that_reckons_with_floats_is_told_in_the_digits_of_its_currency() {
    let mut cup = product("كوب");
    cup.listing.price = Money::of_number("36300.000000000004").unwrap();
    let outcome = found([cup]);
    assert_eq!(outcome.told["products"][0]["price"], "36300");
    assert!(bears(&outcome, 36_300) && !bears(&outcome, 36_301));
}

#[test]
fn eight_products_with_five_variants_are_told_without_descriptions_and_without_the_last_variants() {
    let outcome = found((1..=8).map(|at: usize| product_of(at * 10_000, 60, 5, 20)));
    let products = outcome.told["products"].as_array().unwrap();
    assert_eq!((products.len(), count(&products[0], "variants")), (8, 5));
    assert!(products.iter().all(|product| product["description"].is_null()));
    assert_eq!((count(&products[7], "variants"), &products[7]["moreVariants"]), (0, &5.into()));
    assert!(products[0].get("moreVariants").is_none() && outcome.told.get("moreProducts").is_none());
    assert!(bears(&outcome, 10_005) && bears(&outcome, 80_000) && !bears(&outcome, 80_005));
    assert!(outcome.told.to_string().len() > LONGEST_RESULT - 1_000);

    let outcome = found((1..=8).map(|at: usize| product_of(at * 10_000, 20, 0, 1)));
    assert!(outcome.told["products"][0]["description"].is_string());
}

#[test]
fn products_as_long_as_a_system_may_write_them_are_told_as_far_as_they_fit() {
    let longest = |at: usize| {
        let mut product = product_of(at * 10_000, LONGEST_TITLE, MAX_VARIANTS, LONGEST_TITLE);
        product.link = WebLink::parse(&format!("https://shop.example/{}", "a".repeat(1_900)));
        assert!(product.link.is_some());
        product
    };
    let outcome = found((1..=8).map(longest));
    assert_eq!((count(&outcome.told, "products"), outcome.told.get("moreProducts")), (8, None));
    let told = count(&outcome.told["products"][0], "variants");
    assert_eq!(outcome.told["products"][0]["moreVariants"], MAX_VARIANTS - told);
    assert!(bears(&outcome, 10_000 + told) && bears(&outcome, 80_000) && !bears(&outcome, 10_001 + told));

    let outcome = ToolOutcome::product(&longest(1), dinars());
    let told = count(&outcome.told, "variants");
    assert!(told > 0);
    assert_eq!(outcome.told["moreVariants"], MAX_VARIANTS - told);
    assert!(bears(&outcome, 10_000 + told) && !bears(&outcome, 10_001 + told));
}

#[test]
fn a_record_an_order_and_times_as_long_as_a_system_may_write_them_are_told_as_far_as_they_fit() {
    let field = |at: usize| {
        let value = format!("{} {}", 70_000 + at, "ش".repeat(LONGEST_FIELD - 6));
        (long(LONGEST_LABEL), FieldValue::Text(PlainText::read(&value, LONGEST_FIELD)))
    };
    let fields = (0..MAX_FIELDS).map(field).collect();
    let record = CustomerRecord { id: None, name: Some(long(LONGEST_LABEL)), fields };
    let outcome = ToolOutcome::record(&record, Region::default());
    let told = count(&outcome.told, "fields");
    assert_eq!((told > 0, &outcome.told["moreFields"]), (true, &(MAX_FIELDS - told).into()));
    assert!(bears(&outcome, 70_000) && bears(&outcome, 69_999 + told) && !bears(&outcome, 70_000 + told));

    let line =
        |at: usize| OrderLine { title: long(LONGEST_TITLE), quantity: 2, price: amount_of(70_000 + at) };
    let lines = (0..MAX_ORDER_LINES).map(line).collect();
    let outcome = ToolOutcome::order(&Order { lines, ..order("A-1042") }, dinars());
    let told = count(&outcome.told, "lines");
    assert_eq!((told > 0, &outcome.told["moreLines"]), (true, &(MAX_ORDER_LINES - told).into()));
    assert!(bears(&outcome, 69_999 + told) && !bears(&outcome, 70_000 + told));
    assert!(ToolOutcome::order(&order("A-1042"), dinars()).told.get("moreLines").is_none());

    let slot = Slot { service: long(LONGEST_SERVICE), ..slots("حلاقة").slots.remove(0) };
    let services = vec![long(LONGEST_SERVICE); MAX_SERVICES];
    let outcome = ToolOutcome::slots(&Slots { services, slots: vec![slot; MAX_SLOTS] }, &a_query());
    assert_eq!(outcome.evidence.slots.len(), count(&outcome.told, "slots"));
    assert!(outcome.told.to_string().len() <= LONGEST_RESULT);
    assert!(count(&outcome.told, "slots") > MAX_SLOTS / 2);
    assert_eq!(outcome.told["moreSlots"], MAX_SLOTS - count(&outcome.told, "slots"));
    assert_eq!(outcome.told["moreServices"], MAX_SERVICES);
}

#[test]
fn passages_are_numbered_over_the_turn_and_one_that_is_known_keeps_its_number() {
    let passage = |number: u32, text: &str| PassageOf {
        document: uuid::Uuid::from_u128(7).into(),
        title: "سياسة".to_owned(),
        number,
        passage: Passage {
            heading: "التوصيل".to_owned(),
            sentences: vec![text.to_owned(), "خلال يومين".to_owned()],
        },
    };
    let ids = |outcome: &ToolOutcome| {
        let told = outcome.told["passages"].as_array().unwrap();
        told.iter().map(|passage| passage["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (first, second) = (passage(1, "نوصل."), passage(2, "نغلف."));
    let mut known = Evidence::default();
    let told = ToolOutcome::passages(std::slice::from_ref(&first)).numbered(&known);
    assert_eq!(told.told["passages"][0]["title"], "سياسة › التوصيل");
    assert_eq!(told.told["passages"][0]["sentences"], json!(["1: نوصل.", "2: خلال يومين"]));
    assert_eq!(ids(&told), ["p1"]);
    known.extend(told.evidence);
    let told = ToolOutcome::passages(&[second, first]).numbered(&known);
    assert_eq!(ids(&told), ["p2", "p1"]);
    known.extend(told.evidence);
    let texts: Vec<_> = known.passages.iter().map(|it| (it.of.ends_with("7/2"), it.text.as_str())).collect();
    assert_eq!(texts, [(false, "نوصل.\nخلال يومين"), (true, "نغلف.\nخلال يومين")]);
    assert!(ToolOutcome::passages(&[]).told.get("error").is_some());
    let long = LONGEST_PASSAGE / 2 - 1;
    let many =
        ToolOutcome::passages(&(1..=20).map(|number| passage(number, &"ش".repeat(long))).collect::<Vec<_>>());
    let many = many.numbered(&Evidence::default());
    assert!(
        many.told.to_string().len() <= LONGEST_RESULT && ids(&many).len() == many.evidence.passages.len()
    );
}
