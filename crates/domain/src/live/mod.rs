//! What a team at its dashboard hears of at once: that something changed, and where, never what it says.
//!
//! A change is written down by the statement that makes it. Whoever listens has what is committed numbered, one by one
//! under the feed's lock: so every listener, on whatever node, hears of all changes in one order, and none is passed by
//! one that was begun later and committed earlier.

mod feed_position;
mod follow;
pub mod ports;
mod sweep;

pub use feed_position::{FeedPosition, Start, start};
pub use follow::FollowFeed;
pub use sweep::{KEPT_FOR, SweepFeeds};

use uuid::Uuid;

use crate::{
    access::audit::Action,
    ids::{ConversationId, MemberId, MessageId},
};

/// It says what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveKind {
    /// A conversation began, moved, was tagged, or its person has another name; or a member has read it, which they
    /// alone are told.
    ConversationChanged,
    /// A message was recorded.
    MessageRecorded,
    /// A message has its files, or was edited, deleted or reacted to.
    MessageChanged,
    /// The network said what became of a message.
    MessageStatus,
    /// A member wrote a note about a conversation.
    NoteAdded,
    /// A member came into a conversation, left it, or does something else there.
    PresenceChanged,
    /// A group was made, renamed or deleted, or has other members.
    GroupsChanged,
    /// The workspace's settings or its plan were changed.
    WorkspaceChanged,
    /// The workspace's own system was connected or disconnected, or its connection has another state.
    SystemChanged,
    /// A broadcast was written, started, paused or ended, or has gone on.
    BroadcastsChanged,
    /// A connected account or one of its numbers stands otherwise.
    ChannelsChanged,
    /// A list of people began to be taken over, went on, or ended.
    ImportsChanged,
    /// A webhook address was registered, changed, disabled or resumed, or deliveries to one are sent again.
    WebhooksChanged,
}

impl LiveKind {
    pub const ALL: [Self; 13] = [
        Self::ConversationChanged,
        Self::MessageRecorded,
        Self::MessageChanged,
        Self::MessageStatus,
        Self::NoteAdded,
        Self::PresenceChanged,
        Self::GroupsChanged,
        Self::WorkspaceChanged,
        Self::SystemChanged,
        Self::BroadcastsChanged,
        Self::ChannelsChanged,
        Self::ImportsChanged,
        Self::WebhooksChanged,
    ];

    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ConversationChanged => "conversation.changed",
            Self::MessageRecorded => "message.recorded",
            Self::MessageChanged => "message.changed",
            Self::MessageStatus => "message.status",
            Self::NoteAdded => "note.added",
            Self::PresenceChanged => "presence.changed",
            Self::GroupsChanged => "groups.changed",
            Self::WorkspaceChanged => "workspace.changed",
            Self::SystemChanged => "system.changed",
            Self::BroadcastsChanged => "broadcasts.changed",
            Self::ChannelsChanged => "channels.changed",
            Self::ImportsChanged => "imports.changed",
            Self::WebhooksChanged => "webhooks.changed",
        }
    }

    /// Returns what is told of a change that the log of changes has, if it is one of the workspace as a
    /// whole.
    pub const fn of(action: Action) -> Option<Self> {
        match action {
            Action::GroupAdded
            | Action::GroupRenamed
            | Action::GroupDeleted
            | Action::GroupJoined
            | Action::GroupLeft
            | Action::MemberRemoved => Some(Self::GroupsChanged),
            Action::WorkspaceChanged | Action::PlanSet | Action::ConversationSettingsChanged => {
                Some(Self::WorkspaceChanged)
            }
            Action::SystemConnected | Action::SystemDisconnected | Action::SystemChanged => {
                Some(Self::SystemChanged)
            }
            Action::WebhookAdded
            | Action::WebhookChanged
            | Action::WebhookPaused
            | Action::WebhookResumed
            | Action::WebhookRotated
            | Action::WebhookPinged
            | Action::WebhookRemoved
            | Action::DeliveryResent
            | Action::WindowResent => Some(Self::WebhooksChanged),
            _ => None,
        }
    }

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// It is one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveEvent {
    /// It counts in the workspace's feed.
    pub number: i64,
    pub kind: LiveKind,
    /// It is `None` where the change is about the workspace as a whole.
    pub conversation: Option<ConversationId>,
    /// It is the message, where the change is about one.
    pub message: Option<MessageId>,
    /// It is the one member who is told: they have read the conversation. `None` where everybody is told.
    pub member: Option<MemberId>,
}

impl LiveEvent {
    /// Says whether this member is told.
    pub fn is_for(&self, member: MemberId) -> bool {
        self.member.is_none_or(|only| only == member)
    }
}

/// It says how far a workspace's feed has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feed {
    /// It tells the feed from those before it, whose numbers mean nothing any more.
    pub epoch: Uuid,
    /// It is the last number.
    pub last: i64,
    /// Up to this number, nothing is kept any more.
    pub forgotten: i64,
}
