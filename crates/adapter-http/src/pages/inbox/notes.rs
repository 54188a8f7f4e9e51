//! Notes to the team.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};

use super::{
    super::{answer::see_other, form::Form, frame, refusal},
    found,
    page::show,
    query::read_conversation,
    query::read_query,
    refused::RefusedAct,
};
use crate::{app::App, problem::Problem, query::Parameters, session::SignedIn};

pub(in crate::pages) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let conversation = read_conversation(&request)?;
    let form = Form::of(&request, payload).await?;
    // Browsers end lines with CRLF, which would count as two characters.
    let text = form.text("text")?.replace("\r\n", "\n");
    let mut mentions = Vec::new();
    for member in found::team(&app, &by).await?.members {
        if form.filled(&format!("mention-{}", member.id))?.is_some() {
            mentions.push(member.id);
        }
    }
    let (workspace, author, written) = (by.session.workspace, by.session.member, text.clone());
    let mentioned = mentions.clone();
    let added = app.run(move |app| async move {
        app.dashboard.notes.add(workspace, author, conversation, &written, mentioned).await
    });
    match added.await?.map_err(Problem::from) {
        Ok(note) => {
            let query = read_query(&Parameters::of(&request)?)?;
            Ok(see_other(&query.conversation(&note.conversation.to_string())))
        }
        Err(problem) => {
            let words = frame::bare(&request).words();
            let refused = Some(refusal::of_only(&request, problem, ("text", words.wrong.note), words)?);
            let refused = RefusedAct { refused, note: Some(text), mentions, ..RefusedAct::default() };
            show(&app, &by, &request, Some(conversation), refused).await
        }
    }
}
