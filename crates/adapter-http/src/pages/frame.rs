//! Context of a page: its language, and the member who looks at it.

use actix_web::{HttpMessage, HttpRequest, http::header::ACCEPT_LANGUAGE, web::Data};
use dashboard_pages::{Frame, Language, Section, Viewer};
use domain::access::sessions::Session;

use super::{form::local, nearest, told};
use crate::{
    App,
    dashboard::{
        MadeAt, SignedIn,
        cookie::{self, Cookies},
    },
    problem::Problem,
};

/// Returns the member's language, or else the browser's chosen one, or else the first accepted one that we
/// have.
fn language(request: &HttpRequest, by: Option<&Session>) -> Language {
    let headers = request.headers();
    let chosen = || cookie::of_name(headers, Cookies::of(request).language()).and_then(Language::read);
    let accepted = || headers.get(ACCEPT_LANGUAGE).and_then(|value| Language::accepted(value.to_str().ok()?));
    by.and_then(|by| by.language).map(Language::from).or_else(chosen).or_else(accepted).unwrap_or_default()
}

/// Returns whether a script sent the request, according to `Sec-Fetch-Dest`.
pub(super) fn is_fetched(request: &HttpRequest) -> bool {
    request.headers().get("sec-fetch-dest").is_some_and(|destination| destination == "empty")
}

/// Builds the frame of a page that needs no sign-in.
pub(super) fn bare(request: &HttpRequest) -> Frame {
    let asked = request.uri().path_and_query().map_or("", |path| path.as_str());
    // Answers to forms may have no page at their path: the nearest page above does.
    let path = if request.method().is_safe() {
        local(asked).to_owned()
    } else {
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        nearest(request.path()).map_or_else(Default::default, |path| format!("{path}{query}"))
    };
    let language = language(request, request.extensions().get::<SignedIn>().map(|by| &by.session));
    let said = told::sentence(request, language.words());
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
