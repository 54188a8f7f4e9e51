//! The database contains nothing of a one-time code in clear.

use data_encoding::{BASE64, BASE64_NOPAD, HEXLOWER, HEXUPPER};
use domain::{
    events::{Event, EventType},
    ids::JournalId,
    inbound::{
        JournalEntry, JournalItem, MessageNames, StatusChange, StatusUpdate,
        ports::{Journal, SentMessages},
    },
    messages::{DeliveryStatus, NetworkMessageId},
    sending::{ConversationParts, ports::SendLedger},
};

use crate::core_tables::world::{NOW, World, key};

const NUMBER: &str = "9647712345678";

/// Every way in which a text can hide in a dump, whose binary columns are hexadecimal.
fn spellings(text: &str) -> Vec<String> {
    let mut spellings = vec![text.to_owned()];
    // At each of the three places that it can have in base64, without what its neighbours share in.
    for shift in 0..3 {
        let encoded = BASE64_NOPAD.encode(&[&[b' '; 3][..shift], text.as_bytes()].concat());
        spellings.push(encoded.get(2 * shift..encoded.len() - 2).unwrap().to_owned());
    }
    let hexadecimal: Vec<_> = spellings
        .iter()
        .flat_map(|it| [HEXLOWER.encode(it.as_bytes()), HEXUPPER.encode(it.as_bytes())])
        .collect();
    spellings.extend(hexadecimal);
    spellings
}

async fn dump(world: &World) -> String {
    let tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'";
    let mut dump = String::new();
    for table in world.texts(tables).await {
        dump.push_str(&world.texts(&format!("SELECT row::text FROM {table} row")).await.join("\n"));
    }
    dump
}

#[tokio::test]
async fn neither_the_number_nor_the_networks_id_of_a_code_is_in_clear_anywhere() {
    let world = World::new().await;
    world.subscribe(EventType::SUBSCRIBABLE).await;
    let envelope = BASE64.encode(format!("\x1c\x18\x0d{NUMBER}\x15\x02").as_bytes());
    let network_id = NetworkMessageId::from(format!("wamid.{envelope}"));
    let intent = world.code();
    world.try_begin(&intent, Some(key("a key")), None).await;
    let mut accepted = world.accepted(&intent, ConversationParts::default());
    accepted.network_id = network_id.clone();
    world.stores.sends.record(world.workspace, &accepted).await.unwrap();

    let update = StatusUpdate {
        network_id: network_id.clone(),
        tag: Some(intent.id.to_string()),
        status: DeliveryStatus::Delivered,
        at: NOW,
        error: None,
    };
    let entry = JournalEntry {
        id: JournalId::new(&*world.ids),
        workspace: world.workspace,
        received_at: NOW,
        attempts: 0,
        item: JournalItem::Status(update.clone()),
    };
    world.stores.inbound.append(world.workspace, &[entry], false).await.unwrap();
    let names = MessageNames { tag: None, network_id: network_id.clone() };
    let found = world.stores.inbound.find(world.workspace, &[names]).await.unwrap()[0].clone().unwrap();
    let (after, _) = found.entry.progress.advance(update.status, NOW);
    let change = StatusChange {
        id: intent.id,
        before: found.entry.progress,
        after,
        kept_error: None,
        error_code: None,
        events: vec![Event::message_status(&found, &update, &network_id, NOW)],
    };
    world.stores.inbound.commit(world.workspace, &[change], &[]).await.unwrap();
    world
        .stores
        .inbound
        .quarantine("meta", network_id.reveal().as_bytes(), None, "no JSON", NOW)
        .await
        .unwrap();

    let dump = dump(&world).await;
    assert!(dump.contains(&intent.id.to_string()) && dump.contains("message.delivered"));
    for text in [NUMBER, network_id.reveal(), &envelope] {
        for spelling in spellings(text) {
            assert!(!dump.contains(&spelling), "{text} is in the dump as {spelling}");
        }
    }
}

#[tokio::test]
async fn the_search_would_find_what_is_in_clear() {
    let world = World::new().await;
    let envelope = BASE64.encode(format!("\x1c\x18\x0d{NUMBER}\x15\x02").as_bytes());
    for planted in [NUMBER.to_owned(), envelope, HEXLOWER.encode(NUMBER.as_bytes())] {
        world.execute("UPDATE workspaces SET name = $1", &[&planted]).await;
        let dump = dump(&world).await;
        assert!(spellings(NUMBER).iter().any(|spelling| dump.contains(spelling)), "{planted}");
    }
    world.execute("UPDATE accounts SET token_sealed = $1", &[&NUMBER.as_bytes()]).await;
    world.execute("UPDATE workspaces SET name = ''", &[]).await;
    let dump = dump(&world).await;
    assert!(spellings(NUMBER).iter().any(|spelling| dump.contains(spelling)));
}
