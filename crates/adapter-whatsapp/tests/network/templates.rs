//! The list of templates with all its traps, and their validity.

use domain::{
    channels::{Account, ports::NetworkError},
    templates::{
        Authentication, Button, Header, Template, TemplateContent, TemplateStatus, VariableLabels,
        ports::NetworkTemplates,
    },
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{network_at, scripted::Scripted, token};

fn account() -> Account {
    Account {
        id: Uuid::from_u128(1).into(),
        workspace: Uuid::from_u128(2).into(),
        network_id: "1022".to_owned(),
        token: token(),
    }
}

/// What is read of one page with these rows.
async fn read(rows: Value) -> Vec<Template> {
    let page = json!({ "data": rows, "paging": { "cursors": { "before": "A", "after": "A" } } });
    let server = Scripted::start(vec![Some((200, page.to_string()))]).await;
    network_at(server.url.clone()).templates(&account()).await.unwrap()
}

/// The content of a template of this category with these components.
async fn content(category: &str, components: Value) -> TemplateContent {
    let row = json!({ "id": "9", "name": "n", "language": "ar", "status": "APPROVED", "category": category,
                      "components": components });
    read(json!([row])).await.remove(0).content
}

fn button(kind: &str, text: &str, url: Option<&str>) -> Button {
    Button { kind: kind.to_owned(), text: text.to_owned(), url: url.map(str::to_owned) }
}

#[tokio::test]
async fn a_row_is_read_with_all_its_parts() {
    let row = json!({
        "id": "1387372356726668", "name": "order_ready", "parameter_format": "POSITIONAL", "language": "ar",
        "status": "APPROVED", "category": "UTILITY", "quality_score": { "score": "GREEN", "date": 1_758_754_645 },
        "rejected_reason": "NONE", "message_send_ttl_seconds": 3600,
        "components": [
            { "type": "HEADER", "format": "DOCUMENT", "example": { "header_handle": ["https://x.example"] } },
            { "type": "BODY", "text": "مرحبا {{1}}، طلبك {{2}} جاهز", "example": { "body_text": [["سارة", "A-1042"]] } },
            { "type": "FOOTER", "text": "Shop" },
            { "type": "BUTTONS", "buttons": [
                { "type": "QUICK_REPLY", "text": "Confirm" },
                { "type": "URL", "text": "Track", "url": "https://shop.example/t/{{1}}", "example": ["https://x"] },
                { "type": "PHONE_NUMBER", "text": "Call", "phone_number": "+9647700000000" },
            ] },
        ],
    });
    let wanted = Template {
        account: account().id,
        account_network_id: "1022".to_owned(),
        network_id: "1387372356726668".to_owned(),
        name: "order_ready".to_owned(),
        language: "ar".to_owned(),
        category: "UTILITY".to_owned(),
        status: TemplateStatus::Approved,
        rejection_reason: None,
        content: TemplateContent {
            header: Some(Header { format: "DOCUMENT".to_owned(), text: None }),
            body: "مرحبا {{1}}، طلبك {{2}} جاهز".to_owned(),
            footer: Some("Shop".to_owned()),
            buttons: vec![
                button("QUICK_REPLY", "Confirm", None),
                button("URL", "Track", Some("https://shop.example/t/{{1}}")),
                button("PHONE_NUMBER", "Call", None),
            ],
            authentication: None,
        },
        send_ttl_seconds: Some(3600),
        labels: VariableLabels::new(),
        validity_problem: None,
    };
    assert_eq!(read(json!([row])).await, [wanted]);
}

#[tokio::test]
async fn a_one_time_code_is_known_by_its_button_in_either_form() {
    let link =
        "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=10&code=otp{{1}}";
    let parts = |button: Value| {
        json!([
            { "type": "BODY", "text": "*{{1}}* is your code.", "add_security_recommendation": true },
            { "type": "FOOTER", "text": "This code expires in 10 minutes.", "code_expiration_minutes": 10 },
            { "type": "BUTTONS", "buttons": [button] },
        ])
    };
    for otp in [
        json!({ "type": "URL", "text": "Copy code", "url": link }),
        json!({ "type": "OTP", "text": "Copy code", "otp_type": "COPY_CODE" }),
        json!({ "type": "URL", "text": "Copy code", "url": "https://elsewhere.example/{{1}}" }),
    ] {
        let content = content("AUTHENTICATION", parts(otp)).await;
        assert_eq!(content.buttons, [button("OTP", "Copy code", None)]);
        assert_eq!(content.variable_buttons(), Vec::<usize>::new());
        assert_eq!(content.footer.as_deref(), Some("This code expires in 10 minutes."));
        let wanted = Authentication { add_security_recommendation: true, code_expiration_minutes: Some(10) };
        assert_eq!(content.authentication, Some(wanted));
    }
    let moved = content("UTILITY", parts(json!({ "type": "URL", "text": "Copy code", "url": link }))).await;
    assert_eq!(moved.buttons, [button("OTP", "Copy code", None)]);
    assert!(moved.authentication.is_some());
}

#[tokio::test]
async fn a_one_time_code_may_say_nothing_of_safety_and_expiry() {
    let silent = Authentication { add_security_recommendation: false, code_expiration_minutes: None };
    for components in [
        json!([{ "type": "BODY", "text": "{{1}}" }]),
        json!([{ "type": "BODY", "text": "{{1}}", "add_security_recommendation": false }, { "type": "FOOTER" }]),
        json!([{ "type": "FOOTER", "text": "x", "code_expiration_minutes": -5 }]),
        json!([]),
        Value::Null,
    ] {
        assert_eq!(content("AUTHENTICATION", components).await.authentication, Some(silent));
    }
}

#[tokio::test]
async fn variables_are_those_of_the_text_whatever_the_examples_say() {
    let labels = |content: &TemplateContent| -> Vec<String> {
        content.variables().into_iter().map(|variable| variable.label).collect()
    };
    let named = content(
        "UTILITY",
        json!([
            { "type": "HEADER", "format": "TEXT", "text": "Hi {{who}}" },
            { "type": "BODY", "text": "{{customer_name}}: {{order}}",
              "example": { "body_text_named_params": [{ "param_name": "n", "example": "x" }] } },
        ]),
    )
    .await;
    assert_eq!(labels(&named), ["customer_name", "order"]);
    assert_eq!(named.header_variable().as_deref(), Some("who"));

    let numbered = content(
        "UTILITY",
        json!([{ "type": "HEADER", "format": "TEXT", "text": "Order {{1}}" }, { "type": "BODY", "text": "{{1}} {{2}}" }]),
    )
    .await;
    assert_eq!(labels(&numbered), ["1", "2"]);
    assert_eq!(numbered.header_variable().as_deref(), Some("1"));
}

#[tokio::test]
async fn unknown_parts_keep_their_names_or_stay_out_of_the_way() {
    let content = content(
        "MARKETING",
        json!([
            { "type": "header", "format": "location" },
            { "type": "body", "text": "Sale\u{0}" },
            { "type": "CAROUSEL", "cards": [{ "components": [] }] },
            { "type": "LIMITED_TIME_OFFER", "limited_time_offer": { "text": "x" } },
            { "type": "SOMETHING_NEW" },
            7,
            { "type": "BUTTONS", "buttons": [
                { "type": "COPY_CODE", "text": "Copy offer code" },
                { "type": "FLOW", "text": "Open", "flow_id": "1" },
                { "type": "hologram", "text": "?" },
                {},
                { "type": "URL", "text": "Shop", "url": "https://shop.example/{{1}}" },
            ] },
        ]),
    )
    .await;
    assert_eq!(content.header, Some(Header { format: "LOCATION".to_owned(), text: None }));
    assert_eq!((content.body.as_str(), content.footer), ("Sale", None));
    let kinds: Vec<&str> = content.buttons.iter().map(|button| button.kind.as_str()).collect();
    assert_eq!(kinds, ["COPY_CODE", "FLOW", "HOLOGRAM", "", "URL"]);
    let positions: Vec<usize> =
        content.buttons.iter().enumerate().filter(|(_, b)| b.has_variable()).map(|(at, _)| at).collect();
    assert_eq!(positions, [4]);
}

#[tokio::test]
async fn languages_states_and_reasons_are_brought_into_one_form() {
    let row = |id: &str, language: &str, status: &str, reason: Value| {
        json!({ "id": id, "name": "promo", "language": language, "status": status, "category": "marketing",
                "rejected_reason": reason, "components": [] })
    };
    let templates = read(json!([
        row("1", "en-US", "REJECTED", json!("PROMOTIONAL")),
        row("2", "en_GB", "APPROVED", json!("NONE")),
        row("3", "ar", "IN_APPEAL", Value::Null),
        row("4", "fr", "PENDING_DELETION", Value::Null),
        row("5", "de", "DELETED", Value::Null),
        row("6", "tr", "PAUSED", json!("")),
    ]))
    .await;
    let said: Vec<_> = templates
        .iter()
        .map(|one| {
            (one.language.as_str(), one.status, one.rejection_reason.as_deref(), one.category.as_str())
        })
        .collect();
    assert_eq!(
        said,
        [
            ("en_US", TemplateStatus::Rejected, Some("PROMOTIONAL"), "MARKETING"),
            ("en_GB", TemplateStatus::Approved, None, "MARKETING"),
            ("ar", TemplateStatus::Pending, None, "MARKETING"),
            ("tr", TemplateStatus::Paused, None, "MARKETING"),
        ]
    );
}

#[tokio::test]
async fn all_pages_are_read_and_a_row_that_moved_counts_once() {
    let row = |id: &str| json!({ "id": id, "name": id, "language": "ar", "status": "APPROVED", "category": "UTILITY" });
    let page = |rows: Value, after: &str, more: bool| {
        let mut paging = json!({ "cursors": { "before": "A", "after": after } });
        if more {
            paging["next"] = json!("https://graph.example/?access_token=x");
        }
        Some((200, json!({ "data": rows, "paging": paging }).to_string()))
    };
    let server = Scripted::start(vec![
        page(json!([row("1"), row("2"), { "id": "odd" }, "odd"]), "B", true),
        page(json!([row("2"), row("3")]), "C", true),
        page(json!([]), "D", false),
    ])
    .await;
    let templates = network_at(server.url.clone()).templates(&account()).await.unwrap();
    let ids: Vec<_> = templates.iter().map(|template| template.network_id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    let lines: Vec<_> = server.asked().into_iter().map(|asked| asked.line).collect();
    assert!(lines[0].starts_with("GET /v25.0/1022/message_templates?fields=id%2Cname%2C"), "{}", lines[0]);
    assert!(lines[0].contains("message_send_ttl_seconds") && lines[0].contains("rejected_reason"));
    assert!(lines[1].contains("&after=B ") && lines[2].contains("&after=C "), "{lines:?}");
}

#[tokio::test]
async fn a_list_that_breaks_off_is_not_taken_for_a_short_one() {
    let first =
        json!({ "data": [], "paging": { "cursors": { "after": "B" }, "next": "https://graph.example/" } });
    for second in
        [None, Some((500, String::new())), Some((200, "{}".to_owned())), Some((200, "<html>".to_owned()))]
    {
        let server = Scripted::start(vec![Some((200, first.to_string())), second]).await;
        let read = network_at(server.url.clone()).templates(&account()).await;
        assert!(matches!(read, Err(NetworkError::Unavailable(_))), "{read:?}");
    }
}

#[tokio::test]
async fn a_validity_is_set_at_the_template_itself() {
    let refusal = json!({ "error": { "message": "Invalid parameter", "code": 100,
                          "error_user_msg": "TTL out of range" } });
    let refused = NetworkError::Refused { code: 100, message: "TTL out of range".to_owned() };
    for (status, answer, wanted) in [(200, json!({ "success": true }), Ok(())), (400, refusal, Err(refused))]
    {
        let server = Scripted::start(vec![Some((status, answer.to_string()))]).await;
        assert_eq!(network_at(server.url.clone()).set_validity(&token(), "8386", 300).await, wanted);
        let asked = &server.asked()[0];
        assert_eq!(asked.line, "POST /v25.0/8386 HTTP/1.1");
        assert_eq!(asked.json(), json!({ "message_send_ttl_seconds": 300 }));
    }
}
