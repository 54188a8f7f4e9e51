//! Starting, pausing, resuming and cancelling a broadcast.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{broadcasts::Change, ids::BroadcastId, zone::Zone};
use serde::Deserialize;
use time::OffsetDateTime;

use super::{unknown, wire::BroadcastBody};
use crate::{app::App, body, paging::id, problem::Problem, query::MOMENT, session::SignedIn};

/// When it begins.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartBody {
    /// A time to come; without, or with one that is over, it begins at once. A time without an offset is read
    /// from the workspace's clock.
    #[serde(default)]
    at: Option<String>,
    /// Where the clock is that `at` was read from, instead of the workspace's; `at` is then a date and a time
    /// of day there, such as `2026-11-27T10:00`.
    #[serde(default)]
    zone: Option<String>,
}

impl StartBody {
    /// Returns when the broadcast is to begin, `None` for at once; `here` is the workspace's time zone.
    fn begins(self, here: &Zone) -> Result<Option<OffsetDateTime>, Problem> {
        let Some(at) = self.at else { return Ok(None) };
        let zone = self.zone.as_deref().map(Zone::read).transpose();
        let zone = zone.map_err(|error| Problem::invalid(format!("`zone`: {error}")))?;
        let read = zone.as_ref().unwrap_or(here).read_moment(&at);
        let wrong = || Problem::invalid(format!("`at` must be {MOMENT}, or without an offset"));
        read.ok_or_else(wrong).map(Some)
    }
}

/// Begins a broadcast, now or at a time. One that is scheduled gets another time, and one that is paused goes
/// on then.
///
/// Its audience is collected while it runs, by what is known of people then. It is paused by itself, with the
/// reason, where the plan has no room for more active customers, the template or the number cannot be used
/// any more, or the network refuses messages for what they are; whoever was not written to is written to when
/// it is resumed.
pub(crate) async fn start(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<BroadcastBody>, Problem> {
    let at = body::json::<StartBody>(&request, payload).await?.fields.begins(&by.session.time_zone)?;
    let id = id(&request).ok_or_else(unknown)?;
    let change = Change::start(at, app.clock.now());
    moved(&app, &by, id, change).await
}

/// Has a broadcast write to nobody until it is resumed. What is under way at that moment, and up to 32 more
/// messages, is sent.
pub(crate) async fn pause(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<BroadcastBody>, Problem> {
    moved(&app, &by, id(&request).ok_or_else(unknown)?, Change::Pause).await
}

/// Goes on with a broadcast that was paused. Before the time at which it begins, it is `scheduled` again.
pub(crate) async fn resume(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<BroadcastBody>, Problem> {
    moved(&app, &by, id(&request).ok_or_else(unknown)?, Change::Resume).await
}

/// Ends a broadcast: whoever was not written to never is.
pub(crate) async fn cancel(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<BroadcastBody>, Problem> {
    moved(&app, &by, id(&request).ok_or_else(unknown)?, Change::Cancel).await
}

async fn moved(
    app: &Data<App>,
    by: &SignedIn,
    id: BroadcastId,
    change: Change,
) -> Result<Json<BroadcastBody>, Problem> {
    let (acting, region) = (by.acting(), by.session.region);
    let moved = app.run(move |app| async move {
        app.dashboard.broadcasts.manage.change(acting, region, id, change).await
    });
    Ok(Json(moved.await??.into()))
}

#[cfg(test)]
mod tests {
    use domain::zone::Zone;
    use time::macros::datetime;

    use super::StartBody;

    #[test]
    fn a_time_without_an_offset_is_the_workspaces_unless_a_zone_is_named() {
        let here = Zone::named("Asia/Baghdad").unwrap();
        for (at, zone, wanted) in [
            ("2026-11-27T10:00", None, datetime!(2026-11-27 7:00 UTC)),
            ("2026-11-27", None, datetime!(2026-11-26 21:00 UTC)),
            ("2026-11-27T10:00", Some("Europe/Berlin"), datetime!(2026-11-27 9:00 UTC)),
            ("2026-11-27T10:00:00Z", None, datetime!(2026-11-27 10:00 UTC)),
            ("2026-11-27T10:00:00+05:00", None, datetime!(2026-11-27 5:00 UTC)),
            ("2026-11-27T10:00:00+05:00", Some("Europe/Berlin"), datetime!(2026-11-27 5:00 UTC)),
        ] {
            let body = StartBody { at: Some(at.to_owned()), zone: zone.map(str::to_owned) };
            assert_eq!(body.begins(&here).unwrap(), Some(wanted), "{at} {zone:?}");
        }
        for (at, zone) in [("tomorrow", None), ("2026-11-27T10:00", Some("Nowhere/City"))] {
            let body = StartBody { at: Some(at.to_owned()), zone: zone.map(str::to_owned) };
            assert!(body.begins(&here).is_err(), "{at} {zone:?}");
        }
        let none = StartBody { at: None, zone: None };
        assert_eq!(none.begins(&here).unwrap(), None);
    }
}
