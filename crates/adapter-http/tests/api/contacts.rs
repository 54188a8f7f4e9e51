//! `GET` and `POST /v1/contacts`, `GET` and `PATCH /v1/contacts/{id}`.

use domain::{
    access::{Caller, Scope},
    channels::ChannelKind,
    contacts::{Contact, ContactProfile, ports::FoundContacts},
    paging::{PageLimit, PageRequest, Position},
    testing::{a_caller, a_contact, a_recipient, a_workspace},
};
use serde_json::{Value, json};
use time::{Duration, macros::datetime};
use uuid::Uuid;

use crate::{service::Ports, wire::answer};

/// A well-formed id.
const ID: &str = "0192f0c1-7a00-7000-8000-00000000000a";

/// Makes ports whose workspace says where numbers without a country code belong.
fn in_its_region() -> Ports {
    let mut ports = Ports::new();
    ports.workspaces.expect_find().returning(|_| Ok(Some(a_workspace())));
    ports
}

fn profile(number: u8) -> ContactProfile {
    ContactProfile {
        contact: Contact {
            id: Uuid::from_u128(number.into()).into(),
            created_at: datetime!(2026-11-21 10:00 UTC) - Duration::minutes(number.into()),
            ..a_contact()
        },
        avatar_url: Some("https://cdn.example/a.jpg".to_owned()),
        channels: vec![ChannelKind::Instagram, ChannelKind::Whatsapp],
        tags: vec!["late".to_owned(), "vip".to_owned()],
        conversations: 2,
        last_active_at: Some(datetime!(2026-11-21 13:00:00.25 +03:00)),
    }
}

fn shown(number: u8) -> Value {
    json!({
        "id": Uuid::from_u128(number.into()),
        "name": "سارة",
        "phone": "+9647701234567",
        "avatarUrl": "https://cdn.example/a.jpg",
        "channels": ["instagram", "whatsapp"],
        "tags": ["late", "vip"],
        "conversations": 2,
        "source": "messaged",
        "lastActiveAt": "2026-11-21T10:00:00.250Z",
        "createdAt": format!("2026-11-21T09:{:02}:00.000Z", 60 - number),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contact_is_shown_with_all_that_is_known_of_them() {
    let mut ports = in_its_region();
    ports.contacts.expect_find().returning(|_, _| Ok(Some(profile(1))));
    let service = ports.start();
    let one = answer(service.call("GET", &format!("/v1/contacts/{ID}"))).await;
    assert_eq!((one.status, one.body), (200, shown(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_known_is_null_or_empty() {
    let mut ports = in_its_region();
    let unknown = Contact { name: None, phone: None, ..a_contact() };
    ports.contacts.expect_find().return_once(|_, _| Ok(Some(ContactProfile::without_conversations(unknown))));
    let service = ports.start();
    let one = answer(service.call("GET", &format!("/v1/contacts/{ID}"))).await;
    for field in ["name", "phone", "avatarUrl", "lastActiveAt"] {
        assert_eq!(one.body.get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!((&one.body["channels"], &one.body["tags"]), (&json!([]), &json!([])));
    assert_eq!(one.body["conversations"], json!(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_has_its_total_and_leads_to_its_next_page() {
    let mut ports = in_its_region();
    let first = PageRequest { limit: PageLimit::new(2).unwrap(), after: None };
    let place = Position { at: profile(2).contact.created_at, id: Uuid::from_u128(2) };
    ports
        .contacts
        .expect_list()
        .withf(move |workspace, _, page| *workspace == a_workspace().id && *page == first)
        .returning(|_, _, _| Ok(FoundContacts { rows: vec![profile(1), profile(2), profile(3)], total: 3 }));
    ports
        .contacts
        .expect_list()
        .withf(move |_, _, page| page.after == Some(place))
        .returning(|_, _, _| Ok(FoundContacts { rows: vec![profile(3)], total: 3 }));
    let service = ports.start();
    let path = "/v1/contacts?limit=2";
    let page = answer(service.call("GET", path)).await;
    assert_eq!(page.body["rows"], json!([shown(1), shown(2)]));
    let empty = answer(service.call("GET", &format!("{path}&cursor="))).await;
    assert_eq!(empty.body, page.body, "an empty cursor is the first page");
    assert_eq!(page.body["total"], json!(3));
    let cursor = page.body["nextCursor"].as_str().unwrap();
    let last = answer(service.call("GET", &format!("/v1/contacts?cursor={cursor}"))).await;
    assert_eq!(last.body, json!({ "rows": [shown(3)], "nextCursor": null, "total": 3 }));
    for other in ["search=a", "phone=07701234567"] {
        let refused = answer(service.call("GET", &format!("/v1/contacts?cursor={cursor}&{other}"))).await;
        refused.assert_error(400, "Bad Request");
        assert!(refused.message().contains("`cursor`"), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_filter_reaches_the_store_as_it_is_meant() {
    let mut ports = in_its_region();
    ports
        .contacts
        .expect_list()
        .withf(|_, filter, _| {
            let searched = filter.search.as_ref().map(|search| search.parts().to_vec());
            filter.phone == Some(a_recipient()) && searched == Some(vec!["ساره".to_owned()])
        })
        .times(1)
        .returning(|_, _, _| Ok(FoundContacts::default()));
    let service = ports.start();
    let path = "/v1/contacts?phone=%D9%A0%D9%A7%D9%A7%D9%A0+123+4567&search=%20%D8%B3%D8%A7%D8%B1%D8%A9";
    let found = answer(service.call("GET", path)).await;
    assert_eq!((found.status, found.body), (200, json!({ "rows": [], "nextCursor": null, "total": 0 })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_parameter_is_refused_by_its_name_before_a_contact_is_looked_for() {
    let service = in_its_region().start();
    let long = format!("search={}", "a".repeat(201));
    for (query, name) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=-1", "limit"),
        ("limit=1.5", "limit"),
        ("limit=", "limit"),
        ("limit=%2B5", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("limit=1&limit=1", "limit"),
        ("cursor=abc", "cursor"),
        ("cursor=%00", "cursor"),
        ("phone=", "phone"),
        ("phone=abc", "phone"),
        ("phone=0770%00", "phone"),
        ("phone=123", "phone"),
        ("phone=%2B1", "phone"),
        ("phone=07701234567&phone=07701234567", "phone"),
        ("search=a%00", "search"),
        ("search=a&search=b", "search"),
        (&long, "search"),
    ] {
        let answer = answer(service.call("GET", &format!("/v1/contacts?{query}"))).await;
        answer.assert_error(400, "Bad Request");
        assert!(answer.message().contains(&format!("`{name}`")), "{query}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_body_is_refused_by_the_name_of_its_field_before_a_contact_is_looked_for() {
    let service = in_its_region().start();
    let (long, longest) = ("ع".repeat(201), "x".repeat(2_000));
    let rename = format!("/v1/contacts/{ID}");
    for (method, path, body, name) in [
        ("POST", "/v1/contacts", json!({}), "phone"),
        ("POST", "/v1/contacts", json!({ "phone": null }), "phone"),
        ("POST", "/v1/contacts", json!({ "phone": 9_647_701_234_567_u64 }), "phone"),
        ("POST", "/v1/contacts", json!({ "phone": "" }), "phone"),
        ("POST", "/v1/contacts", json!({ "phone": "nobody" }), "phone"),
        ("POST", "/v1/contacts", json!({ "phone": "+1234" }), "phone"),
        ("POST", "/v1/contacts", json!({ "phone": "0770123456" }), "phone"),
        ("POST", "/v1/contacts", json!({ "phone": "0770\u{0}1234567" }), "phone"),
        ("POST", "/v1/contacts", json!({ "phone": longest }), "phone"),
        ("POST", "/v1/contacts", json!({ "phone": "07701234567", "name": "" }), "name"),
        ("POST", "/v1/contacts", json!({ "phone": "07701234567", "name": " \u{a0}" }), "name"),
        ("POST", "/v1/contacts", json!({ "phone": "07701234567", "name": long }), "name"),
        ("POST", "/v1/contacts", json!({ "phone": "07701234567", "name": 7 }), "name"),
        ("POST", "/v1/contacts", json!({ "phone": "07701234567", "name": "a\u{0}" }), "name"),
        ("POST", "/v1/contacts", json!({ "phone": "07701234567", "source": "import" }), "source"),
        ("PATCH", &rename, json!({}), "name"),
        ("PATCH", &rename, json!({ "name": null }), "name"),
        ("PATCH", &rename, json!({ "name": "" }), "name"),
        ("PATCH", &rename, json!({ "name": "\t" }), "name"),
        ("PATCH", &rename, json!({ "name": long }), "name"),
        ("PATCH", &rename, json!({ "name": ["a"] }), "name"),
        ("PATCH", &rename, json!({ "name": "a", "phone": "07701234567" }), "phone"),
        ("PATCH", "/v1/contacts/nobody", json!({ "name": "" }), "name"),
    ] {
        let answer = answer(service.call(method, path).json(&body)).await;
        answer.assert_error(400, "Bad Request");
        assert!(answer.message().contains(&format!("`{name}`")), "{body}: {answer:?}");
        assert!(answer.message().len() < 600);
    }
    for method in ["POST", "PATCH"] {
        let path = if method == "POST" { "/v1/contacts" } else { &rename };
        answer(service.call(method, path).body("[]")).await.assert_error(400, "Bad Request");
        let huge = answer(service.call(method, path).body(vec![b' '; 2 * 1024 * 1024])).await;
        huge.assert_error(413, "Payload Too Large");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_names_nobody_is_a_404_whatever_its_form() {
    let mut ports = in_its_region();
    ports.contacts.expect_find().returning(|_, _| Ok(None));
    let service = ports.start();
    for id in [ID, "nobody", "0", "%00", "+9647701234567", "0192f0c1"] {
        let path = format!("/v1/contacts/{id}");
        answer(service.call("GET", &path)).await.assert_error(404, "Not Found");
        let rename = service.call("PATCH", &path).json(&json!({ "name": "سارة" }));
        answer(rename).await.assert_error(404, "Not Found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_contact_is_answered_with_200_and_null_is_no_name() {
    let mut ports = in_its_region();
    ports.contacts.expect_find_by_phone().returning(|_, _| Ok(None));
    ports.contacts.expect_add().returning(|_, _, _| Ok(true));
    let service = ports.start();
    let body = json!({ "phone": "0770 123 4567", "name": null });
    let added = answer(service.call("POST", "/v1/contacts").json(&body)).await;
    let wanted = json!({
        "id": added.body["id"], "name": null, "phone": "+9647701234567", "avatarUrl": null, "channels": [],
        "tags": [], "conversations": 0, "source": "import", "lastActiveAt": null,
        "createdAt": "2026-11-21T10:00:45.000Z",
    });
    assert_eq!((added.status, &added.body), (200, &wanted));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_contact_is_answered_under_the_new_name() {
    let mut ports = in_its_region();
    ports.contacts.expect_find().returning(|_, _| Ok(Some(profile(1))));
    ports
        .contacts
        .expect_name()
        .withf(|workspace, naming| *workspace == a_workspace().id && naming.name.as_str() == "Sara")
        .returning(|_, _| Ok(true));
    let service = ports.start();
    let body = json!({ "name": " Sara " });
    let renamed = answer(service.call("PATCH", &format!("/v1/contacts/{ID}")).json(&body)).await;
    let mut wanted = shown(1);
    wanted["name"] = json!("Sara");
    assert_eq!((renamed.status, renamed.body), (200, wanted));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_route_wants_its_scope_before_it_reads_anything() {
    let one = format!("/v1/contacts/{ID}");
    for (method, path, scope) in [
        ("GET", "/v1/contacts?limit=0", Scope::ContactsRead),
        ("GET", &one, Scope::ContactsRead),
        ("POST", "/v1/contacts", Scope::ContactsWrite),
        ("PATCH", &one, Scope::ContactsWrite),
    ] {
        let scopes = Scope::ALL.into_iter().filter(|other| *other != scope).collect();
        let service = Ports::with_key(Caller { scopes, ..a_caller() }, 1).start();
        let refused = answer(service.call(method, path).body("{")).await;
        refused.assert_error(403, "Forbidden");
        assert!(refused.message().contains(scope.as_str()), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_methods_are_refused_with_what_is_allowed() {
    let service = in_its_region().start();
    for (path, allowed) in [("/v1/contacts", "GET, HEAD, POST"), ("/v1/contacts/x", "GET, HEAD, PATCH")] {
        let refused = answer(service.call("DELETE", path)).await;
        refused.assert_error(405, "Method Not Allowed");
        assert_eq!(refused.header("allow"), Some(allowed));
    }
}
