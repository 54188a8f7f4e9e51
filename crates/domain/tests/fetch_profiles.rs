//! Asking the networks what people are called.
#![expect(clippy::unwrap_used, reason = "test support")]

use std::{collections::BTreeSet, sync::Arc};

use mockall::predicate::eq;
use secrecy::SecretString;
use time::Duration;

use domain::{
    channels::ports::NetworkError,
    contacts::{
        Contact, Identity,
        ports::{MockNetworkProfiles, MockUnnamedContacts, Profile, UnnamedContact},
    },
    errors::StoreError,
    ids::WorkspaceId,
    inbound::{ContactMerge, FetchProfiles, FetchedProfiles, ports::MockInboxStore},
    testing::{ManualClock, a_contact, a_moment},
};

const PICTURE: &str = "https://scontent.example/p";

fn person() -> Identity {
    Identity::MessengerUser("2481".to_owned())
}

fn unnamed_contact(name: Option<&str>, attempt: u32) -> UnnamedContact {
    UnnamedContact {
        contact: Contact { name: name.map(str::to_owned), phone: None, ..a_contact() },
        avatar_url: None,
        identity: person(),
        token: Some(SecretString::from("token")),
        attempt,
    }
}

/// One turn in which the network answers about somebody, and what is written down: who they are by now, and
/// when to ask again.
async fn turn(
    unnamed_contact: UnnamedContact,
    answer: Option<Result<Profile, NetworkError>>,
    met: Option<Result<ContactMerge, StoreError>>,
    again: Option<Duration>,
) -> FetchedProfiles {
    let workspace = WorkspaceId::from(uuid::Uuid::from_u128(7));
    let mut unnamed = MockUnnamedContacts::new();
    let now = a_moment();
    unnamed.expect_claim_unnamed().return_once(move |_, _, _, _| Ok(vec![unnamed_contact]));
    unnamed
        .expect_asked()
        .with(eq(workspace), eq(person()), eq(again.map(|gap| now + gap)))
        .once()
        .return_once(|_, _, _| Ok(()));
    let mut network = MockNetworkProfiles::new();
    if let Some(answer) = answer {
        network.expect_profile().once().return_once(move |_, _| answer);
    }
    let mut contacts = MockInboxStore::new();
    match met {
        Some(Ok(met)) => {
            let same = move |_: &WorkspaceId, said: &ContactMerge, _: &time::OffsetDateTime| *said == met;
            contacts.expect_merge_contacts().withf(same).once().return_once(|_, _, _| Ok(()));
        }
        Some(Err(error)) => {
            contacts.expect_merge_contacts().once().return_once(move |_, _, _| Err(error));
        }
        None => {}
    }
    let fetch = FetchProfiles {
        unnamed: Arc::new(unnamed),
        contacts: Arc::new(contacts),
        network: Arc::new(network),
        clock: Arc::new(ManualClock::at(now)),
    };
    fetch.run(workspace).await.unwrap()
}

fn sara(picture: Option<&str>) -> Profile {
    Profile { name: Some(" Sara K ".to_owned()), avatar_url: picture.map(str::to_owned) }
}

fn met(unnamed_contact: &UnnamedContact, name: &str, avatar_url: Option<&str>) -> ContactMerge {
    ContactMerge {
        contact: unnamed_contact.contact.clone(),
        absorbed: Vec::new(),
        name: Some(name.to_owned()),
        avatar_url: avatar_url.map(str::to_owned),
        phone: None,
        identities: Vec::new(),
        lesser: BTreeSet::new(),
        forgets_spellings: false,
    }
}

#[test]
fn an_answer_fills_blanks_and_nothing_else() {
    pollster::block_on(async {
        for (known_as, picture, answer, becomes) in [
            (None, None, sara(Some(PICTURE)), Some(("Sara K", Some(PICTURE)))),
            (Some(" "), None, sara(None), Some(("Sara K", None))),
            (Some("VIP"), None, sara(Some(PICTURE)), Some(("VIP", Some(PICTURE)))),
            (Some("VIP"), None, sara(None), None),
            (
                None,
                Some("https://old.example"),
                sara(Some(PICTURE)),
                Some(("Sara K", Some("https://old.example"))),
            ),
            (None, None, sara(Some(&format!("https://{}", "p".repeat(3_000)))), Some(("Sara K", None))),
            (None, None, Profile::default(), None),
        ] {
            let mut unnamed_contact = unnamed_contact(known_as, 1);
            unnamed_contact.avatar_url = picture.map(str::to_owned);
            let met = becomes.map(|(name, picture)| Ok(met(&unnamed_contact, name, picture)));
            let fetched = turn(unnamed_contact, Some(Ok(answer)), met, None).await;
            assert_eq!(fetched, FetchedProfiles { asked: 1, unanswered: Vec::new() });
        }
    });
}

#[test]
fn whoever_is_known_by_now_is_not_asked_about() {
    pollster::block_on(async {
        let mut known = unnamed_contact(Some("VIP"), 1);
        known.avatar_url = Some(PICTURE.to_owned());
        assert_eq!(turn(known, None, None, None).await.unanswered, Vec::new());
    });
}

#[test]
fn whoever_has_no_conversation_is_looked_at_four_times_and_then_no_more() {
    pollster::block_on(async {
        for (attempt, again) in [(1, Some(Duration::minutes(1))), (4, None)] {
            let nowhere = UnnamedContact { token: None, ..unnamed_contact(None, attempt) };
            let fetched = turn(nowhere, None, None, again).await;
            assert_eq!((fetched.asked, fetched.unanswered.len()), (1, 1));
        }
    });
}

#[test]
fn a_question_without_an_answer_is_asked_four_times_and_then_no_more() {
    pollster::block_on(async {
        let refused = || NetworkError::Refused { code: 230, message: "consent".to_owned() };
        let away = || NetworkError::Unavailable("503".to_owned());
        for (attempt, error, reason, again) in [
            (1, away(), "503", Some(Duration::minutes(1))),
            (2, refused(), "refused with code 230", Some(Duration::minutes(30))),
            (3, away(), "503", Some(Duration::hours(12))),
            (4, away(), "503", None),
            (9, refused(), "refused with code 230", None),
        ] {
            let fetched = turn(unnamed_contact(None, attempt), Some(Err(error)), None, again).await;
            assert_eq!(fetched.unanswered, [(a_contact().id, reason.to_owned())]);
        }
    });
}

#[test]
fn somebody_who_changes_meanwhile_is_asked_about_again() {
    pollster::block_on(async {
        let gap = Some(Duration::minutes(1));
        let fetched =
            turn(unnamed_contact(None, 1), Some(Ok(sara(None))), Some(Err(StoreError::Stale)), gap).await;
        assert_eq!(fetched.unanswered.len(), 1);
    });
}
