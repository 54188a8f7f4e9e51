//! People whose names only the networks can tell.

use domain::{
    contacts::{
        Identity,
        ports::{ContactStore, Profile, UnnamedContact, UnnamedContacts},
    },
    inbound::{ContactMerge, ConversationUpdate, ports::InboxStore},
};
use secrecy::ExposeSecret;
use time::{Duration, OffsetDateTime};

use super::{SARA, number, user, wrote};
use crate::core_tables::world::{NOW, World};

fn page_scoped(id: &str) -> Identity {
    Identity::MessengerUser(id.to_owned())
}

fn unnamed(identity: Identity, id: &str) -> ConversationUpdate {
    let mut update = wrote(&[identity], id);
    update.person.name = None;
    update
}

/// A world whose channel is a page.
async fn page() -> World {
    let world = World::new().await;
    world.execute("UPDATE channels SET kind = 'messenger', phone = NULL", &[]).await;
    world
}

async fn claim(world: &World, now: OffsetDateTime) -> Vec<UnnamedContact> {
    world.stores.contacts.claim_unnamed(world.workspace, now, now + Duration::minutes(5), 10).await.unwrap()
}

#[tokio::test]
async fn only_whom_a_page_or_an_account_met_is_asked_about_and_by_one_node_at_a_time() {
    let world = page().await;
    world.record(vec![unnamed(page_scoped("2481"), "m_1")]).await;
    world.record(vec![unnamed(number(SARA), "wamid.1"), unnamed(user("IQ.1"), "wamid.2")]).await;
    assert_eq!(world.stores.contacts.workspaces_with_unnamed(NOW).await.unwrap(), [world.workspace]);
    let claimed = claim(&world, NOW).await;
    let [unnamed_contact] = &claimed[..] else { panic!("one, not {}", claimed.len()) };
    assert_eq!((&unnamed_contact.identity, unnamed_contact.attempt), (&page_scoped("2481"), 1));
    assert!(
        unnamed_contact.contact.name.is_none()
            && !unnamed_contact.token.as_ref().unwrap().expose_secret().is_empty()
    );
    assert_eq!(claim(&world, NOW).await.len(), 0, "somebody has them");
    assert!(world.stores.contacts.workspaces_with_unnamed(NOW).await.unwrap().is_empty());

    let later = NOW + Duration::minutes(5);
    assert_eq!(claim(&world, later).await[0].attempt, 2, "who took them has died");
    world.stores.contacts.asked(world.workspace, &page_scoped("2481"), Some(later)).await.unwrap();
    assert_eq!(claim(&world, later).await[0].attempt, 3);
    world.stores.contacts.asked(world.workspace, &page_scoped("2481"), None).await.unwrap();
    assert_eq!(claim(&world, NOW + Duration::days(1)).await.len(), 0);
}

#[tokio::test]
async fn a_name_that_the_network_tells_is_shown_and_searched_for() {
    let world = page().await;
    world.record(vec![unnamed(page_scoped("2481"), "m_1")]).await;
    let unnamed_contact = claim(&world, NOW).await.remove(0);
    let told = Profile { name: Some("Qamar".to_owned()), avatar_url: Some("https://p.example".to_owned()) };
    let met = ContactMerge::by_profile(&unnamed_contact.contact, None, told).unwrap();
    world.stores.inbound.merge_contacts(world.workspace, &met, NOW).await.unwrap();
    let profile = ContactStore::find(&*world.stores.contacts, world.workspace, unnamed_contact.contact.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(profile.contact.name.as_deref(), Some("Qamar"));
    assert_eq!(profile.avatar_url.as_deref(), Some("https://p.example"));
    assert_eq!(world.count("contact_part_counts WHERE part = 'qa' AND contacts = 1").await, 1);
}

#[tokio::test]
async fn whoever_has_no_conversation_is_claimed_too_so_that_they_are_due_no_longer_than_others() {
    let world = page().await;
    world.record(vec![unnamed(page_scoped("2481"), "m_1")]).await;
    world.execute("UPDATE channels SET kind = 'instagram'", &[]).await;
    world.execute("UPDATE conversations SET channel = 'instagram'", &[]).await;
    let claimed = claim(&world, NOW).await;
    let [unnamed_contact] = &claimed[..] else { panic!("one, not {}", claimed.len()) };
    assert_eq!(unnamed_contact.attempt, 1);
    assert!(unnamed_contact.token.is_none(), "nothing can be asked");
    world.stores.contacts.asked(world.workspace, &unnamed_contact.identity, None).await.unwrap();
    assert_eq!(claim(&world, NOW + Duration::days(1)).await.len(), 0);
}
