//! `/dashboard/contacts/{id}/conversations`: all conversations with a person.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use dashboard_pages::{ConversationRow, PersonsConversationsPage, Section};
use domain::{
    conversation::Conversation,
    conversations::ConversationFilter,
    ids::ContactId,
    paging::{AskedPage, PageLimit},
};

use super::super::{answer::ok, frame};
use crate::{
    app::App,
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

pub(in crate::pages) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("contact");
    let (workspace, contact): (_, ContactId) = (by.session.workspace, id(&request).ok_or_else(unknown)?);
    let cursor = Parameters::of(&request)?.get("cursor")?.map(str::to_owned);
    let found = app.run(move |app| async move {
        let Some(profile) = app.get_contact.run(workspace, contact).await? else { return Ok(None) };
        let filter = ConversationFilter { contact: Some(contact), ..ConversationFilter::default() };
        let asked = AskedPage { limit: PageLimit::default(), cursor };
        let listed = app.list_conversations.run(workspace, filter, &asked).await?;
        Ok::<_, Problem>(Some((profile.contact, listed)))
    });
    let (person, listed) = found.await??.ok_or_else(unknown)?;
    let frame = frame::of(&app, &request, &by, Section::Contacts).await?;
    let phone = person.phone.map(|phone| phone.as_str().to_owned());
    let name = person.name.or(phone).unwrap_or_else(|| frame.words().inbox.nameless.to_owned());
    let more = |cursor: String| {
        let cursor: String = url::form_urlencoded::byte_serialize(cursor.as_bytes()).collect();
        format!("/dashboard/contacts/{contact}/conversations?cursor={cursor}")
    };
    let row = |conversation: Conversation| ConversationRow {
        id: conversation.id.to_string(),
        href: format!("/dashboard/inbox/{}", conversation.id),
        channel: conversation.channel_kind,
        status: conversation.status,
        at: conversation.last_message_at.into(),
    };
    ok(&PersonsConversationsPage {
        frame: &frame,
        name,
        conversations: listed.rows.into_iter().map(row).collect(),
        more: listed.next.map(more),
    })
}
