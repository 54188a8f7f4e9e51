//! `/dashboard/inbox/{id}/name` and `…/marketing`: changes of the person, by forms beside a conversation.

use actix_web::{HttpResponse, web::Payload};
use domain::contacts::ContactName;

use super::{
    super::{
        act::{Answer, Call},
        form::Form,
    },
    page::show_or_leave,
    query::{conversation, unknown},
    refused::RefusedAct,
};
use crate::problem::Problem;

/// Gives the person another name.
pub(in crate::pages) async fn rename(call: Call, payload: Payload) -> Answer {
    let id = conversation(&call)?;
    let written = Form::of(&call.request, payload).await?.text("name")?;
    let done = match ContactName::read(&written) {
        Err(error) => Err(error.into()),
        Ok(name) => {
            let (workspace, acting) = (call.workspace(), call.acting());
            let renamed = call.run(move |app| async move {
                let Some(found) = app.get_conversation.run(workspace, id).await? else { return Ok(None) };
                app.rename_contact.run_by(acting, found.contact, &name).await
            });
            renamed.await.and_then(|found| found.ok_or_else(unknown)).map(|_| HttpResponse::Ok().finish())
        }
    };
    show_or_leave(&call, id, done, RefusedAct { name: Some(written), ..RefusedAct::default() }).await
}

/// Stops marketing to the person, or allows it again.
pub(in crate::pages) async fn set_marketing(call: Call, payload: Payload) -> Answer {
    let id = conversation(&call)?;
    let stopped = match Form::of(&call.request, payload).await?.text("stopped")?.as_str() {
        "yes" => true,
        "no" => false,
        _ => return Err(Problem::invalid("`stopped` must be `yes` or `no`")),
    };
    let (workspace, acting) = (call.workspace(), call.acting());
    let set = call.run(move |app| async move {
        let Some(found) = app.get_conversation.run(workspace, id).await? else { return Ok(false) };
        app.dashboard.broadcasts.stops.set(acting, found.contact, stopped).await
    });
    let done = if set.await? { Ok(HttpResponse::Ok().finish()) } else { Err(unknown()) };
    show_or_leave(&call, id, done, RefusedAct::default()).await
}
