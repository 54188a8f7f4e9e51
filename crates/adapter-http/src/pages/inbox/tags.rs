//! `/conversations/{id}/tags`, and the tags in use.

use actix_web::{HttpResponse, http::Method, web::Payload};
use domain::{
    conversations::TagError,
    ids::ConversationId,
    tag::{InvalidTag, Tag},
};
use serde::Deserialize;

use super::{
    super::act::{self, Answer, Call, Given, Rows},
    page::{show_or_leave, tagged},
    query::{conversation, unknown},
    refused::RefusedAct,
};
use crate::{
    problem::{DashboardCode, Problem},
    query::Parameters,
};

/// A tag.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TagBody {
    tag: Tag,
}

/// What is done with a tag, and what was typed of it.
struct Asked {
    tag: Result<Tag, Problem>,
    is_to_go: bool,
    typed: String,
}

/// The tags in use, 200 at most: each in one of its spellings, in the order of their letters.
pub(in crate::pages) async fn in_use(call: Call) -> Answer {
    let workspace = call.workspace();
    let listed = call.run(move |app| async move { app.tag_conversation.in_use(workspace).await });
    act::ok(&Rows { rows: listed.await? })
}

async fn read(call: &Call, payload: Payload) -> Result<Asked, Problem> {
    if *call.request.method() == Method::DELETE {
        let form = InvalidTag.to_string();
        let tag = Parameters::of(&call.request)?.read("tag", |text| Tag::read(text).ok(), &form)?;
        let tag = tag.ok_or_else(|| Problem::invalid("`tag` is missing"))?;
        return Ok(Asked { tag: Ok(tag), is_to_go: true, typed: String::new() });
    }
    let form = match call.given(payload).await? {
        Given::Json(payload) => {
            let TagBody { tag } = call.json(payload).await?;
            return Ok(Asked { tag: Ok(tag), is_to_go: false, typed: String::new() });
        }
        Given::Form(form) => form,
    };
    let wrong = |error: InvalidTag| Problem::invalid(error.to_string());
    let typed = form.text("add")?;
    Ok(match form.filled("remove")? {
        Some(tag) => Asked { tag: Ok(Tag::read(&tag).map_err(wrong)?), is_to_go: true, typed },
        None => Asked { tag: Tag::read(&typed).map_err(wrong), is_to_go: false, typed },
    })
}

/// Tags a conversation, or takes a tag off it. A tag that it has already, in whatever spelling, stays as it
/// is, and nothing happens where it has none to take off.
pub(in crate::pages) async fn change(call: Call, payload: Payload) -> Answer {
    let id = conversation(&call)?;
    let Asked { tag, is_to_go, typed } = read(&call, payload).await?;
    let changed = match tag {
        Err(wrong) => Err(wrong),
        Ok(tag) => apply(&call, id, tag, is_to_go).await,
    };
    show_or_leave(&call, id, changed, RefusedAct { tag: Some(typed), ..RefusedAct::default() }).await
}

async fn apply(call: &Call, id: ConversationId, tag: Tag, is_to_go: bool) -> Answer {
    let (acting, is_of_api) = (call.acting(), call.is_of_api());
    let changed = call.run(move |app| async move {
        if !is_to_go {
            app.tag_conversation.run_by(acting, id, &tag).await?;
        }
        let Some(found) = app.get_conversation.run(acting.workspace, id).await? else { return Ok(None) };
        if is_to_go {
            app.tag_conversation.untag(acting, found.id, &tag).await?;
        }
        // A form leads to the page, which reads it all.
        let body = if is_of_api { Some(tagged(&app, acting.workspace, found).await?) } else { None };
        Ok::<_, TagError>(Some(body))
    });
    let body = changed.await?.ok_or_else(unknown)?;
    body.map_or_else(|| Ok(HttpResponse::Ok().finish()), |body| act::ok(&body))
}

impl From<TagError> for Problem {
    fn from(error: TagError) -> Self {
        match error {
            TagError::NotFound => unknown(),
            TagError::TooMany => Self::dashboard(DashboardCode::TooManyTags, error.to_string()),
            TagError::Store(error) => error.into(),
        }
    }
}
