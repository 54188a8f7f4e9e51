//! System messages of a conversation as data.

use domain::{
    ids::{MemberId, MessageId},
    messages::{Cause, Message, Step},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::schema::values;

/// What a conversation's own line tells.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Notice)]
pub(crate) struct SystemMessageBody {
    #[schema(value_type = values::Id)]
    message_id: MessageId,
    #[schema(value_type = SystemMessageKindWord, inline)]
    kind: &'static str,
    /// The member who did it, where it was one.
    #[schema(required = true)]
    by: Option<String>,
    /// The member whom an `assigned` conversation was given to; null where it waits for a person.
    #[schema(value_type = Option<values::Id>, required = true)]
    to: Option<MemberId>,
    /// What the group was called that it was sent to.
    #[schema(required = true)]
    group: Option<String>,
    /// Why, where no member did it.
    #[schema(required = true)]
    cause: Option<CauseBody>,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "it stands for words in the document")]
enum SystemMessageKindWord {
    Assigned,
    Closed,
    Returned,
    SentToGroup,
    TakenOutOfGroups,
    LetGo,
}

/// What moved a conversation that no member did.
#[derive(Serialize, ToSchema)]
#[schema(as = NoticeCause)]
struct CauseBody {
    #[schema(value_type = CauseKindWord, inline)]
    kind: &'static str,
    /// What the rule is called, the sweeper's name, or why the assistant asked for a person.
    #[schema(example = "customer_asked")]
    name: String,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "it stands for words in the document")]
enum CauseKindWord {
    Automation,
    Sweeper,
    Assistant,
}

impl SystemMessageBody {
    /// Returns `None` for other messages and for system messages from before their data was recorded.
    pub(super) fn of(message: &Message) -> Option<Self> {
        let line = message.system_message.as_deref()?;
        Some(Self {
            message_id: message.id,
            kind: Step::as_str(line.kind),
            by: message.sender_id.clone(),
            to: line.to,
            group: line.group.clone(),
            cause: line.cause.clone().map(CauseBody::from),
        })
    }
}

impl From<Cause> for CauseBody {
    fn from(cause: Cause) -> Self {
        let (kind, name) = match cause {
            Cause::Automation(name) => ("automation", name),
            Cause::Sweeper(sweeper) => ("sweeper", sweeper.as_str().to_owned()),
            Cause::Assistant(need) => ("assistant", need),
        };
        Self { kind, name }
    }
}
