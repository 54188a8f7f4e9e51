//! Typed ids over `UUIDv7`, and the port they come from.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Where new ids come from: time-ordered, unique across nodes.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait IdSource: Send + Sync {
    /// A fresh `UUIDv7`.
    fn next(&self) -> Uuid;
}

macro_rules! typed_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A fresh id.
            pub fn new(ids: &dyn IdSource) -> Self {
                Self(ids.next())
            }

            /// The id behind the type.
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
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::from_str(text).map(Self)
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
    /// A workspace, the tenant. The API calls it `team`.
    WorkspaceId;
    /// A person on a workspace's team.
    MemberId;
    /// A group of members, such as sales or support.
    GroupId;
    /// A rule of a workspace.
    AutomationId;
    /// An API key.
    ApiKeyId;
    /// A member's session in one browser.
    SessionId;
    /// An invitation to become a member.
    InvitationId;
    /// An entry of the audit log.
    AuditId;
    /// A business account at a network, as one workspace has connected it.
    AccountId;
    /// A connected number, page or account: what a conversation runs over.
    ChannelId;
    /// A person the workspace knows.
    ContactId;
    /// A list of people that is taken over in the background.
    ImportJobId;
    /// A conversation between a contact and a channel.
    ConversationId;
    /// A message; also the id of the send in the ledger, and the tag that the network echoes.
    MessageId;
    /// A file that a person of the team brings to send.
    UploadId;
    /// A registered webhook address.
    WebhookAddressId;
    /// One event owed to one address, the same over all its attempts.
    DeliveryId;
    /// A re-send of what an address missed in a window.
    ResendId;
    /// A network's update, as it waits in the journal.
    JournalId;
    /// A connection to a workspace's own system.
    SystemId;
    /// A turn of the assistant.
    TurnId;
    /// Identifies a workspace's own key to the language model: another key is another one.
    ModelKeyId;
    /// What a member wrote to the team about a conversation.
    NoteId;
    /// A short text that members answer with.
    CannedReplyId;
    /// An approved template to many people.
    BroadcastId;
    /// A list of numbers that broadcasts go to.
    BroadcastListId;
    /// A call to a workspace's own system, in the log of calls.
    SystemCallId;
    /// What a customer is asked to confirm.
    DraftId;
    /// What a customer has confirmed, and what becomes of it.
    CommitmentId;
    /// Somebody to follow up with, as written down in a conversation.
    LeadId;
    /// An appointment that somebody would like.
    BookingRequestId;
}
