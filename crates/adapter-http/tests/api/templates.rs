//! `GET /v1/templates`.

use domain::{
    templates::{
        Authentication, Button, Category, Header, ListedTemplate, Template, TemplateContent, TemplateFilter,
        TemplateStatus,
    },
    testing::{a_number, a_template, a_workspace},
};
use serde_json::{Value, json};

use crate::{service::Ports, wire::answer};

fn listed(template: Template, numbers: &[u8]) -> ListedTemplate {
    ListedTemplate { template, numbers: numbers.iter().map(|index| a_number(0, *index).phone).collect() }
}

fn button(kind: &str, text: &str, url: Option<&str>) -> Button {
    Button { kind: kind.to_owned(), text: text.to_owned(), url: url.map(str::to_owned) }
}

async fn list(templates: Vec<ListedTemplate>) -> Value {
    let mut ports = Ports::new();
    ports.templates.expect_list().return_once(|_, _| Ok(templates));
    let service = ports.start();
    let answer = answer(service.call("GET", "/v1/templates")).await;
    assert_eq!(answer.status, 200);
    answer.body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_listed_with_everything_a_send_must_know() {
    let mut notice = a_template("order_ready");
    notice.content = TemplateContent {
        header: Some(Header { format: "DOCUMENT".to_owned(), text: None }),
        body: "مرحبا {{name}}، طلبك {{order}}".to_owned(),
        footer: Some("Palm Store".to_owned()),
        buttons: vec![
            button("QUICK_REPLY", "شكرا", None),
            button("URL", "تتبع", Some("https://example.com/{{1}}")),
            button("URL", "المتجر", Some("https://example.com/")),
        ],
        authentication: None,
    };
    let wanted = json!({ "data": [{
        "name": "order_ready",
        "language": "ar",
        "category": "UTILITY",
        "status": "approved",
        "body": "مرحبا {{1}}، طلبك {{2}}",
        "footer": "Palm Store",
        "header": { "format": "DOCUMENT", "text": null, "required": true },
        "variables": [{ "label": "name", "kind": "name" }, { "label": "order", "kind": "text" }],
        "buttons": [
            { "type": "QUICK_REPLY", "text": "شكرا", "variable": false },
            { "type": "URL", "text": "تتبع", "variable": true },
            { "type": "URL", "text": "المتجر", "variable": false }
        ],
        "authentication": null,
        "rejectionReason": null,
        "validityProblem": null,
        "account": "waba-0",
        "numbers": ["+9647700000000", "+9647700000001"]
    }] });
    assert_eq!(list(vec![listed(notice, &[0, 1])]).await, wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_one_time_code_template_says_how_long_its_code_is_valid() {
    let with = |minutes| {
        let mut template = a_template("login_code");
        template.category = "AUTHENTICATION".to_owned();
        template.content.body = "{{1}} هو رمزك".to_owned();
        template.content.buttons = vec![button("OTP", "نسخ", Some("https://example.com/{{1}}"))];
        template.content.authentication =
            Some(Authentication { add_security_recommendation: true, code_expiration_minutes: minutes });
        listed(template, &[])
    };
    let body = list(vec![with(Some(5)), with(None)]).await;
    for (template, minutes) in body["data"].as_array().unwrap().iter().zip([5, 10]) {
        let authentication = json!({ "addSecurityRecommendation": true, "codeExpirationMinutes": minutes });
        assert_eq!(template["authentication"], authentication);
        assert_eq!(template["header"], json!({ "format": "NONE", "text": null, "required": false }));
        assert_eq!(template["variables"], json!([]));
        assert_eq!(template["buttons"], json!([{ "type": "OTP", "text": "نسخ", "variable": false }]));
        assert_eq!(template["numbers"], json!([]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_header_is_required_only_where_it_has_a_variable() {
    let with = |format: &str, text: Option<&str>| {
        let mut template = a_template("t");
        template.content.header = Some(Header { format: format.to_owned(), text: text.map(str::to_owned) });
        template.status = TemplateStatus::Rejected;
        template.rejection_reason = Some("INVALID_FORMAT".to_owned());
        listed(template, &[])
    };
    let body =
        list(vec![with("TEXT", Some("طلب {{1}}")), with("TEXT", Some("طلب")), with("LOCATION", None)]).await;
    let wanted = [
        json!({ "format": "TEXT", "text": "طلب {{1}}", "required": true }),
        json!({ "format": "TEXT", "text": "طلب", "required": false }),
        json!({ "format": "LOCATION", "text": null, "required": true }),
    ];
    for (template, header) in body["data"].as_array().unwrap().iter().zip(wanted) {
        assert_eq!(template["header"], header);
        assert_eq!(template["status"], "rejected");
        assert_eq!(template["rejectionReason"], "INVALID_FORMAT");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_filter_reaches_the_store() {
    let mut ports = Ports::new();
    let wanted = TemplateFilter { status: Some(TemplateStatus::Paused), category: Some(Category::Marketing) };
    ports
        .templates
        .expect_list()
        .withf(move |workspace, filter| *workspace == a_workspace().id && *filter == wanted)
        .times(1)
        .returning(|_, _| Ok(Vec::new()));
    let service = ports.start();
    let path = "/v1/templates?status=paused&category=MARKETING";
    let answer = answer(service.call("GET", path)).await;
    assert_eq!((answer.status, answer.body), (200, json!({ "data": [] })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_of_another_name_is_refused() {
    let service = Ports::new().start();
    for (query, name) in [("x=1", "x"), ("status=paused&Status=no", "Status"), ("&&&=", "")] {
        let answer = answer(service.call("GET", &format!("/v1/templates?{query}"))).await;
        answer.assert_error(400, "Bad Request");
        assert!(answer.message().starts_with(&format!("unknown query parameter `{name}`")), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_value_is_refused_by_the_name_of_its_parameter() {
    let service = Ports::new().start();
    for (query, name) in [
        ("status=", "status"),
        ("status=APPROVED", "status"),
        ("status=approved%00", "status"),
        ("status=%FF%FE", "status"),
        ("status=approved&status=paused", "status"),
        ("category=utility", "category"),
        ("category=OTP&status=approved", "category"),
    ] {
        let answer = answer(service.call("GET", &format!("/v1/templates?{query}"))).await;
        answer.assert_error(400, "Bad Request");
        assert!(answer.message().contains(&format!("`{name}`")), "{query}: {answer:?}");
    }
}
