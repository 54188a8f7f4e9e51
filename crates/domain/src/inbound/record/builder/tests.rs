//! Outcomes of batches.

use time::Duration;
use uuid::Uuid;

use super::{super::people, BatchOutcome, Entry, decide};
use crate::{
    contacts::{Contact, Identity},
    conversation::{Conversation, ConversationStatus},
    events::EventType,
    ids::MessageId,
    inbound::{
        ConversationUpdate, JournalEntry, JournalItem, KnownMessage, KnownPerson, LookupResult, Person,
        SeenUpTo, UpdateKind, UpdateOutcome, Written,
    },
    messages::{Context, DeliveryStatus, Role},
    testing::{SequentialIds, a_contact, a_conversation, a_moment, a_recipient, a_workspace},
};

fn written(number: u32) -> Written {
    Written {
        network_id: format!("wamid.{number}").into(),
        content: format!("message {number}"),
        media: Vec::new(),
        context: Context::default(),
    }
}

fn wrote(number: u32) -> UpdateKind {
    UpdateKind::Wrote(written(number))
}

fn echoed(number: u32) -> UpdateKind {
    UpdateKind::Echoed { written: written(number), tag: None, by_us: false }
}

fn reacted(number: u32, emoji: &str) -> UpdateKind {
    UpdateKind::Reacted { message: written(number).network_id, emoji: Some(emoji.to_owned()) }
}

fn edited(number: u32, content: &str) -> UpdateKind {
    UpdateKind::Edited {
        message: written(number).network_id,
        content: content.to_owned(),
        held_elsewhere: false,
    }
}

/// Person, age in seconds and kind of an update that was received when it happened.
type Told<'a> = (&'a str, i64, UpdateKind);

/// `sara` has the number of [`a_contact`], `page` writes to a page, all others are user ids.
fn identity(name: &str) -> Identity {
    match name {
        "sara" => Identity::Phone(a_recipient()),
        "page" => Identity::MessengerUser(name.to_owned()),
        _ => Identity::WhatsappUser(name.to_owned()),
    }
}

fn decided(known: &LookupResult, told: &[Told<'_>]) -> BatchOutcome {
    let entry = |(number, (name, ago, what)): (u32, &Told<'_>)| {
        let at = a_moment() - Duration::seconds(*ago);
        let person = Person { identities: vec![identity(name)], name: None, avatar_url: None };
        let update = Box::new(ConversationUpdate { person, at, what: what.clone() });
        let item = JournalItem::Conversation { channel: a_conversation().channel, update };
        let id = Uuid::from_u128(number.into()).into();
        JournalEntry { id, workspace: a_workspace().id, received_at: at, attempts: 1, item }
    };
    let journaled: Vec<JournalEntry> = (0..).zip(told).map(entry).collect();
    let entries: Vec<Entry<'_>> = journaled.iter().filter_map(Entry::of).collect();
    let people = people::presented(entries.iter().map(|entry| entry.update));
    decide(&entries, &people, known, a_moment(), &SequentialIds::default())
}

/// Makes Sara with her conversation and message 9 in it.
fn known(conversation: Conversation) -> LookupResult {
    let person = KnownPerson {
        contact: a_contact(),
        avatar_url: None,
        identities: [identity("sara")].into(),
        conversations: vec![conversation],
    };
    let message = KnownMessage { network_id: written(9).network_id, id: nine() };
    LookupResult { people: vec![person], messages: vec![message] }
}

fn nine() -> MessageId {
    Uuid::from_u128(9).into()
}

fn announced() -> Conversation {
    Conversation { announced: true, ..a_conversation() }
}

#[test]
fn each_update_is_finished_waits_or_is_let_go() {
    let seen = UpdateKind::Seen { status: DeliveryStatus::Read, up_to: SeenUpTo::Time(a_moment()) };
    for (what, ago, outcome, messages, marks) in [
        (wrote(1), 0, UpdateOutcome::Finished, 1, 0),
        (wrote(9), 0, UpdateOutcome::Finished, 0, 0),
        // A message written on the phone is the team's at once: the assistant falls silent, and a yes may
        // answer it.
        (echoed(1), 0, UpdateOutcome::Finished, 1, 0),
        (echoed(9), 0, UpdateOutcome::Finished, 0, 0),
        (reacted(9, "👍"), 0, UpdateOutcome::Finished, 0, 1),
        // The message may be posted after its reaction.
        (reacted(1, "👍"), 59, UpdateOutcome::Waits, 0, 0),
        (reacted(1, "👍"), 60, UpdateOutcome::Handled, 0, 0),
        (edited(9, "new"), 0, UpdateOutcome::Finished, 0, 1),
        // If the message never comes, its new text is all there is of it.
        (edited(1, "new"), 59, UpdateOutcome::Waits, 0, 0),
        (edited(1, "new"), 60, UpdateOutcome::Finished, 1, 0),
        (UpdateKind::Deleted { message: written(9).network_id }, 0, UpdateOutcome::Finished, 0, 1),
        (UpdateKind::Renumbered { now: vec![identity("other")] }, 0, UpdateOutcome::Finished, 0, 0),
        (seen, 0, UpdateOutcome::Handled, 0, 0),
    ] {
        let about = format!("{what:?} {ago}");
        let BatchOutcome { batch, outcomes } = decided(&known(announced()), &[("sara", ago, what)]);
        assert_eq!(outcomes, std::slice::from_ref(&outcome), "{about}");
        assert_eq!((batch.messages.len(), batch.marks.len()), (messages, marks), "{about}");
        assert_eq!(batch.done.len(), usize::from(outcome == UpdateOutcome::Finished), "{about}");
    }
}

#[test]
fn a_message_that_comes_twice_is_recorded_once_and_both_are_done_with() {
    let told = [("new", 2, wrote(1)), ("new", 2, wrote(1)), ("new", 1, wrote(2))];
    let BatchOutcome { batch, outcomes } = decided(&LookupResult::default(), &told);
    assert_eq!((outcomes, batch.done.len()), (vec![UpdateOutcome::Finished; 3], 3));
    let contents: Vec<&str> = batch.messages.iter().map(|new| new.message.content.as_str()).collect();
    assert_eq!(contents, ["message 1", "message 2"]);
    assert_eq!((batch.new_contacts.len(), batch.conversations.len()), (1, 1));
    let began: Vec<bool> = batch.messages.iter().map(|new| new.began).collect();
    assert_eq!(began, [true, false]);
}

#[test]
fn what_was_acknowledged_first_is_recorded_first_whatever_the_network_s_clock_says() {
    let told = [("sara", 1, wrote(3)), ("other", 2, wrote(2)), ("sara", 3, wrote(1))];
    let BatchOutcome { batch, .. } = decided(&known(announced()), &told);
    let contents: Vec<&str> = batch.messages.iter().map(|new| new.message.content.as_str()).collect();
    assert_eq!(contents, ["message 3", "message 2", "message 1"]);
    let kinds: Vec<EventType> = batch.events.iter().map(|event| event.kind).collect();
    let (created, received) = (EventType::ConversationCreated, EventType::MessageReceived);
    assert_eq!(kinds, [received, created, received, received]);
    let sara = &batch.active[0];
    assert_eq!(sara.contact, a_contact().id);
    assert_eq!(sara.activity.wrote_at, Some(a_moment() - Duration::seconds(1)), "when she last wrote");
}

#[test]
fn what_happens_in_a_conversation_has_ascending_times_whatever_the_clock_of_a_node_says() {
    let ahead = a_moment() + Duration::seconds(5);
    for (conversation, first) in [
        (a_conversation(), a_moment()),
        (Conversation { stamped_at: Some(ahead), ..a_conversation() }, ahead + Duration::MILLISECOND),
    ] {
        let told =
            [("sara", 0, wrote(1)), ("sara", 0, wrote(2)), ("other", 0, wrote(3)), ("sara", 0, wrote(4))];
        let BatchOutcome { batch, .. } = decided(&known(conversation.clone()), &told);
        let of_sara: Vec<_> =
            batch.messages.iter().filter(|new| new.message.conversation == conversation.id).collect();
        let times: Vec<_> = of_sara.iter().map(|new| new.message.created_at).collect();
        // The first millisecond is that of the conversation's announcement.
        assert_eq!(times, [1, 2, 3].map(|later| first + Duration::milliseconds(later)));
        assert_eq!(
            (batch.events[0].kind, batch.events[0].created_at),
            (EventType::ConversationCreated, first)
        );
        let change =
            batch.conversations.iter().find(|change| change.conversation.id == conversation.id).unwrap();
        assert_eq!(
            (change.first_stamp, change.conversation.stamped_at),
            (Some(first), times.last().copied())
        );
        assert_eq!(change.conversation.last_message_at, *times.last().unwrap());
    }
}

#[test]
fn a_known_conversation_moves_on_from_its_version_and_a_closed_one_comes_back() {
    let closed = Conversation { status: ConversationStatus::Closed, ..announced() };
    for (conversation, status, version, events) in [
        (announced(), ConversationStatus::Bot, 0, 1),
        (a_conversation(), ConversationStatus::Bot, 1, 2),
        (closed, ConversationStatus::Bot, 1, 2),
    ] {
        let BatchOutcome { batch, .. } = decided(&known(conversation.clone()), &[("sara", 0, wrote(1))]);
        let [change] = batch.conversations.as_slice() else { panic!("one conversation") };
        assert_eq!(change.before_version, Some(conversation.version));
        assert_eq!(
            (change.conversation.status, change.conversation.version - conversation.version),
            (status, version)
        );
        assert_eq!(change.customer_wrote_at, Some(a_moment()));
        assert_eq!((batch.events.len(), batch.messages[0].began), (events, version > 0));
        assert_eq!((batch.new_contacts.len(), batch.active.len()), (0, 1));
    }
}

#[test]
fn an_echo_of_a_page_waits_since_it_may_be_a_send_of_ours_whose_answer_is_being_written_down() {
    for (ago, outcome, messages) in [(9, UpdateOutcome::Waits, 0), (10, UpdateOutcome::Finished, 1)] {
        let BatchOutcome { batch, outcomes } = decided(&LookupResult::default(), &[("page", ago, echoed(1))]);
        assert_eq!((outcomes, batch.messages.len()), (vec![outcome], messages), "{ago}");
    }
}

#[test]
fn the_team_s_own_words_are_theirs_and_announce_no_conversation() {
    let BatchOutcome { batch, .. } = decided(&LookupResult::default(), &[("new", 11, echoed(1))]);
    let [new] = batch.messages.as_slice() else { panic!("one message") };
    assert_eq!((new.message.role, new.began), (Role::Team, false));
    assert_eq!(batch.events.iter().map(|event| event.kind).collect::<Vec<_>>(), [EventType::MessageSent]);
    let [conversation] = batch.conversations.as_slice() else { panic!("one conversation") };
    assert_eq!((conversation.conversation.announced, conversation.customer_wrote_at), (false, None));
    assert_eq!(batch.new_contacts[0].activity.wrote_at, None);
}

#[test]
fn of_what_was_done_to_a_message_the_latest_by_the_network_s_clock_counts() {
    let taken_back = UpdateKind::Reacted { message: written(9).network_id, emoji: None };
    let told = [
        ("sara", 1, edited(9, "latest")),
        ("sara", 5, edited(9, "first")),
        ("sara", 3, reacted(9, "👍")),
        ("sara", 2, taken_back),
    ];
    let BatchOutcome { batch, .. } = decided(&known(announced()), &told);
    let [mark] = batch.marks.as_slice() else { panic!("one message") };
    let at = |ago| a_moment() - Duration::seconds(ago);
    assert_eq!(mark.message, nine());
    assert_eq!(mark.edited, Some(("latest".to_owned(), at(1))));
    assert_eq!(mark.reaction, Some((None, at(2))));
    assert!(batch.events.is_empty() && batch.conversations.is_empty() && batch.active.is_empty());
}

#[test]
fn a_message_names_the_one_that_it_answers_by_its_own_id_where_that_is_known() {
    let answering = |number: u32, to: u32| {
        let context =
            Context { reply_to: Some(written(to).network_id), forwarded: true, ..Context::default() };
        UpdateKind::Wrote(Written { context, ..written(number) })
    };
    let sent = MessageId::from(Uuid::from_u128(0x99));
    let known = LookupResult {
        messages: vec![KnownMessage { network_id: written(9).network_id, id: sent }],
        ..LookupResult::default()
    };
    let told = [
        ("sara", 4, wrote(1)),
        ("sara", 3, answering(2, 1)),
        ("sara", 2, answering(3, 9)),
        ("sara", 1, answering(4, 7)),
    ];
    let batch = decided(&known, &told).batch;
    let first = batch.messages[0].message.id;
    let answered: Vec<_> = batch.messages.iter().map(|new| new.message.context.reply_to).collect();
    assert_eq!(answered, [None, Some(first), Some(sent), None]);
    let unknown: Vec<_> = batch.messages.iter().map(|new| new.message.context.reply_to_unknown).collect();
    assert_eq!(unknown, [false, false, false, true]);
    assert!(batch.messages[3].message.context.forwarded, "the rest stays");
}

#[test]
fn rows_are_locked_in_one_order() {
    let people: Vec<KnownPerson> = [7_u128, 3, 5]
        .into_iter()
        .map(|number| {
            let contact = Contact { id: Uuid::from_u128(number).into(), phone: None, ..a_contact() };
            let id = Uuid::from_u128(100 - number).into();
            let conversation = Conversation { id, contact: contact.id, ..announced() };
            let identities = [identity(&number.to_string())].into();
            KnownPerson { contact, avatar_url: None, identities, conversations: vec![conversation] }
        })
        .collect();
    let told = [("7", 3, wrote(1)), ("3", 2, wrote(2)), ("5", 1, wrote(3))];
    let BatchOutcome { batch, .. } = decided(&LookupResult { people, messages: Vec::new() }, &told);
    assert!(batch.active.is_sorted_by_key(|active| active.contact) && batch.active.len() == 3);
    assert!(
        batch.conversations.is_sorted_by_key(|conversation| conversation.conversation.id)
            && batch.conversations.len() == 3
    );
}
