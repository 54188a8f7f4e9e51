//! `GET /v1/messages/{id}` and `GET /v1/messages?reference=`.

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    access::{Caller, Scope},
    ids::{ConversationId, MessageId, WorkspaceId},
    messages::{FoundMessage, MessageBody, MessageDelivery, Sight, TemplateRef},
    paging::Page,
    phone::PhoneNumber,
};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    access::permit_any,
    app::App,
    paging::{PageQuery, id, not_found, read_page},
    problem::Problem,
    query::Parameters,
    schema::{
        messages as schema,
        values::{Id, Phone, Timestamp},
    },
};

/// Longest reference, in characters, the same as in a send.
const MAX_REFERENCE_CHARS: usize = 128;

/// What became of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageState)]
pub(crate) struct StateBody {
    #[schema(value_type = Id)]
    id: MessageId,
    /// Null for a one-time code, for what a send-only number sent, and for a notice that is still under way.
    #[schema(value_type = Option<Id>, required = true)]
    conversation_id: Option<ConversationId>,
    /// The sending number; null for a page, an account, and what a customer wrote.
    #[schema(value_type = Option<Phone>, required = true)]
    from: Option<PhoneNumber>,
    /// The template that it was made from.
    #[schema(value_type = Option<schema::TemplateRef>, required = true)]
    template: Option<TemplateRef>,
    /// The caller's own id for the send.
    #[schema(required = true)]
    reference: Option<String>,
    /// When the send was begun; of what a customer wrote, when it was recorded.
    #[serde(with = "domain::clock::timestamp")]
    #[schema(value_type = Timestamp)]
    created_at: OffsetDateTime,
    /// Null where this service did not send it.
    #[schema(value_type = Option<schema::MessageDelivery>, required = true)]
    delivery: Option<MessageDelivery>,
    /// The message itself, for keys with `conversations:read`; null where it is in no conversation.
    #[schema(value_type = Option<schema::Message>, required = true)]
    message: Option<MessageBody>,
}

/// A page of what was sent under a reference.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MessageStates)]
pub(crate) struct StatesBody {
    data: Vec<StateBody>,
    /// What asks for the next page; null on the last.
    #[schema(required = true)]
    next_cursor: Option<String>,
}

impl From<FoundMessage> for StateBody {
    fn from(found: FoundMessage) -> Self {
        let delivery = found.delivery;
        Self {
            id: found.id,
            conversation_id: found.conversation,
            from: found.from,
            template: found.template,
            reference: found.reference,
            created_at: found.created_at,
            message: found.message.map(|message| MessageBody::of(message, delivery.clone())),
            delivery,
        }
    }
}

/// What became of a message: of a send, by the `id` that its answer or an `outcome_unknown` named, or of any
/// message of a conversation.
///
/// A key with `conversations:read` sees everything that is in a conversation, with its words. One with
/// `messages:send` sees everything that was sent, one-time codes too, without words and without the
/// recipient. What a key may not see is 404.
#[utoipa::path(
    get, path = "/v1/messages/{id}", tag = "Messages", operation_id = "getMessage",
    security(("key" = ["conversations:read"]), ("key" = ["messages:send"])),
    params(("id" = Id, Path, description = "The message's id.")),
    responses(
        (
            status = 200, description = "What became of it.", body = StateBody,
            example = json!({
                "id": "0192f0c1-7a00-7000-8000-000000000001", "conversationId": null, "from": "+9647700000001",
                "template": { "name": "login_code", "language": "ar" }, "reference": "login-7",
                "createdAt": "2026-11-21T10:00:45.000Z",
                "delivery": {
                    "status": "failed", "error": { "code": 131_026, "message": null },
                    "at": "2026-11-21T10:00:47.000Z",
                },
                "message": null,
            }),
        ),
        (status = 404, description = "It is not in this workspace, or the key may not see it."),
    )
)]
pub(crate) async fn get(app: Data<App>, request: HttpRequest) -> Result<Json<StateBody>, Problem> {
    let (caller, sight) = seeing(&request)?;
    let unknown = || not_found("message");
    let id: MessageId = id(&request).ok_or_else(unknown)?;
    let found = app.run(move |app| async move { app.find_messages.one(caller.workspace, sight, id).await });
    Ok(Json(found.await??.ok_or_else(unknown)?.into()))
}

/// Everything that was sent under a reference of yours, newest first; who sees what is told at `GET
/// /v1/messages/{id}`.
#[utoipa::path(
    get, path = "/v1/messages", tag = "Messages", operation_id = "findMessages",
    security(("key" = ["conversations:read"]), ("key" = ["messages:send"])),
    params(
        (
            "reference" = String, Query, example = "order-1042", min_length = 1, max_length = 128,
            description = "The `reference` of the sends, exactly.",
        ),
        PageQuery,
    ),
    responses(
        (
            status = 200, description = "A page of what was sent.", body = StatesBody,
            example = json!({ "data": [{
                "id": "0192f0c1-7a00-7000-8000-000000000001",
                "conversationId": "0192f0c1-7a00-7000-8000-000000000003", "from": "+9647700000001",
                "template": { "name": "order_ready", "language": "ar" }, "reference": "order-1042",
                "createdAt": "2026-11-21T10:00:45.000Z",
                "delivery": { "status": "delivered", "error": null, "at": "2026-11-21T10:00:47.000Z" },
                "message": null,
            }], "nextCursor": null }),
        ),
        (status = 400, description = "`reference` is missing, or a parameter breaks a rule."),
    )
)]
pub(crate) async fn list(app: Data<App>, request: HttpRequest) -> Result<Json<StatesBody>, Problem> {
    let (caller, sight) = seeing(&request)?;
    let parameters = Parameters::of(&request)?;
    Ok(Json(sent_under(&app, caller.workspace, sight, &parameters).await?.into()))
}

/// Returns a page of what was sent under the reference that the parameters name.
pub(crate) async fn sent_under(
    app: &Data<App>,
    workspace: WorkspaceId,
    sight: Sight,
    parameters: &Parameters,
) -> Result<Page<FoundMessage>, Problem> {
    let asked = read_page(parameters)?;
    let fits = |text: &str| {
        let count = text.chars().count();
        (1..=MAX_REFERENCE_CHARS).contains(&count).then(|| text.to_owned())
    };
    let reference = parameters.read("reference", fits, "1 to 128 characters")?;
    let reference = reference.ok_or_else(|| Problem::invalid("`reference` is required"))?;
    let found = app.run(move |app| async move {
        app.find_messages.with_reference(workspace, sight, &reference, &asked).await
    });
    Ok(found.await??)
}

impl From<Page<FoundMessage>> for StatesBody {
    fn from(page: Page<FoundMessage>) -> Self {
        Self { data: page.rows.into_iter().map(StateBody::from).collect(), next_cursor: page.next }
    }
}

/// Returns the caller with what they may see.
fn seeing(request: &HttpRequest) -> Result<(Caller, Sight), Problem> {
    let caller = permit_any(request, &[Scope::ConversationsRead, Scope::MessagesSend])?;
    let sight =
        Sight { conversations: caller.may(Scope::ConversationsRead), sends: caller.may(Scope::MessagesSend) };
    Ok((caller, sight))
}
