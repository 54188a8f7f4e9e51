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
    assistant::{ManageAssistant, ManageModelKey, ReadTurns, TryAssistant},
    attachments::{OpenAttachment, TakeUpload},
    audit::ListAudit,
    automations::ManageAutomations,
    broadcasts::{BroadcastLists, ExportPeople, ManageBroadcasts, MarketingStops},
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
    inbound::{ReceiveUpdates, ports::NetworkWebhook},
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

/// Use cases behind the dashboard; each field names its path under `/dashboard/api`.
pub struct Dashboard {
    /// `/sign-in`.
    pub sign_in: SignIn,
    /// The record of refused sign-ins, and `/me/refused-sign-ins`.
    pub refusals: Refusals,
    /// Admission of requests, and `/sessions`.
    pub sessions: Sessions,
    /// `/me/password`.
    pub change_password: ChangePassword,
    /// Removal of members.
    pub remove_member: RemoveMember,
    /// `/me/second-factor`.
    pub second_factor: SecondFactor,
    /// `/members`.
    pub members: Members,
    /// `/invitations`.
    pub invitations: Invitations,
    /// `/invitations/accept`.
    pub accept_invitation: AcceptInvitation,
    /// Links for a new password.
    pub resets: Resets,
    /// `/workspace`.
    pub change_workspace: ChangeWorkspace,
    /// Usage day by day.
    pub count_usage: CountUsage,
    /// `/usage`.
    pub show_usage: ShowUsage,
    /// `GET /api-keys`.
    pub list_keys: ListKeys,
    /// `POST /api-keys`.
    pub issue_key: IssueKey,
    /// `DELETE /api-keys/{id}`.
    pub revoke_key: RevokeKey,
    /// `/groups`.
    pub groups: Groups,
    /// `/conversations/{id}/notes` and `/mentions`.
    pub notes: Notes,
    /// `/conversations/{id}/presence`.
    pub presence: WatchConversation,
    /// `/broadcasts`, and whether a person gets marketing.
    pub broadcasts: Broadcasts,
    /// `/canned-replies`.
    pub canned_replies: CannedReplies,
    /// `/contacts`.
    pub directory: Directory,
    /// `/automations` and `/conversation-settings`.
    pub automations: ManageAutomations,
    /// `GET /conversations`.
    pub list_inbox: ListInbox,
    /// `PUT /conversations/{id}/seen`.
    pub mark_seen: MarkSeen,
    /// Notices to networks that messages were seen.
    pub tell_read: TellRead,
    /// `POST /attachments`.
    pub take_upload: TakeUpload,
    /// `POST /conversations/{id}/template`.
    pub send_in_conversation: SendInConversation,
    /// `GET /conversations/{id}/templates`.
    pub list_conversation_templates: ListConversationTemplates,
    /// `/events`.
    pub live: Arc<LiveHub>,
    /// `GET /messages/{id}`.
    pub explain_message: ExplainMessage,
    /// `GET /messages/search` and `/conversations/{id}/messages/search`.
    pub search_messages: SearchMessages,
    /// Counts beside the views of the inbox.
    pub count_inbox: CountInbox,
    /// `/accounts`, `/pages` and `/numbers`.
    pub channels: Channels,
    /// `/webhooks`, `/deliveries` and `/resends`.
    pub webhooks: Webhooks,
    /// `/system`.
    pub systems: Systems,
    /// `/conversations/{id}/products`.
    pub show_product: ShowProduct,
    /// Drafts that customers are asked to confirm.
    pub consent: Consent,
    /// `/assistant`.
    pub assistant: Assistant,
    /// `/contact-imports`.
    pub import_contacts: ImportContacts,
    /// Imports in the background.
    pub import_jobs: ImportJobs,
    /// Largest list of an import, in bytes.
    pub import_limit: usize,
    /// `/audit`.
    pub list_audit: ListAudit,
    /// `/me` and `/workspace`.
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
    /// `/broadcasts`.
    pub manage: ManageBroadcasts,
    /// `/broadcast-lists`.
    pub lists: BroadcastLists,
    /// `/broadcasts/{id}/people/export`.
    pub export: ExportPeople,
    /// `/contacts/{id}/marketing`.
    pub stops: MarketingStops,
}

/// Use cases of the directory.
pub struct Directory {
    /// `GET /contacts`.
    pub list: ListDirectory,
    /// `/contacts/export`.
    pub export: ExportContacts,
    /// `/contacts/{id}/template`.
    pub send: SendToContact,
    /// `/contacts/{id}/templates`.
    pub templates: ListContactTemplates,
}

/// Use cases of connected accounts.
pub struct Channels {
    /// `POST /accounts`.
    pub connect_account: ConnectAccount,
    /// `POST /pages`.
    pub connect_page: ConnectPage,
    /// The network's own sign-up dialog.
    pub sign_up: SignUp,
    /// What a token opens.
    pub open_token: OpenToken,
    /// Some of what a token opens.
    pub connect_chosen: ConnectChosen,
    /// `/accounts` and `/pages`.
    pub manage: ManageAccounts,
    /// Registration of a number with its PIN.
    pub register_number: RegisterNumber,
    /// `PATCH /numbers/{id}`.
    pub set_send_only: SetSendOnly,
    /// `POST /accounts/{id}/sync`.
    pub sync: Arc<SyncAccount>,
    /// `PUT /templates/variables`.
    pub label_variables: LabelVariables,
    /// Creation, change and deletion of templates by owners.
    pub write_templates: WriteTemplates,
}

/// Use cases of webhook addresses.
pub struct Webhooks {
    /// `POST /webhooks`.
    pub register: RegisterAddress,
    /// `/webhooks` and `/webhooks/{id}`.
    pub manage: ManageAddresses,
    /// `/webhooks/{id}/deliveries` and `/deliveries/{id}`.
    pub read: ReadDeliveries,
    /// `/deliveries/{id}/resend`, `/webhooks/{id}/resends` and `/resends/{id}`.
    pub resend: ResendDeliveries,
}

/// Use cases of workspaces' own systems.
pub struct Systems {
    /// `PUT /system`.
    pub connect: ConnectSystem,
    /// `GET` and `DELETE /system`, `/system/verify` and `/system/calls`.
    pub manage: Arc<ManageSystem>,
    /// `/system/products`.
    pub browse: BrowseCatalogue,
    /// `/system/synonyms`.
    pub synonyms: Arc<ManageSynonyms>,
    /// `/conversations/{id}/orders/{reference}`, `/conversations/{id}/customer` and
    /// `/conversations/{id}/slots`.
    pub look_up: LookUpCustomer,
    /// `/conversations/{id}/leads`.
    pub capture_lead: CaptureLead,
}

/// Use cases of drafts that customers confirm, and of wishes for appointments.
pub struct Consent {
    /// `POST /conversations/{id}/drafts`.
    pub propose: ProposeDraft,
    /// `GET /conversations/{id}/drafts`.
    pub manage: ManageDrafts,
    /// `/conversations/{id}/booking-requests`.
    pub request_booking: RequestBooking,
}

/// Use cases of the assistant.
pub struct Assistant {
    /// `/assistant`.
    pub manage: ManageAssistant,
    /// `/assistant/key`.
    pub key: ManageModelKey,
    /// `/assistant/try`.
    pub try_out: TryAssistant,
    /// `/assistant/turns` and `/assistant/usage`.
    pub read: ReadTurns,
}

/// All use cases behind the surfaces, with the edge, the clock and the runtime.
pub struct App {
    /// Admission of requests to `/v1`.
    pub authenticate: Authenticate,
    /// `GET /v1/me`.
    pub describe_key: DescribeKey,
    /// Country of the numbers that a caller writes without a country code.
    pub find_region: FindRegion,
    /// `GET /v1/contacts`.
    pub list_contacts: ListContacts,
    /// `GET /v1/contacts/{id}`.
    pub get_contact: GetContact,
    /// `POST /v1/contacts`.
    pub add_contact: AddContact,
    /// `PATCH /v1/contacts/{id}`.
    pub rename_contact: RenameContact,
    /// `GET /v1/conversations`.
    pub list_conversations: ListConversations,
    /// `GET /v1/conversations/{id}`.
    pub get_conversation: GetConversation,
    /// `GET /v1/conversations/{id}/messages`.
    pub list_messages: ListMessages,
    /// `GET /v1/messages` and `GET /v1/messages/{id}`.
    pub find_messages: FindMessages,
    /// `GET /attachments/{workspace}/{file}`.
    pub open_attachment: OpenAttachment,
    /// `POST /dashboard/api/conversations/{id}/moves`, and the conversations of members who leave.
    pub change_conversation: Arc<ChangeConversation>,
    /// `/dashboard/api/conversations/{id}/tags`.
    pub tag_conversation: TagConversation,
    /// `GET /v1/templates`.
    pub list_templates: ListTemplates,
    /// `POST /v1/messages/template`.
    pub send_template: Arc<SendTemplate>,
    /// `POST /v1/messages`.
    pub send_reply: Arc<SendReply>,
    /// `POST /networks/meta/webhook`.
    pub receive_updates: Arc<ReceiveUpdates>,
    /// `GET /networks/meta/webhook`.
    pub network_webhook: Arc<dyn NetworkWebhook>,
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
