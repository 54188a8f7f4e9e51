//! Registering addresses, and changing them.

use domain::{
    audit::Action,
    events::{Event, EventData, EventType},
    ids::WebhookAddressId,
    webhooks::{
        AddressChange, AddressSettings, AddressState, RegisterError, WebhookAddress, WebhookSecret,
        ports::{AddressStore, ClaimLimits, DeliveryQueue},
    },
};
use futures_util::future::join_all;
use time::ext::NumericalDuration;

use crate::core_tables::world::{NOW, World};

fn ping() -> Event {
    Event { kind: EventType::Ping, created_at: NOW, data: EventData::Ping { message: "a test".to_owned() } }
}

#[tokio::test]
async fn of_twenty_addresses_registered_at_once_ten_are_and_are_logged() {
    let world = World::new().await;
    let addresses: Vec<_> = (0..20)
        .map(|_| (world.address(&[EventType::MessageSent]), world.entry(Action::WebhookAdded, NOW)))
        .collect();
    let added = join_all(
        addresses
            .iter()
            .map(|(address, entry)| world.stores.webhooks.add(world.workspace, address, 10, entry)),
    )
    .await;
    let count = |wanted| added.iter().filter(|added| **added == wanted).count();
    assert_eq!((count(Ok(())), count(Err(RegisterError::TooMany))), (10, 10));
    assert_eq!(world.count("webhook_addresses").await, 10);
    assert_eq!(world.logged(Action::WebhookAdded).await, 10);
}

#[tokio::test]
async fn an_address_of_no_workspace_is_not_registered() {
    let world = World::new().await;
    let address = world.address(&[EventType::MessageSent]);
    let nobody = world.account.uuid().into();
    let entry = world.entry(Action::WebhookAdded, NOW);
    let added = world.stores.webhooks.add(nobody, &address, 10, &entry).await;
    assert_eq!(added, Err(RegisterError::UnknownWorkspace));
}

#[tokio::test]
async fn a_ping_goes_to_one_address_whatever_it_subscribes_to() {
    let world = World::new().await;
    let address = world.subscribe(&[EventType::MessageSent]).await;
    world.subscribe(&[EventType::MessageSent]).await;
    let owed = world
        .stores
        .webhooks
        .enqueue(world.workspace, address, &ping(), &world.entry(Action::WebhookPinged, NOW))
        .await
        .unwrap();
    let due = world.claim(NOW, NOW, &ClaimLimits::any(10)).await;
    assert_eq!((due.len(), owed), (1, Some(due[0].leased.id)));
    assert_eq!((due[0].leased.address, due[0].event, due[0].leased.attempt), (address, EventType::Ping, 1));
    assert_eq!(due[0].url, format!("https://hooks.example/{address}"));
    assert_eq!(due[0].secret.reveal(), format!("whsec_{address}"));
    assert_eq!(due[0].body, ping().body(due[0].leased.id, world.workspace));
    assert_eq!(world.logged(Action::WebhookPinged).await, 1);
}

#[tokio::test]
async fn a_disabled_address_has_its_ping_attempted_and_all_else_held() {
    let world = World::new().await;
    let address = world.subscribe(&[EventType::MessageSent]).await;
    let webhooks = &world.stores.webhooks;
    let ping_again = async || {
        webhooks
            .enqueue(world.workspace, address, &ping(), &world.entry(Action::WebhookPinged, NOW))
            .await
            .unwrap()
    };
    ping_again().await;
    let pause = AddressChange::Pause { reason: "a rest".to_owned() };
    assert!(change(&world, address, pause, Action::WebhookPaused).await);
    let pinged = ping_again().await;
    // Deliveries that waited before are held, and do not hide the ping.
    assert!(webhooks.due_workspaces(NOW).await.unwrap().iter().any(|due| due.has_stranded));
    assert_eq!(webhooks.hold(world.workspace, NOW, 10).await.unwrap(), 1);
    let due = webhooks.due_workspaces(NOW).await.unwrap();
    assert_eq!((due[0].due_since, due[0].has_stranded), (Some(NOW), false));
    let claimed = world.claim(NOW, NOW, &ClaimLimits::any(10)).await;
    assert_eq!((claimed.len(), claimed[0].leased.once, Some(claimed[0].leased.id)), (1, true, pinged));
    // An address that is removed meanwhile gets nothing.
    assert!(change(&world, address, AddressChange::Delete, Action::WebhookRemoved).await);
    assert!(world.claim(NOW, NOW, &ClaimLimits::any(10)).await.is_empty());
}

#[tokio::test]
async fn nothing_is_owed_to_an_address_that_is_not_there() {
    let world = World::new().await;
    let unknown = WebhookAddressId::new(&*world.ids);
    let owed = world
        .stores
        .webhooks
        .enqueue(world.workspace, unknown, &ping(), &world.entry(Action::WebhookPinged, NOW))
        .await
        .unwrap();
    assert_eq!(owed, None);
    let elsewhere = world.subscribe(&[EventType::MessageSent]).await;
    let other = world.add_workspace().await;
    let entry = world.entry(Action::WebhookPinged, NOW);
    assert_eq!(world.stores.webhooks.enqueue(other, elsewhere, &ping(), &entry).await.unwrap(), None);
    assert_eq!((world.count("deliveries").await, world.logged(Action::WebhookPinged).await), (0, 0));
}

async fn change(world: &World, address: WebhookAddressId, change: AddressChange, action: Action) -> bool {
    world.stores.webhooks.change(world.workspace, address, &change, &world.entry(action, NOW)).await.unwrap()
}

async fn found(world: &World, address: WebhookAddressId) -> Option<WebhookAddress> {
    AddressStore::find(&*world.stores.webhooks, world.workspace, address).await.unwrap()
}

#[tokio::test]
async fn every_change_of_an_address_is_made_and_logged_together() {
    let world = World::new().await;
    let id = world.subscribe(&[EventType::MessageSent]).await;
    let events = Some(vec![EventType::MessageFailed]);
    let settings = AddressSettings { events: events.clone(), standard_headers: None };
    assert!(change(&world, id, AddressChange::Settings(settings), Action::WebhookChanged).await);
    let headers = AddressSettings { events: None, standard_headers: Some(true) };
    assert!(change(&world, id, AddressChange::Settings(headers), Action::WebhookChanged).await);
    let now = found(&world, id).await.unwrap();
    assert_eq!((Some(now.events), now.standard_headers), (events, true));
    let url = "https://other.example/events".to_owned();
    assert!(change(&world, id, AddressChange::Move { url: url.clone() }, Action::WebhookChanged).await);
    assert_eq!(found(&world, id).await.unwrap().url, url);

    let pause = AddressChange::Pause { reason: "a rest".to_owned() };
    assert!(change(&world, id, pause, Action::WebhookPaused).await);
    let health = found(&world, id).await.unwrap().health;
    assert_eq!((health.state, health.disabled_reason.as_deref()), (AddressState::Disabled, Some("a rest")));
    assert!(change(&world, id, AddressChange::Resume, Action::WebhookResumed).await);
    assert_eq!(found(&world, id).await.unwrap().health.state, AddressState::Enabled);

    let until = Some(NOW + 1.hours());
    let rotate =
        AddressChange::Rotate { secret: WebhookSecret::from("whsec_2".to_owned()), previous_until: until };
    assert!(change(&world, id, rotate, Action::WebhookRotated).await);
    assert_eq!(found(&world, id).await.unwrap().previous_secret_until, until);
    for there in [true, false] {
        assert_eq!(change(&world, id, AddressChange::Delete, Action::WebhookRemoved).await, there);
    }
    assert!(found(&world, id).await.is_none());
    for (action, times) in [
        (Action::WebhookChanged, 3),
        (Action::WebhookPaused, 1),
        (Action::WebhookResumed, 1),
        (Action::WebhookRotated, 1),
        (Action::WebhookRemoved, 1),
    ] {
        assert_eq!(world.logged(action).await, times, "{action:?}");
    }
}

#[tokio::test]
async fn an_address_of_another_workspace_is_not_changed() {
    let world = World::new().await;
    let id = world.subscribe(&[EventType::MessageSent]).await;
    let other = world.add_workspace().await;
    let entry = world.entry(Action::WebhookRemoved, NOW);
    assert!(!world.stores.webhooks.change(other, id, &AddressChange::Delete, &entry).await.unwrap());
    assert!(found(&world, id).await.is_some());
    assert_eq!(world.logged(Action::WebhookRemoved).await, 0);
}
