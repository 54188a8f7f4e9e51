//! `/dashboard/inbox/{id}/template`: a template, where the network takes no free words, or anyway.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{Section, TemplateChoicePage, TemplateForm};
use domain::{
    ids::ConversationId,
    sending::{HeaderRequest, IdempotencyKey, TemplateRequest, Variables},
    templates::{HeaderNeed, ListedTemplate},
};

use serde::Serialize;

use super::asked;
use crate::{
    App,
    dashboard::{SignedIn, conversations::template::send_into},
    pages::{
        answer::{page, see_other},
        form::Form,
        frame, refusal,
    },
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
};

/// What sets these requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/inbox/template";

fn unknown() -> Problem {
    not_found("conversation")
}

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    shown(&app, &by, &request, None).await
}

async fn listed(
    app: &Data<App>,
    by: &SignedIn,
    conversation: ConversationId,
) -> Result<Vec<ListedTemplate>, Problem> {
    let (workspace, author) = (by.session.workspace, by.session.member);
    let listed = app.run(move |app| async move {
        app.dashboard.list_conversation_templates.run(workspace, author, conversation).await
    });
    listed.await??.ok_or_else(unknown)
}

async fn shown(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    refused: Option<Problem>,
) -> Result<HttpResponse, Problem> {
    let conversation: ConversationId = id(request).ok_or_else(unknown)?;
    let templates = listed(app, by, conversation).await?;
    let frame = frame::of(app, request, by, Section::Inbox).await?;
    let query = asked(&Parameters::of(request)?)?;
    let words = &frame.words().inbox;
    let status = if refused.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let refused = refused.map(|problem| refusal::of_form(problem, frame.words())).transpose()?;
    page(
        status,
        &TemplateChoicePage {
            frame: &frame,
            to: None,
            back: (query.conversation(&conversation.to_string()), words.back_to_conversation),
            action: query.act(&conversation.to_string(), "template"),
            none: words.no_template,
            templates: offered(app, templates),
            refused,
        },
    )
}

/// The forms of templates, each with the key that it is sent under.
pub(in crate::pages) fn offered(app: &App, templates: Vec<ListedTemplate>) -> Vec<TemplateForm> {
    let form = |ListedTemplate { template, .. }: ListedTemplate| TemplateForm {
        key: app.ids.next().to_string(),
        body: template.content.numbered_body(),
        labels: template.variables().into_iter().map(|variable| variable.label).collect(),
        header: template.content.header_need(),
        buttons: template
            .content
            .buttons
            .iter()
            .filter(|button| button.has_variable())
            .map(|button| button.text.clone())
            .collect(),
        name: template.name,
        language: template.language,
    };
    templates.into_iter().map(form).collect()
}

/// The values `name-1`, `name-2` and so on, as many as there are.
fn values(form: &Form, name: &str) -> Result<Vec<String>, Problem> {
    let mut values = Vec::new();
    while let Some(value) = form.given(&format!("{name}-{}", values.len() + 1))? {
        values.push(value);
    }
    Ok(values)
}

fn header(need: Option<HeaderNeed>, value: String) -> Option<HeaderRequest> {
    match need? {
        HeaderNeed::Text => Some(HeaderRequest { text: Some(value), ..HeaderRequest::default() }),
        HeaderNeed::Media | HeaderNeed::Document => {
            Some(HeaderRequest { link: Some(value), ..HeaderRequest::default() })
        }
        HeaderNeed::Location => None,
    }
}

/// What a form of [`offered`] asks for. `route` and `to` set it apart under its key.
pub(in crate::pages) fn request_of(
    form: &Form,
    templates: &[ListedTemplate],
    route: &str,
    to: impl Serialize,
) -> Result<TemplateRequest, Problem> {
    let (name, language) = (form.text("template")?, form.text("language")?);
    let chosen = templates.iter().find(|one| one.template.name == name && one.template.language == language);
    let need = chosen.and_then(|one| one.template.content.header_need());
    let (variables, buttons) = (values(form, "value")?, values(form, "button")?);
    let key = form.key()?;
    let canonical = serde_json::json!([route, to, name, language, variables, buttons, form.text("header")?]);
    Ok(TemplateRequest {
        template: name,
        language: Some(language).filter(|language| !language.is_empty()),
        variables: Some(variables).filter(|values| !values.is_empty()).map(Variables::Ordered),
        header: header(need, form.text("header")?),
        button_variables: Some(buttons).filter(|values| !values.is_empty()),
        key: Some(IdempotencyKey { key, request: canonical.to_string().into_bytes() }),
        ..TemplateRequest::default()
    })
}

/// Sends a template. Its form carries the key that it is sent under.
pub(in crate::pages) async fn send(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let conversation: ConversationId = id(&request).ok_or_else(unknown)?;
    let form = Form::of(&request, payload).await?;
    let templates = listed(&app, &by, conversation).await?;
    let asked_for = request_of(&form, &templates, ROUTE, conversation)?;
    match send_into(&app, &by, conversation, asked_for).await {
        Ok(_) => {
            let query = asked(&Parameters::of(&request)?)?;
            Ok(see_other(&query.conversation(&conversation.to_string())))
        }
        Err(problem) => shown(&app, &by, &request, Some(problem)).await,
    }
}
