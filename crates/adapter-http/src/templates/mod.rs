//! `GET /v1/templates`.

pub(crate) mod wire;

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    access::Scope,
    templates::{Category, ListedTemplate, TemplateFilter, TemplateStatus},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{access::permit, app::App, problem::Problem, query::Parameters};
use wire::TemplateBody;

/// The templates of a workspace.
#[derive(Serialize, ToSchema)]
#[schema(as = Templates)]
pub(crate) struct TemplatesBody {
    data: Vec<TemplateBody>,
}

impl From<Vec<ListedTemplate>> for TemplatesBody {
    fn from(listed: Vec<ListedTemplate>) -> Self {
        Self { data: listed.into_iter().map(TemplateBody::from).collect() }
    }
}

/// The workspace's templates, with what each needs.
///
/// A template belongs to a business account, and only that account's numbers can send it. Where two accounts
/// have a template of the same name, both are listed.
#[utoipa::path(
    get, path = "/v1/templates", tag = "Templates", operation_id = "listTemplates",
    security(("key" = ["messages:send"])),
    params(
        ("status" = inline(Option<wire::Status>), Query, description = "Only those in this state."),
        ("category" = inline(Option<wire::CategoryName>), Query, description = "Only those of this category."),
    ),
    responses((
        status = 200, description = "The templates.", body = TemplatesBody,
        example = json!({ "data": [{
            "name": "order_ready", "language": "ar", "category": "UTILITY", "status": "approved",
            "body": "مرحبا {{1}}، طلبك {{2}} جاهز.", "footer": null,
            "header": { "format": "NONE", "text": null, "required": false },
            "variables": [{ "label": "name", "kind": "name" }, { "label": "order", "kind": "text" }],
            "buttons": [{ "type": "QUICK_REPLY", "text": "شكرا", "variable": false }],
            "authentication": null, "rejectionReason": null, "validityProblem": null, "account": "102290129340398",
            "numbers": ["+9647700000001"],
        }] }),
    ))
)]
pub(crate) async fn list(app: Data<App>, request: HttpRequest) -> Result<Json<TemplatesBody>, Problem> {
    let caller = permit(&request, Scope::MessagesSend)?;
    let filter = filter(&Parameters::of(&request)?)?;
    let templates =
        app.run(move |app| async move { app.list_templates.run(caller.workspace, filter).await }).await??;
    Ok(Json(templates.into()))
}

fn filter(parameters: &Parameters) -> Result<TemplateFilter, Problem> {
    let statuses = TemplateStatus::ALL.map(TemplateStatus::as_str);
    let categories = Category::ALL.map(Category::as_str);
    Ok(TemplateFilter {
        status: parameters.word("status", TemplateStatus::read, &statuses)?,
        category: parameters.word("category", Category::read, &categories)?,
    })
}
