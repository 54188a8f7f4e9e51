use domain::{
    conversation::{Conversation, ConversationStatus},
    conversations::{
        Actor, ChangeError, Command, Move, MoveRefusal, TeamMembership, decide,
        inbox::{InboxFilter, View},
        ports::{ConversationStore as Store, InboxLists},
    },
    errors::StoreError,
    ids::{ConversationId, GroupId, MemberId},
    messages::{Message, Role, Step, Sweeper, SystemMessage, ports::MessageStore},
    paging::{PageLimit, PageRequest},
    testing::SequentialIds,
};
use serde_json::json;
use time::{Duration, macros::datetime};

use crate::conversations::world::{START, World, contact, conversation, id, message, workspace};

fn open(holder: Option<u32>) -> Conversation {
    Conversation {
        status: ConversationStatus::Open,
        assigned_to: holder.map(id),
        group: None,
        ..conversation(1)
    }
}

fn bot() -> Conversation {
    Conversation { status: ConversationStatus::Bot, ..open(None) }
}

fn by(member: u32, command: Command) -> Move {
    Move::manual(id(member), command)
}

#[tokio::test]
async fn a_move_its_notices_and_its_deliveries_are_written_together() {
    let world = World::with(workspace(1), &[bot()]).await;
    world.listen("conversation.sent_to_group").await;
    world.listen("conversation.assigned").await;
    let asked = by(1, Command::SendToGroup(id(1)));
    let moved = world.moving().run(workspace(1), id(1), &asked).await.unwrap();
    let (group, stamped_at) =
        (Some(crate::conversations::world::group(1)), Some(datetime!(2026-11-21 12:00 UTC)));
    let expected = Conversation { group, version: bot().version + 1, stamped_at, ..bot() };
    assert!(moved.changed);
    assert_eq!(moved.conversation, expected);
    assert_eq!(world.found(id(1)).await, expected);

    let page = PageRequest { after: None, limit: PageLimit::new(10).unwrap() };
    let messages =
        MessageStore::list(&*world.stores.messages, workspace(1), id(1), page).await.unwrap().unwrap();
    let said: Vec<_> = messages
        .iter()
        .map(|kept| &kept.message)
        .map(|message| (message.role, message.sender_id.clone(), &*message.content))
        .collect();
    let one = Some(id::<MemberId>(1).to_string());
    assert_eq!(said, [(Role::System, one.clone(), "sent_to_group: group 1")]);
    let told = SystemMessage {
        kind: Step::SentToGroup,
        to: None,
        group: Some("group 1".to_owned()),
        cause: None,
        before: None,
    };
    assert_eq!(
        messages.iter().map(|kept| kept.message.system_message.as_deref()).collect::<Vec<_>>(),
        [Some(&told)]
    );
    let filter = InboxFilter::of(View::All);
    let listed = world.stores.conversations.inbox(workspace(1), id(1), &filter, page).await.unwrap();
    let notice = listed.rows[0].notice.as_ref().unwrap();
    assert_eq!((&notice.sender_id, notice.system_message.as_deref()), (&one, Some(&told)));
    assert_eq!(listed.rows[0].last_message, None, "nobody has written");

    let owed = world.owed().await;
    let kinds: Vec<_> = owed.iter().map(|body| body["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["conversation.sent_to_group"]);
    let data = json!({
        "conversation": {
            "id": id::<ConversationId>(1),
            "channel": "messenger",
            "status": "bot",
            "assignedTo": null,
            "group": { "id": id::<GroupId>(1), "name": "group 1" },
            "customerId": contact(1),
            "lastMessageAt": "2026-11-21T11:00:00.000Z",
            "createdAt": "2026-11-21T10:00:00.000Z",
        },
        "reason": "manual",
        "customer": { "id": contact(1), "name": "سارة", "phone": "+9647701234567" },
    });
    assert!(owed.iter().all(|body| body["data"] == data), "{owed:#?}");
}

#[tokio::test]
async fn of_two_who_take_a_conversation_on_two_nodes_one_has_it_and_one_is_told_who() {
    for _ in 0..8 {
        let world = World::with(workspace(1), &[bot()]).await;
        world.listen("conversation.assigned").await;
        let (one_node, other_node) = (world.moving(), world.moving());
        let (takes, other) = (by(1, Command::Take(id(1))), by(2, Command::Take(id(2))));
        let (one, other) = tokio::join!(
            one_node.run(workspace(1), id(1), &takes),
            other_node.run(workspace(1), id(1), &other)
        );
        let (winner, refusal) = match (one, other) {
            (Ok(_), Err(refusal)) => (id(1), refusal),
            (Err(refusal), Ok(_)) => (id(2), refusal),
            both => panic!("{both:?}"),
        };
        assert!(matches!(refusal, ChangeError::Refused(MoveRefusal::HeldBy(holder)) if holder == winner));
        let found = world.found(id(1)).await;
        assert_eq!((found.assigned_to, found.version), (Some(winner), bot().version + 1));
        assert_eq!(world.owed().await.len(), 1);
    }
}

#[tokio::test]
async fn a_message_between_the_look_and_the_commit_is_a_lost_race() {
    let world = World::with(workspace(1), &[bot()]).await;
    let command = Command::CloseIdle { since: bot().last_message_at };
    let stores = &world.stores;
    let context =
        Store::decision_context(&*stores.conversations, workspace(1), id(1), command).await.unwrap().unwrap();
    let asked = Move { by: Actor::Sweeper(Sweeper::IdleClose), command };
    let ids = SequentialIds::default();
    let change = decide(&context, &asked, START, &ids).unwrap().unwrap();
    let later = bot().last_message_at + Duration::seconds(1);
    world.client.execute("UPDATE conversations SET last_message_at = $1", &[&later]).await.unwrap();
    assert!(matches!(
        Store::commit(&*stores.conversations, workspace(1), &change).await,
        Err(StoreError::Stale)
    ));
    assert_eq!(world.found(id(1)).await.status, ConversationStatus::Bot);
    let moved = world.moving().run(workspace(1), id(1), &asked).await.unwrap();
    assert!(!moved.changed, "decided again, the conversation is not idle");
}

#[tokio::test]
async fn what_a_decision_rests_on_is_read_with_the_conversation() {
    let world = World::with(workspace(1), &[open(Some(1))]).await;
    let context = async |command| {
        let context = Store::decision_context(&*world.stores.conversations, workspace(1), id(1), command)
            .await
            .unwrap()
            .unwrap();
        (context.member, context.group.map(|group| group.name), context.holder_is_here, context.unanswered)
    };
    let member = async |group: u32, member: u32| context(Command::SendToMember(id(group), id(member))).await;
    let named = |number: u32| Some(format!("group {number}"));
    assert_eq!(member(1, 2).await, (TeamMembership::InGroup, named(1), true, false));
    assert_eq!(member(2, 2).await, (TeamMembership::OnTeam, named(2), true, false));
    assert_eq!(member(9, 2).await, (TeamMembership::OnTeam, None, true, false));
    assert_eq!(member(1, 9).await, (TeamMembership::NotOnTeam, named(1), true, false));
    world.run("UPDATE members SET left_at = now() WHERE id IN (id(1), id(2))").await;
    assert_eq!(member(1, 2).await, (TeamMembership::NotOnTeam, named(1), false, false));

    world.write(workspace(1), &message(1, 1)).await;
    assert!(context(Command::Close).await.3);
    let later = |number: u32, role| {
        let created_at = START + Duration::minutes(i64::from(number));
        Message { role, created_at, ..message(1, number) }
    };
    world.write(workspace(1), &later(2, Role::System)).await;
    assert!(context(Command::Close).await.3);
    world.write(workspace(1), &later(3, Role::Assistant)).await;
    assert!(!context(Command::Close).await.3);
}

#[tokio::test]
async fn a_conversation_of_another_workspace_is_not_found() {
    let world = World::with(workspace(1), &[bot()]).await;
    let run = world.moving().run(workspace(2), id(1), &by(1, Command::Close)).await;
    assert!(matches!(run, Err(ChangeError::NotFound)));
}

#[tokio::test]
async fn the_conversations_of_who_leaves_wait_for_others() {
    let held = open(Some(1));
    let conversations = [held.clone(), Conversation { id: id(2), contact: id(2), ..held.clone() }];
    let world = World::with(workspace(1), &conversations).await;
    world.add(workspace(1), &Conversation { id: id(3), contact: id(3), ..open(Some(2)) }).await;
    assert_eq!(world.moving().let_go_of(workspace(1), id(1), id(2)).await.unwrap(), 2);
    for (number, holder) in [(1, None), (2, None), (3, Some(id(2)))] {
        let found = world.found(id(number)).await;
        assert_eq!((found.status, found.assigned_to), (ConversationStatus::Open, holder));
    }
}

#[tokio::test]
async fn a_departure_is_finished_whoever_began_it_and_forgotten_once_nothing_can_come_of_it() {
    let world = World::with(workspace(1), &[open(Some(1))]).await;
    let left = |at: &str| {
        format!(
            "INSERT INTO departures SELECT workspace_id, id, id(2), {at} FROM members
             WHERE id = id(1) AND workspace_id = (SELECT workspace_id FROM conversations LIMIT 1)"
        )
    };
    let waiting = async || world.stores.conversations.departures(10).await.unwrap().len();
    // The time of the world's clock.
    world.run(&left("'2026-11-21 12:00:00Z'")).await;
    assert_eq!(world.moving().finish_departures().await.unwrap(), 1);
    assert_eq!(world.found(id(1)).await.assigned_to, None);
    assert_eq!(waiting().await, 1, "what was decided a moment ago may still give them a conversation");
    world.run("UPDATE conversations SET assigned_to = id(1)").await;
    world.run("UPDATE departures SET left_at = '2026-11-20 10:00:00Z'").await;
    assert_eq!(world.moving().finish_departures().await.unwrap(), 1);
    assert_eq!((waiting().await, world.moving().finish_departures().await.unwrap()), (0, 0));
}
