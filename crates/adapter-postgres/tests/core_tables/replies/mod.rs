//! Replies: what they are told of their conversation, and what each outcome leaves behind.

mod files;

use domain::{
    channels::ChannelKind,
    contacts::Identity,
    conversation::{ConversationStatus, Group},
    events::EventType,
    ids::{ContactId, ConversationId, GroupId, IdSource, MemberId, MessageId},
    inbound::{MessageNames, ports::SentMessages},
    messages::{NetworkError, Role},
    phone::PhoneNumber,
    sending::{
        ConversationEntry, ConversationParts, Intent, Reply, ReplyContext, SendState,
        ports::{ReserveOutcome, SendLedger},
    },
    workspaces::Plan,
};
use futures_util::future::join_all;
use secrecy::ExposeSecret;
use time::ext::NumericalDuration;

use crate::core_tables::world::{NOW, TOKEN, World, key, network_id, phone};

const TEXT: &str = "نعم، متوفر";

fn error(message: &str) -> NetworkError {
    NetworkError { code: Some(131_047), message: message.to_owned() }
}

/// A world with somebody's conversation and somebody of the team.
struct Inbox {
    world: World,
    conversation: ConversationId,
    contact: ContactId,
    to: PhoneNumber,
    author: MemberId,
}

impl Inbox {
    async fn new() -> Self {
        let world = World::new().await;
        let author = MemberId::from(world.ids.next());
        let insert = "INSERT INTO members (workspace_id, id, email, role, created_at)
                      VALUES ($1, $2, 'owner@palm.example', 'owner', $3)";
        world.execute(insert, &[&world.workspace.uuid(), &author.uuid(), &NOW]).await;
        let to = world.somebody();
        let sent = world.send(&world.notice(&to)).await;
        let (conversation, contact) = (sent.conversation.unwrap(), sent.contact.unwrap());
        Self { world, conversation, contact, to, author }
    }

    /// A reply into the conversation that is about to leave.
    fn reply(&self) -> Intent {
        let reply = Reply {
            conversation: self.conversation,
            contact: self.contact,
            phone: Some(self.to.clone()),
            author: domain::messages::ReplyAuthor::Member(self.author),
            text: TEXT.to_owned(),
            upload: None,
        };
        Intent {
            template: None,
            reference: None,
            conversation_entry: ConversationEntry::Reply(reply),
            ..self.world.code()
        }
    }

    async fn context(&self) -> Option<ReplyContext> {
        let Self { world, conversation, author, .. } = self;
        world
            .stores
            .sends
            .reply_context(world.workspace, *conversation, domain::messages::ReplyAuthor::Member(*author))
            .await
            .unwrap()
    }

    /// Nobody has been active this month.
    async fn a_month_later(&self) {
        self.world.execute("UPDATE contacts SET active_month = '2026-10-01'", &[]).await;
    }

    async fn refuse(&self, intent: &Intent) {
        let later = NOW + 1.minutes();
        self.world
            .stores
            .sends
            .refuse_reply(self.world.workspace, intent.id, &error("too late\0"), later)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_context_tells_of_plan_author_person_conversation_and_number() {
    let inbox = Inbox::new().await;
    let context = inbox.context().await.unwrap();
    assert_eq!((context.plan, context.author_is_here), (Plan::default(), true));
    let conversation = inbox
        .world
        .stores
        .sends
        .conversation_of(inbox.world.workspace, inbox.conversation, inbox.world.code().id)
        .await
        .unwrap();
    let told = ConversationParts {
        contact: Some(context.contact),
        conversation: Some(context.conversation),
        files: Vec::new(),
    };
    assert_eq!(told, conversation);
    assert_eq!(conversation.contact.unwrap().phone, Some(inbox.to.clone()));
    assert_eq!(context.to, Some(Identity::Phone(inbox.to.clone())));
    let number = context.connection.unwrap();
    let token = inbox.world.stores.sends.token(inbox.world.workspace, &number).await.unwrap().unwrap();
    assert_eq!(token.token.expose_secret(), TOKEN);
    assert_eq!((number.id, number.account), (inbox.world.channel, inbox.world.account));
    assert_eq!((number.network_id.as_str(), number.phone), ("101", Some(phone("+9647700000001"))));
    assert!(!number.send_only);
}

#[tokio::test]
async fn a_context_follows_what_changes() {
    let inbox = Inbox::new().await;
    let (world, group) = (&inbox.world, GroupId::from(inbox.world.ids.next()));
    let ids = (world.workspace.uuid(), group.uuid());
    world.execute("INSERT INTO groups VALUES ($1, $2, 'المبيعات', now())", &[&ids.0, &ids.1]).await;
    let held = "UPDATE conversations SET status = 'open', assigned_to = $1, group_id = $2";
    world.execute(held, &[&inbox.author.uuid(), &group.uuid()]).await;
    let conversation = inbox.context().await.unwrap().conversation;
    assert_eq!(
        (conversation.status, conversation.assigned_to),
        (ConversationStatus::Open, Some(inbox.author))
    );
    assert_eq!(conversation.group, Some(Group { id: group, name: "المبيعات".to_owned() }));

    world.execute("UPDATE workspaces SET paused = true, active_customer_limit = 7", &[]).await;
    world.execute("UPDATE members SET left_at = $1", &[&NOW]).await;
    world.execute("UPDATE channels SET disconnected_at = $1", &[&NOW]).await;
    world.execute("UPDATE conversations SET channel = 'messenger'", &[]).await;
    let context = inbox.context().await.unwrap();
    assert_eq!(context.plan, Plan { active_customer_limit: Some(7), paused: true });
    assert!(!context.author_is_here);
    assert_eq!((context.connection, context.conversation.channel_kind), (None, ChannelKind::Messenger));
    assert_eq!(context.conversation.channel, world.channel);
}

#[tokio::test]
async fn another_workspace_s_conversation_and_author_are_unknown() {
    let mut inbox = Inbox::new().await;
    let nobody = MemberId::from(inbox.world.ids.next());
    let here = inbox
        .world
        .stores
        .sends
        .reply_context(
            inbox.world.workspace,
            inbox.conversation,
            domain::messages::ReplyAuthor::Member(nobody),
        )
        .await;
    assert!(!here.unwrap().unwrap().author_is_here);

    inbox.world.workspace = inbox.world.add_workspace().await;
    assert!(inbox.context().await.is_none());
    let parts = inbox
        .world
        .stores
        .sends
        .conversation_of(inbox.world.workspace, inbox.conversation, inbox.world.code().id)
        .await
        .unwrap();
    assert_eq!(parts, ConversationParts::default());
}

#[tokio::test]
async fn a_reply_is_in_the_ledger_as_it_was_intended_before_and_after_it_is_settled() {
    let inbox = Inbox::new().await;
    let world = &inbox.world;
    world.subscribe(EventType::SUBSCRIBABLE).await;
    let (intent, claim) = (inbox.reply(), key("one"));
    assert!(matches!(world.try_begin(&intent, Some(claim), None).await, ReserveOutcome::Started));
    let held =
        || async { world.stores.sends.holder(world.workspace, claim.key_hash).await.unwrap().unwrap().entry };
    let entry = held().await;
    assert_eq!((&entry.intent, entry.state), (&intent, SendState::InFlight));

    let result = world.settle(&intent).await.unwrap().unwrap();
    let entry = held().await;
    assert_eq!((&entry.intent, entry.state), (&intent, SendState::Sent(Box::new(result.clone()))));
    let message = result.message.unwrap();
    assert_eq!((message.role, message.content.as_str(), message.meta), (Role::Team, TEXT, None));
    assert_eq!(message.sender_id, Some(inbox.author.to_string()));
    assert_eq!((result.conversation, result.contact), (Some(inbox.conversation), Some(inbox.contact)));
    assert_eq!(world.texts("SELECT event FROM deliveries").await, ["message.sent"]);
    for (table, rows) in [("contacts", 1), ("conversations", 1), ("messages", 2), ("sends", 2)] {
        assert_eq!(world.count(table).await, rows, "{table}");
    }
    assert_eq!(world.count("sends WHERE num_nulls(notice_to, notice_name, notice_content) < 3").await, 0);

    // A status finds it, with its person.
    let names = MessageNames { tag: None, network_id: network_id(&intent) };
    let found = world.stores.inbound.find(world.workspace, &[names]).await.unwrap()[0].clone().unwrap();
    assert_eq!((found.entry.intent, found.customer.unwrap().id), (intent, inbox.contact));
}

#[tokio::test]
async fn a_reply_moves_its_conversation_on_and_changes_nothing_else_of_it() {
    let inbox = Inbox::new().await;
    let world = &inbox.world;
    world
        .execute("UPDATE conversations SET status = 'closed', last_message_at = $1", &[&(NOW - 3.days())])
        .await;
    let before = inbox.context().await.unwrap();
    let intent = inbox.reply();
    world.begin(&intent).await;
    assert!(world.settle(&intent).await.unwrap().is_some());
    let after = inbox.context().await.unwrap();
    assert_eq!(after.contact, before.contact);
    assert_eq!(
        (after.conversation.status, after.conversation.last_message_at),
        // Something was told of it at this moment.
        (ConversationStatus::Closed, NOW + 1.milliseconds())
    );
    assert_eq!(after.conversation.created_at, before.conversation.created_at);
}

#[tokio::test]
async fn a_refused_reply_stays_in_its_conversation_as_failed_and_gives_key_and_place_back() {
    let inbox = Inbox::new().await;
    let world = &inbox.world;
    world.subscribe(EventType::SUBSCRIBABLE).await;
    inbox.a_month_later().await;
    let intent = inbox.reply();
    assert!(matches!(world.try_begin(&intent, Some(key("one")), Some(1)).await, ReserveOutcome::Started));
    assert_eq!(world.count("plan_reservations").await, 1);
    inbox.refuse(&intent).await;

    for table in ["idempotency_keys", "plan_reservations", "deliveries"] {
        assert_eq!(world.count(table).await, 0, "{table}");
    }
    let send = "sends WHERE state = 'refused' AND status = 'failed' AND error = 'too late' AND failed_at IS NOT NULL";
    assert_eq!(world.count(send).await, 1);
    assert_eq!(world.count("contacts WHERE active_month = '2026-11-01'").await, 0);
    let message =
        format!("SELECT concat_ws('/', role, sender_id, content) FROM messages WHERE id = '{}'", intent.id);
    assert_eq!(world.texts(&message).await, [format!("team/{}/{TEXT}", inbox.author)]);
    let conversation = inbox.context().await.unwrap().conversation;
    assert_eq!(conversation.last_message_at, NOW + 1.minutes());

    // Nothing comes of it any more.
    inbox.refuse(&intent).await;
    assert_eq!(world.settle(&intent).await.unwrap(), None);
    world.stores.sends.release(world.workspace, &[intent.attempt()]).await.unwrap();
    assert_eq!((world.count("sends").await, world.count("messages").await), (2, 2));
    assert!(matches!(
        world.try_begin(&inbox.reply(), Some(key("one")), Some(1)).await,
        ReserveOutcome::Started
    ));
}

#[tokio::test]
async fn a_refused_reply_has_a_time_of_its_own_to_the_millisecond() {
    let inbox = Inbox::new().await;
    let intent = inbox.reply();
    inbox.world.begin(&intent).await;
    let later = "UPDATE conversations SET stamped_at = $1";
    inbox.world.execute(later, &[&(NOW + 1.hours() + 400.microseconds())]).await;
    inbox.refuse(&intent).await;
    let context = inbox.context().await.unwrap();
    assert_eq!(context.conversation.last_message_at, NOW + 1.hours() + 1.milliseconds());
}

#[tokio::test]
async fn of_two_names_that_came_at_the_same_moment_a_reply_goes_to_the_same_one_each_time() {
    let inbox = Inbox::new().await;
    let world = &inbox.world;
    world.execute("UPDATE conversations SET channel = 'messenger'", &[]).await;
    let named = "INSERT INTO identities (workspace_id, kind, value, contact_id, recorded_at)
                 VALUES ($1, 'messenger_user', $2, $3, $4)";
    for name in ["11", "12", "10"] {
        world.execute(named, &[&world.workspace.uuid(), &name, &inbox.contact.uuid(), &NOW]).await;
    }
    assert_eq!(inbox.context().await.unwrap().to, Some(Identity::MessengerUser("12".to_owned())));
}

#[tokio::test]
async fn a_settled_reply_is_not_refused_and_one_of_a_neighbour_neither() {
    let inbox = Inbox::new().await;
    let world = &inbox.world;
    let sent = inbox.reply();
    world.send(&sent).await;
    inbox.refuse(&sent).await;
    assert_eq!(world.count("sends WHERE state = 'sent'").await, 2);

    let open = inbox.reply();
    world.begin(&open).await;
    let neighbour = world.add_workspace().await;
    world.stores.sends.refuse_reply(neighbour, open.id, &error("no"), NOW).await.unwrap();
    let nobodys = MessageId::new(&*world.ids);
    world.stores.sends.refuse_reply(world.workspace, nobodys, &error("no"), NOW).await.unwrap();
    assert_eq!((world.count("sends WHERE state = 'in_flight'").await, world.count("messages").await), (1, 2));
}

#[tokio::test]
async fn a_released_reply_leaves_nothing() {
    let inbox = Inbox::new().await;
    let world = &inbox.world;
    inbox.a_month_later().await;
    let intent = inbox.reply();
    assert!(matches!(world.try_begin(&intent, Some(key("one")), Some(1)).await, ReserveOutcome::Started));
    world.stores.sends.release(world.workspace, &[intent.attempt()]).await.unwrap();
    for (table, rows) in [("sends", 1), ("messages", 1), ("idempotency_keys", 0), ("plan_reservations", 0)] {
        assert_eq!(world.count(table).await, rows, "{table}");
    }
}

#[tokio::test]
async fn a_reply_takes_a_place_of_the_plan_only_for_somebody_who_is_not_active() {
    let inbox = Inbox::new().await;
    let world = &inbox.world;
    assert!(matches!(world.try_begin(&inbox.reply(), None, Some(0)).await, ReserveOutcome::Started));
    assert_eq!(world.count("plan_reservations").await, 0);

    inbox.a_month_later().await;
    let before = world.count("sends").await;
    assert!(matches!(
        world.try_begin(&inbox.reply(), Some(key("one")), Some(0)).await,
        ReserveOutcome::PlanLimitReached
    ));
    assert_eq!((world.count("sends").await, world.count("idempotency_keys").await), (before, 0));

    // A reply and a notice to one person share a place, and recorded make one active customer.
    let (reply, notice) = (inbox.reply(), world.notice(&inbox.to));
    for intent in [&reply, &notice] {
        assert!(matches!(world.try_begin(intent, None, Some(1)).await, ReserveOutcome::Started));
    }
    let somebody_else = world.notice(&world.somebody());
    assert!(matches!(world.try_begin(&somebody_else, None, Some(1)).await, ReserveOutcome::PlanLimitReached));
    for intent in [&reply, &notice] {
        assert!(world.settle(intent).await.unwrap().is_some());
    }
    assert_eq!(world.count("plan_reservations").await, 0);
    assert_eq!(world.count("contacts WHERE active_month = '2026-11-01'").await, 1);
}

#[tokio::test]
async fn of_fifty_replies_with_one_key_exactly_one_starts() {
    let inbox = Inbox::new().await;
    inbox.a_month_later().await;
    for limit in [None, Some(1)] {
        let claim = key(&format!("{limit:?}"));
        let begun = join_all((0..50).map(|_| async {
            let intent = inbox.reply();
            inbox.world.try_begin(&intent, Some(claim), limit).await
        }));
        let begun = begun.await;
        assert_eq!(begun.iter().filter(|begun| matches!(begun, ReserveOutcome::Started)).count(), 1);
        assert_eq!(begun.iter().filter(|begun| matches!(begun, ReserveOutcome::KeyTaken(_))).count(), 49);
    }
    assert_eq!(inbox.world.count("sends WHERE author_id IS NOT NULL").await, 2);
}

#[tokio::test]
async fn of_refusal_and_record_at_once_one_happens() {
    let inbox = Inbox::new().await;
    let world = &inbox.world;
    for _ in 0..8 {
        let intent = inbox.reply();
        world.begin(&intent).await;
        let (settled, ()) = tokio::join!(world.settle(&intent), inbox.refuse(&intent));
        let state = if settled.unwrap().is_some() { "sent" } else { "refused" };
        let kept = format!("sends WHERE id = '{}' AND state = '{state}'", intent.id);
        let message = format!("messages WHERE id = '{}'", intent.id);
        assert_eq!((world.count(&kept).await, world.count(&message).await), (1, 1));
    }
}
