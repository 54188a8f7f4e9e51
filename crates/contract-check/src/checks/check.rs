//! What a check is.

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

pub(super) const fn must(id: &'static str, rule: &'static str, fix: &'static str) -> Check {
    Check { id, level: Level::Must, rule, fix }
}

pub(super) const fn should(id: &'static str, rule: &'static str, fix: &'static str) -> Check {
    Check { id, level: Level::Should, rule, fix }
}
