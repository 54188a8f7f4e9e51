//! Actions of members in a conversation, by forms.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::Outcome;
use domain::{
    contacts::ContactName,
    conversations::{Command, Move},
    ids::{ConversationId, MemberId, UploadId},
    sending::{IdempotencyKey, Refusal, ReplyRequest, SendError},
    tag::Tag,
};

use super::{
    super::{
        answer::see_other,
        form::Form,
        frame,
        refusal::{self, WrongField},
    },
    page::show,
    query::read_conversation,
    query::read_query,
    query::unknown,
    refused::RefusedAct,
};
use crate::{app::App, problem::Problem, query::Parameters, session::SignedIn};

/// First part of the canonical request, which tells these requests apart under an idempotency key.
const ROUTE: &str = "POST /dashboard/inbox/reply";

/// Redirects to the conversation, or shows it with why the action was refused.
pub(super) async fn redirect_or_show(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    conversation: ConversationId,
    done: Result<(), Problem>,
    kept: RefusedAct,
) -> Result<HttpResponse, Problem> {
    let Err(problem) = done else {
        let query = read_query(&Parameters::of(request)?)?;
        return Ok(see_other(&query.conversation(&conversation.to_string())));
    };
    let words = frame::bare(request).words();
    let refused = if kept.tag.is_some() {
        refusal::of_only(request, problem, ("add", words.wrong.tag), words)?
    } else if kept.name.is_some() {
        refusal::of_only(request, problem, ("name", words.wrong.person), words)?
    } else {
        refusal::of_form(request, problem, words)?
    };
    show(app, by, request, Some(conversation), RefusedAct { refused: Some(refused), ..kept }).await
}

/// Sends a text or an uploaded file. The form carries the idempotency key, so that posting it again sends
/// nothing twice.
pub(in crate::pages) async fn reply(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let conversation = read_conversation(&request)?;
    let form = Form::of(&request, payload).await?;
    // Browsers end lines with CRLF, phones with LF.
    let (text, key) = (form.text("text")?.replace("\r\n", "\n"), form.key()?);
    let upload = form.filled("attachment")?.map(|id| id.parse::<UploadId>());
    let upload = upload.transpose().map_err(|_| Problem::invalid("`attachment` must be a UUID"))?;
    let file = upload.map(|id| id.to_string()).unwrap_or_default();
    let canonical = format!("{ROUTE}/{conversation}/{file}\n{text}").into_bytes();
    let wanted = ReplyRequest {
        conversation,
        text: text.clone(),
        buttons: Vec::new(),
        upload,
        key: Some(IdempotencyKey { key: key.clone(), request: canonical }),
        id: None,
    };
    let (workspace, author) = (by.session.workspace, by.session.member);
    let sent = app.run(move |app| async move { app.send_reply.run(workspace, author, &wanted).await });
    let sent = sent.await?;
    let Err(error) = sent else {
        return redirect_or_show(&app, &by, &request, conversation, Ok(()), RefusedAct::default()).await;
    };
    // The key was used for another text and cannot send this one.
    let is_spent = matches!(error, SendError::Refused(Refusal::KeyReused));
    let key = if is_spent { app.ids.next().to_string() } else { key };
    let words = frame::bare(&request).words();
    let of_length = refusal::of_length(&error, words);
    let problem = Problem::from(error);
    let outcome = refusal::outcome(&problem);
    // A failed message is shown in the conversation: it is no draft any more.
    let draft = (outcome != Outcome::Recorded).then_some((text, key));
    let refused = match of_length {
        Some(because) => WrongField::new("text", because).refused(&request),
        None => refusal::of_form(&request, problem, words)?,
    };
    let refused = Some(refusal::with_outcome(refused, outcome, words));
    show(&app, &by, &request, Some(conversation), RefusedAct { refused, draft, ..RefusedAct::default() })
        .await
}

/// Parses where a conversation is to go.
pub(super) fn parse_command(to: &str, own: MemberId) -> Option<Command> {
    match to.split_once(':') {
        None => match to {
            "take" => Some(Command::Take(own)),
            "close" => Some(Command::Close),
            "return" => Some(Command::Return),
            "no-group" => Some(Command::TakeOutOfGroups),
            _ => None,
        },
        Some(("member", id)) => id.parse().ok().map(Command::Assign),
        Some(("group", id)) => id.parse().ok().map(Command::SendToGroup),
        Some(_) => None,
    }
}

pub(in crate::pages) async fn make_move(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let conversation = read_conversation(&request)?;
    let to = Form::of(&request, payload).await?.text("to")?;
    let (workspace, member) = (by.session.workspace, by.session.member);
    let command = parse_command(&to, member).ok_or_else(|| Problem::invalid("`to` names no move"))?;
    let asked = Move::manual(member, command);
    let moved =
        app.run(move |app| async move { app.change_conversation.run(workspace, conversation, &asked).await });
    let done = moved.await?.map(drop).map_err(Problem::from);
    redirect_or_show(&app, &by, &request, conversation, done, RefusedAct::default()).await
}

pub(in crate::pages) async fn tag(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let conversation = read_conversation(&request)?;
    let form = Form::of(&request, payload).await?;
    let read = |tag: &str| Tag::read(tag).map_err(|error| Problem::invalid(error.to_string()));
    let (acting, added) = (by.acting(), form.text("add")?);
    let done = if let Some(tag) = form.filled("remove")? {
        let tag = read(&tag)?;
        let untagged =
            app.run(move |app| async move { app.tag_conversation.untag(acting, conversation, &tag).await });
        untagged.await?.map_err(Problem::from)
    } else {
        match read(&added) {
            Err(problem) => Err(problem),
            Ok(tag) => {
                let tagged = app.run(move |app| async move {
                    app.tag_conversation.run_by(acting, conversation, &tag).await
                });
                tagged.await?.map_err(Problem::from)
            }
        }
    };
    redirect_or_show(
        &app,
        &by,
        &request,
        conversation,
        done,
        RefusedAct { tag: Some(added), ..RefusedAct::default() },
    )
    .await
}

pub(in crate::pages) async fn rename(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let conversation = read_conversation(&request)?;
    let written = Form::of(&request, payload).await?.text("name")?;
    let done = match ContactName::read(&written) {
        Err(error) => Err(error.into()),
        Ok(name) => {
            let (workspace, acting) = (by.session.workspace, by.acting());
            let renamed = app.run(move |app| async move {
                let Some(found) = app.get_conversation.run(workspace, conversation).await? else {
                    return Ok(None);
                };
                app.rename_contact.run_by(acting, found.contact, &name).await
            });
            match renamed.await? {
                Ok(Some(_)) => Ok(()),
                Ok(None) => return Err(unknown()),
                Err(error) => Err(error.into()),
            }
        }
    };
    redirect_or_show(
        &app,
        &by,
        &request,
        conversation,
        done,
        RefusedAct { name: Some(written), ..RefusedAct::default() },
    )
    .await
}

/// Stops marketing to the contact, or allows it again.
pub(in crate::pages) async fn set_marketing(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let conversation = read_conversation(&request)?;
    let stopped = match Form::of(&request, payload).await?.text("stopped")?.as_str() {
        "yes" => true,
        "no" => false,
        _ => return Err(Problem::invalid("`stopped` must be `yes` or `no`")),
    };
    let (workspace, acting) = (by.session.workspace, by.acting());
    let set = app.run(move |app| async move {
        let Some(found) = app.get_conversation.run(workspace, conversation).await? else {
            return Ok(false);
        };
        app.dashboard.broadcasts.stops.set(acting, found.contact, stopped).await
    });
    if !set.await?? {
        return Err(unknown());
    }
    redirect_or_show(&app, &by, &request, conversation, Ok(()), RefusedAct::default()).await
}

#[cfg(test)]
mod tests {
    use domain::{conversations::Command, ids::MemberId};
    use uuid::Uuid;

    use super::parse_command;

    #[test]
    fn a_form_names_where_a_conversation_is_to_go() {
        let own = MemberId::from(Uuid::from_u128(1));
        let other = Uuid::from_u128(2);
        for (to, wanted) in [
            ("take", Some(Command::Take(own))),
            ("close", Some(Command::Close)),
            (format!("member:{other}").as_str(), Some(Command::Assign(other.into()))),
            (format!("group:{other}").as_str(), Some(Command::SendToGroup(other.into()))),
            ("no-group", Some(Command::TakeOutOfGroups)),
            ("group:", None),
            ("somewhere:7", None),
            ("", None),
        ] {
            assert_eq!(parse_command(to, own), wanted, "{to}");
        }
    }
}
