//! Results of searches.

use domain::{contacts::AskedContacts, text::fold_for_search};

use crate::contacts::world::{World, page};

const PEOPLE: [(&str, &str); 8] = [
    ("+9647701234567", "سارة أحمد"),
    ("+9647801234568", "Omar Al-Khalid"),
    ("+9647501112233", "علي ؤلاء"),
    ("+4915123456789", "100% Müller_GmbH"),
    ("+9647701234500", "فاطمة مُحَمَّد"),
    ("+9647711234501", "back\\slash"),
    ("+9647721234502", "لیلی"),
    ("+9647731234503", "ž"),
];

async fn world_of_people() -> World {
    let world = World::new().await;
    for (phone, name) in PEOPLE {
        world.add(phone, Some(name)).await;
    }
    world.add_to(world.other_workspace, "+9647701234567", Some("سارة أحمد")).await;
    world
}

#[tokio::test]
async fn any_part_of_a_name_or_a_number_finds_it_as_a_person_writes_it() {
    let world = world_of_people().await;
    for (text, finds) in [
        ("ساره احمد", vec![0]),
        ("أحـمـد", vec![0]),
        ("ة", vec![0, 4]),
        ("ه ", vec![0, 4]),
        ("AL-KH", vec![1]),
        ("al kh", vec![]),
        ("ولاء", vec![2]),
        ("محمد", vec![4]),
        ("%", vec![3]),
        ("100%", vec![3]),
        ("_", vec![3]),
        ("r_g", vec![3]),
        ("r%g", vec![]),
        ("muller", vec![3]),
        ("\\", vec![5]),
        ("k\\s", vec![5]),
        ("ليلى", vec![6]),
        ("ل", vec![2, 6]),
        ("Z", vec![7]),
        ("0770", vec![0, 4]),
        ("٠٧٧٠ ١٢٣", vec![0, 4]),
        ("0770 123 4567", vec![0]),
        ("+964 770", vec![0, 4]),
        ("00964 770", vec![0, 4]),
        ("1234", vec![0, 1, 3, 4, 5, 6, 7]),
        ("12345", vec![0, 1, 3, 4, 5, 6, 7]),
        ("01234", vec![0, 1, 4]),
        ("49151", vec![3]),
        ("4567", vec![0, 3]),
        ("9", vec![0, 1, 2, 3, 4, 5, 6, 7]),
        ("مد\n964", vec![]),
        ("nobody", vec![]),
        ("qz", vec![]),
    ] {
        let mut wanted: Vec<&str> = finds.iter().map(|index| PEOPLE[*index].1).collect();
        wanted.reverse();
        let (names, total) = world.search(text).await;
        assert_eq!(names, wanted, "{text}");
        assert_eq!(usize::try_from(total).unwrap(), wanted.len(), "{text}");
    }
}

#[tokio::test]
async fn a_search_for_nothing_finds_everybody() {
    let world = world_of_people().await;
    for text in ["", "  ", "\u{640}", "\u{200f}"] {
        assert_eq!(world.search(text).await.1, 8, "{text:?}");
    }
}

#[tokio::test]
async fn every_part_of_every_name_is_counted_as_it_is_found() {
    let world = world_of_people().await;
    let folded: Vec<String> = PEOPLE.map(|(_, name)| fold_for_search(name)).to_vec();
    for name in &folded {
        let letters: Vec<char> = name.chars().collect();
        for size in 1..=5 {
            for part in letters.windows(size).map(|part| part.iter().collect::<String>()) {
                // White space at the ends is not searched for, and digits are searched for in numbers, too.
                if part.trim() != part || part.contains(char::is_numeric) {
                    continue;
                }
                let finds = folded.iter().filter(|other| other.contains(&part)).count();
                let (names, total) = world.search(&part).await;
                assert_eq!((names.len(), usize::try_from(total).unwrap()), (finds, finds), "{part}");
            }
        }
    }
}

#[tokio::test]
async fn the_longest_search_is_answered() {
    let world = World::new().await;
    let name = "ش".repeat(200);
    world.add("+9647701234567", Some(&name)).await;
    assert_eq!(world.search(&name).await.1, 1);
    let asked = AskedContacts { search: Some("ش".repeat(201)), ..AskedContacts::default() };
    assert!(world.list(world.workspace, &asked, &page(1, None)).await.is_err());
}
