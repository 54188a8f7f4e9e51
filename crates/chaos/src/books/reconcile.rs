//! Comparison of all observers' records.

use std::collections::{BTreeMap, BTreeSet};

use super::{Conversation, Kind, Line, Outcome, Send, Token, deliveries::Told, events};
use crate::report::Report;

/// Records of all observers.
#[derive(Debug, Default)]
pub(crate) struct Books {
    /// Requested sends, each with the last outcome that was reported.
    pub(crate) sends: Vec<Send>,
    /// Number of times that the network accepted each send.
    pub(crate) accepted: BTreeMap<u64, usize>,
    /// The network's ids of the messages whose `delivered` was accepted before their `read` was posted.
    pub(crate) delivered_first: BTreeSet<String>,
    /// Number of acknowledged messages of each person; they are numbered from zero.
    pub(crate) written: BTreeMap<u64, u64>,
    /// Conversations as the API shows them.
    pub(crate) conversations: Vec<Conversation>,
    /// Deliveries that each address received.
    pub(crate) told: Vec<Told>,
    /// Work left waiting in the database, by table.
    pub(crate) waiting: Vec<String>,
}

/// Notes what was done and everything that is wrong.
pub(crate) fn reconcile(books: &Books, report: &mut Report) {
    report.note("sends asked for", books.sends.len());
    report.note("sends asked for again", books.sends.iter().map(|send| send.asked.saturating_sub(1)).sum());
    report.note("sends that the network took", books.accepted.len());
    report.note(
        "messages of customers",
        books.written.values().filter_map(|count| usize::try_from(*count).ok()).sum(),
    );
    report.note("deliveries, repeats and all", times(&books.told));
    sends(books, report);
    written(books, report);
    told(books, report);
    report.fault("left waiting in the database", &books.waiting);
}

fn times(told: &[Told]) -> usize {
    told.iter().flat_map(Told::values).map(|delivery| delivery.times).sum()
}

fn sends(books: &Books, report: &mut Report) {
    let at_network = |send: &Send| books.accepted.get(&send.number).copied().unwrap_or_default();
    let found = |broken: &dyn Fn(&Send) -> bool| -> Vec<String> {
        let name = |send: &Send| format!("{} {:?}", Token::Send(send.number).text(), send.outcome);
        books.sends.iter().filter(|send| broken(send)).map(name).collect()
    };
    report.fault("sends twice at the network", &found(&|send| at_network(send) > 1));
    let sent = |send: &Send| matches!(send.outcome, Outcome::Sent(_));
    report.fault(
        "sends answered 201 that the network never took",
        &found(&|send| sent(send) && at_network(send) == 0),
    );
    report.fault(
        "sends at the network, and never answered so",
        &found(&|send| !sent(send) && at_network(send) > 0),
    );
    report.fault("sends answered under several ids", &found(&|send| !send.other_ids.is_empty()));
    let open = |send: &Send| send.outcome == Outcome::Open;
    report.fault("sends that were never ended", &found(&open));
    let recorded = recorded(&books.conversations);
    let lines = |send: &Send| recorded.get(&send.number).map_or(0, Vec::len);
    let should = |send: &Send| usize::from(at_network(send) > 0 && send.kind != Kind::Code);
    report.fault(
        "sends at the network that are in no conversation",
        &found(&|send| lines(send) < should(send)),
    );
    report.fault("sends that are in a conversation twice", &found(&|send| lines(send) > 1));
    report.fault(
        "one-time codes in a conversation",
        &found(&|send| send.kind == Kind::Code && lines(send) > 0),
    );
}

/// Returns the team's messages in conversations, by send.
fn recorded(conversations: &[Conversation]) -> BTreeMap<u64, Vec<&Line>> {
    let mut recorded: BTreeMap<u64, Vec<&Line>> = BTreeMap::new();
    for line in conversations.iter().flat_map(|conversation| &conversation.lines) {
        if let Some(Token::Send(number)) = line.token {
            recorded.entry(number).or_default().push(line);
        }
    }
    recorded
}

fn written(books: &Books, report: &mut Report) {
    let (mut seen, mut disordered, mut doubled) = (BTreeMap::new(), Vec::new(), Vec::new());
    for conversation in &books.conversations {
        for (person, numbers) in conversation.written() {
            let distinct: BTreeSet<u64> = numbers.iter().copied().collect();
            let name = format!("person {person} in {}", conversation.id);
            if distinct.len() < numbers.len() {
                doubled.push(format!("{name}: {}", numbers.len() - distinct.len()));
            }
            if let Some([one, next]) = numbers.array_windows().find(|[one, next]| one > next) {
                disordered.push(format!("{name}: {one} before {next}"));
            }
            seen.entry(person).or_insert_with(BTreeSet::new).extend(distinct);
        }
    }
    let mut lost = Vec::new();
    for (person, count) in &books.written {
        let seen = seen.remove(person).unwrap_or_default();
        let missing = (0..*count).filter(|number| !seen.contains(number));
        lost.extend(missing.map(|number| Token::Written(*person, number).text()));
    }
    report.fault("messages of customers that were acknowledged and lost", &lost);
    report.fault("customers with a message that is there twice", &doubled);
    report.fault("customers whose messages are out of order", &disordered);
    let is_disordered = |conversation: &&Conversation| {
        let lines = conversation.lines.iter().filter(|line| line.role != "system");
        !lines.map(|line| line.created_at.as_str()).collect::<Vec<_>>().is_sorted_by(|one, next| one < next)
    };
    let out_of_time: Vec<String> = books
        .conversations
        .iter()
        .filter(is_disordered)
        .map(|conversation| conversation.id.clone())
        .collect();
    report.fault("conversations whose messages' times do not ascend", &out_of_time);
}

fn told(books: &Books, report: &mut Report) {
    let at_each = |broken: &dyn Fn(&Told) -> Vec<String>| -> Vec<String> {
        books.told.iter().flat_map(broken).collect()
    };
    report.fault("events never told", &at_each(&|told| never_told(books, told)));
    report.fault("events told under two ids", &at_each(&events::told_twice));
    report.fault("events whose bytes changed", &at_each(&events::changed));
    report.fault("events of a conversation at one time", &at_each(&events::at_one_time));
    report.fault("events of a message against its life", &at_each(&events::against_life));
    report.fault("conversations created after their first message", &at_each(&events::created_late));
    report.fault(
        "messages received in another order than they stand",
        &at_each(&|told| told_out_of_order(books, told)),
    );
}

/// Lists events that are owed and were never delivered.
fn never_told(books: &Books, told: &Told) -> Vec<String> {
    let mut never = Vec::new();
    let mut look = |kind: &str, wanted: &mut dyn Iterator<Item = &str>| {
        let known = events::messages(told, kind);
        never.extend(
            wanted.filter(|message| !known.contains(message)).map(|message| format!("{kind} {message}")),
        );
    };
    let lines = || books.conversations.iter().flat_map(|conversation| &conversation.lines);
    let ids_of =
        |role: &'static str| lines().filter(move |line| line.role == role).map(|line| line.id.as_str());
    look("message.received", &mut ids_of("customer"));
    let at_network = |line: &&Line| match line.token {
        Some(Token::Send(number)) => books.accepted.contains_key(&number),
        _ => false,
    };
    look("message.sent", &mut lines().filter(at_network).map(|line| line.id.as_str()));
    let read = books.sends.iter().filter_map(|send| match &send.outcome {
        Outcome::Sent(id) => Some(id.as_str()),
        _ => None,
    });
    look("message.read", &mut read.into_iter());
    let delivered = told.values().filter(|delivery| {
        delivery.kind == "message.read" && books.delivered_first.contains(&delivery.network_id)
    });
    look("message.delivered", &mut delivered.map(|delivery| delivery.message.as_str()));
    never
}

/// Lists conversations whose messages were received, by the events' times, in another order than they have in
/// the conversation.
fn told_out_of_order(books: &Books, told: &Told) -> Vec<String> {
    let received = told.values().filter(|delivery| delivery.kind == "message.received");
    let times: BTreeMap<&str, &str> =
        received.map(|delivery| (delivery.message.as_str(), delivery.created_at.as_str())).collect();
    let disordered = |conversation: &&Conversation| {
        let lines = conversation.lines.iter().filter(|line| line.role == "customer");
        let times: Vec<&&str> = lines.filter_map(|line| times.get(line.id.as_str())).collect();
        !times.is_sorted_by(|one, next| one < next)
    };
    books.conversations.iter().filter(disordered).map(|conversation| conversation.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Delivery;
    use super::*;

    const SENT: &str = "m-sent";

    /// A run in which everything is as it should be: a notice, a code, two messages of a person.
    fn sound() -> Books {
        let send = |number, kind, id: &str| Send {
            number,
            kind,
            outcome: Outcome::Sent(id.to_owned()),
            other_ids: Vec::new(),
            asked: 1,
            request: None,
        };
        let line = |id: &str, role: &str, token, at: &str| Line {
            id: id.to_owned(),
            role: role.to_owned(),
            token: Some(token),
            created_at: at.to_owned(),
        };
        let lines = vec![
            line("m0", "customer", Token::Written(1, 0), "2"),
            line(SENT, "team", Token::Send(1), "3"),
            line("m1", "customer", Token::Written(1, 1), "4"),
        ];
        let mut told = Told::new();
        for (kind, at, message) in [
            ("conversation.created", "1", ""),
            ("message.received", "2", "m0"),
            ("message.sent", "3", SENT),
            ("message.received", "4", "m1"),
            ("message.delivered", "5", SENT),
            ("message.read", "6", SENT),
        ] {
            let mut delivery = Delivery::made_up(kind, at, "c", message);
            delivery.network_id = if message == SENT { "wamid.1".to_owned() } else { String::new() };
            told.insert(format!("d{at}"), delivery);
        }
        told.insert("d7".to_owned(), Delivery::made_up("message.read", "7", "", "m-code"));
        Books {
            sends: vec![send(1, Kind::Notice, SENT), send(2, Kind::Code, "m-code")],
            accepted: BTreeMap::from([(1, 1), (2, 1)]),
            delivered_first: BTreeSet::from(["wamid.1".to_owned()]),
            written: BTreeMap::from([(1, 2)]),
            conversations: vec![Conversation { id: "c".to_owned(), lines }],
            told: vec![told],
            waiting: Vec::new(),
        }
    }

    fn found(books: &Books) -> Vec<&'static str> {
        let mut report = Report::default();
        reconcile(books, &mut report);
        report.faults.iter().filter(|fault| fault.times > 0).map(|fault| fault.name).collect()
    }

    #[test]
    fn nothing_is_found_where_everything_is_as_it_should_be() {
        assert_eq!(found(&sound()), Vec::<&str>::new());
    }

    #[test]
    fn each_thing_that_may_go_wrong_is_found_by_its_name() {
        type Harm = fn(&mut Books);
        let harms: [(&str, Harm); 15] = [
            ("sends twice at the network", |books| _ = books.accepted.insert(1, 2)),
            ("sends answered 201 that the network never took", |books| _ = books.accepted.remove(&2)),
            ("sends at the network, and never answered so", |books| {
                books.sends[1].outcome = Outcome::Unknown;
            }),
            ("sends answered under several ids", |books| books.sends[0].other_ids.push("m9".to_owned())),
            ("sends that were never ended", |books| {
                books.sends[1].outcome = Outcome::Open;
                books.accepted.remove(&2);
            }),
            ("sends at the network that are in no conversation", |books| {
                drop(books.conversations[0].lines.remove(1));
            }),
            ("sends that are in a conversation twice", |books| {
                let mut again = books.conversations[0].lines[1].clone();
                again.created_at = "9".to_owned();
                books.conversations[0].lines.push(again);
            }),
            ("one-time codes in a conversation", |books| books.sends[0].kind = Kind::Code),
            ("messages of customers that were acknowledged and lost", |books| {
                books.written.insert(1, 3);
            }),
            ("customers with a message that is there twice", |books| {
                let mut again = books.conversations[0].lines[2].clone();
                again.created_at = "9".to_owned();
                books.conversations[0].lines.push(again);
            }),
            ("customers whose messages are out of order", |books| {
                books.conversations[0].lines[0].token = Some(Token::Written(1, 1));
                books.conversations[0].lines[2].token = Some(Token::Written(1, 0));
            }),
            ("conversations whose messages' times do not ascend", |books| {
                books.conversations[0].lines[1].created_at = "2".to_owned();
            }),
            ("events never told", |books| drop(books.told[0].remove("d5"))),
            ("messages received in another order than they stand", |books| {
                books.told[0].get_mut("d4").unwrap().created_at = "1.5".to_owned();
            }),
            ("left waiting in the database", |books| books.waiting.push("journal: 1".to_owned())),
        ];
        for (name, harm) in harms {
            let mut books = sound();
            harm(&mut books);
            assert!(found(&books).contains(&name), "{name}: {:?}", found(&books));
        }
    }

    #[test]
    fn every_event_that_is_missing_is_found() {
        for id in ["d2", "d3", "d4", "d5", "d6", "d7"] {
            let mut books = sound();
            books.told[0].remove(id);
            assert!(found(&books).contains(&"events never told"), "{id}");
        }
    }
}
