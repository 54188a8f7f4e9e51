//! Time since which a customer waits for an answer: their first message after the last one that they were
//! sent.

use time::OffsetDateTime;

/// Effect of messages, one after another, on the time since which a customer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Waiting {
    /// Whether the customer was written to.
    pub answered: bool,
    /// When the customer first wrote, after the last message to them if there was one.
    pub since: Option<OffsetDateTime>,
}

impl Waiting {
    /// Records that the customer writes.
    pub fn wrote(&mut self, at: OffsetDateTime) {
        self.since.get_or_insert(at);
    }

    /// Records that the customer is written to.
    pub const fn answer(&mut self) {
        *self = Self { answered: true, since: None };
    }

    /// Returns since when the customer waits, if they waited since `before` until now.
    pub fn after(self, before: Option<OffsetDateTime>) -> Option<OffsetDateTime> {
        if self.answered { self.since } else { before.or(self.since) }
    }
}

#[cfg(test)]
mod tests {
    use time::{Duration, OffsetDateTime};

    use super::Waiting;
    use crate::testing::a_moment;

    fn at(minute: i64) -> OffsetDateTime {
        a_moment() + Duration::minutes(minute)
    }

    #[test]
    fn a_customer_waits_from_their_first_message_after_the_last_answer() {
        let told = |messages: &[Option<i64>]| {
            let mut waiting = Waiting::default();
            for message in messages {
                match message {
                    Some(minute) => waiting.wrote(at(*minute)),
                    None => waiting.answer(),
                }
            }
            waiting
        };
        for (messages, before, wanted) in [
            (&[][..], None, None),
            (&[][..], Some(1), Some(1)),
            (&[Some(2), Some(3)][..], None, Some(2)),
            (&[Some(2), Some(3)][..], Some(1), Some(1)),
            (&[None][..], Some(1), None),
            (&[Some(2), None][..], Some(1), None),
            (&[Some(2), None, Some(4), Some(5)][..], Some(1), Some(4)),
        ] {
            assert_eq!(told(messages).after(before.map(at)), wanted.map(at), "{messages:?} {before:?}");
        }
    }
}
