//! Sessions that begin while what proves who somebody is becomes another.

use domain::{
    access::{
        audit::Action,
        sessions::{
            NewSession, Origin, PasswordHash, SessionHash,
            ports::{Proof, SessionStore},
        },
    },
    errors::StoreError,
    ids::{MemberId, SessionId, WorkspaceId},
};
use futures_util::future::join;
use uuid::Uuid;

use crate::support::{Fixture, NOW};

fn hash(text: &str) -> PasswordHash {
    PasswordHash(text.to_owned())
}

/// The owner of a workspace of its own, who has this password.
struct Owner {
    fixture: Fixture,
    workspace: WorkspaceId,
    member: MemberId,
}

impl Owner {
    async fn with_password(password: &str) -> Self {
        let fixture = Fixture::new().await;
        let workspace = fixture.workspace(1).await.id;
        let owner = Self { fixture, workspace, member: Uuid::from_u128(0x9001).into() };
        owner.write("UPDATE members SET password_hash = $1", password).await;
        owner
    }

    async fn write(&self, statement: &str, value: &str) {
        self.fixture.client().await.execute(statement, &[&value]).await.unwrap();
    }

    /// Begins a session as whoever has shown this password, and no second factor.
    async fn begins(&self, number: u8, password: &str) -> bool {
        let session = NewSession {
            id: SessionId::new(&*self.fixture.ids),
            hash: SessionHash([number; 32]),
            origin: Origin::default(),
            began_at: NOW,
        };
        let entry = self.fixture.entry(self.workspace, Action::SignedIn);
        let (store, password) = (&self.fixture.stores.access, hash(password));
        let begun = store.begin(self.workspace, self.member, &password, Proof::NotAsked, &session, &entry);
        begun.await.unwrap()
    }

    async fn changes(&self, current: &str, new: &str) -> Result<(), StoreError> {
        let entry = self.fixture.entry(self.workspace, Action::PasswordChanged);
        let keep = SessionId::new(&*self.fixture.ids);
        let (store, current, new) = (&self.fixture.stores.access, hash(current), hash(new));
        store.set_password(self.workspace, self.member, &current, &new, keep, &entry).await
    }

    async fn sessions(&self) -> i64 {
        let count = "SELECT count(*) FROM sessions";
        self.fixture.client().await.query_one(count, &[]).await.unwrap().get(0)
    }
}

#[tokio::test]
async fn no_session_begins_by_a_password_that_has_become_another() {
    let owner = Owner::with_password("old").await;
    assert!(owner.begins(1, "old").await);
    owner.changes("old", "new").await.unwrap();
    assert!(!owner.begins(2, "old").await, "it was right when they were asked for it");
    assert_eq!(owner.sessions().await, 0);
    assert!(owner.begins(3, "new").await);
}

#[tokio::test]
async fn no_session_outlives_a_password_that_is_changed_at_the_same_time() {
    let owner = Owner::with_password("0").await;
    for round in 0..20_u8 {
        let (current, new) = (round.to_string(), (round + 1).to_string());
        let (_, changed) = join(owner.begins(round, &current), owner.changes(&current, &new)).await;
        changed.unwrap();
        assert_eq!(owner.sessions().await, 0, "round {round}");
    }
}

#[tokio::test]
async fn no_session_begins_without_a_second_factor_that_was_switched_on_meanwhile() {
    let owner = Owner::with_password("old").await;
    let on = "UPDATE members SET totp_sealed = convert_to($1, 'UTF8'), totp_confirmed_at = now()";
    owner.write(on, "sealed").await;
    assert!(!owner.begins(1, "old").await);
    assert_eq!(owner.sessions().await, 0);
}

#[tokio::test]
async fn who_has_shown_the_password_before_the_last_writes_none() {
    let owner = Owner::with_password("old").await;
    owner.changes("old", "new").await.unwrap();
    assert!(matches!(owner.changes("old", "theirs").await, Err(StoreError::Stale)));
    assert!(owner.begins(1, "new").await);
}
