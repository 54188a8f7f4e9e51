//! `/dashboard/settings/templates`.

pub(super) mod write;

use std::collections::HashSet;

use actix_web::{HttpRequest, HttpResponse, web::Data};
use dashboard_pages::{Section, TemplateRow, TemplatesPage, words::TemplateWords};
use domain::{
    channels::AccountKind,
    errors::StoreError,
    ids::AccountId,
    templates::{ListedTemplate, Template, TemplateFilter, code_validity, validity_problem},
};

use super::{answer::page, frame, not_taken::NotTaken, refusal};
use crate::{app::App, problem::Problem, session::SignedIn};

const PATH: &str = "/dashboard/settings/templates";

pub(super) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, None).await
}

/// Shows the templates, with why one was not deleted and the network's words.
async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    not_taken: Option<NotTaken>,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Templates).await?;
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let listed = app.list_templates.run(workspace, TemplateFilter::default()).await?;
        let accounts = app.dashboard.channels.manage.list(workspace, AccountKind::Business).await?;
        Ok::<_, StoreError>((listed, accounts))
    });
    let (listed, accounts) = found.await??;
    let connected: HashSet<AccountId> = accounts.into_iter().map(|account| account.id).collect();
    let templates =
        listed.into_iter().map(|listed| row(listed, &connected, &frame.words().templates)).collect();
    let refused = not_taken.map(|not_taken| not_taken.refused(request, frame.words())).transpose()?;
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
    connected: &HashSet<AccountId>,
    words: &TemplateWords,
) -> TemplateRow {
    TemplateRow {
        is_connected: connected.contains(&template.account),
        because: because(&template, words),
        account: template.account.to_string(),
        body: template.content.numbered_body(),
        labels: template.variables().into_iter().map(|variable| variable.label).collect(),
        numbers: numbers.into_iter().map(|number| number.as_str().to_owned()).collect(),
        name: template.name,
        language: template.language,
        category: template.category,
        status: template.status,
    }
}
