//! A database with two workspaces, and the use cases over it.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use adapter_postgres::{Stores, testing::TestDatabase};
use domain::{
    contacts::{
        AddContact, AskedContacts, ContactName, ContactProfile, ContactsPage, GetContact, ImportContacts,
        ListContacts, ListContactsError, RenameContact,
    },
    ids::{ContactId, IdSource, WorkspaceId},
    paging::{AskedPage, Cursors, PageLimit},
    testing::{ManualClock, SequentialIds, a_moment, a_region, deps_of},
    vault::{MockVault, Vault},
};
use time::OffsetDateTime;
use tokio_postgres::{Client, NoTls, types::ToSql};
use uuid::Uuid;

pub(crate) struct World {
    pub(crate) workspace: WorkspaceId,
    pub(crate) other_workspace: WorkspaceId,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) stores: Stores,
    ids: Arc<SequentialIds>,
    vault: Arc<dyn Vault>,
    sql: Client,
    _database: TestDatabase,
}

impl World {
    pub(crate) async fn new() -> Self {
        let database = TestDatabase::fresh().await;
        let ids = Arc::new(SequentialIds::default());
        let mut vault = MockVault::new();
        vault.expect_keyed_hash().returning(hash);
        let vault: Arc<dyn Vault> = Arc::new(vault);
        let stores = database.stores(Arc::clone(&vault), Arc::clone(&ids) as Arc<dyn IdSource>);
        let (sql, connection) = tokio_postgres::connect(database.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        let world = Self {
            workspace: ids.next().into(),
            other_workspace: ids.next().into(),
            clock: Arc::new(ManualClock::at(a_moment())),
            stores,
            ids,
            vault,
            sql,
            _database: database,
        };
        for workspace in [world.workspace, world.other_workspace] {
            let insert = "INSERT INTO workspaces (workspace_id, name, locale, region, created_at)
                          VALUES ($1, 'Palm Store', 'ar', 'IQ', now())";
            world.execute(insert, &[&workspace.uuid()]).await;
        }
        world
    }

    pub(crate) fn new_id(&self) -> Uuid {
        self.ids.next()
    }

    pub(crate) async fn execute(&self, statement: &str, parameters: &[&(dyn ToSql + Sync)]) {
        self.sql.execute(statement, parameters).await.unwrap();
    }

    pub(crate) async fn number(&self, query: &str) -> i64 {
        self.sql.query_one(query, &[]).await.unwrap().get(0)
    }

    /// Counts totals and parts whose stored counts differ from a count of all contacts.
    pub(crate) async fn miscounts(&self) -> i64 {
        self.number(
            "WITH counted AS (
                 SELECT workspace_id, '' AS part, sum(contacts) AS contacts FROM contact_counts GROUP BY 1
                 UNION ALL
                 SELECT workspace_id, part, sum(contacts) FROM contact_part_counts GROUP BY 1, 2
             ), true_counts AS (
                 SELECT workspace_id, '' AS part, count(*) AS contacts FROM contacts GROUP BY 1
                 UNION ALL
                 SELECT workspace_id, part, count(*)
                 FROM contacts, unnest(short_parts(searchable)) part GROUP BY 1, 2
             )
             SELECT count(*) FROM counted FULL JOIN true_counts USING (workspace_id, part)
             WHERE coalesce(counted.contacts, 0) <> coalesce(true_counts.contacts, 0)",
        )
        .await
    }

    pub(crate) async fn add(&self, phone: &str, name: Option<&str>) -> ContactProfile {
        self.add_to(self.workspace, phone, name).await
    }

    pub(crate) async fn add_to(
        &self,
        workspace: WorkspaceId,
        phone: &str,
        name: Option<&str>,
    ) -> ContactProfile {
        let add = AddContact {
            store: self.stores.contacts.clone(),
            deps: deps_of(self.clock.clone(), self.ids.clone()),
        };
        add.run(workspace, a_region(), phone, name).await.unwrap()
    }

    pub(crate) fn importing(&self) -> ImportContacts {
        ImportContacts {
            store: self.stores.contacts.clone(),
            audit: self.stores.access.clone(),
            members: self.stores.access.clone(),
            deps: deps_of(self.clock.clone(), self.ids.clone()),
        }
    }

    pub(crate) async fn rename(&self, id: ContactId, name: &str) -> Option<ContactProfile> {
        let rename = RenameContact {
            store: self.stores.contacts.clone(),
            deps: deps_of(self.clock.clone(), self.ids.clone()),
        };
        rename.run(self.workspace, id, &ContactName::read(name).unwrap()).await.unwrap()
    }

    pub(crate) async fn get(&self, workspace: WorkspaceId, id: ContactId) -> Option<ContactProfile> {
        GetContact { store: self.stores.contacts.clone() }.run(workspace, id).await.unwrap()
    }

    pub(crate) async fn list(
        &self,
        workspace: WorkspaceId,
        asked: &AskedContacts,
        page: &AskedPage,
    ) -> Result<ContactsPage, ListContactsError> {
        let cursors = Cursors { vault: Arc::clone(&self.vault) };
        let list = ListContacts { store: self.stores.contacts.clone(), cursors };
        list.run(workspace, a_region(), asked, page).await
    }

    /// The first hundred that a search finds in the first workspace, by name, and how many there are.
    pub(crate) async fn search(&self, text: &str) -> (Vec<String>, u64) {
        let found = self.list(self.workspace, &searched(text), &page(100, None)).await.unwrap();
        (names(&found.page.rows), found.total)
    }

    /// Somebody past the use cases, made at `at`.
    pub(crate) async fn insert(&self, at: OffsetDateTime) -> ContactId {
        let id = self.new_id();
        let insert = "INSERT INTO contacts (workspace_id, id, source, created_at)
                      VALUES ($1, $2, 'messaged', $3)";
        self.execute(insert, &[&self.workspace.uuid(), &id, &at]).await;
        id.into()
    }
}

fn hash(purpose: &str, data: &[u8]) -> [u8; 32] {
    let mut hasher = DefaultHasher::new();
    (purpose, data).hash(&mut hasher);
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&hasher.finish().to_be_bytes());
    hash
}

pub(crate) fn searched(text: &str) -> AskedContacts {
    AskedContacts { search: Some(text.to_owned()), ..AskedContacts::default() }
}

pub(crate) fn page(rows: u64, cursor: Option<String>) -> AskedPage {
    AskedPage { limit: PageLimit::new(rows).unwrap(), cursor }
}

pub(crate) fn names(rows: &[ContactProfile]) -> Vec<String> {
    rows.iter().map(|row| row.contact.name.clone().unwrap_or_default()).collect()
}
