//! Contacts without a conversation: the first message, `/dashboard/contacts/{id}/template`, and the name,
//! `/dashboard/contacts/{id}/name`.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{Addressee, Refused, Section, TemplateChoicePage};
use domain::{
    contacts::{Contact, ContactName},
    ids::ContactId,
    templates::ListedTemplate,
};

use super::super::{
    answer::{page, see_other},
    form::Form,
    frame,
    inbox::templates::{NotSent, Posted, offered, said},
    refusal,
};
use crate::{
    app::App,
    dashboard::contacts::template::send_to,
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

/// First part of the canonical request, which tells these requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/contacts/template";

fn unknown() -> Problem {
    not_found("contact")
}

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, None, None).await
}

/// A rejected name, with the reason.
type NotNamed = (String, Refused);

async fn found(
    app: &Data<App>,
    by: &SignedIn,
    contact: ContactId,
) -> Result<(Contact, Vec<ListedTemplate>), Problem> {
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let Some(profile) = app.get_contact.run(workspace, contact).await? else { return Ok(None) };
        let listed = app.dashboard.directory.templates.run(workspace, contact).await?;
        Ok::<_, Problem>(listed.map(|listed| (profile.contact, listed)))
    });
    found.await??.ok_or_else(unknown)
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    not_sent: Option<NotSent>,
    not_named: Option<NotNamed>,
) -> Result<HttpResponse, Problem> {
    let id: ContactId = id(request).ok_or_else(unknown)?;
    let (contact, templates) = found(app, by, id).await?;
    let frame = frame::of(app, request, by, Section::Contacts).await?;
    let words = frame.words();
    let (mut status, posted, mut refused) = said(request, not_sent, words)?;
    let phone = contact.phone.map(|phone| phone.as_str().to_owned());
    let mut written_name = contact.name.clone().unwrap_or_default();
    if let Some((written, not_named)) = not_named {
        status = StatusCode::UNPROCESSABLE_ENTITY;
        refused = Some(not_named);
        written_name = written;
    }
    let none = if phone.is_some() { words.inbox.no_template } else { words.contacts.unreachable };
    page(
        status,
        &TemplateChoicePage {
            frame: &frame,
            to: Some(Addressee {
                phone: contact.name.as_ref().and(phone.clone()),
                name: contact.name.or(phone).unwrap_or_else(|| words.inbox.nameless.to_owned()),
                written_name,
                action: format!("/dashboard/contacts/{id}/name"),
            }),
            back: ("/dashboard/contacts".to_owned(), words.contacts.back),
            action: format!("/dashboard/contacts/{id}/template"),
            none,
            templates: offered(app, templates, posted.as_ref(), refused.as_ref()),
            refused,
        },
    )
}

/// Sends a template and leads to the conversation. The form carries the idempotency key.
pub(in crate::pages) async fn send(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let contact: ContactId = id(&request).ok_or_else(unknown)?;
    let form = Form::of(&request, payload).await?;
    let (_, templates) = found(&app, &by, contact).await?;
    let posted = Posted::of(&form)?;
    let asked = posted.request(&templates, ROUTE, contact);
    match send_to(&app, &by, contact, asked).await {
        Ok(sent) => {
            let opened = sent.result.conversation.map(|id| format!("/dashboard/inbox/{id}"));
            Ok(see_other(opened.as_deref().unwrap_or("/dashboard/contacts")))
        }
        Err(problem) => render(&app, &by, &request, Some(NotSent::of(&app, posted, problem)), None).await,
    }
}

pub(in crate::pages) async fn rename(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let contact: ContactId = id(&request).ok_or_else(unknown)?;
    let written = Form::of(&request, payload).await?.text("name")?;
    let name = match ContactName::read(&written) {
        Ok(name) => name,
        Err(error) => {
            let words = frame::bare(&request).words();
            let because = refusal::of_only(&request, error.into(), ("name", words.wrong.person), words)?;
            return render(&app, &by, &request, None, Some((written, because))).await;
        }
    };
    let acting = by.acting();
    let renamed = app.run(move |app| async move { app.rename_contact.run_by(acting, contact, &name).await });
    renamed.await??.ok_or_else(unknown)?;
    Ok(see_other(&format!("/dashboard/contacts/{contact}")))
}
