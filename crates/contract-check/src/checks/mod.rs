//! All checks: their ids, the rules of the contract they test, and how to repair a system that breaks one.

mod appointments;
mod catalog;
mod check;
mod customers;
mod orders;
mod wire;

pub use check::{Check, Level};

/// Lists all checks in the order of a report.
pub fn all() -> impl Iterator<Item = &'static Check> {
    [wire::CHECKS, catalog::CHECKS, orders::CHECKS, customers::CHECKS, appointments::CHECKS]
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_check_has_an_id_of_its_own_a_rule_and_a_fix_of_one_line() {
        let ids: BTreeSet<_> = all().map(|check| check.id).collect();
        assert_eq!(ids.len(), all().count());
        for check in all() {
            assert!(
                check.id.contains('.') && !check.rule.is_empty() && !check.fix.is_empty(),
                "{}",
                check.id
            );
            assert!(!check.fix.contains('\n') && check.fix.len() <= 160, "{}", check.id);
        }
    }
}
