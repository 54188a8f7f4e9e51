//! Use of plans that limit the active customers of a month.

/// Use of a limited plan in one month, read while nobody else can take a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanUse {
    pub is_counted: bool,
    /// People who are active or have a place reserved by a send in flight.
    pub used: u64,
}

impl PlanUse {
    /// Returns `true` if a send to the recipient keeps within the limit.
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
