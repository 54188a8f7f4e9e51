//! `/dashboard/settings/templates`.

pub(super) mod write;

use actix_web::{HttpRequest, HttpResponse, web::Data};
use dashboard_pages::{Section, TemplateRow, TemplatesPage};
use domain::templates::{ListedTemplate, TemplateFilter, validity_problem};

use super::{answer::shown, frame};
use crate::{App, dashboard::SignedIn, problem::Problem};

const PATH: &str = "/dashboard/settings/templates";

pub(super) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Section::Templates).await?;
    let workspace = by.session.workspace;
    let listed =
        app.run(move |app| async move { app.list_templates.run(workspace, TemplateFilter::default()).await });
    shown(&TemplatesPage { frame: &frame, templates: listed.await??.into_iter().map(row).collect() })
}

fn row(ListedTemplate { template, numbers }: ListedTemplate) -> TemplateRow {
    let because = template.rejection_reason.clone().or_else(|| validity_problem(&template));
    TemplateRow {
        because,
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
