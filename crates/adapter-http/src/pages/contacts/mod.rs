//! `/contacts`, in the browser `/dashboard/contacts`: the workspace's directory.

pub(super) mod export;
pub(super) mod first_message;
pub(super) mod imports;
pub(super) mod marketing;
pub(super) mod person;

use actix_web::web::Payload;
use dashboard_pages::{ContactQuery, ContactRow, ContactsPage, Section, Words};
use domain::{
    channels::ChannelKind,
    clock::rfc3339_ms,
    contacts::{
        Contact, ContactProfile,
        directory::{AskedDirectory, DirectoryRow, ListDirectoryError},
    },
    paging::Page,
    since::read_since,
    tag::{InvalidTag, Tag},
};
use serde::Serialize;
use time::OffsetDateTime;

use super::{
    act::{self, Answer, Call, Given, PageOfRows},
    answer::{page, see_other},
    refusal,
};
use crate::{
    contacts::wire::{AddBody, ContactBody},
    paging::{not_found, read_page},
    problem::Problem,
    query::{MOMENT, Parameters},
};

const PATH: &str = "/dashboard/contacts";
const EXPORT: &str = "/dashboard/api/contacts/export";

/// A person of the directory.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DirectoryRowBody {
    contact: ContactBody,
    /// When the newest message was recorded that they or the team wrote; null where there is none.
    #[serde(with = "domain::clock::timestamp::option")]
    last_message_at: Option<OffsetDateTime>,
}

fn told(row: &DirectoryRow) -> DirectoryRowBody {
    DirectoryRowBody { contact: row.profile.clone().into(), last_message_at: row.last_message_at }
}

fn unknown() -> Problem {
    not_found("contact")
}

/// Parses the directory's filters.
fn parse_filters(parameters: &Parameters) -> Result<AskedDirectory, Problem> {
    let channels = ChannelKind::ALL.map(ChannelKind::as_str);
    Ok(AskedDirectory {
        search: parameters.get("search")?.map(str::to_owned),
        tag: parameters.read("tag", |text| Tag::read(text).ok(), &InvalidTag.to_string())?,
        channel: parameters.word("channel", ChannelKind::read, &channels)?,
        since: parameters.read("activeSince", read_since, MOMENT)?,
        until: parameters.read("activeUntil", read_since, MOMENT)?,
    })
}

/// Everybody whom the workspace knows, newest first; with filters, those who pass all of them.
///
/// A page may hold less than `limit`, even nobody, and have a `nextCursor`: only so many people are looked at
/// for each page.
pub(super) async fn list(call: Call) -> Answer {
    if call.is_of_api() {
        let parameters = call.parameters()?;
        let listed = found(&call, &parameters, parse_filters(&parameters)?).await?;
        return act::ok(&PageOfRows::of(listed, told));
    }
    render(&call, None, Default::default()).await
}

async fn found(
    call: &Call,
    parameters: &Parameters,
    wanted: AskedDirectory,
) -> Result<Page<DirectoryRow>, Problem> {
    let asked = read_page(parameters)?;
    let (workspace, region) = (call.workspace(), call.by.session.region);
    let listed = call.app.search(&call.by, move |app| async move {
        app.dashboard.directory.list.run(workspace, region, wanted, &asked).await
    });
    Ok(listed.await??)
}

/// Finds the people of a page. Days begin in the workspace's zone, like the times shown beside the people.
async fn found_here(call: &Call, parameters: &Parameters) -> Result<Page<DirectoryRow>, Problem> {
    let here = &call.by.session.time_zone;
    let moment = |name: &str| Ok::<_, Problem>(parameters.get(name)?.and_then(|day| here.read_moment(day)));
    let (since, until) = (moment("activeSince")?, moment("activeUntil")?);
    let asked = parse_filters(parameters)?;
    let wanted = AskedDirectory { since: since.or(asked.since), until: until.or(asked.until), ..asked };
    found(call, parameters, wanted).await
}

async fn render(call: &Call, refused: Option<Problem>, draft: (String, String)) -> Answer {
    let frame = call.frame(Section::Contacts).await?;
    let parameters = call.parameters()?;
    let text = |name: &str| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default().to_owned());
    let query = ContactQuery {
        search: text("search")?,
        tag: text("tag")?,
        channel: text("channel")?,
        since: text("activeSince")?,
        until: text("activeUntil")?,
    };
    let (found, unlisted) = match found_here(call, &parameters).await {
        Ok(found) => (found, None),
        Err(problem) => (Page { rows: Vec::new(), next: None }, Some(problem)),
    };
    let is_listed = unlisted.is_none();
    let (words, refused) = (frame.words(), refused.or(unlisted));
    let refused = refused.map(|problem| refusal::of_fields(&call.request, problem, words)).transpose()?;
    let workspace = call.workspace();
    let tags = call.run(move |app| async move { app.tag_conversation.in_use(workspace).await }).await?;
    // The API does not apply the workspace's zone.
    let here = &call.by.session.time_zone;
    let moment = |day: &String| here.read_moment(day).map_or_else(|| day.clone(), rfc3339_ms);
    let by_moments =
        ContactQuery { since: moment(&query.since), until: moment(&query.until), ..query.clone() };
    page(
        refusal::status(refused.as_ref()),
        &ContactsPage {
            frame: &frame,
            is_listed,
            query: &query,
            tags,
            more: found.next.map(|next| query.at(PATH, Some(&next))),
            contacts: found.rows.into_iter().map(|found| row(found, words)).collect(),
            export: by_moments.at(EXPORT, None),
            draft,
            refused,
        },
    )
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

/// Adds a person by their number.
///
/// There is one contact for each number: adding it again answers with the same one. The name is taken for a
/// new contact, or for one without a name.
pub(super) async fn add(call: Call, payload: Payload) -> Answer {
    let AddBody { phone, name } = match call.given(payload).await? {
        Given::Json(payload) => call.json(payload).await?,
        Given::Form(form) => AddBody { phone: form.text("phone")?, name: form.filled("name")? },
    };
    let draft = (phone.clone(), name.clone().unwrap_or_default());
    let (acting, region) = (call.acting(), call.by.session.region);
    let added = call
        .run(move |app| async move { app.add_contact.run_by(acting, region, &phone, name.as_deref()).await });
    match added.await {
        Ok(profile) if call.is_of_api() => act::ok(&ContactBody::from(profile)),
        Ok(profile) => Ok(see_other(&format!("{PATH}/{}", profile.contact.id))),
        Err(problem) if call.is_of_api() => Err(problem),
        Err(problem) => render(&call, Some(problem), draft).await,
    }
}

impl From<ListDirectoryError> for Problem {
    fn from(error: ListDirectoryError) -> Self {
        match error {
            ListDirectoryError::Store(error) => error.into(),
            wrong @ (ListDirectoryError::Search(_) | ListDirectoryError::Cursor(_)) => {
                Self::invalid(wrong.to_string())
            }
        }
    }
}
