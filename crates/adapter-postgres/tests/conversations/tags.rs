use domain::{
    contacts::ports::ContactStore,
    conversations::{TagError, ports::TagStore},
    tag::Tag,
};

use crate::conversations::world::{START, World, contact, conversation, entry, id, workspace};

fn tag(written: &str) -> Tag {
    Tag::read(written).unwrap()
}

#[tokio::test]
async fn a_tag_is_there_once_however_it_is_written_and_its_first_spelling_stays() {
    let world = World::with(workspace(1), &[conversation(1), conversation(2)]).await;
    for written in ["VIP", "vip ", "أحمد", "احمد", "b"] {
        let tagged = world.stores.conversations.tag(workspace(1), id(1), &tag(written), 20, None).await;
        assert_eq!(tagged, Ok(()), "{written}");
    }
    let tags = world.stores.conversations.tags(workspace(1), &[id(2), id(1)]).await.unwrap();
    assert_eq!(tags, [vec![], vec!["VIP".to_owned(), "b".to_owned(), "أحمد".to_owned()]]);
    let person =
        ContactStore::find(&*world.stores.contacts, workspace(1), contact(1)).await.unwrap().unwrap();
    assert_eq!(person.tags, ["VIP", "b", "أحمد"]);

    let used = async |number| world.stores.conversations.tags_in_use(workspace(number), 3).await.unwrap();
    world.stores.conversations.tag(workspace(1), id(2), &tag("vip"), 20, None).await.unwrap();
    assert_eq!(used(1).await, ["b", "VIP", "أحمد"], "each once");
    assert_eq!(used(2).await, [""; 0]);

    assert!(world.stores.conversations.untag(workspace(1), id(1), &tag("Vip"), &entry(START)).await.unwrap());
    assert!(
        !world.stores.conversations.untag(workspace(1), id(1), &tag("Vip"), &entry(START)).await.unwrap()
    );
    assert!(!world.stores.conversations.untag(workspace(2), id(1), &tag("b"), &entry(START)).await.unwrap());
    assert_eq!(world.stores.conversations.tags(workspace(1), &[id(1)]).await.unwrap(), [["b", "أحمد"]]);
}

#[tokio::test]
async fn a_conversation_has_as_many_tags_as_it_may_and_an_unknown_one_none() {
    let world = World::with(workspace(1), &[conversation(1)]).await;
    for (written, expected) in [("a", Ok(())), ("b", Ok(())), ("c", Err(TagError::TooMany)), ("A", Ok(()))] {
        let tagged = world.stores.conversations.tag(workspace(1), id(1), &tag(written), 2, None).await;
        assert_eq!(tagged, expected, "{written}");
    }
    for (workspace_number, conversation) in [(1, 9), (2, 1)] {
        let tagged = world
            .stores
            .conversations
            .tag(workspace(workspace_number), id(conversation), &tag("a"), 2, None)
            .await;
        assert_eq!(tagged, Err(TagError::NotFound));
    }
}

#[tokio::test]
async fn the_log_of_changes_has_what_changed_and_nothing_else() {
    let world = World::with(workspace(1), &[conversation(1)]).await;
    let logged = async || -> i64 {
        world.client.query_one("SELECT count(*) FROM audit_log", &[]).await.unwrap().get(0)
    };
    let before = logged().await;
    for (written, entries, expected) in
        [("a", 1, Ok(())), ("A", 1, Ok(())), ("b", 2, Ok(())), ("c", 2, Err(TagError::TooMany))]
    {
        let log = Some(entry(START));
        let tagged = world.stores.conversations.tag(workspace(1), id(1), &tag(written), 2, log).await;
        assert_eq!(tagged, expected, "{written}");
        assert_eq!(logged().await, before + entries, "{written}");
    }
    for (written, entries) in [("c", 2), ("a", 3), ("a", 3)] {
        world.stores.conversations.untag(workspace(1), id(1), &tag(written), &entry(START)).await.unwrap();
        assert_eq!(logged().await, before + entries, "{written}");
    }
}
