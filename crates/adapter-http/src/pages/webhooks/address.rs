//! `/dashboard/settings/webhooks/{id}`.

use std::time::Duration;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{AddressPage, Place};
use domain::{
    ids::WebhookAddressId,
    paging::{AskedPage, PageLimit},
    webhooks::{DeliveryFilter, DeliveryState, RotateError},
};
use url::form_urlencoded::Serializer;

use super::{
    super::{
        answer::{page, see_other},
        form::Form,
        frame,
    },
    PATH, delivery_row, row,
};
use crate::{
    App,
    dashboard::{SignedIn, webhooks::known},
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
};

/// For how long a secret that is replaced signs beside the new one.
const OVERLAP: Duration = Duration::from_hours(24);

/// What was done to an address.
#[derive(Default)]
struct Done {
    secret: Option<String>,
    is_pinged: bool,
}

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    shown(&app, &by, &request, Done::default()).await
}

async fn shown(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    done: Done,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Place::Webhooks).await?;
    let parameters = Parameters::of(request)?;
    let state: Option<DeliveryState> = parameters.get("state")?.and_then(|word| word.parse().ok());
    let cursor = parameters.get("cursor")?;
    let address = known(app, by, request).await?;
    let filter = DeliveryFilter { address: address.id, state, event: None, since: None, until: None };
    let asked = AskedPage { limit: PageLimit::default(), cursor: cursor.map(str::to_owned) };
    let workspace = by.session.workspace;
    let listed =
        app.run(move |app| async move { app.dashboard.webhooks.read.list(workspace, &filter, &asked).await });
    let listed = listed.await??;
    let earlier = listed.next.map(|next| {
        let query = Serializer::new(String::new())
            .append_pair("state", state.map_or("", DeliveryState::as_str))
            .append_pair("cursor", &next)
            .finish();
        format!("{PATH}/{}?{query}", address.id)
    });
    page(
        StatusCode::OK,
        &AddressPage {
            frame: &frame,
            address: row(address),
            deliveries: listed.rows.iter().map(delivery_row).collect(),
            state,
            earlier,
            secret: done.secret,
            done: done.is_pinged.then_some(frame.words().webhooks.pinged),
            refused: None,
        },
    )
}

/// Switches an address off or on, tries it, gives it another secret, or removes it.
pub(in crate::pages) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("webhook address");
    let id: WebhookAddressId = id(&request).ok_or_else(unknown)?;
    let (what, acting) = (Form::of(&request, payload).await?.text("do")?, by.acting());
    let shown_again = what == "ping" || what == "rotate";
    let path = if what == "remove" { PATH.to_owned() } else { format!("{PATH}/{id}") };
    let changed = app.run(move |app| async move {
        let manage = &app.dashboard.webhooks.manage;
        let is_known = match what.as_str() {
            "pause" => manage.pause(acting, id).await?.is_some(),
            "resume" => manage.resume(acting, id).await?.is_some(),
            "remove" => manage.delete(acting, id).await?,
            "ping" => {
                let owed = manage.ping(acting, id).await?;
                return Ok(owed.map(|_| Done { is_pinged: true, ..Done::default() }));
            }
            "rotate" => {
                return match manage.rotate(acting, id, OVERLAP).await {
                    Ok(secret) => {
                        Ok(Some(Done { secret: Some(secret.reveal().to_owned()), ..Done::default() }))
                    }
                    Err(RotateError::Unknown) => Ok(None),
                    Err(error) => Err(error.into()),
                };
            }
            _ => return Err(Problem::invalid("`do` names nothing that can be done")),
        };
        Ok(is_known.then(Done::default))
    });
    let done = changed.await??.ok_or_else(unknown)?;
    if shown_again { shown(&app, &by, &request, done).await } else { Ok(see_other(&path)) }
}
