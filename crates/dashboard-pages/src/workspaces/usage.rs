//! Page of a workspace's usage, with a chart.

use askama::Template;

use crate::{
    frame::Frame,
    words::{WorkspaceWords, counted},
};

/// Size of the chart in its own units.
const WIDTH: u64 = 720;
const HEIGHT: u64 = 160;

/// Usage of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageDay {
    /// The day in words.
    pub day: String,
    /// Messages from customers.
    pub received: u64,
    /// Messages to customers.
    pub sent: u64,
    /// Number of template messages by category.
    pub templates: Vec<(String, u64)>,
    /// Customers with whom a message was exchanged.
    pub active: u64,
}

impl UsageDay {
    fn templates_sent(&self) -> u64 {
        self.templates.iter().map(|(_, count)| count).sum()
    }
}

/// A bar of the chart: received messages, with the sent ones on top.
#[derive(Debug, PartialEq, Eq)]
struct Bar<'a> {
    day: &'a UsageDay,
    x: u64,
    width: u64,
    received: u64,
    sent: u64,
}

impl Bar<'_> {
    const fn received_y(&self) -> u64 {
        HEIGHT.saturating_sub(self.received)
    }

    const fn sent_y(&self) -> u64 {
        self.received_y().saturating_sub(self.sent)
    }
}

/// Page of the usage.
#[derive(Template)]
#[template(path = "workspaces/usage.html")]
pub struct UsagePage<'a> {
    pub frame: &'a Frame,
    /// The month in words.
    pub month: String,
    /// Customers who were written to, or wrote.
    pub active: u64,
    /// Most active customers of the plan; `None` without a limit.
    pub limit: Option<u32>,
    pub is_paused: bool,
    /// Whether the assistant has taken most of its tokens of today.
    pub is_assistant_nearly_spent: bool,
    /// Number of days back that were asked for.
    pub asked: i64,
    /// Newest first.
    pub days: Vec<UsageDay>,
}

impl UsagePage<'_> {
    fn most(&self) -> u64 {
        self.days.iter().map(|day| day.received + day.sent).max().unwrap_or_default().max(1)
    }

    /// Returns the bars, oldest first, from left to right in every language, as time runs on charts.
    fn bars(&self) -> Vec<Bar<'_>> {
        let (count, most) = (u64::try_from(self.days.len()).unwrap_or(1).max(1), self.most());
        let height = |value: u64| value * HEIGHT / most;
        let bar = |(index, day): (u64, _)| {
            let day: &UsageDay = day;
            let (x, next) = (index * WIDTH / count, (index + 1) * WIDTH / count);
            let width = (next - x).saturating_sub(1).max(1);
            Bar { day, x, width, received: height(day.received), sent: height(day.sent) }
        };
        (0..).zip(self.days.iter().rev()).map(bar).collect()
    }

    /// Spans to choose from, in days.
    const SPANS: [i64; 3] = [30, 90, 396];
}

impl WorkspaceWords {
    /// Returns the number of active customers in words.
    pub fn active_customers(&self, count: &u64) -> String {
        let forms = [
            self.active_none,
            self.active_one,
            self.active_two,
            self.active_few,
            self.active_many,
            self.active_other,
        ];
        counted(*count, forms)
    }

    fn category<'a>(&'a self, category: &'a str) -> &'a str {
        match category {
            "utility" => self.utility,
            "marketing" => self.marketing,
            "authentication" => self.authentication,
            "unknown" => self.unknown,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{UsageDay, UsagePage};
    use crate::{
        frame::{Frame, Section},
        words::Language,
    };

    fn page(days: &[(u64, u64)]) -> Vec<(u64, u64, u64, u64)> {
        let frame = Frame {
            language: Language::default(),
            viewer: None,
            section: Section::Usage,
            path: String::new(),
            token: None,
            zone: None,
            is_fetched: false,
            said: None,
            feed: None,
        };
        let day = |(received, sent): &(u64, u64)| UsageDay {
            day: "2026-11-25".to_owned(),
            received: *received,
            sent: *sent,
            templates: Vec::new(),
            active: 0,
        };
        let days = days.iter().map(day).collect();
        let page = UsagePage {
            frame: &frame,
            month: String::new(),
            active: 0,
            limit: None,
            is_paused: false,
            is_assistant_nearly_spent: false,
            asked: 30,
            days,
        };
        page.bars().iter().map(|bar| (bar.x, bar.width, bar.received, bar.sent)).collect()
    }

    #[test]
    fn bars_are_as_high_as_their_day_is_against_the_busiest_and_stand_oldest_first() {
        assert_eq!(page(&[(10, 10), (5, 0)]), [(0, 359, 40, 0), (360, 359, 80, 80)]);
        assert_eq!(page(&[(0, 0)]), [(0, 719, 0, 0)]);
        assert!(page(&[]).is_empty());
        assert!(page(&[(1, 1); 396]).iter().all(|(x, width, ..)| x + width <= 720));
    }
}
