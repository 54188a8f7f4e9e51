//! Plans that are limited to some active customers a month.

/// How much of such a plan is used in a month, seen while nobody else can take of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanUse {
    /// Whether the person is among those who are counted.
    pub is_counted: bool,
    /// People who are active, and those for whom sends under way hold a place.
    pub used: u64,
}

impl PlanUse {
    /// Whether a send to the person keeps within the limit.
    pub const fn admits(self, limit: u32) -> bool {
        self.is_counted || self.used < limit as u64
    }
}

#[cfg(test)]
mod tests {
    use super::PlanUse;

    #[test]
    fn a_plan_admits_whom_it_counts_and_others_as_long_as_there_is_room() {
        for (is_counted, used, limit, admits) in [
            (false, 0, 0, false),
            (true, 0, 0, true),
            (false, 0, 1, true),
            (false, 1, 1, false),
            (true, 1, 1, true),
            (true, 7, 1, true),
            (false, u64::from(u32::MAX), u32::MAX, false),
        ] {
            assert_eq!(PlanUse { is_counted, used }.admits(limit), admits, "{is_counted} {used} {limit}");
        }
    }
}
