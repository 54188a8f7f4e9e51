//! The messages of a conversation.

use domain::{
    messages::{Context, Marks, Message, MessageMeta, Reaction, Role, TemplateRef, ports::MessageStore},
    paging::{PageLimit, PageRequest, Position},
};

use crate::conversations::world::{START, World, conversation, id, message, workspace};

/// A message of each kind.
fn all_kinds() -> Vec<Message> {
    let template = TemplateRef { name: "order_ready".to_owned(), language: "ar".to_owned() };
    let meta = |reference| Some(MessageMeta { template: template.clone(), reference });
    vec![
        Message { role: Role::Customer, sender_id: Some("9".to_owned()), ..message(1, 1) },
        Message { role: Role::Assistant, content: String::new(), ..message(1, 2) },
        Message { role: Role::System, ..message(1, 3) },
        Message { role: Role::Team, meta: meta(None), ..message(1, 4) },
        Message { role: Role::Team, meta: meta(Some("order-1042".to_owned())), ..message(1, 5) },
        Message {
            context: Context { reply_to: Some(id(1_004)), forwarded: true, ..Context::default() },
            ..message(1, 6)
        },
    ]
}

#[tokio::test]
async fn messages_read_back_as_they_were_written_newest_first() {
    let world = World::with(workspace(1), &[conversation(1), conversation(2)]).await;
    let mut written = all_kinds();
    for message in &written {
        world.write(workspace(1), message).await;
    }
    world.write(workspace(1), &message(2, 1)).await;
    written.reverse();
    let read = world.stores.messages.list(workspace(1), id(1), PageRequest::default()).await.unwrap();
    let read: Option<Vec<Message>> = read.map(|kept| kept.into_iter().map(|kept| kept.message).collect());
    assert_eq!(read, Some(written));
}

#[tokio::test]
async fn what_was_done_to_a_message_reads_back_with_it() {
    let world = World::with(workspace(1), &[conversation(1)]).await;
    world.write(workspace(1), &message(1, 1)).await;
    let read = async || {
        let kept =
            world.stores.messages.list(workspace(1), id(1), PageRequest::default()).await.unwrap().unwrap();
        kept[0].message.marks.clone()
    };
    let reaction = Some(Reaction { emoji: "👍".to_owned(), at: START });
    for (change, marks) in [
        ("reaction = '👍', reacted_at", Marks { reaction: reaction.clone(), ..Marks::default() }),
        ("edited_at", Marks { reaction: reaction.clone(), edited_at: Some(START), deleted_at: None }),
        ("deleted_at", Marks { reaction, edited_at: Some(START), deleted_at: Some(START) }),
        (
            "reaction = NULL, reacted_at",
            Marks { reaction: None, edited_at: Some(START), deleted_at: Some(START) },
        ),
    ] {
        world.client.execute(&format!("UPDATE messages SET {change} = $1"), &[&START]).await.unwrap();
        assert!(read().await == marks, "{change}");
    }
}

#[tokio::test]
async fn a_page_holds_one_more_row_than_asked_and_starts_after_its_place() {
    let world = World::with(workspace(1), &[conversation(1)]).await;
    for number in 0..10 {
        world.write(workspace(1), &message(1, number)).await;
    }
    let page = async |limit, after: Option<u32>| -> Vec<Message> {
        let after = after.map(|number| message(1, number));
        let after = after.map(|row| Position { at: row.created_at, id: row.id.uuid() });
        let page = PageRequest { limit: PageLimit::new(limit).unwrap(), after };
        let kept = world.stores.messages.list(workspace(1), id(1), page).await.unwrap().unwrap();
        kept.into_iter().map(|kept| kept.message).collect()
    };
    let numbered = |numbers: &[u32]| numbers.iter().map(|number| message(1, *number)).collect::<Vec<_>>();
    assert_eq!(page(2, None).await, numbered(&[9, 8, 7]));
    assert_eq!(page(2, Some(8)).await, numbered(&[7, 6, 5]));
    assert_eq!(page(2, Some(7)).await, numbered(&[6, 5, 4]));
    assert_eq!(page(100, Some(1)).await, numbered(&[0]));
    assert_eq!(page(100, Some(0)).await, []);
}

#[tokio::test]
async fn an_empty_conversation_is_told_from_one_that_the_workspace_does_not_have() {
    let world = World::with(workspace(1), &[conversation(1)]).await;
    world.add(workspace(2), &conversation(2)).await;
    world.write(workspace(2), &message(2, 1)).await;
    let read = async |owner, conversation| {
        let rows = world
            .stores
            .messages
            .list(workspace(owner), id(conversation), PageRequest::default())
            .await
            .unwrap();
        rows.map(|rows| rows.len())
    };
    assert_eq!(read(1, 1).await, Some(0));
    assert_eq!(read(2, 2).await, Some(1));
    assert_eq!(read(1, 2).await, None, "another workspace's");
    assert_eq!(read(2, 1).await, None, "another workspace's");
    assert_eq!(read(1, 7_000).await, None);
}
