//! Templates sent from a thread.

use std::sync::Arc;

use domain::{
    channels::Connection,
    ids::MemberId,
    sending::{
        KeyHolder, Recorder, Refusal, Replied, ReplyContext, SendError, SendInThread, SendOnce, SendTemplate,
        TemplateRequest, ThreadParts,
        ports::{Begun, Recorded},
    },
    testing::{
        ManualClock, SequentialIds, a_caller, a_contact, a_conversation, a_hash, a_ledger_entry, a_moment,
        a_network_message_id, a_number, a_template_request, a_vault,
    },
    workspaces::Plan,
};

use crate::{Seen, World, keyed};

fn author() -> MemberId {
    a_caller().creator
}

fn context() -> ReplyContext {
    ReplyContext {
        plan: Plan::default(),
        author_is_here: true,
        contact: a_contact(),
        conversation: a_conversation(),
        connection: Some(Connection::from(&a_number(0, 1))),
        to: None,
        customer_wrote_at: None,
    }
}

/// Sends from [`a_conversation`].
async fn send(
    mut world: World,
    context: Option<ReplyContext>,
    request: TemplateRequest,
) -> (Result<Replied, SendError>, Seen) {
    world.ledger.expect_reply_context().returning(move |_, _, _| Ok(context.clone()));
    let (clock, ids) = (Arc::new(ManualClock::at(world.now)), Arc::new(SequentialIds::default()));
    let (ledger, signals) = (Arc::new(world.ledger), Arc::new(world.signals));
    let recorder =
        Arc::new(Recorder { ledger: ledger.clone(), clock: clock.clone(), ids: ids.clone(), signals });
    let network = Arc::new(world.network);
    let once = Arc::new(SendOnce { ledger: ledger.clone(), network, recorder, clock: clock.clone() });
    let vault = Arc::new(a_vault());
    let template =
        SendTemplate { ledger: ledger.clone(), once: once.clone(), vault: vault.clone(), clock, ids };
    let use_case = SendInThread { ledger, once, send: Arc::new(template), vault };
    let answer = use_case.run(a_caller().workspace, author(), a_conversation().id, request).await;
    let seen = world.seen.lock().unwrap().clone();
    (answer, seen)
}

#[pollster::test]
async fn a_template_goes_to_whom_the_thread_is_with_and_is_its_author_s() {
    let parts = ThreadParts { contact: Some(a_contact()), conversation: Some(a_conversation()) };
    let world = World::new()
        .beginning(Begun::Started)
        .answering(Ok(a_network_message_id()))
        .with_thread(parts)
        .recorded_as(|| Ok(Recorded::Now));
    let elsewhere = TemplateRequest {
        to: "+9647809999999".to_owned(),
        from: Some("+9647700000009".to_owned()),
        ..a_template_request()
    };
    let (answer, seen) = send(world, Some(context()), elsewhere).await;
    let Replied { result, replayed } = answer.unwrap();
    assert_eq!((result.conversation, replayed), (Some(a_conversation().id), false));
    assert_eq!(result.message.unwrap().sender_id, Some(author().to_string()));
    assert_eq!(seen.asked[0].to, a_contact().phone.unwrap());
    assert_eq!(seen.begun[0].intent.leaves.author(), Some(author()));
}

#[pollster::test]
async fn where_there_is_no_way_nothing_is_begun_and_a_key_that_was_used_answers_first() {
    let gone = ReplyContext { author_is_here: false, ..context() };
    for (context, refusal) in [(None, Refusal::ConversationNotFound), (Some(gone), Refusal::AuthorLeft)] {
        let (answer, seen) = send(World::new(), context, a_template_request()).await;
        assert!(matches!(answer, Err(SendError::Refused(refused)) if refused == refusal));
        assert!(seen.begun.is_empty());
    }
    let holder = KeyHolder {
        request_hash: a_hash("idempotent-request", b"{}"),
        claimed_at: a_moment(),
        entry: a_ledger_entry(),
    };
    let (answer, _) = send(World::new().holding(Some(holder)), None, keyed()).await;
    assert!(answer.is_ok_and(|replied| replied.replayed));
}
