//! Owners' changes that wait for an outside system, and the rights of their authors by then.

use adapter_postgres::Stores;
use domain::{
    audit::{Acting, Action, Actor, AuditEntry},
    channels::ports::{AccountStore, PageStore},
    errors::StoreError,
    ids::{IdSource, WorkspaceId},
    systems::{
        Capabilities, ConnectedSystem, Introduction, SystemBase, SystemConnection, SystemSecret,
        ports::SystemStore,
    },
    testing::a_webhook_address,
    text::PlainText,
    webhooks::{AddressChange, ports::AddressStore},
};
use uuid::Uuid;

use crate::stores::{
    pages::page,
    support::{Fixture, NOW, an_account},
};

/// The owner of the fixture's first workspace.
const OWNER: u128 = 0x9001;

fn entry(ids: &dyn IdSource, workspace: WorkspaceId, action: Action) -> AuditEntry {
    let actor = Actor::Member(Uuid::from_u128(OWNER).into());
    Acting { workspace, actor, address: None }.does(action, NOW, ids)
}

fn a_system() -> ConnectedSystem {
    let introduction = Introduction {
        name: PlainText::read("n", 200).unwrap(),
        currency: "IQD".parse().unwrap(),
        capabilities: Capabilities::default(),
    };
    let base = SystemBase::parse("https://shop.example").unwrap();
    let connection = SystemConnection::new(Uuid::from_u128(1).into(), base, introduction, NOW);
    ConnectedSystem { connection, secret: SystemSecret::parse("s").unwrap() }
}

/// What a store answers, whatever its refusals are called.
fn answer<T, E: ToString>(done: Result<T, E>) -> Result<(), String> {
    done.map(drop).map_err(|error| error.to_string())
}

/// Returns the outcome of each change that asks an outside system first.
async fn changes(
    stores: &Stores,
    workspace: WorkspaceId,
    by: impl Fn(Action) -> AuditEntry,
) -> Vec<Result<(), String>> {
    let address = a_webhook_address();
    let moved = AddressChange::Move { url: "https://elsewhere.example/events".to_owned() };
    let account = an_account(workspace, Uuid::from_u128(2).into(), "76");
    let of_page = an_account(workspace, Uuid::from_u128(3).into(), "77");
    let (webhooks, channels) = (&stores.webhooks, &stores.channels);
    vec![
        answer(stores.systems.connect(workspace, &a_system(), &by(Action::SystemConnected)).await),
        answer(webhooks.add(workspace, &address, 10, &by(Action::WebhookAdded)).await),
        answer(webhooks.change(workspace, address.id, &moved, &by(Action::WebhookChanged)).await),
        answer(channels.connect(workspace, &account, &by(Action::AccountConnected)).await),
        answer(
            channels
                .connect_page(workspace, &of_page, &page("77", None), &by(Action::AccountConnected))
                .await,
        ),
    ]
}

#[tokio::test]
async fn nothing_that_waited_outside_is_finished_by_whoever_is_no_owner_any_more() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let by = |action| entry(&*fixture.ids, workspace, action);
    let all = changes(&fixture.stores, workspace, by).await;
    assert!(all.iter().all(Result::is_ok), "of an owner: {all:?}");
    let written = "SELECT count(*) FROM audit_log";
    let client = fixture.client().await;
    let before: i64 = client.query_one(written, &[]).await.unwrap().get(0);
    for (becomes, told) in
        [("role = 'agent'", StoreError::NotOwner), ("left_at = now()", StoreError::NotMember)]
    {
        client.execute(&format!("UPDATE members SET {becomes}"), &[]).await.unwrap();
        for refused in changes(&fixture.stores, workspace, by).await {
            assert_eq!(refused, Err(told.to_string()), "{becomes}");
        }
    }
    let after: i64 = client.query_one(written, &[]).await.unwrap().get(0);
    assert_eq!(after, before, "nothing lasts of it");
    let url = client.query_one("SELECT url FROM webhook_addresses", &[]).await.unwrap();
    assert_eq!(url.get::<_, &str>(0), "https://elsewhere.example/events");
}
