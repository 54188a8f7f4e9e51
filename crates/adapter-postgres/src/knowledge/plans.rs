//! How PostgreSQL runs the statements about documents when many workspaces have some.

use domain::{
    audit::Action,
    ids::WorkspaceId,
    knowledge::{
        Document, MOST_DOCUMENTS, MOST_PASSAGES, Passage, Source,
        ports::{Kept, KnowledgeStore},
    },
    testing::a_moment,
};

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded},
};

fn document(number: u128, passages: u32) -> Document {
    Document {
        id: id(32, number).into(),
        title: format!("Guide {number}"),
        source: Source::Markdown,
        bytes: 10,
        passages,
        changed_by: Some(id(10, 0).into()),
        changed_at: a_moment(),
    }
}

fn passage(text: &str) -> Passage {
    Passage { heading: "Care".to_owned(), sentences: vec![text.to_owned(), "نوصل.".to_owned()] }
}

#[tokio::test]
async fn documents_are_kept_replaced_and_removed_whole_within_their_workspace() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let (store, large) = (&*explained.stores.knowledge, WorkspaceId::from(id(1, 0)));
    let (theirs, nobody) = (WorkspaceId::from(id(1, 1)), WorkspaceId::from(id(1, 100_000)));
    let entry = |action| explained.entry(large, action, a_moment());
    let (added, replaced) = (|| entry(Action::DocumentAdded), || entry(Action::DocumentReplaced));
    assert!(store.has_documents(large).await.unwrap() && !store.has_documents(nobody).await.unwrap());

    let (first, three) = (document(1, 3), [passage("One."), passage("Two."), passage("Three.")]);
    assert_eq!(store.keep(large, &first, &three, true, &replaced()).await, Ok(Kept::Unknown));
    assert_eq!(store.keep(large, &first, &three, false, &added()).await, Ok(Kept::Yes));
    assert_eq!(store.document(large, first.id).await.unwrap(), Some((first.clone(), three.to_vec())));
    let titles: Vec<_> = store.documents(large).await.unwrap().into_iter().map(|it| it.title).collect();
    assert_eq!(titles, ["Guide 1", "Policy"]);
    let all = store.passages(large).await.unwrap();
    assert_eq!((all.len(), all[2].number, all[2].passage.sentences[0].as_str()), (5, 3, "Three."));

    let again = Document { title: "Care".to_owned(), passages: 1, changed_by: None, ..first.clone() };
    let one = [passage("Only.")];
    assert_eq!(store.keep(large, &again, &one, true, &replaced()).await, Ok(Kept::Yes));
    assert_eq!(store.document(large, first.id).await.unwrap(), Some((again, one.to_vec())));

    // Nothing of it is another workspace's.
    assert_eq!(store.document(theirs, first.id).await.unwrap(), None);
    assert_eq!(store.passages(theirs).await.unwrap().len(), 2);
    let of_theirs = explained.entry(theirs, Action::DocumentRemoved, a_moment());
    assert!(!store.remove(theirs, first.id, &of_theirs).await.unwrap());

    let large_one = document(2, MOST_PASSAGES);
    assert_eq!(store.keep(large, &large_one, &one, false, &added()).await, Ok(Kept::NoRoomForPassages));
    for number in 3..=MOST_DOCUMENTS.into() {
        assert_eq!(store.keep(large, &document(number, 1), &one, false, &added()).await, Ok(Kept::Yes));
    }
    assert_eq!(store.keep(large, &document(99, 1), &one, false, &added()).await, Ok(Kept::NoRoomForDocument));
    let removed = || entry(Action::DocumentRemoved);
    assert!(store.remove(large, first.id, &removed()).await.unwrap());
    assert!(!store.remove(large, first.id, &removed()).await.unwrap());
    assert_eq!(store.document(large, first.id).await.unwrap(), None);
    assert_ran_cheaply(&explained, 2_000).await;
}
