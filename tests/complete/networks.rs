//! Every network is in whatever lists networks: what the database lets in, what the document says, what is
//! tried.
//!
//! The streams that the inbox is merged from, and the seeds of the store's tests, are made from the list
//! itself.

use std::{fs, path::Path};

use adapter_postgres::testing::TestDatabase;
use domain::{channels::ChannelKind, testing::someone_on};
use serde_json::Value;
use tokio_postgres::NoTls;

/// A network as the program and as people write it.
struct Network {
    wire: &'static str,
    spoken: &'static str,
}

/// A list of words, and where it stands.
struct List {
    place: String,
    words: Vec<String>,
}

/// What has to list networks.
struct Places<'a> {
    /// Whatever lists words. A list that has two networks has to have all.
    lists: &'a [List],
    /// The places of lists that have to be there.
    needed: &'a [&'a str],
    /// Pages that tell people which networks there are.
    pages: &'a [(&'a str, String)],
    /// The tests of the whole program that try each network.
    tests: &'a str,
}

/// What is missing of the networks.
fn faults(networks: &[Network], places: &Places<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    let holds = |list: &List, network: &Network| list.words.iter().any(|word| word == network.wire);
    let of_networks = |list: &&List| networks.iter().filter(|network| holds(list, network)).count() > 1;
    let lists: Vec<&List> = places.lists.iter().filter(of_networks).collect();
    for needed in places.needed {
        if !lists.iter().any(|list| list.place.contains(needed)) {
            faults.push(format!("{needed} lists no networks"));
        }
    }
    for network in networks {
        let Network { wire, spoken } = network;
        for list in lists.iter().filter(|list| !holds(list, network)) {
            faults.push(format!("{} has no `{wire}`", list.place));
        }
        for (page, text) in places.pages {
            if !text.contains(spoken) {
                faults.push(format!("{page} does not speak of {spoken}"));
            }
        }
        if !places.tests.contains(&format!("\"{wire}\"")) {
            faults.push(format!("no test of the whole program tries `{wire}`"));
        }
    }
    faults
}

fn every_network() -> Vec<Network> {
    let network = |kind: ChannelKind| Network { wire: kind.as_str(), spoken: kind.spoken() };
    ChannelKind::ALL.map(network).into()
}

/// What the database checks words against, after all migrations.
async fn constraints() -> Vec<List> {
    let database = TestDatabase::fresh().await;
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    let query = "SELECT conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
                 FROM pg_constraint WHERE contype = 'c' AND conrelid <> 0";
    let rows = client.query(query, &[]).await.unwrap();
    let list = |row: &tokio_postgres::Row| List {
        place: row.get(0),
        words: row.get::<_, String>(1).split('\'').skip(1).step_by(2).map(str::to_owned).collect(),
    };
    rows.iter().map(list).collect()
}

/// The choices in a document.
fn enums(place: &str, value: &Value, lists: &mut Vec<List>) {
    match value {
        Value::Object(object) => {
            if let Some(words) = object.get("enum").and_then(Value::as_array) {
                let words = words.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                lists.push(List { place: place.to_owned(), words });
            }
            object.iter().for_each(|(key, inner)| enums(&format!("{place}/{key}"), inner, lists));
        }
        Value::Array(items) => items.iter().for_each(|inner| enums(place, inner, lists)),
        _ => {}
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn page(path: &'static str) -> (&'static str, String) {
    (path, fs::read_to_string(root().join(path)).unwrap())
}

#[tokio::test]
async fn every_network_is_in_whatever_lists_networks() {
    let mut lists = constraints().await;
    let document = serde_json::from_str(adapter_http::openapi()).unwrap();
    enums("docs/openapi.json", &document, &mut lists);
    let tests = root().join("tests/networks");
    let tests = fs::read_dir(tests).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let tests: String = tests.collect();
    let needed = [
        "channels.channels_kind_check",
        "conversations.conversations_channel_check",
        "quarantine.quarantine_network_check",
        "docs/openapi.json/components/schemas/Contact/properties/channels",
        "docs/openapi.json/components/schemas/Conversation/properties/channel",
    ];
    let pages = ["README.md", "docs/change/architecture.md", "docs/tools/simulator.md"].map(page);
    let places = Places { lists: &lists, needed: &needed, pages: &pages, tests: &tests };
    let mut all = faults(&every_network(), &places);

    // Each network has a name of its own for people, which the database knows as well.
    let people = ChannelKind::ALL.map(|network| Network { wire: someone_on(network).kind(), spoken: "" });
    let named = people.iter().map(|people| format!("{:?}", people.wire)).collect::<Vec<_>>().join(" ");
    let needed = ["identities.identities_kinds"];
    all.extend(faults(&people, &Places { lists: &lists, needed: &needed, pages: &[], tests: &named }));
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// What knows `pigeon` in each of these places, and the two others everywhere.
fn lists(with: [bool; 2]) -> Vec<List> {
    ["table.kind_check", "api/Conversation/channel"]
        .into_iter()
        .zip(with)
        .map(|(place, with)| {
            let words = ["whatsapp", "messenger"].into_iter().chain(with.then_some("pigeon"));
            List { place: place.to_owned(), words: words.map(str::to_owned).collect() }
        })
        .collect()
}

#[test]
fn of_a_network_that_is_half_there_each_missing_half_is_named() {
    let networks = [
        Network { wire: "whatsapp", spoken: "WhatsApp" },
        Network { wire: "messenger", spoken: "Messenger" },
        Network { wire: "pigeon", spoken: "Pigeon Post" },
    ];
    let page = |text: &str| [("README.md", text.to_owned())];
    let (all, old) = (page("WhatsApp, Messenger and Pigeon Post"), page("WhatsApp and Messenger"));
    let tried = "[\"whatsapp\", \"messenger\", \"pigeon\"]";
    let cases = [
        ([true, true], &all, tried, vec![]),
        ([false, true], &all, tried, vec!["table.kind_check has no `pigeon`"]),
        ([true, false], &all, tried, vec!["api/Conversation/channel has no `pigeon`"]),
        ([true, true], &old, tried, vec!["README.md does not speak of Pigeon Post"]),
        (
            [true, true],
            &all,
            "[\"whatsapp\", \"messenger\"]",
            vec!["no test of the whole program tries `pigeon`"],
        ),
    ];
    for (with, pages, tests, wanted) in cases {
        let lists = lists(with);
        let places = Places { lists: &lists, needed: &["table.kind_check"], pages, tests };
        assert_eq!(faults(&networks, &places), wanted);
    }
}

#[test]
fn a_list_that_was_dropped_is_named_and_one_of_other_words_is_none_of_networks() {
    let networks = [
        Network { wire: "whatsapp", spoken: "WhatsApp" },
        Network { wire: "messenger", spoken: "Messenger" },
    ];
    let of = |words: &[&str]| {
        vec![List {
            place: "table.kind_check".to_owned(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
        }]
    };
    let tests = "\"whatsapp\" \"messenger\"";
    for words in [&["phone", "whatsapp"][..], &["open", "closed"], &[]] {
        let lists = of(words);
        let places = Places { lists: &lists, needed: &["table.kind_check"], pages: &[], tests };
        assert_eq!(faults(&networks, &places), ["table.kind_check lists no networks"]);
        let places = Places { lists: &lists, needed: &[], pages: &[], tests };
        assert_eq!(faults(&networks, &places), Vec::<String>::new());
    }
}
