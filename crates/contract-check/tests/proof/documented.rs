//! The pages for who implements the contract name every check and every fault.

use contract_check::checks;
use reference_shop::ALL;

const PAGE: &str = include_str!("../../../../docs/custom-system.md");
const SHOP: &str = include_str!("../../../../docs/reference-shop.md");

#[test]
fn every_check_is_in_the_page_with_its_level() {
    for check in checks::all() {
        let level = if check.level == checks::Level::Must { "must" } else { "should" };
        let row = format!("| `{}` | {level} | {} |", check.id, check.rule);
        assert!(PAGE.contains(&row), "{row}");
    }
}

#[test]
fn every_fault_is_in_the_page_of_the_shop() {
    for fault in ALL {
        assert!(SHOP.contains(&format!("| `{}` | {} |", fault.name(), fault.about())), "{}", fault.name());
    }
}
