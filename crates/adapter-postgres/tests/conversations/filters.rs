//! Every filter, alone and together, against the same rule in plain code.

use std::collections::HashSet;

use domain::{
    conversation::{Conversation, ConversationStatus},
    conversations::{ConversationFilter, ListConversations, ports::ConversationStore},
    paging::{AskedPage, PageLimit, PageRequest},
    since::read_since,
};
use time::{Duration, UtcOffset};

use crate::conversations::world::{START, World, conversation, cursors, id, workspace};

fn conversations() -> Vec<Conversation> {
    (0..90).map(conversation).collect()
}

fn expected(filter: &ConversationFilter) -> Vec<Conversation> {
    let mut wanted: Vec<_> = conversations()
        .into_iter()
        .filter(|conversation| filter.status.is_none_or(|status| conversation.status == status))
        .filter(|conversation| filter.contact.is_none_or(|contact| conversation.contact == contact))
        .filter(|conversation| {
            filter.group.is_none_or(|group| conversation.group.as_ref().is_some_and(|of| of.id == group))
        })
        .filter(|conversation| filter.since.is_none_or(|since| conversation.created_at >= since))
        .collect();
    wanted.sort_by_key(|conversation| std::cmp::Reverse((conversation.created_at, conversation.id)));
    wanted
}

/// Every combination of every filter; the last contact and group are in no conversation.
fn filters() -> Vec<ConversationFilter> {
    let statuses = [None].into_iter().chain(ConversationStatus::ALL.map(Some));
    let contacts = [None, Some(4), Some(11), Some(95), Some(7_000)];
    let groups = [None, Some(1), Some(2), Some(7_000)];
    let moments = [None, Some(START), Some(START + Duration::seconds(20)), Some(START + Duration::days(1))];
    let mut filters = Vec::new();
    for status in statuses {
        for contact in contacts {
            for group in groups {
                for since in moments {
                    let (contact, group) = (contact.map(id), group.map(id));
                    filters.push(ConversationFilter { status, contact, group, since });
                }
            }
        }
    }
    filters
}

#[tokio::test]
async fn a_list_holds_what_passes_every_filter_newest_first() {
    let world = World::with(workspace(1), &conversations()).await;
    let list = ListConversations { store: world.stores.conversations.clone(), cursors: cursors() };
    let mut sizes = HashSet::new();
    for filter in filters() {
        let mut asked = AskedPage { limit: PageLimit::new(7).unwrap(), cursor: None };
        let mut seen = Vec::new();
        loop {
            let page = list.run(workspace(1), filter, &asked).await.unwrap();
            seen.extend(page.rows);
            asked.cursor = page.next;
            if asked.cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, expected(&filter), "{filter:?}");
        sizes.insert(seen.len());
    }
    assert!(
        sizes.contains(&0) && sizes.contains(&90) && sizes.len() > 8,
        "the filters must differ: {sizes:?}"
    );
}

#[tokio::test]
async fn since_is_inclusive_to_the_microsecond_and_in_any_offset() {
    let world = World::with(workspace(1), &[conversation(0)]).await;
    let found = async |since| {
        let filter = ConversationFilter { since: Some(since), ..ConversationFilter::default() };
        world.stores.conversations.list(workspace(1), filter, PageRequest::default()).await.unwrap().len()
    };
    assert_eq!(found(START).await, 1);
    assert_eq!(found(START.to_offset(UtcOffset::from_hms(3, 0, 0).unwrap())).await, 1);
    assert_eq!(found(START + Duration::microseconds(1)).await, 0);
    for text in ["0000-01-01", "9999-12-31T23:59:59.999999Z"] {
        found(read_since(text).unwrap()).await;
    }
}

#[tokio::test]
async fn a_conversation_is_found_in_its_workspace_only() {
    let mine = conversations();
    let world = World::with(workspace(1), &mine).await;
    for conversation in mine {
        assert_eq!(
            world.stores.conversations.find(workspace(1), conversation.id).await.unwrap(),
            Some(conversation.clone())
        );
        assert_eq!(world.stores.conversations.find(workspace(2), conversation.id).await.unwrap(), None);
    }
    assert_eq!(world.stores.conversations.find(workspace(1), id(7_000)).await.unwrap(), None);
}

#[tokio::test]
async fn another_workspace_is_shown_nothing_by_any_filter() {
    let world = World::with(workspace(1), &conversations()).await;
    for filter in filters() {
        let found = world.stores.conversations.list(workspace(2), filter, PageRequest::default()).await;
        assert_eq!(found.unwrap(), [], "{filter:?}");
    }
}

#[tokio::test]
async fn a_group_is_shown_by_the_name_it_has_now() {
    let world = World::with(workspace(1), &conversations()).await;
    world.client.execute("UPDATE groups SET name = 'sales' WHERE workspace_id = id(1)", &[]).await.unwrap();
    let filter = ConversationFilter { group: Some(id(1)), ..ConversationFilter::default() };
    let found = world.stores.conversations.list(workspace(1), filter, PageRequest::default()).await.unwrap();
    assert!(!found.is_empty());
    assert!(
        found
            .iter()
            .all(|conversation| conversation.group.as_ref().is_some_and(|group| group.name == "sales"))
    );
}
