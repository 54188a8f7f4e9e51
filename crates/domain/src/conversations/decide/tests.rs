use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::json;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{DecisionContext, MoveRefusal, TeamMembership, decide};
use crate::{
    conversation::{Conversation, ConversationStatus, Group},
    conversations::{Actor, Change, Command, Move, UNDONE_WITHIN, customer_wrote, undo},
    events::{Customer, EventData, EventType},
    ids::{GroupId, MemberId},
    messages::{Step, Sweeper, SystemMessage},
    testing::{SequentialIds, a_contact, a_conversation, a_moment},
};

fn member(number: u128) -> MemberId {
    Uuid::from_u128(number).into()
}

fn group(number: u128) -> Group {
    Group { id: Uuid::from_u128(0x60 + number).into(), name: format!("group {number}") }
}

/// Returns a context in which members 1 to 3 are on the team, 1 and 2 in group 1, 3 in group 2; member 4 has
/// left.
fn context(conversation: &Conversation, command: Command, unanswered: bool) -> DecisionContext {
    let here = |who: MemberId| (1..=3).any(|number| who == member(number));
    let in_group = |which: GroupId, who: MemberId| {
        let members: &[u128] = if which == group(1).id { &[1, 2] } else { &[3] };
        members.iter().any(|&number| who == member(number))
    };
    DecisionContext {
        conversation: conversation.clone(),
        customer: Customer::of(&a_contact()),
        holder_is_here: conversation.assigned_to.is_some_and(here),
        moved_at: None,
        unanswered,
        group: [group(1), group(2)].into_iter().find(|known| Some(known.id) == command.group()),
        member: match (command.member(), command.group()) {
            (Some(who), Some(which)) if in_group(which, who) => TeamMembership::InGroup,
            (Some(who), _) if here(who) => TeamMembership::OnTeam,
            _ => TeamMembership::NotOnTeam,
        },
    }
}

fn by(number: u128) -> Actor {
    Actor::Member(member(number))
}

fn rule() -> Actor {
    Actor::Automation { name: "night".to_owned() }
}

fn assistant() -> Actor {
    Actor::Assistant { need: "wants a refund".to_owned() }
}

fn bot() -> Conversation {
    Conversation { announced: true, ..a_conversation() }
}

fn open(holder: Option<u128>) -> Conversation {
    Conversation { status: ConversationStatus::Open, assigned_to: holder.map(member), ..bot() }
}

fn closed() -> Conversation {
    Conversation { status: ConversationStatus::Closed, ..bot() }
}

fn run(conversation: &Conversation, by: Actor, command: Command) -> Result<Option<Change>, MoveRefusal> {
    let asked = Move { by, command };
    decide(&context(conversation, command, true), &asked, a_moment(), &SequentialIds::default())
}

/// Returns where a conversation ends up, and what is announced.
fn outcome(conversation: &Conversation, by: Actor, command: Command) -> Outcome {
    use EventType::{ConversationAssigned as A, ConversationClosed as C, ConversationReturned as R};
    match run(conversation, by, command) {
        Err(refusal) => Outcome::Refused(refusal),
        Ok(None) => Outcome::Stays,
        Ok(Some(change)) => {
            let letter = |kind| match kind {
                A => 'a',
                C => 'c',
                R => 'r',
                _ => 'g',
            };
            let told = change.events.iter().map(|event| letter(event.kind)).collect();
            let Conversation { status, assigned_to, group, .. } = change.conversation;
            Outcome::Moves(status, assigned_to, group.map(|group| group.id), told)
        }
    }
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Stays,
    Refused(MoveRefusal),
    Moves(ConversationStatus, Option<MemberId>, Option<GroupId>, String),
}

#[test]
fn every_rule_in_one_table() {
    use Command::{
        Assign, Close, CloseIdle, HandOver, LetGo, Return, ReturnUnanswered, SendToGroup, SendToMember, Take,
        TakeOutOfGroups,
    };
    use ConversationStatus::{Bot, Closed, Open};
    use MoveRefusal::{HeldBy, NoSuchGroup, NotInGroup, NotOnTeam};
    use Outcome::{Refused, Stays};
    let moves = |status, holder: Option<u128>, in_group: Option<u128>, told: &str| {
        let in_group = in_group.map(|number| group(number).id);
        Outcome::Moves(status, holder.map(member), in_group, told.to_owned())
    };
    let (g1, g9) = (group(1).id, group(9).id);
    let last = a_conversation().last_message_at;
    let (idle, busy) = (last, last - Duration::SECOND);
    let in_g1 = |conversation| Conversation { group: Some(group(1)), ..conversation };
    for (conversation, actor, command, expected) in [
        (bot(), by(1), Take(member(1)), moves(Open, Some(1), None, "a")),
        (open(None), by(1), Take(member(1)), moves(Open, Some(1), None, "a")),
        (open(Some(1)), by(1), Take(member(1)), Stays),
        (open(Some(2)), by(1), Take(member(1)), Refused(HeldBy(member(2)))),
        (open(Some(4)), by(1), Take(member(1)), moves(Open, Some(1), None, "a")),
        (closed(), by(1), Take(member(1)), moves(Open, Some(1), None, "a")),
        (bot(), by(4), Take(member(4)), Refused(NotOnTeam)),
        (open(Some(2)), by(1), Assign(member(3)), moves(Open, Some(3), None, "a")),
        (closed(), by(1), Assign(member(3)), moves(Open, Some(3), None, "a")),
        (bot(), by(1), Assign(member(4)), Refused(NotOnTeam)),
        (bot(), rule(), Assign(member(3)), moves(Open, Some(3), None, "a")),
        (open(Some(2)), rule(), Assign(member(3)), Refused(HeldBy(member(2)))),
        (closed(), rule(), Assign(member(3)), Refused(MoveRefusal::Closed)),
        (bot(), assistant(), HandOver(None), moves(Open, None, None, "a")),
        (bot(), assistant(), HandOver(Some(member(2))), moves(Open, Some(2), None, "a")),
        (closed(), assistant(), HandOver(None), moves(Open, None, None, "a")),
        (open(Some(1)), assistant(), HandOver(None), Stays),
        (open(Some(1)), assistant(), HandOver(Some(member(2))), Refused(HeldBy(member(1)))),
        (bot(), by(1), Close, moves(Closed, None, None, "c")),
        (in_g1(open(Some(1))), by(2), Close, moves(Closed, None, Some(1), "c")),
        (closed(), by(1), Close, Stays),
        (
            open(Some(1)),
            Actor::Sweeper(Sweeper::IdleClose),
            CloseIdle { since: idle },
            moves(Closed, None, None, "c"),
        ),
        (open(Some(1)), Actor::Sweeper(Sweeper::IdleClose), CloseIdle { since: busy }, Stays),
        (closed(), Actor::Sweeper(Sweeper::IdleClose), CloseIdle { since: idle }, Stays),
        (in_g1(open(Some(1))), by(1), Return, moves(Bot, None, Some(1), "r")),
        (closed(), by(1), Return, moves(Bot, None, None, "r")),
        (bot(), by(1), Return, Stays),
        (
            open(Some(1)),
            Actor::Sweeper(Sweeper::UnansweredReturn),
            ReturnUnanswered { since: idle },
            moves(Bot, None, None, "r"),
        ),
        (open(None), Actor::Sweeper(Sweeper::UnansweredReturn), ReturnUnanswered { since: busy }, Stays),
        (closed(), Actor::Sweeper(Sweeper::UnansweredReturn), ReturnUnanswered { since: idle }, Stays),
        (bot(), by(1), SendToGroup(g1), moves(Bot, None, Some(1), "g")),
        (open(Some(1)), by(1), SendToGroup(g1), moves(Open, None, Some(1), "g")),
        (open(Some(1)), rule(), SendToGroup(g1), moves(Open, Some(1), Some(1), "g")),
        (closed(), by(1), SendToGroup(g1), moves(Closed, None, Some(1), "g")),
        (in_g1(open(None)), by(1), SendToGroup(g1), Stays),
        (in_g1(open(Some(1))), by(1), SendToGroup(g1), moves(Open, None, Some(1), "g")),
        (bot(), by(1), SendToGroup(g9), Refused(NoSuchGroup)),
        (bot(), by(1), SendToMember(g1, member(2)), moves(Open, Some(2), Some(1), "ga")),
        (in_g1(open(Some(1))), by(1), SendToMember(g1, member(2)), moves(Open, Some(2), Some(1), "ga")),
        (in_g1(open(Some(2))), by(1), SendToMember(g1, member(2)), Stays),
        (bot(), by(1), SendToMember(g1, member(3)), Refused(NotInGroup)),
        (bot(), by(1), SendToMember(g1, member(4)), Refused(NotOnTeam)),
        (bot(), by(1), SendToMember(g9, member(2)), Refused(NoSuchGroup)),
        (open(Some(3)), rule(), SendToMember(g1, member(2)), Refused(HeldBy(member(3)))),
        (in_g1(open(Some(1))), by(1), TakeOutOfGroups, moves(Open, Some(1), None, "")),
        (bot(), by(1), TakeOutOfGroups, Stays),
        (in_g1(open(Some(2))), by(1), LetGo(member(2)), moves(Open, None, Some(1), "a")),
        (open(Some(1)), by(1), LetGo(member(2)), Stays),
    ] {
        assert_eq!(
            outcome(&conversation, actor.clone(), command),
            expected,
            "{actor:?} {command:?} on {conversation:?}"
        );
    }
}

#[test]
fn an_answered_conversation_is_not_returned_however_long_ago() {
    let command = Command::ReturnUnanswered { since: a_moment() };
    let asked = Move { by: Actor::Sweeper(Sweeper::UnansweredReturn), command };
    let context = context(&open(Some(1)), command, false);
    assert!(decide(&context, &asked, a_moment(), &SequentialIds::default()).unwrap().is_none());
}

#[test]
fn a_conversation_that_was_just_taken_is_left_alone_however_old_its_last_message_is() {
    let last = a_conversation().last_message_at;
    let ids = SequentialIds::default();
    for (sweeper, command) in [
        (Sweeper::IdleClose, Command::CloseIdle { since: last }),
        (Sweeper::UnansweredReturn, Command::ReturnUnanswered { since: last }),
    ] {
        let asked = Move { by: Actor::Sweeper(sweeper), command };
        for (moved_at, moves) in [(last, true), (last + Duration::SECOND, false)] {
            let context =
                DecisionContext { moved_at: Some(moved_at), ..context(&open(Some(1)), command, true) };
            assert_eq!(decide(&context, &asked, a_moment(), &ids).unwrap().is_some(), moves, "{sweeper:?}");
        }
    }
}

#[test]
fn a_move_says_why_in_its_events_and_in_the_conversations_own_system_messages() {
    let said = |conversation: &Conversation, by: Actor, command| {
        let change = run(conversation, by, command).unwrap().unwrap();
        let reasons: Vec<String> = change
            .events
            .iter()
            .map(|event| match &event.data {
                EventData::Conversation { reason: Some(reason), reopened: None, .. } => reason.to_string(),
                other => panic!("{other:?}"),
            })
            .collect();
        let system_messages: Vec<(Option<String>, String)> =
            change.system_messages.into_iter().map(|line| (line.sender_id, line.content)).collect();
        (reasons, system_messages)
    };
    let one = Some(member(1).to_string());
    let to_member = Command::SendToMember(group(1).id, member(2));
    for (conversation, actor, command, reason, system_messages) in [
        (bot(), by(1), Command::Take(member(1)), "manual", vec![(one.clone(), "assigned")]),
        (
            bot(),
            assistant(),
            Command::HandOver(None),
            "ai_escalation: wants a refund",
            vec![(None, "assigned (ai_escalation: wants a refund)")],
        ),
        (bot(), rule(), Command::Close, "automation:night", vec![(None, "closed (automation:night)")]),
        (
            bot(),
            Actor::Sweeper(Sweeper::IdleClose),
            Command::CloseIdle { since: a_moment() },
            "idle_close",
            vec![(None, "closed (idle_close)")],
        ),
        (
            open(None),
            Actor::Sweeper(Sweeper::UnansweredReturn),
            Command::ReturnUnanswered { since: a_moment() },
            "unanswered_return",
            vec![(None, "returned (unanswered_return)")],
        ),
        (
            bot(),
            by(1),
            to_member,
            "manual",
            vec![(one.clone(), "sent_to_group: group 1"), (one.clone(), "assigned")],
        ),
        (
            bot(),
            rule(),
            Command::SendToGroup(group(2).id),
            "automation:night",
            vec![(None, "sent_to_group: group 2 (automation:night)")],
        ),
    ] {
        let (reasons, said) = said(&conversation, actor, command);
        assert!(reasons.iter().all(|given| given == reason), "{reasons:?}");
        let system_messages: Vec<_> =
            system_messages.into_iter().map(|(who, what)| (who, what.to_owned())).collect();
        assert_eq!(said, system_messages);
    }
}

#[test]
fn a_system_message_is_kept_as_data_that_reads_back() {
    let told = |conversation: &Conversation, by: Actor, command| -> Vec<serde_json::Value> {
        let change = run(conversation, by, command).unwrap().unwrap();
        let lines = change.system_messages.into_iter().map(|message| message.system_message.unwrap());
        lines
            .map(|line| {
                let kept = serde_json::to_value(&line).unwrap();
                assert_eq!(serde_json::from_value::<SystemMessage>(kept.clone()).unwrap(), *line);
                assert_eq!(kept["kind"], line.kind.as_str());
                kept
            })
            .collect()
    };
    let to_member = Command::SendToMember(group(1).id, member(2));
    for (conversation, actor, command, wanted) in [
        (
            bot(),
            by(1),
            Command::Take(member(1)),
            json!([{ "kind": "assigned", "to": member(1), "before": "assistant" }]),
        ),
        (
            open(Some(2)),
            by(1),
            Command::Close,
            json!([{ "kind": "closed", "before": { "member": member(2) } }]),
        ),
        (
            bot(),
            by(1),
            to_member,
            json!([
                { "kind": "sent_to_group", "group": "group 1" },
                { "kind": "assigned", "to": member(2) },
            ]),
        ),
        (
            bot(),
            assistant(),
            Command::HandOver(None),
            json!([{ "kind": "assigned", "cause": { "assistant": "wants a refund" } }]),
        ),
        (bot(), rule(), Command::Close, json!([{ "kind": "closed", "cause": { "automation": "night" } }])),
        (
            bot(),
            Actor::Sweeper(Sweeper::IdleClose),
            Command::CloseIdle { since: a_moment() },
            json!([{ "kind": "closed", "cause": { "sweeper": "idle_close" } }]),
        ),
    ] {
        assert_eq!(json!(told(&conversation, actor, command)), wanted);
    }
    for sweeper in Sweeper::ALL {
        assert_eq!(json!(sweeper), sweeper.as_str());
    }
    for step in Step::ALL {
        assert_eq!(json!(step), step.as_str());
    }
}

#[test]
fn what_a_member_did_is_undone_by_a_move_that_leads_back() {
    use Command::{Assign, Close, HandOver, LetGo, Return, SendToGroup, SendToMember, Take};
    for (before, command, wanted) in [
        (open(Some(1)), Close, Some(Assign(member(1)))),
        (open(None), Close, Some(HandOver(None))),
        (bot(), Close, Some(Return)),
        (closed(), Take(member(1)), Some(Close)),
        (bot(), Take(member(1)), Some(Return)),
        (open(None), Assign(member(2)), Some(LetGo(member(2)))),
        (open(Some(1)), Assign(member(2)), Some(Assign(member(1)))),
        (open(Some(2)), Return, Some(Assign(member(2)))),
        (bot(), HandOver(None), Some(Return)),
        (open(None), SendToGroup(group(1).id), None),
        (bot(), SendToMember(group(1).id, member(2)), None),
    ] {
        let change = run(&before, by(1), command).unwrap().unwrap();
        let newest = change.system_messages.last().unwrap();
        let undo_by = |who: u128, later| undo(newest, &member(who).to_string(), newest.created_at + later);
        assert_eq!(undo_by(1, UNDONE_WITHIN), wanted, "{before:?} {command:?}");
        assert_eq!(undo_by(2, Duration::ZERO), None, "another member did it");
        assert_eq!(undo_by(1, UNDONE_WITHIN + Duration::SECOND), None, "it was long ago");
        let Some(command) = wanted else { continue };
        let back = run(&change.conversation, by(1), command).unwrap().unwrap().conversation;
        let place = |it: &Conversation| (it.status, it.assigned_to, it.group.clone());
        assert_eq!(place(&back), place(&before), "{before:?} {command:?}");
    }
    let swept = run(&open(Some(1)), rule(), Close).unwrap().unwrap();
    assert_eq!(undo(&swept.system_messages[0], &member(1).to_string(), a_moment()), None, "a rule did it");
}

#[test]
fn the_events_of_one_move_are_in_order_by_their_times() {
    let change = run(&bot(), by(1), Command::SendToMember(group(1).id, member(2))).unwrap().unwrap();
    let times: Vec<_> = change.events.iter().map(|event| (event.kind, event.created_at)).collect();
    assert_eq!(
        times,
        [
            (EventType::ConversationSentToGroup, a_moment()),
            (EventType::ConversationAssigned, a_moment() + Duration::MILLISECOND),
        ]
    );
}

/// A step of a walk.
#[derive(Debug, Clone)]
enum Happens {
    Asked(Move, bool),
    Wrote,
}

fn happens() -> impl Strategy<Value = Happens> {
    let last = a_conversation().last_message_at;
    let times: Vec<OffsetDateTime> = (-1..=3).map(|hours| last + Duration::hours(hours)).collect();
    let who = (1_u128..=4).prop_map(member);
    let which = (1_u128..=3).prop_map(|number| group(number).id);
    let command = prop_oneof![
        who.clone().prop_map(Command::Take),
        who.clone().prop_map(Command::Assign),
        proptest::option::of(who.clone()).prop_map(Command::HandOver),
        Just(Command::Close),
        select(times.clone()).prop_map(|since| Command::CloseIdle { since }),
        Just(Command::Return),
        select(times).prop_map(|since| Command::ReturnUnanswered { since }),
        which.clone().prop_map(Command::SendToGroup),
        (which, who.clone()).prop_map(|(group, member)| Command::SendToMember(group, member)),
        Just(Command::TakeOutOfGroups),
        who.clone().prop_map(Command::LetGo),
    ];
    let actor = prop_oneof![
        who.prop_map(Actor::Member),
        Just(rule()),
        Just(assistant()),
        select(&Sweeper::ALL[..]).prop_map(Actor::Sweeper),
    ];
    prop_oneof![
        5 => (actor, command, any::<bool>())
            .prop_map(|(by, command, unanswered)| Happens::Asked(Move { by, command }, unanswered)),
        1 => Just(Happens::Wrote),
    ]
}

/// Checks what holds of any change.
fn check(before: &Conversation, change: &Change) {
    let after = &change.conversation;
    assert_eq!(change.before_version, before.version);
    assert!(after.assigned_to.is_none() || after.status == ConversationStatus::Open, "{after:?}");
    assert_eq!((after.id, after.contact, after.channel), (before.id, before.contact, before.channel));
    assert_eq!(after.created_at, before.created_at);
    for event in &change.events {
        let EventData::Conversation { conversation, reason, reopened, .. } = &event.data else {
            panic!("{event:?}")
        };
        assert_eq!(conversation, after);
        let created = event.kind == EventType::ConversationCreated;
        assert_eq!((reason.is_some(), reopened.is_some()), (!created, created));
        match event.kind {
            EventType::ConversationAssigned => assert_eq!(after.status, ConversationStatus::Open),
            EventType::ConversationClosed => assert_eq!(after.status, ConversationStatus::Closed),
            EventType::ConversationReturned => assert_eq!(after.status, ConversationStatus::Bot),
            EventType::ConversationSentToGroup => assert!(after.group.is_some()),
            _ => assert!(created && after.announced),
        }
    }
}

/// Checks what holds of a move that was asked for.
fn check_move(before: &Conversation, asked: &Move, unanswered: bool, change: &Change) {
    let after = &change.conversation;
    assert_eq!(after.version, before.version + 1);
    assert_eq!(after.last_message_at, before.last_message_at);
    let place = |conversation: &Conversation| {
        (conversation.status, conversation.assigned_to, conversation.group.clone())
    };
    assert_ne!(place(before), place(after));
    let announced = match asked.command {
        Command::SendToMember(..) => 2,
        Command::TakeOutOfGroups => 0,
        _ => 1,
    };
    assert_eq!(change.events.len(), announced);
    assert_eq!(change.system_messages.len(), announced.max(1));
    if asked.command.group().is_none() && asked.command != Command::TakeOutOfGroups {
        assert_eq!(after.group, before.group);
    }
    let again = context(after, asked.command, unanswered);
    let again = decide(&again, asked, a_moment(), &SequentialIds::default());
    assert!(!matches!(again, Ok(Some(_))), "a command that is given twice moves a conversation once");
}

proptest! {
    #[test]
    fn no_walk_breaks_the_invariants(steps in vec(happens(), 1..40)) {
        let mut conversation = a_conversation();
        let mut announced = 0;
        for (step, happens) in steps.into_iter().enumerate() {
            let before = conversation.clone();
            match happens {
                Happens::Wrote => {
                    let at = conversation.last_message_at + Duration::hours(i64::try_from(step).unwrap() % 2);
                    let change = customer_wrote(&conversation, &Customer::of(&a_contact()), at);
                    check(&before, &change);
                    let moved = i64::from(!change.events.is_empty());
                    prop_assert_eq!(change.conversation.version, before.version + moved);
                    prop_assert_eq!(&change.conversation.group, &before.group);
                    let fresh = change.events.iter().filter(|event| {
                        matches!(event.data, EventData::Conversation { reopened: Some(false), .. })
                    });
                    announced += fresh.count();
                    prop_assert!(announced <= 1);
                    conversation = change.conversation;
                }
                Happens::Asked(asked, unanswered) => {
                    let context = context(&conversation, asked.command, unanswered);
                    if let Ok(Some(change)) = decide(&context, &asked, a_moment(), &SequentialIds::default()) {
                        check(&before, &change);
                        check_move(&before, &asked, unanswered, &change);
                        conversation = change.conversation;
                    }
                }
            }
        }
    }
}
