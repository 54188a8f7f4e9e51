//! `contract check` over the real program: its report in each shape, and what it ends with.

use std::process::Output;

use reference_shop::{Config, Fault, ReferenceShop};
use serde_json::Value;

use crate::support::program;

const SECRET: &str = "shop-secret-4d1e";
const WRITES: &[&str] = &["--allow-writes", "--variant", "1009", "--final-order", "5001"];

async fn shop(faults: &[Fault]) -> ReferenceShop {
    let shop = ReferenceShop::start(Config::new(SECRET)).await.unwrap();
    shop.switch_on(faults);
    shop
}

/// Runs the command with the secret in a file, and no setting of the service.
fn run(base: &str, more: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, format!("{SECRET}\n")).unwrap();
    let output = program()
        .args(["contract", "check", base, "--phone", "+9647701234567", "--secret-file"])
        .arg(secret)
        .args(more)
        .output()
        .unwrap();
    for text in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(text);
        assert!(!text.contains(SECRET) && !text.contains("9647701234567"), "{text}");
    }
    output
}

#[tokio::test(flavor = "multi_thread")]
async fn a_system_that_keeps_the_contract_passes() {
    let shop = shop(&[]).await;
    for more in [&[][..], WRITES] {
        let output = run(&shop.base_url(), more);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(String::from_utf8(output.stdout).unwrap().contains(" 0 must be mended, 0 should be, "));
    }
    let left_open = shop.orders().into_iter().filter(|order| order["order"]["status"] == "pending");
    assert_eq!(left_open.count(), 1, "only the order that was there before");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_broken_is_told_in_each_shape_and_ends_with_1() {
    let shop = shop(&[Fault::OrderRepeatedCreatesSecond]).await;
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("report.xml");
    let as_xml = [WRITES, &["--junit", junit.to_str().unwrap()]].concat();
    let output = run(&shop.base_url(), &as_xml);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("MUST   order.repeated"));
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("name=\"order.repeated\"><failure message="), "{xml}");

    std::fs::remove_file(&junit).unwrap();
    let output = run(&shop.base_url(), &[&as_xml[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["must"], 1);
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("name=\"order.repeated\"><failure message="), "{xml}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_says_what_whoever_runs_it_can_have_mistaken() {
    let shop = shop(&[]).await;
    let not_sold = ["--allow-writes", "--variant", "nothing"];
    let elsewhere = shop.base_url().replace("/shop/contract", "");
    for (base, more, words) in [
        (shop.base_url(), &not_sold[..], "answered 422: --variant must name what is in stock"),
        (elsewhere, &[], "answered 404: paths are appended to the base, whose own path is kept"),
    ] {
        let output = run(&base, more);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(String::from_utf8(output.stdout).unwrap().contains(words), "{words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_tried_ends_with_2_and_says_why() {
    let gone = shop(&[]).await;
    let base = gone.base_url();
    gone.stop().await;
    for (base, more, why) in [
        (base.as_str(), &[][..], "the system cannot be reached"),
        ("shop.example", &[], "the base is no address"),
        ("https://shop.example/?a=1", &[], "neither query nor fragment"),
        ("https://shop.example", &["--allow-writes"], "--variant"),
        ("https://shop.example", &["--final-order", "5"], "--allow-writes"),
        (
            "https://shop.example",
            &["--junit", "/nowhere/report.xml"],
            "/nowhere/report.xml cannot be written",
        ),
    ] {
        let output = run(base, more);
        assert_eq!(output.status.code(), Some(2), "{base}: {output:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains(why), "{base}");
    }
}
