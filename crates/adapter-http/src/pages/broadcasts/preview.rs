//! Third step of a broadcast: its preview and start.

use std::sync::Arc;

use actix_web::web::Payload;
use dashboard_pages::{
    BroadcastPeoplePage, BroadcastPreviewPage, BroadcastSkippedPage, EstimateRow, Frame, Preview, ReasonRow,
    SampleRow, Section, Trial,
};
use domain::{
    broadcasts::{
        Audience, BroadcastContent, BroadcastError, BroadcastPreview, BroadcastState, Change, Estimate,
        SampledPerson, TryBroadcastError, amount,
    },
    contacts::ContactName,
    ids::BroadcastId,
    sending::{IdempotencyKey, Refusal, SendError},
    zone::Zone,
};
use serde::Deserialize;
use time::OffsetDateTime;

use super::{
    super::{
        act::{self, Answer, Call, Given},
        answer::{ok, page, see_other},
        automations::hours::end_in_field,
        form::Form,
        not_taken::NotTaken,
        refusal::{self, WrongField},
    },
    PATH, at, found, moved, reason, start_typed, unknown,
    wire::{BroadcastBody, WrittenBody},
};
use crate::{app::App, problem::Problem, query::MOMENT};

/// First part of the canonical request, which tells these requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/broadcasts/try";

/// Name that distinguishes the cursors of those who would be left out.
const SKIPPED: &str = "broadcast-skipped";

/// Start and zone as typed.
type StartTyped = (String, String);

/// When a broadcast begins.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    /// A time to come; without, or with one that is over, it begins at once. A time without an offset is read
    /// from the workspace's clock.
    #[serde(default)]
    at: Option<String>,
    /// Where the clock is that `at` was read from, instead of the workspace's; `at` is then a date and a time
    /// of day there, such as `2026-11-27T10:00`.
    #[serde(default)]
    zone: Option<String>,
}

impl Start {
    /// Returns when the broadcast is to begin, `None` for at once; `here` is the workspace's time zone.
    ///
    /// # Errors
    /// Names the wrong field, and what is wrong.
    fn begins(&self, here: &Zone) -> Result<Option<OffsetDateTime>, (&'static str, String)> {
        let Some(at) = &self.at else { return Ok(None) };
        let zone = self.zone.as_deref().map(Zone::read).transpose();
        let zone = zone.map_err(|error| ("zone", format!("`zone`: {error}")))?;
        let read = zone.as_ref().unwrap_or(here).read_moment(at);
        read.map(Some).ok_or_else(|| ("at", format!("`at` must be {MOMENT}, or without an offset")))
    }
}

pub(in crate::pages) async fn show(call: Call) -> Answer {
    let (typed, sent_to) = (start_typed(&call.request)?, call.told());
    render(&call, None, (typed, Trial { sent_to, ..Trial::default() })).await
}

fn sample(person: SampledPerson) -> SampleRow {
    let (text, skipped) = match person.text {
        Ok(text) => (Some(text), None),
        Err(reason) => (None, Some(reason)),
    };
    SampleRow {
        contact_id: person.contact,
        phone: person.phone.as_str().to_owned(),
        name: person.name.as_ref().map(ContactName::as_str).map(str::to_owned),
        text,
        skipped,
    }
}

fn estimate(cost: Estimate) -> EstimateRow {
    let told = cost.told();
    EstimateRow { amount: amount(cost.micros), currency: cost.currency, people: cost.people, told }
}

/// Builds a preview; `word` puts what speaks against the broadcast into words.
fn preview(found: BroadcastPreview, word: impl Fn(Refusal) -> String) -> Preview {
    let skipped = found.skipped.into_iter().filter(|(_, people)| *people > 0);
    let skipped = skipped.map(|(why, people)| reason((why.as_str().to_owned(), people)));
    Preview {
        people: found.people,
        complete: found.complete,
        total: found.total,
        without_number: found.without_number,
        skipped: skipped.collect::<Vec<ReasonRow>>(),
        sample: found.sample.into_iter().map(sample).collect(),
        refusal: found.refusal.map(word),
        plan_room: found.plan_room,
        messaging_limit: found.limit,
        estimate: found.estimate.map(estimate),
    }
}

async fn previewed(
    call: &Call,
    content: BroadcastContent,
    audience: Audience,
) -> Result<BroadcastPreview, Problem> {
    let (workspace, region) = (call.workspace(), call.by.session.region);
    let previewed = call.run(move |app| async move {
        app.dashboard.broadcasts.manage.preview.run(workspace, region, &content, &audience).await
    });
    previewed.await
}

/// Whom a broadcast would go to now, what ten of them would get, and what speaks against it. Nothing is kept.
pub(in crate::pages) async fn of_written(call: Call, payload: Payload) -> Answer {
    let written = call.json::<WrittenBody>(payload).await?.read()?;
    let found = previewed(&call, written.content, written.audience).await?;
    act::ok(&preview(found, |refusal| refusal.to_string()))
}

fn against(refusal: Refusal, frame: &Frame) -> String {
    let words = frame.words();
    match refusal {
        Refusal::NoChannel(_) => words.broadcasts.no_number.to_owned(),
        refusal => refusal::sentence(&refusal.into(), words).to_owned(),
    }
}

async fn render(
    call: &Call,
    not_taken: Option<NotTaken>,
    (typed, trial): (Option<StartTyped>, Trial),
) -> Answer {
    let (broadcast, _) = found(call).await?;
    let found = previewed(call, broadcast.content.clone(), broadcast.audience.clone()).await?;
    let frame = call.frame(Section::Broadcasts).await?;
    let (status, refused) = call.refused(not_taken, &frame)?;
    let key = if trial.key.is_empty() { call.app.ids.next().to_string() } else { trial.key };
    let quiet = broadcast.content.quiet.as_ref();
    let zone = quiet.map_or(&call.by.session.time_zone, |quiet| &quiet.zone);
    let (at, zone) = typed.unwrap_or_else(|| (String::new(), zone.to_string()));
    let quiet = quiet.map(|quiet| {
        let (from, to) = quiet.hours.told();
        (from, end_in_field(to), quiet.zone.to_string())
    });
    page(
        status,
        &BroadcastPreviewPage {
            frame: &frame,
            id: broadcast.id.to_string(),
            is_draft: broadcast.state == BroadcastState::Draft,
            name: broadcast.name,
            written_to: found.written_to(),
            preview: preview(found, |refusal| against(refusal, &frame)),
            sender: broadcast.content.from,
            spread: broadcast.content.spread,
            quiet,
            trial: Trial { key, ..trial },
            at,
            zone,
            refused,
        },
    )
}

/// Lists everybody who would be left out, with the reasons: on a page those among the next 5,000 of the
/// audience, about 100 at most; it may have nobody and a next one.
pub(in crate::pages) async fn left_out(call: Call) -> Answer {
    let cursor = call.parameters()?.get("cursor")?.map(str::to_owned);
    let (broadcast, _) = found(&call).await?;
    let (workspace, region) = (call.workspace(), call.by.session.region);
    let (id, name, content, audience) = (broadcast.id, broadcast.name, broadcast.content, broadcast.audience);
    let skipped = call.run(move |app| async move {
        let manage = &app.dashboard.broadcasts.manage;
        let after = cursor.map(|cursor| manage.cursors.read(workspace, SKIPPED, &cursor)).transpose();
        let after = after.map_err(|_| Problem::invalid("`cursor` is none of this list"))?;
        let found = manage.preview.skipped(workspace, region, &content, &audience, after).await?;
        let next = found.next.map(|place| manage.cursors.issue(workspace, SKIPPED, place));
        Ok::<_, Problem>((found.people, next))
    });
    let (people, next) = skipped.await?;
    let none = (String::new(), String::new());
    ok(&BroadcastSkippedPage {
        frame: &call.frame(Section::Broadcasts).await?,
        id: id.to_string(),
        name,
        people: people.into_iter().map(sample).collect(),
        more: next.map(|next| BroadcastPeoplePage::at(&at(id, "skipped"), &none, Some(&next))),
    })
}

/// Begins a broadcast, now or at a time. One that is scheduled gets another time, and one that is paused goes
/// on then.
///
/// Its audience is collected while it runs, by what is known of people then. It is paused by itself, with the
/// reason, where the plan has no room for more active customers, the template or the number cannot be used
/// any more, or the network refuses messages for what they are; whoever was not written to is written to when
/// it is resumed.
pub(in crate::pages) async fn start(call: Call, payload: Payload) -> Answer {
    let (here, now) = (&call.by.session.time_zone, call.app.clock.now());
    match call.given(payload).await? {
        Given::Json(payload) => {
            let begins = call.json::<Start>(payload).await?.begins(here);
            let at = begins.map_err(|(_, wrong)| Problem::invalid(wrong))?;
            let started = moved(&call, call.id(unknown)?, Change::start(at, now)).await?;
            act::ok(&BroadcastBody::from(started?))
        }
        Given::Form(form) => start_by(&call, &form, now).await,
    }
}

/// Begins a broadcast as a form says; a time that is over is refused.
async fn start_by(call: &Call, form: &Form, now: OffsetDateTime) -> Answer {
    let (id, words): (BroadcastId, _) = (call.id(unknown)?, call.words());
    let typed = (form.text("at")?, form.text("zone")?);
    let zone = form.filled("zone")?.map(|zone| zone.trim().to_owned());
    let at = Start { at: form.filled("at")?, zone }.begins(&call.by.session.time_zone);
    let not_taken = match at {
        Err(("zone", _)) => NotTaken::wrong(WrongField::new("zone", words.automations.wrong_zone)),
        Err((field, _)) => NotTaken::wrong(WrongField::new(field, words.wrong.start)),
        Ok(Some(at)) if Change::is_over(at, now) => NotTaken::wrong(WrongField::new("at", words.wrong.over)),
        Ok(at) => match moved(call, id, Change::start(at, now)).await? {
            Ok(_) => return Ok(see_other(&format!("{PATH}/{id}"))),
            Err(error) => NotTaken::of_broadcast(error, words),
        },
    };
    // An immediate start has no typed time to show again.
    let typed = Some(typed).filter(|(at, _)| !at.is_empty());
    render(call, Some(not_taken), (typed, Trial::default())).await
}

/// Sends one message to a number, before anybody else gets it.
pub(in crate::pages) async fn send_one(call: Call, payload: Payload) -> Answer {
    let id: BroadcastId = call.id(unknown)?;
    let form = Form::of(&call.request, payload).await?;
    let (to, key, words) = (form.text("to")?, form.key()?, call.words());
    let (author, region) = ((call.workspace(), call.by.session.member), call.by.session.region);
    let asked = IdempotencyKey { key: key.clone(), request: format!("{ROUTE}/{id}\n{to}").into_bytes() };
    let number = to.clone();
    let trying = move |app: Arc<App>| async move {
        app.dashboard.broadcasts.trial.run(author, region, id, number, asked).await
    };
    let not_taken = match call.app.run(trying).await? {
        Ok(sent) => return call.tell(&at(id, "preview"), sent.to.as_str()),
        Err(TryBroadcastError::Broadcast(BroadcastError::Unknown)) => return Err(unknown()),
        Err(TryBroadcastError::Broadcast(error)) => NotTaken::of_broadcast(error, words),
        Err(TryBroadcastError::Send(SendError::Refused(Refusal::InvalidPhone(_)))) => {
            NotTaken::wrong(WrongField::new("to", words.refusals.invalid_phone))
        }
        Err(TryBroadcastError::Send(error)) => Problem::from(error).into(),
        Err(TryBroadcastError::Store(error)) => return Err(error.into()),
    };
    // The same key sends nothing twice, whatever became of this one.
    let trial = Trial { key, typed: to, sent_to: None };
    render(&call, Some(not_taken), (None, trial)).await
}

#[cfg(test)]
mod tests {
    use domain::zone::Zone;
    use time::macros::datetime;

    use super::Start;

    #[test]
    fn a_time_without_an_offset_is_the_workspaces_unless_a_zone_is_named() {
        let here = Zone::named("Asia/Baghdad").unwrap();
        let start = |at: &str, zone: Option<&str>| {
            Start { at: Some(at.to_owned()), zone: zone.map(str::to_owned) }.begins(&here)
        };
        for (at, zone, wanted) in [
            ("2026-11-27T10:00", None, datetime!(2026-11-27 7:00 UTC)),
            ("2026-11-27", None, datetime!(2026-11-26 21:00 UTC)),
            ("2026-11-27T10:00", Some("Europe/Berlin"), datetime!(2026-11-27 9:00 UTC)),
            ("2026-11-27T10:00:00Z", None, datetime!(2026-11-27 10:00 UTC)),
            ("2026-11-27T10:00:00+05:00", None, datetime!(2026-11-27 5:00 UTC)),
            ("2026-11-27T10:00:00+05:00", Some("Europe/Berlin"), datetime!(2026-11-27 5:00 UTC)),
        ] {
            assert_eq!(start(at, zone), Ok(Some(wanted)), "{at} {zone:?}");
        }
        for (at, zone, field) in
            [("tomorrow", None, "at"), ("2026-11-27T10:00", Some("Nowhere/City"), "zone")]
        {
            assert_eq!(start(at, zone).map_err(|(field, _)| field), Err(field), "{at} {zone:?}");
        }
        assert_eq!(Start { at: None, zone: None }.begins(&here), Ok(None));
    }
}
