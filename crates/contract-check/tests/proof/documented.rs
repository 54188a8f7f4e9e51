//! The pages for who implements the contract name every check and every fault.

use contract_check::checks;
use reference_shop::ALL;

const PAGE: &str = include_str!("../../../../docs/integrate/custom-system.md");
const SEEN: &str = include_str!("../../../../docs/integrate/system-faults.md");

/// The rule of each is in the report.
#[test]
fn every_check_is_in_the_page_with_its_level() {
    let mut areas: Vec<(&str, Vec<String>)> = Vec::new();
    for check in checks::all() {
        let name = check.id.split_once('.').unwrap().1;
        let level = if check.level == checks::Level::Must { "" } else { " (should)" };
        let name = format!("{name}{level}");
        match areas.iter_mut().find(|(area, _)| *area == check.area()) {
            Some((_, names)) => names.push(name),
            None => areas.push((check.area(), vec![name])),
        }
    }
    for (area, names) in areas {
        let row = format!("| `{area}` | {} |", names.join(", "));
        assert!(PAGE.contains(&row), "{row}");
    }
}

#[test]
fn every_fault_is_in_the_page_of_what_everybody_sees() {
    for fault in ALL {
        assert!(SEEN.contains(&format!("`{}`", fault.name())), "{}", fault.name());
    }
}

#[test]
fn the_page_has_every_route_and_examples_that_are_json() {
    for route in [
        "GET /verify",
        "GET /products",
        "GET /products/{id}",
        "POST /orders",
        "GET /orders/{reference}",
        "POST /orders/{reference}/cancel",
        "GET /customers/lookup",
        "POST /customers",
        "GET /appointments/slots",
        "POST /appointments",
    ] {
        assert!(PAGE.contains(&format!("\n### {route}\n")), "{route}");
    }
    let blocks = PAGE.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    for block in blocks {
        assert!(serde_json::from_str::<serde_json::Value>(block).is_ok(), "{block}");
    }
}
