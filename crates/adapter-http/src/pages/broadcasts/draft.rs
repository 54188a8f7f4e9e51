//! First step of a broadcast: its name, template and audience.

use std::collections::BTreeSet;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{BroadcastAudiencePage, CHOSEN, Moment, Section, TypedAudience};
use domain::{
    broadcasts::{Audience, Broadcast, BroadcastContent, BroadcastError, WrittenBroadcast},
    clock::rfc3339_ms,
    errors::StoreError,
    ids::BroadcastId,
    tag::Tag,
    templates::{TemplateFilter, TemplateStatus},
    zone::Zone,
};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::{
    super::{
        answer::{page, see_other},
        form::Form,
        frame,
        not_taken::NotTaken,
    },
    PATH, at, found, refused, step, unknown,
};
use crate::{
    app::App, dashboard::broadcasts::wire::WrittenBody, paging::id, problem::Problem, query::Parameters,
    session::SignedIn,
};

/// Shows the form of a new broadcast, addressed to the contacts ticked in the directory, if any.
pub(in crate::pages) async fn begin(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let asked = Parameters::of(&request)?;
    let contacts = ticked(asked.names());
    // A member who wanted the ticked contacts does not mean everybody.
    let wants_ticked = !contacts.is_empty() || asked.get("ticked")?.is_some();
    let not_taken = (wants_ticked && contacts.is_empty()).then(|| {
        let detail = Some(frame::bare(&request).words().broadcasts.nobody_ticked.to_owned());
        NotTaken { detail, ..Problem::invalid("nobody is ticked").into() }
    });
    let list = if wants_ticked { CHOSEN.to_owned() } else { String::new() };
    let draft = BroadcastId::new(&*app.ids).to_string();
    let typed = TypedAudience { draft, list, contacts, ..TypedAudience::default() };
    render(&app, &by, &request, format!("{PATH}/new"), typed, not_taken).await
}

/// Returns the contacts that fields are named after.
fn ticked<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    names.filter_map(|name| name.strip_prefix("contact-")).map(str::to_owned).collect()
}

pub(in crate::pages) async fn audience(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id: BroadcastId = id(&request).ok_or_else(unknown)?;
    let (broadcast, _) = found(&app, &by, id).await?;
    let action = step(&request, id, "audience")?;
    render(&app, &by, &request, action, typed(&broadcast, &by.session.time_zone), None).await
}

/// Returns the day of a moment in the workspace's zone.
fn day_of(at: OffsetDateTime, here: &Zone) -> String {
    Moment::from(at).day(Some(here))
}

/// Returns the moment at which a day begins here; `kept` stays if it is within that day.
fn beginning(day: &str, kept: Option<OffsetDateTime>, here: &Zone) -> String {
    let day = day.trim();
    let kept = kept.filter(|at| day_of(*at, here) == day);
    // The API rejects texts that are no day.
    kept.or_else(|| here.moment(day)).map_or_else(|| day.to_owned(), rfc3339_ms)
}

fn typed(broadcast: &Broadcast, here: &Zone) -> TypedAudience {
    let mut typed = TypedAudience {
        name: broadcast.name.clone(),
        template: broadcast.content.template.clone(),
        ..TypedAudience::default()
    };
    match &broadcast.audience {
        Audience::List(list) => typed.list = list.to_string(),
        Audience::Chosen(contacts) => {
            CHOSEN.clone_into(&mut typed.list);
            typed.contacts = contacts.iter().map(ToString::to_string).collect();
        }
        Audience::Filter(filter) => {
            let tags = filter.tags.iter().map(Tag::as_str);
            let day = |at: Option<OffsetDateTime>| at.map(|at| day_of(at, here)).unwrap_or_default();
            typed.search = filter.search.clone().unwrap_or_default();
            typed.tag = filter.tag.as_ref().map(|tag| tag.as_str().to_owned()).unwrap_or_default();
            typed.tags = tags.collect::<Vec<_>>().join(", ");
            typed.channel = filter.channel.clone().unwrap_or_default();
            typed.source = filter.source.clone().unwrap_or_default();
            typed.group = filter.group.map(|group| group.to_string()).unwrap_or_default();
            typed.since = day(filter.active_since);
            typed.until = day(filter.active_until);
        }
    }
    typed
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    action: String,
    typed: TypedAudience,
    not_taken: Option<NotTaken>,
) -> Result<HttpResponse, Problem> {
    let workspace = by.session.workspace;
    let known = app.run(move |app| async move {
        let filter = TemplateFilter { status: Some(TemplateStatus::Approved), category: None };
        let templates = app.list_templates.run(workspace, filter).await?;
        let lists = app.dashboard.broadcasts.lists.list(workspace).await?;
        let groups = app.dashboard.groups.list(workspace).await?;
        let tags = app.tag_conversation.in_use(workspace).await?;
        Ok::<_, StoreError>((templates, lists, groups, tags))
    });
    let (templates, lists, groups, tags) = known.await??;
    let frame = frame::of(app, request, by, Section::Broadcasts).await?;
    let (status, refused) = refused(request, not_taken, &frame)?;
    // Templates that no number can send would only fail later.
    let sendable = templates.into_iter().filter(|one| !one.numbers.is_empty()).map(|one| one.template);
    let sendable = sendable.filter(|template| template.is_sendable() && !template.is_authentication());
    let names: BTreeSet<String> = sendable.map(|template| template.name).collect();
    page(
        status,
        &BroadcastAudiencePage {
            frame: &frame,
            action,
            typed,
            templates: names.into_iter().collect(),
            lists: lists
                .into_iter()
                .filter(|list| list.complete)
                .map(|list| (list.id.to_string(), list.name))
                .collect(),
            groups: groups.into_iter().map(|group| (group.id.to_string(), group.name)).collect(),
            tags,
            refused,
        },
    )
}

fn read(form: &Form) -> Result<TypedAudience, Problem> {
    Ok(TypedAudience {
        draft: form.text("draft")?,
        contacts: ticked(form.names()),
        name: form.text("name")?,
        template: form.text("template")?,
        list: form.text("list")?,
        search: form.text("search")?,
        tag: form.text("tag")?,
        tags: form.text("tags")?,
        channel: form.text("channel")?,
        source: form.text("source")?,
        group: form.text("group")?,
        since: form.text("activeSince")?,
        until: form.text("activeUntil")?,
    })
}

/// Splits a text at commas, Latin or Arabic.
pub(super) fn between_commas(text: &str) -> Vec<&str> {
    text.split([',', '،']).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Converts the form as the API would; `kept` is the draft's current audience.
fn written(typed: &TypedAudience, kept: Option<&Audience>, here: &Zone) -> Result<WrittenBroadcast, Problem> {
    let audience = if typed.list == CHOSEN {
        json!({ "contactIds": typed.contacts })
    } else if typed.list.is_empty() {
        let (since, until) = match kept {
            Some(Audience::Filter(kept)) => (kept.active_since, kept.active_until),
            _ => (None, None),
        };
        let mut filter = Map::new();
        for (name, value) in [
            ("search", &typed.search),
            ("tag", &typed.tag),
            ("channel", &typed.channel),
            ("source", &typed.source),
            ("groupId", &typed.group),
            ("activeSince", &beginning(&typed.since, since, here)),
            ("activeUntil", &beginning(&typed.until, until, here)),
        ] {
            if !value.trim().is_empty() {
                filter.insert(name.to_owned(), Value::from(value.as_str()));
            }
        }
        filter.insert("tags".to_owned(), json!(between_commas(&typed.tags)));
        json!({ "filter": filter })
    } else {
        json!({ "listId": typed.list })
    };
    let body = json!({ "name": typed.name, "template": typed.template, "audience": audience });
    let body: Result<WrittenBody, _> = serde_json::from_value(body);
    body.map_err(|error| Problem::invalid(error.to_string()))?.read()
}

/// Adds a draft and leads to its content.
pub(in crate::pages) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let typed = read(&Form::of(&request, payload).await?)?;
    let id = typed.draft.parse().unwrap_or_else(|_| BroadcastId::new(&*app.ids));
    let workspace = by.session.workspace;
    let known = app.run(move |app| async move { app.dashboard.broadcasts.manage.find(workspace, id).await });
    if let Some(broadcast) = known.await?? {
        // A member who went back changes the draft that they had added.
        return changed(&app, &by, &request, broadcast, typed).await;
    }
    let (acting, author, region) = (by.acting(), by.session.member, by.session.region);
    let added = match written(&typed, None, &by.session.time_zone) {
        Ok(written) => app
            .run(move |app| async move {
                app.dashboard.broadcasts.manage.add_as(id, acting, author, region, written).await
            })
            .await?
            .map_err(|error| NotTaken::of_broadcast(error, frame::bare(&request).words())),
        Err(problem) => Err(problem.into()),
    };
    match added {
        Ok(broadcast) => Ok(see_other(&at(broadcast.id, "content"))),
        Err(not_taken) => render(&app, &by, &request, format!("{PATH}/new"), typed, Some(not_taken)).await,
    }
}

/// Changes a draft's audience. The content stays as long as the template does.
pub(in crate::pages) async fn change_audience(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let id: BroadcastId = id(&request).ok_or_else(unknown)?;
    let typed = read(&Form::of(&request, payload).await?)?;
    let (broadcast, _) = found(&app, &by, id).await?;
    changed(&app, &by, &request, broadcast, typed).await
}

async fn changed(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    broadcast: Broadcast,
    typed: TypedAudience,
) -> Result<HttpResponse, Problem> {
    let id = broadcast.id;
    let changed = match written(&typed, Some(&broadcast.audience), &by.session.time_zone) {
        Ok(WrittenBroadcast { name, content, audience }) => {
            let content =
                if content.template == broadcast.content.template { broadcast.content } else { content };
            let saved = save(app, by, id, name, content, audience).await?;
            saved.map_err(|error| NotTaken::of_broadcast(error, frame::bare(request).words()))
        }
        Err(problem) => Err(problem.into()),
    };
    match changed {
        Ok(()) => Ok(see_other(&step(request, id, "content")?)),
        Err(not_taken) => {
            render(app, by, request, step(request, id, "audience")?, typed, Some(not_taken)).await
        }
    }
}

pub(super) async fn save(
    app: &Data<App>,
    by: &SignedIn,
    id: BroadcastId,
    name: String,
    content: BroadcastContent,
    audience: Audience,
) -> Result<Result<(), BroadcastError>, Problem> {
    let (acting, region) = (by.acting(), by.session.region);
    let written = WrittenBroadcast { name, content, audience };
    let edited =
        app.run(
            move |app| async move { app.dashboard.broadcasts.manage.edit(acting, region, id, written).await },
        );
    Ok(edited.await?.map(drop))
}

#[cfg(test)]
mod tests {
    use domain::{broadcasts::Audience, zone::Zone};
    use time::{OffsetDateTime, macros::datetime};

    use super::{TypedAudience, day_of, written};

    fn since(day: &str, kept: Option<&Audience>, here: &Zone) -> (Audience, Option<OffsetDateTime>) {
        let typed = TypedAudience {
            name: "Hours".to_owned(),
            template: "store_hours".to_owned(),
            since: day.to_owned(),
            ..TypedAudience::default()
        };
        let Ok(written) = written(&typed, kept, here) else { panic!("{day} was not taken") };
        let since = match &written.audience {
            Audience::Filter(filter) => filter.active_since,
            other => panic!("{other:?}"),
        };
        (written.audience, since)
    }

    #[test]
    fn a_day_begins_by_the_workspaces_clock_and_a_moment_within_it_stays() {
        let (here, elsewhere) =
            (Zone::named("Asia/Baghdad").unwrap(), Zone::named("America/New_York").unwrap());
        let (audience, begun) = since("2026-11-21", None, &here);
        assert_eq!(begun, Some(datetime!(2026-11-20 21:00 UTC)));
        assert_eq!(day_of(datetime!(2026-11-20 21:00 UTC), &here), "2026-11-21");
        assert_eq!(since("2026-11-21", Some(&audience), &here).1, begun);
        let (_, begun) = since("2026-11-20", Some(&audience), &elsewhere);
        assert_eq!(begun, Some(datetime!(2026-11-20 21:00 UTC)), "it is of that day there");
        assert_eq!(since("2026-11-22", Some(&audience), &here).1, Some(datetime!(2026-11-21 21:00 UTC)));
        assert_eq!(since("", Some(&audience), &here).1, None);
    }
}
