//! `POST /conversations/{id}/moves`.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{
    conversations::{ChangeError, Command, Move, MoveRefusal, Moved},
    errors::StoreError,
    ids::{GroupId, MemberId},
};
use serde::{Deserialize, Serialize};

use super::missing::unknown;
use crate::{
    app::App,
    body,
    conversations::wire::ConversationBody,
    paging::id,
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// Where a conversation is to go.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum MoveBody {
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
        }
    }
}

/// Where a conversation is now.
#[derive(Serialize)]
pub(crate) struct MovedBody {
    conversation: ConversationBody,
    /// Whether it moved: false when it was there already.
    changed: bool,
}

/// Moves a conversation. Of two moves at one instant the second is decided on what the first made of it.
pub(crate) async fn make(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<MovedBody>, Problem> {
    let asked = body::json::<MoveBody>(&request, payload).await?.fields;
    let id = id(&request).ok_or_else(unknown)?;
    let (workspace, member) = (by.session.workspace, by.session.member);
    let asked = Move::manual(member, asked.command(member));
    let moved = app.run(move |app| async move { app.change_conversation.run(workspace, id, &asked).await });
    let Moved { conversation, changed } = moved.await??;
    Ok(Json(MovedBody { conversation: conversation.into(), changed }))
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
