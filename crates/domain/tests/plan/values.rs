//! What speaks against the values of a template.

use domain::sending::{Catalogue, HeaderRequest, Refusal, TemplateRequest};

use crate::{a_catalogue, a_code_template, a_request, header, named, ordered, planned, url_button, with};

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
    let give_file = || {
        let link = Some("https://files.example/a".to_owned());
        Some(HeaderRequest { link, filename: Some("a.pdf".to_owned()), text: None })
    };
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
            "a file name for an image",
            TemplateRequest { header: give_file(), ..a_request() },
            image(),
            Refusal::HeaderNotAllowed { field: "filename" },
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
        ("`name`", TemplateRequest { name: long(201), ..a_request() }),
        ("`name`", TemplateRequest { name: Some("  ".to_owned()), ..a_request() }),
        ("`template`", TemplateRequest { template: String::new(), ..a_request() }),
        ("`header.link`", TemplateRequest { header: link("http://files.example/a"), ..a_request() }),
        ("`header.link`", TemplateRequest { header: link("ftp:"), ..a_request() }),
    ] {
        let refusal = request.check_shape().expect_err(field);
        assert!(matches!(&refusal, Refusal::Invalid(text) if text.contains(field)), "{refusal}");
    }
    let fine = TemplateRequest { reference: long(128), name: long(200), ..a_request() };
    assert_eq!(fine.check_shape(), Ok(()));
}
