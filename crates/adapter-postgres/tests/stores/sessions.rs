//! Sessions that begin while the credentials of their members change.

use domain::{
    access::{
        resets::{NewReset, ResetHash, ports::ResetStore},
        sessions::{
            NewSession, Origin, PasswordHash, SessionHash,
            ports::{Proof, SessionStore},
        },
    },
    audit::Action,
    errors::StoreError,
    ids::{MemberId, SessionId, WorkspaceId},
};
use futures_util::future::join;
use time::Duration;
use uuid::Uuid;

use crate::stores::support::{Fixture, NOW};

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

    /// Makes a link for another password.
    async fn is_given(&self, number: u8, mailed: bool) {
        let reset = NewReset {
            hash: ResetHash([number; 32]),
            member: self.member,
            mailed,
            drops_factor: !mailed,
            created_at: NOW,
            expires_at: NOW + Duration::HOUR,
        };
        let entry = self.fixture.entry(self.workspace, Action::ResetLinked);
        let store: &dyn ResetStore = &*self.fixture.stores.access;
        assert!(store.add(self.workspace, &reset, &entry).await.unwrap());
    }

    /// Which of these links work.
    async fn working(&self, numbers: impl IntoIterator<Item = u8>) -> Vec<u8> {
        let store: &dyn ResetStore = &*self.fixture.stores.access;
        let mut working = Vec::new();
        for number in numbers {
            let found = store.find(ResetHash([number; 32]), NOW).await.unwrap();
            working.extend(found.map(|_| number));
        }
        working
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

#[tokio::test]
async fn a_link_that_anybody_can_have_mailed_ends_none_that_an_operator_has_handed_over() {
    let owner = Owner::with_password("old").await;
    for (number, mailed, working) in
        [(1, true, &[1][..]), (2, false, &[2]), (3, true, &[2, 3]), (4, true, &[2, 4]), (5, false, &[5])]
    {
        owner.is_given(number, mailed).await;
        assert_eq!(owner.working(1..=5).await, working, "after link {number}");
    }
}
