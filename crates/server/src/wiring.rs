//! Adapters behind ports, use cases over both.

mod webhooks;

pub use webhooks::{
    deliver_due, guarded_client, keep_log, manage_addresses, read_deliveries, register_address,
    resend_deliveries,
};

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adapter_messenger::{PageNetwork, PageWebhook};
use adapter_objects::Objects;
use adapter_postgres::{PgBell, PgStore, PoolConfig};
use adapter_transcription::SpeechService;
use adapter_vault::RingVault;
use adapter_webhooks::DispatcherWake;
use adapter_whatsapp::{WhatsAppNetwork, WhatsAppWebhook};
use anyhow::Context;
use async_trait::async_trait;
use domain::{
    access::{IssueKey, RevokeKey},
    attachments::{
        ObjectKey, OpenAttachment, SettleFiles, SignedLinks, SweepUploads, TakeUpload,
        ports::{AttachmentLinks, MediaError, NetworkMedia, ObjectStore, Transcriber},
    },
    automations::{RunAutomations, Sweep},
    channels::{ConnectAccount, ConnectPage, ManageAccounts, SetSendOnly, SyncNumbers},
    clock::Clock,
    contacts::{ImportContacts, IntroducePeople},
    conversations::{ChangeConversation, TagConversation},
    ids::{IdSource, WorkspaceId},
    inbound::{ApplyStatuses, HandleUpdates, JournalEntry, ManageQuarantine, ReceiveUpdates, RecordUpdates},
    sending::{Recorder, SendOnce, SendReply, SendTemplate},
    signals::Signals,
    templates::{ListTemplates, SyncAccount},
    vault::Vault,
    webhooks::{ManageAddresses, ReadDeliveries, RegisterAddress, ResendDeliveries},
    workspaces::{CreateWorkspace, SetPlan},
};
use graph_client::{GraphClient, RetryPolicy, Surface, webhook::Gate};
use guarded_http::GuardedClient;
use url::Url;

use crate::{
    background::{FilesWake, UpdatesWake},
    config::{FilesConfig, FilesPlace, NetworkConfig, StoreConfig},
    network::{MetaWebhook, Networks},
    system::SystemIds,
};

/// How long one try at the network may take.
const NETWORK_TIMEOUT: Duration = Duration::from_secs(20);
/// How long a request waits for a database connection.
const POOL_WAIT: Duration = Duration::from_secs(5);

/// What every use case stands on.
#[derive(Clone)]
pub struct Foundation {
    /// All stores.
    pub store: Arc<PgStore>,
    /// Secrets.
    pub vault: Arc<dyn Vault>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
}

impl Foundation {
    /// Opens the store.
    ///
    /// # Errors
    /// When the pool or the keys cannot be made.
    pub fn open(config: &StoreConfig, clock: Arc<dyn Clock>) -> anyhow::Result<Self> {
        let vault: Arc<dyn Vault> = Arc::new(RingVault::new(&config.keys)?);
        let ids: Arc<dyn IdSource> = Arc::new(SystemIds);
        let pool = PoolConfig { url: config.database_url.clone(), size: config.pool_size, wait: POOL_WAIT };
        let store = PgStore::new(&pool, Arc::clone(&vault), Arc::clone(&ids)).context("the database pool")?;
        Ok(Self { store: Arc::new(store), vault, clock, ids })
    }
}

/// What an operator can do without the network.
pub struct Operations {
    /// What it stands on.
    pub foundation: Foundation,
    /// For plain look-ups.
    pub store: Arc<PgStore>,
    /// Makes workspaces.
    pub create_workspace: CreateWorkspace,
    /// Sets plans.
    pub set_plan: SetPlan,
    /// Makes numbers send-only.
    pub set_send_only: SetSendOnly,
    /// Makes keys.
    pub issue_key: IssueKey,
    /// Revokes keys.
    pub revoke_key: RevokeKey,
    /// Registers webhook addresses.
    pub register_address: RegisterAddress,
    /// Shows and changes webhook addresses.
    pub manage_addresses: ManageAddresses,
    /// Shows what was delivered to them.
    pub read_deliveries: ReadDeliveries,
    /// Delivers again.
    pub resend_deliveries: ResendDeliveries,
    /// Which workspaces the nodes are to be told of when the command is done.
    pub told: Arc<TellLater>,
    /// Lists templates.
    pub list_templates: ListTemplates,
    /// Takes over lists of people.
    pub import_contacts: ImportContacts,
}

impl Operations {
    /// Over a foundation; `client` says which addresses may be registered.
    pub fn new(on: &Foundation, client: GuardedClient) -> Self {
        let Foundation { store, vault, clock, ids } = on.clone();
        let told = Arc::new(TellLater::default());
        Self {
            foundation: on.clone(),
            manage_addresses: manage_addresses(on, told.clone()),
            read_deliveries: read_deliveries(on),
            resend_deliveries: resend_deliveries(on, told.clone()),
            told,
            create_workspace: CreateWorkspace {
                store: store.clone(),
                clock: clock.clone(),
                ids: ids.clone(),
            },
            import_contacts: import_contacts(on),
            set_plan: SetPlan { store: store.clone(), clock: clock.clone(), ids: ids.clone() },
            set_send_only: set_send_only(on),
            issue_key: IssueKey {
                keys: store.clone(),
                workspaces: store.clone(),
                vault,
                clock: clock.clone(),
                ids: ids.clone(),
            },
            revoke_key: RevokeKey { keys: store.clone(), clock, ids },
            register_address: register_address(on, client),
            list_templates: ListTemplates { store: store.clone() },
            store,
        }
    }
}

/// What moves threads.
pub struct Life {
    /// Moves one.
    pub change_conversation: Arc<ChangeConversation>,
    /// Does what messages set off.
    pub run_automations: Arc<RunAutomations>,
    /// Sweeps quiet ones.
    pub sweep: Arc<Sweep>,
}

impl Life {
    fn new(on: &Foundation, reply: Arc<SendReply>, signals: Arc<dyn Signals>) -> Self {
        let Foundation { store, clock, ids, .. } = on.clone();
        let change = Arc::new(ChangeConversation {
            store: store.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            signals,
        });
        Self {
            run_automations: Arc::new(RunAutomations {
                automations: store.clone(),
                triggers: store.clone(),
                change: change.clone(),
                tag: TagConversation { store: store.clone(), clock: clock.clone(), ids },
                reply,
                clock: clock.clone(),
            }),
            sweep: Arc::new(Sweep { settings: store.clone(), quiet: store, change: change.clone(), clock }),
            change_conversation: change,
        }
    }
}

/// What touches the network.
pub struct UseCases {
    /// Connects accounts.
    pub connect_account: ConnectAccount,
    /// Connects pages.
    pub connect_page: ConnectPage,
    /// Disconnects both.
    pub manage_accounts: ManageAccounts,
    /// Reads accounts.
    pub sync_account: Arc<SyncAccount>,
    /// Sends templates.
    pub send_template: Arc<SendTemplate>,
    /// Asks the network once.
    pub send_once: Arc<SendOnce>,
    /// Sends replies.
    pub send_reply: Arc<SendReply>,
    /// Takes in the network's posts.
    pub receive_updates: Arc<ReceiveUpdates>,
    /// Replays what could not be taken in.
    pub manage_quarantine: ManageQuarantine,
    /// Handles what was taken in.
    pub handle_updates: Arc<HandleUpdates>,
    /// Asks what people are called.
    pub introduce_people: Arc<IntroducePeople>,
    /// Moves threads.
    pub life: Life,
    /// Every network.
    pub networks: Arc<Networks>,
    /// The network's webhook.
    pub network_webhook: Arc<MetaWebhook>,
    /// Delivers again.
    pub resend_deliveries: Arc<ResendDeliveries>,
}

impl UseCases {
    /// Over a foundation and a network; `signals` wakes the background. A process without `files` sends none.
    ///
    /// # Errors
    /// When the network's client cannot be built.
    pub fn new(
        on: &Foundation,
        config: &NetworkConfig,
        signals: Arc<dyn Signals>,
        files: Option<&Files>,
    ) -> anyhow::Result<Self> {
        let Foundation { store, vault, clock, ids } = on.clone();
        let links: Arc<dyn AttachmentLinks> =
            files.map_or_else(|| Arc::new(NoFiles) as _, |files| files.links.clone());
        let network = WhatsAppNetwork::new(graph_client(config, Surface::WhatsApp)?);
        let network = network.with_number_rate(config.number_rate);
        let network = Arc::new(match files {
            Some(files) => network.with_files(files.objects.clone()),
            None => network,
        });
        let pages = Arc::new(PageNetwork::new(graph_client(config, Surface::Messenger)?));
        let networks = Arc::new(Networks { whatsapp: network.clone(), pages: pages.clone() });
        let gate = || Gate::new(config.app_secret.clone(), config.verify_token.clone());
        let network_webhook = Arc::new(MetaWebhook {
            whatsapp: WhatsAppWebhook::new(gate()),
            pages: PageWebhook::new(gate(), config.app_id),
        });
        let recorder = Arc::new(Recorder {
            ledger: store.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            links: links.clone(),
            signals: signals.clone(),
        });
        let once = Arc::new(SendOnce {
            ledger: store.clone(),
            network: networks.clone(),
            recorder: recorder.clone(),
            clock: clock.clone(),
        });
        let sync_account = Arc::new(SyncAccount {
            accounts: store.clone(),
            templates: store.clone(),
            network: network.clone(),
            numbers: SyncNumbers { store: store.clone(), network: network.clone(), clock: clock.clone() },
            clock: clock.clone(),
            ids: ids.clone(),
        });
        let handle_updates = handle_updates(on, &recorder, &sync_account, &signals);
        let send_reply = Arc::new(SendReply {
            ledger: store.clone(),
            once: once.clone(),
            uploads: store.clone(),
            links,
            vault: vault.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
        });
        let receive_updates = Arc::new(ReceiveUpdates {
            network: network_webhook.clone(),
            journal: store.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            signals: signals.clone(),
        });
        let life = Life::new(on, send_reply.clone(), signals.clone());
        Ok(Self {
            resend_deliveries: Arc::new(resend_deliveries(on, signals)),
            connect_account: ConnectAccount {
                store: store.clone(),
                network: network.clone(),
                clock: clock.clone(),
                ids: ids.clone(),
            },
            connect_page: ConnectPage {
                store: store.clone(),
                network: pages.clone(),
                clock: clock.clone(),
                ids: ids.clone(),
            },
            send_once: once.clone(),
            manage_accounts: manage_accounts(on),
            send_template: Arc::new(SendTemplate {
                ledger: store.clone(),
                once,
                vault,
                clock: clock.clone(),
                ids: ids.clone(),
            }),
            send_reply,
            introduce_people: Arc::new(IntroducePeople {
                strangers: store.clone(),
                contacts: store.clone(),
                network: pages,
                clock: clock.clone(),
            }),
            life,
            manage_quarantine: ManageQuarantine {
                quarantine: store.clone(),
                receive: receive_updates.clone(),
            },
            receive_updates,
            handle_updates: Arc::new(handle_updates),
            sync_account,
            networks,
            network_webhook,
        })
    }
}

/// Statuses and what happens in threads are settled by one recorder.
fn handle_updates(
    on: &Foundation,
    recorder: &Arc<Recorder>,
    sync: &Arc<SyncAccount>,
    signals: &Arc<dyn Signals>,
) -> HandleUpdates {
    let Foundation { store, clock, ids, .. } = on.clone();
    let statuses = || ApplyStatuses {
        messages: store.clone(),
        recorder: recorder.clone(),
        clock: clock.clone(),
        signals: signals.clone(),
    };
    let inbox = RecordUpdates {
        store: store.clone(),
        statuses: statuses(),
        clock: clock.clone(),
        ids,
        signals: signals.clone(),
    };
    HandleUpdates {
        journal: store.clone(),
        statuses: statuses(),
        inbox: Some(Arc::new(inbox)),
        sync: sync.clone(),
        clock: clock.clone(),
    }
}

/// Shows and disconnects accounts.
pub fn manage_accounts(on: &Foundation) -> ManageAccounts {
    let Foundation { store, clock, ids, .. } = on.clone();
    ManageAccounts { store, clock, ids }
}

/// Makes numbers send-only.
pub fn set_send_only(on: &Foundation) -> SetSendOnly {
    let Foundation { store, clock, ids, .. } = on.clone();
    SetSendOnly { accounts: store.clone(), workspaces: store, clock, ids }
}

fn graph_client(config: &NetworkConfig, surface: Surface) -> anyhow::Result<GraphClient> {
    let graph = graph_client::Config {
        base_url: config.graph_url.clone(),
        version: config.graph_version.clone(),
        app_secret: Some(config.app_secret.clone()),
        surface,
        timeout: NETWORK_TIMEOUT,
        retry: RetryPolicy::default(),
    };
    GraphClient::new(graph).context("the Graph API's client")
}

/// Customers' files: where they are kept and how they are linked.
#[derive(Clone)]
pub struct Files {
    /// Where they are kept.
    pub objects: Arc<dyn ObjectStore>,
    /// Makes links to them.
    pub links: Arc<dyn AttachmentLinks>,
    /// Makes and judges those that this service serves itself.
    signed: SignedLinks,
    /// What renders voice notes as words.
    transcriber: Option<Arc<dyn Transcriber>>,
}

impl Files {
    /// Over a foundation; `public_url` is where customers' systems reach this service.
    ///
    /// # Errors
    /// When the folder, the bucket or the transcription service cannot be used.
    pub fn open(on: &Foundation, config: &FilesConfig, public_url: Url) -> anyhow::Result<Self> {
        let signed = SignedLinks { vault: on.vault.clone(), clock: on.clock.clone(), public_url };
        let (objects, links): (Objects, Arc<dyn AttachmentLinks>) = match &config.place {
            FilesPlace::Folder(folder) => (Objects::in_folder(folder)?, Arc::new(signed.clone())),
            FilesPlace::Bucket(bucket) => {
                let (objects, links) = Objects::in_s3(bucket)?;
                (objects, Arc::new(links))
            }
        };
        let speech = config.transcription.clone().map(SpeechService::new).transpose();
        let speech = speech.map_err(anyhow::Error::msg).context("the transcription service")?;
        let transcriber = speech.map(|speech| Arc::new(speech) as Arc<dyn Transcriber>);
        Ok(Self { objects: Arc::new(objects), links, signed, transcriber })
    }

    /// Fetches those that messages wait for.
    pub fn settle(
        &self,
        on: &Foundation,
        networks: Arc<dyn NetworkMedia>,
        signals: Arc<dyn Signals>,
    ) -> SettleFiles {
        let Foundation { store, vault, clock, .. } = on.clone();
        SettleFiles {
            queue: store,
            networks,
            objects: self.objects.clone(),
            links: self.links.clone(),
            transcriber: self.transcriber.clone(),
            vault,
            clock,
            signals,
        }
    }

    /// Takes in those that people of the team bring.
    pub fn take_upload(&self, on: &Foundation) -> TakeUpload {
        let Foundation { store, vault, clock, ids } = on.clone();
        TakeUpload { store, objects: self.objects.clone(), vault, clock, ids }
    }

    /// Removes those of them that nobody sent.
    pub fn sweep_uploads(&self, on: &Foundation) -> SweepUploads {
        let Foundation { store, clock, .. } = on.clone();
        SweepUploads { store, objects: self.objects.clone(), clock }
    }

    /// Serves them.
    pub fn open_attachment(&self) -> OpenAttachment {
        OpenAttachment { links: self.signed.clone(), objects: self.objects.clone() }
    }
}

/// A process that keeps no files.
struct NoFiles;

#[async_trait]
impl AttachmentLinks for NoFiles {
    async fn link(&self, _: &ObjectKey) -> Result<String, MediaError> {
        Err(MediaError::Final("this process keeps no files".to_owned()))
    }
}

/// Wakes this process's own background, and has other nodes told.
pub struct Wake {
    /// The webhook dispatcher, where this process has one.
    pub dispatcher: Option<DispatcherWake>,
    /// Tells the dispatchers of other nodes.
    pub bell: Arc<PgBell>,
    /// What handles updates.
    pub updates: UpdatesWake,
    /// What fetches files.
    pub files: FilesWake,
}

impl Signals for Wake {
    fn deliveries_due(&self, workspace: WorkspaceId) {
        if let Some(dispatcher) = &self.dispatcher {
            dispatcher.wake(workspace);
        }
        self.bell.tell(workspace);
    }

    fn takes_in_hand(&self, updates: usize) -> bool {
        self.updates.has_room_for(updates)
    }

    fn updates_journaled(&self, workspace: WorkspaceId, in_hand: Vec<JournalEntry>) {
        self.updates.wake(workspace, in_hand);
    }

    fn files_awaited(&self, workspace: WorkspaceId) {
        self.files.wake(workspace);
    }
}

/// An operator's command, whose process has no background: the nodes are told when it is done.
#[derive(Debug, Default)]
pub struct TellLater(Mutex<HashSet<WorkspaceId>>);

impl TellLater {
    /// Tells the nodes. What fails is left to their scans.
    pub async fn tell(&self, store: &PgStore) {
        let told = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if let Err(error) = store.tell(&told).await {
            tracing::debug!(%error, "the nodes could not be told");
        }
    }
}

impl Signals for TellLater {
    fn deliveries_due(&self, workspace: WorkspaceId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(workspace);
    }

    fn takes_in_hand(&self, _: usize) -> bool {
        false
    }

    fn updates_journaled(&self, _: WorkspaceId, _: Vec<JournalEntry>) {}

    fn files_awaited(&self, _: WorkspaceId) {}
}

/// Takes over lists of people.
pub fn import_contacts(on: &Foundation) -> ImportContacts {
    let Foundation { store, clock, ids, .. } = on.clone();
    ImportContacts { audit: store.clone(), store, clock, ids }
}
