//! Calls against a network on loopback: what each kind of trouble comes to, and how often it is tried.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test support")]

mod server;

use std::time::Duration;

use graph_client::{Class, Config, ConfigError, GraphClient, GraphError};
use secrecy::SecretString;
use serde_json::{Value, json};
use server::{Network, Step, answer, config, refusal};

fn token() -> SecretString {
    SecretString::from("EAAtoken")
}

async fn post(network: &Network) -> Result<Value, GraphError> {
    network.client.post_json("1234/messages", &json!({ "to": "9647701234567" }), &token()).await
}

fn ok() -> Step {
    answer(200, "", r#"{"id":"wamid.1"}"#)
}

#[tokio::test]
async fn a_post_carries_bearer_version_and_json() {
    let network = Network::with([ok()]).await;
    assert_eq!(post(&network).await.unwrap(), json!({ "id": "wamid.1" }));
    let request = &network.requests()[0];
    assert!(request.starts_with("POST /v25.0/1234/messages HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("authorization: Bearer EAAtoken\r\n"), "{request}");
    assert!(request.contains("content-type: application/json\r\n"), "{request}");
    // Another crate may have switched it on for all.
    assert!(!request.to_lowercase().contains("accept-encoding"), "{request}");
    assert!(request.ends_with(r#"{"to":"9647701234567"}"#), "{request}");
}

#[tokio::test]
async fn with_an_app_secret_every_call_carries_its_proof() {
    let network = Network::configured([ok(), ok()], |config| Config {
        app_secret: Some(SecretString::from("Jefe")),
        ..config
    })
    .await;
    post(&network).await.unwrap();
    let _: Value = network.client.get("1234", &[("fields", "id,name")], &token()).await.unwrap();
    let proof = graph_client::signature::appsecret_proof(&SecretString::from("Jefe"), &token());
    let requests = network.requests();
    assert!(
        requests[0].starts_with(&format!("POST /v25.0/1234/messages?appsecret_proof={proof} ")),
        "{requests:?}"
    );
    assert!(requests[1].starts_with(&format!("GET /v25.0/1234?fields=id%2Cname&appsecret_proof={proof} ")));
}

#[tokio::test]
async fn an_id_cannot_leave_its_place_in_the_path() {
    let network = Network::with([ok()]).await;
    let _: Value = network.client.get("../me?x=1#y/../1 2", &[], &token()).await.unwrap();
    assert!(network.requests()[0].starts_with("GET /v25.0/me%3Fx=1%23y/1%202 "), "{:?}", network.requests());
}

#[tokio::test]
async fn a_connection_that_cannot_be_made_is_tried_three_times_and_was_not_sent() {
    let network = Network::absent().await;
    assert!(matches!(post(&network).await, Err(GraphError::NotSent { retry_after: None, .. })));
    assert_eq!(network.pauses_ms(), [200, 800]);
}

#[tokio::test]
async fn a_network_whose_certificate_nobody_trusts_is_told_nothing_and_said_to_be_untrusted() {
    let network = Network::untrusted().await;
    let Err(GraphError::NotSent { reason, .. }) = post(&network).await else { panic!("it was sent") };
    assert_eq!(
        reason,
        "the certificate of the network is not trusted: it is signed by no authority that is trusted here"
    );
}

#[tokio::test]
async fn throttling_is_retried_until_it_ends() {
    let network = Network::with([refusal(400, 130_429), refusal(429, 4), ok()]).await;
    assert_eq!(post(&network).await.unwrap(), json!({ "id": "wamid.1" }));
    assert_eq!(network.pauses_ms(), [200, 800]);
    assert_eq!(network.requests().len(), 3);
}

#[tokio::test]
async fn throttling_that_lasts_was_not_sent() {
    let network = Network::with(vec![refusal(429, 80_007); 3]).await;
    assert!(matches!(post(&network).await, Err(GraphError::NotSent { .. })));
    assert_eq!(network.requests().len(), 3);
}

#[tokio::test]
async fn a_long_retry_after_is_handed_on_and_not_waited_for() {
    let body = r#"{"error":{"code":131056}}"#;
    let network = Network::with([answer(429, "Retry-After: 30\r\n", body)]).await;
    let Err(GraphError::NotSent { retry_after, .. }) = post(&network).await else {
        panic!("expected NotSent")
    };
    assert_eq!(retry_after, Some(Duration::from_secs(30)));
    assert!(network.pauses_ms().is_empty());
    assert_eq!(network.requests().len(), 1);
}

#[tokio::test]
async fn a_short_retry_after_is_waited_for() {
    let throttled = answer(429, "Retry-After: 1\r\n", "");
    let network = Network::with([throttled, ok()]).await;
    post(&network).await.unwrap();
    assert_eq!(network.pauses_ms(), [1000]);
}

#[tokio::test]
async fn a_refusal_is_not_tried_again() {
    for (status, code, class) in [
        (400, 132_000, Class::Final),
        (404, 132_001, Class::Final),
        (401, 190, Class::Channel),
        (400, 131_048, Class::Later),
        (500, 131_045, Class::Channel),
        (400, 987_654, Class::Final),
    ] {
        let network = Network::with([refusal(status, code)]).await;
        let Err(GraphError::Refused(refused)) = post(&network).await else { panic!("{code}") };
        assert_eq!((refused.code, refused.class), (code, class));
        assert_eq!(network.requests().len(), 1);
        assert!(network.pauses_ms().is_empty());
    }
}

#[tokio::test]
async fn whatever_may_have_been_sent_is_unknown_and_never_sent_twice() {
    let html = answer(500, "content-type: text/html\r\n", "<html>Sorry, something went wrong</html>");
    let half = Step::Answer("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"id\":".into());
    for (what, step) in [
        ("HTML", html),
        ("empty 502", answer(502, "", "")),
        ("unknown code", refusal(500, 987_654)),
        ("ambiguous code", refusal(500, 131_000)),
        ("ambiguous code in a 400", refusal(400, 1)),
        ("unreadable answer", answer(200, "", "<html></html>")),
        ("redirect", answer(302, "Location: /elsewhere\r\n", "")),
        ("cut", Step::Cut),
        ("cut in the answer", half),
        ("no HTTP", Step::Answer("nonsense\r\n\r\n".into())),
    ] {
        let network = Network::with([step]).await;
        assert!(matches!(post(&network).await, Err(GraphError::Unknown { .. })), "{what}");
        assert_eq!(network.requests().len(), 1, "{what}");
        assert!(network.pauses_ms().is_empty(), "{what}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_in_time_is_unknown() {
    let network =
        Network::configured([Step::Hang], |config| Config { timeout: Duration::from_secs(1), ..config })
            .await;
    assert!(matches!(post(&network).await, Err(GraphError::Unknown { .. })));
    assert_eq!(network.requests().len(), 1);
}

#[tokio::test]
async fn pages_are_followed_only_while_there_is_a_next_one() {
    let page = |items: Value, after: &str, next: bool| {
        let mut paging = json!({ "cursors": { "before": "b", "after": after } });
        if next {
            paging["next"] = "https://graph.example/with?access_token=secret".into();
        }
        answer(200, "", &json!({ "data": items, "paging": paging }).to_string())
    };
    let network = Network::with([page(json!([1, 2]), "A=", true), page(json!([3]), "B=", false)]).await;
    let all: Vec<u8> =
        network.client.get_all("9/message_templates", &[("limit", "2")], &token()).await.unwrap();
    assert_eq!(all, [1, 2, 3]);
    let requests = network.requests();
    assert!(requests[0].starts_with("GET /v25.0/9/message_templates?limit=2 "), "{requests:?}");
    assert!(requests[1].starts_with("GET /v25.0/9/message_templates?limit=2&after=A%3D "), "{requests:?}");
}

#[tokio::test]
async fn pages_that_lead_in_a_circle_are_left() {
    let page = answer(200, "", r#"{"data":[1],"paging":{"cursors":{"after":"A"},"next":"x"}}"#);
    let network = Network::with(vec![page; 2]).await;
    let all: Result<Vec<u8>, _> = network.client.get_all("9/x", &[], &token()).await;
    assert!(matches!(all, Err(GraphError::Unknown { .. })));
}

#[tokio::test]
async fn a_token_that_no_header_can_carry_is_refused_as_a_token() {
    let network = Network::with([]).await;
    let sent: Result<Value, _> = network.client.get("me", &[], &SecretString::from("a\nb")).await;
    assert!(matches!(sent, Err(GraphError::Refused(refused)) if refused.code == 190));
}

#[tokio::test]
async fn nothing_secret_is_printed() {
    let network = Network::configured([Step::Cut], |config| Config {
        app_secret: Some(SecretString::from("very-secret")),
        ..config
    })
    .await;
    let error = post(&network).await.unwrap_err();
    let shown = format!("{:?} {error:?} {error}", network.client);
    for secret in ["very-secret", "EAAtoken", "964770", "appsecret_proof"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn plain_http_is_for_loopback_only() {
    for (url, accepted) in [
        ("https://graph.example", true),
        ("http://127.0.0.1:9", true),
        ("http://[::1]:9", true),
        ("http://localhost:9", true),
        ("http://graph.example", false),
        ("http://10.0.0.1", false),
        ("ftp://127.0.0.1", false),
    ] {
        let made = GraphClient::new(Config { base_url: url.parse().unwrap(), ..config(1) });
        assert_eq!(!matches!(made, Err(ConfigError::BaseUrl)), accepted, "{url}");
    }
}
