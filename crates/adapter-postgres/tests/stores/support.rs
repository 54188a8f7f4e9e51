//! A store over a database of its own, and a vault without secrecy.

use std::sync::Arc;

pub(crate) use adapter_postgres::testing::GlassVault;
use adapter_postgres::{Stores, testing::TestDatabase};
use domain::{
    audit::{Acting, Action, AuditEntry},
    channels::{Account, ListedNumber, NumberHealth, NumberState, ports::AccountStore},
    ids::{AccountId, IdSource, WorkspaceId},
    phone::PhoneNumber,
    testing::{SequentialIds, a_workspace},
    workspaces::{Workspace, ports::WorkspaceStore},
};
use time::{OffsetDateTime, macros::datetime};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

pub(crate) const NOW: OffsetDateTime = datetime!(2026-11-21 10:00 UTC);

/// A store and what it stands on.
pub(crate) struct Fixture {
    pub(crate) stores: Stores,
    pub(crate) ids: Arc<SequentialIds>,
    pub(crate) database: TestDatabase,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        Self::over(TestDatabase::fresh().await)
    }

    /// Over a database that nobody has migrated.
    pub(crate) async fn unmigrated() -> Self {
        Self::over(TestDatabase::empty().await)
    }

    fn over(database: TestDatabase) -> Self {
        let ids = Arc::new(SequentialIds::default());
        let stores = database.stores(Arc::new(GlassVault), Arc::clone(&ids) as Arc<dyn IdSource>);
        Self { stores, ids, database }
    }

    /// Another workspace, from 1 on.
    pub(crate) async fn workspace(&self, number: u128) -> Workspace {
        let workspace = Workspace { id: Uuid::from_u128(number).into(), ..a_workspace() };
        let owner = Uuid::from_u128(0x9000 + number).into();
        self.stores
            .workspaces
            .create(
                &workspace,
                owner,
                "owner@example.com",
                &self.entry(workspace.id, Action::WorkspaceCreated),
            )
            .await
            .unwrap();
        workspace
    }

    /// A connected account of a workspace that exists.
    pub(crate) async fn account(&self, workspace: WorkspaceId, network_id: &str) -> Account {
        let account = an_account(workspace, AccountId::new(&*self.ids), network_id);
        self.stores.channels.connect(workspace, &account, &self.connects(&account)).await.unwrap();
        account
    }

    /// An operator does something.
    pub(crate) fn entry(&self, workspace: WorkspaceId, action: Action) -> AuditEntry {
        Acting::operator(workspace).does(action, NOW, &*self.ids)
    }

    pub(crate) fn connects(&self, account: &Account) -> AuditEntry {
        self.entry(account.workspace, Action::AccountConnected)
    }

    pub(crate) async fn logged(&self, action: Action) -> i64 {
        let count = "SELECT count(*) FROM audit_log WHERE action = $1";
        self.client().await.query_one(count, &[&action.as_str()]).await.unwrap().get(0)
    }

    pub(crate) async fn client(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(self.database.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }
}

pub(crate) fn an_account(workspace: WorkspaceId, id: AccountId, network_id: &str) -> Account {
    Account {
        id,
        workspace,
        network_id: network_id.to_owned(),
        token: secrecy::SecretString::from(format!("token of {network_id}")),
    }
}

/// A number as the network lists it, able to send.
pub(crate) fn listed(network_id: &str, phone: &str) -> ListedNumber {
    let health = NumberHealth { state: NumberState::Connected, ..NumberHealth::default() };
    ListedNumber { network_id: network_id.to_owned(), phone: phone_number(phone), can_send: true, health }
}

pub(crate) fn phone_number(text: &str) -> PhoneNumber {
    PhoneNumber::from_e164(text).unwrap()
}
