//! One browser's stream.

use std::{sync::Arc, time::Duration};

use actix_web::web::Bytes;
use domain::{
    access::sessions::Session,
    errors::StoreError,
    ids::{ConversationId, MessageId},
    live::{FeedPosition, LiveEvent, LiveKind, Start},
};
use serde::Serialize;
use tokio::{
    sync::{broadcast::error::RecvError, mpsc},
    time::{interval, timeout},
};

use crate::{
    app::App,
    live::{Listener, StreamSlot},
};

/// Interval of heartbeats, so that no proxy takes the connection for dead.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Interval of checks that the session is still valid.
const CHECK_SESSION: Duration = Duration::from_secs(5);
/// Time after which a stream ends if the browser reads nothing. The browser reconnects and resumes.
const SLOW: Duration = Duration::from_secs(20);
/// A comment, which browsers ignore.
const NOTHING: Bytes = Bytes::from_static(b":\n\n");

/// Data of an event.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_id: Option<ConversationId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<MessageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_by_you: Option<bool>,
}

fn written(place: FeedPosition, event: &LiveEvent) -> Bytes {
    let LiveEvent { number, kind, conversation, message, member } = *event;
    let read_by_you = member.filter(|_| kind == LiveKind::ConversationChanged).map(|_| true);
    let body = EventBody { conversation_id: conversation, message_id: message, read_by_you };
    // Cannot fail: every key is a string and every value a plain one.
    let data = serde_json::to_string(&body).unwrap_or_default();
    let id = FeedPosition { number, ..place };
    Bytes::from(format!("id: {id}\nevent: {}\ndata: {data}\n\n", kind.as_str()))
}

fn opening(start: Start) -> Bytes {
    match start {
        Start::Now(place) => Bytes::from(format!("retry: 2000\nid: {place}\nevent: open\ndata: {{}}\n\n")),
        Start::GoOn(_) => Bytes::from_static(b"retry: 2000\n\n"),
        Start::Reset(place) => Bytes::from(format!("retry: 2000\nid: {place}\nevent: reset\ndata: {{}}\n\n")),
    }
}

/// Writes until the browser is gone or too slow, the session ends, or the process stops; then releases the
/// slot.
pub(super) async fn write(
    app: Arc<App>,
    session: Session,
    slot: StreamSlot,
    listener: Listener,
    out: mpsc::Sender<Bytes>,
) {
    if let Err(error) = tell(&app, &session, &slot, listener, &out).await {
        tracing::warn!(%error, workspace = %session.workspace, "a live stream ended");
    }
}

/// Sends bytes; `false` if the browser did not read them in time.
async fn put(out: &mpsc::Sender<Bytes>, bytes: Bytes) -> bool {
    matches!(timeout(SLOW, out.send(bytes)).await, Ok(Ok(())))
}

async fn tell(
    app: &App,
    session: &Session,
    slot: &StreamSlot,
    Listener { start, mut told }: Listener,
    out: &mpsc::Sender<Bytes>,
) -> Result<(), StoreError> {
    let hub = &app.dashboard.live;
    let mut place = start.place();
    if !put(out, opening(start)).await {
        return Ok(());
    }
    let (mut heartbeat, mut check) = (interval(HEARTBEAT), interval(CHECK_SESSION));
    // Changes from before the listener was registered, or lost since it fell behind, are read from the store.
    let mut behind = true;
    loop {
        while behind {
            let missed = hub.after(session.workspace, place.number).await?;
            behind = !missed.is_empty();
            for event in missed {
                if is_told(app, session, &event).await? && !put(out, written(place, &event)).await {
                    return Ok(());
                }
                place.number = event.number;
            }
        }
        let goes_on = tokio::select! {
            () = hub.closed().cancelled() => false,
            () = out.closed() => false,
            // Only a write reveals that the browser has left the page.
            () = slot.another_is_wanted() => put(out, NOTHING).await,
            _ = check.tick() => is_on(app, session).await?,
            _ = heartbeat.tick() => put(out, NOTHING).await,
            event = told.recv() => match event {
                Ok(event) if event.number > place.number => {
                    let taken = !is_told(app, session, &event).await? || put(out, written(place, &event)).await;
                    place.number = event.number;
                    taken
                }
                Ok(_) => true,
                Err(RecvError::Lagged(_)) => {
                    behind = true;
                    true
                }
                Err(RecvError::Closed) => false,
            },
        };
        if !goes_on {
            return Ok(());
        }
    }
}

/// Returns whether the session's member may see the event. Events for owners are checked against the member's
/// role of now, which may have changed since they began to listen.
async fn is_told(app: &App, session: &Session, event: &LiveEvent) -> Result<bool, StoreError> {
    if !event.is_for(session.member) {
        return Ok(false);
    }
    if !event.kind.is_for_owners() {
        return Ok(true);
    }
    let member = app.dashboard.members.get(session.workspace, session.member).await?;
    Ok(member.is_some_and(|member| event.kind.is_for(member.role)))
}

/// Returns whether the session is still valid. Listening alone does not extend it.
async fn is_on(app: &App, session: &Session) -> Result<bool, StoreError> {
    let on = app.dashboard.sessions.list(session).await?;
    Ok(on.iter().any(|listed| listed.id == session.id))
}

#[cfg(test)]
mod tests {
    use domain::live::{FeedPosition, LiveEvent, LiveKind, Start};
    use uuid::Uuid;

    use super::{opening, written};

    #[test]
    fn a_change_says_where_it_is_and_no_more() {
        let place = FeedPosition { epoch: Uuid::from_u128(7), number: 1 };
        let event = LiveEvent {
            number: 2,
            kind: LiveKind::MessageRecorded,
            conversation: Some(Uuid::from_u128(1).into()),
            message: Some(Uuid::from_u128(2).into()),
            member: None,
        };
        let text = "id: 00000000000000000000000000000007-2\nevent: message.recorded\n\
                    data: {\"conversationId\":\"00000000-0000-0000-0000-000000000001\",\
                    \"messageId\":\"00000000-0000-0000-0000-000000000002\"}\n\n";
        assert_eq!(written(place, &event), text);
        let moved = LiveEvent { kind: LiveKind::ConversationChanged, message: None, ..event };
        let text = "id: 00000000000000000000000000000007-2\nevent: conversation.changed\n\
                    data: {\"conversationId\":\"00000000-0000-0000-0000-000000000001\"}\n\n";
        assert_eq!(written(place, &moved), text);
        let read = LiveEvent { member: Some(Uuid::from_u128(3).into()), ..moved };
        let text = "id: 00000000000000000000000000000007-2\nevent: conversation.changed\n\
                    data: {\"conversationId\":\"00000000-0000-0000-0000-000000000001\",\"readByYou\":true}\n\n";
        assert_eq!(written(place, &read), text);
        let present = LiveEvent { kind: LiveKind::PresenceChanged, ..read };
        let text = "id: 00000000000000000000000000000007-2\nevent: presence.changed\n\
                    data: {\"conversationId\":\"00000000-0000-0000-0000-000000000001\"}\n\n";
        assert_eq!(written(place, &present), text);
        let groups = LiveEvent { kind: LiveKind::GroupsChanged, conversation: None, ..moved };
        let text = "id: 00000000000000000000000000000007-2\nevent: groups.changed\ndata: {}\n\n";
        assert_eq!(written(place, &groups), text);
    }

    #[test]
    fn a_stream_begins_by_saying_from_where() {
        let place = FeedPosition { epoch: Uuid::from_u128(7), number: 1 };
        for (start, wanted) in [
            (
                Start::Now(place),
                "retry: 2000\nid: 00000000000000000000000000000007-1\nevent: open\ndata: {}\n\n",
            ),
            (
                Start::Reset(place),
                "retry: 2000\nid: 00000000000000000000000000000007-1\nevent: reset\ndata: {}\n\n",
            ),
            (Start::GoOn(place), "retry: 2000\n\n"),
        ] {
            assert_eq!(opening(start), wanted);
        }
    }
}
