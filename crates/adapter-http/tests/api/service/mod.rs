//! Both servers on ports of their own, over mocks.

#![expect(clippy::clone_on_ref_ptr, clippy::unwrap_used, reason = "test support")]

mod dashboard;

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    net::TcpListener,
    sync::Arc,
    time::Duration,
};

use actix_web::dev::ServerHandle;
use adapter_http::{App, Edge, Readiness, Searches, Settings, serve_admin, serve_public};
use async_trait::async_trait;
use domain::{
    access::{
        Authenticate, Caller, DescribeKey,
        ports::{AuthenticatedKey, MockKeyStore},
        sessions::ports::MockSessionStore,
    },
    attachments::{
        OpenAttachment, SignedLinks,
        ports::{MockObjectStore, MockUploadStore},
    },
    audit::MockAuditStore,
    channels::ports::MockUnreadUpdates,
    contacts::{AddContact, GetContact, ListContacts, RenameContact, ports::MockContactStore},
    conversations::{
        ChangeConversation, GetConversation, ListConversations, TagConversation,
        ports::{MockConversationStore, MockTagStore},
    },
    deps::Deps,
    inbound::{
        ReceiveUpdates,
        ports::{MockJournal, MockNetworkWebhook, MockUpdateSignals},
    },
    messages::{FindMessages, ListMessages, ports::MockMessageStore},
    paging::Cursors,
    sending::{
        ListConversationTemplates, Recorder, SendInConversation, SendOnce, SendReply, SendTemplate,
        ports::{MockMessagingNetwork, MockSendLedger},
    },
    signals::MockSignals,
    templates::{ListTemplates, ports::MockTemplateStore},
    testing::{ManualClock, SequentialIds, a_caller, deps_of},
    vault::MockVault,
    workspaces::{FindRegion, ports::MockWorkspaceStore},
};
use time::macros::datetime;
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use self::dashboard::dashboard;

/// A well-formed key that [`Ports`] knows.
pub(crate) const KEY: &str = "msk_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// A well-formed key that nobody knows.
pub(crate) const UNKNOWN_KEY: &str = "msk_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// Mocks behind the service; a test sets what it is about.
pub(crate) struct Ports {
    pub(crate) keys: MockKeyStore,
    pub(crate) workspaces: MockWorkspaceStore,
    pub(crate) contacts: MockContactStore,
    pub(crate) conversations: MockConversationStore,
    pub(crate) messages: MockMessageStore,
    pub(crate) templates: MockTemplateStore,
    pub(crate) objects: MockObjectStore,
    pub(crate) ledger: MockSendLedger,
    pub(crate) network: MockMessagingNetwork,
    pub(crate) webhook: MockNetworkWebhook,
    pub(crate) journal: MockJournal,
    pub(crate) sessions: MockSessionStore,
    pub(crate) readiness: Result<Vec<String>, String>,
}

impl Ports {
    /// Makes ports that know [`KEY`], with every scope, at the first request of its window; nothing else is
    /// set.
    pub(crate) fn new() -> Self {
        Self::with_key(a_caller(), 1)
    }

    /// Makes ports whose [`KEY`] is `caller`'s, at request number `used` of its window.
    pub(crate) fn with_key(caller: Caller, used: u32) -> Self {
        let mut keys = MockKeyStore::new();
        keys.expect_authenticate().returning(move |hash, _| {
            let known = hash.0 == hash_of(KEY.as_bytes());
            Ok(known.then(|| AuthenticatedKey { caller: caller.clone(), used }))
        });
        Self { keys, ..Self::without_keys() }
    }

    /// Makes ports as [`Ports::new`] does, with a key store that has yet to be told what to do.
    pub(crate) fn without_keys() -> Self {
        Self {
            keys: MockKeyStore::new(),
            workspaces: MockWorkspaceStore::new(),
            contacts: MockContactStore::new(),
            conversations: MockConversationStore::new(),
            messages: MockMessageStore::new(),
            templates: MockTemplateStore::new(),
            objects: MockObjectStore::new(),
            ledger: MockSendLedger::new(),
            network: MockMessagingNetwork::new(),
            webhook: a_webhook(),
            journal: MockJournal::new(),
            sessions: MockSessionStore::new(),
            readiness: Ok(Vec::new()),
        }
    }

    /// Starts both servers.
    pub(crate) fn start(self) -> Service {
        let clock = Arc::new(ManualClock::at(datetime!(2026-11-21 10:00:45 UTC)));
        let ids = Arc::new(SequentialIds::default());
        let vault = Arc::new(vault());
        let signals = Arc::new(signals());
        let cursors = Cursors { vault: vault.clone() };
        let workspaces = Arc::new(self.workspaces);
        let public_url = "http://files.example".parse().unwrap();
        let signed_links = SignedLinks { vault: vault.clone(), clock: clock.clone(), public_url };
        let contacts = Arc::new(self.contacts);
        let conversations = Arc::new(self.conversations);
        let ledger = Arc::new(self.ledger);
        let messages = Arc::new(self.messages);
        let recorder = Arc::new(Recorder {
            ledger: ledger.clone(),
            deps: Deps { clock: clock.clone(), ids: ids.clone(), signals: signals.clone() },
            links: Arc::new(signed_links.clone()),
        });
        let network = Arc::new(self.network);
        let once = Arc::new(SendOnce::new(ledger.clone(), network, recorder, clock.clone()));
        let send_template = Arc::new(SendTemplate {
            ledger: ledger.clone(),
            contacts: contacts.clone(),
            once: once.clone(),
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        });
        let in_conversation = in_conversation(&ledger, &once, &send_template, &vault, &clock, &ids);
        let send_reply = Arc::new(SendReply {
            ledger,
            once,
            uploads: Arc::new(MockUploadStore::new()),
            links: Arc::new(signed_links.clone()),
            vault: vault.clone(),
            deps: deps_of(clock.clone(), ids.clone()),
        });
        let app = Arc::new(App {
            authenticate: Authenticate {
                store: Arc::new(self.keys),
                vault: vault.clone(),
                clock: clock.clone(),
            },
            describe_key: DescribeKey { workspaces: workspaces.clone() },
            find_region: FindRegion { store: workspaces.clone() },
            list_contacts: ListContacts { store: contacts.clone(), cursors: cursors.clone() },
            get_contact: GetContact { store: contacts.clone() },
            add_contact: AddContact { store: contacts.clone(), deps: deps_of(clock.clone(), ids.clone()) },
            rename_contact: RenameContact { store: contacts, deps: deps_of(clock.clone(), ids.clone()) },
            list_conversations: ListConversations { store: conversations.clone(), cursors: cursors.clone() },
            change_conversation: Arc::new(ChangeConversation {
                store: conversations.clone(),
                deps: Deps { clock: clock.clone(), ids: ids.clone(), signals: signals.clone() },
            }),
            tag_conversation: TagConversation {
                store: Arc::new(MockTagStore::new()),
                deps: deps_of(clock.clone(), ids.clone()),
            },
            get_conversation: GetConversation { store: conversations },
            list_messages: ListMessages {
                store: messages.clone(),
                cursors: cursors.clone(),
                links: Arc::new(signed_links.clone()),
            },
            find_messages: FindMessages {
                store: messages,
                cursors,
                links: Arc::new(signed_links.clone()),
                clock: clock.clone(),
            },
            open_attachment: OpenAttachment { links: signed_links.clone(), objects: Arc::new(self.objects) },
            list_templates: ListTemplates { store: Arc::new(self.templates) },
            send_template,
            send_reply: send_reply.clone(),
            dashboard: dashboard(
                self.sessions,
                (in_conversation, send_reply),
                &workspaces,
                &vault,
                &clock,
                &ids,
            ),
            searches: Searches::default(),
            edge: Edge::default(),
            receive_updates: Arc::new(ReceiveUpdates {
                webhooks: vec![Arc::new(self.webhook)],
                journal: Arc::new(self.journal),
                unread: Arc::new(MockUnreadUpdates::new()),
                signals: Arc::new(update_signals()),
                deps: Deps { clock: clock.clone(), ids: ids.clone(), signals },
            }),
            readiness: Arc::new(Ready(self.readiness)),
            metrics: Arc::new(|| "requests 1\n".to_owned()),
            clock: clock.clone(),
            ids,
            runtime: Handle::current(),
            leaving: tokio_util::sync::CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        serve(app, clock)
    }
}

fn vault() -> MockVault {
    let mut vault = MockVault::new();
    vault.expect_keyed_hash().returning(|_, data| hash_of(data));
    vault
}

/// Makes a webhook whose path has a part in braces, and that has yet to be told what to do.
pub(crate) fn a_webhook() -> MockNetworkWebhook {
    let mut webhook = MockNetworkWebhook::new();
    webhook.expect_name().return_const("here");
    webhook.expect_path().return_const("/networks/here/{account}");
    webhook
}

fn signals() -> MockSignals {
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    signals
}

fn update_signals() -> MockUpdateSignals {
    let mut signals = MockUpdateSignals::new();
    signals.expect_takes_up().return_const(false);
    signals.expect_updates_journaled().return_const(());
    signals
}

/// Makes the use case over a log and templates that are not called.
fn in_conversation(
    ledger: &Arc<MockSendLedger>,
    once: &Arc<SendOnce>,
    send: &Arc<SendTemplate>,
    vault: &Arc<MockVault>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SequentialIds>,
) -> (SendInConversation, ListConversationTemplates) {
    let send = SendInConversation {
        ledger: ledger.clone(),
        once: once.clone(),
        send: send.clone(),
        vault: vault.clone(),
        log: Arc::new(MockAuditStore::new()),
        deps: deps_of(clock.clone(), ids.clone()),
    };
    let templates = Arc::new(MockTemplateStore::new());
    (send, ListConversationTemplates { ledger: ledger.clone(), templates })
}

/// Both servers, on ports of their own.
fn serve(app: Arc<App>, clock: Arc<ManualClock>) -> Service {
    let settings = Settings { workers: 1, shutdown_timeout: Duration::from_secs(5) };
    let (public, admin) = (listener(), listener());
    let address = public.local_addr().unwrap();
    let admin_url = format!("http://{}", admin.local_addr().unwrap());
    let servers =
        [serve_public(&app, public, None, settings).unwrap(), serve_admin(&app, admin, settings).unwrap()];
    let handles = servers.each_ref().map(actix_web::dev::Server::handle).to_vec();
    for server in servers {
        tokio::spawn(server);
    }
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client =
        reqwest::Client::builder().no_proxy().no_gzip().timeout(Duration::from_secs(30)).build().unwrap();
    Service { url: format!("http://{address}"), address, admin_url, client, app, clock, handles }
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// Stands in for a keyed hash.
fn hash_of(data: &[u8]) -> [u8; 32] {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    let word = hasher.finish().to_be_bytes();
    let mut hash = [0; 32];
    hash.chunks_exact_mut(word.len()).for_each(|chunk| chunk.copy_from_slice(&word));
    hash
}

struct Ready(Result<Vec<String>, String>);

#[async_trait]
impl Readiness for Ready {
    async fn ready(&self) -> Result<Vec<String>, String> {
        self.0.clone()
    }
}

/// Both servers, until dropped.
pub(crate) struct Service {
    pub(crate) url: String,
    pub(crate) address: std::net::SocketAddr,
    pub(crate) admin_url: String,
    pub(crate) client: reqwest::Client,
    pub(crate) app: Arc<App>,
    pub(crate) clock: Arc<ManualClock>,
    handles: Vec<ServerHandle>,
}

impl Drop for Service {
    fn drop(&mut self) {
        for handle in &self.handles {
            drop(handle.stop(false));
        }
    }
}

impl Service {
    /// Begins to stop both servers, as a node does that is asked to end.
    pub(crate) fn stop(&self) {
        for handle in &self.handles {
            drop(handle.stop(true));
        }
    }

    /// A request to the public server, without a key.
    pub(crate) fn bare(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        self.client.request(method, format!("{}{path}", self.url))
    }

    /// A request to the public server with [`KEY`].
    pub(crate) fn call(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.bare(method, path).bearer_auth(KEY)
    }
}
