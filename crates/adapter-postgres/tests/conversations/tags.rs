use domain::{
    contacts::ports::ContactStore,
    conversations::{
        Tag,
        ports::{TagStore, Tagged},
    },
};

use crate::world::{World, contact, id, thread, workspace};

fn tag(written: &str) -> Tag {
    Tag::read(written).unwrap()
}

#[tokio::test]
async fn a_tag_is_there_once_however_it_is_written_and_its_first_spelling_stays() {
    let world = World::with(workspace(1), &[thread(1), thread(2)]).await;
    for written in ["VIP", "vip ", "أحمد", "احمد", "b"] {
        let tagged = world.store.tag(workspace(1), id(1), &tag(written), 20).await.unwrap();
        assert_eq!(tagged, Tagged::Yes, "{written}");
    }
    let tags = world.store.tags(workspace(1), &[id(2), id(1)]).await.unwrap();
    assert_eq!(tags, [vec![], vec!["VIP".to_owned(), "b".to_owned(), "أحمد".to_owned()]]);
    let person = ContactStore::find(&*world.store, workspace(1), contact(1)).await.unwrap().unwrap();
    assert_eq!(person.tags, ["VIP", "b", "أحمد"]);

    assert!(world.store.untag(workspace(1), id(1), &tag("Vip")).await.unwrap());
    assert!(!world.store.untag(workspace(1), id(1), &tag("Vip")).await.unwrap());
    assert!(!world.store.untag(workspace(2), id(1), &tag("b")).await.unwrap());
    assert_eq!(world.store.tags(workspace(1), &[id(1)]).await.unwrap(), [["b", "أحمد"]]);
}

#[tokio::test]
async fn a_thread_has_as_many_tags_as_it_may_and_an_unknown_one_none() {
    let world = World::with(workspace(1), &[thread(1)]).await;
    for (written, expected) in
        [("a", Tagged::Yes), ("b", Tagged::Yes), ("c", Tagged::TooMany), ("A", Tagged::Yes)]
    {
        assert_eq!(
            world.store.tag(workspace(1), id(1), &tag(written), 2).await.unwrap(),
            expected,
            "{written}"
        );
    }
    for (workspace_number, thread) in [(1, 9), (2, 1)] {
        let tagged = world.store.tag(workspace(workspace_number), id(thread), &tag("a"), 2).await.unwrap();
        assert_eq!(tagged, Tagged::NoConversation);
    }
}
