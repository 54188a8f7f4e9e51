//! Lists of people.

use std::{convert::Infallible, sync::Arc};

use domain::{
    audit::Acting,
    contacts::{ContactSource, ImportReport, RefusedRow, WrittenPerson, WrittenRow},
    ids::WorkspaceId,
    testing::{a_moment, a_region},
};
use futures_util::future::join_all;

use crate::contacts::world::World;

async fn import(world: &World, workspace: WorkspaceId, people: &[(String, &str)]) -> ImportReport {
    let rows = (1..).zip(people).map(|(line, (phone, name))| {
        let person = WrittenPerson { phone: phone.clone(), name: (*name).to_owned() };
        Ok::<_, Infallible>(WrittenRow { line, person: Ok(person) })
    });
    let refuse = |_: RefusedRow| Ok(());
    world.importing().run(Acting::operator(workspace), a_region(), rows, refuse).await.unwrap()
}

const fn report(created: u64, known: u64) -> ImportReport {
    ImportReport { created, known, refused: 0 }
}

fn crowd(numbers: impl Iterator<Item = u32>) -> Vec<(String, &'static str)> {
    numbers.map(|number| (format!("0770{number:07}"), "زينب Ali")).collect()
}

#[tokio::test]
async fn a_list_is_counted_and_found_and_nobody_is_in_it_twice() {
    let world = World::new().await;
    world.add("07700000003", Some("Omar")).await;
    let people = crowd(1..=1_200);
    assert_eq!(import(&world, world.workspace, &people).await, report(1_199, 1));
    assert_eq!(import(&world, world.workspace, &people).await, report(0, 1_200));
    assert_eq!(import(&world, world.other_workspace, &people[..7]).await, report(7, 0));
    assert_eq!(world.number("SELECT count(*) FROM contacts").await, 1_207);
    for (text, total) in
        [("", 1_200), ("زي", 1_199), ("zaynab", 0), ("ali", 1_199), ("om", 1), ("0770", 1_200)]
    {
        assert_eq!(world.search(text).await.1, total, "{text}");
    }
    assert_eq!(world.miscounts().await, 0);
    let one = world.add("07700000777", None).await;
    assert_eq!((one.contact.source, one.contact.created_at), (ContactSource::Import, a_moment()));
    assert_eq!(one.contact.name.as_deref(), Some("زينب Ali"));
}

#[tokio::test]
async fn a_list_names_the_nameless_and_nobody_else() {
    let world = World::new().await;
    let nameless = world.add("07700000001", None).await.contact.id;
    let named = world.add("07700000002", Some("Omar")).await.contact.id;
    let people = [("07700000001", "Sara"), ("07700000002", "Ali"), ("07700000003", "")];
    let people = people.map(|(phone, name)| (phone.to_owned(), name));
    assert_eq!(import(&world, world.workspace, &people).await, report(1, 2));
    for (id, name) in [(nameless, "Sara"), (named, "Omar")] {
        let found = world.get(world.workspace, id).await.unwrap();
        assert_eq!(found.contact.name.as_deref(), Some(name));
    }
    assert_eq!(world.search("sa").await.1, 1);
    assert_eq!(world.miscounts().await, 0);
}

#[tokio::test]
async fn lists_that_are_read_at_once_create_everybody_once() {
    let world = Arc::new(World::new().await);
    let tasks = (0..4_u32).map(|part| {
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            let forwards = part * 300..part * 300 + 900;
            let people = if part % 2 == 0 { crowd(forwards) } else { crowd(forwards.rev()) };
            import(&world, world.workspace, &people).await
        })
    });
    let reports: Vec<ImportReport> = join_all(tasks).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(reports.iter().map(|report| report.created).sum::<u64>(), 1_800);
    assert_eq!(reports.iter().map(|report| report.known).sum::<u64>(), 1_800);
    assert_eq!(world.number("SELECT count(*) FROM contacts").await, 1_800);
    assert_eq!(world.miscounts().await, 0);
}
