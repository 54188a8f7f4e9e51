//! What a token opens, the network's own sign-up, registering numbers, and how pages stand.
#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use std::{sync::Arc, time::Duration};

use domain::{
    audit::{Acting, Action, MockAuditStore},
    channels::{
        AccountReport, Availability, CameBack, Choice, ConnectAccount, ConnectChosen, ConnectError,
        ConnectPage, NumberHealth, NumberReport, NumberState, OpenToken, ReadPages, RegisterError,
        RegisterNumber, SignUp, SignUpBy, SignUpDialog, SignUpError, TokenFacts,
        ports::{
            DuePage, Held, ListedPage, MockAccountStore, MockChannelHealth, MockNetworkAccounts,
            MockNetworkPages, MockNetworkSignUp, MockNetworkTokens, MockNumberRegistration, MockPageStore,
            MockSignUpStates, NetworkError, OwnedPage,
        },
    },
    errors::StoreError,
    ids::{MemberId, SessionId},
    testing::{ManualClock, SequentialIds, a_hash, a_moment, a_number, a_workspace, an_account, deps_of},
    vault::{MockVault, VaultError},
    workspaces::ports::MockWorkspaceStore,
};
use secrecy::{ExposeSecret, SecretString};
use url::Url;
use uuid::Uuid;

pub(crate) fn acting() -> Acting {
    Acting::operator(a_workspace().id)
}

pub(crate) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(a_moment()))
}

pub(crate) fn ids() -> Arc<SequentialIds> {
    Arc::new(SequentialIds::default())
}

fn session(number: u128) -> SessionId {
    Uuid::from_u128(number).into()
}

/// Seals by writing the place in front.
fn vault() -> Arc<MockVault> {
    let mut vault = MockVault::new();
    vault.expect_random().return_const([0xab; 32]);
    vault.expect_keyed_hash().returning(a_hash);
    vault.expect_seal().returning(|plain, place| Ok([place.bound().as_bytes(), b"|", plain].concat()));
    vault.expect_open().returning(|sealed, place| {
        let rest = sealed.strip_prefix(place.bound().as_bytes()).and_then(|rest| rest.strip_prefix(b"|"));
        rest.map(<[u8]>::to_vec).ok_or(VaultError::CannotOpen)
    });
    Arc::new(vault)
}

fn facts() -> TokenFacts {
    let permissions = ["whatsapp_business_management", "pages_messaging"].map(str::to_owned);
    TokenFacts { permissions: permissions.into(), accounts: vec!["1022".to_owned()], ..TokenFacts::default() }
}

fn a_page() -> ListedPage {
    ListedPage { network_id: "77".to_owned(), name: None, instagram_network_id: Some("88".to_owned()) }
}

fn tokens() -> Arc<MockNetworkTokens> {
    let mut tokens = MockNetworkTokens::new();
    tokens.expect_describe().returning(|_| Ok(facts()));
    tokens.expect_account_name().returning(|_, _| Ok(Some("Palm Store".to_owned())));
    Arc::new(tokens)
}

fn pages() -> MockNetworkPages {
    let mut pages = MockNetworkPages::new();
    pages.expect_pages().returning(|_| {
        let token = SecretString::from("the-page-s-own");
        Ok(vec![OwnedPage { page: a_page(), instagram_name: Some("palm".to_owned()), token }])
    });
    pages
}

async fn opened() -> domain::channels::Opened {
    let mut network = MockNetworkAccounts::new();
    network.expect_numbers().returning(|_, _| Ok(Vec::new()));
    let mut store = MockAccountStore::new();
    store.expect_held().returning(|_, asked| {
        assert_eq!(asked, ["1022", "77", "88"]);
        let held = |id: &str, here| Held { network_id: id.to_owned(), here };
        Ok(vec![held("1022", false), held("77", true)])
    });
    let open = OpenToken {
        tokens: tokens(),
        accounts: Arc::new(network),
        pages: Arc::new(pages()),
        store: Arc::new(store),
        vault: vault(),
        clock: clock(),
    };
    open.run(a_workspace().id, session(1), &SecretString::from("a-token")).await.unwrap()
}

#[pollster::test]
async fn what_a_token_opens_is_listed_with_who_has_connected_it_and_what_it_lacks() {
    let opened = opened().await;
    assert_eq!(opened.accounts[0].name.as_deref(), Some("Palm Store"));
    assert_eq!(opened.accounts[0].availability, Availability::NotAvailable);
    assert_eq!(opened.pages[0].availability, Availability::Connected);
    assert_eq!(opened.pages[0].instagram_availability, Availability::Free);
    assert_eq!(opened.pages[0].instagram_name.as_deref(), Some("palm"));
    let missing: Vec<_> = opened.missing.iter().map(|one| one.permission).collect();
    assert_eq!(missing[0], "whatsapp_business_messaging");
    assert!(!format!("{opened:?}").contains("a-token"), "the token is sealed");
}

fn choose(clock: &Arc<ManualClock>, network: MockNetworkAccounts, own: MockNetworkPages) -> ConnectChosen {
    let mut store = MockAccountStore::new();
    store.expect_connect().returning(|_, account, _| {
        assert_eq!(account.token.expose_secret(), "a-token");
        Ok(an_account().id)
    });
    let mut kept = MockPageStore::new();
    kept.expect_connect_page().returning(|_, account, _, _| {
        assert_eq!(account.token.expose_secret(), "the-page-s-own");
        Ok(an_account().id)
    });
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_find().returning(|_| Ok(Some(a_workspace())));
    let workspaces = Arc::new(workspaces);
    let deps = || deps_of(clock.clone(), ids());
    ConnectChosen {
        accounts: ConnectAccount {
            store: Arc::new(store),
            workspaces: workspaces.clone(),
            network: Arc::new(network),
            deps: deps(),
        },
        pages: ConnectPage { store: Arc::new(kept), workspaces, network: Arc::new(own), deps: deps() },
        network: Arc::new(pages()),
        tokens: tokens(),
        vault: vault(),
        clock: clock.clone(),
    }
}

#[pollster::test]
async fn each_that_is_chosen_is_connected_by_itself_a_page_with_its_own_token() {
    let offer = opened().await.offer;
    let mut network = MockNetworkAccounts::new();
    network.expect_subscribe().returning(|id, _| match id {
        "1022" => Ok(()),
        _ => Err(NetworkError::Refused { code: 100, message: "not yours".to_owned() }),
    });
    let mut own = MockNetworkPages::new();
    own.expect_page().returning(|_| Ok(a_page()));
    own.expect_subscribe_page().returning(|_, _| Ok(()));
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    let choice = Choice { accounts: ids(&["9", "1022"]), pages: ids(&["77", "78"]) };
    let outcomes = choose(&clock(), network, own).run(acting(), session(1), &offer, choice).await.unwrap();
    let done: Vec<_> =
        outcomes.iter().map(|outcome| (&*outcome.network_id, outcome.connected.is_ok())).collect();
    assert_eq!(done, [("9", false), ("1022", true), ("77", true), ("78", false)]);
    assert!(matches!(outcomes[3].connected, Err(ConnectError::NotOpened)));
}

#[pollster::test]
async fn what_was_connected_is_told_where_the_network_lists_no_pages_after_it() {
    let offer = opened().await.offer;
    let mut network = MockNetworkAccounts::new();
    network.expect_subscribe().returning(|_, _| Ok(()));
    let away = || NetworkError::Unavailable("no answer".to_owned());
    let mut tokens = MockNetworkTokens::new();
    tokens.expect_describe().returning(move |_| Err(away()));
    let choice = Choice { accounts: vec!["1022".to_owned()], pages: vec!["77".to_owned()] };
    let choose = choose(&clock(), network, MockNetworkPages::new());
    let choose = ConnectChosen { tokens: Arc::new(tokens), ..choose };
    let outcomes = choose.run(acting(), session(1), &offer, choice).await.unwrap();
    let done: Vec<_> =
        outcomes.iter().map(|outcome| (&*outcome.network_id, outcome.connected.is_ok())).collect();
    assert_eq!(done, [("1022", true), ("77", false)]);
    assert!(matches!(&outcomes[1].connected, Err(ConnectError::Network(error)) if *error == away()));
}

#[pollster::test]
async fn whoever_is_removed_while_the_network_is_asked_connects_nothing_of_the_rest() {
    let offer = opened().await.offer;
    let mut network = MockNetworkAccounts::new();
    network.expect_subscribe().once().returning(|_, _| Ok(()));
    let mut store = MockAccountStore::new();
    store.expect_connect().once().returning(|_, _, _| Err(StoreError::NotMember.into()));
    let chosen = choose(&clock(), network, MockNetworkPages::new());
    let accounts = ConnectAccount { store: Arc::new(store), ..chosen.accounts };
    let chosen = ConnectChosen { accounts, ..chosen };
    let choice = Choice { accounts: vec!["1022".to_owned(), "9".to_owned()], pages: vec!["77".to_owned()] };
    let refused = chosen.run(acting(), session(1), &offer, choice).await;
    assert!(matches!(refused, Err(ConnectError::Store(StoreError::NotMember))), "{refused:?}");
}

#[pollster::test]
async fn an_offer_is_good_for_its_session_and_ten_minutes() {
    let offer = opened().await.offer;
    let choice = || Choice { accounts: vec!["1022".to_owned()], pages: Vec::new() };
    let clock = clock();
    let choose = choose(&clock, MockNetworkAccounts::new(), MockNetworkPages::new());
    for (of, offer) in [(session(2), &*offer), (session(1), "c2VhbGVk"), (session(1), ""), (session(1), "é")]
    {
        let refused = choose.run(acting(), of, offer, choice()).await;
        assert!(matches!(refused, Err(ConnectError::Offer)), "{refused:?}");
    }
    let nothing = choose.run(acting(), session(1), &offer, Choice::default()).await;
    assert!(matches!(nothing, Err(ConnectError::NothingChosen)), "{nothing:?}");
    clock.advance(Duration::from_mins(10));
    let late = choose.run(acting(), session(1), &offer, choice()).await;
    assert!(matches!(late, Err(ConnectError::Offer)), "{late:?}");
}

fn sign_up(states: MockSignUpStates, network: MockNetworkSignUp) -> SignUp {
    let url = |text: &str| Url::parse(text).unwrap();
    let dialog = SignUpDialog {
        url: url("https://www.facebook.com/v25.0/dialog/oauth"),
        app_id: 17,
        configuration: "42".to_owned(),
        back: url("https://shop.example/dashboard/settings/channels/sign-up/back"),
    };
    let (states, network) = (Arc::new(states), Arc::new(network));
    SignUp { dialog: Some(dialog), states, network, vault: vault(), clock: clock() }
}

fn who() -> SignUpBy {
    SignUpBy { workspace: a_workspace().id, member: MemberId::from(Uuid::from_u128(5)), session: session(1) }
}

#[pollster::test]
async fn the_dialog_is_told_a_state_of_which_the_session_keeps_the_hash() {
    let state = "ab".repeat(32);
    let hash = a_hash("sign-up-state", state.as_bytes());
    let mut states = MockSignUpStates::new();
    states
        .expect_begin_sign_up()
        .withf(move |_, _, session_of, kept, until| {
            *session_of == session(1) && *kept == hash && *until == a_moment() + Duration::from_mins(10)
        })
        .once()
        .returning(|_, _, _, _, _| Ok(()));
    let url = sign_up(states, MockNetworkSignUp::new()).begin(who()).await.unwrap();
    let asked: std::collections::HashMap<_, _> = url.query_pairs().into_owned().collect();
    assert_eq!((asked["client_id"].as_str(), asked["config_id"].as_str()), ("17", "42"));
    assert_eq!((asked["state"].as_str(), asked["response_type"].as_str()), (&*state, "code"));
    let without = SignUp { dialog: None, ..sign_up(MockSignUpStates::new(), MockNetworkSignUp::new()) };
    assert!(matches!(without.begin(who()).await, Err(SignUpError::NotOffered)));
}

#[pollster::test]
async fn a_code_is_exchanged_only_for_a_state_of_this_session_and_a_denial_uses_it_up() {
    let came = |code: Option<&str>| CameBack { state: "s".to_owned(), code: code.map(SecretString::from) };
    let mut states = MockSignUpStates::new();
    states.expect_end_sign_up().times(1).returning(|_, _, _, _, _| Ok(false));
    let refused = sign_up(states, MockNetworkSignUp::new()).finish(who(), came(Some("c"))).await;
    assert!(matches!(refused, Err(SignUpError::NotBegun)), "{refused:?}");

    let known = || {
        let mut states = MockSignUpStates::new();
        states.expect_end_sign_up().times(1).returning(|_, _, _, _, _| Ok(true));
        states
    };
    let denied = sign_up(known(), MockNetworkSignUp::new()).finish(who(), came(None)).await;
    assert!(matches!(denied, Err(SignUpError::Denied)), "{denied:?}");
    let mut network = MockNetworkSignUp::new();
    network.expect_exchange().returning(|code, _| match code.expose_secret() {
        "c" => Ok(SecretString::from("a-token")),
        _ => Err(NetworkError::Refused { code: 100, message: "used".to_owned() }),
    });
    let token = sign_up(known(), network).finish(who(), came(Some("c"))).await.unwrap();
    assert_eq!(token.expose_secret(), "a-token");
}

fn report(state: NumberState) -> AccountReport {
    let number = NumberReport {
        channel: None,
        network_id: "55".to_owned(),
        phone: a_number(0, 0).phone,
        health: NumberHealth { state, ..NumberHealth::default() },
        last_error: None,
        read_at: a_moment(),
    };
    AccountReport { account: an_account().id, problem: None, numbers: vec![number], page: None }
}

fn register(state: NumberState, network: MockNumberRegistration, log: MockAuditStore) -> RegisterNumber {
    let (mut accounts, mut health) = (MockAccountStore::new(), MockChannelHealth::new());
    accounts.expect_find().returning(|_, _| Ok(Some(an_account())));
    health.expect_reports().returning(move |_, _| Ok(vec![report(state)]));
    RegisterNumber {
        accounts: Arc::new(accounts),
        health: Arc::new(health),
        network: Arc::new(network),
        log: Arc::new(log),
        deps: deps_of(clock(), ids()),
    }
}

#[pollster::test]
async fn a_number_is_registered_and_the_log_has_it_without_its_pin() {
    let (mut network, mut log) = (MockNumberRegistration::new(), MockAuditStore::new());
    network
        .expect_register()
        .withf(|id, pin, _| id == "55" && pin.secret().expose_secret() == "123456")
        .once()
        .returning(|_, _, _| Ok(()));
    log.expect_add()
        .withf(|_, entry| {
            entry.action == Action::NumberRegistered
                && entry.subject.as_deref() == Some(a_number(0, 0).phone.as_str())
                && !format!("{entry:?}").contains("123456")
        })
        .once()
        .returning(|_, _| Ok(()));
    let register = register(NumberState::Pending, network, log);
    register.run(acting(), an_account().id, "55", "123456").await.unwrap();
}

#[pollster::test]
async fn what_cannot_be_registered_is_asked_of_nobody() {
    let asks_nobody = |state| register(state, MockNumberRegistration::new(), MockAuditStore::new());
    for pin in ["", "12345", "12345a", "1234567"] {
        let refused = asks_nobody(NumberState::Pending).run(acting(), an_account().id, "55", pin).await;
        assert!(matches!(refused, Err(RegisterError::Pin)), "{pin}: {refused:?}");
    }
    let refused = asks_nobody(NumberState::Connected).run(acting(), an_account().id, "55", "123456").await;
    assert!(matches!(refused, Err(RegisterError::Registered)), "{refused:?}");
    let refused = asks_nobody(NumberState::Pending).run(acting(), an_account().id, "56", "123456").await;
    assert!(matches!(refused, Err(RegisterError::UnknownNumber)), "{refused:?}");
}

#[pollster::test]
async fn a_page_that_the_network_refuses_has_a_problem_until_it_is_read_again() {
    let due = DuePage { workspace: a_workspace().id, account: an_account().id };
    for refused in [false, true] {
        let (mut kept, mut accounts) = (MockPageStore::new(), MockAccountStore::new());
        let (mut health, mut network) = (MockChannelHealth::new(), MockNetworkPages::new());
        kept.expect_claim_page().returning(|_, _, _, _| Ok(true));
        accounts.expect_find().returning(|_, _| Ok(Some(an_account())));
        if refused {
            let message = "expired".to_owned();
            network.expect_page().return_const(Err(NetworkError::Refused { code: 190, message }));
            health
                .expect_note_problem()
                .withf(|_, _, problem| problem.is_of_token())
                .once()
                .returning(|_, _, _| Ok(()));
        } else {
            network.expect_page().returning(|_| Ok(a_page()));
            kept.expect_keep_page().once().returning(|_, _, _, _| Ok(()));
        }
        let read = ReadPages {
            pages: Arc::new(kept),
            accounts: Arc::new(accounts),
            health: Arc::new(health),
            network: Arc::new(network),
            clock: clock(),
        };
        assert_eq!(read.run_due(due).await.is_err(), refused);
    }
    let mut taken = MockPageStore::new();
    taken.expect_claim_page().returning(|_, _, _, _| Ok(false));
    let read = ReadPages {
        pages: Arc::new(taken),
        accounts: Arc::new(MockAccountStore::new()),
        health: Arc::new(MockChannelHealth::new()),
        network: Arc::new(MockNetworkPages::new()),
        clock: clock(),
    };
    assert!(!read.run_due(due).await.unwrap(), "another node has it");
}
