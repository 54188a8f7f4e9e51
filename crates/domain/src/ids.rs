//! Typed ids over `UUIDv7`, and the port they come from.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// New ids come from here: they are time-ordered, and unique across nodes.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait IdSource: Send + Sync {
    /// Returns a fresh `UUIDv7`.
    fn next(&self) -> Uuid;
}

/// It says why a text is no id. The message does not repeat the text.
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

            /// Returns the id behind the type.
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
    /// It names a workspace, the tenant. The API calls it `team`.
    WorkspaceId;
    /// It names a person on a workspace's team.
    MemberId;
    /// It names a group of members, such as sales or support.
    GroupId;
    /// It names a rule of a workspace.
    AutomationId;
    /// It names an API key, and is no secret.
    ApiKeyId;
    /// It names a member's session in one browser.
    SessionId;
    /// It names an invitation to become a member.
    InvitationId;
    /// It names an entry of the log of changes.
    AuditId;
    /// It names a business account at a network, as one workspace has connected it.
    AccountId;
    /// It names a connected number, page or account: what a conversation runs over.
    ChannelId;
    /// It names a person the workspace knows.
    ContactId;
    /// It names a list of people that is taken over in the background.
    ImportJobId;
    /// It names a conversation between a contact and a channel.
    ConversationId;
    /// It names a message; it is also the id of the send in the ledger, and the tag that the network echoes.
    MessageId;
    /// It names a file that a person of the team brings to send.
    UploadId;
    /// It names a registered webhook address.
    WebhookAddressId;
    /// It names one event owed to one address, the same over all its attempts.
    DeliveryId;
    /// It names a re-send of what an address missed in a window.
    ResendId;
    /// It names a network's update, as it waits in the journal.
    JournalId;
    /// It names a connection to a workspace's own system.
    SystemId;
    /// It names a turn of the assistant.
    TurnId;
    /// Identifies a workspace's own key to the language model: another key is another one.
    ModelKeyId;
    /// It names what a member wrote to the team about a conversation.
    NoteId;
    /// It names a short text that members answer with.
    CannedReplyId;
    /// It names an approved template to many people.
    BroadcastId;
    /// It names a list of numbers that broadcasts go to.
    BroadcastListId;
    /// It names a call to a workspace's own system, in the log of calls.
    SystemCallId;
    /// It names what a customer is asked to confirm.
    DraftId;
    /// It names what a customer has confirmed, and what becomes of it.
    CommitmentId;
    /// It names somebody to follow up with, as written down in a conversation.
    LeadId;
    /// It names an appointment that somebody would like.
    BookingRequestId;
}
