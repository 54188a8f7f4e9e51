//! `/dashboard/contacts`: the people that a workspace knows.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use dashboard_pages::{ContactRow, ContactsPage, Place, Words};
use domain::{
    contacts::{AskedContacts, ContactProfile, ContactsPage as Found},
    conversations::ConversationFilter,
    ids::ContactId,
    paging::{AskedPage, Page, PageLimit},
};
use url::form_urlencoded::Serializer;

use super::{
    answer::{page, see_other},
    frame, refusal,
};
use crate::{
    App,
    dashboard::SignedIn,
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
};

pub(super) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Place::Contacts).await?;
    let parameters = Parameters::of(&request)?;
    let search = parameters.get("search")?.unwrap_or_default();
    let cursor = parameters.get("cursor")?.filter(|cursor| !cursor.is_empty()).map(str::to_owned);
    let asked =
        AskedContacts { phone: None, search: Some(search.to_owned()).filter(|text| !text.is_empty()) };
    let asked_page = AskedPage { limit: PageLimit::default(), cursor };
    let (workspace, region) = (by.session.workspace, by.session.region);
    let listed = app
        .run(move |app| async move { app.list_contacts.run(workspace, region, &asked, &asked_page).await });
    let (status, found, refused) = match listed.await? {
        Ok(found) => (StatusCode::OK, found, None),
        Err(error) => {
            let refused = refusal::of_form(error.into(), frame.words())?;
            let nobody = Found { page: Page { rows: Vec::new(), next: None }, total: 0 };
            (StatusCode::UNPROCESSABLE_ENTITY, nobody, Some(refused))
        }
    };
    let more = found.page.next.map(|next| {
        let query = Serializer::new(String::new())
            .append_pair("search", search)
            .append_pair("cursor", &next)
            .finish();
        format!("/dashboard/contacts?{query}")
    });
    let words = frame.words();
    let contacts = found.page.rows.into_iter().map(|profile| row(profile, words)).collect();
    page(status, &ContactsPage { frame: &frame, contacts, total: found.total, search, more, refused })
}

fn row(profile: ContactProfile, words: &Words) -> ContactRow {
    let contact = profile.contact;
    let phone = contact.phone.map(|phone| phone.as_str().to_owned());
    let name = contact.name.or_else(|| phone.clone());
    ContactRow {
        id: contact.id.to_string(),
        name: name.unwrap_or_else(|| words.inbox.nameless.to_owned()),
        phone,
        channels: profile.channels,
        tags: profile.tags,
        active_at: profile.last_active_at.map(Into::into),
    }
}

/// Leads to the person's newest conversation, or where they have none to the list of the inbox.
pub(super) async fn conversation(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("contact");
    let (workspace, contact): (_, ContactId) = (by.session.workspace, id(&request).ok_or_else(unknown)?);
    let found = app.run(move |app| async move {
        if app.get_contact.run(workspace, contact).await?.is_none() {
            return Ok(None);
        }
        let filter = ConversationFilter { contact: Some(contact), ..ConversationFilter::default() };
        let page = AskedPage { limit: PageLimit::new(1).unwrap_or_default(), cursor: None };
        Ok::<_, Problem>(Some(app.list_conversations.run(workspace, filter, &page).await?.rows))
    });
    let conversations = found.await??.ok_or_else(unknown)?;
    let to = conversations.first().map(|newest| format!("/dashboard/inbox/{}", newest.id));
    Ok(see_other(to.as_deref().unwrap_or("/dashboard/contacts")))
}
