//! Browsers that a member has signed in with before: strangers' tries keep nobody out of them.

use std::sync::atomic::{AtomicU8, Ordering};

use futures_util::future::join_all;
use serde_json::json;

use super::{
    second_factor::{STEP, sign_in_with, switched_on},
    stage::{OWNER, Stage},
};
use crate::support::{Answer, Browser, PASSWORD, Visitor};

const WRONG: &str = "wrong horse battery";

/// Addresses of the flood; each has a line of its own.
const CROWD: usize = 600;

/// Fails to sign in as the owner, from another address, until nobody more is let through.
async fn lock(stage: &Stage) {
    static NEXT: AtomicU8 = AtomicU8::new(0);
    // No address is at its own limit.
    let stranger = stage.browser().at(&format!("192.0.2.{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    for _ in 0..11 {
        stranger.try_in(OWNER, WRONG, None).await;
    }
    stranger.try_in(OWNER, PASSWORD, None).await.assert_error(429, "the right password, from a stranger");
}

/// A browser that the owner has signed in with before, and out of.
async fn known(stage: &Stage) -> Browser {
    let mut browser = stage.browser();
    assert_eq!(browser.sign_in(OWNER).await.status, 200);
    assert_eq!(browser.post("/sign-out", &json!({})).await.status, 204);
    browser.cookie = None;
    browser
}

#[tokio::test]
async fn ten_wrong_passwords_of_strangers_keep_nobody_out_of_a_browser_that_knows_them() {
    let stage = Stage::new().await;
    let (browser, other) = (known(&stage).await, known(&stage).await);
    lock(&stage).await;
    for workspace in [None, Some(&*stage.workspace)] {
        assert_eq!(browser.try_in(OWNER, PASSWORD, workspace).await.status, 200, "{workspace:?}");
        lock(&stage).await;
    }
    // Its own tries are counted, and then it is one of the crowd.
    for _ in 0..10 {
        browser.try_in(OWNER, WRONG, None).await.assert_refused(
            401,
            "wrong_credentials",
            &json!({}),
            "its own",
        );
    }
    browser.try_in(OWNER, PASSWORD, None).await.assert_error(429, "after ten of its own");
    // Whoever signs in there as somebody else is not known.
    stage.joined("agent@palm.example", "agent").await;
    for _ in 0..11 {
        stage.browser().at("192.0.2.7").try_in("agent@palm.example", WRONG, None).await;
    }
    other.try_in("agent@palm.example", PASSWORD, None).await.assert_error(429, "another member");
}

#[tokio::test]
async fn a_page_lets_in_whom_the_browser_knows_though_strangers_have_used_up_the_tries() {
    let stage = Stage::new().await;
    let browser = known(&stage).await;
    lock(&stage).await;
    let mut visitor = Visitor::new(&stage.base_url);
    let fields = [("email", OWNER), ("password", PASSWORD)];
    assert_eq!(visitor.post("/dashboard/sign-in", &fields).await.status, 422);
    visitor.cookie = browser.device.unwrap();
    assert_eq!(visitor.post("/dashboard/sign-in", &fields).await.status, 303);
}

#[tokio::test]
async fn a_flood_of_sign_ins_from_many_addresses_keeps_nobody_out_of_a_browser_that_knows_them() {
    let stage = Stage::new().await;
    let browser = known(&stage).await;
    let flood = (0..CROWD).map(|number| {
        let stranger = stage.browser().at(&format!("10.1.{}.{}", number / 250, number % 250));
        let workspace = &stage.workspace;
        let email = format!("{number}@palm.example");
        async move { stranger.try_in(&email, WRONG, Some(workspace)).await.status }
    });
    let member = async {
        let mut entered: Vec<Answer> = Vec::new();
        for _ in 0..3 {
            entered.push(browser.try_in(OWNER, PASSWORD, None).await);
        }
        entered
    };
    let (flood, entered): (Vec<u16>, Vec<Answer>) = tokio::join!(join_all(flood), member);
    assert!(flood.contains(&503), "the crowd has more lines than there are: {flood:?}");
    let statuses: Vec<_> = entered.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200; 3]);
}

#[tokio::test]
async fn ten_wrong_codes_of_whoever_knows_the_password_lock_no_browser_that_knows_the_member() {
    let stage = Stage::new().await;
    let (device, _) = switched_on(&stage).await;
    stage.later(STEP);
    let mut browser = stage.browser();
    let signed_in = sign_in_with(&browser, &device.code(&stage)).await;
    browser.keep(&signed_in);
    browser.cookie = None;
    for _ in 0..11 {
        sign_in_with(&stage.browser().at("192.0.2.9"), "000000").await;
    }
    stage.later(STEP);
    let code = device.code(&stage);
    sign_in_with(&stage.browser(), &code).await.assert_error(429, "a stranger's browser");
    assert_eq!(sign_in_with(&browser, &code).await.status, 200);
    // Its own count is used up by its own codes, and what is left then is everybody's.
    for _ in 0..10 {
        sign_in_with(&browser, "000000").await.assert_error(401, "its own");
    }
    stage.later(STEP);
    sign_in_with(&browser, &device.code(&stage)).await.assert_error(429, "after ten of its own");
}

#[tokio::test]
async fn a_browser_is_forgotten_with_the_password_and_where_all_others_are_signed_out() {
    let stage = Stage::new().await;
    let (first, mut second) = (known(&stage).await, stage.browser());
    second.sign_in(OWNER).await;
    let ended = second.delete("/sessions").await;
    assert_eq!(ended.status, 204);
    second.keep(&ended);
    lock(&stage).await;
    first.try_in(OWNER, PASSWORD, None).await.assert_error(429, "signed out everywhere");
    assert_eq!(second.try_in(OWNER, PASSWORD, None).await.status, 200, "but for the one that asked");

    let body = json!({ "currentPassword": PASSWORD, "newPassword": "another horse battery" });
    lock(&stage).await;
    let changed = second.post("/me/password", &body).await;
    assert_eq!(changed.status, 204, "a lock on signing in keeps nobody from another password: {changed:?}");
    let before = second.clone();
    second.keep(&changed);
    before.try_in(OWNER, "another horse battery", None).await.assert_error(429, "known by the old password");
    assert_eq!(second.try_in(OWNER, "another horse battery", None).await.status, 200);
}

#[tokio::test]
async fn what_is_no_device_of_ours_is_overlooked() {
    let stage = Stage::new().await;
    let mut browser = known(&stage).await;
    let device = browser.device.clone().unwrap();
    let attributes = stage.browser().sign_in(OWNER).await;
    let set =
        attributes.headers.get_all("set-cookie").iter().next_back().unwrap().to_str().unwrap().to_owned();
    assert!(set.ends_with("; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax"), "{set}");
    lock(&stage).await;
    let value = device.strip_prefix("__Host-device=").unwrap();
    let turned = value.replace(char::is_lowercase, "A");
    for (text, wanted) in [
        ("", 429),
        ("%00", 429),
        (&*turned, 429),
        (value.get(1..).unwrap(), 429),
        (&*format!("x.{value}"), 200),
        (value, 200),
    ] {
        browser.device = Some(format!("__Host-device={text}"));
        assert_eq!(browser.try_in(OWNER, PASSWORD, None).await.status, wanted, "{text}");
        lock(&stage).await;
    }
}
