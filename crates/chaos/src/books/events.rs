//! Rules for the events that one address received.

use std::collections::{BTreeMap, BTreeSet};

use super::{Delivery, deliveries::Told};

/// Events that a message has at most once.
const OF_A_MESSAGE: [&str; 5] =
    ["message.received", "message.sent", "message.delivered", "message.read", "message.failed"];

/// Lists deliveries that came with different bytes under one id.
pub(super) fn changed(told: &Told) -> Vec<String> {
    told.iter().filter(|(_, delivery)| delivery.changed).map(|(id, _)| id.clone()).collect()
}

/// Lists events that came under two ids.
pub(super) fn told_twice(told: &Told) -> Vec<String> {
    let mut ids: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for delivery in told.values().filter(|delivery| OF_A_MESSAGE.contains(&delivery.kind.as_str())) {
        *ids.entry((&delivery.kind, &delivery.message)).or_default() += 1;
    }
    ids.iter().filter(|(_, ids)| **ids > 1).map(|((kind, message), _)| format!("{kind} {message}")).collect()
}

/// Returns the messages that have an event of this kind.
pub(super) fn messages<'a>(told: &'a Told, kind: &'a str) -> BTreeSet<&'a str> {
    let of_kind = move |delivery: &&Delivery| delivery.kind == kind;
    told.values().filter(of_kind).map(|delivery| delivery.message.as_str()).collect()
}

/// Lists pairs of events about one conversation that share their time.
pub(super) fn at_one_time(told: &Told) -> Vec<String> {
    let mut times: BTreeMap<(&str, &str), Vec<&Delivery>> = BTreeMap::new();
    for delivery in told.values().filter(|delivery| !delivery.conversation.is_empty()) {
        times.entry((&delivery.conversation, &delivery.created_at)).or_default().push(delivery);
    }
    let shared = times.into_iter().filter(|(_, deliveries)| deliveries.len() > 1);
    shared
        .map(|((conversation, at), deliveries)| {
            let kinds: Vec<_> = deliveries.iter().map(|delivery| delivery.kind.as_str()).collect();
            format!("{conversation} {at} {}", kinds.join(" + "))
        })
        .collect()
}

/// Lists events about one message whose times do not ascend as a message's states do.
pub(super) fn against_life(told: &Told) -> Vec<String> {
    let mut lives: BTreeMap<&str, BTreeMap<usize, &str>> = BTreeMap::new();
    for delivery in told.values() {
        let step = ["message.sent", "message.delivered", "message.read"].iter();
        if let Some(step) = step.enumerate().find(|(_, kind)| **kind == delivery.kind).map(|(step, _)| step) {
            lives.entry(&delivery.message).or_default().insert(step, &delivery.created_at);
        }
    }
    let disordered =
        lives.into_iter().filter(|(_, life)| !life.values().is_sorted_by(|one, next| one < next));
    disordered.map(|(message, life)| format!("{message} {:?}", life.values().collect::<Vec<_>>())).collect()
}

/// Lists conversations whose `conversation.created` is not before their first `message.received`.
pub(super) fn created_late(told: &Told) -> Vec<String> {
    let mut firsts: BTreeMap<&str, [Option<&str>; 2]> = BTreeMap::new();
    for delivery in told.values() {
        let of_kind = match delivery.kind.as_str() {
            "conversation.created" => 0,
            "message.received" => 1,
            _ => continue,
        };
        if let Some(first) = firsts.entry(&delivery.conversation).or_default().get_mut(of_kind) {
            let at = delivery.created_at.as_str();
            *first = Some(first.map_or(at, |first| first.min(at)));
        }
    }
    let late = firsts.into_iter().filter(|(_, [created, received])| match (created, received) {
        (Some(created), Some(received)) => created >= received,
        (None, Some(_)) => true,
        (_, None) => false,
    });
    late.map(|(conversation, firsts)| format!("{conversation} {firsts:?}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each a kind, a time, and a message of one conversation.
    fn told(events: &[(&str, &str, &str)]) -> Told {
        let delivery = |&(kind, at, message): &(&str, &str, &str)| Delivery::made_up(kind, at, "c", message);
        events.iter().enumerate().map(|(id, event)| (format!("d{id}"), delivery(event))).collect()
    }

    #[test]
    fn an_event_that_came_under_two_ids_is_found() {
        let once =
            told(&[("message.read", "1", "m"), ("message.sent", "2", "m"), ("message.read", "3", "n")]);
        assert_eq!(told_twice(&once), Vec::<String>::new());
        let twice = told(&[("message.read", "1", "m"), ("message.read", "2", "m")]);
        assert_eq!(told_twice(&twice), ["message.read m"]);
    }

    #[test]
    fn a_delivery_that_changed_is_found() {
        let mut one = told(&[("message.read", "1", "m")]);
        assert_eq!(changed(&one), Vec::<String>::new());
        one.get_mut("d0").unwrap().changed = true;
        assert_eq!(changed(&one), ["d0"]);
    }

    #[test]
    fn two_events_of_one_conversation_at_one_time_are_found() {
        assert_eq!(at_one_time(&told(&[("a", "1", "m"), ("b", "2", "m")])), Vec::<String>::new());
        assert_eq!(at_one_time(&told(&[("a", "1", "m"), ("b", "1", "n")])), ["c 1 a + b"]);
    }

    #[test]
    fn a_life_that_goes_back_in_time_is_found() {
        let forward =
            [("message.sent", "1", "m"), ("message.delivered", "2", "m"), ("message.read", "3", "m")];
        assert_eq!(against_life(&told(&forward)), Vec::<String>::new());
        for backward in [
            [("message.sent", "2", "m"), ("message.read", "1", "m")],
            [("message.delivered", "2", "m"), ("message.read", "2", "m")],
        ] {
            assert_eq!(against_life(&told(&backward)).len(), 1, "{backward:?}");
        }
    }

    #[test]
    fn a_conversation_that_is_created_after_its_first_message_or_never_is_found() {
        let (created, received) = ("conversation.created", "message.received");
        for (events, late) in [
            (vec![(created, "1", ""), (received, "2", "m"), (created, "3", "")], 0),
            (vec![(created, "2", ""), (received, "2", "m")], 1),
            (vec![(created, "3", ""), (received, "2", "m")], 1),
            (vec![(received, "2", "m")], 1),
            (vec![("message.sent", "2", "m")], 0),
        ] {
            assert_eq!(created_late(&told(&events)).len(), late, "{events:?}");
        }
    }
}
