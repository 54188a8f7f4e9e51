//! Orders and bookings that are proposed by forms.

use super::drafts::Chat;
use crate::support::{Visitor, field};

#[tokio::test]
async fn an_order_is_proposed_by_a_form_once_and_taken_back_by_another() {
    let chat = Chat::new().await;
    let mut visitor = chat.counter.owner.visitor();
    let path = format!("/dashboard/inbox/{}", chat.conversation);
    let order = format!("{path}/order");

    let found = visitor.get(&format!("{order}?q=%D8%A8%D8%A7%D9%85%D8%A8%D8%B1%D8%B2")).await;
    assert_eq!(found.status, 200);
    assert!(found.html.contains(&format!("{order}?product=1001\"")), "{}", found.html);
    let form = visitor.get(&format!("{order}?product=1001")).await;
    assert!(form.html.contains("value=\"1001-3\""), "{}", form.html);
    let key = field(&form.html, "key").to_owned();
    let mut fields = vec![
        ("key", key.as_str()),
        ("product", "1001"),
        ("variant", "1001-3"),
        ("quantity", "0"),
        ("name", "سارة"),
        ("line1", "شارع 14، دار 7"),
        ("city", "الكرادة"),
        ("province", "بغداد"),
        ("language", "ar"),
    ];
    let refused = visitor.post(&order, &fields).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    for kept in [
        "value=\"شارع 14، دار 7\"",
        "max=\"999\" value=\"0\" required aria-describedby=\"why\" autofocus aria-invalid=\"true\"",
        "value=\"1001-3\" selected",
        "value=\"ar\" selected",
        // Which field is to be looked at.
        "<bdi>How many</bdi>",
    ] {
        assert!(refused.html.contains(kept), "{kept} is there still: {}", refused.html);
    }

    fields[3] = ("quantity", "2");
    for _ in 0..2 {
        let proposed = visitor.post(&order, &fields).await;
        assert_eq!((proposed.status, &proposed.location), (303, &path), "{proposed:?}");
    }
    let (summary, _) = chat.summary().await;
    assert!(summary.contains("29000") || summary.contains("29,000"), "{summary}");
    let listed = chat.counter.owner.get(&format!("/conversations/{}/drafts", chat.conversation)).await;
    assert_eq!(listed.body["rows"].as_array().map(Vec::len), Some(1), "{listed:?}");

    let page = visitor.get(&path).await;
    let draft = listed.text("/rows/0/id").to_owned();
    assert!(page.html.contains(&format!("name=\"withdraw\" value=\"{draft}\"")), "{}", page.html);
    let drafts = format!("{path}/drafts");
    let taken_back = visitor.post(&drafts, &[("withdraw", draft.as_str())]).await;
    assert_eq!((taken_back.status, &taken_back.location), (303, &path));
    let page = visitor.get(&path).await;
    assert!(page.html.contains("Taken back") && !page.html.contains(&draft), "{}", page.html);
    assert_eq!(visitor.post(&drafts, &[("withdraw", "nothing")]).await.status, 404);
}

#[tokio::test]
async fn a_booking_is_proposed_from_the_free_times_of_the_next_days() {
    let chat = Chat::new().await;
    let mut visitor = chat.counter.owner.visitor();
    let booking = format!("/dashboard/inbox/{}/booking", chat.conversation);
    let form = visitor.get(&booking).await;
    assert_eq!(form.status, 200, "{form:?}");
    let (key, slot) = (field(&form.html, "key").to_owned(), field(&form.html, "slot").to_owned());
    let wrong = [("key", "wrong"), ("slot", slot.as_str()), ("phone", "nobody"), ("language", "ar")];
    let refused = visitor.post(&booking, &wrong).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    for kept in [format!("value=\"{slot}\" checked"), "value=\"ar\" selected".to_owned()] {
        assert!(refused.html.contains(&kept), "{kept} is there still: {}", refused.html);
    }
    let fields = [("key", key.as_str()), ("slot", slot.as_str()), ("name", "سارة"), ("language", "en")];
    let proposed = visitor.post(&booking, &fields).await;
    assert_eq!(proposed.status, 303, "{proposed:?}");
    assert!(!chat.summary().await.0.is_empty());

    let gone = [("key", "another"), ("slot", "2020-01-01T00:00:00Z none"), ("name", "سارة")];
    let refused = visitor.post(&booking, &gone).await;
    assert_eq!(refused.status, 422, "{refused:?}");

    let mut neighbour = Visitor::new(chat.counter.world.service.base_url());
    neighbour.cookie = chat.counter.neighbour().await.cookie.unwrap();
    for path in [&booking, &booking.replace("booking", "order")] {
        assert_eq!(neighbour.get(path).await.status, 404, "{path}");
        let fields = [("key", "key-1"), ("slot", slot.as_str()), ("product", "1001"), ("name", "Ali")];
        assert_eq!(neighbour.post(path, &fields).await.status, 404, "{path}");
    }
}
