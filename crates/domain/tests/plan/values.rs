//! What speaks against the values of a template.

use domain::{
    sending::{Catalogue, HeaderRequest, Location, Refusal, TemplateRequest},
    templates::{VariableKind, VariableLabel},
};

use crate::plan::{
    a_catalogue, a_code_template, a_request, header, named, ordered, planned, url_button, with,
};

#[test]
fn every_refusal_of_values() {
    let mismatch = |wanted: &[&str]| Refusal::VariablesMismatch {
        wanted: wanted.iter().map(|label| (*label).to_owned()).collect(),
    };
    let text_header = || with(|template| template.content.header = header("TEXT", Some("News from {{1}}")));
    let fixed_header = || with(|template| template.content.header = header("TEXT", Some("News")));
    let image = || with(|template| template.content.header = header("IMAGE", None));
    let give_text =
        |text: &str| Some(HeaderRequest { text: Some(text.to_owned()), ..HeaderRequest::default() });
    let give_link = || {
        Some(HeaderRequest { link: Some("https://files.example/a".to_owned()), ..HeaderRequest::default() })
    };
    let give_file = |given: Option<HeaderRequest>| {
        given.map(|given| HeaderRequest { filename: Some("a.pdf".to_owned()), ..given })
    };
    let place = || with(|template| template.content.header = header("LOCATION", None));
    let give_place = || Some(HeaderRequest { location: at(33.3, 44.4), ..HeaderRequest::default() });
    let button =
        || with(|template| template.content.buttons = vec![url_button("https://shop.example/{{1}}")]);
    let code = |code: &str| TemplateRequest { variables: None, code: Some(code.to_owned()), ..a_request() };

    let cases: Vec<(&str, TemplateRequest, Catalogue, Refusal)> = vec![
        (
            "no variables",
            TemplateRequest { variables: None, ..a_request() },
            a_catalogue(),
            mismatch(&["1", "2"]),
        ),
        (
            "too few",
            TemplateRequest { variables: ordered(&["x"]), ..a_request() },
            a_catalogue(),
            mismatch(&["1", "2"]),
        ),
        (
            "too many",
            TemplateRequest { variables: ordered(&["x", "y", "z"]), ..a_request() },
            a_catalogue(),
            mismatch(&["1", "2"]),
        ),
        (
            "an unknown name",
            TemplateRequest { variables: named(&[("1", "x"), ("2", "y"), ("three", "z")]), ..a_request() },
            a_catalogue(),
            mismatch(&["1", "2"]),
        ),
        (
            "a blank value",
            TemplateRequest { variables: ordered(&["x", " \u{a0}"]), ..a_request() },
            a_catalogue(),
            Refusal::VariableEmpty { variable: "2".to_owned() },
        ),
        (
            "a value of no-break spaces and direction marks",
            TemplateRequest { variables: ordered(&["\u{200f}\u{a0}\u{202f}\u{200e}", "y"]), ..a_request() },
            a_catalogue(),
            Refusal::VariableEmpty { variable: "1".to_owned() },
        ),
        (
            "a blank value of a variable with a label",
            TemplateRequest { variables: ordered(&["\u{2067}\u{2069}", "y"]), ..a_request() },
            labelled(),
            Refusal::VariableEmpty { variable: "customer".to_owned() },
        ),
        (
            "one variable under both its names",
            TemplateRequest { variables: named(&[("customer", "x"), ("1", "y")]), ..a_request() },
            labelled(),
            mismatch(&["customer", "2"]),
        ),
        (
            "a variable under both its names besides the other",
            TemplateRequest { variables: named(&[("customer", "x"), ("1", "y"), ("2", "z")]), ..a_request() },
            labelled(),
            mismatch(&["customer", "2"]),
        ),
        (
            "no code",
            TemplateRequest { variables: None, ..a_request() },
            a_code_template(),
            Refusal::CodeRequired,
        ),
        ("an empty code", code(""), a_code_template(), Refusal::CodeRequired),
        ("a code with a space", code("12 34"), a_code_template(), Refusal::InvalidCode),
        ("an Arabic code", code("٤٨٣٩"), a_code_template(), Refusal::InvalidCode),
        ("a long code", code("1234567890123456"), a_code_template(), Refusal::InvalidCode),
        (
            "a code with variables",
            TemplateRequest { code: Some("1".to_owned()), ..a_request() },
            a_code_template(),
            mismatch(&[]),
        ),
        ("no header text", a_request(), text_header(), Refusal::HeaderRequired { field: "text" }),
        (
            "a blank header text",
            TemplateRequest { header: give_text(" "), ..a_request() },
            text_header(),
            Refusal::HeaderRequired { field: "text" },
        ),
        ("no header link", a_request(), image(), Refusal::HeaderRequired { field: "link" }),
        (
            "a text for an image",
            TemplateRequest { header: give_text("x"), ..a_request() },
            image(),
            Refusal::HeaderRequired { field: "link" },
        ),
        (
            "a file name for a text",
            TemplateRequest { header: give_file(give_text("x")), ..a_request() },
            text_header(),
            Refusal::HeaderNotAllowed { field: "filename" },
        ),
        (
            "a file name for an image without its link",
            TemplateRequest { header: give_file(Some(HeaderRequest::default())), ..a_request() },
            image(),
            Refusal::HeaderRequired { field: "link" },
        ),
        (
            "a link without a header",
            TemplateRequest { header: give_link(), ..a_request() },
            a_catalogue(),
            Refusal::HeaderNotAllowed { field: "link" },
        ),
        (
            "a text for a fixed header",
            TemplateRequest { header: give_text("x"), ..a_request() },
            fixed_header(),
            Refusal::HeaderNotAllowed { field: "text" },
        ),
        ("no header location", a_request(), place(), Refusal::HeaderRequired { field: "location" }),
        (
            "a link for a location",
            TemplateRequest { header: give_link(), ..a_request() },
            place(),
            Refusal::HeaderRequired { field: "location" },
        ),
        (
            "a location for an image",
            TemplateRequest {
                header: Some(HeaderRequest { location: at(1.0, 1.0), ..give_link().unwrap() }),
                ..a_request()
            },
            image(),
            Refusal::HeaderNotAllowed { field: "location" },
        ),
        (
            "a location without a header",
            TemplateRequest { header: give_place(), ..a_request() },
            a_catalogue(),
            Refusal::HeaderNotAllowed { field: "location" },
        ),
        (
            "a header text of direction marks",
            TemplateRequest { header: give_text("\u{200f}\u{a0}"), ..a_request() },
            text_header(),
            Refusal::HeaderRequired { field: "text" },
        ),
        (
            "a button value of direction marks",
            TemplateRequest { button_variables: Some(vec!["\u{200e}".to_owned()]), ..a_request() },
            button(),
            Refusal::VariableEmpty { variable: "buttonVariables[0]".to_owned() },
        ),
        ("no button value", a_request(), button(), Refusal::ButtonVariablesMismatch { wanted: 1, given: 0 }),
        (
            "a button value too many",
            TemplateRequest { button_variables: Some(vec!["x".to_owned()]), ..a_request() },
            a_catalogue(),
            Refusal::ButtonVariablesMismatch { wanted: 0, given: 1 },
        ),
    ];
    for (what, request, catalogue, refusal) in cases {
        assert_eq!(planned(&request, &catalogue).err(), Some(refusal), "{what}");
    }
}

#[test]
fn values_that_the_network_refuses_are_named() {
    for value in ["two\nlines", "a\ttab", "five     spaces"] {
        let request = TemplateRequest { variables: ordered(&["x", value]), ..a_request() };
        let refusal = planned(&request, &a_catalogue()).expect_err(value);
        assert!(matches!(&refusal, Refusal::Invalid(text) if text.contains("`variables.2`")), "{refusal}");
    }
    let four = TemplateRequest { variables: ordered(&["x", "four    spaces"]), ..a_request() };
    assert!(planned(&four, &a_catalogue()).is_ok());
}

#[test]
fn a_code_for_an_ordinary_template_is_refused() {
    let request = TemplateRequest { code: Some("1234".to_owned()), ..a_request() };
    let refusal = planned(&request, &a_catalogue()).expect_err("a refusal");
    assert!(matches!(&refusal, Refusal::Invalid(text) if text.contains("`code`")), "{refusal}");
}

#[test]
fn shapes_are_checked_before_anything_is_looked_up() {
    let long = |length: usize| Some("x".repeat(length));
    let link = |link: &str| Some(HeaderRequest { link: Some(link.to_owned()), ..HeaderRequest::default() });
    for (field, request) in [
        ("`reference`", TemplateRequest { reference: long(129), ..a_request() }),
        ("`reference`", TemplateRequest { reference: long(0), ..a_request() }),
        ("`template`", TemplateRequest { template: String::new(), ..a_request() }),
        ("`header.link`", TemplateRequest { header: link("http://files.example/a"), ..a_request() }),
        ("`header.link`", TemplateRequest { header: link("ftp:"), ..a_request() }),
        ("`header.link`", TemplateRequest { header: link("https://localhost/a.jpg"), ..a_request() }),
        ("`header.location.latitude`", of_place(at(90.000_001, 0.0))),
        ("`header.location.latitude`", of_place(at(-91.0, 0.0))),
        ("`header.location.longitude`", of_place(at(0.0, 180.5))),
        ("`header.location.longitude`", of_place(at(0.0, f64::NAN))),
        (
            "`header.location.name`",
            of_place(Some(Location { name: Some(String::new()), ..at(0.0, 0.0).unwrap() })),
        ),
        (
            "`header.location.address`",
            of_place(Some(Location { address: long(1_001), ..at(0.0, 0.0).unwrap() })),
        ),
    ] {
        let refusal = request.check_shape().expect_err(field);
        assert!(matches!(&refusal, Refusal::Invalid(text) if text.contains(field)), "{refusal}");
    }
    let fine = TemplateRequest { reference: long(128), name: long(200), ..a_request() };
    assert_eq!(fine.check_shape(), Ok(()));
    for corner in [at(90.0, 180.0), at(-90.0, -180.0)] {
        assert_eq!(of_place(corner).check_shape(), Ok(()));
    }
}

#[test]
fn a_name_is_checked_where_it_is_used_and_one_that_nobody_can_see_is_none() {
    let named = |name: &str| TemplateRequest { name: Some(name.to_owned()), ..a_request() };
    let too_long = "x".repeat(201);
    let refusal = planned(&named(&too_long), &a_catalogue()).expect_err("a refusal");
    assert!(matches!(&refusal, Refusal::Invalid(text) if text.contains("`name`")), "{refusal}");
    for fine in ["", "  ", "\u{a0}\u{200f}", &"x".repeat(200)] {
        assert!(planned(&named(fine), &a_catalogue()).is_ok(), "{fine}");
    }
    let code = TemplateRequest { variables: None, code: Some("1".to_owned()), ..named(&too_long) };
    assert!(planned(&code, &a_code_template()).is_ok());
}

fn at(latitude: f64, longitude: f64) -> Option<Location> {
    Some(Location { latitude, longitude, ..Location::default() })
}

fn of_place(location: Option<Location>) -> TemplateRequest {
    TemplateRequest { header: Some(HeaderRequest { location, ..HeaderRequest::default() }), ..a_request() }
}

/// The catalogue whose template's first variable is called `customer`.
fn labelled() -> Catalogue {
    with(|template| {
        let label = VariableLabel { label: "customer".to_owned(), kind: VariableKind::Name };
        template.labels.insert("1".to_owned(), label);
    })
}
