//! Searches that find more than is collected and sorted.

use domain::testing::a_moment;

use crate::contacts::world::{World, names, page, searched};

/// People who are all called `kim`, every tenth with `bo` and a number besides, made one after another.
async fn crowd(world: &World, people: i32) {
    let workspace = world.workspace.uuid();
    world
        .execute(
            "INSERT INTO contacts (workspace_id, id, name, phone, source, created_at, searchable)
             SELECT $1, gen_random_uuid(), name, '+' || number, 'import', $2::timestamptz + n * interval '1 second',
                    name || chr(10) || number
             FROM generate_series(1, $3) n,
                  LATERAL (SELECT 'kim' || CASE WHEN n % 10 = 0 THEN ' bo ' || n ELSE '' END AS name,
                                  96477000000 + n AS number) person",
            &[&workspace, &a_moment(), &people],
        )
        .await;
    world
        .execute(
            "WITH counted AS (
                 INSERT INTO contact_counts
                 SELECT workspace_id, 0, count(*) FROM contacts GROUP BY workspace_id
             )
             INSERT INTO contact_part_counts
             SELECT workspace_id, part, 0, count(*) FROM contacts, unnest(short_parts(searchable)) part
             GROUP BY workspace_id, part",
            &[],
        )
        .await;
}

#[tokio::test]
async fn a_search_that_finds_thousands_has_its_exact_total_and_its_newest_first() {
    let world = World::new().await;
    crowd(&world, 9_000).await;
    for (text, total) in [("ki", 9_000), ("k", 9_000), ("kim", 9_000), ("0770", 9_000)] {
        let mut cursor = None;
        for seen in [0, 100, 200] {
            let asked = page(100, cursor);
            let found = world.list(world.workspace, &searched(text), &asked).await.unwrap();
            let phones = found.page.rows.iter().map(|row| row.contact.phone.clone().unwrap());
            let wanted = (0..100).map(|index| format!("+{}", 96_477_009_000_i64 - seen - index));
            assert!(phones.map(|phone| phone.as_str().to_owned()).eq(wanted), "{text}");
            assert_eq!(found.total, total, "{text}");
            cursor = found.page.next;
        }
    }
}

#[tokio::test]
async fn a_search_that_finds_a_few_hundred_among_thousands_is_walked_the_same_way() {
    let world = World::new().await;
    crowd(&world, 9_000).await;
    for text in ["bo", "o", "kim bo"] {
        let mut cursor = None;
        for newest in [9_000, 8_980] {
            let asked = page(2, cursor);
            let found = world.list(world.workspace, &searched(text), &asked).await.unwrap();
            let wanted = [format!("kim bo {newest}"), format!("kim bo {}", newest - 10)];
            assert_eq!((names(&found.page.rows), found.total), (wanted.to_vec(), 900), "{text}");
            cursor = found.page.next;
        }
    }
}

#[tokio::test]
async fn the_total_follows_everybody_who_is_added_to_thousands() {
    let world = World::new().await;
    crowd(&world, 5_000).await;
    world.add("07501234567", Some("Kima")).await;
    for (text, total) in [("ki", 5_001), ("kim", 5_001), ("a", 1), ("kima", 1)] {
        assert_eq!(world.search(text).await.1, total, "{text}");
    }
    assert_eq!(world.miscounts().await, 0);
}
