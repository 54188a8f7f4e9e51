//! Planning a template send: which template, which number, and every refusal in its order. No mocks.
#![expect(clippy::too_many_lines, reason = "a table is read from top to bottom")]
#![expect(clippy::unwrap_used, reason = "test support")]
#![expect(clippy::unnecessary_wraps, reason = "the helpers give a field's value, which is an `Option`")]

use std::collections::BTreeMap;

use domain::{
    ids::MessageId,
    phone::PhoneNumber,
    sending::{
        Catalogue, HeaderRequest, HeaderValue, PlanLimitReason, PlannedSend, Refusal, TemplateRequest,
        Variables, plan,
    },
    templates::{Authentication, Button, Header, Template, TemplateStatus},
    testing::{a_number, a_template, catalogue_of},
};
use uuid::Uuid;

fn to() -> PhoneNumber {
    PhoneNumber::from_e164("+9647701234567").unwrap()
}

fn tag() -> MessageId {
    Uuid::from_u128(7).into()
}

fn planned(request: &TemplateRequest, catalogue: &Catalogue) -> Result<PlannedSend, Refusal> {
    plan(request, to(), catalogue, tag())
}

fn ordered(values: &[&str]) -> Option<Variables> {
    Some(Variables::Ordered(values.iter().map(|value| (*value).to_owned()).collect()))
}

fn named(values: &[(&str, &str)]) -> Option<Variables> {
    let values = values.iter().map(|(label, value)| ((*label).to_owned(), (*value).to_owned()));
    Some(Variables::Named(values.collect::<BTreeMap<_, _>>()))
}

/// A right request for [`a_template`].
fn a_request() -> TemplateRequest {
    TemplateRequest {
        to: "0770 123 4567".to_owned(),
        template: "order_ready".to_owned(),
        variables: ordered(&["سارة", "A-1042"]),
        ..TemplateRequest::default()
    }
}

fn a_catalogue() -> Catalogue {
    catalogue_of(vec![a_number(0, 1)], vec![a_template("order_ready")])
}

/// The catalogue with its template changed.
fn with(change: impl FnOnce(&mut Template)) -> Catalogue {
    let mut template = a_template("order_ready");
    change(&mut template);
    catalogue_of(vec![a_number(0, 1)], vec![template])
}

fn of_account(mut template: Template, account: u128, language: &str) -> Template {
    template.account = domain::testing::an_account_id(account);
    template.account_network_id = format!("waba-{account}");
    language.clone_into(&mut template.language);
    template
}

fn header(format: &str, text: Option<&str>) -> Option<Header> {
    Some(Header { format: format.to_owned(), text: text.map(str::to_owned) })
}

fn url_button(url: &str) -> Button {
    Button { kind: "URL".to_owned(), text: "Track".to_owned(), url: Some(url.to_owned()) }
}

fn a_code_template() -> Catalogue {
    with(|template| {
        "*{{1}}* is your code".clone_into(&mut template.content.body);
        template.content.buttons = vec![Button {
            kind: "OTP".to_owned(),
            text: "Copy".to_owned(),
            url: Some("https://www.whatsapp.com/otp/code/?code=otp{{1}}".to_owned()),
        }];
        template.content.authentication =
            Some(Authentication { add_security_recommendation: true, code_expiration_minutes: Some(5) });
    })
}

#[test]
fn a_notice_is_filled_and_rendered() {
    let send = planned(&a_request(), &a_catalogue()).unwrap();
    let values: Vec<_> = send.message.body.iter().map(|v| (v.label.as_str(), v.text.as_str())).collect();
    assert_eq!(values, [("1", "سارة"), ("2", "A-1042")]);
    assert_eq!(send.content.as_deref(), Some("مرحبا سارة، طلبك A-1042 جاهز"));
    assert_eq!(send.message.tag, tag());
    assert_eq!(send.number, a_number(0, 1));
}

#[test]
fn values_may_come_by_label_and_are_trimmed() {
    let request = TemplateRequest { variables: named(&[("2", " A-1 "), ("1", "سارة")]), ..a_request() };
    let send = planned(&request, &a_catalogue()).unwrap();
    assert_eq!(send.content.as_deref(), Some("مرحبا سارة، طلبك A-1 جاهز"));
}

#[test]
fn named_parameters_go_by_their_names() {
    let catalogue =
        with(|template| "Hi {{customer_name}}, see {{parcel}}.".clone_into(&mut template.content.body));
    let request =
        TemplateRequest { variables: named(&[("parcel", "P-7"), ("customer_name", "Sara")]), ..a_request() };
    assert_eq!(planned(&request, &catalogue).unwrap().content.as_deref(), Some("Hi Sara, see P-7."));
}

#[test]
fn a_code_fills_the_body_and_its_button_and_is_kept_nowhere() {
    let request = TemplateRequest { variables: None, code: Some("48-39X".to_owned()), ..a_request() };
    let send = planned(&request, &a_code_template()).unwrap();
    assert_eq!(send.message.body.first().map(|value| value.text.as_str()), Some("48-39X"));
    let buttons: Vec<_> = send.message.buttons.iter().map(|b| (b.position, b.text.as_str())).collect();
    assert_eq!(buttons, [(0, "48-39X")]);
    assert_eq!(send.content, None);
}

#[test]
fn what_leaves_a_send_only_number_is_kept_nowhere() {
    let mut catalogue = a_catalogue();
    catalogue.numbers.iter_mut().for_each(|number| number.send_only = true);
    assert_eq!(planned(&a_request(), &catalogue).unwrap().content, None);
}

#[test]
fn headers_and_buttons_are_filled_in_their_places() {
    let catalogue = with(|template| {
        template.content.header = header("DOCUMENT", None);
        template.content.buttons = vec![
            Button { kind: "QUICK_REPLY".to_owned(), text: "Yes".to_owned(), url: None },
            url_button("https://shop.example/fixed"),
            url_button("https://shop.example/t/{{1}}"),
        ];
    });
    let request = TemplateRequest {
        header: Some(HeaderRequest {
            link: Some("https://files.example/a.pdf".to_owned()),
            filename: Some("a.pdf".to_owned()),
            text: None,
        }),
        button_variables: Some(vec!["A-1042".to_owned()]),
        ..a_request()
    };
    let send = planned(&request, &catalogue).unwrap();
    assert_eq!(send.message.buttons.first().map(|button| button.position), Some(2));
    assert!(matches!(send.message.header, Some(HeaderValue::Document { filename: Some(_), .. })));
}

#[test]
fn a_text_header_takes_its_variable() {
    let catalogue = with(|template| template.content.header = header("TEXT", Some("News from {{city}}")));
    let text = Some(HeaderRequest { text: Some("بغداد".to_owned()), ..HeaderRequest::default() });
    let send = planned(&TemplateRequest { header: text, ..a_request() }, &catalogue).unwrap();
    assert!(matches!(send.message.header, Some(HeaderValue::Text { label, .. }) if label == "city"));
}

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
fn every_refusal_of_template_and_sender() {
    let from = |from: &str| TemplateRequest { from: Some(from.to_owned()), ..a_request() };
    let in_language = |language: &str| TemplateRequest { language: Some(language.to_owned()), ..a_request() };
    let paused = || with(|template| template.status = TemplateStatus::Paused);
    let two_accounts = || {
        catalogue_of(
            vec![a_number(0, 1), a_number(1, 2)],
            vec![of_account(a_template("order_ready"), 1, "ar")],
        )
    };
    let unknown = |catalogue: &Catalogue| Refusal::UnknownSender {
        connected: catalogue.numbers.iter().map(|number| number.phone.clone()).collect(),
    };
    let disconnected = || catalogue_of(vec![], vec![a_template("order_ready")]);
    let no_channel = || Refusal::NoChannel(domain::channels::ChannelKind::Whatsapp);

    let cases: Vec<(&str, TemplateRequest, Catalogue, Refusal)> = vec![
        (
            "no such template",
            a_request(),
            catalogue_of(vec![a_number(0, 1)], vec![]),
            Refusal::TemplateNotFound,
        ),
        ("not in that language", in_language("fr"), a_catalogue(), Refusal::TemplateNotFound),
        ("paused", a_request(), paused(), Refusal::TemplateNotApproved { status: TemplateStatus::Paused }),
        (
            "paused, before its sender is looked at",
            from("+10"),
            paused(),
            Refusal::TemplateNotApproved { status: TemplateStatus::Paused },
        ),
        ("an unknown sender", from("0771 000 0000"), a_catalogue(), unknown(&a_catalogue())),
        ("a sender that is no number", from("me"), a_catalogue(), unknown(&a_catalogue())),
        ("another account's sender", from("100000001"), two_accounts(), Refusal::TemplateNotOnNumber),
        ("a sender when none is connected", from("0770 000 0001"), disconnected(), unknown(&disconnected())),
        ("nothing connected", a_request(), disconnected(), no_channel()),
        (
            "nothing connected that has the template",
            a_request(),
            catalogue_of(vec![a_number(1, 1)], vec![a_template("order_ready")]),
            no_channel(),
        ),
    ];
    for (what, request, catalogue, refusal) in cases {
        assert_eq!(planned(&request, &catalogue).err(), Some(refusal), "{what}");
    }
}

#[test]
fn a_sender_is_known_by_its_id_and_by_its_number_in_any_spelling() {
    let catalogue = catalogue_of(vec![a_number(0, 1), a_number(0, 2)], vec![a_template("order_ready")]);
    for from in ["100000002", "+964 770 000 0002", "٠٧٧٠٠٠٠٠٠٠٢", "009647700000002"] {
        let request = TemplateRequest { from: Some(from.to_owned()), ..a_request() };
        assert_eq!(planned(&request, &catalogue).unwrap().number, a_number(0, 2), "{from}");
    }
}

#[test]
fn the_template_follows_sender_language_and_locale() {
    let template = || a_template("order_ready");
    let catalogue = catalogue_of(
        vec![a_number(1, 1), a_number(0, 2)],
        vec![
            of_account(template(), 0, "ar"),
            of_account(template(), 0, "en_US"),
            of_account(template(), 1, "fr"),
            of_account(template(), 1, "en_US"),
        ],
    );
    for (from, language, account, chosen) in [
        (None, None, 1, "en_US"),
        (None, Some("ar"), 0, "ar"),
        (None, Some("en-US"), 1, "en_US"),
        (Some("100000002"), None, 0, "ar"),
        (Some("100000002"), Some("en_US"), 0, "en_US"),
    ] {
        let request = TemplateRequest {
            from: from.map(str::to_owned),
            language: language.map(str::to_owned),
            ..a_request()
        };
        let send = planned(&request, &catalogue).unwrap();
        assert_eq!(send.message.template.language, chosen, "{from:?} {language:?}");
        assert_eq!(send.number.account, domain::testing::an_account_id(account), "{from:?} {language:?}");
    }
    let elsewhere = TemplateRequest {
        from: Some("100000002".to_owned()),
        language: Some("fr".to_owned()),
        ..a_request()
    };
    assert_eq!(planned(&elsewhere, &catalogue).err(), Some(Refusal::TemplateNotFound));
}

#[test]
fn a_paused_subscription_is_the_last_word_and_stops_codes_too() {
    let pause = |mut catalogue: Catalogue| {
        catalogue.workspace.plan.paused = true;
        catalogue
    };
    let paused = Some(Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused));
    assert_eq!(planned(&a_request(), &pause(a_catalogue())).err(), paused);
    let code = TemplateRequest { variables: None, code: Some("1".to_owned()), ..a_request() };
    assert_eq!(planned(&code, &pause(a_code_template())).err(), paused);
    let wrong = TemplateRequest { variables: None, ..a_request() };
    assert!(matches!(planned(&wrong, &pause(a_catalogue())), Err(Refusal::VariablesMismatch { .. })));
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
