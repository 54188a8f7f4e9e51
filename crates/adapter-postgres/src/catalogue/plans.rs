//! How PostgreSQL runs the statements about synonyms when many workspaces have some.

use domain::{
    audit::Action,
    catalogue::{OwnSynonyms, ports::SynonymStore},
    testing::a_moment,
};

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded},
};

#[tokio::test]
async fn a_workspace_has_the_synonyms_that_were_written_last() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let (store, large) = (&*explained.stores.catalogue, id(1, 0).into());
    let seeded = store.synonyms(large).await.unwrap();
    assert_eq!(seeded.groups().count(), 2);
    let typed = [vec!["ثلاجة".to_owned(), "براد".to_owned(), "fridge".to_owned()]];
    let own = OwnSynonyms::read(&typed).unwrap();
    let entry = explained.entry(large, Action::SynonymsChanged, a_moment());
    store.replace(large, &own, &entry).await.unwrap();
    assert_eq!(store.synonyms(large).await.unwrap(), own);
    // Another workspace keeps its own, and one that never set any has none.
    assert_eq!(store.synonyms(id(1, 1).into()).await.unwrap(), seeded);
    assert_eq!(store.synonyms(id(1, 100_000).into()).await.unwrap(), OwnSynonyms::default());
    assert_ran_cheaply(&explained, 2).await;
}
