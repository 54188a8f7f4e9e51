//! `/conversations/{id}/moves`: who has a conversation, and whether it is closed.

use actix_web::web::Payload;
use domain::{
    conversations::{ChangeError, Command, Move, MoveRefusal, Moved},
    errors::StoreError,
    ids::{GroupId, MemberId},
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
    /// Has it wait for another person, if this one has it.
    #[serde(rename_all = "camelCase")]
    LetGo { member_id: MemberId },
}

impl MoveBody {
    const fn command(self, own: MemberId) -> Command {
        match self {
            Self::Take {} => Command::Take(own),
            Self::Assign { member_id } => Command::Assign(member_id),
            Self::HandOver { member_id } => Command::HandOver(member_id),
            Self::Close {} => Command::Close,
            Self::Return {} => Command::Return,
            Self::SendToGroup { group_id } => Command::SendToGroup(group_id),
            Self::SendToMember { group_id, member_id } => Command::SendToMember(group_id, member_id),
            Self::TakeOutOfGroups {} => Command::TakeOutOfGroups,
            Self::LetGo { member_id } => Command::LetGo(member_id),
        }
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
            "wait" => Some(Command::HandOver(None)),
            "no-group" => Some(Command::TakeOutOfGroups),
            _ => None,
        },
        Some(("member", id)) => id.parse().ok().map(Command::Assign),
        Some(("group", id)) => id.parse().ok().map(Command::SendToGroup),
        Some(("from", id)) => id.parse().ok().map(Command::LetGo),
        Some(_) => None,
    };
    command.ok_or_else(|| Problem::invalid("`to` names no move"))
}

/// Returns the value with which a form undoes a move by this command; `None` for others.
pub(super) fn undoing(command: Command) -> Option<String> {
    match command {
        Command::Assign(member) => Some(format!("member:{member}")),
        Command::LetGo(member) => Some(format!("from:{member}")),
        Command::HandOver(None) => Some("wait".to_owned()),
        Command::Close => Some("close".to_owned()),
        Command::Return => Some("return".to_owned()),
        _ => None,
    }
}

/// Moves a conversation. Of two moves at one instant the second is decided on what the first made of it.
pub(in crate::pages) async fn make(call: Call, payload: Payload) -> Answer {
    let own = call.by.session.member;
    let command = match call.given(payload).await? {
        Given::Json(payload) => call.json::<MoveBody>(payload).await?.command(own),
        Given::Form(form) => parse_command(&form.text("to")?, own)?,
    };
    let (workspace, id, asked) = (call.workspace(), conversation(&call)?, Move::manual(own, command));
    let moved = call.run(move |app| async move { app.change_conversation.run(workspace, id, &asked).await });
    let moved = moved.await.and_then(|Moved { conversation, changed }| {
        act::ok(&MovedBody { conversation: conversation.into(), changed })
    });
    show_or_leave(&call, id, moved, RefusedAct::default()).await
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

    use super::{parse_command, undoing};

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

    #[test]
    fn what_undoes_a_move_is_read_as_it_was_written() {
        let own = MemberId::from(Uuid::from_u128(1));
        for command in [
            Command::Assign(own),
            Command::LetGo(own),
            Command::HandOver(None),
            Command::Close,
            Command::Return,
        ] {
            let written = undoing(command).unwrap();
            assert_eq!(parse_command(&written, own).ok(), Some(command), "{written}");
        }
        assert_eq!(undoing(Command::TakeOutOfGroups), None);
    }
}
