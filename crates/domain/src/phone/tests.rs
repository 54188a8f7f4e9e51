//! The rules of [`super`], against published vectors and against every spelling proptest can think of.

use proptest::prelude::*;

use super::{PhoneError, PhoneNumber, Region, fold, plan, search_digits, warm};
use crate::testing::unescape;

fn region(code: &str) -> Region {
    code.parse().unwrap()
}

/// Returns the published spellings: the workspace's region, what was typed, and the number or why there is
/// none.
pub(crate) fn vectors() -> impl Iterator<Item = (Region, String, &'static str)> {
    let lines = include_str!("vectors.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        (region(columns[0]), unescape(columns[1]), columns[2])
    })
}

fn outcome(written: &str, region: Region) -> String {
    match PhoneNumber::parse(written, region) {
        Ok(number) => number.as_str().to_owned(),
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn every_published_spelling_means_what_its_vector_says() {
    let wrong: Vec<String> = vectors()
        .filter_map(|(region, written, wanted)| {
            let got = outcome(&written, region);
            (got != wanted).then(|| format!("{region} {written:?} {wanted} but got {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the example numbers of the common kinds in every plan, with the plan's region where that is a
/// country.
fn examples() -> Vec<(Option<Region>, String, String)> {
    let mut examples = Vec::new();
    for plan in plan::database().iter() {
        let all = plan.descriptors();
        let kinds =
            [all.fixed_line(), all.mobile(), all.toll_free(), all.voip(), all.uan(), all.shared_cost()];
        for example in kinds.into_iter().flatten().filter_map(|kind| kind.example()) {
            let e164 = format!("+{}{example}", plan.country_code());
            // The network-wide numbers of Iran have six digits; the shortest we take have seven.
            if e164.len() > 7 {
                examples.push((plan.id().parse().ok(), example.to_owned(), e164));
            }
        }
    }
    examples
}

#[test]
fn the_example_numbers_of_all_countries_keep_every_digit() {
    for (region, national, e164) in examples() {
        assert_eq!(outcome(&e164, Region::default()), e164);
        assert_eq!(outcome(&e164.replacen('+', "00", 1), region.unwrap_or_default()), e164);
        let Some(region) = region else { continue };
        assert_eq!(outcome(&national, region), e164, "{national} in {region}");
        let trunk = plan::database().by_id(region.as_str()).and_then(|plan| plan.national_prefix());
        let trunk = trunk.unwrap_or_default();
        assert_eq!(outcome(&format!("{trunk}{national}"), region), e164, "{trunk}{national} in {region}");
    }
}

#[test]
fn every_region_has_a_numbering_plan() {
    let letters = || 'A'..='Z';
    let regions = letters().flat_map(|first| letters().map(move |second| format!("{first}{second}")));
    let known: Vec<Region> = regions.filter_map(|code| code.parse().ok()).collect();
    assert!(known.len() > 240);
    for region in known {
        assert!(plan::database().by_id(region.as_str()).is_some(), "{region}");
    }
}

#[test]
fn a_region_is_two_letters_in_any_case_and_iraq_by_default() {
    assert_eq!(Region::default().to_string(), "IQ");
    assert_eq!(region("iq"), Region::default());
    assert_eq!(serde_json::to_string(&region("us")).unwrap(), "\"US\"");
    assert_eq!(serde_json::from_str::<Region>("\"TR\"").unwrap(), region("TR"));
    for wrong in ["", "I", "IRQ", "XX", "ZZ", "001", "ÎQ", "I Q"] {
        assert!(wrong.parse::<Region>().is_err(), "{wrong}");
    }
}

#[test]
fn a_stored_number_is_taken_back_without_asking_its_plan() {
    for kept in ["+9647701234567", "+9647001234567", "+1234567", "+123456789012345"] {
        let number = PhoneNumber::from_e164(kept).unwrap();
        assert_eq!((number.as_str(), number.digits()), (kept, kept.trim_start_matches('+')));
    }
    for wrong in ["", "+", "9647701234567", "+123456", "+1234567890123456", "+0123456789", "+964 7701234567"]
    {
        assert_eq!(PhoneNumber::from_e164(wrong), Err(PhoneError::NotANumber), "{wrong}");
    }
    assert!(PhoneNumber::from_e164("+٩٦٤٧٧٠١٢٣٤٥٦٧").is_err());
}

#[test]
fn a_known_number_is_looked_for_by_its_digits_whatever_the_plans_say() {
    let known = |written: &str| match PhoneNumber::parse_known(written, Region::default()) {
        Ok(number) => number.as_str().to_owned(),
        Err(error) => format!("{error:?}"),
    };
    for (written, wanted) in [
        ("+5215512345678", "+5215512345678"),
        ("+52 1 55 1234 5678", "+5215512345678"),
        ("005215512345678", "+5215512345678"),
        ("5215512345678", "+5215512345678"),
        ("0770 123 4567", "+9647701234567"),
        ("0770", "Impossible"),
        ("79916232860", "Doubtful"),
        ("nobody", "NotANumber"),
    ] {
        assert_eq!(known(written), wanted, "{written}");
    }
}

#[test]
fn a_plan_of_today_has_a_number_or_has_it_not() {
    for (number, is_planned) in [
        ("+9647701234567", true),
        ("+525512345678", true),
        ("+5215512345678", false),
        ("+9647001234567", false),
        ("+9991234567", false),
    ] {
        assert_eq!(PhoneNumber::from_e164(number).unwrap().is_planned(), is_planned, "{number}");
    }
}

#[test]
fn neither_debug_nor_an_error_shows_a_number() {
    let number = PhoneNumber::from_e164("+9647701234567").unwrap();
    assert_eq!(format!("{number:?}"), "PhoneNumber(…)");
    let refused = PhoneNumber::parse("0700 123 4567", Region::default()).unwrap_err();
    assert!(!format!("{refused} {refused:?}").contains(|c: char| c.is_ascii_digit()));
    let refused = serde_json::from_str::<PhoneNumber>("\"0770\"").unwrap_err();
    assert!(!refused.to_string().contains("0770"));
}

#[test]
fn a_number_is_its_e164_text_in_json() {
    let number = PhoneNumber::parse("0770 123 4567", Region::default()).unwrap();
    assert_eq!(serde_json::to_string(&number).unwrap(), "\"+9647701234567\"");
    assert_eq!(serde_json::from_str::<PhoneNumber>("\"+9647701234567\"").unwrap(), number);
}

#[test]
fn a_piece_of_a_number_is_searched_as_a_person_writes_it() {
    let iq = Region::default();
    let cases: [(&str, &[&str]); 12] = [
        ("0770", &["0770", "964770"]),
        ("٠٧٧٠ ١٢", &["077012", "96477012"]),
        ("770", &["770"]),
        ("+964 770", &["964770"]),
        ("00964770", &["00964770", "964770"]),
        ("+964 (0) 770", &["9640770", "964770"]),
        ("9640770", &["9640770", "964770"]),
        ("0", &["0"]),
        ("+", &[]),
        ("Ali 0770", &[]),
        ("", &[]),
        ("-", &[]),
    ];
    for (written, wanted) in cases {
        assert_eq!(search_digits(written, iq), wanted, "{written}");
    }
    assert_eq!(search_digits("06 12", region("IT")), ["0612"]);
    assert_eq!(search_digits("8 912", region("RU")), ["8912", "7912"]);
}

#[test]
fn folding_leaves_plain_text_and_drops_what_cannot_be_seen() {
    assert_eq!(fold("\u{feff}\u{202a}+٩٦٤\u{a0}\u{2009}۷۷۰\u{202c}\t"), "+964 770");
    assert_eq!(fold("（٠٧٧٠）–１２３．４"), "(0770)-123.4");
    assert_eq!(fold("مـــرحبا x12"), "مرحبا x12");
}

#[test]
fn numbers_from_all_over_the_world_stay_within_the_patterns_kept() {
    warm();
    for (_, _, e164) in examples() {
        assert!(PhoneNumber::parse(&e164, Region::default()).is_ok());
    }
    let cache = plan::database().cache();
    let kept = cache.lock().unwrap().len();
    assert!((101..=plan::KEPT_PATTERNS).contains(&kept), "{kept}");
}

const SEPARATORS: [&str; 16] = [
    "", "", "", "", " ", "-", ".", "/", "\u{a0}", "\u{202f}", "\u{200c}", "\u{200e}", "\u{640}", "–", " (",
    ") ",
];
const ZEROS: [char; 6] = ['0', '٠', '۰', '०', '０', '𝟎'];

/// Writes the digits in the scripts and with the separators that the dice name.
fn respelt(digits: &str, dice: &[(usize, usize)]) -> String {
    let roll = dice.iter().cycle();
    let spell = |(c, (script, separator)): (char, &(usize, usize))| {
        let digit = c.to_digit(10).map(|value| char::from_u32(u32::from(ZEROS[*script]) + value).unwrap());
        format!("{}{}", digit.unwrap_or(c), SEPARATORS[*separator])
    };
    digits.chars().zip(roll).map(spell).collect()
}

fn dice() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0..ZEROS.len(), 0..SEPARATORS.len()), 1..20)
}

fn any_region() -> impl Strategy<Value = Region> {
    prop::sample::select(vec!["IQ", "US", "DE", "IT", "BJ", "CI", "BR", "AR", "RU", "JP", "KW", "SM"])
        .prop_map(region)
}

/// Generates what is nearly a number: the signs that matter, in any order.
fn nearly() -> impl Strategy<Value = String> {
    "[+0]{0,3}(964|39|229|225|1|7|44|9)?[0-9٠-٩ ()./x;\u{200e}-]{0,16}"
}

#[test]
fn every_text_of_the_corpus_is_a_number_or_refused() {
    for text in include_str!("../../../../tests/corpora/phones.txt").lines() {
        for name in ["IQ", "US", "DE", "IT"] {
            if let Ok(number) = PhoneNumber::parse(text, region(name)) {
                assert_eq!(PhoneNumber::from_e164(number.as_str()), Ok(number), "{text}");
            }
            search_digits(text, region(name));
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,80}", region in any_region()) {
        let _ = PhoneNumber::parse(&text, region);
        search_digits(&text, region);
    }

    #[test]
    fn what_is_read_is_e164_and_reads_as_itself(text in nearly(), here in any_region(), there in any_region()) {
        if let Ok(number) = PhoneNumber::parse(&text, here) {
            prop_assert!((7..=15).contains(&number.digits().len()));
            prop_assert!(number.digits().bytes().all(|digit| digit.is_ascii_digit()));
            prop_assert_eq!(number.as_str(), &format!("+{}", number.digits()));
            prop_assert_eq!(PhoneNumber::parse(number.as_str(), there), Ok(number.clone()));
            prop_assert_eq!(PhoneNumber::from_e164(number.as_str()), Ok(number));
        }
    }

    #[test]
    fn an_iraqi_mobile_is_one_number_in_every_spelling(
        national in "7[7-9][0-9]{8}",
        prefix in prop::sample::select(vec!["", "0", "+964", "00964", "964", "+9640", "+00964"]),
        dice in dice(),
    ) {
        let written = respelt(&format!("{prefix}{national}"), &dice);
        prop_assume!(written.chars().count() <= 64);
        prop_assert_eq!(outcome(&written, Region::default()), format!("+964{national}"));
    }

    #[test]
    fn a_foreign_number_is_one_number_in_every_spelling(
        example in prop::sample::select(examples()),
        prefix in prop::sample::select(vec!["+", "00"]),
        here in any_region(),
        dice in dice(),
    ) {
        let (_, _, e164) = example;
        let written = respelt(&e164.replacen('+', prefix, 1), &dice);
        prop_assume!(written.chars().count() <= 64);
        prop_assert_eq!(outcome(&written, here), e164);
    }
}
