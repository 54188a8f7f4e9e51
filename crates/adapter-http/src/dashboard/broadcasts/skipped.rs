//! Who would be left out of a broadcast.

use actix_web::web::Data;
use domain::{
    broadcasts::{Audience, BroadcastContent, SampledPerson},
    paging::Cursors,
};

use crate::{app::App, problem::Problem, session::SignedIn};

/// Name that distinguishes the cursors of this list.
const LIST: &str = "broadcast-skipped";

/// Returns a page of those who would be left out, and the cursor of the next.
///
/// A page has those among the next 5,000 of the audience, about 100 at most; it may have nobody and a next
/// one.
pub(crate) async fn page(
    app: &Data<App>,
    by: &SignedIn,
    content: BroadcastContent,
    audience: Audience,
    cursor: Option<String>,
) -> Result<(Vec<SampledPerson>, Option<String>), Problem> {
    let (workspace, region) = (by.session.workspace, by.session.region);
    let found = app.run(move |app| async move {
        let manage = &app.dashboard.broadcasts.manage;
        let cursors: &Cursors = &manage.cursors;
        let read = |cursor: &str| {
            let wrong = || Problem::invalid("`cursor` is none of this list".to_owned());
            cursors.read(workspace, LIST, cursor).map_err(|_| wrong())
        };
        let after = cursor.as_deref().map(read).transpose()?;
        let found = manage.preview.skipped(workspace, region, &content, &audience, after).await?;
        let next = found.next.map(|place| cursors.issue(workspace, LIST, place));
        Ok::<_, Problem>((found.people, next))
    });
    found.await?
}
