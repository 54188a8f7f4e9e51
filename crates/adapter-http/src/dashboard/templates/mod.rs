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

use crate::{
    app::App,
    body::{self, Object},
    paging::not_found,
    problem::Problem,
    session::SignedIn,
};

/// A template with its state at the network.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TemplateBody {
    name: String,
    language: String,
    /// As the network names it.
    category: String,
    /// `approved`, `pending`, `rejected` or `paused`.
    status: &'static str,
    rejection_reason: Option<String>,
    /// Why a one-time code is not sent with it although it is approved, and what to do at the network.
    validity_problem: Option<String>,
    /// Its text, with `{{1}}`, `{{2}}`… in the places of the variables.
    body: String,
    /// The places, in order.
    variables: Vec<PlaceBody>,
    account_id: AccountId,
    /// The account's id at the network.
    account_network_id: String,
    /// The connected numbers that can send it.
    numbers: Vec<PhoneNumber>,
    /// When it was last read; null once its account is disconnected.
    #[serde(with = "domain::clock::timestamp::option")]
    synced_at: Option<OffsetDateTime>,
}

/// A place for a value.
#[derive(Serialize)]
pub(crate) struct PlaceBody {
    place: String,
    /// The name under which sends have the value.
    label: String,
    kind: VariableKind,
}

/// What the variables of a template are called.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct LabelsBody {
    /// The account that the template belongs to.
    account_id: String,
    /// The template's name.
    name: String,
    language: String,
    /// One for each variable, in the order of their places.
    variables: Vec<Object<LabelBody>>,
}

/// What a variable is called, and what it stands for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LabelBody {
    /// The name under which sends have the value; none that the network calls another variable.
    label: String,
    kind: VariableKind,
}

/// The templates.
#[derive(Serialize)]
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
