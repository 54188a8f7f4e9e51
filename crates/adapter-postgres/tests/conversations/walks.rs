//! Pages while rows are being added.

use std::{collections::HashMap, sync::Arc};

use domain::{
    attachments::ports::MockAttachmentLinks,
    conversation::Conversation,
    conversations::{ConversationFilter, ListConversations},
    messages::{ListMessages, Message},
    paging::{AskedPage, PageLimit},
};
use time::Duration;
use uuid::Uuid;

use crate::conversations::world::{START, World, conversation, cursors, id, message, workspace};

/// Rows there are at the start; every third number of what is numbered up to three times as many.
const ROWS: u32 = 60;

/// Times at which rows are added during a walk: before all, among those that are there, and after all.
fn additions(page: u32) -> [Duration; 3] {
    [Duration::hours(-1), Duration::seconds((page * 3).into()), Duration::hours(1)]
}

fn asked(cursor: Option<String>) -> AskedPage {
    AskedPage { limit: PageLimit::new(7).unwrap(), cursor }
}

/// Every row of the start was seen once, none twice, and the order held.
fn assert_whole<T>(seen: &[T], place: impl Fn(&T) -> (time::OffsetDateTime, Uuid), start: &[Uuid]) {
    let mut times: HashMap<Uuid, usize> = HashMap::new();
    for row in seen {
        *times.entry(place(row).1).or_default() += 1;
    }
    assert!(start.iter().all(|id| times.get(id) == Some(&1)), "a row of the start is missing or twice");
    assert!(times.values().all(|count| *count == 1), "a row is twice");
    assert!(seen.is_sorted_by(|one, next| place(one) > place(next)), "out of order");
}

#[tokio::test]
async fn a_walk_over_conversations_shows_every_row_that_was_there_once_while_others_are_added() {
    let start: Vec<Conversation> = (0..ROWS).map(conversation).collect();
    let world = World::with(workspace(1), &start).await;
    let list = ListConversations { store: world.stores.conversations.clone(), cursors: cursors() };
    let add = async |page: u32| {
        for (number, after) in (0..).zip(additions(page)) {
            let number = ROWS + page * 3 + number;
            let new = Conversation { created_at: START + after, ..conversation(number) };
            world.add(workspace(1), &new).await;
        }
    };
    let (mut seen, mut cursor) = (Vec::new(), None);
    for page in 0.. {
        let asked = asked(cursor);
        let filter = ConversationFilter::default();
        let (found, ()) = tokio::join!(list.run(workspace(1), filter, &asked), add(page));
        let found = found.unwrap();
        seen.extend(found.rows);
        cursor = found.next;
        if cursor.is_none() {
            break;
        }
    }
    let start: Vec<_> = start.iter().map(|conversation| conversation.id.uuid()).collect();
    assert_whole(&seen, |conversation| (conversation.created_at, conversation.id.uuid()), &start);
    assert!(seen.len() > start.len(), "what is added further on is seen as well");
}

#[tokio::test]
async fn a_walk_over_messages_shows_every_row_that_was_there_once_while_others_are_added() {
    let world = World::with(workspace(1), &[conversation(1)]).await;
    let start: Vec<Message> = (0..ROWS).map(|number| message(1, number)).collect();
    for message in &start {
        world.write(workspace(1), message).await;
    }
    let list = ListMessages {
        store: world.stores.messages.clone(),
        cursors: cursors(),
        links: Arc::new(MockAttachmentLinks::new()),
    };
    let add = async |page: u32| {
        for (number, after) in (0..).zip(additions(page)) {
            let new = message(1, ROWS + page * 3 + number);
            world.write(workspace(1), &Message { created_at: START + after, ..new }).await;
        }
    };
    let (mut seen, mut cursor) = (Vec::new(), None);
    for page in 0.. {
        let asked = asked(cursor);
        let (found, ()) = tokio::join!(list.run(workspace(1), id(1), &asked), add(page));
        let found = found.unwrap().unwrap();
        seen.extend(found.rows.into_iter().map(|row| row.message));
        cursor = found.next;
        if cursor.is_none() {
            break;
        }
    }
    let start: Vec<_> = start.iter().map(|message| message.id.uuid()).collect();
    assert_whole(&seen, |message| (message.created_at, message.id.uuid()), &start);
    assert!(seen.len() > start.len(), "what is added further on is seen as well");
}
