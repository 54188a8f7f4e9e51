//! The time in which a network takes free text.

use time::{Duration, OffsetDateTime};

use super::ChannelKind;

/// Window for anybody's answer after a customer's message
/// (docs/run/networks.md, "How long somebody may be answered").
pub(crate) const OPEN: Duration = Duration::hours(24);

/// Window for a team member's answer on Messenger and Instagram
/// (docs/run/networks.md, "How long somebody may be answered").
pub(crate) const OPEN_TO_PEOPLE: Duration = Duration::days(7);

/// Returns `true` if, as far as is known here, the network takes a team member's free text: the customer
/// wrote recently enough.
pub fn takes_words(kind: ChannelKind, wrote_at: Option<OffsetDateTime>, now: OffsetDateTime) -> bool {
    closes_at(kind, wrote_at).is_some_and(|closes_at| now < closes_at)
}

/// Returns when the network stops taking free text; `None` if it is unknown when the customer last wrote.
pub fn closes_at(kind: ChannelKind, wrote_at: Option<OffsetDateTime>) -> Option<OffsetDateTime> {
    let open = match kind {
        ChannelKind::Whatsapp => OPEN,
        ChannelKind::Messenger | ChannelKind::Instagram => OPEN_TO_PEOPLE,
    };
    wrote_at.map(|wrote_at| wrote_at.saturating_add(open))
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::{ChannelKind, closes_at, takes_words};
    use crate::testing::a_moment;

    #[test]
    fn a_person_may_answer_for_a_day_on_whatsapp_and_for_a_week_elsewhere() {
        use ChannelKind::{Instagram, Messenger, Whatsapp};
        for (kind, ago, taken) in [
            (Whatsapp, Some(Duration::hours(23)), true),
            (Whatsapp, Some(Duration::hours(24)), false),
            (Messenger, Some(Duration::hours(24)), true),
            (Instagram, Some(Duration::days(7)), false),
            (Messenger, None, false),
        ] {
            let wrote_at = ago.map(|ago| a_moment() - ago);
            assert_eq!(takes_words(kind, wrote_at, a_moment()), taken, "{kind:?} {ago:?}");
        }
        let last = time::PrimitiveDateTime::MAX.assume_utc();
        assert_eq!(closes_at(Whatsapp, Some(last)), Some(last), "nothing is later");
    }
}
