//! Merging of people that turn out to be one, as tables of cases.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    contacts::{ContactActivity, MergedSignal, merge_activity, signals_to_move},
    conversation::ConversationStatus::{self, Bot, Closed, Open},
    conversations::{ConversationMerge, MergedConversation, merge},
    ids::{ConversationId, MessageId},
    testing::a_moment,
};
use time::{Date, OffsetDateTime, ext::NumericalDuration};
use uuid::Uuid;

const fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn at(minute: i64) -> OffsetDateTime {
    a_moment() + minute.minutes()
}

/// A conversation that began at the minute of its number.
fn conversation(number: u8, channel: u128, status: ConversationStatus) -> MergedConversation {
    let began = at(number.into());
    MergedConversation {
        id: id(number.into()).into(),
        channel: id(channel).into(),
        status,
        assigned_to: None,
        group: None,
        announced: false,
        version: 1,
        created_at: began,
        last_message_at: began,
        customer_wrote_at: None,
        moved_at: None,
        stamped_at: None,
        waiting_since: None,
    }
}

fn conversation_id(number: u128) -> ConversationId {
    id(number).into()
}

/// Returns what is left of two conversations over one channel.
fn merged(older: MergedConversation, newer: MergedConversation) -> MergedConversation {
    let ids = (newer.id, older.id);
    let ConversationMerge { gone, mut kept } = merge(vec![newer, older]);
    assert_eq!(gone, [ids]);
    assert_eq!(kept.len(), 1);
    kept.remove(0)
}

#[test]
fn over_each_channel_the_oldest_conversation_stays_and_of_one_moment_the_lower_id() {
    let of_one_moment = MergedConversation { created_at: at(5), ..conversation(8, 2, Bot) };
    for (all, gone, kept) in [
        (vec![], vec![], vec![]),
        // Conversations that nothing is merged into do not change.
        (vec![conversation(1, 1, Bot), conversation(2, 2, Bot)], vec![], vec![]),
        (vec![conversation(2, 1, Bot), conversation(1, 1, Bot)], vec![(2, 1)], vec![1]),
        (
            vec![conversation(3, 1, Bot), conversation(1, 1, Bot), conversation(2, 1, Bot)],
            vec![(2, 1), (3, 1)],
            vec![1],
        ),
        (vec![of_one_moment, conversation(5, 2, Bot), conversation(1, 1, Bot)], vec![(8, 5)], vec![5]),
        (
            vec![
                conversation(4, 2, Bot),
                conversation(3, 1, Bot),
                conversation(2, 2, Bot),
                conversation(1, 1, Bot),
            ],
            vec![(3, 1), (4, 2)],
            vec![1, 2],
        ),
    ] {
        let merge = merge(all);
        let gone: Vec<_> =
            gone.into_iter().map(|(gone, kept)| (conversation_id(gone), conversation_id(kept))).collect();
        assert_eq!(merge.gone, gone);
        let ids: Vec<_> = merge.kept.iter().map(|conversation| conversation.id).collect();
        assert_eq!(ids, kept.into_iter().map(conversation_id).collect::<Vec<_>>());
    }
}

#[test]
fn the_state_of_the_conversation_that_is_still_attended_to_wins() {
    for (older, newer, kept) in [
        (Bot, Bot, 1),
        (Bot, Open, 2),
        (Bot, Closed, 1),
        (Open, Bot, 1),
        (Open, Open, 1),
        (Open, Closed, 1),
        (Closed, Bot, 2),
        (Closed, Open, 2),
        (Closed, Closed, 1),
    ] {
        let of = |number: u8, status, group: Option<u128>| MergedConversation {
            assigned_to: Some(id(10 * u128::from(number)).into()),
            group: group.map(|group| id(group).into()),
            ..conversation(number, 1, status)
        };
        // The winner's group, or else the other's.
        for (groups, group) in [
            ((Some(1), Some(2)), Some(kept)),
            ((Some(1), None), Some(1)),
            ((None, Some(2)), Some(2)),
            ((None, None), None),
        ] {
            let result = merged(of(1, older, groups.0), of(2, newer, groups.1));
            assert_eq!(result.status, if kept == 1 { older } else { newer }, "{older:?} {newer:?}");
            assert_eq!(result.assigned_to, Some(id(10 * kept).into()), "{older:?} {newer:?}");
            assert_eq!(result.group, group.map(|group| id(group).into()), "{older:?} {newer:?} {groups:?}");
        }
    }
}

#[test]
fn the_latest_times_stay_and_the_customer_waits_since_the_earlier_one() {
    for (own, other, latest, earliest) in [
        (None, None, None, None),
        (Some(3), None, Some(3), Some(3)),
        (None, Some(4), Some(4), Some(4)),
        (Some(3), Some(4), Some(4), Some(3)),
        (Some(4), Some(3), Some(4), Some(3)),
    ] {
        let of = |number, minute: Option<i64>| MergedConversation {
            customer_wrote_at: minute.map(at),
            moved_at: minute.map(at),
            stamped_at: minute.map(at),
            waiting_since: minute.map(at),
            ..conversation(number, 1, Bot)
        };
        let kept = merged(of(1, own), of(2, other));
        assert_eq!([kept.customer_wrote_at, kept.moved_at, kept.stamped_at], [latest.map(at); 3]);
        assert_eq!(kept.waiting_since, earliest.map(at));
        assert_eq!((kept.created_at, kept.last_message_at), (at(1), at(2)));
    }
}

#[test]
fn a_merge_is_a_move_and_what_was_announced_stays_so() {
    for (own, other, version) in [(1, 1, 2), (4, 2, 5), (2, 4, 5), (i64::MAX, 1, i64::MAX)] {
        let of = |number, version| MergedConversation { version, ..conversation(number, 1, Bot) };
        assert_eq!(merged(of(1, own), of(2, other)).version, version);
    }
    for (own, other) in [(false, false), (false, true), (true, false), (true, true)] {
        let of = |number, announced| MergedConversation { announced, ..conversation(number, 1, Bot) };
        assert_eq!(merged(of(1, own), of(2, other)).announced, own || other);
    }
}

#[test]
fn of_unread_messages_the_newest_of_a_conversation_stays() {
    let merge = merge(vec![conversation(1, 1, Bot), conversation(2, 1, Bot), conversation(3, 2, Bot)]);
    for (unread, newest) in [
        (vec![], vec![]),
        (vec![(1, 7)], vec![(1, 7)]),
        (vec![(2, 7)], vec![(1, 7)]),
        (vec![(1, 7), (2, 8), (3, 9)], vec![(1, 8), (3, 9)]),
        (vec![(2, 7), (1, 8)], vec![(1, 8)]),
    ] {
        let unread = unread.into_iter().map(|(of, message)| (conversation_id(of), id(message).into()));
        let newest: BTreeMap<ConversationId, MessageId> =
            newest.into_iter().map(|(of, message)| (conversation_id(of), id(message).into())).collect();
        assert_eq!(merge.newest_unread(unread), newest);
    }
}

#[test]
fn a_person_is_on_all_networks_of_their_contacts_and_was_active_when_the_last_of_them_was() {
    let of = |networks: &[&str], active: Option<i64>| ContactActivity {
        networks: networks.iter().map(|network| (*network).to_owned()).collect(),
        last_active_at: active.map(at),
        active_month: active.map(|day| Date::MIN + day.days()),
    };
    for (contacts, merged) in [
        (vec![], of(&[], None)),
        (vec![of(&["whatsapp"], None), of(&[], None)], of(&["whatsapp"], None)),
        (vec![of(&["whatsapp"], Some(1)), of(&["messenger"], None)], of(&["messenger", "whatsapp"], Some(1))),
        (vec![of(&["whatsapp"], Some(1)), of(&["whatsapp"], Some(2))], of(&["whatsapp"], Some(2))),
        (vec![of(&[], Some(2)), of(&["instagram"], Some(1))], of(&["instagram"], Some(2))),
    ] {
        assert_eq!(merge_activity(contacts), merged);
    }
    let both = merge_activity([of(&["whatsapp"], None), of(&["messenger"], None)]).networks;
    assert_eq!(both, BTreeSet::from(["messenger".to_owned(), "whatsapp".to_owned()]));
}

#[test]
fn of_each_kind_over_a_channel_the_latest_signal_stays_and_of_equally_late_ones_the_survivors() {
    const SURVIVOR: u128 = 1;
    /// Contact, channel, kind and minute.
    type Case = (u128, u128, &'static str, i64);
    let cases: [(&[Case], &[usize]); 8] = [
        (&[], &[]),
        (&[(1, 1, "marketing", 1)], &[]),
        (&[(2, 1, "marketing", 1)], &[0]),
        (&[(1, 1, "marketing", 1), (2, 1, "marketing", 2)], &[1]),
        (&[(2, 1, "marketing", 1), (1, 1, "marketing", 1)], &[]),
        (&[(1, 1, "marketing", 2), (2, 1, "marketing", 1)], &[]),
        // Another channel, another kind.
        (&[(1, 1, "marketing", 9), (2, 1, "opt_in", 1), (2, 2, "marketing", 1)], &[1, 2]),
        (&[(2, 1, "marketing", 1), (3, 1, "marketing", 2), (4, 1, "marketing", 2)], &[1]),
    ];
    for (signals, moved) in cases {
        let all: Vec<MergedSignal<usize>> = signals
            .iter()
            .enumerate()
            .map(|(index, (contact, channel, kind, minute))| MergedSignal {
                contact: id(*contact).into(),
                channel: id(*channel).into(),
                kind: (*kind).to_owned(),
                at: at(*minute),
                signal: index,
            })
            .collect();
        let to_move: Vec<usize> =
            signals_to_move(id(SURVIVOR).into(), &all).into_iter().map(|signal| signal.signal).collect();
        assert_eq!(to_move, moved, "{signals:?}");
    }
}
