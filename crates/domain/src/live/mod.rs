//! Live changes for a team at its dashboard: that something changed, and where, never its content.
//!
//! A change is recorded by the statement that makes it. Listeners have committed changes numbered, one by one
//! under the feed's lock: so every listener, on whatever node, is told of changes in one order, and misses
//! none because another, begun later, was committed earlier. Changes that only owners may look at are told to
//! nobody else.

mod feed_position;
mod follow;
pub mod ports;
mod sweep;

pub use feed_position::{FeedPosition, Start, start};
pub use follow::{FollowFeed, News};
pub use sweep::{KEPT_FOR, SweepFeeds};

use uuid::Uuid;

use crate::{
    access::members::Role,
    audit::Action,
    ids::{ConversationId, MemberId, MessageId},
};

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveKind {
    /// A conversation began, moved, was tagged, or its person was renamed; or a member has read it, of which
    /// they alone are told.
    ConversationChanged,
    MessageRecorded,
    /// A message has its files, or was edited, deleted or reacted to.
    MessageChanged,
    /// The network reported a status of a message.
    MessageStatus,
    NoteAdded,
    /// A member came into a conversation, left it, or does something else there; all others are told.
    PresenceChanged,
    GroupsChanged,
    WorkspaceChanged,
    /// The workspace's own system was connected or disconnected, its connection has another state, or the
    /// synonyms for its shop were changed.
    SystemChanged,
    /// A broadcast was written, started, paused or ended, or has made progress; or a broadcast list or the
    /// prices of messages were changed.
    BroadcastsChanged,
    /// An account was connected or disconnected, or it or one of its numbers has a new standing.
    ChannelsChanged,
    /// An import of contacts began, made progress or ended.
    ImportsChanged,
    /// A webhook address was registered, changed, disabled or resumed, or deliveries to one are sent again.
    WebhooksChanged,
    /// A member joined, left, or has another name, role or second factor.
    TeamChanged,
    InvitationsChanged,
    KeysChanged,
    CannedRepliesChanged,
    AutomationsChanged,
    /// People were added to the directory, or one of them was renamed.
    ContactsChanged,
    /// The network lists other templates than before or judges one otherwise, or its variables were
    /// relabelled.
    TemplatesChanged,
    /// The assistant's behaviour was changed, the key of its model, or a question that it is tried with; or
    /// the run through those questions has made progress.
    AssistantChanged,
}

impl LiveKind {
    pub const ALL: [Self; 21] = [
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
        Self::TeamChanged,
        Self::InvitationsChanged,
        Self::KeysChanged,
        Self::CannedRepliesChanged,
        Self::AutomationsChanged,
        Self::ContactsChanged,
        Self::TemplatesChanged,
        Self::AssistantChanged,
    ];

    /// Returns the name on the wire.
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
            Self::TeamChanged => "team.changed",
            Self::InvitationsChanged => "invitations.changed",
            Self::KeysChanged => "api_keys.changed",
            Self::CannedRepliesChanged => "canned_replies.changed",
            Self::AutomationsChanged => "automations.changed",
            Self::ContactsChanged => "contacts.changed",
            Self::TemplatesChanged => "templates.changed",
            Self::AssistantChanged => "assistant.changed",
        }
    }

    /// Returns whether owners alone are told, because nobody else may look at what changed.
    pub const fn is_for_owners(self) -> bool {
        matches!(
            self,
            Self::WebhooksChanged
                | Self::InvitationsChanged
                | Self::KeysChanged
                | Self::AutomationsChanged
                | Self::TemplatesChanged
                | Self::AssistantChanged
        )
    }

    /// Returns whether members with this role are told.
    pub const fn is_for(self, role: Role) -> bool {
        matches!(role, Role::Owner) || !self.is_for_owners()
    }

    /// Returns the kinds to announce for an action of the audit log: none, unless it concerns the workspace
    /// as a whole.
    pub const fn of(action: Action) -> &'static [Self] {
        match action {
            Action::GroupAdded
            | Action::GroupRenamed
            | Action::GroupDeleted
            | Action::GroupJoined
            | Action::GroupLeft => &[Self::GroupsChanged],
            // A member who leaves is in no group any more.
            Action::MemberRemoved => &[Self::GroupsChanged, Self::TeamChanged],
            // A password reset may remove the second factor.
            Action::MemberJoined
            | Action::MemberRenamed
            | Action::RoleChanged
            | Action::SecondFactorOn
            | Action::SecondFactorOff
            | Action::PasswordReset => &[Self::TeamChanged],
            Action::MemberInvited | Action::InvitationWithdrawn => &[Self::InvitationsChanged],
            Action::KeyIssued | Action::KeyRevoked => &[Self::KeysChanged],
            Action::AutomationAdded | Action::AutomationChanged | Action::AutomationDeleted => {
                &[Self::AutomationsChanged]
            }
            Action::WorkspaceChanged | Action::PlanSet | Action::ConversationSettingsChanged => {
                &[Self::WorkspaceChanged]
            }
            Action::SystemConnected
            | Action::SystemDisconnected
            | Action::SystemChanged
            | Action::SynonymsChanged => &[Self::SystemChanged],
            // Whoever reads an account's templates announces what becomes of them.
            Action::AccountConnected
            | Action::AccountDisconnected
            | Action::SendOnlySet
            | Action::NumberRegistered => &[Self::ChannelsChanged],
            Action::TemplateLabelled => &[Self::TemplatesChanged],
            Action::AssistantChanged
            | Action::ModelKeySet
            | Action::ModelKeyRemoved
            | Action::DocumentAdded
            | Action::DocumentReplaced
            | Action::DocumentRemoved
            | Action::TestQuestionsChanged
            | Action::RehearsalBegan
            | Action::RehearsalStopped => &[Self::AssistantChanged],
            Action::BroadcastListAdded | Action::BroadcastListRemoved | Action::BroadcastPricesSet => {
                &[Self::BroadcastsChanged]
            }
            Action::WebhookAdded
            | Action::WebhookChanged
            | Action::WebhookPaused
            | Action::WebhookResumed
            | Action::WebhookRotated
            | Action::WebhookPinged
            | Action::WebhookRemoved
            | Action::DeliveryResent
            | Action::WindowResent => &[Self::WebhooksChanged],
            _ => &[],
        }
    }

    /// Parses a name as `as_str` returns it; `None` for any other.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// One change in a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveEvent {
    /// Position in the workspace's feed.
    pub number: i64,
    pub kind: LiveKind,
    /// `None` if the change concerns the workspace as a whole.
    pub conversation: Option<ConversationId>,
    pub message: Option<MessageId>,
    /// Member who acted, if that decides who is told: of having read a conversation they alone are, of coming
    /// into it or leaving it everybody else is. `None` if everybody is told.
    pub member: Option<MemberId>,
}

impl LiveEvent {
    /// Returns whether this member is told.
    pub fn is_for(&self, member: MemberId) -> bool {
        let is_told = |whose: MemberId| match self.kind {
            // Nobody is shown themselves.
            LiveKind::PresenceChanged => whose != member,
            _ => whose == member,
        };
        self.member.is_none_or(is_told)
    }
}

/// State of a workspace's feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feed {
    /// Id that tells the feed from earlier ones, whose numbers mean nothing any more.
    pub epoch: Uuid,
    pub last: i64,
    /// Number up to which changes are no longer stored.
    pub forgotten: i64,
}

impl Feed {
    /// Returns the position of its end.
    pub const fn end(&self) -> FeedPosition {
        FeedPosition { epoch: self.epoch, number: self.last }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{LiveEvent, LiveKind};
    use crate::{access::members::Role, audit::Action, ids::MemberId};

    #[test]
    fn what_the_log_of_changes_has_of_a_shared_page_is_told() {
        for (actions, wanted) in [
            (&[Action::MemberRemoved][..], &[LiveKind::GroupsChanged, LiveKind::TeamChanged][..]),
            (
                &[
                    Action::MemberJoined,
                    Action::MemberRenamed,
                    Action::RoleChanged,
                    Action::SecondFactorOn,
                    Action::SecondFactorOff,
                    Action::PasswordReset,
                ],
                &[LiveKind::TeamChanged],
            ),
            (&[Action::MemberInvited, Action::InvitationWithdrawn], &[LiveKind::InvitationsChanged]),
            (&[Action::KeyIssued, Action::KeyRevoked], &[LiveKind::KeysChanged]),
            (
                &[Action::AutomationAdded, Action::AutomationChanged, Action::AutomationDeleted],
                &[LiveKind::AutomationsChanged],
            ),
            (&[Action::ConversationSettingsChanged], &[LiveKind::WorkspaceChanged]),
            (
                &[
                    Action::AccountConnected,
                    Action::AccountDisconnected,
                    Action::SendOnlySet,
                    Action::NumberRegistered,
                ],
                &[LiveKind::ChannelsChanged],
            ),
            (&[Action::SystemConnected, Action::SynonymsChanged], &[LiveKind::SystemChanged]),
            (
                &[
                    Action::AssistantChanged,
                    Action::ModelKeySet,
                    Action::ModelKeyRemoved,
                    Action::DocumentAdded,
                    Action::DocumentReplaced,
                    Action::DocumentRemoved,
                    Action::TestQuestionsChanged,
                    Action::RehearsalBegan,
                    Action::RehearsalStopped,
                ],
                &[LiveKind::AssistantChanged],
            ),
            (
                &[Action::BroadcastListAdded, Action::BroadcastListRemoved, Action::BroadcastPricesSet],
                &[LiveKind::BroadcastsChanged],
            ),
            (&[Action::TemplateLabelled], &[LiveKind::TemplatesChanged]),
            // Announced by whoever reads what the network made of them.
            (&[Action::TemplateSubmitted, Action::TemplateChanged, Action::TemplateDeleted], &[]),
            (&[Action::GroupJoined, Action::GroupLeft, Action::GroupRenamed], &[LiveKind::GroupsChanged]),
            // The stores announce people and conversations themselves, with what the change is about.
            (&[Action::SignedIn, Action::ContactAdded, Action::ContactRenamed, Action::TemplateSent], &[]),
        ] {
            for action in actions {
                assert_eq!(LiveKind::of(*action), wanted, "{action:?}");
            }
        }
    }

    #[test]
    fn of_what_owners_alone_may_look_at_nobody_else_hears() {
        let untold = |role: Role| -> Vec<&str> {
            LiveKind::ALL.into_iter().filter(|kind| !kind.is_for(role)).map(LiveKind::as_str).collect()
        };
        assert_eq!(untold(Role::Owner), Vec::<&str>::new());
        assert_eq!(
            untold(Role::Agent),
            [
                "webhooks.changed",
                "invitations.changed",
                "api_keys.changed",
                "automations.changed",
                "templates.changed",
                "assistant.changed"
            ]
        );
    }

    #[test]
    fn what_a_member_has_read_they_alone_are_told_and_that_they_are_there_everybody_else() {
        let [one, other] = [1, 2].map(|number| MemberId::from(Uuid::from_u128(number)));
        for (kind, member, wanted) in [
            (LiveKind::ConversationChanged, None, [true, true]),
            (LiveKind::ConversationChanged, Some(one), [true, false]),
            (LiveKind::PresenceChanged, None, [true, true]),
            (LiveKind::PresenceChanged, Some(one), [false, true]),
        ] {
            let event = LiveEvent { number: 1, kind, conversation: None, message: None, member };
            assert_eq!([one, other].map(|member| event.is_for(member)), wanted, "{event:?}");
        }
    }

    #[test]
    fn a_kind_reads_back_by_its_name() {
        for kind in LiveKind::ALL {
            assert_eq!(LiveKind::read(kind.as_str()), Some(kind));
        }
    }
}
