//! Typed ids over `UUIDv7`, and the port that makes them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Source of new ids, which are time-ordered and unique across nodes.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait IdSource: Send + Sync {
    /// Returns a fresh `UUIDv7`.
    fn next(&self) -> Uuid;
}

/// Rejection of a text that is no id. The message does not repeat the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an id, such as 0197f3c2-7c1a-7e55-9d0e-3f2a5b6c7d8e")]
pub struct NotAnId;

macro_rules! typed_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Makes a fresh id.
            pub fn new(ids: &dyn IdSource) -> Self {
                Self(ids.next())
            }

            /// Returns the untyped id.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                Uuid::from_str(text).map(Self).map_err(|_| NotAnId)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

typed_ids! {
    /// Id of a workspace, the tenant. The API calls it `team`.
    WorkspaceId;
    /// Id of a person on a workspace's team.
    MemberId;
    /// Id of a group of members, such as sales or support.
    GroupId;
    /// Id of a workspace's rule.
    AutomationId;
    /// Id of an API key; not secret.
    ApiKeyId;
    /// Id of a member's session in one browser.
    SessionId;
    /// Id of an invitation to become a member.
    InvitationId;
    /// Id of an entry in the log of changes.
    AuditId;
    /// Id of a business account at a network, as one workspace has connected it.
    AccountId;
    /// Id of a connected number, page or account, over which conversations run.
    ChannelId;
    /// Id of a person the workspace knows.
    ContactId;
    /// Id of a list of people that is imported in the background.
    ImportJobId;
    /// Id of a conversation between a contact and a channel.
    ConversationId;
    /// Id of a message; also the id of the send in the ledger, and the tag that the network echoes.
    MessageId;
    /// Id of a file that a member uploads to send.
    UploadId;
    /// Id of a registered webhook address.
    WebhookAddressId;
    /// Id of one event owed to one address, the same for all its attempts.
    DeliveryId;
    /// Id of a re-send of what an address missed in a window.
    ResendId;
    /// Id of a network's update in the journal.
    JournalId;
    /// Id of a connection to a workspace's own system.
    SystemId;
    /// Id of a turn of the assistant.
    TurnId;
    /// Id of a question that an owner tries the assistant with.
    TestQuestionId;
    /// Id of a run through such questions.
    RehearsalId;
    /// Id of a workspace's own key to the language model; a replacement gets a new id.
    ModelKeyId;
    /// Id of a document that the assistant may cite.
    DocumentId;
    /// Id of a member's note to the team about a conversation.
    NoteId;
    /// Id of a short text that members answer with.
    CannedReplyId;
    /// Id of an approved template to many people.
    BroadcastId;
    /// Id of a list of numbers that broadcasts go to.
    BroadcastListId;
    /// Id of a call to a workspace's own system, in the log of calls.
    SystemCallId;
    /// Id of what a customer is asked to confirm.
    DraftId;
    /// Id of what a customer has confirmed, and of its outcome.
    CommitmentId;
    /// Id of somebody to follow up with, as noted in a conversation.
    LeadId;
    /// Id of a customer's wish for an appointment.
    BookingRequestId;
}
