//! `GET` and `POST /v1/contacts`, `GET` and `PATCH /v1/contacts/{id}`.

pub(crate) mod wire;

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{
    access::Scope,
    contacts::{AddContactError, AskedContacts, ContactName, InvalidName, ListContactsError},
    phone::Region,
};

use crate::{
    access::permit,
    app::App,
    body,
    paging::{PageQuery, id, not_found, read_page},
    problem::Problem,
    query::Parameters,
    schema::values::Id,
};
use wire::{AddBody, ContactBody, ContactsBody, RenameBody};

/// The workspace's contacts, newest first, and how many there are.
#[utoipa::path(
    get, path = "/v1/contacts", tag = "Contacts", operation_id = "listContacts",
    security(("key" = ["contacts:read"])),
    params(
        (
            "phone" = Option<String>, Query, example = "07701234567", min_length = 1,
            description = "Only the one with this number, in any spelling.",
        ),
        (
            "search" = Option<String>, Query, example = "0770", max_length = 200,
            description = "Only those whose name or number has this part. Capitals, Arabic letter variants and \
                diacritics do not matter, and a number is read as a person writes it: `0770` finds `+964770…`.",
        ),
        PageQuery
    ),
    responses((
        status = 200, description = "A page of contacts.", body = ContactsBody,
        example = json!({ "rows": [{
            "id": "0192f0c1-7a00-7000-8000-000000000004", "name": "سارة", "phone": "+9647701234567",
            "avatarUrl": null, "channels": ["whatsapp"], "tags": ["vip"], "conversations": 1,
            "source": "messaged", "lastActiveAt": "2026-11-21T10:00:45.000Z",
            "createdAt": "2026-11-20T08:12:03.000Z",
        }], "nextCursor": null, "total": 1 }),
    ))
)]
pub(crate) async fn list(app: Data<App>, request: HttpRequest) -> Result<Json<ContactsBody>, Problem> {
    let caller = permit(&request, Scope::ContactsRead)?;
    let parameters = Parameters::of(&request)?;
    let text = |name| parameters.get(name).map(|text| text.map(str::to_owned));
    let wanted = AskedContacts { phone: text("phone")?, search: text("search")? };
    let page = read_page(&parameters)?;
    let listed = app.run(move |app| async move {
        let region = if wanted.may_name_a_number() {
            app.find_region.run(caller.workspace).await?
        } else {
            Region::default()
        };
        app.list_contacts.run(caller.workspace, region, &wanted, &page).await
    });
    Ok(Json(listed.await??.into()))
}

/// One contact.
#[utoipa::path(
    get, path = "/v1/contacts/{id}", tag = "Contacts", operation_id = "getContact",
    security(("key" = ["contacts:read"])),
    params(("id" = Id, Path, example = "0192f0c1-7a00-7000-8000-000000000004", description = "The contact's id.")),
    responses((
        status = 200, description = "The contact.", body = ContactBody,
        example = json!({
            "id": "0192f0c1-7a00-7000-8000-000000000004", "name": null, "phone": null,
            "avatarUrl": null, "channels": ["instagram"], "tags": [], "conversations": 1,
            "source": "messaged", "lastActiveAt": "2026-11-21T10:00:45.000Z",
            "createdAt": "2026-11-20T08:12:03.000Z",
        }),
    ))
)]
pub(crate) async fn get(app: Data<App>, request: HttpRequest) -> Result<Json<ContactBody>, Problem> {
    let caller = permit(&request, Scope::ContactsRead)?;
    let unknown = || not_found("contact");
    let id = id(&request).ok_or_else(unknown)?;
    let found = app.run(move |app| async move { app.get_contact.run(caller.workspace, id).await });
    Ok(Json(found.await??.ok_or_else(unknown)?.into()))
}

/// Adds a person by their number.
///
/// There is one contact for each number: adding it again answers with the same one. The name is taken for a
/// new contact, or for one without a name.
#[utoipa::path(
    post, path = "/v1/contacts", tag = "Contacts", operation_id = "addContact",
    security(("key" = ["contacts:write"])),
    request_body(content = AddBody, example = json!({ "phone": "0770 123 4567", "name": "سارة" })),
    responses((
        status = 200, description = "The contact, new or known.", body = ContactBody,
        example = json!({
            "id": "0192f0c1-7a00-7000-8000-000000000004", "name": "سارة", "phone": "+9647701234567",
            "avatarUrl": null, "channels": [], "tags": [], "conversations": 0, "source": "import",
            "lastActiveAt": null, "createdAt": "2026-11-21T10:00:45.000Z",
        }),
    ))
)]
pub(crate) async fn add(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<ContactBody>, Problem> {
    let caller = permit(&request, Scope::ContactsWrite)?;
    let AddBody { phone, name } = body::json(&request, payload).await?.fields;
    let added = app.run(move |app| async move {
        let region = app.find_region.run(caller.workspace).await?;
        app.add_contact.run(caller.workspace, region, &phone, name.as_deref()).await
    });
    Ok(Json(added.await??.into()))
}

/// Gives a contact another name.
#[utoipa::path(
    patch, path = "/v1/contacts/{id}", tag = "Contacts", operation_id = "renameContact",
    security(("key" = ["contacts:write"])),
    params(("id" = Id, Path, example = "0192f0c1-7a00-7000-8000-000000000004", description = "The contact's id.")),
    request_body(content = RenameBody, example = json!({ "name": "سارة أحمد" })),
    responses((
        status = 200, description = "The contact under its new name.", body = ContactBody,
        example = json!({
            "id": "0192f0c1-7a00-7000-8000-000000000004", "name": "سارة أحمد", "phone": "+9647701234567",
            "avatarUrl": null, "channels": ["whatsapp"], "tags": ["vip"], "conversations": 1,
            "source": "messaged", "lastActiveAt": "2026-11-21T10:00:45.000Z",
            "createdAt": "2026-11-20T08:12:03.000Z",
        }),
    ))
)]
pub(crate) async fn rename(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<ContactBody>, Problem> {
    let caller = permit(&request, Scope::ContactsWrite)?;
    let RenameBody { name } = body::json(&request, payload).await?.fields;
    let name = ContactName::read(&name)?;
    let unknown = || not_found("contact");
    let id = id(&request).ok_or_else(unknown)?;
    let renamed =
        app.run(move |app| async move { app.rename_contact.run(caller.workspace, id, &name).await });
    Ok(Json(renamed.await??.ok_or_else(unknown)?.into()))
}

impl From<ListContactsError> for Problem {
    fn from(error: ListContactsError) -> Self {
        match error {
            ListContactsError::Store(error) => error.into(),
            wrong @ (ListContactsError::Phone(_)
            | ListContactsError::Search(_)
            | ListContactsError::Cursor(_)) => Self::invalid(wrong.to_string()),
        }
    }
}

impl From<AddContactError> for Problem {
    fn from(error: AddContactError) -> Self {
        match error {
            AddContactError::Store(error) => error.into(),
            wrong @ (AddContactError::Phone(_) | AddContactError::Name(_)) => {
                Self::invalid(wrong.to_string())
            }
        }
    }
}

impl From<InvalidName> for Problem {
    fn from(error: InvalidName) -> Self {
        Self::invalid(error.to_string())
    }
}
