//! Sends: what is accepted and what is refused, with which code.

use data_encoding::BASE64;
use network_simulator::Window;
use serde_json::{Value, json};

use crate::support::{Answer, NUMBER, NUMBER_DIGITS, PERSON, TOKEN, World, config, plain};

fn template(name: &str, components: Value) -> Value {
    let mut message = json!({
        "messaging_product": "whatsapp", "to": PERSON, "type": "template",
        "template": { "name": name, "language": { "code": "ar" } },
    });
    message["template"]["components"] = components;
    message
}

fn body(values: &[&str]) -> Value {
    let parameters: Vec<Value> =
        values.iter().map(|value| json!({ "type": "text", "text": value })).collect();
    json!({ "type": "body", "parameters": parameters })
}

fn url_button(index: Value, value: &str) -> Value {
    let mut button =
        json!({ "type": "button", "sub_type": "url", "parameters": [{ "type": "text", "text": value }] });
    button["index"] = index;
    button
}

fn header(parameter: Value) -> Value {
    json!({ "type": "header", "parameters": vec![parameter] })
}

/// Sends each message and compares status, code and a part of the details.
async fn refused(cases: Vec<(&str, Value, u16, i64, &str)>) {
    let world = World::start().await;
    for (what, message, status, error, details) in cases {
        let answer = world.send(&message).await;
        assert_eq!((answer.status, answer.code()), (status, error), "{what}: {}", answer.body);
        let said = answer.body["error"]["error_data"]["details"].as_str().unwrap_or_default();
        assert!(said.contains(details), "{what}: {said}");
    }
    assert!(world.simulator.messages().is_empty());
}

/// `message` with one field changed; `null` takes it away.
fn but(mut message: Value, field: &str, value: Value) -> Value {
    if value.is_null() {
        message.as_object_mut().unwrap().remove(field);
    } else {
        message[field] = value;
    }
    message
}

#[tokio::test(flavor = "multi_thread")]
async fn an_accepted_send_answers_as_the_network_does() {
    let world = World::start().await;
    let answer = world.send(&plain("tag")).await;
    assert_eq!(answer.status, 200);
    let id = answer.body["messages"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        answer.body,
        json!({
            "messaging_product": "whatsapp",
            "contacts": [{ "input": format!("+{PERSON}"), "wa_id": PERSON }],
            "messages": [{ "id": id, "message_status": "accepted" }],
        })
    );
    let bytes = BASE64.decode(id.strip_prefix("wamid.").unwrap().as_bytes()).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains(PERSON), "the id holds the number");
    let again = world.send(&plain("tag")).await;
    assert_ne!(again.body["messages"][0]["id"], id, "there is no idempotency");
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_that_fill_their_template_are_accepted() {
    let world = World::start().await;
    let named = json!({ "type": "BODY", "parameters": [
        { "type": "text", "parameter_name": "order", "text": "A-1" },
        { "type": "text", "parameter_name": "name", "text": "سارة" }] });
    let link = json!({ "link": "https://f.example/a" });
    for message in [
        template("plain", Value::Null),
        template("two", json!([body(&["سارة", "A-1"])])),
        template("named", json!([named])),
        template("titled", json!([header(json!({ "type": "text", "text": "A-1" }))])),
        template("picture", json!([header(json!({ "type": "image", "image": link }))])),
        template("picture", json!([header(json!({ "type": "image", "image": { "id": "1" } }))])),
        template(
            "file",
            json!([header(json!({ "type": "document",
                "document": { "link": "https://f.example/a", "filename": "a.pdf" } }))]),
        ),
        template(
            "place",
            json!([header(
                json!({ "type": "location", "location": { "latitude": 33.3, "longitude": 44.4 } })
            )]),
        ),
        template("buttons", json!([url_button(json!("1"), "A-1")])),
        template(
            "buttons",
            json!([url_button(json!(1), "A-1"), { "type": "button", "sub_type": "QUICK_REPLY", "index": 0,
                "parameters": [{ "type": "payload", "payload": "yes" }] }]),
        ),
        template(
            "coupon",
            json!([{ "type": "button", "sub_type": "copy_code", "index": "0",
                "parameters": [{ "type": "coupon_code", "coupon_code": "25OFF" }] }]),
        ),
        template("code", json!([body(&["483920"]), url_button(json!("0"), "483920")])),
        but(but(plain("x"), "to", Value::Null), "recipient", json!("IQ.1349")),
        but(plain("x"), "to", json!("+964 770-123 4567")),
    ] {
        let answer = world.send(&message).await;
        assert_eq!(answer.status, 200, "{message} {}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_fit_its_template_is_refused() {
    let named = |parameters: Value| template("named", json!([{ "type": "body", "parameters": parameters }]));
    let two = |first: &str| template("two", json!([body(&[first, "b"])]));
    let code = |code: &str| template("code", json!([body(&[code]), url_button(json!(0), "1")]));
    let unknown = json!([{ "type": "text", "parameter_name": "name", "text": "a" },
        { "type": "text", "parameter_name": "other", "text": "b" }]);
    let image =
        json!([{ "type": "body", "parameters": [{ "type": "image" }, { "type": "text", "text": "b" }] }]);
    let too_few = "body: number of localizable_params (1) does not match the expected number of params (2)";
    refused(vec![
        ("too few values", template("two", json!([body(&["a"])])), 400, 132_000, too_few),
        ("too many", template("plain", json!([body(&["a"])])), 400, 132_000, "(1) does not match"),
        ("none", template("two", Value::Null), 400, 132_000, "localizable_params (0)"),
        ("no code", template("code", json!([url_button(json!(0), "1")])), 400, 132_000, "params (0)"),
        ("an unknown name", named(unknown), 400, 132_000, "localizable_params (1)"),
        ("no name", named(json!([{ "type": "text", "text": "a" }])), 400, 100, "Parameter name is missing"),
        ("an empty value", two(""), 400, 131_008, "missing text value"),
        ("a line break", two("a\nb"), 400, 132_018, "new-line"),
        ("a tab", two("a\tb"), 400, 132_018, "tab"),
        ("five spaces", two("a     b"), 400, 132_018, "4 consecutive spaces"),
        ("too long", two(&"x".repeat(1024)), 400, 132_005, "1024"),
        ("a code of 16", code("1234567890123456"), 400, 132_018, "15 characters"),
        ("an image", template("two", image), 400, 132_012, "expected TEXT, received IMAGE"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_that_does_not_fit_its_template_is_refused() {
    let text = || json!([header(json!({ "type": "text", "text": "a" }))]);
    let image = |image: Value| {
        let mut parameter = json!({ "type": "image" });
        parameter["image"] = image;
        template("picture", json!([header(parameter)]))
    };
    let both = json!({ "id": "1", "link": "https://f.example/a" });
    let no_image = "header: Format mismatch, expected IMAGE, received UNKNOWN";
    refused(vec![
        ("one too many", template("plain", text()), 400, 132_000, "header: number of localizable_params (1)"),
        (
            "no value",
            template("titled", Value::Null),
            400,
            132_000,
            "header: number of localizable_params (0)",
        ),
        ("no media", template("picture", Value::Null), 400, 132_012, no_image),
        ("a text", template("picture", text()), 400, 132_012, "expected IMAGE, received TEXT"),
        ("no place", template("place", Value::Null), 400, 132_012, "expected LOCATION"),
        ("no link", image(json!({})), 400, 131_009, "Exactly one of id and link"),
        ("id and link", image(both), 400, 131_009, "Exactly one"),
        ("a link that is none", image(json!({ "link": "a.jpg" })), 400, 100, ""),
        ("a file name", image(json!({ "id": "1", "filename": "a.jpg" })), 400, 100, ""),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn buttons_that_do_not_fit_their_template_are_refused() {
    let buttons = |filled: Value| template("buttons", filled);
    let needed = "buttons: Button at index 1 of type Url requires a parameter";
    let needed_for_code = "buttons: Button at index 0 of type Url requires a parameter";
    let fixed = json!([url_button(json!(1), "a"), url_button(json!(2), "b")]);
    refused(vec![
        ("no URL parameter", buttons(Value::Null), 400, 131_008, needed),
        ("no code", template("code", json!([body(&["1"])])), 400, 131_008, needed_for_code),
        ("no coupon", template("coupon", Value::Null), 400, 131_008, "index 0"),
        ("a fixed URL", buttons(fixed), 400, 132_000, "buttons"),
        ("no such button", template("plain", json!([url_button(json!(0), "a")])), 400, 131_009, "index 0"),
        ("other kind", buttons(json!([url_button(json!(0), "a")])), 400, 132_012, "expected QUICK_REPLY"),
        ("no index", buttons(json!([url_button(Value::Null, "a")])), 400, 131_008, "'index'"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_cannot_be_sent_is_refused() {
    let plain_with = |template: Value| but(plain("x"), "template", template);
    let code = template("code", json!([body(&["1"]), url_button(json!(0), "1")]));
    let code = but(but(code, "to", Value::Null), "recipient", json!("IQ.1"));
    let english = json!({ "name": "plain", "language": { "code": "en" } });
    refused(vec![
        (
            "unknown",
            template("absent", Value::Null),
            404,
            132_001,
            "template name (absent) does not exist in ar",
        ),
        ("other language", plain_with(english), 404, 132_001, "does not exist in en"),
        ("pending", template("pending", Value::Null), 404, 132_001, "template name (pending)"),
        ("paused", template("paused", Value::Null), 400, 132_015, ""),
        ("disabled", template("disabled", Value::Null), 400, 132_016, ""),
        ("no name", plain_with(json!({ "language": { "code": "ar" } })), 400, 131_008, "'name'"),
        ("no language", plain_with(json!({ "name": "plain" })), 400, 131_008, "'language'"),
        ("an unknown part", template("plain", json!([{ "type": "footer" }])), 400, 100, ""),
        ("a code to a user id", code, 400, 131_062, ""),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_an_envelope_has_its_code() {
    let world = World::start().await;
    let text =
        json!({ "messaging_product": "whatsapp", "to": PERSON, "type": "text", "text": { "body": "Hello" } });
    let media = |kind: &str, media: Value| but(but(text.clone(), "type", json!(kind)), kind, media);
    let buttons = |count: usize| {
        json!({ "type": "button", "body": { "text": "?" }, "action": { "buttons":
        vec![json!({ "type": "reply", "reply": { "id": "1", "title": "Yes" } }); count] } })
    };
    for (what, message, error) in [
        ("no product", but(plain("x"), "messaging_product", Value::Null), 100),
        ("no recipient", but(plain("x"), "to", Value::Null), 100),
        ("a recipient without digits", but(plain("x"), "to", json!("Sara")), 131_009),
        ("unknown recipient type", but(plain("x"), "recipient_type", json!("crowd")), 100),
        ("a tag of 513", plain(&"x".repeat(513)), 100),
        ("a tag that is no text", but(plain("x"), "biz_opaque_callback_data", json!(1)), 100),
        ("the sender", but(plain("x"), "to", json!(format!("+{NUMBER_DIGITS}"))), 131_021),
        ("unknown type", but(plain("x"), "type", json!("poll")), 131_051),
        ("no content", but(plain("x"), "template", Value::Null), 131_008),
        ("no text", but(text.clone(), "text", json!({})), 131_008),
        ("a text of 4097", but(text.clone(), "text", json!({ "body": "x".repeat(4097) })), 100),
        ("an audio with a caption", media("audio", json!({ "id": "1", "caption": "a" })), 100),
        ("a picture of nothing", media("image", json!({})), 131_009),
        ("a place nowhere", media("location", json!({})), 131_008),
        ("nobody's card", media("contacts", json!([])), 131_008),
        ("a reaction to nothing", media("reaction", json!({ "emoji": "👍" })), 131_008),
        ("four buttons", media("interactive", buttons(4)), 131_009),
        ("an empty context", but(text.clone(), "context", json!({})), 100),
        ("read, but what", json!({ "messaging_product": "whatsapp", "status": "read" }), 100),
        (
            "unread",
            json!({ "messaging_product": "whatsapp", "status": "unread", "message_id": "wamid.1" }),
            100,
        ),
    ] {
        let answer = world.send(&message).await;
        assert_eq!((answer.status, answer.code()), (400, error), "{what}: {}", answer.body);
    }
    let broken = world.client.post(world.simulator.url().join(&format!("v25.0/{NUMBER}/messages")).unwrap());
    let broken = broken.bearer_auth(TOKEN).body("{").send().await.unwrap();
    assert_eq!(broken.status(), 400);
    assert_eq!(world.send(&plain(&"x".repeat(512))).await.status, 200, "a tag of 512 is fine");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_may_be_a_form_whose_fields_hold_json() {
    let world = World::start().await;
    let url = world.simulator.url().join(&format!("v25.0/{NUMBER}/messages")).unwrap();
    let form = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("messaging_product", "whatsapp"), ("to", PERSON), ("type", "template")])
        .append_pair("template", r#"{"name":"plain","language":{"code":"ar"}}"#)
        .finish();
    for body in [form, plain("bare").to_string()] {
        let request = world.client.post(url.clone()).bearer_auth(TOKEN);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        assert_eq!(request.body(body).send().await.unwrap().status(), 200);
    }
    assert_eq!(world.simulator.messages()[0]["body"]["to"], PERSON);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_connected_number_sends() {
    let world = World::start().await;
    let banned = json!({ "phoneNumberId": NUMBER, "status": "BANNED" });
    assert_eq!(world.put("control/numbers", &banned).await.status, 200);
    assert_eq!(world.send(&plain("x")).await.code(), 133_010);
    let pin = json!({ "messaging_product": "whatsapp", "pin": "123456" });
    assert_eq!(world.post(&format!("v25.0/{NUMBER}/register"), &pin).await.body, json!({ "success": true }));
    assert_eq!(world.send(&plain("x")).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_a_message_is_confirmed_and_sends_nothing() {
    let world = World::start().await;
    let read = json!({ "messaging_product": "whatsapp", "status": "read", "message_id": "wamid.1",
        "typing_indicator": { "type": "text" } });
    assert_eq!(world.send(&read).await.body, json!({ "success": true }));
    assert!(world.simulator.messages().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_free_form_message_needs_an_open_window() {
    let text =
        json!({ "messaging_product": "whatsapp", "to": PERSON, "type": "text", "text": { "body": "Hello" } });
    let mut strict = config();
    strict.window = Window::Refused;
    let world = World::with(strict).await;
    assert_eq!(world.send(&text).await.code(), 131_047);
    let wrote = json!({ "phoneNumberId": NUMBER, "from": PERSON, "name": "Sara",
        "message": { "type": "text", "text": { "body": "Hi" } } });
    assert_eq!(world.post("control/inbound", &wrote).await.status, 200);
    let answer = world.send(&text).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body["messages"][0].get("message_status").is_none(), "only templates have one");

    let world = World::start().await;
    assert_eq!(world.send(&text).await.status, 200);
    let failed = world.callback.next_statuses().await;
    assert_eq!(failed[0]["status"], "failed");
    assert_eq!(failed[0]["errors"][0]["code"], 131_047);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_uploaded_and_named_by_its_id_from_its_own_number() {
    let world = World::start().await;
    let upload = async |file: &str, boundary: &str| {
        let form = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"messaging_product\"\r\n\r\nwhatsapp\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\
             Content-Type: text/plain\r\n\r\n{file}\r\n--{boundary}--\r\n"
        );
        let url = world.simulator.url().join(&format!("v25.0/{NUMBER}/media")).unwrap();
        let request = world.client.post(url).bearer_auth(TOKEN).body(form);
        let kind = format!("multipart/form-data; boundary={boundary}");
        Answer::of(request.header("content-type", kind).send().await.unwrap()).await
    };
    let empty = upload("", "x").await;
    assert_eq!((empty.status, empty.code()), (400, 131_053), "{}", empty.body);
    let taken = upload("Hello\r\n--y", "x").await;
    assert_eq!(taken.status, 200, "{}", taken.body);
    let id = taken.body["id"].as_str().unwrap();
    assert_eq!(world.simulator.file(id).unwrap(), ("text/plain".to_owned(), b"Hello\r\n--y".to_vec()));

    let naming = |id: &str| json!({ "messaging_product": "whatsapp", "to": PERSON, "type": "document", "document": { "id": id } });
    let sent = world.send(&naming(id)).await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    let refused = world.send(&naming("1")).await;
    assert_eq!((refused.status, refused.code()), (400, 131_053));
}
