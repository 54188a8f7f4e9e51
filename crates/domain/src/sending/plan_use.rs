//! Plans that are limited to some active customers a month.

/// It says how much of such a plan is used in a month, seen while nobody else can take of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanUse {
    /// It says whether the person is among those who are counted.
    pub is_counted: bool,
    /// So many people are active, or have a place held for them by sends under way.
    pub used: u64,
}

impl PlanUse {
    /// Says whether a send to the person keeps within the limit.
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
