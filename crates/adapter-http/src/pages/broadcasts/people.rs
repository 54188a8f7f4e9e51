//! `/broadcasts/{id}/people`: whom a broadcast goes to, and what became of each.

use actix_web::web::Data;
use dashboard_pages::{BroadcastPeoplePage, BroadcastPersonRow, Section};
use domain::{
    broadcasts::{PEOPLE_HEAD, PeopleFilter, PeopleState, person_row, ports::ListedPerson},
    contacts::ContactName,
    ids::BroadcastId,
};

use super::{
    super::{
        act::{self, Answer, Call, PageOfRows},
        answer::ok,
        export::{self, RunningExports},
    },
    at, found, unknown,
};
use crate::{paging::read_page, problem::Problem, query::Parameters};

fn parse_filter(parameters: &Parameters) -> Result<PeopleFilter, Problem> {
    let states = PeopleState::ALL.map(PeopleState::as_str);
    let state = parameters.word("state", PeopleState::read, &states)?;
    Ok(PeopleFilter { state, reason: parameters.get("reason")?.map(str::to_owned) })
}

fn row(listed: &ListedPerson) -> BroadcastPersonRow {
    let ListedPerson { person, state, reason, at, followed } = listed;
    BroadcastPersonRow {
        contact_id: person.contact,
        phone: person.phone.as_str().to_owned(),
        name: person.name.as_ref().map(ContactName::as_str).map(str::to_owned),
        message_id: person.message,
        state: *state,
        reason: reason.clone(),
        at: (*at).into(),
        delivered_at: followed.delivered_at.map(Into::into),
        read_at: followed.read_at.map(Into::into),
        undelivered_at: followed.undelivered_at.map(Into::into),
        network_code: followed.code,
        answered_at: followed.answered_at.map(Into::into),
        stopped_at: followed.stopped_at.map(Into::into),
    }
}

/// Whom a broadcast goes to, as far as they were collected, the last first, with what became of their
/// messages.
///
/// A page may hold less than it could, even nobody, and have a next one: of what no index knows, such as who
/// has read it, 5,000 people are looked at for each page.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let parameters = call.parameters()?;
    let (filter, asked) = (parse_filter(&parameters)?, read_page(&parameters)?);
    let (workspace, id): (_, BroadcastId) = (call.workspace(), call.id(unknown)?);
    let state = filter.state.map(PeopleState::as_str).unwrap_or_default().to_owned();
    let typed = (state, filter.reason.clone().unwrap_or_default());
    let listed = call.run(move |app| async move {
        app.dashboard.broadcasts.manage.people(workspace, id, &filter, &asked).await
    });
    let listed = listed.await?.ok_or_else(unknown)?;
    if call.is_of_api() {
        return act::ok(&PageOfRows::of(listed, row));
    }
    let (broadcast, _) = found(&call).await?;
    let more = listed.next.map(|next| BroadcastPeoplePage::at(&at(id, "people"), &typed, Some(&next)));
    ok(&BroadcastPeoplePage {
        frame: &call.frame(Section::Broadcasts).await?,
        id: id.to_string(),
        name: broadcast.name,
        filter: typed,
        people: listed.rows.iter().map(row).collect(),
        more,
    })
}

/// A broadcast's people whom the filters name, with what became of their messages, as CSV.
///
/// A cell that a spreadsheet would take for a formula has an apostrophe before it. The log of changes tells
/// of it.
pub(in crate::pages) async fn export(call: Call, running: Data<RunningExports>) -> Answer {
    let filter = parse_filter(&call.parameters()?)?;
    let (acting, id): (_, BroadcastId) = (call.acting(), call.id(unknown)?);
    let (slot, begun) = (running.begin(acting.workspace)?, filter.clone());
    let known =
        call.run(move |app| async move { app.dashboard.broadcasts.export.begin(acting, id, &begun).await });
    if !known.await? {
        return Err(unknown());
    }
    Ok(export::csv(&call, slot, ("broadcast", PEOPLE_HEAD), move |app, before| {
        let filter = filter.clone();
        async move {
            let (rows, next) = app.dashboard.broadcasts.export.next(acting, id, &filter, before).await?;
            Ok((rows.iter().map(person_row).collect(), next))
        }
    }))
}
