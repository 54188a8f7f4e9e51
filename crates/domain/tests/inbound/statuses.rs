//! Statuses, applied to the sends they are about.

use std::sync::{Arc, Mutex};

use domain::{
    errors::StoreError,
    events::{EventData, EventType},
    ids::JournalId,
    inbound::{Applied, JournaledStatus, MessageNames, SentMessage, StatusChange, StatusUpdate},
    messages::{DeliveryStatus, NetworkError, Progress},
    sending::{ConversationParts, SendState, ports::Recorded},
    testing::{
        ManualClock, a_contact, a_conversation, a_moment, a_network_message_id, a_sent_code, a_sent_message,
        a_status, a_workspace, an_intent,
    },
};

use uuid::Uuid;

use crate::inbound::Statuses;

impl Statuses {
    fn new() -> Self {
        Self::at(Arc::new(ManualClock::at(a_moment() + time::Duration::seconds(3))))
    }

    /// Every search finds this, whatever is looked for.
    fn finding(mut self, found: Option<SentMessage>) -> Self {
        self.messages.expect_find().returning(move |_, names| Ok(vec![found.clone(); names.len()]));
        self
    }

    /// The searches find these, one after the other, and there are no more of them.
    fn finding_in_turn(mut self, found: Vec<SentMessage>) -> Self {
        let count = found.len();
        let found = Mutex::new(found.into_iter());
        self.messages
            .expect_find()
            .times(count)
            .returning(move |_, names| Ok(vec![found.lock().unwrap().next(); names.len()]));
        self
    }

    fn waking(mut self) -> Self {
        self.signals.expect_deliveries_due().once().return_const(());
        self
    }

    /// What the statuses came to, and what was written. What is written takes in every status.
    async fn apply_all(
        self,
        statuses: &[StatusUpdate],
    ) -> (Result<Vec<Applied>, StoreError>, Vec<StatusChange>) {
        let (written, taken_in) = (self.written.clone(), self.taken_in.clone());
        let journaled: Vec<_> = (1..)
            .zip(statuses)
            .map(|(number, status)| JournaledStatus { id: Some(Uuid::from_u128(number).into()), status })
            .collect();
        let applied = self.use_case().run(a_workspace().id, &journaled).await;
        let written = written.lock().unwrap().clone();
        if applied.as_ref().is_ok_and(|applied| !applied.contains(&Applied::Early)) {
            let all: Vec<JournalId> = journaled.iter().filter_map(|journaled| journaled.id).collect();
            assert_eq!(*taken_in.lock().unwrap(), all);
        }
        (applied, written)
    }

    /// As above, for one.
    async fn apply(self, status: &StatusUpdate) -> (Result<Applied, StoreError>, Vec<StatusChange>) {
        let (applied, written) = self.apply_all(std::slice::from_ref(status)).await;
        (applied.map(|applied| *applied.first().unwrap()), written)
    }

    /// The only change that the status makes.
    async fn change(self, status: &StatusUpdate) -> StatusChange {
        let (applied, written) = self.apply(status).await;
        assert_eq!(applied.unwrap(), Applied::Done);
        let [change] = written.as_slice() else { panic!("{written:?}") };
        change.clone()
    }
}

/// The notice after it has come this far.
fn after(statuses: &[DeliveryStatus]) -> SentMessage {
    let mut sent = a_sent_message();
    for status in statuses {
        sent.entry.progress = sent.entry.progress.advance(*status, a_moment()).0;
    }
    sent
}

fn in_flight() -> SentMessage {
    let mut sent = a_sent_message();
    sent.entry.state = SendState::InFlight;
    sent.customer = None;
    sent
}

#[pollster::test]
async fn a_delivery_is_written_and_announced() {
    let status = a_status(DeliveryStatus::Delivered);
    let change = Statuses::new().finding(Some(a_sent_message())).writing().waking().change(&status).await;
    assert_eq!(change.id, an_intent().id);
    assert_eq!(change.before, Progress::SENT);
    assert_eq!(change.after.status, DeliveryStatus::Delivered);
    assert_eq!(change.after.delivered_at, Some(status.at));
    assert_eq!(change.kept_error, None);
    let [event] = change.events.as_slice() else { panic!("one event") };
    assert_eq!(
        (event.kind, event.created_at),
        (EventType::MessageDelivered, a_moment() + time::Duration::seconds(3))
    );
}

#[pollster::test]
async fn the_send_is_looked_for_by_its_tag_and_by_the_network_s_id() {
    for (tag, asked) in [
        (Some(an_intent().id.to_string()), Some(an_intent().id)),
        (Some("of another system".to_owned()), None),
        (None, None),
    ] {
        let mut statuses = Statuses::new();
        statuses
            .messages
            .expect_find()
            .withf(move |workspace, names| {
                let wanted = MessageNames { tag: asked, network_id: a_network_message_id() };
                *workspace == a_workspace().id && *names == [wanted]
            })
            .once()
            .returning(|_, _| Ok(vec![Some(a_sent_message())]));
        let status = StatusUpdate { tag, ..a_status(DeliveryStatus::Sent) };
        assert_eq!(statuses.writing().apply(&status).await.0.unwrap(), Applied::Done);
    }
}

#[pollster::test]
async fn what_is_known_already_writes_nothing() {
    use DeliveryStatus::{Delivered, Failed, Read, Sent};
    for (so_far, status) in [
        (vec![], Sent),
        (vec![Delivered], Delivered),
        (vec![Delivered, Read], Read),
        (vec![Delivered, Read], Sent),
        (vec![Failed], Failed),
    ] {
        let found = Statuses::new().finding(Some(after(&so_far)));
        let (applied, written) = found.writing().apply(&a_status(status)).await;
        assert_eq!(applied.unwrap(), Applied::Done, "{so_far:?} {status:?}");
        assert!(written.is_empty(), "{so_far:?} {status:?}");
    }
}

#[pollster::test]
async fn what_comes_late_is_written_and_not_announced() {
    use DeliveryStatus::{Delivered, Failed, Read};
    for (so_far, status) in [(vec![Read], Delivered), (vec![Delivered], Failed), (vec![Read], Failed)] {
        let before = after(&so_far);
        let change = Statuses::new().finding(Some(before.clone())).writing().change(&a_status(status)).await;
        assert_eq!(change.after.status, before.entry.progress.status, "{so_far:?} {status:?}");
        assert_ne!(change.after, before.entry.progress, "{so_far:?} {status:?}");
        assert!(change.events.is_empty(), "{so_far:?} {status:?}");
    }
}

fn error(message: &str) -> NetworkError {
    NetworkError { code: Some(131_026), message: message.to_owned() }
}

#[pollster::test]
async fn a_failure_says_why() {
    for (said, told) in
        [(Some("Message undeliverable"), "Message undeliverable"), (None, "the network did not say why")]
    {
        let status = StatusUpdate { error: said.map(error), ..a_status(DeliveryStatus::Failed) };
        let change = Statuses::new().finding(Some(a_sent_message())).writing().waking().change(&status).await;
        assert_eq!(change.kept_error.as_deref(), Some(told));
        assert_eq!(change.error_code, said.map(|_| 131_026));
        let [event] = change.events.as_slice() else { panic!("one event") };
        let EventData::Status { error: Some(error), .. } = &event.data else { panic!("{event:?}") };
        assert_eq!((event.kind, error.message.as_str()), (EventType::MessageFailed, told));
        assert_eq!(error.code, change.error_code);
    }
}

#[pollster::test]
async fn the_failure_of_a_code_is_announced_without_a_person_and_its_words_are_not_kept() {
    let said = Some(error("undeliverable"));
    let status = StatusUpdate { error: said.clone(), ..a_status(DeliveryStatus::Failed) };
    let change = Statuses::new().finding(Some(a_sent_code())).writing().waking().change(&status).await;
    assert_eq!((change.kept_error.as_ref(), change.error_code), (None, Some(131_026)));
    let [event] = change.events.as_slice() else { panic!("one event") };
    let EventData::Status { error, customer, conversation, .. } = &event.data else { panic!("{event:?}") };
    assert_eq!(error, &said);
    assert_eq!((customer, conversation), (&None, &None));
}

#[pollster::test]
async fn a_status_settles_the_send_whose_answer_never_came() {
    let mut statuses = Statuses::new().finding_in_turn(vec![in_flight(), a_sent_message()]).writing();
    let parts = ConversationParts {
        contact: Some(a_contact()),
        conversation: Some(a_conversation()),
        files: Vec::new(),
    };
    statuses.ledger.expect_conversation().returning(move |_, _, _| Ok(parts.clone()));
    statuses
        .ledger
        .expect_record()
        .withf(|_, accepted| {
            accepted.result.id == an_intent().id && accepted.network_id == a_network_message_id()
        })
        .once()
        .returning(|_, _| Ok(Recorded::Now));
    statuses.signals.expect_deliveries_due().times(2).return_const(());
    let change = statuses.change(&a_status(DeliveryStatus::Delivered)).await;
    let [event] = change.events.as_slice() else { panic!("one event") };
    let EventData::Status { customer, conversation, .. } = &event.data else { panic!("{event:?}") };
    assert!(customer.is_some());
    assert_eq!(*conversation, Some(a_conversation().id));
}

#[pollster::test]
async fn even_sent_settles_a_send_in_flight() {
    let mut statuses = Statuses::new().finding_in_turn(vec![in_flight(), a_sent_message()]).writing();
    statuses = statuses.waking();
    statuses.ledger.expect_conversation().returning(|_, _, _| Ok(ConversationParts::default()));
    statuses.ledger.expect_record().once().returning(|_, _| Ok(Recorded::Now));
    assert_eq!(statuses.apply(&a_status(DeliveryStatus::Sent)).await.0.unwrap(), Applied::Done);
}

#[pollster::test]
async fn a_send_that_was_taken_back_meanwhile_is_nobody_s() {
    let mut statuses = Statuses::new().finding(Some(in_flight())).writing();
    statuses.ledger.expect_conversation().returning(|_, _, _| Ok(ConversationParts::default()));
    statuses.ledger.expect_record().once().returning(|_, _| Ok(Recorded::Released));
    assert_eq!(statuses.apply(&a_status(DeliveryStatus::Sent)).await.0.unwrap(), Applied::Foreign);
}

#[pollster::test]
async fn an_unknown_message_is_early_unless_its_tag_tells_that_it_is_not_ours() {
    for (tag, applied) in [
        (Some(an_intent().id.to_string()), Applied::Foreign),
        (Some("of another system".to_owned()), Applied::Early),
        (None, Applied::Early),
    ] {
        let status = StatusUpdate { tag, ..a_status(DeliveryStatus::Delivered) };
        assert_eq!(Statuses::new().finding(None).writing().apply(&status).await.0.unwrap(), applied);
    }
}

#[pollster::test]
async fn a_lost_race_is_decided_again_on_what_is_there_now() {
    let found = vec![a_sent_message(), after(&[DeliveryStatus::Delivered])];
    let mut statuses = Statuses::new().finding_in_turn(found).waking();
    let (written, taken_in) = (statuses.written.clone(), statuses.taken_in.clone());
    statuses.messages.expect_commit().times(2).returning(move |_, changes, updates| {
        let mut written = written.lock().unwrap();
        written.extend_from_slice(changes);
        if written.len() == 1 {
            return Err(StoreError::Stale);
        }
        taken_in.lock().unwrap().extend_from_slice(updates);
        Ok(())
    });
    let (applied, written) = statuses.apply(&a_status(DeliveryStatus::Read)).await;
    assert_eq!(applied.unwrap(), Applied::Done);
    let before: Vec<_> = written.iter().map(|change| change.before.status).collect();
    assert_eq!(before, [DeliveryStatus::Sent, DeliveryStatus::Delivered]);
}

#[pollster::test]
async fn a_race_that_is_lost_again_and_again_is_given_up_for_now() {
    let mut statuses = Statuses::new().finding(Some(a_sent_message()));
    statuses.messages.expect_commit().times(8).returning(|_, _, _| Err(StoreError::Stale));
    let (applied, _) = statuses.apply(&a_status(DeliveryStatus::Read)).await;
    assert!(matches!(applied, Err(StoreError::Stale)), "{applied:?}");
}

#[pollster::test]
async fn a_store_that_fails_is_not_asked_again_at_once() {
    let mut statuses = Statuses::new().finding(Some(a_sent_message()));
    statuses
        .messages
        .expect_commit()
        .once()
        .returning(|_, _, _| Err(StoreError::Unavailable("gone".to_owned())));
    let (applied, _) = statuses.apply(&a_status(DeliveryStatus::Read)).await;
    assert!(matches!(applied, Err(StoreError::Unavailable(_))), "{applied:?}");
}

#[pollster::test]
async fn several_statuses_of_one_message_are_one_change_with_an_event_for_each_move_forward() {
    use DeliveryStatus::{Delivered, Failed, Read, Sent};
    for (so_far, statuses, announced, end) in [
        (
            vec![],
            vec![Sent, Delivered, Read],
            vec![EventType::MessageDelivered, EventType::MessageRead],
            Read,
        ),
        (vec![], vec![Read, Delivered], vec![EventType::MessageRead], Read),
        (vec![], vec![Delivered, Delivered], vec![EventType::MessageDelivered], Delivered),
        (vec![Delivered], vec![Delivered, Read], vec![EventType::MessageRead], Read),
        (
            vec![],
            vec![Failed, Delivered, Failed],
            vec![EventType::MessageFailed, EventType::MessageDelivered],
            Delivered,
        ),
        (vec![Failed], vec![Read, Delivered], vec![EventType::MessageRead], Read),
    ] {
        let before = after(&so_far);
        let updates: Vec<_> = statuses.iter().map(|status| a_status(*status)).collect();
        let found = Statuses::new().finding(Some(before.clone())).writing().waking();
        let (applied, written) = found.apply_all(&updates).await;
        assert_eq!(applied.unwrap(), vec![Applied::Done; statuses.len()], "{statuses:?}");
        let [change] = written.as_slice() else { panic!("{written:?}") };
        assert_eq!((change.before, change.after.status), (before.entry.progress, end), "{statuses:?}");
        let kinds: Vec<_> = change.events.iter().map(|event| event.kind).collect();
        assert_eq!(kinds, announced, "{statuses:?}");
    }
}

#[pollster::test]
async fn statuses_of_many_messages_are_written_at_once_and_what_is_early_stays() {
    let mut statuses = Statuses::new();
    let other = || {
        let mut other = a_sent_code();
        other.entry.intent.id = Uuid::from_u128(0x3001).into();
        other
    };
    statuses
        .messages
        .expect_find()
        .once()
        .returning(move |_, _| Ok(vec![Some(a_sent_message()), None, Some(other()), None]));
    let untagged = StatusUpdate { tag: None, ..a_status(DeliveryStatus::Delivered) };
    let tagged = a_status(DeliveryStatus::Delivered);
    let statuses = statuses.writing().waking();
    let taken_in = statuses.taken_in.clone();
    let updates = [tagged.clone(), untagged, tagged.clone(), tagged];
    let (applied, written) = statuses.apply_all(&updates).await;
    assert_eq!(applied.unwrap(), [Applied::Done, Applied::Early, Applied::Done, Applied::Foreign]);
    let changed: Vec<_> = written.iter().map(|change| change.id).collect();
    assert_eq!(changed, [an_intent().id, other().entry.intent.id]);
    let wanted: Vec<JournalId> = [1, 3, 4].map(|number| Uuid::from_u128(number).into()).to_vec();
    assert_eq!(*taken_in.lock().unwrap(), wanted);
}

#[pollster::test]
async fn what_becomes_of_the_messages_of_a_conversation_has_ascending_times() {
    let later = |milliseconds| a_moment() + time::Duration::milliseconds(milliseconds);
    let notice = |number: u128, stamped_at| {
        let mut sent = a_sent_message();
        sent.entry.intent.id = Uuid::from_u128(number).into();
        Some(SentMessage { stamped_at, ..sent })
    };
    // The conversation was told of by a node whose clock is five seconds ahead.
    let mut statuses = Statuses::new();
    let found = vec![notice(1, Some(later(5_000))), Some(a_sent_code()), notice(2, Some(later(5_000)))];
    statuses.messages.expect_find().once().returning(move |_, _| Ok(found.clone()));
    let tagged = StatusUpdate { tag: Some("no tag".to_owned()), ..a_status(DeliveryStatus::Delivered) };
    let updates = [tagged.clone(), tagged.clone(), tagged];
    let (applied, written) = statuses.writing().waking().apply_all(&updates).await;
    assert_eq!(applied.unwrap(), [Applied::Done; 3]);
    let times: Vec<_> = written.iter().map(StatusChange::stamped_at).collect();
    assert_eq!(times, [later(5_001), later(3_000), later(5_002)].map(Some));
}

#[pollster::test]
async fn a_send_in_flight_that_several_statuses_are_about_is_settled_once() {
    let mut statuses = Statuses::new().finding_in_turn(vec![in_flight(), a_sent_message()]).writing();
    statuses.ledger.expect_conversation().returning(|_, _, _| Ok(ConversationParts::default()));
    statuses.ledger.expect_record().once().returning(|_, _| Ok(Recorded::Now));
    statuses.signals.expect_deliveries_due().times(2).return_const(());
    let updates = [a_status(DeliveryStatus::Sent), a_status(DeliveryStatus::Delivered)];
    let (applied, written) = statuses.apply_all(&updates).await;
    assert_eq!((applied.unwrap(), written.len()), (vec![Applied::Done; 2], 1));
}
