//! `/conversations/{id}/moves`: who has a conversation, and whether it is closed.

use actix_web::web::Payload;
use domain::{
    conversations::{ChangeError, Command, Move, MoveRefusal, Moved, undo},
    errors::StoreError,
    ids::{ConversationId, GroupId, MemberId, MessageId},
    paging::{AskedPage, PageLimit},
};
use serde::{Deserialize, Serialize};

use super::{
    super::act::{self, Answer, Call, Given},
    page::show_or_leave,
    query::{conversation, unknown},
    refused::RefusedAct,
};
use crate::{
    conversations::wire::ConversationBody,
    problem::{DashboardCode, Problem},
};

/// Where a conversation is to go.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "camelCase", deny_unknown_fields)]
enum MoveBody {
    /// Takes it oneself, unless another person holds it.
    Take {},
    /// Gives it to a member, also out of another's hands.
    #[serde(rename_all = "camelCase")]
    Assign { member_id: MemberId },
    /// Has it wait for a person: this one, unless another holds it, or whoever is first.
    #[serde(rename_all = "camelCase")]
    HandOver {
        /// For whom.
        member_id: Option<MemberId>,
    },
    /// Closes the conversation.
    Close {},
    /// Gives it back to the assistant.
    Return {},
    /// Puts it into a group's inbox; nobody holds it then.
    #[serde(rename_all = "camelCase")]
    SendToGroup {
        /// Which.
        group_id: GroupId,
    },
    /// Gives it to a member of a group.
    #[serde(rename_all = "camelCase")]
    SendToMember {
        /// Of which group.
        group_id: GroupId,
        member_id: MemberId,
    },
    /// Takes it out of its group's inbox.
    TakeOutOfGroups {},
    /// Leads back from the move that the conversation's newest message tells of, if it is this message, and
    /// one made it oneself within the last minute.
    #[serde(rename_all = "camelCase")]
    Undo { message_id: MessageId },
}

/// What is asked of a conversation.
enum Asked {
    Command(Command),
    /// To undo the move that this message tells of.
    Undo(MessageId),
}

impl MoveBody {
    const fn asked(self, own: MemberId) -> Asked {
        Asked::Command(match self {
            Self::Take {} => Command::Take(own),
            Self::Assign { member_id } => Command::Assign(member_id),
            Self::HandOver { member_id } => Command::HandOver(member_id),
            Self::Close {} => Command::Close,
            Self::Return {} => Command::Return,
            Self::SendToGroup { group_id } => Command::SendToGroup(group_id),
            Self::SendToMember { group_id, member_id } => Command::SendToMember(group_id, member_id),
            Self::TakeOutOfGroups {} => Command::TakeOutOfGroups,
            Self::Undo { message_id } => return Asked::Undo(message_id),
        })
    }
}

/// Where a conversation is now.
#[derive(Serialize)]
struct MovedBody {
    conversation: ConversationBody,
    /// Whether it moved: false when it was there already.
    changed: bool,
}

/// Parses where a form has a conversation go.
pub(super) fn parse_command(to: &str, own: MemberId) -> Result<Command, Problem> {
    let command = match to.split_once(':') {
        None => match to {
            "take" => Some(Command::Take(own)),
            "close" => Some(Command::Close),
            "return" => Some(Command::Return),
            "no-group" => Some(Command::TakeOutOfGroups),
            _ => None,
        },
        Some(("member", id)) => id.parse().ok().map(Command::Assign),
        Some(("group", id)) => id.parse().ok().map(Command::SendToGroup),
        Some(_) => None,
    };
    command.ok_or_else(|| Problem::invalid("`to` names no move"))
}

/// Moves a conversation. Of two moves at one instant the second is decided on what the first made of it.
pub(in crate::pages) async fn make(call: Call, payload: Payload) -> Answer {
    let (own, id) = (call.by.session.member, conversation(&call)?);
    let asked = match call.given(payload).await? {
        Given::Json(payload) => call.json::<MoveBody>(payload).await?.asked(own),
        Given::Form(form) => match form.filled("undo")? {
            Some(line) => Asked::Undo(line.parse().map_err(|_| Problem::invalid("`undo` must be a UUID"))?),
            None => Asked::Command(parse_command(&form.text("to")?, own)?),
        },
    };
    let moved = match asked {
        Asked::Command(command) => run(&call, id, command).await,
        Asked::Undo(line) => match undone(&call, id, line).await {
            Ok(command) => run(&call, id, command).await,
            Err(problem) => Err(problem),
        },
    };
    show_or_leave(&call, id, moved, RefusedAct::default()).await
}

async fn run(call: &Call, id: ConversationId, command: Command) -> Answer {
    let (workspace, asked) = (call.workspace(), Move::manual(call.by.session.member, command));
    let moved = call.run(move |app| async move { app.change_conversation.run(workspace, id, &asked).await });
    let Moved { conversation, changed } = moved.await?;
    act::ok(&MovedBody { conversation: conversation.into(), changed })
}

/// Returns the command that undoes the move that this message tells of.
async fn undone(call: &Call, id: ConversationId, line: MessageId) -> Result<Command, Problem> {
    let (workspace, viewer) = (call.workspace(), call.by.session.member.to_string());
    let newest = AskedPage { limit: PageLimit::new(1).unwrap_or_default(), cursor: None };
    let listed = call.run(move |app| async move { app.list_messages.run(workspace, id, &newest).await });
    let listed = listed.await?.ok_or_else(unknown)?;
    let newest = listed.rows.first().map(|row| &row.message).filter(|newest| newest.id == line);
    newest.and_then(|newest| undo(newest, &viewer, call.app.clock.now())).ok_or_else(|| {
        let message = "something else has happened in this conversation, or a minute has passed";
        Problem::dashboard(DashboardCode::MovedOn, message)
    })
}

impl From<ChangeError> for Problem {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::NotFound => unknown(),
            ChangeError::Refused(refusal) => refusal.into(),
            ChangeError::Store(StoreError::Stale) => {
                Self::unavailable("a conversation moved each time that a move of it was decided")
            }
            ChangeError::Store(error) => error.into(),
        }
    }
}

impl From<MoveRefusal> for Problem {
    fn from(refusal: MoveRefusal) -> Self {
        let because = |code| Self::dashboard(code, refusal.to_string());
        match refusal {
            MoveRefusal::HeldBy(member) => {
                because(DashboardCode::HeldByAnother).with_detail("memberId", member.to_string())
            }
            MoveRefusal::NotOnTeam => because(DashboardCode::MemberNotFound),
            MoveRefusal::NoSuchGroup => because(DashboardCode::GroupNotFound),
            MoveRefusal::NotInGroup => because(DashboardCode::NotInGroup),
            MoveRefusal::Closed => Self::internal("a rule's refusal of what a member asked"),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{conversations::Command, ids::MemberId};
    use uuid::Uuid;

    use super::parse_command;

    #[test]
    fn a_form_names_where_a_conversation_is_to_go() {
        let own = MemberId::from(Uuid::from_u128(1));
        let other = Uuid::from_u128(2);
        for (to, wanted) in [
            ("take", Some(Command::Take(own))),
            ("close", Some(Command::Close)),
            (format!("member:{other}").as_str(), Some(Command::Assign(other.into()))),
            (format!("group:{other}").as_str(), Some(Command::SendToGroup(other.into()))),
            ("no-group", Some(Command::TakeOutOfGroups)),
            ("group:", None),
            ("somewhere:7", None),
            ("", None),
        ] {
            assert_eq!(parse_command(to, own).ok(), wanted, "{to}");
        }
    }
}
