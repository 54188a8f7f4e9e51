//! Planning a template send: which template, which number, and every refusal in its order. No mocks.
#![expect(clippy::too_many_lines, reason = "a table is read from top to bottom")]
#![expect(clippy::unwrap_used, reason = "test support")]
#![expect(clippy::unnecessary_wraps, reason = "the helpers give a field's value, which is an `Option`")]

mod choice;
mod values;

use std::collections::BTreeMap;

use domain::{
    ids::MessageId,
    phone::PhoneNumber,
    sending::{
        Catalogue, HeaderRequest, HeaderValue, Location, PlannedSend, Refusal, TemplateRequest, Variables,
        plan,
    },
    templates::{Authentication, Button, Header, Template, VariableKind, VariableLabel},
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
fn what_owners_call_a_variable_names_its_value_and_so_does_what_the_network_calls_it() {
    let catalogue = with(|template| {
        "Hi {{customer_name}}, see {{parcel}}.".clone_into(&mut template.content.body);
        let label = VariableLabel { label: "الطرد".to_owned(), kind: VariableKind::Text };
        template.labels.insert("parcel".to_owned(), label);
    });
    for name in ["الطرد", "parcel"] {
        let variables = named(&[(name, "P-7"), ("customer_name", "Sara")]);
        let send = planned(&TemplateRequest { variables, ..a_request() }, &catalogue).unwrap();
        assert_eq!(send.content.as_deref(), Some("Hi Sara, see P-7."), "{name}");
        let at_the_network: Vec<_> = send.message.body.iter().map(|value| value.label.as_str()).collect();
        assert_eq!(at_the_network, ["customer_name", "parcel"], "{name}");
    }
}

#[test]
fn a_location_header_takes_a_place() {
    let catalogue = with(|template| template.content.header = header("LOCATION", None));
    let place = Location { latitude: 33.3152, longitude: 44.3661, ..Location::default() };
    let given = HeaderRequest { location: Some(place.clone()), ..HeaderRequest::default() };
    let send = planned(&TemplateRequest { header: Some(given), ..a_request() }, &catalogue).unwrap();
    assert!(matches!(send.message.header, Some(HeaderValue::Location(header)) if header == place));
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
            ..HeaderRequest::default()
        }),
        button_variables: Some(vec!["A-1042".to_owned()]),
        ..a_request()
    };
    let send = planned(&request, &catalogue).unwrap();
    assert_eq!(send.message.buttons.first().map(|button| button.position), Some(2));
    assert!(matches!(send.message.header, Some(HeaderValue::Document { filename: Some(_), .. })));
}

#[test]
fn a_picture_and_a_video_take_a_file_name_that_they_do_not_show() {
    let link = "https://files.example/a";
    for (format, filled) in
        [("IMAGE", HeaderValue::Image(link.to_owned())), ("VIDEO", HeaderValue::Video(link.to_owned()))]
    {
        let catalogue = with(|template| template.content.header = header(format, None));
        let given = HeaderRequest {
            link: Some(link.to_owned()),
            filename: Some("a.png".to_owned()),
            ..HeaderRequest::default()
        };
        let send = planned(&TemplateRequest { header: Some(given), ..a_request() }, &catalogue).unwrap();
        assert!(send.message.header == Some(filled), "{format}");
    }
}

#[test]
fn a_text_header_takes_its_variable() {
    let catalogue = with(|template| template.content.header = header("TEXT", Some("News from {{city}}")));
    let text = Some(HeaderRequest { text: Some("بغداد".to_owned()), ..HeaderRequest::default() });
    let send = planned(&TemplateRequest { header: text, ..a_request() }, &catalogue).unwrap();
    assert!(matches!(send.message.header, Some(HeaderValue::Text { label, .. }) if label == "city"));
}
