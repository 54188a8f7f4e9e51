//! Echoes of sends that carried nothing by which they could be known.

use domain::{
    contacts::Identity,
    deps::Deps,
    events::EventType,
    ids::{ConversationId, IdSource, MemberId, MessageId},
    inbound::{ConversationUpdate, UpdateKind, UpdateOutcome},
    sending::{ConversationEntry, Intent, Recorder, Reply, ports::SendLedger},
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, some_links},
};
use futures_util::future::join_all;
use std::sync::Arc;
use time::{Duration, OffsetDateTime};

use super::{network_id, update, words, wrote};
use crate::core_tables::world::{NOW, World};

/// A time after which no answer to the sends of these tests can come.
const LATER: OffsetDateTime = NOW.saturating_add(Duration::seconds(61));

fn sara() -> Identity {
    Identity::InstagramUser("17851234567890123".to_owned())
}

/// A conversation over an account, and somebody who answers in it.
struct Answered {
    world: World,
    conversation: ConversationId,
    author: MemberId,
}

impl Answered {
    async fn new() -> Self {
        let world = World::new().await;
        world.record(vec![wrote(&[sara()], "mid.0")]).await;
        let author = MemberId::from(world.ids.next());
        let insert = "INSERT INTO members (workspace_id, id, email, role, created_at)
                      VALUES ($1, $2, 'owner@palm.example', 'owner', $3)";
        world.execute(insert, &[&world.workspace.uuid(), &author.uuid(), &NOW]).await;
        let conversation = world.texts("SELECT id::text FROM conversations").await.remove(0);
        let conversation = conversation.parse::<ConversationId>().unwrap();
        world.subscribe(&[EventType::MessageSent]).await;
        Self { world, conversation, author }
    }

    /// A reply that is begun and of which nothing was heard.
    async fn begun(&self, text: &str, at: OffsetDateTime) -> Intent {
        let contact = self.world.texts("SELECT id::text FROM contacts").await.remove(0);
        let reply = Reply {
            conversation: self.conversation,
            contact: contact.parse().unwrap(),
            phone: None,
            author: domain::messages::ReplyAuthor::Member(self.author),
            text: text.to_owned(),
            upload: None,
        };
        let intent = Intent {
            from: None,
            template: None,
            reference: None,
            conversation_entry: ConversationEntry::Reply(reply),
            created_at: at,
            ..self.world.code()
        };
        self.world.begin(&intent).await;
        intent
    }

    async fn echoes(&self, echoes: Vec<ConversationUpdate>, now: OffsetDateTime) -> Vec<UpdateOutcome> {
        let echoes = echoes.into_iter().map(|echo| (self.world.channel, echo)).collect();
        self.world.record_over(&self.world.stores, echoes, now).await
    }

    /// Returns the team's messages with their senders.
    async fn said(&self) -> Vec<String> {
        let said = "SELECT concat_ws(' ', content, CASE WHEN sender_id IS NULL THEN 'elsewhere' END)
                    FROM messages WHERE role = 'team' ORDER BY 1";
        self.world.texts(said).await
    }

    /// The sends that are not in flight any more.
    async fn settled(&self) -> Vec<MessageId> {
        let settled = "SELECT id::text FROM sends WHERE state = 'sent' ORDER BY id";
        self.world.texts(settled).await.iter().map(|id| id.parse().unwrap()).collect()
    }
}

fn echo(id: &str, text: &str, by_us: bool) -> ConversationUpdate {
    update(&[sara()], UpdateKind::Echoed { written: words(id, text), tag: None, by_us })
}

#[tokio::test]
async fn an_echo_settles_the_oldest_send_of_its_words_once_no_answer_can_come() {
    let conversation = Answered::new().await;
    let sends = [conversation.begun("نعم", NOW).await, conversation.begun("نعم", NOW).await];
    let other = conversation.begun("لا", NOW).await;
    let told = || vec![echo("mid.1", "نعم", true)];
    assert_eq!(conversation.echoes(told(), NOW + Duration::seconds(59)).await, [UpdateOutcome::Waits]);
    assert_eq!((conversation.said().await.len(), conversation.settled().await.len()), (0, 0));

    assert_eq!(conversation.echoes(told(), LATER).await, [UpdateOutcome::Finished]);
    assert_eq!(conversation.settled().await, [sends[0].id]);
    // A repeated echo changes nothing.
    assert_eq!(conversation.echoes(told(), LATER).await, [UpdateOutcome::Finished]);
    assert_eq!(conversation.echoes(vec![echo("mid.2", "نعم", true)], LATER).await, [UpdateOutcome::Finished]);
    assert_eq!(conversation.settled().await, [sends[0].id, sends[1].id]);
    // An echo that fits no send in flight is from another tool of the team, or too late.
    assert_eq!(conversation.echoes(vec![echo("mid.3", "نعم", true)], LATER).await, [UpdateOutcome::Handled]);
    assert_eq!(conversation.said().await, ["نعم", "نعم"]);
    assert_eq!(conversation.world.count("deliveries WHERE event = 'message.sent'").await, 2);
    assert_eq!(
        conversation.world.count(&format!("sends WHERE id = '{}' AND state = 'in_flight'", other.id)).await,
        1
    );
}

#[tokio::test]
async fn an_echo_without_an_app_is_of_our_send_or_else_the_team_s_own() {
    let conversation = Answered::new().await;
    conversation.begun("نعم", NOW).await;
    let echoes = || vec![echo("mid.1", "نعم", false), echo("mid.2", "مرحبا", false)];
    let soon = NOW + Duration::seconds(20);
    assert_eq!(conversation.echoes(echoes(), soon).await, [UpdateOutcome::Waits, UpdateOutcome::Finished]);
    assert_eq!(conversation.said().await, ["مرحبا elsewhere"]);
    assert_eq!(
        conversation.echoes(echoes(), LATER).await,
        [UpdateOutcome::Finished, UpdateOutcome::Finished]
    );
    assert_eq!(conversation.said().await, ["مرحبا elsewhere", "نعم"]);
    assert_eq!(conversation.world.count("deliveries WHERE event = 'message.sent'").await, 2);
}

#[tokio::test]
async fn where_no_send_of_ours_is_on_its_way_what_the_team_writes_elsewhere_is_theirs_at_once() {
    let conversation = Answered::new().await;
    let elsewhere = vec![echo("mid.1", "مرحبا", false)];
    assert_eq!(conversation.echoes(elsewhere, NOW).await, [UpdateOutcome::Finished]);
    assert_eq!(conversation.said().await, ["مرحبا elsewhere"]);
    // A network may have changed the words of one that is.
    conversation.begun("نعم", NOW).await;
    let other = || vec![echo("mid.2", "لا", false)];
    assert_eq!(conversation.echoes(other(), NOW + Duration::seconds(9)).await, [UpdateOutcome::Waits]);
    assert_eq!(conversation.echoes(other(), NOW + Duration::seconds(11)).await, [UpdateOutcome::Finished]);
    assert_eq!(conversation.said().await, ["لا elsewhere", "مرحبا elsewhere"]);
}

#[tokio::test]
async fn an_answer_that_comes_before_its_echo_is_decided_settles_the_send() {
    let conversation = Answered::new().await;
    let [older, newer] = [conversation.begun("نعم", NOW).await, conversation.begun("نعم", NOW).await];
    let told = || vec![echo("mid.2", "نعم", true)];
    assert_eq!(conversation.echoes(told(), NOW + Duration::seconds(1)).await, [UpdateOutcome::Waits]);
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    let recorder = Recorder {
        ledger: conversation.world.stores.sends.clone(),
        deps: Deps {
            clock: Arc::new(ManualClock::at(NOW)),
            ids: Arc::<SequentialIds>::clone(&conversation.world.ids),
            signals: Arc::new(signals),
        },
        links: Arc::new(some_links()),
    };
    assert!(recorder.run(&newer, &network_id("mid.2")).await.unwrap().is_some());
    assert_eq!(conversation.echoes(told(), LATER).await, [UpdateOutcome::Finished]);
    assert_eq!(conversation.settled().await, [newer.id]);
    // A network id belongs to one message: another send is not recorded by it.
    assert!(recorder.run(&older, &network_id("mid.2")).await.is_err());
    let released = conversation
        .world
        .stores
        .sends
        .release(conversation.world.workspace, &[older.attempt(), newer.attempt()])
        .await
        .unwrap();
    assert_eq!(released, [older.attempt()]);
    assert_eq!(conversation.said().await, ["نعم"]);
}

#[tokio::test]
async fn echoes_of_equal_sends_on_two_nodes_settle_one_each() {
    let conversation = Answered::new().await;
    for _ in 0..4 {
        conversation.begun("نعم", NOW).await;
    }
    let nodes = [conversation.world.stores.clone(), conversation.world.other_node()];
    let told = (0..4).map(|number| {
        let echo = echo(&format!("mid.{number}.x"), "نعم", true);
        conversation.world.record_over(&nodes[number % 2], vec![(conversation.world.channel, echo)], LATER)
    });
    let outcomes = join_all(told).await.concat();
    assert!(outcomes.iter().all(|outcome| *outcome == UpdateOutcome::Finished), "{outcomes:?}");
    assert_eq!((conversation.settled().await.len(), conversation.said().await.len()), (4, 4));
}
