//! Puts adapters behind ports, and builds the use cases over both.

mod assistant;
mod broadcasts;
mod consent;
mod files;
mod foundation;
mod hand_over;
mod operations;
mod signals;
mod systems;
mod webhooks;
mod wire;

pub(crate) use self::wire::wire;

use std::{sync::Arc, time::Duration};

use adapter_messenger::PageNetwork;
use adapter_postgres::Stores;
use adapter_whatsapp::{CodeExchange, NoExchange, WhatsAppNetwork};
use anyhow::Context;
use domain::{
    access::{TellOwners, members::ports::Mailer},
    attachments::ports::AttachmentLinks,
    automations::{RunAutomations, Sweep},
    broadcasts::HeedRefusals,
    channels::{
        ConnectAccount, ConnectChosen, ConnectPage, ManageAccounts, OpenToken, ReadPages, SetSendOnly,
        SyncNumbers,
        ports::{NetworkSignUp, NumberRegistration},
    },
    contacts::{ImportContacts, ImportJobs, RunImports},
    conversations::{ChangeConversation, TagConversation},
    inbound::{
        ApplyStatuses, FetchProfiles, HandleUpdates, ManageQuarantine, OpenNamed, ReceiveUpdates,
        RecordUpdates, ports::NetworkWebhook,
    },
    sending::{Recorder, SendOnce, SendReply, SendTemplate},
    templates::{SyncAccount, ports::NetworkTemplates},
    webhooks::ResendDeliveries,
};
use graph_client::{GraphClient, RetryPolicy, Surface, webhook::Gate};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use self::files::NoFiles;
pub use self::{
    assistant::{Model, assistant, assistant_settings, model_key, read_turns, run_rehearsals, take_turn},
    broadcasts::{broadcasts, manage_broadcasts, run_broadcasts},
    consent::consent,
    files::Files,
    foundation::Foundation,
    operations::Operations,
    signals::{TellLater, Wake},
    systems::{call_system, keep_calls, push_leads, system_client, systems},
    webhooks::{
        deliver_due, guarded_client, keep_log, manage_addresses, read_deliveries, register_address,
        resend_deliveries,
    },
};

use crate::{
    config::{NetworkConfig, SignUpConfig},
    network::{MetaWebhook, Networks},
};

/// Longest duration of one try at the network.
pub(crate) const NETWORK_TIMEOUT: Duration = Duration::from_secs(20);

/// Use cases that move conversations.
pub struct Life {
    pub change_conversation: Arc<ChangeConversation>,
    /// Runs the automations that messages trigger.
    pub run_automations: Arc<RunAutomations>,
    pub sweep: Arc<Sweep>,
}

impl Life {
    fn new(on: &Foundation, reply: Arc<SendReply>) -> Self {
        let Foundation { stores, deps, .. } = on;
        let Stores { automations, conversations, .. } = stores;
        let change = Arc::new(wire!(ChangeConversation { store: conversations, deps }));
        Self {
            run_automations: Arc::new(wire!(
                RunAutomations { automations, triggers: automations, change, clock: deps.clock },
                reply,
                tag = wire!(TagConversation { store: conversations, deps })
            )),
            sweep: Arc::new(wire!(Sweep {
                settings: automations,
                quiet: automations,
                change,
                clock: deps.clock
            })),
            change_conversation: change,
        }
    }
}

/// Use cases that touch the network.
pub struct UseCases {
    pub connect_account: ConnectAccount,
    pub connect_page: ConnectPage,
    /// Lists the accounts and pages that a token opens.
    pub open_token: OpenToken,
    /// Connects those chosen from that list.
    pub connect_chosen: ConnectChosen,
    pub manage_accounts: ManageAccounts,
    pub sync_account: Arc<SyncAccount>,
    pub read_pages: Arc<ReadPages>,
    pub send_template: Arc<SendTemplate>,
    /// Asks the network once for each message.
    pub send_once: Arc<SendOnce>,
    pub send_reply: Arc<SendReply>,
    /// Journals the network's posts.
    pub receive_updates: Arc<ReceiveUpdates>,
    pub manage_quarantine: ManageQuarantine,
    pub handle_updates: Arc<HandleUpdates>,
    pub fetch_profiles: Arc<FetchProfiles>,
    pub life: Life,
    pub networks: Arc<Networks>,
    /// Embedded sign-up; `None` where it is not set up.
    pub sign_up: Option<SignUpConfig>,
    /// Exchanges the sign-up's codes for tokens.
    pub exchange: Arc<dyn NetworkSignUp>,
    pub registration: Arc<dyn NumberRegistration>,
    pub network_templates: Arc<dyn NetworkTemplates>,
    pub resend_deliveries: Arc<ResendDeliveries>,
}

impl UseCases {
    /// Builds them over a foundation and a network. A process without `files` sends none.
    pub fn new(on: &Foundation, config: &NetworkConfig, files: Option<&Files>) -> anyhow::Result<Self> {
        let Foundation { stores, vault, deps, .. } = on;
        let Stores { attachments, channels, contacts, inbound, sends, workspaces, .. } = stores;
        let links: Arc<dyn AttachmentLinks> =
            files.map_or_else(|| Arc::new(NoFiles) as _, |files| files.links.clone());
        let network = Arc::new(whatsapp(config, files)?);
        let pages = Arc::new(PageNetwork::new(graph_client(config, Surface::Messenger)?));
        let networks = Arc::new(wire!(Networks { whatsapp: network, pages }));
        let recorder = Arc::new(wire!(Recorder { ledger: sends, deps, links }));
        let once = SendOnce::new(sends.clone(), networks.clone(), recorder.clone(), deps.clock.clone());
        let once = Arc::new(once);
        let sync_account = Arc::new(sync_account(on, &network));
        let handle_updates = handle_updates(on, &pages, &recorder, &sync_account);
        let send_reply =
            Arc::new(wire!(SendReply { ledger: sends, once, uploads: attachments, links, vault, deps }));
        let receive_updates = Arc::new(wire!(
            ReceiveUpdates { journal: inbound, unread: inbound, signals: on.update_signals, deps },
            webhooks = webhooks(on, config)
        ));
        let life = Life::new(on, send_reply.clone());
        let connect_account = wire!(ConnectAccount { store: channels, workspaces, network, deps });
        let connect_page = wire!(ConnectPage { store: channels, workspaces, network: pages, deps });
        Ok(Self {
            resend_deliveries: Arc::new(resend_deliveries(on)),
            open_token: wire!(OpenToken {
                tokens: network,
                accounts: network,
                pages,
                store: channels,
                vault,
                clock: deps.clock
            }),
            connect_chosen: wire!(ConnectChosen {
                accounts: connect_account,
                pages: connect_page,
                network: pages,
                tokens: network,
                vault,
                clock: deps.clock
            }),
            connect_account,
            connect_page,
            read_pages: Arc::new(read_pages(on, &pages)),
            send_once: once.clone(),
            manage_accounts: manage_accounts(on),
            send_template: Arc::new(wire!(SendTemplate { ledger: sends, contacts, once, vault, deps })),
            send_reply,
            fetch_profiles: Arc::new(wire!(FetchProfiles {
                unnamed: contacts,
                contacts: inbound,
                network: pages,
                clock: deps.clock
            })),
            life,
            manage_quarantine: wire!(ManageQuarantine { quarantine: inbound, receive: receive_updates }),
            receive_updates,
            handle_updates: Arc::new(handle_updates),
            sync_account,
            sign_up: config.sign_up.clone(),
            exchange: exchange(config)?,
            registration: network.clone(),
            network_templates: network.clone(),
            networks,
        })
    }
}

/// Builds the webhooks of all networks: Meta's, and those of the foundation.
fn webhooks(on: &Foundation, config: &NetworkConfig) -> Vec<Arc<dyn NetworkWebhook>> {
    let gate = Gate::new(config.app_secret.clone(), config.verify_token.clone());
    let meta: Arc<dyn NetworkWebhook> = Arc::new(MetaWebhook { gate, app_id: config.app_id });
    [meta].into_iter().chain(on.webhooks.iter().cloned()).collect()
}

/// Builds the network of numbers. Without `files` it cannot upload any.
fn whatsapp(config: &NetworkConfig, files: Option<&Files>) -> anyhow::Result<WhatsAppNetwork> {
    let network = WhatsAppNetwork::new(graph_client(config, Surface::WhatsApp)?);
    let network = network.with_number_rate(config.number_rate);
    let network = if config.shares_numbers { network.sharing_numbers() } else { network };
    let network = match config.app_id {
        Some(app) => network.with_app_token(app_token(app, &config.app_secret)),
        None => network,
    };
    Ok(match files {
        Some(files) => network.with_files(files.objects.clone()),
        None => network,
    })
}

fn sync_account(on: &Foundation, network: &Arc<WhatsAppNetwork>) -> SyncAccount {
    let Foundation { stores, deps, .. } = on;
    let Stores { channels, templates, .. } = stores;
    let numbers = wire!(SyncNumbers { store: channels, network, clock: deps.clock });
    wire!(SyncAccount { accounts: channels, templates, network, health: channels, deps }, numbers)
}

fn read_pages(on: &Foundation, network: &Arc<PageNetwork>) -> ReadPages {
    let Foundation { stores, deps, .. } = on;
    wire!(ReadPages {
        pages: stores.channels,
        accounts: stores.channels,
        health: stores.channels,
        network,
        clock: deps.clock
    })
}

/// Builds the exchange of the sign-up's codes for tokens, which needs the app's id.
fn exchange(config: &NetworkConfig) -> anyhow::Result<Arc<dyn NetworkSignUp>> {
    Ok(match config.app_id {
        Some(app_id) => Arc::new(CodeExchange {
            graph: graph_client(config, Surface::WhatsApp)?,
            app_id,
            app_secret: config.app_secret.clone(),
        }),
        None => Arc::new(NoExchange),
    })
}

/// Returns the token with which an app asks in its own name.
fn app_token(app: u64, secret: &SecretString) -> SecretString {
    SecretString::from(format!("{app}|{}", secret.expose_secret()))
}

/// Builds the handling of updates, with one recorder for statuses and for what happens in conversations.
fn handle_updates(
    on: &Foundation,
    pages: &Arc<PageNetwork>,
    recorder: &Arc<Recorder>,
    sync: &Arc<SyncAccount>,
) -> HandleUpdates {
    let Foundation { stores, deps, .. } = on;
    let Stores { broadcasts, channels, inbound, .. } = stores;
    let clock = &deps.clock;
    let refusals = || wire!(HeedRefusals { broadcasts, stops: broadcasts, deps });
    let statuses = || wire!(ApplyStatuses { messages: inbound, recorder, deps }, refusals = refusals());
    let inbox = wire!(
        RecordUpdates { store: inbound, stops: broadcasts, unread: inbound, deps },
        statuses = statuses()
    );
    wire!(
        HandleUpdates { journal: inbound, sync, standings: channels, clock },
        statuses = statuses(),
        inbox = Some(Arc::new(inbox)),
        named = wire!(OpenNamed { origins: inbound, network: pages, unread: inbound, clock })
    )
}

pub fn manage_accounts(on: &Foundation) -> ManageAccounts {
    let Foundation { stores, deps, .. } = on;
    let Stores { channels, inbound, .. } = stores;
    wire!(ManageAccounts { store: channels, health: channels, unread: inbound, deps })
}

/// Builds mailing owners about their channels; links lead to `public_url`.
pub fn tell_owners(on: &Foundation, mailer: Arc<dyn Mailer>, public_url: Url) -> TellOwners {
    let Foundation { stores, deps, .. } = on;
    wire!(
        TellOwners {
            health: stores.channels,
            members: stores.access,
            workspaces: stores.workspaces,
            clock: deps.clock
        },
        mailer,
        public_url
    )
}

pub fn set_send_only(on: &Foundation) -> SetSendOnly {
    let Foundation { stores, deps, .. } = on;
    wire!(SetSendOnly { accounts: stores.channels, workspaces: stores.workspaces, deps })
}

/// Builds a client of the Graph API from the settings.
pub fn graph_client(config: &NetworkConfig, surface: Surface) -> anyhow::Result<GraphClient> {
    let graph = graph_client::Config {
        base_url: config.graph_url.clone(),
        version: config.graph_version.clone(),
        app_secret: Some(config.app_secret.clone()),
        surface,
        timeout: NETWORK_TIMEOUT,
        retry: RetryPolicy::default(),
    };
    GraphClient::new(graph).context("MESSAGING_GRAPH_URL: the Graph API's client")
}

pub fn import_contacts(on: &Foundation) -> ImportContacts {
    let Foundation { stores, deps, .. } = on;
    wire!(ImportContacts { audit: stores.access, members: stores.access, store: stores.contacts, deps })
}

/// Builds taking over lists to be written in the background.
pub fn import_jobs(on: &Foundation) -> ImportJobs {
    wire!(ImportJobs { store: on.stores.contacts }, import = import_contacts(on))
}

pub fn run_imports(on: &Foundation) -> RunImports {
    wire!(RunImports { store: on.stores.contacts }, import = import_contacts(on))
}
