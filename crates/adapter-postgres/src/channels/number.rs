//! A connected number as a row.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl, Queryable, Selectable, SelectableHelper,
};
use diesel_async::AsyncPgConnection;
use domain::{channels::Number, errors::StoreError, ids::WorkspaceId, phone::PhoneNumber};
use time::OffsetDateTime;

use crate::{
    error::{failed, unreadable},
    schema::{accounts, channels},
    sql::RunQueryDsl,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = channels)]
struct Row {
    id: uuid::Uuid,
    account_id: uuid::Uuid,
    network_id: String,
    phone: Option<String>,
    send_only: bool,
    connected_at: OffsetDateTime,
}

pub(crate) async fn connected(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
) -> Result<Vec<Number>, StoreError> {
    let account = accounts::workspace_id.eq(workspace.uuid()).and(accounts::id.eq(channels::account_id));
    let rows: Vec<(Row, String)> = channels::table
        .inner_join(accounts::table.on(account))
        .filter(channels::workspace_id.eq(workspace.uuid()))
        .filter(channels::kind.eq(Number::NETWORK.as_str()))
        .filter(channels::disconnected_at.is_null())
        .filter(channels::phone.is_not_null())
        .order((channels::connected_at, channels::position, channels::id))
        .select((Row::as_select(), accounts::network_id))
        .load(&mut connection)
        .await
        .map_err(failed)?;
    rows.into_iter().map(|(row, account_network_id)| row.read(account_network_id)).collect()
}

impl Row {
    fn read(self, account_network_id: String) -> Result<Number, StoreError> {
        let phone = PhoneNumber::from_e164(&self.phone.unwrap_or_default());
        Ok(Number {
            id: self.id.into(),
            account: self.account_id.into(),
            account_network_id,
            network_id: self.network_id,
            phone: phone.map_err(|_| unreadable("phone number"))?,
            send_only: self.send_only,
            connected_at: self.connected_at,
        })
    }
}
