//! Pages and totals.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{
    contacts::{AskedContacts, ListContactsError},
    ids::ContactId,
    testing::a_moment,
};

use crate::contacts::world::{World, names, page, searched};

async fn walk(world: &World, asked: &AskedContacts, limit: u64) -> Vec<ContactId> {
    let (mut ids, mut cursor) = (Vec::new(), None);
    loop {
        let found = world.list(world.workspace, asked, &page(limit, cursor)).await.unwrap();
        ids.extend(found.page.rows.iter().map(|row| row.contact.id));
        cursor = found.page.next;
        if cursor.is_none() {
            return ids;
        }
    }
}

#[tokio::test]
async fn contacts_come_newest_first_and_ties_by_id_with_their_total() {
    let world = World::new().await;
    for index in 0..7 {
        world.add(&format!("077000000{index:02}"), Some(&format!("{index}"))).await;
        if index % 3 == 2 {
            world.clock.advance(Duration::from_micros(1));
        }
    }
    world.add_to(world.other_workspace, "07700000099", None).await;
    let first = world.list(world.workspace, &AskedContacts::default(), &page(3, None)).await.unwrap();
    assert_eq!((names(&first.page.rows), first.total), (vec!["6".into(), "5".into(), "4".into()], 7));
    let second =
        world.list(world.workspace, &AskedContacts::default(), &page(4, first.page.next)).await.unwrap();
    assert_eq!(names(&second.page.rows), ["3", "2", "1", "0"]);
    assert_eq!((second.page.next, second.total), (None, 7));
}

#[tokio::test]
async fn an_empty_workspace_has_an_empty_page() {
    let world = World::new().await;
    for asked in [AskedContacts::default(), searched("a"), searched("abc"), of_phone("07701234567")] {
        let found = world.list(world.workspace, &asked, &page(1, None)).await.unwrap();
        assert!(found.page.rows.is_empty() && found.page.next.is_none(), "{asked:?}");
        assert_eq!(found.total, 0);
    }
}

fn of_phone(phone: &str) -> AskedContacts {
    AskedContacts { phone: Some(phone.to_owned()), ..AskedContacts::default() }
}

#[tokio::test]
async fn a_number_in_any_spelling_finds_its_contact_and_a_search_may_narrow_it() {
    let world = World::new().await;
    let sara = world.add("+9647701234567", Some("سارة")).await;
    world.add("+9647701234568", Some("سارة")).await;
    world.add_to(world.other_workspace, "+9647701234569", None).await;
    for (phone, search, finds) in [
        ("07701234567", None, true),
        ("٠٠٩٦٤ ٧٧٠ ١٢٣ ٤٥٦٧", None, true),
        ("9647701234567", Some("ساره"), true),
        ("9647701234567", Some("0770123"), true),
        ("9647701234567", Some("علي"), false),
        ("9647701234567", Some(" "), true),
        ("07701234569", None, false),
    ] {
        let asked = AskedContacts { search: search.map(str::to_owned), ..of_phone(phone) };
        let found = world.list(world.workspace, &asked, &page(1, None)).await.unwrap();
        let ids: Vec<_> = found.page.rows.iter().map(|row| row.contact.id).collect();
        assert_eq!(ids, if finds { vec![sara.contact.id] } else { vec![] }, "{asked:?}");
        assert_eq!(found.total, u64::from(finds), "{asked:?}");
    }
}

#[tokio::test]
async fn a_cursor_opens_the_list_it_was_issued_for_in_any_spelling_and_no_other() {
    let world = World::new().await;
    for index in 0..4 {
        world.add(&format!("0770000000{index}"), Some("أحمد")).await;
    }
    let found = world.list(world.workspace, &searched("أحمد"), &page(1, None)).await.unwrap();
    let cursor = found.page.next;
    assert!(world.list(world.workspace, &searched("احمد "), &page(2, cursor.clone())).await.is_ok());
    for (workspace, asked) in [
        (world.other_workspace, searched("أحمد")),
        (world.workspace, searched("حمد")),
        (world.workspace, AskedContacts::default()),
        (world.workspace, of_phone("07700000000")),
    ] {
        let refused = world.list(workspace, &asked, &page(1, cursor.clone())).await;
        assert!(matches!(refused, Err(ListContactsError::Cursor(_))), "{asked:?}");
    }
}

#[tokio::test]
async fn a_walk_shows_every_contact_once_while_others_are_added() {
    let world = Arc::new(World::new().await);
    let mut there = Vec::new();
    for index in 0..120 {
        // Many of one time, and some of times to come.
        there.push(world.insert(a_moment() + Duration::from_secs(index / 30)).await);
    }
    let ended = Arc::new(AtomicBool::new(false));
    let adding = tokio::spawn({
        let (world, ended) = (Arc::clone(&world), Arc::clone(&ended));
        async move {
            let mut index = 0;
            while !ended.load(Ordering::Relaxed) {
                world.add(&format!("0770{index:07}"), None).await;
                index += 1;
            }
        }
    });
    for limit in [1, 7, 100] {
        let seen = walk(&world, &AskedContacts::default(), limit).await;
        let mut once = seen.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), seen.len(), "nobody comes twice");
        assert!(there.iter().all(|id| once.binary_search(id).is_ok()), "nobody is left out");
    }
    ended.store(true, Ordering::Relaxed);
    adding.await.unwrap();
}
