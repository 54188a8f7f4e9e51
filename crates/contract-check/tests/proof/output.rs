//! The three shapes of a report.

use contract_check::{checks, output};
use reference_shop::Fault;

use super::{PHONE, SECRET, open, reading, try_out, writing};

#[tokio::test]
async fn a_finding_has_the_rule_the_call_and_a_fix_in_each_of_them() {
    let shop = open(&[Fault::PriceAsText, Fault::SearchIgnoresQ]).await;
    let report = try_out(&shop, &writing()).await;
    assert_eq!(report.exit_code(), 1);
    let check = checks::all().find(|check| check.id == "product.price").unwrap();

    let pretty = output::pretty(&report);
    for words in
        ["MUST   product.price", check.rule, check.fix, "GET /products?q=&limit=50", "1 must be mended"]
    {
        assert!(pretty.contains(words), "{words}: {pretty}");
    }

    let json = output::json(&report);
    assert_eq!((&json["must"], &json["should"], &json["exitCode"]), (&1.into(), &1.into(), &1.into()));
    let of_price = json["checks"].as_array().unwrap().iter().find(|it| it["id"] == "product.price").unwrap();
    assert_eq!((&of_price["outcome"], &of_price["fix"]), (&"found".into(), &check.fix.into()));

    let junit = output::junit(&report);
    assert!(
        junit.contains("failures=\"1\"") && junit.contains("name=\"product.price\"><failure message="),
        "{junit}"
    );
    assert!(junit.contains("name=\"products.narrow\"><system-out>"), "{junit}");
}

#[tokio::test]
async fn the_report_for_scripts_has_the_rule_and_the_level_of_every_check() {
    let shop = open(&[]).await;
    let json = output::json(&try_out(&shop, &reading()).await);
    let told: Vec<_> = json["checks"].as_array().unwrap().iter().collect();
    assert_eq!(told.len(), checks::all().count());
    for (told, check) in told.into_iter().zip(checks::all()) {
        let level = if check.level == checks::Level::Must { "must" } else { "should" };
        assert_eq!((&told["id"], &told["level"]), (&check.id.into(), &level.into()));
        assert_eq!(told["rule"], check.rule);
    }
}

#[tokio::test]
async fn no_shape_of_a_report_holds_the_secret_or_the_phone() {
    let shop = open(&[Fault::LookupReadsPlusAsSpace, Fault::CustomerPhoneInOtherFormat]).await;
    let report = try_out(&shop, &writing()).await;
    assert_eq!(report.findings().count(), 2);
    let everything = [
        output::pretty(&report),
        output::json(&report).to_string(),
        output::junit(&report),
        format!("{report:?}"),
    ];
    for text in everything {
        assert!(!text.contains(SECRET) && !text.contains(PHONE.trim_start_matches('+')), "{text}");
    }
}

#[tokio::test]
async fn a_broken_rule_of_level_should_fails_no_build() {
    let shop = open(&[Fault::SearchIgnoresQ]).await;
    let report = try_out(&shop, &writing()).await;
    assert_eq!((report.findings().count(), report.exit_code()), (1, 0));
    assert!(output::junit(&report).contains("failures=\"0\""));
}

#[tokio::test]
async fn what_was_not_tried_is_told_by_its_reason_once() {
    let shop = open(&[]).await;
    let pretty = output::pretty(&try_out(&shop, &reading()).await);
    let skipped: Vec<&str> = pretty.lines().filter(|line| line.starts_with("skip ")).collect();
    let [base, written] = skipped.as_slice() else { panic!("{pretty}") };
    assert!(base.starts_with("skip   base.public  the system is on this machine"), "{pretty}");
    assert!(written.ends_with(" checks  only writing shows it (--allow-writes --variant)"), "{pretty}");
}
