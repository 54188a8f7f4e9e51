//! How PostgreSQL runs the statements about who is present when many are.

use domain::{
    ids::WorkspaceId,
    presence::{Doing, Present, ports::PresenceStore},
    testing::a_moment,
};
use time::Duration;

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded_with},
};

const MORE: &str = "
    INSERT INTO presences
        SELECT workspace, id(6, n), id(17, 20 * number + n % 20), 'looking', '2999-01-01' FROM row";

#[tokio::test]
async fn who_is_present_is_read_and_noted_by_keys() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.presence;
    let workspace = WorkspaceId::from(id(1, 0));
    let (conversation, member) = (id(6, 12_341).into(), id(17, 5).into());
    let here = |doing| Present { member, doing, until: a_moment() + Duration::seconds(30) };
    for doing in [Doing::Looking, Doing::Looking, Doing::Answering] {
        assert!(store.note(workspace, conversation, here(doing), a_moment()).await.unwrap());
    }
    let present = store.present(workspace, conversation, a_moment()).await.unwrap().unwrap();
    assert!(present.contains(&here(Doing::Answering)), "{present:?}");
    let later = a_moment() + Duration::seconds(30);
    let present = store.present(workspace, conversation, later).await.unwrap().unwrap();
    assert!(present.iter().all(|present| present.member != member), "{present:?}");
    store.leave(workspace, conversation, member).await.unwrap();
    assert!(
        !store.note(workspace, id(6, 99_999_999).into(), here(Doing::Looking), a_moment()).await.unwrap()
    );
    // A member's expired presences are looked for among all of theirs.
    assert_ran_cheaply(&explained, 1_200).await;
}
