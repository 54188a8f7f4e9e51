//! Reading conversations and messages: pages, filters, cursors.
//!
//! A mock that a test did not set up panics when it is called: "nothing is looked up" is said by leaving it
//! out.
#![expect(clippy::unwrap_used, reason = "test support")]

use std::sync::Arc;

use domain::{
    attachments::ports::MockAttachmentLinks,
    conversation::{Conversation, ConversationStatus},
    conversations::{ConversationFilter, GetConversation, ListConversations, ports::MockConversationStore},
    errors::StoreError,
    messages::{
        ListMessages, Message,
        ports::{KeptMessage, MockMessageStore},
    },
    paging::{AskedPage, Cursors, PageError, PageLimit, Position},
    testing::{a_conversation, a_message, a_moment, a_workspace},
    vault::MockVault,
};
use time::Duration;
use uuid::Uuid;

/// Signs with a hash that takes in all of what it is given.
fn cursors() -> Cursors {
    let mut vault = MockVault::new();
    vault.expect_keyed_hash().returning(|_, data| {
        let seed = 0xcbf2_9ce4_8422_2325_u64;
        let word =
            data.iter().fold(seed, |word, byte| (word ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        let mut hash = [0; 32];
        hash.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&word.to_be_bytes()));
        hash
    });
    Cursors { vault: Arc::new(vault) }
}

fn asked(rows: u64, cursor: Option<String>) -> AskedPage {
    AskedPage { limit: PageLimit::new(rows).unwrap(), cursor }
}

fn conversation(number: u8) -> Conversation {
    Conversation {
        id: Uuid::from_u128(number.into()).into(),
        created_at: a_moment() - Duration::minutes(number.into()),
        ..a_conversation()
    }
}

fn message(number: u8) -> Message {
    Message {
        id: Uuid::from_u128(number.into()).into(),
        created_at: a_moment() - Duration::minutes(number.into()),
        ..a_message()
    }
}

fn kept(number: u8) -> KeptMessage {
    KeptMessage {
        message: message(number),
        files: Vec::new(),
        missing: Vec::new(),
        awaited: Vec::new(),
        sending: None,
    }
}

/// Answers 1, 2, 3 to whatever page.
fn three_conversations() -> ListConversations {
    let mut store = MockConversationStore::new();
    store.expect_list().returning(|_, _, _| Ok((1..=3).map(conversation).collect()));
    ListConversations { store: Arc::new(store), cursors: cursors() }
}

fn three_messages() -> ListMessages {
    let mut store = MockMessageStore::new();
    store.expect_list().returning(|_, _, _| Ok(Some((1..=3).map(kept).collect())));
    ListMessages { store: Arc::new(store), cursors: cursors(), links: Arc::new(MockAttachmentLinks::new()) }
}

#[pollster::test]
async fn a_page_ends_with_a_cursor_only_when_there_is_more() {
    let workspace = a_workspace().id;
    for (limit, shown, more) in [(1, 1, true), (2, 2, true), (3, 3, false), (100, 3, false)] {
        let asked = asked(limit, None);
        let filter = ConversationFilter::default();
        let conversations = three_conversations().run(workspace, filter, &asked).await.unwrap();
        assert_eq!((conversations.rows.len(), conversations.next.is_some()), (shown, more), "{limit}");
        let messages = three_messages().run(workspace, a_conversation().id, &asked).await.unwrap().unwrap();
        assert_eq!((messages.rows.len(), messages.next.is_some()), (shown, more), "{limit}");
    }
}

#[pollster::test]
async fn the_next_page_comes_after_the_last_row_shown() {
    let workspace = a_workspace().id;
    let filter =
        ConversationFilter { status: Some(ConversationStatus::Open), ..ConversationFilter::default() };
    let page = three_conversations().run(workspace, filter, &asked(2, None)).await.unwrap();
    let mut store = MockConversationStore::new();
    store
        .expect_list()
        .withf(move |asked_of, wanted, page| {
            let shown = conversation(2);
            let after = Position { at: shown.created_at, id: shown.id.uuid() };
            *asked_of == workspace && *wanted == filter && (page.after, page.limit.rows()) == (Some(after), 7)
        })
        .once()
        .returning(|_, _, _| Ok(Vec::new()));
    let list = ListConversations { store: Arc::new(store), cursors: cursors() };
    let end = list.run(workspace, filter, &asked(7, page.next)).await.unwrap();
    assert!(end.rows.is_empty() && end.next.is_none());

    let conversation = a_conversation().id;
    let page = three_messages().run(workspace, conversation, &asked(1, None)).await.unwrap().unwrap();
    let mut store = MockMessageStore::new();
    store
        .expect_list()
        .withf(move |asked_of, wanted, page| {
            let shown = message(1);
            let after = Position { at: shown.created_at, id: shown.id.uuid() };
            (*asked_of, *wanted) == (workspace, conversation) && page.after == Some(after)
        })
        .once()
        .returning(|_, _, _| Ok(Some(Vec::new())));
    let list = ListMessages {
        store: Arc::new(store),
        cursors: cursors(),
        links: Arc::new(MockAttachmentLinks::new()),
    };
    assert!(list.run(workspace, conversation, &asked(1, page.next)).await.unwrap().is_some());
}

#[pollster::test]
async fn a_cursor_of_another_filter_list_or_workspace_is_refused() {
    let (ours, theirs) = (a_workspace().id, Uuid::from_u128(99).into());
    let everything = ConversationFilter::default();
    let own = ConversationFilter {
        status: Some(ConversationStatus::Bot),
        contact: Some(Uuid::from_u128(1).into()),
        group: Some(Uuid::from_u128(2).into()),
        since: Some(a_moment()),
    };
    let conversation = a_conversation().id;
    let cursor = three_conversations().run(ours, own, &asked(2, None)).await.unwrap().next;
    let of_messages = three_messages().run(ours, conversation, &asked(2, None)).await.unwrap().unwrap().next;
    let conversations =
        ListConversations { store: Arc::new(MockConversationStore::new()), cursors: cursors() };
    let others = [
        everything,
        ConversationFilter { status: Some(ConversationStatus::Closed), ..own },
        ConversationFilter { status: None, ..own },
        ConversationFilter { contact: own.group.map(|group| group.uuid().into()), ..own },
        ConversationFilter { contact: None, group: own.contact.map(|contact| contact.uuid().into()), ..own },
        ConversationFilter { group: None, ..own },
        ConversationFilter { since: Some(a_moment() + Duration::NANOSECOND), ..own },
        ConversationFilter { since: None, ..own },
    ];
    for (workspace, filter, cursor) in
        others.into_iter().map(|filter| (ours, filter, cursor.clone())).chain([
            (theirs, own, cursor.clone()),
            (ours, own, of_messages.clone()),
            (ours, own, Some(String::new())),
        ])
    {
        let refused = conversations.run(workspace, filter, &asked(2, cursor)).await;
        assert!(matches!(refused, Err(PageError::Cursor(_))), "{filter:?}");
    }
    // Whether the conversation has become one with that of the cursor is asked for.
    let mut store = MockMessageStore::new();
    store.expect_list().returning(|_, conversation, page| {
        assert_eq!((page.limit, page.after), (PageLimit::ONE, None));
        let kept = kept(1);
        Ok(Some(vec![KeptMessage { message: Message { conversation, ..kept.message }, ..kept }]))
    });
    let messages = ListMessages {
        store: Arc::new(store),
        cursors: cursors(),
        links: Arc::new(MockAttachmentLinks::new()),
    };
    for (workspace, conversation, cursor) in [
        (theirs, conversation, of_messages.clone()),
        (ours, Uuid::from_u128(98).into(), of_messages),
        (ours, conversation, cursor),
    ] {
        let refused = messages.run(workspace, conversation, &asked(2, cursor)).await;
        assert!(matches!(refused, Err(PageError::Cursor(_))));
    }
}

#[pollster::test]
async fn cursors_of_a_conversation_hold_under_the_id_that_it_had_before_it_became_one_with_another() {
    let (workspace, survivor) = (a_workspace().id, a_conversation().id);
    let gone = Uuid::from_u128(98).into();
    let first = asked(1, None);
    let by_survivor = three_messages().run(workspace, survivor, &first).await.unwrap().unwrap().next;
    let by_gone = three_messages().run(workspace, gone, &first).await.unwrap().unwrap().next;
    // It was given before the two became one.
    let place = Position { at: message(1).created_at, id: message(1).id.uuid() };
    let before = Some(cursors().issue(workspace, &format!("messages/{gone}"), place));
    for (conversation, cursor) in
        [(gone, by_survivor.clone()), (survivor, by_gone.clone()), (gone, by_gone), (gone, before)]
    {
        let mut store = MockMessageStore::new();
        store.expect_list().returning(move |_, _, page| {
            assert!(page.after == Some(place) || page.limit == PageLimit::ONE);
            Ok(Some((1..=3).map(kept).collect()))
        });
        let messages = ListMessages {
            store: Arc::new(store),
            cursors: cursors(),
            links: Arc::new(MockAttachmentLinks::new()),
        };
        let page = messages.run(workspace, conversation, &asked(2, cursor)).await.unwrap().unwrap();
        assert!(page.next.is_some(), "{conversation}");
    }
}

#[pollster::test]
async fn what_the_workspace_does_not_have_is_none() {
    let mut conversations = MockConversationStore::new();
    conversations.expect_find().returning(|_, id| Ok((id == conversation(1).id).then(|| conversation(1))));
    let get = GetConversation { store: Arc::new(conversations) };
    assert_eq!(get.run(a_workspace().id, conversation(1).id).await.unwrap(), Some(conversation(1)));
    assert_eq!(get.run(a_workspace().id, conversation(2).id).await.unwrap(), None);

    let mut messages = MockMessageStore::new();
    messages.expect_list().returning(|_, _, _| Ok(None));
    let list = ListMessages {
        store: Arc::new(messages),
        cursors: cursors(),
        links: Arc::new(MockAttachmentLinks::new()),
    };
    assert_eq!(list.run(a_workspace().id, conversation(1).id, &asked(1, None)).await.unwrap(), None);
}

#[pollster::test]
async fn a_failing_store_is_told_apart_from_a_bad_cursor() {
    let mut store = MockConversationStore::new();
    store.expect_list().returning(|_, _, _| Err(StoreError::Unavailable("no connection".to_owned())));
    let list = ListConversations { store: Arc::new(store), cursors: cursors() };
    let failed = list.run(a_workspace().id, ConversationFilter::default(), &AskedPage::default()).await;
    assert!(matches!(failed, Err(PageError::Store(StoreError::Unavailable(_)))));
}
