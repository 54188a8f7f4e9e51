//! The second factor: codes by time, each good once, and codes for a lost device.

use adapter_credentials::HmacOneTimePasswords;
use domain::access::sessions::ports::OneTimePasswords;
use serde_json::{Value, json};
use std::time::Duration;

use super::stage::{OWNER, Stage};
use crate::support::{Answer, Browser, PASSWORD, eventually, token_of};

pub(crate) const STEP: Duration = Duration::from_secs(30);
const HOUR: Duration = Duration::from_hours(1);

/// A member's device.
pub(crate) struct Device(Vec<u8>);

impl Device {
    pub(crate) fn reading(secret: &str) -> Self {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        let bits = secret.chars().flat_map(|letter| {
            let value = letters.find(letter).unwrap();
            (0..5).rev().map(move |bit| value >> bit & 1)
        });
        let bits: Vec<usize> = bits.collect();
        let byte = |eight: &[usize]| u8::try_from(eight.iter().fold(0, |byte, bit| byte << 1 | bit)).unwrap();
        Self(bits.chunks_exact(8).map(byte).collect())
    }

    /// Returns the code that it shows at this time, in seconds since 1970.
    pub(crate) fn code_at(&self, seconds: u64) -> String {
        format!("{:06}", HmacOneTimePasswords.code(&self.0, seconds / 30))
    }

    pub(crate) fn code(&self, stage: &Stage) -> String {
        self.code_at(stage.seconds())
    }
}

/// Switches the owner's second factor on; the device and the recovery codes.
pub(crate) async fn switched_on(stage: &Stage) -> (Device, Vec<String>) {
    let wrong = stage.owner.post("/me/second-factor", &json!({ "password": "wrong horse" })).await;
    wrong.assert_refused(403, "wrong_password", &json!({}), "wrong");
    let offered = stage.owner.post("/me/second-factor", &json!({ "password": PASSWORD })).await;
    assert_eq!(offered.status, 200, "{offered:?}");
    let device = Device::reading(offered.text("/secret"));
    assert!(offered.text("/uri").contains(offered.text("/secret")));
    // Only offered: nobody is asked for it.
    assert_eq!(stage.browser().sign_in(OWNER).await.status, 200);
    let wrong = stage.owner.post("/me/second-factor/confirm", &json!({ "code": "12345" })).await;
    wrong.assert_refused(401, "wrong_code", &json!({}), "wrong");
    let body = json!({ "code": device.code(stage) });
    let on = stage.owner.post("/me/second-factor/confirm", &body).await;
    assert_eq!(on.status, 200, "{on:?}");
    let codes = on.body["recoveryCodes"].as_array().unwrap().iter();
    let codes = codes.filter_map(Value::as_str).map(str::to_owned).collect();
    (device, codes)
}

pub(crate) async fn sign_in_with(browser: &Browser, code: &str) -> Answer {
    let body = json!({ "email": OWNER, "password": PASSWORD, "code": code });
    browser.post("/sign-in", &body).await
}

async fn sign_in(stage: &Stage, code: Option<&str>) -> Answer {
    let body = json!({ "email": OWNER, "password": PASSWORD, "code": code });
    stage.browser().post("/sign-in", &body).await
}

#[tokio::test]
async fn a_code_is_asked_for_and_none_is_taken_twice() {
    let stage = Stage::new().await;
    let (device, _) = switched_on(&stage).await;
    sign_in(&stage, None).await.assert_refused(401, "second_factor_needed", &json!({}), "no code");
    let used = device.code(&stage);
    sign_in(&stage, Some(&used)).await.assert_refused(401, "wrong_code", &json!({}), "used to confirm");
    stage.later(STEP);
    let code = device.code(&stage);
    assert_eq!(sign_in(&stage, Some(&code)).await.status, 200);
    sign_in(&stage, Some(&code)).await.assert_refused(401, "wrong_code", &json!({}), "used");
    stage.later(STEP);
    let code = device.code(&stage);
    let (one, other) = tokio::join!(sign_in(&stage, Some(&code)), sign_in(&stage, Some(&code)));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401]);
    // A wrong password does not tell that a code would be asked for.
    let body = json!({ "email": OWNER, "password": "wrong horse", "code": device.code(&stage) });
    stage.browser().post("/sign-in", &body).await.assert_refused(
        401,
        "wrong_credentials",
        &json!({}),
        "wrong",
    );
}

#[tokio::test]
async fn each_recovery_code_stands_in_once() {
    let stage = Stage::new().await;
    let (_, codes) = switched_on(&stage).await;
    assert_eq!(codes.len(), 10);
    let code = codes[3].to_lowercase().replace('-', " ");
    assert_eq!(sign_in(&stage, Some(&code)).await.status, 200);
    sign_in(&stage, Some(&code)).await.assert_refused(401, "wrong_code", &json!({}), "used");
    assert_eq!(sign_in(&stage, Some(&codes[4])).await.status, 200);
    sign_in(&stage, Some("AAAA-AAAA-AAAA-AAAA")).await.assert_error(401, "none of them");
}

#[tokio::test]
async fn ten_wrong_codes_lock_them_for_an_hour_whatever_else_succeeds() {
    let stage = Stage::new().await;
    let (theirs, impostor) = stage.impostor(OWNER, "invented horse").await;
    let impostor = impostor.at("192.0.2.1");
    let (device, recovery) = switched_on(&stage).await;
    stage.later(HOUR);
    for number in 0..25 {
        let answer = sign_in(&stage, Some("000000")).await;
        let wanted = if number < 10 { (401, "wrong_code") } else { (429, "too_many_tries") };
        answer.assert_refused(wanted.0, wanted.1, &json!({}), &number.to_string());
        // As the right password is no guess at one, it is not counted as one.
        let elsewhere = impostor.try_in(OWNER, "invented horse", Some(&theirs)).await;
        assert_eq!(elsewhere.status, 200, "{elsewhere:?}");
    }
    let right = device.code(&stage);
    sign_in(&stage, Some(&right)).await.assert_refused(429, "too_many_tries", &json!({}), "the right one");
    sign_in(&stage, Some(&recovery[0])).await.assert_refused(
        429,
        "too_many_tries",
        &json!({}),
        "for a lost one",
    );
    sign_in(&stage, None).await.assert_refused(401, "second_factor_needed", &json!({}), "none");
    stage.later(HOUR);
    // Right ones do not use the tries up.
    for _ in 0..12 {
        stage.later(STEP);
        let right = device.code(&stage);
        assert_eq!(sign_in(&stage, Some(&right)).await.status, 200);
    }
    eventually("ten wrong codes, and seventeen that were not looked at", async || {
        let listed = stage.owner.get("/me/refused-sign-ins").await;
        let rows = listed.body["rows"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["asked"] == "code"), "{rows:?}");
        let tries = |locked: bool| -> u64 {
            rows.iter().filter(|row| row["locked"] == locked).filter_map(|row| row["tries"].as_u64()).sum()
        };
        ((tries(false), tries(true)) == (10, 17)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn it_is_switched_off_by_the_password_or_an_operator_s_link() {
    let stage = Stage::new().await;
    switched_on(&stage).await;
    let again = stage.owner.post("/me/second-factor", &json!({ "password": PASSWORD })).await;
    again.assert_refused(409, "second_factor_on", &json!({}), "on");
    let off = [("do", "disable"), ("current", PASSWORD)];
    assert_eq!(stage.owner.visitor().post("/dashboard/profile", &off).await.status, 303);
    assert_eq!(sign_in(&stage, None).await.status, 200);
    let confirm = stage.owner.post("/me/second-factor/confirm", &json!({ "code": "000000" })).await;
    confirm.assert_refused(409, "second_factor_not_offered", &json!({}), "off");

    switched_on(&stage).await;
    assert_eq!(stage.owner.get("/me").await.body["member"]["secondFactor"], true);
    let arguments = ["member", "reset", &stage.workspace, "--email", OWNER];
    for (drops, wanted) in [(false, 401), (true, 200)] {
        let more: &[&str] = if drops { &["--drop-second-factor"] } else { &[] };
        let said = stage.operator(&[&arguments, more].concat());
        let fields = [("token", token_of(&said)), ("password", PASSWORD)];
        let path = "/dashboard/password-reset/complete";
        assert_eq!(stage.browser().visitor().post(path, &fields).await.status, 303);
        assert_eq!(sign_in(&stage, None).await.status, wanted, "{drops}");
    }
    assert_eq!(stage.rows().await.count("recovery_codes").await, 0);
}
