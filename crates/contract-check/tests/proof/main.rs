//! The checker's proof: a shop that keeps the contract, and each way in which it can break it.

#![expect(clippy::unwrap_used, reason = "test support")]

mod documented;
mod output;
mod table;

use std::time::Duration;

use contract_check::{Options, Outcome, Report, Writes, check};
use futures_util::stream::{self, StreamExt as _};
use reference_shop::{ALL, Clock, Config, Fault, ReferenceShop, Route};
use secrecy::SecretString;
use serde_json::json;
use table::Expected;
use time::macros::datetime;

const SECRET: &str = "shop-secret-9f2c";
/// Somebody of whom the shop has a record.
const PHONE: &str = "+9647701234567";

async fn open(faults: &[Fault]) -> ReferenceShop {
    let mut config = Config::new(SECRET);
    config.clock = Clock::Fixed(datetime!(2026-11-22 12:00 +3));
    let shop = ReferenceShop::start(config).await.unwrap();
    shop.switch_on(faults);
    shop
}

fn reading() -> Options {
    let mut options = Options::new(datetime!(2026-11-22 12:00 +3));
    // Much longer than the shop takes, and much shorter than the faults that take too long.
    options.timeout = Duration::from_secs(4);
    options.phone = Some(PHONE.to_owned());
    options
}

fn writing() -> Options {
    let writes = Writes { variant: "1009".to_owned(), final_order: Some("5001".to_owned()) };
    Options { writes: Some(writes), ..reading() }
}

async fn try_out(shop: &ReferenceShop, options: &Options) -> Report {
    check(&shop.base_url(), &SecretString::from(SECRET), options).await.unwrap()
}

/// Lists what was found: the check's id, and the fault.
fn found(report: &Report) -> Vec<(&'static str, String)> {
    let seen = |outcome: &Outcome| format!("{outcome:?}");
    report.findings().map(|checked| (checked.check.id, seen(&checked.outcome))).collect()
}

fn skipped(report: &Report) -> Vec<&'static str> {
    let is_skipped = |outcome: &Outcome| matches!(outcome, Outcome::Skipped { .. });
    report.checked.iter().filter(|it| is_skipped(&it.outcome)).map(|it| it.check.id).collect()
}

#[tokio::test]
async fn nothing_is_found_where_the_contract_is_kept_and_everything_is_tried() {
    let shop = open(&[]).await;
    let report = try_out(&shop, &writing()).await;
    assert_eq!(found(&report), []);
    assert_eq!(skipped(&report), ["base.public"]);
    assert_eq!(report.exit_code(), 0);
}

#[tokio::test]
async fn reading_alone_finds_nothing_and_changes_nothing() {
    let shop = open(&[]).await;
    let report = try_out(&shop, &reading()).await;
    assert_eq!(found(&report), []);
    assert_eq!((shop.orders().len(), shop.appointments().len(), shop.leads().len()), (3, 0, 0));
    for request in shop.requests() {
        let harmless = request["method"] == "GET" || request["path"].as_str().unwrap().ends_with("/cancel");
        assert!(
            harmless || request["authorized"] == false || request["path"] == "/shop/contract/verify",
            "{request}"
        );
    }
}

#[tokio::test]
async fn what_is_ordered_is_cancelled_and_what_is_booked_is_named() {
    let shop = open(&[]).await;
    let report = try_out(&shop, &writing()).await;
    let orders = shop.orders();
    assert_eq!(orders.len(), 5);
    for order in orders.iter().skip(3) {
        assert_eq!(order["order"]["status"], "cancelled");
    }
    for appointment in shop.appointments() {
        let id = appointment["appointment"]["id"].as_str().unwrap();
        assert!(report.notes.iter().any(|note| note.contains(id)), "{id}: {:?}", report.notes);
    }
    assert_eq!(shop.appointments().len(), 2);
}

#[tokio::test]
async fn every_call_is_made_as_the_service_makes_it() {
    let shop = open(&[]).await;
    try_out(&shop, &writing()).await;
    for request in shop.requests() {
        let headers = &request["headers"];
        assert_eq!(
            (&headers["accept"], &headers["x-service-contract"]),
            (&"application/json".into(), &"2".into())
        );
        let key = &request["body"]["idempotencyKey"];
        assert_eq!(&headers["idempotency-key"], key, "{request}");
        if request["method"] == "POST" && !request["body"].is_null() {
            assert_eq!(headers["content-type"], "application/json");
        }
    }
}

#[tokio::test]
async fn each_fault_is_found_by_its_own_check_and_by_no_other() {
    let wrong: Vec<String> = stream::iter(ALL.iter().copied())
        .map(async |fault| {
            let shop = open(&[fault]).await;
            let report = try_out(&shop, &writing()).await;
            let found = found(&report);
            let ids: Vec<_> = found.iter().map(|(id, _)| *id).collect();
            let said = |words: &str| report.notes.iter().any(|note| note.contains(words));
            let holds = match table::expected(fault) {
                Expected::Found(id) => ids == [id],
                Expected::Note(words) => ids.is_empty() && said(words),
                Expected::Nothing => ids.is_empty(),
            };
            let fault = fault.name();
            (!holds).then(|| format!("{fault}: {found:?} {:?}", report.notes))
        })
        .buffer_unordered(6)
        .filter_map(async |wrong| wrong)
        .collect()
        .await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_route_that_does_not_check_the_secret_is_found_by_its_own_check() {
    for route in Route::ALL {
        let shop = open(&[]).await;
        let fault = json!([{ "name": "secret_not_checked_on_one_route", "route": route.name() }]);
        shop.set_faults(&fault).unwrap();
        let report = try_out(&shop, &reading()).await;
        let ids: Vec<_> = report.findings().map(|checked| checked.check.id).collect();
        assert_eq!(ids, [format!("auth.{}", route.name())]);
    }
}

#[tokio::test]
async fn a_fault_is_legal_exactly_where_nothing_is_found() {
    for fault in ALL {
        let is_found = matches!(table::expected(*fault), Expected::Found(_));
        assert_eq!(fault.legal(), !is_found, "{}", fault.name());
    }
    assert!(ALL.iter().filter(|fault| !fault.legal()).count() >= 30);
}

#[tokio::test]
async fn a_system_of_version_1_is_tried_as_catalogue_and_orders() {
    let shop = open(&[Fault::NoCapabilities]).await;
    let report = try_out(&shop, &writing()).await;
    assert_eq!(report.capabilities, ["catalog", "orders"]);
    let skipped = skipped(&report);
    assert!(skipped.contains(&"slots.answer") && skipped.contains(&"auth.customer_lookup"));
    assert!(!skipped.contains(&"order.repeated_at_once"));
}

#[tokio::test]
async fn where_nothing_answers_there_is_no_report() {
    let shop = open(&[]).await;
    let base = shop.base_url();
    shop.stop().await;
    assert!(check(&base, &SecretString::from(SECRET), &reading()).await.is_err());
}
