//! How PostgreSQL runs the statements about keys, people and their sessions when there are many of each.

use domain::{
    access::{
        ApiKeyHash, Caller, Scope,
        members::{
            Invitation, InviteError, Language, Role,
            ports::{Acceptance, InvitationHash, InvitationStore, MemberStore, Revocation},
        },
        ports::KeyStore,
        resets::{NewReset, ResetHash, ports::ResetStore},
        sessions::{
            NewSession, Origin, PasswordHash, SessionHash, TotpSecret, Validity,
            ports::{Proof, SessionStore},
        },
    },
    audit::{Action, AuditFilter, AuditStore},
    email::EmailAddress,
    ids::{MemberId, WorkspaceId},
    paging::{PageLimit, PageRequest, Position},
};
use time::{Duration, OffsetDateTime, macros::datetime};

use super::{
    attempts::{LOG_REFUSAL, TAKE},
    credentials::use_proof,
    keys::COUNT_USES,
    sessions::CLEAN_ATTEMPTS,
};
use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, assert_texts_ran_cheaply, hash, id, seeded, seeded_with},
    testing::TestDatabase,
};

/// Each seeded agent has a login, three codes and three sessions; each workspace has twenty invitations and
/// ten entries of the log, the large one 20,000.
const PEOPLE: &str = "
    INSERT INTO member_logins SELECT email, workspace_id, id FROM members WHERE role = 'agent';
    INSERT INTO recovery_codes
        SELECT id(1, n / 60), id(17, n / 3), hash(n) FROM generate_series(0, 24059) n;
    INSERT INTO sessions
        SELECT hash(n), id(18, n), id(1, n / 60), id(17, n / 3), NULL, NULL, '2026-11-21 10:00Z', '2026-11-21 10:00Z'
        FROM generate_series(0, 24059) n;
    INSERT INTO invitations
        SELECT hash(n), id(19, n), id(1, n / 20), 'i' || n || '@i.example', 'agent', '2026-11-21 10:00Z',
               '2026-11-28 10:00Z' FROM generate_series(0, 8019) n;
    INSERT INTO password_resets
        SELECT hash(n), id(1, n / 20), id(17, n), true, false, '2026-11-21 10:00Z', '2026-11-21 23:00Z'
        FROM generate_series(0, 8019) n;
    INSERT INTO attempt_windows SELECT hash(n), at, 1 FROM row;
    INSERT INTO audit_log
        SELECT workspace, id(20, n), id(10, number), CASE WHEN n % 100 = 0 THEN 'group.added' ELSE 'group.renamed' END, NULL,
               '{}', NULL, at FROM row";

const NOW: OffsetDateTime = datetime!(2026-11-21 20:00 UTC);

async fn peopled() -> (TestDatabase, ExplainedStore) {
    let (database, _client) = seeded_with(PEOPLE).await;
    let explained = ExplainedStore::over(&database);
    (database, explained)
}

/// A small workspace, and one of its agents.
fn somebody() -> (WorkspaceId, MemberId) {
    (id(1, 7).into(), id(17, 141).into())
}

/// What is seeded for each agent.
const fn seeded_password() -> PasswordHash {
    PasswordHash(String::new())
}

fn address(text: &str) -> EmailAddress {
    EmailAddress::kept(text.to_owned())
}

fn a_new_session(number: u128) -> NewSession {
    NewSession {
        id: id(18, number).into(),
        hash: SessionHash(hash(-1)),
        origin: Origin::default(),
        began_at: NOW,
    }
}

#[tokio::test]
async fn a_key_is_found_and_counted_by_its_hash() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let uses: Vec<_> = (12345..12365).map(|number| (ApiKeyHash(hash(number)), NOW)).collect();
    let found = explained.stores.access.authenticate_all(&uses).await.unwrap();
    assert!(found.iter().all(Option::is_some));
    assert_texts_ran_cheaply(&explained, 60, &[COUNT_USES]).await;
}

#[tokio::test]
async fn keys_are_added_listed_and_revoked_by_their_workspace() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let stores = &explained.stores;
    let workspace = WorkspaceId::from(id(1, 7));
    let caller = Caller {
        workspace,
        key: id(12, 30000).into(),
        creator: id(10, 7).into(),
        scopes: Vec::<Scope>::new(),
    };
    let entry = |action| explained.entry(workspace, action, NOW);
    let issued = entry(Action::KeyIssued);
    let added = KeyStore::add(&*stores.access, workspace, &caller, ApiKeyHash(hash(-1)), "", 100, &issued);
    assert!(added.await.unwrap());
    assert_eq!(KeyStore::list(&*stores.access, workspace).await.unwrap().len(), 11);
    for _ in 0..2 {
        assert!(
            stores.access.revoke(workspace, id(12, 20006).into(), &entry(Action::KeyRevoked)).await.unwrap()
        );
    }
    assert_ran_cheaply(&explained, 20).await;
}

#[tokio::test]
async fn what_proves_who_somebody_is_is_found_by_keys() {
    let (_database, explained) = peopled().await;
    let stores = &explained.stores;
    let (workspace, member) = somebody();
    for of in [None, Some(workspace)] {
        stores.access.credentials(&address("a141@a.example"), of, 4).await.unwrap_err();
    }
    stores.access.credentials_of(workspace, member).await.unwrap_err();
    for (proof, is_good) in [(Proof::Step(2), false), (Proof::Recovery(hash(423)), true)] {
        let transaction = stores.database.transaction().await.unwrap();
        assert_eq!(use_proof(&transaction, workspace, member, proof).await.unwrap(), is_good);
    }
    let entry = |action| explained.entry(workspace, action, NOW);
    let (password, keep) = (PasswordHash("new".to_owned()), id(18, 423).into());
    stores
        .access
        .set_password(workspace, member, &seeded_password(), &password, keep, &entry(Action::PasswordChanged))
        .await
        .unwrap();
    stores.access.drop_factor(workspace, member, &entry(Action::SecondFactorOff)).await.unwrap();
    let secret = TotpSecret::from_bytes(vec![1; 20]);
    assert!(stores.access.offer_factor(workspace, member, &secret).await.unwrap());
    let codes: Vec<[u8; 32]> = (30001..30011).map(hash).collect();
    assert!(
        stores
            .access
            .confirm_factor(workspace, member, 2, &codes, &entry(Action::SecondFactorOn))
            .await
            .unwrap()
    );
    assert_ran_cheaply(&explained, 3).await;
}

#[tokio::test]
async fn sessions_are_resumed_and_ended_by_keys() {
    let (_database, explained) = peopled().await;
    let stores = &explained.stores;
    let (workspace, member) = somebody();
    let validity =
        Validity { now: NOW, seen_after: NOW - Duration::DAY, began_after: NOW - 20 * Duration::DAY };
    assert!(stores.access.resume(SessionHash(hash(423)), validity).await.unwrap().is_some());
    assert_eq!(SessionStore::list(&*stores.access, workspace, member, validity).await.unwrap().len(), 3);
    let entry = |action| explained.entry(workspace, action, NOW);
    assert!(
        stores.access.end(workspace, member, id(18, 423).into(), &entry(Action::SessionEnded)).await.unwrap()
    );
    let keep = id(18, 424).into();
    stores.access.end_others(workspace, member, keep, &entry(Action::SessionsEnded)).await.unwrap();
    assert_ran_cheaply(&explained, 3).await;
}

#[tokio::test]
async fn tries_are_counted_by_their_keys_and_refusals_found_by_whom_they_are_of() {
    let (_database, explained) = peopled().await;
    let stores = &explained.stores;
    let workspace = WorkspaceId::from(id(1, 0));
    let keys: Vec<[u8; 32]> = (12345..12349).map(hash).collect();
    assert_eq!(stores.access.take_attempts(&keys, NOW).await.unwrap(), [1; 4]);
    assert_eq!(stores.access.attempts_of(hash(12345), NOW).await.unwrap(), 1);
    stores.access.give_back_attempt(hash(12345)).await.unwrap();
    stores.access.forgive_attempts(&keys).await.unwrap();
    let member = MemberId::from(id(17, 3));
    let refused = explained.entry(workspace, Action::SignInFailed, NOW).to(member).with("tries", 1);
    stores.access.count_refusal(workspace, &refused).await.unwrap();
    assert_eq!(stores.access.refusals(workspace, member, 20).await.unwrap().len(), 1);
    assert_texts_ran_cheaply(&explained, 20, &[TAKE, LOG_REFUSAL]).await;
}

/// 24,000 counts are expired.
#[tokio::test]
async fn a_sign_in_clears_some_of_what_is_over_and_reads_no_more_than_it_clears() {
    let (_database, explained) = peopled().await;
    let (workspace, member) = somebody();
    let entry = explained.entry(workspace, Action::SignedIn, NOW + Duration::DAY);
    let (session, password) = (a_new_session(30000), seeded_password());
    let store = &*explained.stores.access;
    let began = SessionStore::begin(store, workspace, member, &password, Proof::NotAsked, &session, &entry);
    assert!(began.await.unwrap());
    assert_texts_ran_cheaply(&explained, 100, &[CLEAN_ATTEMPTS]).await;
}

#[tokio::test]
async fn invitations_are_found_by_hash_or_workspace() {
    let (_database, explained) = peopled().await;
    let stores = &explained.stores;
    let (workspace, _) = somebody();
    let entry = |action| explained.entry(workspace, action, NOW);
    let invite = async |email| {
        let invitation = Invitation {
            id: id(19, 30000).into(),
            workspace,
            email: address(email),
            role: Role::Agent,
            created_at: NOW,
            expires_at: NOW + Duration::WEEK,
        };
        let entry = entry(Action::MemberInvited);
        let new = InvitationHash(hash(-1));
        InvitationStore::add(&*stores.access, workspace, &invitation, new, false, &entry).await
    };
    let refused = invite("a141@a.example").await;
    assert!(matches!(refused, Err(InviteError::AlreadyMember)), "{refused:?}");
    invite("i141@i.example").await.unwrap();
    assert!(InvitationStore::find(&*stores.access, InvitationHash(hash(140)), NOW).await.unwrap().is_some());
    assert_eq!(InvitationStore::list(&*stores.access, workspace, NOW).await.unwrap().len(), 20);
    let withdrawn = entry(Action::InvitationWithdrawn);
    assert!(stores.access.withdraw(workspace, id(19, 142).into(), &withdrawn).await.unwrap());
    let acceptance = Acceptance {
        invitation: InvitationHash(hash(143)),
        member_if_new: id(17, 30000).into(),
        name: "name".to_owned(),
        password: PasswordHash("hash".to_owned()),
        language: Some(Language::English),
        session: a_new_session(30000),
        entry: entry(Action::MemberJoined),
        now: NOW,
    };
    let member = stores.access.accept(workspace, &acceptance).await.unwrap().unwrap();
    assert_eq!(member.language, Some(Language::English));
    assert_ran_cheaply(&explained, 20).await;
}

#[tokio::test]
async fn links_for_another_password_are_found_by_hash_or_member() {
    let (_database, explained) = peopled().await;
    let stores = &explained.stores;
    let (workspace, member) = somebody();
    let entry = |action| explained.entry(workspace, action, NOW);
    assert_eq!(stores.access.reachable(&address("a141@a.example"), 4).await.unwrap().len(), 1);
    let reset = NewReset {
        hash: ResetHash(hash(-1)),
        member,
        mailed: true,
        drops_factor: false,
        created_at: NOW,
        expires_at: NOW + Duration::HOUR,
    };
    assert!(ResetStore::add(&*stores.access, workspace, &reset, &entry(Action::ResetMailed)).await.unwrap());
    let link = ResetHash(hash(140));
    assert!(ResetStore::find(&*stores.access, link, NOW).await.unwrap().is_some());
    let password = PasswordHash("hash".to_owned());
    assert!(stores.access.complete(workspace, link, &password, &entry(Action::PasswordReset)).await.unwrap());
    assert!(stores.access.by_mail(workspace).await.unwrap());
    assert_ran_cheaply(&explained, 3).await;
    stores.access.set_by_mail(workspace, false, &entry(Action::WorkspaceChanged)).await.unwrap();
    assert_ran_cheaply(&explained, 20).await;
}

#[tokio::test]
async fn members_are_found_by_their_workspace() {
    let (_database, explained) = peopled().await;
    let stores = &explained.stores;
    let (workspace, member) = somebody();
    let entry = |action| explained.entry(workspace, action, NOW);
    assert_eq!(stores.access.team(workspace).await.unwrap().len(), 21);
    assert!(
        MemberStore::rename(&*stores.access, workspace, member, "new", &entry(Action::MemberRenamed))
            .await
            .unwrap()
    );
    let chosen = entry(Action::LanguageChosen);
    assert!(stores.access.choose_language(workspace, member, Language::English, &chosen).await.unwrap());
    stores.access.set_role(workspace, member, Role::Agent, &entry(Action::RoleChanged)).await.unwrap();
    let nothing = Some(Vec::new());
    let revocation =
        Revocation { api_keys: nothing.clone(), webhook_addresses: nothing.clone(), system: nothing };
    let removed = entry(Action::MemberRemoved);
    let (store, role) = (&*stores.access, Role::Agent);
    MemberStore::remove(store, workspace, member, role, &revocation, &removed).await.unwrap();
    assert_eq!(stores.access.former(workspace).await.unwrap().len(), 1);
    assert_ran_cheaply(&explained, 21).await;
}

/// Of 20,000 entries, 200 are of the rare action.
#[tokio::test]
async fn a_page_of_the_log_of_changes_reads_its_own_rows_only() {
    let (_database, explained) = peopled().await;
    let stores = &explained.stores;
    let workspace = WorkspaceId::from(id(1, 0));
    let (owner, rare, frequent) = (id(10, 0).into(), Action::GroupAdded, Action::GroupRenamed);
    let middle = Position { at: datetime!(2026-11-21 14:10 UTC), id: id(20, 15000) };
    for after in [None, Some(middle)] {
        for (member, action) in
            [(None, None), (Some(owner), None), (Some(owner), Some(frequent)), (None, Some(rare))]
        {
            let page = PageRequest { limit: PageLimit::new(50).unwrap(), after };
            let found =
                AuditStore::list(&*stores.access, workspace, AuditFilter { member, action }, page).await;
            assert_eq!(found.unwrap().len(), 51);
            assert_ran_cheaply(&explained, 52).await;
        }
    }
    let entry = explained.entry(workspace, Action::GroupAdded, NOW);
    AuditStore::add(&*stores.access, workspace, &entry).await.unwrap();
}
