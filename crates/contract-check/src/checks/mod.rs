//! All checks: their ids, the rules of the contract they test, and how to repair a system that breaks one.

mod appointments;
mod catalog;
mod customers;
mod orders;
mod wire;

/// Weight of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Something does not work at all, or works wrongly.
    Must,
    /// Everything works, but could be better for the people who chat.
    Should,
}

/// Check of one rule of the contract.
#[derive(Debug, PartialEq, Eq)]
pub struct Check {
    /// Stable: scripts may name it.
    pub id: &'static str,
    pub level: Level,
    pub rule: &'static str,
    /// Remedy if the rule is broken, in one line.
    pub fix: &'static str,
}

impl Check {
    /// Returns the part of the id before the dot.
    pub fn area(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(area, _)| area)
    }
}

const fn must(id: &'static str, rule: &'static str, fix: &'static str) -> Check {
    Check { id, level: Level::Must, rule, fix }
}

const fn should(id: &'static str, rule: &'static str, fix: &'static str) -> Check {
    Check { id, level: Level::Should, rule, fix }
}

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
