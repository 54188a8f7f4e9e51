//! Templates sent from a conversation.

use std::sync::{Arc, Mutex};

use domain::{
    audit::{Acting, Action, Actor, AuditEntry, MockAuditStore},
    channels::Connection,
    contacts::ports::MockContactStore,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    messages::NetworkMessageId,
    sending::{
        ConversationParts, KeyHolder, ListConversationTemplates, Refusal, Replied, ReplyContext, SendError,
        SendInConversation, SendTemplate, SentInConversation, TemplateRequest,
        ports::{MockSendLedger, Recorded, ReserveOutcome, SendFailure},
    },
    templates::{ListedTemplate, Template, TemplateStatus, ports::MockTemplateStore},
    testing::{
        ManualClock, SequentialIds, a_caller, a_code_template, a_contact, a_conversation, a_hash,
        a_ledger_entry, a_moment, a_network_message_id, a_number, a_template, a_template_request, a_vault,
        an_account_id, deps_of,
    },
    workspaces::Plan,
};

use serde_json::json;

use crate::send_reply::once_over;
use crate::send_template::{Seen, World, keyed};

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

fn acting() -> Acting {
    Acting {
        workspace: a_caller().workspace,
        actor: Actor::Member(author()),
        address: Some("192.0.2.7".parse().unwrap()),
    }
}

/// What was written to the log of changes.
type Logged = Arc<Mutex<Vec<(WorkspaceId, AuditEntry)>>>;

/// A log that keeps what it is given.
fn log() -> (MockAuditStore, Logged) {
    let (mut log, kept) = (MockAuditStore::new(), Arc::new(Mutex::new(Vec::new())));
    let keeps = Arc::clone(&kept);
    log.expect_add().returning(move |workspace, entry| {
        keeps.lock().unwrap().push((workspace, entry.clone()));
        Ok(())
    });
    (log, kept)
}

/// Sends from [`a_conversation`], with a log that nothing is expected to be written to.
async fn send(
    world: World,
    context: Option<ReplyContext>,
    request: TemplateRequest,
) -> (Result<Replied, SendError>, Seen) {
    let (answer, seen) = send_logging(world, context, request, MockAuditStore::new()).await;
    (answer.map(|sent| sent.replied), seen)
}

async fn send_logging(
    mut world: World,
    context: Option<ReplyContext>,
    request: TemplateRequest,
    log: MockAuditStore,
) -> (Result<SentInConversation, SendError>, Seen) {
    world.ledger.expect_reply_context().returning(move |_, _, _| Ok(context.clone()));
    let (clock, ids) = (Arc::new(ManualClock::at(world.now)), Arc::new(SequentialIds::default()));
    let ledger = Arc::new(world.ledger);
    let once = once_over(&ledger, world.network, world.signals, (&clock, &ids));
    let vault = Arc::new(a_vault());
    let template = SendTemplate {
        ledger: ledger.clone(),
        contacts: Arc::new(MockContactStore::new()),
        once: once.clone(),
        vault: vault.clone(),
        deps: deps_of(clock.clone(), ids.clone()),
    };
    let send = Arc::new(template);
    let use_case =
        SendInConversation { ledger, once, send, vault, log: Arc::new(log), deps: deps_of(clock, ids) };
    let answer = use_case.run(acting(), author(), a_conversation().id, request).await;
    let seen = world.seen.lock().unwrap().clone();
    (answer, seen)
}

#[pollster::test]
async fn a_template_goes_to_whom_the_conversation_is_with_and_is_its_author_s() {
    let parts = ConversationParts {
        contact: Some(a_contact()),
        conversation: Some(a_conversation()),
        files: Vec::new(),
    };
    let world = World::new()
        .beginning(ReserveOutcome::Started)
        .answering(Ok(a_network_message_id()))
        .with_conversation(parts)
        .recorded_as(|| Ok(Recorded::Now));
    let elsewhere = TemplateRequest {
        to: "+9647809999999".to_owned(),
        from: Some("+9647700000009".to_owned()),
        ..a_template_request()
    };
    let (log, logged) = log();
    let (answer, seen) = send_logging(world, Some(context()), elsewhere, log).await;
    let SentInConversation { replied: Replied { result, replayed }, unlogged } = answer.unwrap();
    assert!(unlogged.is_none());
    assert_eq!((result.conversation, replayed), (Some(a_conversation().id), false));
    assert_eq!(result.message.unwrap().sender_id, Some(author().to_string()));
    assert_eq!(seen.asked[0].to, a_contact().phone.unwrap());
    assert_eq!(seen.begun[0].intent.conversation_entry.author(), Some(author()));
    let [(workspace, entry)] = &logged.lock().unwrap()[..] else { panic!("one entry") };
    let by = Acting { workspace: *workspace, actor: entry.actor, address: entry.address };
    assert_eq!((by, entry.action, entry.at), (acting(), Action::TemplateSent, a_moment()));
    assert_eq!(entry.subject, Some(a_conversation().id.to_string()));
    let details = json!({ "template": a_template_request().template, "messageId": result.id.to_string() });
    assert_eq!(serde_json::Value::from(entry.details.clone()), details);
}

fn recorded(answer: Result<NetworkMessageId, SendFailure>) -> World {
    let parts = ConversationParts {
        contact: Some(a_contact()),
        conversation: Some(a_conversation()),
        files: Vec::new(),
    };
    World::new()
        .beginning(ReserveOutcome::Started)
        .answering(answer)
        .with_conversation(parts)
        .recorded_as(|| Ok(Recorded::Now))
}

#[pollster::test]
async fn what_may_have_been_sent_is_logged_and_a_log_that_fails_undoes_nothing() {
    let unknown = || Err(SendFailure::Unknown { reason: "silence".to_owned() });
    let (log, logged) = log();
    let (answer, _) = send_logging(recorded(unknown()), Some(context()), a_template_request(), log).await;
    assert!(matches!(answer, Err(SendError::Open { .. })));
    assert_eq!(logged.lock().unwrap().len(), 1);

    let failing = || {
        let mut log = MockAuditStore::new();
        log.expect_add().returning(|_, _| Err(StoreError::Unavailable("gone".to_owned())));
        log
    };
    let sent = recorded(Ok(a_network_message_id()));
    let (answer, _) = send_logging(sent, Some(context()), a_template_request(), failing()).await;
    assert!(answer.unwrap().unlogged.is_some());
    let (answer, _) =
        send_logging(recorded(unknown()), Some(context()), a_template_request(), failing()).await;
    assert!(
        matches!(answer, Err(SendError::Open { reason, .. }) if reason.contains("silence; not in the log"))
    );
}

#[pollster::test]
async fn a_conversation_s_templates_are_its_number_s_approved_ones_without_codes() {
    let elsewhere = Template { account: an_account_id(9), ..a_template("elsewhere") };
    let all = [a_template("order_ready"), elsewhere, a_code_template("login_code")];
    let listed = async |context: Option<ReplyContext>| {
        let (mut ledger, mut templates) = (MockSendLedger::new(), MockTemplateStore::new());
        ledger.expect_reply_context().return_once(move |_, _, _| Ok(context));
        let all = all.clone().map(|template| ListedTemplate { template, numbers: Vec::new() });
        templates
            .expect_list()
            .withf(|_, filter| filter.status == Some(TemplateStatus::Approved))
            .returning(move |_, _| Ok(all.to_vec()));
        let list = ListConversationTemplates { ledger: Arc::new(ledger), templates: Arc::new(templates) };
        let listed = list.run(a_caller().workspace, author(), a_conversation().id).await.unwrap();
        listed.map(|listed| listed.into_iter().map(|listed| listed.template.name).collect::<Vec<_>>())
    };
    assert_eq!(listed(None).await, None);
    let connection = Connection { account: a_template("").account, ..Connection::from(&a_number(0, 1)) };
    let reached = ReplyContext { connection: Some(connection), ..context() };
    assert_eq!(listed(Some(reached)).await, Some(vec!["order_ready".to_owned()]));
    let unreached = ReplyContext { connection: None, ..context() };
    assert_eq!(listed(Some(unreached)).await, Some(Vec::new()));
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
