//! `/conversations/{id}/template` and `…/templates`: sending a template, where the network accepts no free
//! text, or anyway.

use std::iter::repeat_with;

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Payload};
use dashboard_pages::{Refused, Section, TemplateChoicePage, TemplateForm, Words};
use domain::{
    ids::ConversationId,
    messages::MessageBody,
    sending::{HeaderRequest, IdempotencyKey, Replied, SentInConversation, TemplateRequest, Variables},
    templates::{HeaderNeed, ListedTemplate, Template},
};
use serde::Serialize;

use super::{
    super::{
        act::{self, Answer, Call, Given},
        answer::{page, see_other},
        form::Form,
        refusal,
    },
    query::{conversation, path_of, read_query, unknown},
};
use crate::{
    app::App,
    problem::{Code, Problem, RefusalCode},
    query::Parameters,
    sending::{created, reply::RepliedBody, request::ConversationSendBody},
    templates::TemplatesBody,
};

/// First parts of the canonical requests of forms and of JSON, which tell these requests apart under an
/// idempotency key.
const ROUTE: &str = "POST /dashboard/inbox/template";
const API_ROUTE: &str = "POST /dashboard/api/conversations/template";

pub(in crate::pages) async fn show(call: Call) -> Answer {
    render(&call, None).await
}

/// The approved templates that can be sent from the conversation: those of its number's account, with what
/// each needs. One-time codes are not among them. The list is empty where no template can reach the person.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    act::ok(&TemplatesBody::from(listed(&call, conversation(&call)?).await?))
}

async fn listed(call: &Call, conversation: ConversationId) -> Result<Vec<ListedTemplate>, Problem> {
    let (workspace, author) = (call.workspace(), call.by.session.member);
    let listed = call.run(move |app| async move {
        app.dashboard.list_conversation_templates.run(workspace, author, conversation).await
    });
    listed.await?.ok_or_else(unknown)
}

async fn render(call: &Call, not_sent: Option<NotSent>) -> Answer {
    let conversation = conversation(call)?;
    let templates = listed(call, conversation).await?;
    let frame = call.frame(Section::Inbox).await?;
    let query = read_query(&Parameters::of(&call.request)?)?;
    let words = &frame.words().inbox;
    let (status, posted, refused) = said(&call.request, not_sent, frame.words())?;
    page(
        status,
        &TemplateChoicePage {
            frame: &frame,
            to: None,
            back: (query.conversation(&conversation.to_string()), words.back_to_conversation),
            action: query.act(&conversation.to_string(), "template"),
            none: words.no_template,
            templates: offered(&call.app, templates, posted.as_ref(), refused.as_ref()),
            refused,
        },
    )
}

/// Posted form of [`offered`].
pub(in crate::pages) struct Posted {
    name: String,
    language: String,
    key: String,
    header: String,
    values: Vec<String>,
    buttons: Vec<String>,
}

impl Posted {
    pub(in crate::pages) fn of(form: &Form) -> Result<Self, Problem> {
        Ok(Self {
            name: form.text("template")?,
            language: form.text("language")?,
            key: form.key()?,
            header: form.text("header")?,
            values: values(form, "value")?,
            buttons: values(form, "button")?,
        })
    }

    /// Returns the field of the first empty value.
    fn empty(&self) -> String {
        let of = |name: &str, values: &[String]| {
            let at = values.iter().position(|value| value.trim().is_empty())?;
            Some(format!("{name}-{}", at + 1))
        };
        of("value", &self.values).or_else(|| of("button", &self.buttons)).unwrap_or_default()
    }

    fn is_of(&self, template: &Template) -> bool {
        self.name == template.name && self.language == template.language
    }

    /// Builds the request. `route` and `to` tell it apart under its idempotency key.
    pub(in crate::pages) fn request(
        &self,
        templates: &[ListedTemplate],
        route: &str,
        to: impl Serialize,
    ) -> TemplateRequest {
        let chosen = templates.iter().find(|one| self.is_of(&one.template));
        let need = chosen.and_then(|one| one.template.content.header_need());
        let Self { name, language, key, header: typed, values, buttons } = self;
        let canonical = serde_json::json!([route, to, name, language, values, buttons, typed]);
        TemplateRequest {
            template: name.clone(),
            language: Some(language.clone()).filter(|language| !language.is_empty()),
            variables: Some(values.clone()).filter(|values| !values.is_empty()).map(Variables::Ordered),
            header: header(need, typed.clone()),
            button_variables: Some(buttons.clone()).filter(|values| !values.is_empty()),
            key: Some(IdempotencyKey { key: key.clone(), request: canonical.to_string().into_bytes() }),
            ..TemplateRequest::default()
        }
    }
}

/// A template that was not sent: the posted form and the reason.
pub(in crate::pages) struct NotSent {
    posted: Posted,
    problem: Problem,
}

impl NotSent {
    /// Replaces a key that was already used for other values.
    pub(in crate::pages) fn of(app: &App, mut posted: Posted, problem: Problem) -> Self {
        if problem.code() == Some(Code::Sending(RefusalCode::IdempotencyKeyReused)) {
            posted.key = app.ids.next().to_string();
        }
        Self { posted, problem }
    }
}

/// Returns the answer's status, the posted form and the reason to show.
pub(in crate::pages) fn said(
    request: &HttpRequest,
    not_sent: Option<NotSent>,
    words: &Words,
) -> Result<(StatusCode, Option<Posted>, Option<Refused>), Problem> {
    let Some(NotSent { posted, problem }) = not_sent else { return Ok((StatusCode::OK, None, None)) };
    let is_empty = problem.code() == Some(Code::Sending(RefusalCode::VariableEmpty));
    let refused = refusal::of_message(request, problem, words)?;
    let refused = if is_empty { refused.at(posted.empty()) } else { refused };
    Ok((StatusCode::UNPROCESSABLE_ENTITY, Some(posted), Some(refused)))
}

/// Builds the templates' forms, each with its idempotency key. The posted form keeps its input and its key,
/// so that posting it again reports the outcome and sends nothing twice. After the network refused it, the
/// send is over: the form gets a new key, for a new message.
pub(in crate::pages) fn offered(
    app: &App,
    templates: Vec<ListedTemplate>,
    posted: Option<&Posted>,
    refused: Option<&Refused>,
) -> Vec<TemplateForm> {
    let is_over = refused.is_some_and(Refused::is_over);
    let form = |ListedTemplate { template, .. }: ListedTemplate| {
        let posted = posted.filter(|posted| posted.is_of(&template));
        let key = posted.filter(|_| !is_over).map(|posted| posted.key.clone());
        let labels = template.variables().into_iter().map(|variable| variable.label).collect();
        let buttons = template.content.buttons.iter().filter(|button| button.has_variable());
        let buttons = buttons.map(|button| button.text.clone()).collect();
        TemplateForm {
            key: key.unwrap_or_else(|| app.ids.next().to_string()),
            body: template.content.numbered_body(),
            places: filled(labels, posted.map(|posted| posted.values.as_slice())),
            header: template.content.header_need(),
            header_value: posted.map(|posted| posted.header.clone()).unwrap_or_default(),
            buttons: filled(buttons, posted.map(|posted| posted.buttons.as_slice())),
            name: template.name,
            language: template.language,
        }
    };
    templates.into_iter().map(form).collect()
}

/// Pairs each label with what was typed for it.
fn filled(labels: Vec<String>, typed: Option<&[String]>) -> Vec<(String, String)> {
    let typed = typed.unwrap_or_default().iter().cloned().chain(repeat_with(String::new));
    labels.into_iter().zip(typed).collect()
}

/// Reads the values `name-1`, `name-2` and so on, as many as there are.
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

/// Answers what was sent as a reply.
pub(in crate::pages) fn replied(sent: Replied) -> HttpResponse {
    let Replied { result, replayed, .. } = sent;
    let message = result.message.map(MessageBody::taken);
    created(replayed).json(RepliedBody { conversation_id: result.conversation, message })
}

/// Logs that the log of changes lacks what was sent, if it does.
pub(in crate::pages) fn logged(call: &Call, sent: SentInConversation) -> Replied {
    let SentInConversation { replied, unlogged } = sent;
    if let Some(error) = unlogged {
        let (workspace, member) = (call.workspace(), call.by.session.member);
        tracing::error!(%error, %workspace, %member, send = %replied.result.id, "a template is not in the log of changes");
    }
    replied
}

/// Sends an approved template to whom the conversation is with, over its own number, as whoever is signed in;
/// or answers as the first request with the same idempotency key did. A form carries the key.
pub(in crate::pages) async fn send(call: Call, payload: Payload) -> Answer {
    let form = match call.given(payload).await? {
        Given::Json(payload) => {
            let (id, body, key) = call.keyed::<ConversationSendBody, _>(payload, API_ROUTE, unknown).await?;
            return Ok(replied(send_into(&call, id, body.into_request(key)).await?));
        }
        Given::Form(form) => form,
    };
    let id = conversation(&call)?;
    let templates = listed(&call, id).await?;
    let posted = Posted::of(&form)?;
    match send_into(&call, id, posted.request(&templates, ROUTE, id)).await {
        Ok(_) => Ok(see_other(&path_of(&call, id)?)),
        Err(problem) => render(&call, Some(NotSent::of(&call.app, posted, problem))).await,
    }
}

async fn send_into(call: &Call, id: ConversationId, asked: TemplateRequest) -> Result<Replied, Problem> {
    let (acting, author) = (call.acting(), call.by.session.member);
    let sent = call.run(move |app| async move {
        app.dashboard.send_in_conversation.run(acting, author, id, asked).await
    });
    Ok(logged(call, sent.await?))
}
