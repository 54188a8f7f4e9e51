//! Context of a page: its language, and the member who looks at it.

use actix_web::{HttpMessage, HttpRequest, web::Data};
use dashboard_pages::{Frame, Section, Viewer};

use super::{
    browser::{is_fetched, language},
    links::{local, nearest},
    notice,
};
use crate::{
    app::App,
    problem::Problem,
    session::{MadeAt, SignedIn},
};

/// Builds the frame of a page that needs no sign-in.
pub(super) fn bare(request: &HttpRequest) -> Frame {
    let asked = request.uri().path_and_query().map_or("", |path| path.as_str());
    // Answers to forms may have no page at their path: the nearest page above does.
    let path = if request.method().is_safe() {
        local(asked).to_owned()
    } else {
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        nearest(request, request.path()).map_or_else(Default::default, |path| format!("{path}{query}"))
    };
    let language = language(request, request.extensions().get::<SignedIn>().map(|by| &by.session));
    let said = notice::sentence(request, language.words());
    let extensions = request.extensions();
    let zone = extensions.get::<SignedIn>().map(|by| by.session.time_zone.clone());
    Frame {
        language,
        said,
        viewer: None,
        section: Section::Door,
        path: local(&path).to_owned(),
        token: None,
        zone,
        is_fetched: is_fetched(request),
        feed: extensions.get::<MadeAt>().and_then(|made| made.0),
    }
}

/// Builds the frame of a page opened by a link.
pub(super) fn of_link(frame: Frame, token: &str) -> Frame {
    Frame { token: Some(token.to_owned()), ..frame }
}

/// Builds the frame of a page for the signed-in member.
pub(super) async fn of(
    app: &Data<App>,
    request: &HttpRequest,
    by: &SignedIn,
    section: Section,
) -> Result<Frame, Problem> {
    let (workspace, member) = (by.session.workspace, by.session.member);
    let found = app.run(move |app| async move {
        let member = app.dashboard.members.get(workspace, member).await?;
        Ok::<_, domain::errors::StoreError>((member, app.dashboard.workspaces.find(workspace).await?))
    });
    let (Some(member), Some(workspace)) = found.await?? else {
        return Err(Problem::internal("a session without its member or workspace"));
    };
    let name = member.name.unwrap_or_else(|| member.email.as_str().to_owned());
    let (id, role) = (member.id.to_string(), member.role);
    let viewer = Viewer { member: id, name, role, workspace: workspace.name };
    Ok(Frame { viewer: Some(viewer), section, ..bare(request) })
}
