//! The log of changes: who, what, when, from where. It never holds a secret.

use std::{fmt, net::IpAddr, sync::Arc};

use async_trait::async_trait;
use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::{
    errors::StoreError,
    ids::{AuditId, IdSource, MemberId, WorkspaceId},
    paging::{AskedPage, Cursors, Page, PageError, PageRequest, Position},
};

/// It says who makes changes in a workspace, and from where.
///
/// A use case that changes something takes this, makes an [`AuditEntry`] of it, and hands that to the store,
/// which writes both in one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acting {
    /// The change is written into this workspace's log of changes.
    pub workspace: WorkspaceId,
    pub actor: Actor,
    pub address: Option<IpAddr>,
}

/// An actor is who made a change, as the log of changes names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    Member(MemberId),
    /// An operator ran a command.
    Operator,
    /// Somebody acts who has not shown who they are. What they try is told apart from an operator's command
    /// by its action.
    Stranger,
    /// The service acts by itself.
    Service,
}

impl Actor {
    /// Returns the member; `None` for everybody who is none.
    pub const fn member(self) -> Option<MemberId> {
        match self {
            Self::Member(member) => Some(member),
            Self::Operator | Self::Stranger | Self::Service => None,
        }
    }
}

/// The log of changes has one such entry for each change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: AuditId,
    pub actor: Actor,
    pub address: Option<IpAddr>,
    pub action: Action,
    /// It is what it was done to: an id, or a name where there is no id.
    pub subject: Option<String>,
    /// It holds what else tells of the change, such as the new role.
    pub details: Map<String, Value>,
    pub at: OffsetDateTime,
}

impl Acting {
    /// Says that an operator's command makes the change.
    pub const fn operator(workspace: WorkspaceId) -> Self {
        Self { workspace, actor: Actor::Operator, address: None }
    }

    /// Says that the service makes the change by itself.
    pub const fn service(workspace: WorkspaceId) -> Self {
        Self { workspace, actor: Actor::Service, address: None }
    }

    /// Makes the entry of what is done now.
    pub fn does(self, action: Action, now: OffsetDateTime, ids: &dyn IdSource) -> AuditEntry {
        let (id, details) = (AuditId::new(ids), Map::new());
        AuditEntry { id, actor: self.actor, address: self.address, action, subject: None, details, at: now }
    }
}

impl AuditEntry {
    /// Names what it was done to.
    pub fn to(self, subject: impl fmt::Display) -> Self {
        Self { subject: Some(subject.to_string()), ..self }
    }

    /// Adds a detail, which is never a secret.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}

macro_rules! actions {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal;)*) => {
        /// It is what can be done. The words are added to and never renamed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Action {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns its word in the log, which is never renamed.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

actions! {
    /// A member signed in.
    SignedIn = "session.began";
    /// Somebody tried to sign in as a member with a wrong password or code: all tries of a window.
    SignInFailed = "sign_in.failed";
    /// Somebody tried to after too many tries, and was not listened to: all tries of a window.
    SignInLocked = "sign_in.locked";
    /// A member ended one of their sessions, or signed out.
    SessionEnded = "session.ended";
    /// A member ended all their other sessions.
    SessionsEnded = "sessions.ended";
    /// A member chose another password.
    PasswordChanged = "password.changed";
    /// Somebody asked for a link for another password, which was mailed to the member.
    ResetMailed = "password.reset_mailed";
    /// An operator made a link for another password of a member.
    ResetLinked = "password.reset_linked";
    /// A member chose another password by a link.
    PasswordReset = "password.reset";
    /// A member switched their second factor on.
    SecondFactorOn = "second_factor.on";
    /// A member switched their second factor off.
    SecondFactorOff = "second_factor.off";
    /// Somebody was invited.
    MemberInvited = "member.invited";
    /// An invitation was withdrawn.
    InvitationWithdrawn = "invitation.withdrawn";
    /// An invitation was accepted.
    MemberJoined = "member.joined";
    /// A member goes by another name.
    MemberRenamed = "member.renamed";
    /// A member chose the language of their pages and mails.
    LanguageChosen = "member.language_chosen";
    /// A member got another role.
    RoleChanged = "member.role_changed";
    /// A member was removed, or left.
    MemberRemoved = "member.removed";
    /// The workspace was made.
    WorkspaceCreated = "workspace.created";
    /// The workspace's plan was set.
    PlanSet = "workspace.plan_set";
    /// The workspace's name, locale, region or time zone was changed.
    WorkspaceChanged = "workspace.changed";
    /// A group was made.
    GroupAdded = "group.added";
    /// A group got another name.
    GroupRenamed = "group.renamed";
    /// A group was deleted.
    GroupDeleted = "group.deleted";
    /// A member was put into a group.
    GroupJoined = "group.member_added";
    /// A member was taken out of a group.
    GroupLeft = "group.member_removed";
    /// An API key was made.
    KeyIssued = "api_key.issued";
    /// An API key was revoked.
    KeyRevoked = "api_key.revoked";
    /// A business account was connected, or its token replaced.
    AccountConnected = "account.connected";
    /// A business account was disconnected.
    AccountDisconnected = "account.disconnected";
    /// A business account's numbers and templates were read on demand.
    AccountSynced = "account.synced";
    /// The variables of a template were given other labels.
    TemplateLabelled = "template.labelled";
    /// A template was submitted to the network.
    TemplateSubmitted = "template.submitted";
    /// A template was changed at the network.
    TemplateChanged = "template.changed";
    /// A template was deleted at the network.
    TemplateDeleted = "template.deleted";
    /// A person was added by hand.
    ContactAdded = "contact.added";
    /// A template was sent to a person from the directory, or may have been.
    ContactWrittenTo = "contact.template_sent";
    /// People were taken out as a file.
    ContactsExported = "contacts.exported";
    /// A person was given another name.
    ContactRenamed = "contact.renamed";
    /// A conversation was tagged.
    ConversationTagged = "conversation.tagged";
    /// A tag was taken off a conversation.
    ConversationUntagged = "conversation.untagged";
    /// A template was sent from a conversation, or may have been.
    TemplateSent = "conversation.template_sent";
    /// A list of people is being imported.
    ContactsImportBegan = "contacts.import_began";
    /// A list of people was imported.
    ContactsImported = "contacts.imported";
    /// The rest of a list was left: whoever gave it may not take over lists any more.
    ContactsImportStopped = "contacts.import_stopped";
    /// An automation was added.
    AutomationAdded = "automation.added";
    /// An automation was replaced.
    AutomationChanged = "automation.changed";
    /// An automation was deleted.
    AutomationDeleted = "automation.deleted";
    /// Opening hours or the times of the sweepers were changed.
    ConversationSettingsChanged = "conversation_settings.changed";
    /// A number became send-only or ordinary.
    SendOnlySet = "number.send_only_set";
    /// A number was registered at its network.
    NumberRegistered = "number.registered";
    /// A webhook address was registered.
    WebhookAdded = "webhook.added";
    /// What a webhook address is told of, or how, was changed.
    WebhookChanged = "webhook.changed";
    /// A webhook address was paused.
    WebhookPaused = "webhook.paused";
    /// A webhook address was resumed.
    WebhookResumed = "webhook.resumed";
    /// A webhook address got another secret.
    WebhookRotated = "webhook.secret_rotated";
    /// A webhook address was sent a test.
    WebhookPinged = "webhook.pinged";
    /// A webhook address was removed.
    WebhookRemoved = "webhook.removed";
    /// A delivery was sent again.
    DeliveryResent = "delivery.resent";
    /// What failed or was held in a window was sent again.
    WindowResent = "webhook.window_resent";
    /// A system of the workspace's own was connected, maybe in place of another.
    SystemConnected = "system.connected";
    /// It was disconnected.
    SystemDisconnected = "system.disconnected";
    /// Its connection has another state, or it introduces itself otherwise: what its answers have told.
    SystemChanged = "system.changed";
    /// The words that stand for the same thing in the workspace's shop were changed.
    SynonymsChanged = "system.synonyms_changed";
    /// What the assistant does was changed.
    AssistantChanged = "assistant.changed";
    /// The assistant's model is asked with a key of the workspace's own, maybe in place of another.
    ModelKeySet = "assistant.key_set";
    /// That key was removed.
    ModelKeyRemoved = "assistant.key_removed";
    /// Somebody to follow up with was written down.
    LeadCaptured = "conversation.lead_captured";
    /// A customer is asked to confirm an order, a booking or a cancellation.
    DraftProposed = "conversation.draft_proposed";
    /// That was taken back.
    DraftWithdrawn = "conversation.draft_withdrawn";
    /// What a customer confirmed has come to its end.
    CommitmentSettled = "conversation.commitment_settled";
    /// Somebody would like an appointment, which a person has to confirm.
    BookingRequested = "conversation.booking_requested";
    /// A member wrote a broadcast.
    BroadcastAdded = "broadcast.added";
    /// A member changed a broadcast that had not begun.
    BroadcastEdited = "broadcast.edited";
    /// A member removed a broadcast that had not begun.
    BroadcastRemoved = "broadcast.removed";
    /// A broadcast was started, scheduled, paused, resumed or cancelled, or came to its end.
    BroadcastMoved = "broadcast.moved";
    /// A member brought a list of numbers for broadcasts.
    BroadcastListAdded = "broadcast.list_added";
    /// A member removed a list of numbers.
    BroadcastListRemoved = "broadcast.list_removed";
    /// A member wrote down what messages cost.
    BroadcastPricesSet = "broadcast.prices_set";
    /// People of a broadcast were taken out as a file.
    BroadcastPeopleExported = "broadcast.people_exported";
    /// A member had a person get no marketing, or again.
    MarketingStopSet = "contact.marketing_stop_set";
}

impl Action {
    /// Returns who did it where the log names no member.
    pub const fn without_member(self) -> Actor {
        match self {
            Self::SignInFailed | Self::SignInLocked | Self::ResetMailed => Actor::Stranger,
            Self::SystemChanged | Self::CommitmentSettled | Self::ContactsImportStopped => Actor::Service,
            _ => Actor::Operator,
        }
    }

    /// Reads what `as_str` returns; `None` where `word` is anything else.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.as_str() == word)
    }
}

/// An `AuditFilter` says which entries are wanted; `None` lets all through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub member: Option<MemberId>,
    pub action: Option<Action>,
}

/// An `AuditStore` keeps the log of changes.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AuditStore: Send + Sync {
    /// Writes an entry that tells of no single change.
    async fn add(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<(), StoreError>;

    /// Lists up to one row more than the page holds, the newest first.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: AuditFilter,
        page: PageRequest,
    ) -> Result<Vec<AuditEntry>, StoreError>;
}

/// It lists the log.
pub struct ListAudit {
    pub store: Arc<dyn AuditStore>,
    pub cursors: Cursors,
}

impl ListAudit {
    /// Reads a page, newest first.
    ///
    /// # Errors
    /// See [`PageError`].
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        filter: AuditFilter,
        asked: &AskedPage,
    ) -> Result<Page<AuditEntry>, PageError> {
        let member = filter.member.map(|member| member.to_string()).unwrap_or_default();
        let list = format!("audit:{member}:{}", filter.action.map_or("", Action::as_str));
        let page = self.cursors.open(workspace, &list, asked)?;
        let rows = self.store.list(workspace, filter, page).await?;
        let place = |entry: &AuditEntry| Position { at: entry.at, id: entry.id.uuid() };
        Ok(Page::cut(rows, page.limit, place, |place| self.cursors.issue(workspace, &list, place)))
    }
}

#[cfg(test)]
mod tests {
    use super::Action;

    #[test]
    fn every_action_reads_back_from_its_word() {
        for action in Action::ALL {
            assert_eq!(Action::read(action.as_str()), Some(*action));
        }
        assert_eq!(Action::read("anything"), None);
    }
}
