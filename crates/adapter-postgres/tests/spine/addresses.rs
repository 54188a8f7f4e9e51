//! Registering addresses.

use domain::{
    ids::WebhookAddressId,
    webhooks::{
        Event, EventData, EventType,
        ports::{Added, AddressStore, Lanes},
    },
};
use futures_util::future::join_all;

use crate::world::{NOW, World};

fn ping() -> Event {
    Event { kind: EventType::Ping, created_at: NOW, data: EventData::Ping { message: "a test".to_owned() } }
}

#[tokio::test]
async fn of_twenty_addresses_registered_at_once_ten_are() {
    let world = World::new().await;
    let addresses: Vec<_> = (0..20).map(|_| world.address(&[EventType::MessageSent])).collect();
    let added = join_all(addresses.iter().map(|address| world.store.add(address, 10))).await;
    let added: Vec<_> = added.into_iter().map(Result::unwrap).collect();
    let count = |wanted| added.iter().filter(|added| **added == wanted).count();
    assert_eq!((count(Added::Yes), count(Added::TooMany)), (10, 10));
    assert_eq!(world.count("webhook_addresses").await, 10);
}

#[tokio::test]
async fn an_address_of_no_workspace_is_not_registered() {
    let world = World::new().await;
    let mut address = world.address(&[EventType::MessageSent]);
    address.workspace = world.account.uuid().into();
    assert_eq!(world.store.add(&address, 10).await.unwrap(), Added::NoWorkspace);
}

#[tokio::test]
async fn a_ping_goes_to_one_address_whatever_it_subscribes_to() {
    let world = World::new().await;
    let address = world.subscribe(&[EventType::MessageSent]).await;
    world.subscribe(&[EventType::MessageSent]).await;
    assert!(world.store.owe(world.workspace, address, &ping()).await.unwrap());
    let due = world.claim(NOW, NOW, &Lanes::any(10)).await;
    assert_eq!(due.len(), 1);
    assert_eq!((due[0].leased.address, due[0].event, due[0].leased.attempt), (address, EventType::Ping, 1));
    assert_eq!(due[0].url, format!("https://hooks.example/{address}"));
    assert_eq!(due[0].secret.reveal(), format!("whsec_{address}"));
    assert_eq!(due[0].body, ping().body(due[0].leased.id, world.workspace));
}

#[tokio::test]
async fn nothing_is_owed_to_an_address_that_is_not_there() {
    let world = World::new().await;
    let unknown = WebhookAddressId::new(&*world.ids);
    assert!(!world.store.owe(world.workspace, unknown, &ping()).await.unwrap());
    let elsewhere = world.subscribe(&[EventType::MessageSent]).await;
    let other = world.add_workspace().await;
    assert!(!world.store.owe(other, elsewhere, &ping()).await.unwrap());
    assert_eq!(world.count("deliveries").await, 0);
}
