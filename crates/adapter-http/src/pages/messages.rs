//! `/dashboard/settings/messages`: what was sent under a reference.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use dashboard_pages::{FoundPage, FoundRow, Place};
use domain::messages::{FoundMessage, MessageDelivery};
use url::form_urlencoded::Serializer;

use super::{answer::page, frame, refusal};
use crate::{
    App,
    dashboard::{SignedIn, messages::EVERYTHING},
    messages::find::sent_under,
    problem::Problem,
    query::Parameters,
};

const PATH: &str = "/dashboard/settings/messages";

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Place::Messages).await?;
    let parameters = Parameters::of(&request)?;
    let reference = parameters.get("reference")?.unwrap_or_default().to_owned();
    let (mut status, mut found, mut earlier, mut refused) = (StatusCode::OK, None, None, None);
    if !reference.is_empty() {
        match sent_under(&app, by.session.workspace, EVERYTHING, &parameters).await {
            Ok(page) => {
                found = Some(page.rows.into_iter().map(row).collect());
                earlier = page.next.map(|next| link(&reference, &next));
            }
            Err(problem) => {
                status = StatusCode::UNPROCESSABLE_ENTITY;
                refused = Some(refusal::of_form(problem, frame.words())?);
            }
        }
    }
    page(status, &FoundPage { frame: &frame, reference, found, earlier, refused })
}

fn link(reference: &str, cursor: &str) -> String {
    let query = Serializer::new(String::new())
        .append_pair("reference", reference)
        .append_pair("cursor", cursor)
        .finish();
    format!("{PATH}?{query}")
}

fn row(found: FoundMessage) -> FoundRow {
    let failure = found.delivery.as_ref().and_then(MessageDelivery::failure);
    let failure = failure.and_then(|(code, said)| {
        let said = said.filter(|said| !said.is_empty()).map(str::to_owned);
        said.or_else(|| code.map(|code| code.to_string()))
    });
    FoundRow {
        at: found.created_at.into(),
        from: found.from.map(|from| from.as_str().to_owned()),
        template: found.template.map(|template| template.name),
        stage: found.delivery.as_ref().map(MessageDelivery::stage),
        failure,
        conversation: found.conversation.map(|id| format!("/dashboard/inbox/{id}")),
    }
}
