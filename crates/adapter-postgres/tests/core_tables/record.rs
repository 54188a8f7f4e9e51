//! Recording of sends that the network accepted.

use domain::{
    conversation::Conversation,
    errors::StoreError,
    events::EventType,
    ids::MessageId,
    sending::{
        ConversationParts, Intent, SendAttempt,
        ports::{Recorded, SendLedger},
    },
};
use futures_util::future::join_all;
use time::ext::NumericalDuration;

use crate::core_tables::world::{NOW, World};

#[tokio::test]
async fn a_notice_leaves_a_person_a_conversation_and_a_message_and_nothing_twice() {
    let world = World::new().await;
    let to = world.somebody();
    let intent = world.notice(&to);
    world.begin(&intent).await;
    let accepted = world.accepted(&intent, ConversationParts::default());
    assert_eq!(world.stores.sends.record(world.workspace, &accepted).await.unwrap(), Recorded::Now);

    let parts = world.stores.sends.conversation(world.workspace, world.channel, &to).await.unwrap();
    let effect = accepted.effect.unwrap();
    let wanted = ConversationParts {
        contact: Some(effect.contact),
        conversation: Some(Conversation { stamped_at: Some(NOW), ..effect.conversation }),
        files: Vec::new(),
    };
    assert_eq!(parts, wanted);
    assert_eq!(world.texts("SELECT content FROM messages").await, ["طلبك جاهز"]);
    let left = "sends WHERE state = 'sent' AND num_nulls(notice_to, notice_name, notice_content) = 3";
    assert_eq!(world.count(left).await, 1);
    assert_eq!(world.count("contacts WHERE active_month = '2026-11-01' AND last_active_at IS NULL").await, 1);
}

#[tokio::test]
async fn a_second_notice_moves_the_known_conversation_on_and_never_back() {
    let world = World::new().await;
    let to = world.somebody();
    let first = world.send(&world.notice(&to)).await;
    for (moved, wanted) in [(1.hours(), 1.hours()), ((-90).days(), 1.hours())] {
        let intent = world.notice(&to);
        world.begin(&intent).await;
        let mut parts = world.stores.sends.conversation(world.workspace, world.channel, &to).await.unwrap();
        parts.conversation.as_mut().unwrap().last_message_at = NOW + moved;
        let mut accepted = world.accepted(&intent, parts);
        accepted.accepted_at = NOW + moved;
        assert_eq!(world.stores.sends.record(world.workspace, &accepted).await.unwrap(), Recorded::Now);
        assert_eq!(accepted.result.conversation, first.conversation);
        let parts = world.stores.sends.conversation(world.workspace, world.channel, &to).await.unwrap();
        assert_eq!(parts.conversation.unwrap().last_message_at, NOW + wanted);
    }
    assert_eq!(world.count("contacts WHERE active_month = '2026-11-01'").await, 1);
}

#[tokio::test]
async fn a_second_record_answers_the_first_result_and_owes_nothing_more() {
    let world = World::new().await;
    world.subscribe(EventType::SUBSCRIBABLE).await;
    for intent in [world.notice(&world.somebody()), world.code()] {
        world.begin(&intent).await;
        let accepted = world.accepted(&intent, ConversationParts::default());
        let recorded = join_all((0..10).map(|_| world.stores.sends.record(world.workspace, &accepted))).await;
        let recorded: Vec<_> = recorded.into_iter().map(Result::unwrap).collect();
        assert_eq!(recorded.iter().filter(|recorded| **recorded == Recorded::Now).count(), 1);
        let before = Recorded::Before(Box::new(accepted.result));
        assert_eq!(recorded.iter().filter(|recorded| **recorded == before).count(), 9);
    }
    assert_eq!(world.count("deliveries").await, 1);
}

#[tokio::test]
async fn a_send_that_was_released_is_not_recorded() {
    let world = World::new().await;
    let intent = world.notice(&world.somebody());
    world.begin(&intent).await;
    world.stores.sends.release(world.workspace, &[intent.attempt()]).await.unwrap();
    let accepted = world.accepted(&intent, ConversationParts::default());
    assert_eq!(world.stores.sends.record(world.workspace, &accepted).await.unwrap(), Recorded::Released);
    assert_eq!(world.count("contacts").await, 0);
}

#[tokio::test]
async fn a_try_that_is_taken_back_takes_no_later_one_by_its_id_with_it() {
    let world = World::new().await;
    let earlier = world.notice(&world.somebody()).attempt();
    let [again, beside] = [world.notice(&world.somebody()), world.notice(&world.somebody())];
    let again = Intent { id: earlier.id, created_at: NOW + 1.seconds(), ..again };
    let beside = Intent { created_at: again.created_at, ..beside };
    for intent in [&again, &beside] {
        world.begin(intent).await;
    }
    let released = world.stores.sends.release(world.workspace, &[earlier, beside.attempt()]).await.unwrap();
    assert_eq!(released, [beside.attempt()]);
    assert_eq!(world.count("sends").await, 1, "the later try is at the time of another that was taken back");
}

#[tokio::test]
async fn what_was_decided_on_an_older_state_is_stale_and_writes_nothing() {
    let world = World::new().await;
    world.subscribe(EventType::SUBSCRIBABLE).await;
    let to = world.somebody();
    let (first, second) = (world.notice(&to), world.notice(&to));
    for intent in [&first, &second] {
        world.begin(intent).await;
    }
    let nobody = world.accepted(&second, ConversationParts::default());
    world.settle(&first).await.unwrap();
    assert!(matches!(world.stores.sends.record(world.workspace, &nobody).await, Err(StoreError::Stale)));

    let mut parts = world.stores.sends.conversation(world.workspace, world.channel, &to).await.unwrap();
    parts.conversation = None;
    let no_conversation = world.accepted(&second, parts);
    assert!(matches!(
        world.stores.sends.record(world.workspace, &no_conversation).await,
        Err(StoreError::Stale)
    ));
    for (table, rows) in [("contacts", 1), ("conversations", 1), ("messages", 1), ("deliveries", 1)] {
        assert_eq!(world.count(table).await, rows, "{table}");
    }
    assert!(world.settle(&second).await.unwrap().is_some());
}

#[tokio::test]
async fn notices_to_one_new_person_at_once_make_one_person_and_one_conversation() {
    let world = World::new().await;
    let to = world.somebody();
    let intents: Vec<_> = (0..6).map(|_| world.notice(&to)).collect();
    for intent in &intents {
        world.begin(intent).await;
    }
    let results = join_all(intents.iter().map(|intent| world.settle(intent))).await;
    let mut conversations: Vec<_> =
        results.into_iter().map(|result| result.unwrap().unwrap().conversation).collect();
    conversations.dedup();
    assert_eq!(conversations.len(), 1);
    for (table, rows) in [("contacts", 1), ("conversations", 1), ("messages", 6)] {
        assert_eq!(world.count(table).await, rows, "{table}");
    }
}

#[tokio::test]
async fn a_code_leaves_no_person() {
    let world = World::new().await;
    let intent = world.code();
    let result = world.send(&intent).await;
    assert_eq!((result.contact, result.conversation, result.message), (None, None, None));
    for table in ["contacts", "conversations", "messages"] {
        assert_eq!(world.count(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn nobody_knows_a_number_that_was_never_written_to() {
    let world = World::new().await;
    let parts =
        world.stores.sends.conversation(world.workspace, world.channel, &world.somebody()).await.unwrap();
    assert_eq!(parts, ConversationParts::default());
    let foreign = SendAttempt { id: MessageId::new(&*world.ids), at: NOW };
    world.stores.sends.release(world.workspace, &[foreign]).await.unwrap();
}

/// Parts of names that are not counted as often as they occur.
const MISCOUNTED: &str = "
    (SELECT part, sum(contacts) AS contacts FROM contact_part_counts GROUP BY part) kept
    FULL JOIN (SELECT part, count(*) AS contacts FROM contacts, unnest(short_parts(searchable)) part
               GROUP BY part) there USING (part)
    WHERE kept.contacts IS DISTINCT FROM there.contacts";

#[tokio::test]
async fn sends_recorded_at_once_each_leave_what_is_theirs_and_one_that_is_gone_stops_no_other() {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageSent]).await;
    let mut intents: Vec<_> = (0..40).map(|_| world.notice(&world.somebody())).collect();
    intents.extend((0..10).map(|_| world.code()));
    join_all(intents.iter().map(|intent| world.begin(intent))).await;
    for gone in [&intents[7], &intents[45]] {
        world.stores.sends.release(world.workspace, &[gone.attempt()]).await.unwrap();
    }
    let settled = join_all(intents.iter().map(|intent| world.settle(intent))).await;
    for (index, (intent, settled)) in intents.iter().zip(settled).enumerate() {
        let result = settled.unwrap();
        assert_eq!(result.as_ref().map(|result| result.id), (![7, 45].contains(&index)).then_some(intent.id));
        let reaches = result.and_then(|result| result.contact).is_some();
        assert_eq!(reaches, index < 40 && index != 7);
    }
    assert_eq!(world.count("sends WHERE state = 'sent'").await, 48);
    for table in ["contacts", "conversations", "messages", "delivery_queue"] {
        assert_eq!(world.count(table).await, 39, "{table}");
    }
    assert_eq!(world.texts("SELECT sum(contacts)::text FROM contact_counts").await, ["39"]);
    assert_eq!(world.count(MISCOUNTED).await, 0);
}

#[tokio::test]
async fn one_send_recorded_by_many_at_once_is_recorded_once() {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageSent]).await;
    let to = world.somebody();
    world.send(&world.notice(&to)).await;
    let parts = world.stores.sends.conversation(world.workspace, world.channel, &to).await.unwrap();
    for intent in [world.notice(&to), world.code()] {
        world.begin(&intent).await;
        let accepted = world.accepted(&intent, parts.clone());
        let recorded = join_all((0..20).map(|_| world.stores.sends.record(world.workspace, &accepted))).await;
        assert!(recorded.iter().all(|recorded| !matches!(recorded, Ok(Recorded::Released) | Err(_))));
    }
    assert_eq!((world.count("messages").await, world.count("delivery_queue").await), (2, 2));
}
