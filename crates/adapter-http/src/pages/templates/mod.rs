//! `/templates`, in the browser `/dashboard/settings/templates`.

mod wire;
pub(super) mod write;

use std::collections::HashMap;

use actix_web::{HttpResponse, web::Payload};
use dashboard_pages::{Section, TemplateRow, TemplatesPage, words::TemplateWords};
use domain::{
    channels::AccountKind,
    errors::StoreError,
    ids::AccountId,
    templates::{
        LabelVariablesError, ListedTemplate, Template, TemplateFilter, TemplateKey, VariableKind,
        VariableLabel, code_validity, validity_problem,
    },
};
use serde::Deserialize;
use time::OffsetDateTime;

use super::{
    act::{self, Answer, Call, Rows},
    answer::page,
    frame,
    not_taken::NotTaken,
    refusal,
};
use crate::{body::Object, paging::not_found, problem::Problem};

const PATH: &str = "/dashboard/settings/templates";

/// What the variables of a template are called.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct LabelsBody {
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
struct LabelBody {
    /// The name under which sends have the value; none that the network calls another variable.
    label: String,
    kind: VariableKind,
}

/// The templates with their state, by name, language and account.
pub(super) async fn list(call: Call) -> Answer {
    render(&call, None).await
}

/// Shows the templates, with why one was not deleted and the network's words.
async fn render(call: &Call, not_taken: Option<NotTaken>) -> Answer {
    let workspace = call.workspace();
    let found = call.run(move |app| async move {
        let listed = app.list_templates.run(workspace, TemplateFilter::default()).await?;
        let accounts = app.dashboard.channels.manage.list(workspace, AccountKind::Business).await?;
        Ok::<_, StoreError>((listed, accounts))
    });
    let (listed, accounts) = found.await?;
    let synced = accounts.into_iter().map(|account| (account.id, account.templates_synced_at)).collect();
    let words = &frame::bare(&call.request).words().templates;
    let templates = listed.into_iter().map(|listed| row(listed, &synced, words)).collect();
    if call.is_of_api() {
        return act::ok(&Rows { rows: templates });
    }
    let frame = call.frame(Section::Templates).await?;
    let refused = not_taken.map(|not_taken| not_taken.refused(&call.request, frame.words())).transpose()?;
    page(refusal::status(refused.as_ref()), &TemplatesPage { frame: &frame, templates, refused })
}

/// Returns why a template may not be sent: the network's rejection, or codes that may arrive after they
/// expire.
fn because(template: &Template, words: &TemplateWords) -> Option<String> {
    let late = || {
        let code = template.content.authentication.filter(|_| validity_problem(template).is_some())?;
        Some(format!("{} {}", words.late_codes, code_validity(code)))
    };
    template.rejection_reason.as_deref().map(|code| words.rejection(code).to_owned()).or_else(late)
}

fn row(
    ListedTemplate { template, numbers }: ListedTemplate,
    synced: &HashMap<AccountId, Option<OffsetDateTime>>,
    words: &TemplateWords,
) -> TemplateRow {
    let synced_at = synced.get(&template.account);
    TemplateRow {
        is_connected: synced_at.is_some(),
        because: because(&template, words),
        validity_problem: validity_problem(&template),
        body: template.content.numbered_body(),
        variables: template.variables(),
        name: template.name,
        language: template.language,
        category: template.category,
        status: template.status,
        rejection_reason: template.rejection_reason,
        account_id: template.account,
        account_network_id: template.account_network_id,
        numbers: numbers.into_iter().map(|number| number.as_str().to_owned()).collect(),
        synced_at: synced_at.copied().flatten().map(Into::into),
    }
}

/// Names the variables of a template and says which of them is the contact's name. Sends go on taking what
/// the network calls them, and the labels stay when the template is read again.
pub(super) async fn label(call: Call, payload: Payload) -> Answer {
    let LabelsBody { account_id, name, language, variables } = call.json(payload).await?;
    let account = account_id.parse().map_err(|_| LabelVariablesError::UnknownTemplate)?;
    let key = TemplateKey { account, name, language };
    let label = |Object(LabelBody { label, kind })| VariableLabel { label, kind };
    let (acting, labels) = (call.acting(), variables.into_iter().map(label).collect());
    let labelled =
        call.run(
            move |app| async move { app.dashboard.channels.label_variables.run(acting, &key, labels).await },
        );
    labelled.await?;
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
