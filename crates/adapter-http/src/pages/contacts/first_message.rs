//! Contacts without a conversation: the first message, `/contacts/{id}/template`, and the name.

use actix_web::{http::StatusCode, web::Payload};
use dashboard_pages::{Addressee, Refused, Section, TemplateChoicePage};
use domain::{
    contacts::{Contact, ContactName},
    ids::ContactId,
    sending::{Replied, TemplateRequest},
    templates::ListedTemplate,
};

use super::{
    super::{
        act::{self, Answer, Call, Given},
        answer::{page, see_other},
        inbox::templates::{NotSent, Posted, logged, offered, replied, said},
        refusal,
    },
    PATH, unknown,
};
use crate::{
    contacts::wire::{ContactBody, RenameBody},
    problem::Problem,
    sending::request::ContactSendBody,
    templates::TemplatesBody,
};

/// First parts of the canonical requests of forms and of JSON, which tell these requests apart under an
/// idempotency key.
const ROUTE: &str = "POST /dashboard/contacts/template";
const API_ROUTE: &str = "POST /dashboard/api/contacts/template";

pub(super) async fn show(call: Call) -> Answer {
    render(&call, None, None).await
}

/// A rejected name, with the reason.
type NotNamed = (String, Refused);

async fn found(call: &Call) -> Result<(Contact, Vec<ListedTemplate>), Problem> {
    let (workspace, contact): (_, ContactId) = (call.workspace(), call.id(unknown)?);
    let found = call.run(move |app| async move {
        let Some(profile) = app.get_contact.run(workspace, contact).await? else { return Ok(None) };
        let listed = app.dashboard.directory.templates.run(workspace, contact).await?;
        Ok::<_, Problem>(listed.map(|listed| (profile.contact, listed)))
    });
    found.await?.ok_or_else(unknown)
}

async fn render(call: &Call, not_sent: Option<NotSent>, not_named: Option<NotNamed>) -> Answer {
    let (contact, templates) = found(call).await?;
    let (id, frame) = (contact.id, call.frame(Section::Contacts).await?);
    let words = frame.words();
    let (mut status, posted, mut refused) = said(&call.request, not_sent, words)?;
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
                action: format!("{PATH}/{id}/name"),
            }),
            back: (PATH.to_owned(), words.contacts.back),
            action: format!("{PATH}/{id}/template"),
            none,
            templates: offered(&call.app, templates, posted.as_ref(), refused.as_ref()),
            refused,
        },
    )
}

/// The approved templates that can be sent to a person with whom there is no conversation yet, with what each
/// needs. One-time codes are not among them. The list is empty for somebody without a number.
pub(in crate::pages) async fn templates(call: Call) -> Answer {
    let (_, listed) = found(&call).await?;
    act::ok(&TemplatesBody::from(listed))
}

/// Sends an approved template to a person's number as whoever is signed in, which opens the conversation
/// where there is none, and leads there; or answers as the first request with the same idempotency key did.
/// A form carries the key.
pub(in crate::pages) async fn send(call: Call, payload: Payload) -> Answer {
    let form = match call.given(payload).await? {
        Given::Form(form) => form,
        Given::Json(payload) => {
            let (contact, body, key) = call.keyed::<ContactSendBody, _>(payload, API_ROUTE, unknown).await?;
            return Ok(replied(send_to(&call, contact, body.into_request(key)).await?));
        }
    };
    let (contact, (_, templates)): (ContactId, _) = (call.id(unknown)?, found(&call).await?);
    let posted = Posted::of(&form)?;
    let asked = posted.request(&templates, ROUTE, contact);
    match send_to(&call, contact, asked).await {
        Ok(sent) => {
            let opened = sent.result.conversation.map(|id| format!("/dashboard/inbox/{id}"));
            Ok(see_other(opened.as_deref().unwrap_or(PATH)))
        }
        Err(problem) => render(&call, Some(NotSent::of(&call.app, posted, problem)), None).await,
    }
}

async fn send_to(call: &Call, contact: ContactId, asked: TemplateRequest) -> Result<Replied, Problem> {
    let (acting, author) = (call.acting(), call.by.session.member);
    let sent =
        call.run(
            move |app| async move { app.dashboard.directory.send.run(acting, author, contact, asked).await },
        );
    Ok(logged(call, sent.await?.ok_or_else(unknown)?))
}

/// Gives a person another name.
pub(in crate::pages) async fn rename(call: Call, payload: Payload) -> Answer {
    let RenameBody { name: written } = match call.given(payload).await? {
        Given::Json(payload) => call.json(payload).await?,
        Given::Form(form) => RenameBody { name: form.text("name")? },
    };
    let name = match ContactName::read(&written) {
        Err(error) if call.is_of_api() => return Err(error.into()),
        Err(error) => {
            let words = call.words();
            let wrong = ("name", words.wrong.person);
            let because = refusal::of_only(&call.request, error.into(), wrong, words)?;
            return render(&call, None, Some((written, because))).await;
        }
        Ok(name) => name,
    };
    let (acting, contact): (_, ContactId) = (call.acting(), call.id(unknown)?);
    let renamed = call.run(move |app| async move { app.rename_contact.run_by(acting, contact, &name).await });
    let profile = renamed.await?.ok_or_else(unknown)?;
    if call.is_of_api() {
        return act::ok(&ContactBody::from(profile));
    }
    Ok(see_other(&format!("{PATH}/{contact}")))
}
