//! Telling networks that a member has read a conversation.

use actix_web::web::Data;
use domain::ids::{ConversationId, MessageId, WorkspaceId};
use tracing::debug;

use crate::app::App;

/// Tells the network in the background that a member has read up to this message.
pub(crate) fn tell_later(
    app: &Data<App>,
    workspace: WorkspaceId,
    conversation: ConversationId,
    message: MessageId,
) {
    app.later(move |app| async move {
        if let Err(error) = app.dashboard.tell_read.run(workspace, conversation, message).await {
            debug!(%workspace, %error, "a network was not told that a message is read");
        }
    });
}
