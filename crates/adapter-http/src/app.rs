//! Use cases behind the surfaces, and the runtime that they run on.

use std::sync::Arc;

use actix_web::{HttpRequest, web::Data};
use async_trait::async_trait;
use domain::{
    access::{
        Authenticate, DescribeKey, IssueKey, ListKeys, RevokeKey,
        members::{AcceptInvitation, Invitations, Members},
        resets::{AskReset, CompleteReset, ResetPolicy},
        sessions::{ChangePassword, Refusals, SecondFactor, Sessions, SignIn},
    },
    appointments::RequestBooking,
    assistant::{
        ManageAssistant, ManageModelKey, ReadTurns, TryAssistant,
        rehearsal::{ManageQuestions, ManageRehearsals, ReadHandOvers},
    },
    attachments::{OpenAttachment, TakeUpload},
    audit::{Acting, ListAudit},
    automations::ManageAutomations,
    broadcasts::{BroadcastLists, ExportPeople, ManageBroadcasts, MarketingStops, TryBroadcast},
    canned_replies::CannedReplies,
    catalogue::{BrowseCatalogue, ManageSynonyms, ShowProduct},
    channels::{
        ConnectAccount, ConnectChosen, ConnectPage, ManageAccounts, OpenToken, RegisterNumber, SetSendOnly,
        SignUp,
    },
    clock::Clock,
    consent::{ManageDrafts, ProposeDraft},
    contacts::{
        AddContact, GetContact, ImportContacts, ImportJobs, ListContacts, RenameContact,
        directory::{ExportContacts, ListDirectory},
    },
    conversations::{
        ChangeConversation, GetConversation, ListConversations, TagConversation, TellRead,
        inbox::{CountInbox, ListInbox, MarkSeen},
    },
    customer_records::{CaptureLead, LookUpCustomer},
    groups::Groups,
    ids::IdSource,
    inbound::ReceiveUpdates,
    knowledge::ManageKnowledge,
    messages::{FindMessages, ListMessages, SearchMessages},
    notes::Notes,
    presence::WatchConversation,
    removal::RemoveMember,
    sending::{
        ListContactTemplates, ListConversationTemplates, SendInConversation, SendReply, SendTemplate,
        SendToContact,
    },
    systems::{ConnectSystem, ManageSystem},
    templates::{LabelVariables, ListTemplates, SyncAccount, WriteTemplates},
    webhooks::{ExplainMessage, ManageAddresses, ReadDeliveries, RegisterAddress, ResendDeliveries},
    workspaces::{ChangeWorkspace, CountUsage, FindRegion, ShowUsage, ports::WorkspaceStore},
};
use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{Instrument, Span};

use crate::{
    edge::Edge,
    live::LiveHub,
    problem::Problem,
    session::{Cookies, Searches, SignedIn},
};

/// Health of the process as a whole.
#[async_trait]
pub trait Readiness: Send + Sync {
    /// Checks what the process needs. Returns what it lacks but can do without for a while, in words for the
    /// operator.
    ///
    /// # Errors
    /// If the process cannot serve: what is missing, in words for the operator.
    async fn ready(&self) -> Result<Vec<String>, String>;
}

/// Use cases behind the dashboard.
pub struct Dashboard {
    pub sign_in: SignIn,
    /// The record of refused sign-ins, and `/me/refused-sign-ins`.
    pub refusals: Refusals,
    /// Admission of requests, and `/sessions`.
    pub sessions: Sessions,
    pub change_password: ChangePassword,
    pub remove_member: RemoveMember,
    pub second_factor: SecondFactor,
    pub members: Members,
    pub invitations: Invitations,
    pub accept_invitation: AcceptInvitation,
    pub resets: Resets,
    pub change_workspace: ChangeWorkspace,
    pub count_usage: CountUsage,
    pub show_usage: ShowUsage,
    pub list_keys: ListKeys,
    pub issue_key: IssueKey,
    pub revoke_key: RevokeKey,
    pub groups: Groups,
    pub notes: Notes,
    pub presence: WatchConversation,
    /// `/broadcasts`, and whether a person gets marketing.
    pub broadcasts: Broadcasts,
    pub canned_replies: CannedReplies,
    pub directory: Directory,
    pub automations: ManageAutomations,
    pub list_inbox: ListInbox,
    pub mark_seen: MarkSeen,
    /// Notices to networks that messages were seen.
    pub tell_read: TellRead,
    pub take_upload: TakeUpload,
    pub send_in_conversation: SendInConversation,
    pub list_conversation_templates: ListConversationTemplates,
    pub live: Arc<LiveHub>,
    pub explain_message: ExplainMessage,
    pub search_messages: SearchMessages,
    pub count_inbox: CountInbox,
    pub channels: Channels,
    pub webhooks: Webhooks,
    pub systems: Systems,
    pub show_product: ShowProduct,
    pub consent: Consent,
    pub assistant: Assistant,
    pub import_contacts: ImportContacts,
    /// Imports in the background.
    pub import_jobs: ImportJobs,
    /// Largest list of an import, in bytes.
    pub import_limit: usize,
    pub list_audit: ListAudit,
    pub workspaces: Arc<dyn WorkspaceStore>,
}

/// Use cases of links for a new password.
pub struct Resets {
    pub ask: AskReset,
    pub complete: CompleteReset,
    pub policy: ResetPolicy,
}

/// Use cases of broadcasts.
pub struct Broadcasts {
    pub manage: ManageBroadcasts,
    pub trial: TryBroadcast,
    pub lists: BroadcastLists,
    pub export: ExportPeople,
    pub stops: MarketingStops,
}

/// Use cases of the directory.
pub struct Directory {
    pub list: ListDirectory,
    pub export: ExportContacts,
    pub send: SendToContact,
    pub templates: ListContactTemplates,
}

/// Use cases of connected accounts.
pub struct Channels {
    pub connect_account: ConnectAccount,
    pub connect_page: ConnectPage,
    /// The network's own sign-up dialog.
    pub sign_up: SignUp,
    pub open_token: OpenToken,
    pub connect_chosen: ConnectChosen,
    pub manage: ManageAccounts,
    pub register_number: RegisterNumber,
    pub set_send_only: SetSendOnly,
    pub sync: Arc<SyncAccount>,
    pub label_variables: LabelVariables,
    /// Creation, change and deletion of templates by owners.
    pub write_templates: WriteTemplates,
}

/// Use cases of webhook addresses.
pub struct Webhooks {
    pub register: RegisterAddress,
    pub manage: ManageAddresses,
    pub read: ReadDeliveries,
    pub resend: ResendDeliveries,
}

/// Use cases of workspaces' own systems.
pub struct Systems {
    pub connect: ConnectSystem,
    pub manage: Arc<ManageSystem>,
    pub browse: BrowseCatalogue,
    pub synonyms: Arc<ManageSynonyms>,
    pub look_up: LookUpCustomer,
    pub capture_lead: CaptureLead,
}

/// Use cases of drafts that customers confirm, and of wishes for appointments.
pub struct Consent {
    pub propose: ProposeDraft,
    pub manage: ManageDrafts,
    pub request_booking: RequestBooking,
}

/// Use cases of the assistant.
pub struct Assistant {
    pub manage: ManageAssistant,
    pub key: ManageModelKey,
    pub knowledge: ManageKnowledge,
    pub try_out: TryAssistant,
    pub read: ReadTurns,
    /// Questions that owners try it with.
    pub questions: ManageQuestions,
    pub rehearsals: ManageRehearsals,
    pub hand_overs: ReadHandOvers,
}

impl Assistant {
    /// Has the owner's questions asked again after a change of the documents, where that is wanted.
    pub(crate) async fn after<T, E>(&self, changed: Result<T, E>, acting: Acting) -> Result<T, E> {
        if changed.is_ok() {
            // The change is kept, whatever comes of this: the page says that the results are out of date.
            let _ = self.rehearsals.after_change(acting).await;
        }
        changed
    }
}

/// All use cases behind the surfaces, with the edge, the clock and the runtime.
pub struct App {
    /// Admission of requests to `/v1`.
    pub authenticate: Authenticate,
    pub describe_key: DescribeKey,
    /// Country of the numbers that a caller writes without a country code.
    pub find_region: FindRegion,
    pub list_contacts: ListContacts,
    pub get_contact: GetContact,
    pub add_contact: AddContact,
    pub rename_contact: RenameContact,
    pub list_conversations: ListConversations,
    pub get_conversation: GetConversation,
    pub list_messages: ListMessages,
    pub find_messages: FindMessages,
    pub open_attachment: OpenAttachment,
    /// `POST /dashboard/api/conversations/{id}/moves`, and the conversations of members who leave.
    pub change_conversation: Arc<ChangeConversation>,
    pub tag_conversation: TagConversation,
    pub list_templates: ListTemplates,
    pub send_template: Arc<SendTemplate>,
    pub send_reply: Arc<SendReply>,
    /// `/networks/…`, the path of each webhook.
    pub receive_updates: Arc<ReceiveUpdates>,
    /// Everything under `/dashboard/api`.
    pub dashboard: Dashboard,
    /// Searches of members under way.
    pub searches: Searches,
    /// Proxies and origins between the clients and this process.
    pub edge: Edge,
    /// `GET /readyz` of the admin port.
    pub readiness: Arc<dyn Readiness>,
    /// `GET /metrics` of the admin port: renders the metrics as Prometheus text.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// Time, for the rate limit of unknown keys among others.
    pub clock: Arc<dyn Clock>,
    /// New ids, for the requests.
    pub ids: Arc<dyn IdSource>,
    /// The main runtime, which owns the store's connections.
    pub runtime: Handle,
    /// Every use case under way. At the end, close it and wait for it after the servers have stopped: a send
    /// whose client went away may still be running.
    pub tasks: TaskTracker,
    /// Cancelled when the process is about to stop: answers then close their connections, so that requests go
    /// elsewhere.
    pub leaving: CancellationToken,
}

impl App {
    /// Returns the kind of cookies that is valid for a request; [`Cookies::Secure`] without use cases.
    pub(crate) fn cookies_for(request: &HttpRequest) -> Cookies {
        let given = request.app_data::<Data<Self>>().map(|app| app.edge.cookies).unwrap_or_default();
        given.valid_for(request)
    }

    /// Runs a use case on the main runtime, to its end even if the client goes away meanwhile: actix drops
    /// the handler then, and connections of the store's pool live only on the runtime that opened them.
    pub(crate) async fn run<W, F>(self: &Arc<Self>, work: W) -> Result<F::Output, Problem>
    where
        W: FnOnce(Arc<Self>) -> F,
        F: Future<Output: Send> + Send + 'static,
    {
        let task = work(Arc::clone(self)).in_current_span();
        let ended = self.tasks.spawn_on(task, &self.runtime).await;
        ended.map_err(|error| Problem::internal(format!("a use case did not end: {error}")))
    }

    /// Runs a search of the member as [`App::run`] does; its slot among theirs is held to its end.
    pub(crate) async fn search<W, F>(self: &Arc<Self>, by: &SignedIn, work: W) -> Result<F::Output, Problem>
    where
        W: FnOnce(Arc<Self>) -> F,
        F: Future<Output: Send> + Send + 'static,
    {
        let slot = self.searches.begin(by).await?;
        self.run(move |app| {
            let searching = work(app);
            async move {
                let found = searching.await;
                drop(slot);
                found
            }
        })
        .await
    }

    /// Runs on the main runtime what no answer waits for.
    pub(crate) fn later<W, F>(self: &Arc<Self>, work: W)
    where
        W: FnOnce(Arc<Self>) -> F,
        F: Future<Output = ()> + Send + 'static,
    {
        self.tasks.spawn_on(work(Arc::clone(self)).in_current_span(), &self.runtime);
    }

    /// Runs a use case that waits for what the client sends, on a thread of its own, which may block. It may
    /// use the store through [`App::runtime`].
    pub(crate) async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(Arc<Self>) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let (app, span) = (Arc::clone(self), Span::current());
        let ended = self.tasks.spawn_blocking_on(move || span.in_scope(|| work(app)), &self.runtime).await;
        ended.map_err(|error| Problem::internal(format!("a use case did not end: {error}")))
    }
}
