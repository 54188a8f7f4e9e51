//! System messages of a conversation as data.

use domain::{
    ids::{MemberId, MessageId},
    messages::{Cause, Message, Step},
};
use serde::Serialize;

/// What a conversation's own line tells.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SystemMessageBody {
    message_id: MessageId,
    kind: &'static str,
    /// The member who did it, where it was one.
    by: Option<String>,
    /// The member whom an `assigned` conversation was given to; null where it waits for a person.
    to: Option<MemberId>,
    /// What the group was called that it was sent to.
    group: Option<String>,
    /// Why, where no member did it.
    cause: Option<CauseBody>,
}

/// What moved a conversation that no member did.
#[derive(Serialize)]
struct CauseBody {
    kind: &'static str,
    /// What the rule is called, the sweeper's name, or why the assistant asked for a person.
    name: String,
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
