//! `/dashboard/contacts`: the workspace's directory.

pub(super) mod conversations;
pub(super) mod first_message;
pub(super) mod import;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{ContactQuery, ContactRow, ContactsPage, Section, Words};
use domain::{
    clock::rfc3339_ms,
    contacts::{
        Contact, ContactProfile,
        directory::{AskedDirectory, DirectoryRow},
    },
    conversations::ConversationFilter,
    ids::ContactId,
    paging::{AskedPage, Page, PageLimit},
};

use super::{
    answer::{page, see_other},
    form::Form,
    frame, refusal,
};
use crate::{
    app::App,
    dashboard::contacts::directory::parse_filters,
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

const PATH: &str = "/dashboard/contacts";
const EXPORT: &str = "/dashboard/api/contacts/export";

pub(super) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, None, Default::default()).await
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    refused: Option<Problem>,
    draft: (String, String),
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Contacts).await?;
    let parameters = Parameters::of(request)?.filled();
    let text = |name: &str| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default().to_owned());
    let query = ContactQuery {
        search: text("search")?,
        tag: text("tag")?,
        channel: text("channel")?,
        since: text("activeSince")?,
        until: text("activeUntil")?,
    };
    let (found, unlisted) = match found(app, by, &parameters).await {
        Ok(found) => (found, None),
        Err(problem) => (Page { rows: Vec::new(), next: None }, Some(problem)),
    };
    let is_listed = unlisted.is_none();
    let refused = refused.or(unlisted);
    let refused = refused.map(|problem| refusal::of_fields(request, problem, frame.words())).transpose()?;
    let workspace = by.session.workspace;
    let tags = app.run(move |app| async move { app.tag_conversation.in_use(workspace).await }).await??;
    let more = found.next.map(|next| query.at(PATH, Some(&next)));
    // The API does not apply the workspace's zone.
    let moment = |day: &String| by.session.time_zone.read_moment(day).map_or_else(|| day.clone(), rfc3339_ms);
    let by_moments =
        ContactQuery { since: moment(&query.since), until: moment(&query.until), ..query.clone() };
    let export = by_moments.at(EXPORT, None);
    let words = frame.words();
    let contacts = found.rows.into_iter().map(|found| row(found, words)).collect();
    page(
        refusal::status(refused.as_ref()),
        &ContactsPage {
            frame: &frame,
            contacts,
            is_listed,
            query: &query,
            tags,
            more,
            export,
            draft,
            refused,
        },
    )
}

async fn found(
    app: &Data<App>,
    by: &SignedIn,
    parameters: &Parameters,
) -> Result<Page<DirectoryRow>, Problem> {
    // Days begin in the workspace's zone, like the times shown beside the people.
    let here = &by.session.time_zone;
    let moment = |name: &str| Ok::<_, Problem>(parameters.get(name)?.and_then(|day| here.read_moment(day)));
    let (since, until) = (moment("activeSince")?, moment("activeUntil")?);
    let asked = parse_filters(parameters)?;
    let wanted = AskedDirectory { since: since.or(asked.since), until: until.or(asked.until), ..asked };
    let cursor = parameters.get("cursor")?.map(str::to_owned);
    let asked = AskedPage { limit: PageLimit::default(), cursor };
    let (workspace, region) = (by.session.workspace, by.session.region);
    let listed = app.search(by, move |app| async move {
        app.dashboard.directory.list.run(workspace, region, wanted, &asked).await
    });
    Ok(listed.await??)
}

fn row(DirectoryRow { profile, last_message_at }: DirectoryRow, words: &Words) -> ContactRow {
    let ContactProfile { contact, avatar_url: _, channels, tags, conversations: _, last_active_at: _ } =
        profile;
    let Contact { id, name, phone, source: _, created_at: _ } = contact;
    let phone = phone.map(|phone| phone.as_str().to_owned());
    let name = name.or_else(|| phone.clone());
    ContactRow {
        id: id.to_string(),
        name: name.unwrap_or_else(|| words.inbox.nameless.to_owned()),
        phone,
        channels,
        tags,
        active_at: last_message_at.map(Into::into),
    }
}

pub(super) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let draft = (form.text("phone")?, form.text("name")?);
    let (acting, region, (phone, name)) = (by.acting(), by.session.region, draft.clone());
    let added = app.run(move |app| async move {
        let name = Some(name.as_str()).filter(|name| !name.trim().is_empty());
        app.add_contact.run_by(acting, region, &phone, name).await
    });
    match added.await?.map_err(Problem::from) {
        Ok(profile) => Ok(see_other(&format!("{PATH}/{}", profile.contact.id))),
        Err(problem) => render(&app, &by, &request, Some(problem), draft).await,
    }
}

/// Leads to the contact's newest conversation, or to the templates that can be sent if there is none.
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
    match conversations.first() {
        Some(newest) => Ok(see_other(&format!("/dashboard/inbox/{}", newest.id))),
        None => first_message::show(app, by, request).await,
    }
}
