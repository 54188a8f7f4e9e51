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

/// Author of changes in a workspace, and where they come from.
///
/// A use case that changes something takes an `Acting`, makes an [`AuditEntry`] of it, and hands that to the
/// store, which writes both in one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acting {
    /// Workspace whose log of changes gets the entry.
    pub workspace: WorkspaceId,
    pub actor: Actor,
    pub address: Option<IpAddr>,
}

/// Author of a change, as the log of changes names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    Member(MemberId),
    /// An operator, by a command.
    Operator,
    /// Somebody who has not shown who they are. The action tells their tries apart from an operator's
    /// commands.
    Stranger,
    /// The service by itself.
    Service,
}

impl Actor {
    /// Returns the member, if the actor is one.
    pub const fn member(self) -> Option<MemberId> {
        match self {
            Self::Member(member) => Some(member),
            Self::Operator | Self::Stranger | Self::Service => None,
        }
    }
}

/// Entry of the log of changes, one for each change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: AuditId,
    pub actor: Actor,
    pub address: Option<IpAddr>,
    pub action: Action,
    /// Id of what was changed, or its name if it has no id.
    pub subject: Option<String>,
    /// Further details of the change, such as the new role.
    pub details: Map<String, Value>,
    pub at: OffsetDateTime,
}

impl Acting {
    /// Acts as an operator, by a command.
    pub const fn operator(workspace: WorkspaceId) -> Self {
        Self { workspace, actor: Actor::Operator, address: None }
    }

    /// Acts as the service itself.
    pub const fn service(workspace: WorkspaceId) -> Self {
        Self { workspace, actor: Actor::Service, address: None }
    }

    /// Makes the entry of an action at `now`.
    pub fn does(self, action: Action, now: OffsetDateTime, ids: &dyn IdSource) -> AuditEntry {
        let (id, details) = (AuditId::new(ids), Map::new());
        AuditEntry { id, actor: self.actor, address: self.address, action, subject: None, details, at: now }
    }
}

impl AuditEntry {
    /// Names what was changed.
    pub fn to(self, subject: impl fmt::Display) -> Self {
        Self { subject: Some(subject.to_string()), ..self }
    }

    /// Adds a detail, which must not be a secret.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}

macro_rules! actions {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal;)*) => {
        /// Kind of change. Words in the log are added to and never renamed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Action {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the word in the log, which is never renamed.
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
    /// Somebody tried to sign in as a member with a wrong password or code; one entry for all tries of a
    /// window.
    SignInFailed = "sign_in.failed";
    /// Somebody tried to sign in after too many tries, unchecked; one entry for all tries of a window.
    SignInLocked = "sign_in.locked";
    /// A member ended one of their sessions, or signed out.
    SessionEnded = "session.ended";
    /// A member ended all their other sessions.
    SessionsEnded = "sessions.ended";
    /// A member chose another password.
    PasswordChanged = "password.changed";
    /// A reset link was mailed to a member, at the wish of somebody unidentified.
    ResetMailed = "password.reset_mailed";
    /// An operator made a reset link for a member.
    ResetLinked = "password.reset_linked";
    /// A member chose another password by a reset link.
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
    /// A member was renamed.
    MemberRenamed = "member.renamed";
    /// A member chose the language of their pages and mails.
    LanguageChosen = "member.language_chosen";
    /// A member's role was changed.
    RoleChanged = "member.role_changed";
    /// A member was removed, or left.
    MemberRemoved = "member.removed";
    /// The workspace was created.
    WorkspaceCreated = "workspace.created";
    /// The workspace's plan was set.
    PlanSet = "workspace.plan_set";
    /// The workspace's name, locale, region or time zone was changed.
    WorkspaceChanged = "workspace.changed";
    /// A group was created.
    GroupAdded = "group.added";
    /// A group was renamed.
    GroupRenamed = "group.renamed";
    /// A group was deleted.
    GroupDeleted = "group.deleted";
    /// A member was added to a group.
    GroupJoined = "group.member_added";
    /// A member was removed from a group.
    GroupLeft = "group.member_removed";
    /// An API key was issued.
    KeyIssued = "api_key.issued";
    /// An API key was revoked.
    KeyRevoked = "api_key.revoked";
    /// A business account was connected, or its token replaced.
    AccountConnected = "account.connected";
    /// A business account was disconnected.
    AccountDisconnected = "account.disconnected";
    /// A business account's numbers and templates were read on demand.
    AccountSynced = "account.synced";
    /// Labels of a template's variables were changed.
    TemplateLabelled = "template.labelled";
    /// A template was submitted to the network.
    TemplateSubmitted = "template.submitted";
    /// A template was changed at the network.
    TemplateChanged = "template.changed";
    /// A template was deleted at the network.
    TemplateDeleted = "template.deleted";
    /// A contact was added by hand.
    ContactAdded = "contact.added";
    /// A template was sent to a contact from the directory, or may have been.
    ContactWrittenTo = "contact.template_sent";
    /// Contacts were exported as a file.
    ContactsExported = "contacts.exported";
    /// A contact was renamed.
    ContactRenamed = "contact.renamed";
    /// A conversation was tagged.
    ConversationTagged = "conversation.tagged";
    /// A tag was taken off a conversation.
    ConversationUntagged = "conversation.untagged";
    /// A template was sent from a conversation, or may have been.
    TemplateSent = "conversation.template_sent";
    /// An import of contacts began.
    ContactsImportBegan = "contacts.import_began";
    /// An import of contacts was completed.
    ContactsImported = "contacts.imported";
    /// An import of contacts was stopped: whoever began it may no longer import.
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
    /// The events or other settings of a webhook address were changed.
    WebhookChanged = "webhook.changed";
    /// A webhook address was paused.
    WebhookPaused = "webhook.paused";
    /// A webhook address was resumed.
    WebhookResumed = "webhook.resumed";
    /// A webhook address got a new secret.
    WebhookRotated = "webhook.secret_rotated";
    /// A webhook address was sent a test.
    WebhookPinged = "webhook.pinged";
    /// A webhook address was removed.
    WebhookRemoved = "webhook.removed";
    /// A delivery was sent again.
    DeliveryResent = "delivery.resent";
    /// Deliveries of a window that had failed or were held were sent again.
    WindowResent = "webhook.window_resent";
    /// The workspace's own system was connected, maybe in place of another.
    SystemConnected = "system.connected";
    /// The workspace's own system was disconnected.
    SystemDisconnected = "system.disconnected";
    /// Answers of the workspace's own system changed the state of its connection, or how it introduces
    /// itself.
    SystemChanged = "system.changed";
    /// The synonyms of the workspace's shop were changed.
    SynonymsChanged = "system.synonyms_changed";
    /// The assistant's settings were changed.
    AssistantChanged = "assistant.changed";
    /// The workspace's own key to the assistant's model was set, maybe in place of another.
    ModelKeySet = "assistant.key_set";
    /// The workspace's own key to the assistant's model was removed.
    ModelKeyRemoved = "assistant.key_removed";
    /// A document for the assistant was added.
    DocumentAdded = "assistant.document_added";
    /// A document for the assistant was replaced.
    DocumentReplaced = "assistant.document_replaced";
    /// A document for the assistant was removed.
    DocumentRemoved = "assistant.document_removed";
    /// Questions that the assistant is tried with were added, changed or removed.
    TestQuestionsChanged = "assistant.questions_changed";
    /// A run through those questions began.
    RehearsalBegan = "assistant.rehearsal_began";
    /// A run through those questions was stopped.
    RehearsalStopped = "assistant.rehearsal_stopped";
    /// A lead, somebody to follow up with, was noted.
    LeadCaptured = "conversation.lead_captured";
    /// A customer was asked to confirm an order, a booking or a cancellation.
    DraftProposed = "conversation.draft_proposed";
    /// A draft that a customer was asked to confirm was withdrawn.
    DraftWithdrawn = "conversation.draft_withdrawn";
    /// What a customer confirmed came to its end.
    CommitmentSettled = "conversation.commitment_settled";
    /// A customer asked for an appointment, which a person has to confirm.
    BookingRequested = "conversation.booking_requested";
    /// A member created a broadcast.
    BroadcastAdded = "broadcast.added";
    /// A member changed a broadcast that had not begun.
    BroadcastEdited = "broadcast.edited";
    /// A member removed a broadcast that had not begun.
    BroadcastRemoved = "broadcast.removed";
    /// A broadcast was started, scheduled, paused, resumed or cancelled, or came to its end.
    BroadcastMoved = "broadcast.moved";
    /// A member added a list of numbers for broadcasts.
    BroadcastListAdded = "broadcast.list_added";
    /// A member removed a list of numbers.
    BroadcastListRemoved = "broadcast.list_removed";
    /// A member set the prices of messages.
    BroadcastPricesSet = "broadcast.prices_set";
    /// People of a broadcast were exported as a file.
    BroadcastPeopleExported = "broadcast.people_exported";
    /// A member stopped or resumed marketing to a person.
    MarketingStopSet = "contact.marketing_stop_set";
}

impl Action {
    /// Returns the actor of an entry without a member.
    pub const fn without_member(self) -> Actor {
        match self {
            Self::SignInFailed | Self::SignInLocked | Self::ResetMailed => Actor::Stranger,
            Self::SystemChanged | Self::CommitmentSettled | Self::ContactsImportStopped => Actor::Service,
            _ => Actor::Operator,
        }
    }

    /// Parses what `as_str` returns; `None` for anything else.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.as_str() == word)
    }
}

/// Filter of the log's entries; `None` matches all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub member: Option<MemberId>,
    pub action: Option<Action>,
}

/// Storage of the log of changes.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AuditStore: Send + Sync {
    /// Writes an entry by itself, not with a change.
    async fn add(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<(), StoreError>;

    /// Lists up to one entry more than the page holds, newest first.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: AuditFilter,
        page: PageRequest,
    ) -> Result<Vec<AuditEntry>, StoreError>;
}

/// Lists the log of changes.
pub struct ListAudit {
    pub store: Arc<dyn AuditStore>,
    pub cursors: Cursors,
}

impl ListAudit {
    /// Returns a page of entries, newest first.
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
