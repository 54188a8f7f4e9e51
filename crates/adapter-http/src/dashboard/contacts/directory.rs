//! `GET` and `POST /contacts`.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{
    channels::ChannelKind,
    contacts::directory::{AskedDirectory, DirectoryRow, ListDirectoryError},
    paging::Page,
    since::read_since,
    tag::{InvalidTag, Tag},
};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    app::App,
    body,
    contacts::wire::{AddBody, ContactBody},
    paging::read_page,
    problem::Problem,
    query::{MOMENT, Parameters},
    session::SignedIn,
};

/// A person of the directory.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DirectoryRowBody {
    contact: ContactBody,
    /// When the newest message was recorded that they or the team wrote; null where there is none.
    #[serde(with = "domain::clock::timestamp::option")]
    last_message_at: Option<OffsetDateTime>,
}

/// A page of the directory.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DirectoryBody {
    rows: Vec<DirectoryRowBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
}

impl From<Page<DirectoryRow>> for DirectoryBody {
    fn from(page: Page<DirectoryRow>) -> Self {
        let row = |DirectoryRow { profile, last_message_at }| DirectoryRowBody {
            contact: profile.into(),
            last_message_at,
        };
        Self { rows: page.rows.into_iter().map(row).collect(), next_cursor: page.next }
    }
}

/// Everybody whom the workspace knows, newest first; with filters, those who pass all of them.
///
/// A page may hold less than `limit`, even nobody, and have a `nextCursor`: only so many people are looked at
/// for each page.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<DirectoryBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    let (wanted, page) = (parse_filters(&parameters)?, read_page(&parameters)?);
    let (workspace, region) = (by.session.workspace, by.session.region);
    let listed = app.search(&by, move |app| async move {
        app.dashboard.directory.list.run(workspace, region, wanted, &page).await
    });
    Ok(Json(listed.await??.into()))
}

/// Parses the directory's filters.
pub(crate) fn parse_filters(parameters: &Parameters) -> Result<AskedDirectory, Problem> {
    let channels = ChannelKind::ALL.map(ChannelKind::as_str);
    Ok(AskedDirectory {
        search: parameters.get("search")?.map(str::to_owned),
        tag: parameters.read("tag", |text| Tag::read(text).ok(), &InvalidTag.to_string())?,
        channel: parameters.word("channel", ChannelKind::read, &channels)?,
        since: parameters.read("activeSince", read_since, MOMENT)?,
        until: parameters.read("activeUntil", read_since, MOMENT)?,
    })
}

/// Adds a person by their number.
///
/// There is one contact for each number: adding it again answers with the same one. The name is taken for a
/// new contact, or for one without a name.
pub(crate) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<ContactBody>, Problem> {
    let AddBody { phone, name } = body::json(&request, payload).await?.fields;
    let region = by.session.region;
    let added = app.run(move |app| async move {
        app.add_contact.run_by(by.acting(), region, &phone, name.as_deref()).await
    });
    Ok(Json(added.await??.into()))
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
