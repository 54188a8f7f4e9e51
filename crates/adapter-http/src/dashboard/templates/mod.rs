//! `/templates`.

pub(crate) mod write;

use std::collections::HashMap;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    channels::AccountKind,
    errors::StoreError,
    ids::AccountId,
    phone::PhoneNumber,
    templates::{
        LabelVariablesError, ListedTemplate, TemplateFilter, TemplateKey, Variable, VariableKind,
        VariableLabel, validity_problem,
    },
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    app::App,
    body::{self, Object},
    paging::not_found,
    problem::Problem,
    schema::values,
    session::SignedIn,
    templates::wire::VariableKindName,
};

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
    /// Why a one-time code is not sent with it although it is approved, and what to do at the network.
    #[schema(required = true)]
    validity_problem: Option<String>,
    /// Its text, with `{{1}}`, `{{2}}`… in the places of the variables.
    body: String,
    /// The places, in order.
    variables: Vec<PlaceBody>,
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

/// A place for a value.
#[derive(Serialize, ToSchema)]
#[schema(as = TemplatePlace)]
pub(crate) struct PlaceBody {
    /// What the network calls it.
    place: String,
    /// The name under which sends have the value.
    label: String,
    #[schema(value_type = VariableKindName, inline)]
    kind: VariableKind,
}

/// What the variables of a template are called.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = TemplateLabels)]
pub(crate) struct LabelsBody {
    /// The account that the template belongs to.
    #[schema(value_type = values::Id)]
    account_id: String,
    /// The template's name.
    name: String,
    /// Its language code.
    language: String,
    /// One for each variable, in the order of their places.
    #[schema(value_type = Vec<LabelBody>)]
    variables: Vec<Object<LabelBody>>,
}

/// What a variable is called, and what it stands for.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TemplateLabel)]
pub(crate) struct LabelBody {
    /// The name under which sends have the value; none that the network calls another variable.
    #[schema(min_length = 1, max_length = 60)]
    label: String,
    #[schema(value_type = VariableKindName, inline)]
    kind: VariableKind,
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
        let place = |Variable { place, label, kind }| PlaceBody { place, label, kind };
        let variables = template.variables().into_iter().map(place).collect();
        let validity_problem = validity_problem(&template);
        Self {
            name: template.name,
            language: template.language,
            category: template.category,
            status: template.status.as_str(),
            rejection_reason: template.rejection_reason,
            validity_problem,
            body: template.content.numbered_body(),
            variables,
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

/// Names the variables of a template and says which of them is the contact's name. Sends go on taking what
/// the network calls them, and the labels stay when the template is read again.
#[utoipa::path(
    put, path = "/dashboard/api/templates/variables", tag = "Channels", operation_id = "labelTemplateVariables",
    request_body(content = LabelsBody, example = json!({
        "accountId": "0192f0c1-7a00-7000-8000-000000000004", "name": "order_ready", "language": "ar",
        "variables": [{ "label": "customer", "kind": "name" }, { "label": "order", "kind": "text" }],
    })),
    responses(
        (status = 204, description = "They are."),
        (status = 404, description = "No such template."),
    )
)]
pub(crate) async fn label(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let LabelsBody { account_id, name, language, variables } = body::json(&request, payload).await?.fields;
    let account = account_id.parse().map_err(|_| LabelVariablesError::UnknownTemplate)?;
    let key = TemplateKey { account, name, language };
    let label = |Object(LabelBody { label, kind })| VariableLabel { label, kind };
    let labels = variables.into_iter().map(label).collect();
    let labelled = app.run(move |app| async move {
        app.dashboard.channels.label_variables.run(by.acting(), &key, labels).await
    });
    labelled.await??;
    Ok(HttpResponse::NoContent().finish())
}

impl From<LabelVariablesError> for Problem {
    fn from(error: LabelVariablesError) -> Self {
        match error {
            LabelVariablesError::UnknownTemplate => not_found("template"),
            LabelVariablesError::Labels(wrong) => Self::invalid(format!("`variables`: {wrong}")),
            LabelVariablesError::Store(error) => error.into(),
        }
    }
}
