//! How PostgreSQL runs the statements about notes when there are many.

use domain::{
    ids::WorkspaceId,
    notes::{Note, ports::NoteStore},
    paging::PageRequest,
    testing::a_moment,
};

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded_with},
};

const MORE: &str = "
    INSERT INTO notes SELECT workspace, id(29, n), id(6, n), id(10, number), 'text', '{}', at FROM row;
    INSERT INTO unseen_mentions
        SELECT workspace, id(17, 20 * number + n % 20), id(29, n), id(6, n), at FROM row WHERE n % 20 < 3 OR n > 20000";

#[tokio::test]
async fn notes_are_found_by_their_conversation_and_mentions_by_their_member() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.notes;
    let workspace = WorkspaceId::from(id(1, 0));
    let (conversation, member) = (id(6, 12_341).into(), id(17, 1).into());
    let note = Note {
        id: id(29, 30_000).into(),
        conversation,
        author: id(10, 0).into(),
        text: "text".to_owned(),
        mentions: vec![member],
        created_at: a_moment(),
    };
    store.add(workspace, &note).await.unwrap();
    assert_eq!(store.list(workspace, conversation, PageRequest::default()).await.unwrap().unwrap().len(), 2);
    assert_eq!(store.mentions(workspace, member, 50).await.unwrap().len(), 50);
    store.see(workspace, member, conversation).await.unwrap();
    assert_ran_cheaply(&explained, 60).await;
}
