//! First step of a broadcast: its name, template and audience.

use std::{collections::BTreeSet, sync::Arc};

use actix_web::web::Payload;
use dashboard_pages::{BroadcastAudiencePage, CHOSEN, Moment, Section, TypedAudience};
use domain::{
    broadcasts::{Audience, Broadcast, BroadcastError, WrittenBroadcast},
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
        act::{self, Answer, Call, Given},
        answer::{page, see_other},
        form::Form,
        not_taken::NotTaken,
    },
    PATH, at, found, step, unknown,
    wire::{BroadcastBody, WrittenBody},
};
use crate::{app::App, problem::Problem, query::Parameters};

/// Shows the form of a new broadcast, addressed to the contacts ticked in the directory, if any.
pub(in crate::pages) async fn begin(call: Call) -> Answer {
    let asked = Parameters::of(&call.request)?;
    let contacts = ticked(asked.names());
    // A member who wanted the ticked contacts does not mean everybody.
    let wants_ticked = !contacts.is_empty() || asked.get("ticked")?.is_some();
    let not_taken = (wants_ticked && contacts.is_empty()).then(|| {
        let detail = Some(call.words().broadcasts.nobody_ticked.to_owned());
        NotTaken { detail, ..Problem::invalid("nobody is ticked").into() }
    });
    let list = if wants_ticked { CHOSEN.to_owned() } else { String::new() };
    let draft = BroadcastId::new(&*call.app.ids).to_string();
    let typed = TypedAudience { draft, list, contacts, ..TypedAudience::default() };
    render(&call, format!("{PATH}/new"), typed, not_taken).await
}

/// Returns the contacts that fields are named after.
fn ticked<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    names.filter_map(|name| name.strip_prefix("contact-")).map(str::to_owned).collect()
}

pub(in crate::pages) async fn audience(call: Call) -> Answer {
    let (broadcast, _) = found(&call).await?;
    let action = step(&call.request, broadcast.id, "audience")?;
    render(&call, action, typed(&broadcast, &call.by.session.time_zone), None).await
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

async fn render(call: &Call, action: String, typed: TypedAudience, not_taken: Option<NotTaken>) -> Answer {
    let workspace = call.workspace();
    let known = call.run(move |app| async move {
        let filter = TemplateFilter { status: Some(TemplateStatus::Approved), category: None };
        let templates = app.list_templates.run(workspace, filter).await?;
        let lists = app.dashboard.broadcasts.lists.list(workspace).await?;
        let groups = app.dashboard.groups.list(workspace).await?;
        let tags = app.tag_conversation.in_use(workspace).await?;
        Ok::<_, StoreError>((templates, lists, groups, tags))
    });
    let (templates, lists, groups, tags) = known.await?;
    let frame = call.frame(Section::Broadcasts).await?;
    let (status, refused) = call.refused(not_taken, &frame)?;
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

/// Writes a draft of a broadcast, and leads to its content. Nobody is written to before it is started.
pub(in crate::pages) async fn add(call: Call, payload: Payload) -> Answer {
    let form = match call.given(payload).await? {
        Given::Form(form) => form,
        Given::Json(payload) => {
            let written = call.json::<WrittenBody>(payload).await?.read()?;
            let added = added(&call, BroadcastId::new(&*call.app.ids), written).await?;
            return act::created(&BroadcastBody::from(added?));
        }
    };
    let typed = read(&form)?;
    let id = typed.draft.parse().unwrap_or_else(|_| BroadcastId::new(&*call.app.ids));
    let workspace = call.workspace();
    let known = call.run(move |app| async move { app.dashboard.broadcasts.manage.find(workspace, id).await });
    if let Some(broadcast) = known.await? {
        // A member who went back changes the draft that they had added.
        return changed(&call, broadcast, typed).await;
    }
    let not_taken = match written(&typed, None, &call.by.session.time_zone) {
        Err(problem) => problem.into(),
        Ok(written) => match added(&call, id, written).await? {
            Ok(broadcast) => return Ok(see_other(&at(broadcast.id, "content"))),
            Err(error) => NotTaken::of_broadcast(error, call.words()),
        },
    };
    render(&call, format!("{PATH}/new"), typed, Some(not_taken)).await
}

async fn added(
    call: &Call,
    id: BroadcastId,
    written: WrittenBroadcast,
) -> Result<Result<Broadcast, BroadcastError>, Problem> {
    let (acting, author, region) = (call.acting(), call.by.session.member, call.by.session.region);
    let adding = move |app: Arc<App>| async move {
        app.dashboard.broadcasts.manage.add_as(id, acting, author, region, written).await
    };
    call.app.run(adding).await
}

/// Replaces a draft.
pub(in crate::pages) async fn replace(call: Call, payload: Payload) -> Answer {
    let written = call.json::<WrittenBody>(payload).await?.read()?;
    let saved = save(&call, call.id(unknown)?, written).await?;
    act::ok(&BroadcastBody::from(saved?))
}

/// Changes a draft's audience. The content stays as long as the template does.
pub(in crate::pages) async fn change_audience(call: Call, payload: Payload) -> Answer {
    let typed = read(&Form::of(&call.request, payload).await?)?;
    let (broadcast, _) = found(&call).await?;
    changed(&call, broadcast, typed).await
}

async fn changed(call: &Call, broadcast: Broadcast, typed: TypedAudience) -> Answer {
    let id = broadcast.id;
    let not_taken = match written(&typed, Some(&broadcast.audience), &call.by.session.time_zone) {
        Err(problem) => problem.into(),
        Ok(mut written) => {
            if written.content.template == broadcast.content.template {
                written.content = broadcast.content;
            }
            match save(call, id, written).await? {
                Ok(_) => return Ok(see_other(&step(&call.request, id, "content")?)),
                Err(error) => NotTaken::of_broadcast(error, call.words()),
            }
        }
    };
    render(call, step(&call.request, id, "audience")?, typed, Some(not_taken)).await
}

pub(super) async fn save(
    call: &Call,
    id: BroadcastId,
    written: WrittenBroadcast,
) -> Result<Result<Broadcast, BroadcastError>, Problem> {
    let (acting, region) = (call.acting(), call.by.session.region);
    let saving = move |app: Arc<App>| async move {
        app.dashboard.broadcasts.manage.edit(acting, region, id, written).await
    };
    call.app.run(saving).await
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
