//! Rules and settings as `domain::automations` reads and writes them.
#![expect(dead_code, reason = "the domain has the types; these only describe them")]

use utoipa::ToSchema;

use super::values::Id;

/// When, and then what, in this order.
#[derive(ToSchema)]
pub(crate) struct Rule {
    when: Conditions,
    #[schema(min_items = 1, max_items = 10)]
    then: Vec<Action>,
}

/// What must hold of a customer's message: all that is asked for, and something must be.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Conditions {
    /// Whether it began the conversation, or brought it back.
    #[schema(required = false)]
    began: bool,
    /// Words of which it contains one, as a whole word.
    #[schema(required = false, max_items = 50)]
    words: Vec<String>,
    /// Whether it came outside the opening hours.
    #[schema(required = false)]
    outside_hours: bool,
}

/// What a rule does.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[serde(tag = "do")]
pub(crate) enum Action {
    /// Sends the conversation into a group's inbox.
    SendToGroup {
        /// Which. `group` is taken as well.
        #[schema(rename = "groupId")]
        group: Id,
    },
    /// Gives the conversation to a member, unless another holds it.
    Assign {
        /// To whom. `member` is taken as well.
        #[schema(rename = "memberId")]
        member: Id,
    },
    /// Closes the conversation.
    Close {},
    /// Gives the conversation back to the assistant.
    Return {},
    /// Tags the conversation.
    Tag {
        /// With this.
        #[schema(min_length = 1, max_length = 50)]
        tag: String,
    },
    /// Replies in the name of who wrote the rule last.
    Reply {
        /// With this.
        #[schema(min_length = 1, max_length = 4096)]
        text: String,
    },
}

/// Opening hours, and the times of the sweepers.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct ConversationSettings {
    /// When the workspace is open; null for never outside.
    hours: Option<OpeningHours>,
    /// After so many minutes without a message a conversation is closed; null for never.
    #[schema(minimum = 1, maximum = 527_040)]
    idle_close: Option<u32>,
    /// After so many minutes an open conversation whose customer waits goes back to the assistant; null for
    /// never.
    #[schema(minimum = 1, maximum = 527_040)]
    unanswered_return: Option<u32>,
}

/// Opening hours by the workspace's own clock.
#[derive(ToSchema)]
pub(crate) struct OpeningHours {
    /// A time zone's name, or an offset.
    #[schema(example = "Asia/Baghdad")]
    zone: String,
    week: Week,
}

/// The hours of each day, such as `["09:00", "17:00"]`; hours that end before they begin go on into the next
/// day. A day without any is closed.
#[derive(ToSchema)]
pub(crate) struct Week {
    #[schema(required = false)]
    monday: Vec<[String; 2]>,
    #[schema(required = false)]
    tuesday: Vec<[String; 2]>,
    #[schema(required = false)]
    wednesday: Vec<[String; 2]>,
    #[schema(required = false)]
    thursday: Vec<[String; 2]>,
    #[schema(required = false)]
    friday: Vec<[String; 2]>,
    #[schema(required = false)]
    saturday: Vec<[String; 2]>,
    #[schema(required = false)]
    sunday: Vec<[String; 2]>,
}
