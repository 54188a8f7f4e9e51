//! `/dashboard/contacts/{id}/template`: the first message to a person with whom there is no conversation.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{Section, TemplateChoicePage};
use domain::{contacts::Contact, ids::ContactId, templates::ListedTemplate};

use crate::{
    App,
    dashboard::{SignedIn, contacts::template::send_to},
    pages::{
        answer::{page, see_other},
        form::Form,
        frame,
        inbox::templates::{NotSent, Posted, offered, said},
    },
    paging::{id, not_found},
    problem::Problem,
};

/// What sets these requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/contacts/template";

fn unknown() -> Problem {
    not_found("contact")
}

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    shown(&app, &by, &request, None).await
}

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

async fn shown(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    not_sent: Option<NotSent>,
) -> Result<HttpResponse, Problem> {
    let id: ContactId = id(request).ok_or_else(unknown)?;
    let (contact, templates) = found(app, by, id).await?;
    let frame = frame::of(app, request, by, Section::Contacts).await?;
    let words = frame.words();
    let (status, posted, refused) = said(request, not_sent, words)?;
    let phone = contact.phone.map(|phone| phone.as_str().to_owned());
    let none = if phone.is_some() { words.inbox.no_template } else { words.contacts.unreachable };
    page(
        status,
        &TemplateChoicePage {
            frame: &frame,
            to: Some(contact.name.or(phone).unwrap_or_else(|| words.inbox.nameless.to_owned())),
            back: ("/dashboard/contacts".to_owned(), words.contacts.back),
            action: format!("/dashboard/contacts/{id}/template"),
            none,
            templates: offered(app, templates, posted.as_ref(), refused.as_ref()),
            refused,
        },
    )
}

/// Sends a template, and leads to the conversation that it opens. Its form carries the key that it is sent under.
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
        Err(problem) => shown(&app, &by, &request, Some(NotSent::of(&app, posted, problem))).await,
    }
}
