//! Listing the inbox: pages and cursors.
#![expect(clippy::unwrap_used, reason = "test support")]

use std::sync::Arc;

use domain::{
    contacts::Search,
    conversation::Conversation,
    conversations::{
        inbox::{AskedInbox, InboxContact, InboxOrder, InboxRow, ListInbox, ListInboxError, ReadState, View},
        ports::{FoundConversations, MockInboxLists},
    },
    ids::MemberId,
    paging::{AskedPage, Cursors, PageLimit, Position},
    tag::Tag,
    testing::{a_contact, a_conversation, a_moment, a_region, a_vault, a_workspace},
};
use time::Duration;
use uuid::Uuid;

fn row(number: u8) -> InboxRow {
    let contact = a_contact();
    InboxRow {
        conversation: Conversation {
            id: Uuid::from_u128(number.into()).into(),
            last_message_at: a_moment() - Duration::minutes(number.into()),
            ..a_conversation()
        },
        contact: InboxContact { id: contact.id, name: contact.name, phone: contact.phone, avatar_url: None },
        tags: Vec::new(),
        last_message: None,
        notice: None,
        read: ReadState::default(),
        customer_wrote_at: None,
        waiting_since: None,
        number: None,
    }
}

fn place(number: u8) -> Position {
    let conversation = row(number).conversation;
    Position { at: conversation.last_message_at, id: conversation.id.uuid() }
}

fn asked() -> AskedInbox {
    AskedInbox {
        view: View::All,
        status: None,
        channel: None,
        tag: None,
        search: None,
        order: InboxOrder::Newest,
    }
}

fn page(cursor: Option<String>) -> AskedPage {
    AskedPage { limit: PageLimit::new(2).unwrap(), cursor }
}

fn over(store: MockInboxLists) -> ListInbox {
    ListInbox { store: Arc::new(store), cursors: Cursors { vault: Arc::new(a_vault()) } }
}

/// A page, and the place that the next one is asked to come after.
async fn next_of(found: FoundConversations) -> (usize, Option<Position>) {
    let mut store = MockInboxLists::new();
    store.expect_inbox().returning(move |_, _, _, _| Ok(found.clone()));
    let first = over(store)
        .run(a_workspace().id, MemberId::from(Uuid::nil()), a_region(), asked(), &page(None))
        .await
        .unwrap();
    let Some(cursor) = first.next else { return (first.rows.len(), None) };
    let mut store = MockInboxLists::new();
    let (after, was_after) = std::sync::mpsc::channel();
    store.expect_inbox().returning(move |_, _, _, page| {
        after.send(page.after).unwrap();
        Ok(FoundConversations::default())
    });
    over(store)
        .run(a_workspace().id, MemberId::from(Uuid::nil()), a_region(), asked(), &page(Some(cursor)))
        .await
        .unwrap();
    (first.rows.len(), was_after.recv().unwrap())
}

#[pollster::test]
async fn the_next_page_comes_after_the_last_row_or_after_what_was_looked_at() {
    let of = |rows: &[u8], reached: Option<u8>| FoundConversations {
        rows: rows.iter().map(|number| row(*number)).collect(),
        reached: reached.map(place),
    };
    for (found, wanted) in [
        (of(&[], None), (0, None)),
        (of(&[1, 2], None), (2, None)),
        (of(&[1, 2, 3], None), (2, Some(place(2)))),
        (of(&[1, 2, 3], Some(9)), (2, Some(place(2)))),
        (of(&[1, 2], Some(9)), (2, Some(place(9)))),
        (of(&[], Some(9)), (0, Some(place(9)))),
    ] {
        assert_eq!(next_of(found.clone()).await, wanted, "{found:?}");
    }
}

#[pollster::test]
async fn what_is_written_is_read_before_anything_is_looked_up() {
    let list = over(MockInboxLists::new());
    let long = AskedInbox { search: Some("k".repeat(201)), ..asked() };
    let refused =
        list.run(a_workspace().id, MemberId::from(Uuid::nil()), a_region(), long, &page(None)).await;
    assert!(matches!(refused, Err(ListInboxError::Search(_))));
    let refused = list
        .run(
            a_workspace().id,
            MemberId::from(Uuid::nil()),
            a_region(),
            asked(),
            &page(Some("cursor".to_owned())),
        )
        .await;
    assert!(matches!(refused, Err(ListInboxError::Cursor(_))));
}

#[pollster::test]
async fn a_cursor_belongs_to_its_filter() {
    let mut store = MockInboxLists::new();
    store
        .expect_inbox()
        .returning(|_, _, _, _| Ok(FoundConversations { rows: (1..=3).map(row).collect(), reached: None }));
    let list = over(store);
    let cursor = list
        .run(a_workspace().id, MemberId::from(Uuid::nil()), a_region(), asked(), &page(None))
        .await
        .unwrap()
        .next;
    let tagged = AskedInbox { tag: Tag::read("vip").ok(), ..asked() };
    let refused =
        list.run(a_workspace().id, MemberId::from(Uuid::nil()), a_region(), tagged, &page(cursor)).await;
    assert!(matches!(refused, Err(ListInboxError::Cursor(_))));
}

#[pollster::test]
async fn a_blank_search_is_none() {
    let mut store = MockInboxLists::new();
    store
        .expect_inbox()
        .withf(|_, _, filter, _| filter.search.is_none() && !filter.is_narrow())
        .once()
        .returning(|_, _, _, _| Ok(FoundConversations::default()));
    let blank = AskedInbox { search: Some("  ".to_owned()), ..asked() };
    over(store)
        .run(a_workspace().id, MemberId::from(Uuid::nil()), a_region(), blank, &page(None))
        .await
        .unwrap();
    assert_eq!(Search::read("  ", a_region()).unwrap(), None);
}
