//! `GET /v1/templates`.

mod wire;

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    access::Scope,
    templates::{Category, TemplateFilter, TemplateStatus},
};
use serde::Serialize;

use crate::{App, access::permitted, problem::Problem, query::Parameters};
use wire::TemplateBody;

#[derive(Serialize)]
pub(crate) struct TemplatesBody {
    data: Vec<TemplateBody>,
}

/// The workspace's templates, with what each needs.
pub(crate) async fn list(app: Data<App>, request: HttpRequest) -> Result<Json<TemplatesBody>, Problem> {
    let caller = permitted(&request, Scope::MessagesSend)?;
    let filter = filter(&Parameters::of(&request)?)?;
    let templates =
        app.run(move |app| async move { app.list_templates.run(caller.workspace, filter).await }).await??;
    Ok(Json(TemplatesBody { data: templates.into_iter().map(TemplateBody::from).collect() }))
}

fn filter(parameters: &Parameters) -> Result<TemplateFilter, Problem> {
    let statuses = TemplateStatus::ALL.map(TemplateStatus::as_str);
    let categories = Category::ALL.map(Category::as_str);
    Ok(TemplateFilter {
        status: parameters.word("status", TemplateStatus::read, &statuses)?,
        category: parameters.word("category", Category::read, &categories)?,
    })
}
