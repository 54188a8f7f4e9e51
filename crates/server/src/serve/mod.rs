//! Runs the roles, and stops them in order.

mod arrivals;
mod crew;
mod group;
mod stop;

use std::{
    net::{SocketAddr, TcpListener},
    sync::{Arc, OnceLock},
    time::Duration,
};

use actix_web::dev::{Server, ServerHandle};
use adapter_http::{App, Dashboard, Edge, LiveHub, Readiness, Searches, Settings, serve_admin, serve_public};
use adapter_postgres::{Database, Heard, PgNotifyChannel, Stores};
use adapter_webhooks::{Dispatcher, DispatcherConfig};
use anyhow::{Context, anyhow};
use async_trait::async_trait;
use domain::{
    access::{Authenticate, DescribeKey},
    contacts::{AddContact, GetContact, ListContacts, RenameContact},
    conversations::{GetConversation, ListConversations, TagConversation},
    messages::{FindMessages, ListMessages},
    paging::Cursors,
    templates::ListTemplates,
    workspaces::FindRegion,
};
use futures_util::future::join;
use guarded_http::Policy;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use metrics_util::layers::FanoutBuilder;
use tls_trust::Trust;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{error, info, warn};
use url::Url;

use crate::{
    background::{ClockHealth, Confirmations, FilesHealth, FilesWake, NodeGauges, UpdatesWake},
    config::{DashboardConfig, FilesConfig, ModelConfig, NetworkConfig, Role},
    dashboard::{self, Reach},
    measures::{BUCKETS, describe},
    telemetry::Telemetry,
    tls::ServedCertificate,
    wiring::{
        Files, Foundation, Model, NETWORK_TIMEOUT, UseCases, Wake, assistant, call_system, consent,
        deliver_due, guarded_client, push_leads, run_rehearsals, system_client, systems, take_turn,
        tell_owners, wire,
    },
};

use self::{arrivals::Arrivals, crew::Crew, group::Group};

pub use stop::{Signals, StopRequest};

/// Longest wait for requests in hand to end: as long as proxies are told to wait for one, and longer than a
/// send waits for the network with all its retries.
const DRAIN: Duration = Duration::from_mins(1);
const _: () = assert!(DRAIN.as_secs() > 2 * NETWORK_TIMEOUT.as_secs());
/// Longest wait for everything to end, once requests are no longer accepted.
const STOP_WITHIN: Duration = Duration::from_secs(70);

/// Sockets of a process, bound already, so that a taken port is reported before anything starts.
pub struct Listeners {
    /// For the API and the network's webhook; `None` in a process that answers no requests.
    pub public: Option<TcpListener>,
    pub admin: TcpListener,
    /// Address of the public one, or the one it would have.
    listen: SocketAddr,
}

impl Listeners {
    /// Binds what these roles need: without [`Role::Api`] nothing is public.
    ///
    /// # Errors
    /// Names the address that cannot be bound.
    pub fn bind(public: SocketAddr, admin: SocketAddr, roles: &[Role]) -> anyhow::Result<Self> {
        let bind =
            |address| TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"));
        let listener = roles.contains(&Role::Api).then(|| bind(public)).transpose()?;
        let listen = listener.as_ref().map_or(Ok(public), TcpListener::local_addr)?;
        Ok(Self { public: listener, admin: bind(admin)?, listen })
    }

    /// Returns the address of the API and of the network's webhook; `None` in a process that answers no
    /// requests.
    pub fn listen(&self) -> Option<SocketAddr> {
        self.public.as_ref().map(|_| self.listen)
    }
}

pub struct Running {
    /// Its use cases, for work in the same process.
    pub use_cases: Arc<UseCases>,
    public: Option<(ServerHandle, Arrivals)>,
    admin: ServerHandle,
    /// Cancelled when requests are to go elsewhere.
    leaving: CancellationToken,
    database: Database,
    trust: Trust,
    certificate: Option<Arc<ServedCertificate>>,
    live: Arc<LiveHub>,
    requests: TaskTracker,
    background: Group,
    /// Ends after all others: it records what they leave.
    last: Group,
}

/// Settings of what the service reaches outside, beside its database and its customers.
#[derive(Debug, Clone, Copy)]
pub struct Outside<'a> {
    pub network: &'a NetworkConfig,
    pub files: &'a FilesConfig,
    pub model: Option<&'a ModelConfig>,
}

/// Starts what `roles` need, on the runtime this is called on.
pub fn start(
    on: &Foundation,
    outside: Outside<'_>,
    policy: Policy,
    dashboard: &DashboardConfig,
    listeners: Listeners,
    roles: &[Role],
) -> anyhow::Result<Running> {
    let Outside { network, files, model } = outside;
    let model = model.map(|model| Model::of(on, model)).transpose()?;
    let public_url = public_url(dashboard, listeners.listen)?;
    let system_client = system_client(policy.clone(), &on.trust)?;
    let client = guarded_client(policy, &on.trust)?;
    let dispatcher = Dispatcher::new(deliver_due(on, client.clone()), DispatcherConfig::default());
    let delivers = roles.contains(&Role::Dispatcher);
    let notify_channel = Arc::new(on.stores.database.notify_channel());
    let wake = Wake {
        dispatcher: delivers.then(|| dispatcher.handle()),
        notify_channel: Arc::clone(&notify_channel),
        updates: UpdatesWake::default(),
        files: FilesWake::default(),
    };
    let (worker_wake, files_wake) = (wake.updates.clone(), wake.files.clone());
    let journaled = roles.contains(&Role::Worker).then(|| -> Heard {
        let here = wake.updates.clone();
        Arc::new(move |workspace| here.heard(workspace))
    });
    let heard = delivers.then(|| -> Heard {
        let here = dispatcher.handle();
        Arc::new(move |workspace| here.wake(workspace))
    });
    let on = &on.waking(Arc::new(wake));
    let call_system = call_system(on, system_client.clone());
    let push_leads = Arc::new(push_leads(on, call_system.clone()));
    let edge = dashboard::edge(dashboard, &files.place);
    let files = Files::open(on, files, public_url.clone())?;
    let use_cases = Arc::new(UseCases::new(on, network, Some(&files))?);
    let reply = Arc::clone(&use_cases.send_reply);
    let systems = systems(on, system_client);
    let consent = consent(on, call_system.clone(), Arc::clone(&reply));
    let assistant = assistant(on, call_system.clone(), model.clone(), Arc::clone(&reply));
    let rehearsals = Arc::new(run_rehearsals(on, call_system.clone(), model.clone(), reply));
    let take_turn = Arc::new(take_turn(on, call_system.clone(), &use_cases, &files.objects, model));
    let confirmations = Arc::new(Confirmations::new(on, call_system, &use_cases));
    let clock = Arc::new(ClockHealth::of(on.database_clock.clone(), on.stores.database.clone()));
    let (requests, background, last) = (TaskTracker::new(), Group::default(), Group::default());

    let certificate = dashboard.tls.as_ref().map(ServedCertificate::read).transpose()?;
    let tls = certificate.as_ref().map(ServedCertificate::config).transpose()?;
    let manage_system = Arc::clone(&systems.manage);
    let (mailer, outbox) = dashboard::mail(on, dashboard)?.unzip();
    let tell_owners = mailer.clone().map(|mailer| tell_owners(on, mailer, public_url.clone()));
    let reach = wire!(Reach { files, use_cases }, client, systems, consent, assistant, mailer);
    let dashboard = (dashboard::dashboard(on, dashboard, public_url, reach)?, edge);
    let leaving = CancellationToken::new();
    let readiness = wire!(StoresReady { database: on.stores.database, clock, files: files.health });
    let app = app(on, &use_cases, &files, (dashboard, readiness), (requests.clone(), leaving.clone()))?;
    let app = Arc::new(app);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings { workers, shutdown_timeout: DRAIN };
    let mut public = None;
    if let Some(listener) = listeners.public {
        let arrivals = Arrivals::of(&listener).context("the listener")?;
        public = Some((run(serve_public(&app, listener, tls, settings)?, &background.tasks), arrivals));
        let live = Arc::clone(&app.dashboard.live);
        background.tasks.spawn(async move { live.run().await });
    }
    let admin = run(serve_admin(&app, listeners.admin, settings)?, &last.tasks);
    let crew = Crew {
        on,
        use_cases: &use_cases,
        systems: &manage_system,
        push_leads: &push_leads,
        confirmations: &confirmations,
        take_turn: &take_turn,
        rehearsals: &rehearsals,
        clock: &clock,
        tell_owners,
        background: &background,
        last: &last,
    };
    let gauges = NodeGauges {
        database: on.stores.database.clone(),
        quarantine: roles.contains(&Role::Worker).then(|| on.stores.inbound.clone() as _),
        certificate: certificate.clone(),
    };
    crew.node(&files, outbox, gauges);
    listen(&background, &notify_channel, heard, journaled);
    if delivers {
        crew.dispatcher(dispatcher);
    }
    if roles.contains(&Role::Worker) {
        crew.worker(&files, notify_channel, worker_wake, files_wake);
    }
    let live = Arc::clone(&app.dashboard.live);
    let (database, trust) = (on.stores.database.clone(), on.trust.clone());
    Ok(Running {
        use_cases,
        public,
        admin,
        leaving,
        database,
        trust,
        certificate,
        live,
        requests,
        background,
        last,
    })
}

/// Sets the gauge of this node's roles: a role without a node is seen by its absence.
pub fn tell_roles(roles: &[Role]) {
    for role in roles {
        metrics::gauge!("messaging_node_roles", "role" => role.as_str()).set(1.0);
    }
}

/// Hears, until the group ends, of what other nodes have written.
fn listen(group: &Group, channel: &Arc<PgNotifyChannel>, heard: Option<Heard>, journaled: Option<Heard>) {
    let (until_shutdown, channel) = (group.shutdown.clone(), Arc::clone(channel));
    let hear = async move { until_shutdown.run_until_cancelled(channel.run(heard, journaled)).await };
    group.tasks.spawn(hear);
}

/// Runs a server among these tasks.
fn run(server: Server, tasks: &TaskTracker) -> ServerHandle {
    let handle = server.handle();
    tasks.spawn(async move {
        if let Err(error) = server.await {
            warn!(%error, "a server ended");
        }
    });
    handle
}

/// Returns the address of this service: the one that is set, or the one it listens at.
fn public_url(dashboard: &DashboardConfig, listen: SocketAddr) -> anyhow::Result<Url> {
    if let Some(url) = &dashboard.public_url {
        return Ok(url.clone());
    }
    let scheme = if dashboard.tls.is_some() { "https" } else { "http" };
    Ok(format!("{scheme}://{listen}").parse()?)
}

fn app(
    on: &Foundation,
    use_cases: &UseCases,
    files: &Files,
    ((dashboard, edge), readiness): ((Dashboard, Edge), StoresReady),
    (tasks, leaving): (TaskTracker, CancellationToken),
) -> anyhow::Result<App> {
    let Foundation { stores, vault, deps, .. } = on;
    let Stores { access, contacts, conversations, messages, templates, workspaces, .. } = stores;
    let metrics = record_metrics(None)?;
    let cursors = Cursors { vault: vault.clone() };
    Ok(App {
        authenticate: wire!(Authenticate { store: access, vault, clock: deps.clock }),
        describe_key: wire!(DescribeKey { workspaces }),
        find_region: wire!(FindRegion { store: workspaces }),
        list_contacts: wire!(ListContacts { store: contacts, cursors }),
        get_contact: wire!(GetContact { store: contacts }),
        add_contact: wire!(AddContact { store: contacts, deps }),
        rename_contact: wire!(RenameContact { store: contacts, deps }),
        list_conversations: wire!(ListConversations { store: conversations, cursors }),
        get_conversation: wire!(GetConversation { store: conversations }),
        list_messages: wire!(ListMessages { store: messages, cursors, links: files.links }),
        find_messages: wire!(FindMessages {
            store: messages,
            cursors,
            links: files.links,
            clock: deps.clock
        }),
        open_attachment: files.open_attachment(),
        change_conversation: Arc::clone(&use_cases.life.change_conversation),
        tag_conversation: wire!(TagConversation { store: conversations, deps }),
        list_templates: wire!(ListTemplates { store: templates }),
        send_template: Arc::clone(&use_cases.send_template),
        send_reply: Arc::clone(&use_cases.send_reply),
        receive_updates: Arc::clone(&use_cases.receive_updates),
        dashboard,
        searches: Searches::default(),
        edge,
        readiness: Arc::new(readiness),
        metrics: Arc::new(move || metrics.render()),
        clock: deps.clock.clone(),
        ids: deps.ids.clone(),
        runtime: tokio::runtime::Handle::current(),
        tasks,
        leaving,
    })
}

/// Returns the process's metrics: a process has one recorder, however many services start in it at once. The
/// first call decides whether a collector gets them, too.
///
/// # Errors
/// When something else records this process's metrics.
pub fn record_metrics(telemetry: Option<&Telemetry>) -> anyhow::Result<PrometheusHandle> {
    static RECORDER: OnceLock<Result<PrometheusHandle, String>> = OnceLock::new();
    let recorder = RECORDER.get_or_init(|| {
        let recorder = PrometheusBuilder::new().set_buckets(&BUCKETS).map_err(|error| error.to_string())?;
        let recorder = recorder.build_recorder();
        let handle = recorder.handle();
        let both = FanoutBuilder::default().add_recorder(recorder);
        let both = match telemetry {
            Some(telemetry) => both.add_recorder(telemetry.recorder()),
            None => both,
        };
        metrics::set_global_recorder(both.build()).map_err(|error| error.to_string())?;
        describe();
        Ok(handle)
    });
    recorder.clone().map_err(|error| anyhow!("the metrics recorder: {error}"))
}

struct StoresReady {
    database: Database,
    clock: Arc<ClockHealth>,
    files: Arc<FilesHealth>,
}

#[async_trait]
impl Readiness for StoresReady {
    /// Without files the rest goes on, and files are fetched later: a failing store of files is only
    /// reported.
    async fn ready(&self) -> Result<Vec<String>, String> {
        let database = async {
            self.database.ready().await?;
            self.database.takes_changes().await
        };
        database.await.map_err(|error| error.to_string())?;
        self.clock.failure().map_or(Ok(()), Err)?;
        let failure = self.files.failure();
        Ok(failure.map(|reason| format!("files cannot be kept: {reason}")).into_iter().collect())
    }
}

impl Running {
    /// Reads the served certificate and the trusted authorities again, for every connection from now on. What
    /// cannot be read stays as it was.
    pub fn read_certificates_again(&self) {
        let read = [
            ("MESSAGING_TLS_CERTIFICATE", self.certificate.as_ref().map_or(Ok(()), |served| served.reload())),
            ("MESSAGING_CA_FILE", self.trust.reload().map_err(Into::into)),
            ("sslrootcert", self.database.read_authorities_again().map_err(Into::into)),
        ];
        for (setting, read) in read {
            if let Err(error) = read {
                error!(setting, error = format!("{error:#}"), "not read again; what was read before holds");
            }
        }
        info!("certificates are read again");
    }

    /// Reports at once that requests are to go elsewhere, accepts them for `delay` more, then accepts none,
    /// and begins nothing in the background any more. Work in hand of either ends, and then what is still to
    /// be recorded of it. What has not ended in time is left to its lease or to the network's status.
    pub async fn stop(self, delay: Duration) {
        info!(delay_s = delay.as_secs(), "stopping");
        self.leaving.cancel();
        tokio::time::sleep(delay).await;
        // Streams to browsers would not end by themselves.
        self.live.close();
        let public = self.public;
        let requests = async {
            if let Some((public, arrivals)) = public {
                arrivals.end().await;
                public.stop(true).await;
            }
            self.requests.close();
            self.requests.wait().await;
        };
        let ordered = async {
            join(requests, self.background.end()).await;
            self.admin.stop(true).await;
            self.last.end().await;
        };
        if tokio::time::timeout(STOP_WITHIN, ordered).await.is_err() {
            warn!("not everything ended in time");
        }
        info!("stopped");
    }
}
