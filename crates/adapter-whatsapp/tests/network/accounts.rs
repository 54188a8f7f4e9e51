//! Numbers and subscriptions.

use domain::channels::ports::{NetworkAccounts, NetworkError};
use serde_json::json;

use super::{network_at, scripted::Scripted, token};

#[tokio::test]
async fn all_pages_of_the_numbers_are_read_and_odd_rows_left_out() {
    let first = json!({
        "data": [
            { "id": "1", "display_phone_number": "+964 770 000 0001", "status": "CONNECTED" },
            { "id": "2", "display_phone_number": "unknown", "status": "CONNECTED" },
        ],
        "paging": { "cursors": { "before": "A", "after": "B" }, "next": "https://graph.example/?after=B" },
    });
    let last = json!({
        "data": [{ "id": "3", "display_phone_number": "+964 770 000 0003", "status": "FLAGGED" }, null],
        "paging": { "cursors": { "before": "C", "after": "D" } },
    });
    let server = Scripted::start(vec![Some((200, first.to_string())), Some((200, last.to_string()))]).await;
    let numbers = network_at(server.url.clone()).numbers("1022", &token()).await.unwrap();
    let read: Vec<_> =
        numbers.iter().map(|one| (one.network_id.as_str(), one.phone.as_str(), one.can_send)).collect();
    assert_eq!(read, [("1", "+9647700000001", true), ("3", "+9647700000003", false)]);
    let lines: Vec<_> = server.asked().into_iter().map(|asked| asked.line).collect();
    let fields = "id%2Cdisplay_phone_number%2Cstatus%2Cverified_name%2Cname_status%2Cquality_rating\
        %2Cmessaging_limit_tier%2Cwhatsapp_business_manager_messaging_limit";
    let path = format!("GET /v25.0/1022/phone_numbers?fields={fields}&limit=100");
    assert_eq!(lines, [format!("{path} HTTP/1.1"), format!("{path}&after=B HTTP/1.1")]);
}

#[tokio::test]
async fn a_failing_page_fails_the_whole_reading() {
    let first =
        json!({ "data": [], "paging": { "cursors": { "after": "B" }, "next": "https://graph.example/" } });
    let server = Scripted::start(vec![Some((200, first.to_string())), Some((500, String::new()))]).await;
    let read = network_at(server.url.clone()).numbers("1022", &token()).await;
    assert!(matches!(read, Err(NetworkError::Unavailable(_))), "{read:?}");
}

#[tokio::test]
async fn a_subscription_counts_once_the_network_confirms_it() {
    let refusal = json!({ "error": { "message": "(#190) expired", "code": 190, "error_subcode": 463 } });
    let refused = NetworkError::Refused { code: 190, message: "(#190) expired".to_owned() };
    let unsure = NetworkError::Unavailable("the answer does not confirm the change".to_owned());
    for (status, answer, wanted) in [
        (200, json!({ "success": true }), Ok(())),
        (200, json!({ "success": false }), Err(unsure.clone())),
        (200, json!({}), Err(unsure)),
        (401, refusal, Err(refused)),
    ] {
        let server = Scripted::start(vec![Some((status, answer.to_string()))]).await;
        assert_eq!(network_at(server.url.clone()).subscribe("1022", &token()).await, wanted);
        assert_eq!(server.asked()[0].line, "POST /v25.0/1022/subscribed_apps HTTP/1.1");
    }
}
