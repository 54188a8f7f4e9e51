//! How PostgreSQL runs the statements about canned replies when others have many.

use domain::{
    canned_replies::{CannedReply, CannedReplyError, MOST_CANNED_REPLIES, Shortcut, ports::CannedReplyStore},
    ids::WorkspaceId,
    testing::a_moment,
};

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded_with},
};

const MORE: &str = "
    INSERT INTO canned_replies SELECT workspace, id(31, n), 'r' || n, 'r' || n, 'text', id(10, number), at FROM row
        WHERE n <= 200 OR n > 20000";

#[tokio::test]
async fn canned_replies_are_found_by_their_workspace_and_one_by_its_shortcut() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.canned_replies;
    let workspace = WorkspaceId::from(id(1, 0));
    let reply = |number: u128, shortcut: &str| CannedReply {
        id: id(31, number).into(),
        shortcut: Shortcut::read(shortcut).unwrap(),
        text: "text".to_owned(),
        author: id(10, 0).into(),
        changed_at: a_moment(),
    };
    let most = MOST_CANNED_REPLIES;
    assert_eq!(store.list(workspace).await.unwrap().len(), 200);
    assert_eq!(store.add(workspace, &reply(30_000, "hours"), most).await, Ok(()));
    assert_eq!(store.add(workspace, &reply(30_001, "HOURS"), most).await, Err(CannedReplyError::Taken));
    assert_eq!(store.add(workspace, &reply(30_001, "prices"), 201).await, Err(CannedReplyError::TooMany));
    assert_eq!(store.replace(workspace, &reply(7, "prices")).await, Ok(()));
    assert_eq!(store.replace(workspace, &reply(7, "hours")).await, Err(CannedReplyError::Taken));
    // 20,500 belongs to a small workspace.
    assert_eq!(store.replace(workspace, &reply(20_500, "theirs")).await, Err(CannedReplyError::Unknown));
    assert!(!store.remove(workspace, id(31, 20_500).into()).await.unwrap());
    assert!(store.remove(workspace, id(31, 7).into()).await.unwrap());
    assert_ran_cheaply(&explained, 250).await;
}
