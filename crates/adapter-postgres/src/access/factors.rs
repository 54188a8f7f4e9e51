//! Second factors and their recovery codes.

use diesel::{ExpressionMethods, QueryDsl};
use domain::ids::{MemberId, WorkspaceId};
use time::OffsetDateTime;

use crate::{
    schema::{members, recovery_codes},
    transaction::Flight,
};

pub(super) fn forget_factor(flight: &mut Flight<'_>, workspace: WorkspaceId, member: MemberId) {
    let of_member = members::table
        .filter(members::workspace_id.eq(workspace.uuid()))
        .filter(members::id.eq(member.uuid()));
    flight.add(diesel::update(of_member).set((
        members::totp_sealed.eq(None::<&[u8]>),
        members::totp_confirmed_at.eq(None::<OffsetDateTime>),
        members::totp_step.eq(None::<i64>),
    )));
    flight.add(diesel::delete(
        recovery_codes::table
            .filter(recovery_codes::workspace_id.eq(workspace.uuid()))
            .filter(recovery_codes::member_id.eq(member.uuid())),
    ));
}
