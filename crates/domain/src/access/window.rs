//! The rate window of a key: fixed, one minute (docs/use/rest-api.md, "Limits").

use std::time::Duration;

use time::OffsetDateTime;

/// Most requests of a key in one window.
pub const RATE_LIMIT: u32 = 600;

/// Length of a window; windows start on the clock's full minutes.
pub const WINDOW: Duration = Duration::from_mins(1);

/// State of a key's window after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateWindow {
    /// Requests left after this one.
    pub remaining: u32,
    pub exceeded: bool,
    /// Time until the next window, at least a second.
    pub resets_in: Duration,
}

impl RateWindow {
    /// Returns the start of the window that holds `now`.
    pub fn start(now: OffsetDateTime) -> OffsetDateTime {
        let into = now.unix_timestamp().rem_euclid(60);
        OffsetDateTime::from_unix_timestamp(now.unix_timestamp() - into).unwrap_or(now)
    }

    /// Returns the state after request number `used` of the window.
    pub fn after(used: u32, now: OffsetDateTime) -> Self {
        let into = now.unix_timestamp().rem_euclid(60);
        Self {
            remaining: RATE_LIMIT.saturating_sub(used),
            exceeded: used > RATE_LIMIT,
            resets_in: Duration::from_secs(60 - into.unsigned_abs()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::macros::datetime;

    use super::RateWindow;

    #[test]
    fn the_first_request_over_the_limit_is_refused_until_the_window_ends() {
        let now = datetime!(2026-11-21 10:00:45.5 UTC);
        assert_eq!(RateWindow::start(now), datetime!(2026-11-21 10:00 UTC));
        for (used, remaining, exceeded) in
            [(1, 599, false), (600, 0, false), (601, 0, true), (u32::MAX, 0, true)]
        {
            let window = RateWindow { remaining, exceeded, resets_in: Duration::from_secs(15) };
            assert_eq!(RateWindow::after(used, now), window);
        }
    }
}
