//! `/templates`.

use std::collections::HashMap;

use actix_web::web::{Data, Json};
use domain::{
    channels::AccountKind,
    errors::StoreError,
    ids::AccountId,
    phone::PhoneNumber,
    templates::{ListedTemplate, TemplateFilter},
};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::SignedIn;
use crate::{App, openapi::values, problem::Problem};

/// A template with its state at the network.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateState)]
pub(crate) struct TemplateBody {
    name: String,
    /// A language code.
    language: String,
    /// As the network names it.
    #[schema(example = "UTILITY")]
    category: String,
    /// `approved`, `pending`, `rejected` or `paused`.
    #[schema(example = "approved")]
    status: &'static str,
    #[schema(required = true)]
    rejection_reason: Option<String>,
    /// Why a code of this template may arrive after it has expired.
    #[schema(required = true)]
    validity_problem: Option<String>,
    body: String,
    #[schema(value_type = values::Id)]
    account_id: AccountId,
    /// The account's id at the network.
    account_network_id: String,
    /// The connected numbers that can send it.
    #[schema(value_type = Vec<values::Phone>)]
    numbers: Vec<PhoneNumber>,
    /// When it was last read; null once its account is disconnected.
    #[serde(with = "domain::clock::timestamp::option")]
    #[schema(value_type = Option<values::Timestamp>, required = true)]
    synced_at: Option<OffsetDateTime>,
}

/// The templates.
#[derive(Serialize, ToSchema)]
#[schema(as = TemplateStates)]
pub(crate) struct TemplatesBody {
    rows: Vec<TemplateBody>,
}

impl TemplateBody {
    fn of(listed: ListedTemplate, synced: &HashMap<AccountId, Option<OffsetDateTime>>) -> Self {
        let ListedTemplate { template, numbers } = listed;
        Self {
            name: template.name,
            language: template.language,
            category: template.category,
            status: template.status.as_str(),
            rejection_reason: template.rejection_reason,
            validity_problem: template.validity_problem,
            body: template.content.body,
            account_id: template.account,
            account_network_id: template.account_network_id,
            numbers,
            synced_at: synced.get(&template.account).copied().flatten(),
        }
    }
}

/// The templates with their state, by name, language and account.
#[utoipa::path(
    get, path = "/dashboard/api/templates", tag = "Channels", operation_id = "listTemplateStates",
    responses((status = 200, description = "The templates.", body = TemplatesBody))
)]
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<TemplatesBody>, Problem> {
    let workspace = by.session.workspace;
    let read = app.run(move |app| async move {
        let accounts = app.dashboard.channels.manage.list(workspace, AccountKind::Business).await?;
        let templates = app.list_templates.run(workspace, TemplateFilter::default()).await?;
        Ok::<_, StoreError>((accounts, templates))
    });
    let (accounts, templates) = read.await??;
    let synced = accounts.into_iter().map(|account| (account.id, account.templates_synced_at)).collect();
    let rows = templates.into_iter().map(|listed| TemplateBody::of(listed, &synced)).collect();
    Ok(Json(TemplatesBody { rows }))
}
