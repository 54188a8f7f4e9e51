//! `GET /contacts/export`.

use actix_web::web::Data;
use domain::contacts::directory::{EXPORT_HEAD, exported};

use super::{
    super::{
        act::{Answer, Call},
        export::{self, RunningExports},
    },
    parse_filters,
};
use crate::problem::Problem;

/// Everybody whom the filters name, newest first, as CSV.
///
/// A cell that a spreadsheet would take for a formula has an apostrophe before it, which importing takes off
/// again. The log of changes tells of it.
pub(in crate::pages) async fn export(call: Call, running: Data<RunningExports>) -> Answer {
    let filter = parse_filters(&call.parameters()?)?.read(call.by.session.region);
    let filter = filter.map_err(|error| Problem::invalid(error.to_string()))?;
    let acting = call.acting();
    let (slot, begun) = (running.begin(acting.workspace)?, filter.clone());
    call.run(move |app| async move { app.dashboard.directory.export.begin(acting, &begun).await }).await?;
    Ok(export::csv(&call, slot, ("contacts", EXPORT_HEAD), move |app, after| {
        let filter = filter.clone();
        async move {
            let (rows, next) = app.dashboard.directory.export.next(acting, &filter, after).await?;
            Ok((rows.iter().map(exported).collect(), next))
        }
    }))
}
