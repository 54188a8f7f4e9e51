use std::sync::{Arc, Mutex};

use domain::{
    automations::{
        Action, Automation, AutomationError, Conditions, Rule, RunAutomations, Trigger,
        ports::{AutomationStore, DueTrigger, MockTriggerQueue, TriggerQueue},
    },
    conversation::{Conversation, ConversationStatus},
    conversations::{ChangeError, Command, Move, StepOf, TagConversation, ports::TagStore},
    deps::Deps,
    errors::StoreError,
    ids::MessageId,
    sending::{Recorder, SendOnce, SendReply, ports::MockMessagingNetwork},
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, a_vault, deps_of, some_links},
};
use time::Duration;

use crate::conversations::world::{START, World, conversation, entry, id, message, workspace};

/// A conversation that the assistant has, with message 1,001 of its customer, which may set rules off.
async fn written(rules: &[Automation]) -> World {
    let bot =
        Conversation { status: ConversationStatus::Bot, assigned_to: None, group: None, ..conversation(1) };
    let world = World::with(workspace(1), &[bot]).await;
    for rule in rules {
        world.stores.automations.add(workspace(1), rule, 50, &entry(START)).await.unwrap();
    }
    world.write(workspace(1), &message(1, 1)).await;
    world
        .run(
            "INSERT INTO automation_triggers (workspace_id, message_id, began, due_at)
              SELECT workspace_id, id, true, created_at FROM messages",
        )
        .await;
    world
}

fn rule(number: u32, then: Vec<Action>) -> Automation {
    Automation {
        id: id(number),
        name: format!("rule {number}").try_into().unwrap(),
        author: id(1),
        enabled: true,
        rule: Rule { when: Conditions { began: true, ..Conditions::default() }, then },
    }
}

fn run(world: &World) -> RunAutomations {
    let clock = Arc::new(ManualClock::at(START + Duration::hours(2)));
    let signals = || {
        let mut signals = MockSignals::new();
        signals.expect_deliveries_due().return_const(());
        Arc::new(signals)
    };
    let ids = Arc::new(SequentialIds::default());
    let recorder = Recorder {
        ledger: world.stores.sends.clone(),
        deps: Deps { clock: clock.clone(), ids: ids.clone(), signals: signals() },
        links: Arc::new(some_links()),
    };
    let network = Arc::new(MockMessagingNetwork::new());
    let once = SendOnce::new(world.stores.sends.clone(), network, Arc::new(recorder), clock.clone());
    let reply = SendReply {
        ledger: world.stores.sends.clone(),
        once: Arc::new(once),
        uploads: world.stores.attachments.clone(),
        links: Arc::new(some_links()),
        vault: Arc::new(a_vault()),
        deps: deps_of(clock.clone(), ids.clone()),
    };
    RunAutomations {
        automations: world.stores.automations.clone(),
        triggers: world.stores.automations.clone(),
        change: Arc::new(world.moving_by(clock.clone())),
        tag: TagConversation { store: world.stores.conversations.clone(), deps: deps_of(clock.clone(), ids) },
        reply: Arc::new(reply),
        clock,
    }
}

async fn waiting(world: &World) -> i64 {
    world.client.query_one("SELECT count(*) FROM automation_triggers", &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_message_sets_its_rules_off_once_and_the_events_name_them() {
    let tag = Action::Tag { tag: "جديد".to_owned().try_into().unwrap() };
    let rules = [
        rule(1, vec![Action::SendToGroup { group: id(1) }, tag]),
        rule(2, vec![Action::Assign { member: id(2) }]),
        Automation { enabled: false, ..rule(3, vec![Action::Close {}]) },
    ];
    let world = written(&rules).await;
    world.listen("conversation.sent_to_group").await;
    world.listen("conversation.assigned").await;
    let run = run(&world);
    assert_eq!(run.workspaces().await.unwrap(), [workspace(1)]);
    let round = run.run(workspace(1), &|| false).await.unwrap();
    assert_eq!((round.taken, round.not_done.len()), (1, 0));
    let found = world.found(id(1)).await;
    assert_eq!((found.status, found.assigned_to), (ConversationStatus::Open, Some(id(2))));
    assert_eq!(found.group, Some(crate::conversations::world::group(1)));
    assert_eq!(world.stores.conversations.tags(workspace(1), &[id(1)]).await.unwrap(), [["جديد"]]);
    let reasons: Vec<_> =
        world.owed().await.iter().map(|body| body["data"]["reason"].as_str().unwrap().to_owned()).collect();
    assert_eq!(reasons, ["automation:rule 1", "automation:rule 2"]);
    assert_eq!(waiting(&world).await, 0);
    assert!(run.workspaces().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_step_that_was_done_before_the_process_died_is_not_done_again_when_a_person_has_moved_on() {
    let world = written(&[rule(1, vec![Action::Close {}, Action::SendToGroup { group: id(1) }])]).await;
    let first = run(&world);
    let due = first.triggers.claim_triggers(workspace(1), START, START, 10).await.unwrap();
    let trigger = &due[0].trigger;
    let automations = world.stores.automations.automations(workspace(1)).await.unwrap();
    let steps = domain::automations::plan(&automations, None, trigger);
    world.stores.automations.write_plan(workspace(1), trigger.message, &steps).await.unwrap();
    assert!(matches!(
        world.stores.automations.write_plan(workspace(1), trigger.message, &steps).await,
        Err(StoreError::Stale)
    ));
    let close = Move {
        by: domain::conversations::Actor::Automation { name: "rule 1".to_owned() },
        command: Command::Close,
    };
    let step = StepOf { message: trigger.message, place: 0 };
    first.change.run_step(workspace(1), id(1), &close, step).await.unwrap();
    // The process dies here, and a person takes the conversation up again.
    let takes = Move::manual(id(2), Command::Take(id(2)));
    world.moving().run(workspace(1), id(1), &takes).await.unwrap();

    let again = first.change.run_step(workspace(1), id(1), &close, step).await;
    assert!(matches!(again, Err(ChangeError::Store(StoreError::Stale))), "{again:?}");
    run(&world).run(workspace(1), &|| false).await.unwrap();
    let found = world.found(id(1)).await;
    assert_eq!((found.status, found.assigned_to), (ConversationStatus::Open, Some(id(2))));
    assert_eq!(
        found.group,
        Some(crate::conversations::world::group(1)),
        "the step that was not done is done now"
    );
    assert_eq!(waiting(&world).await, 0);
}

#[tokio::test]
async fn a_message_that_sets_nothing_off_waits_for_none_that_does() {
    let tag = Action::Tag { tag: "جديد".to_owned().try_into().unwrap() };
    let world = written(&[rule(1, vec![tag])]).await;
    let due = |number, began| DueTrigger {
        trigger: Trigger {
            message: message(1, number).id,
            conversation: id(1),
            began,
            text: String::new(),
            at: START,
        },
        planned: None,
        done: 0,
        attempts: 1,
    };
    let [sets_off, nothing, of_another] = [1, 2, 3].map(|number| message(1, number).id);
    let taken = vec![due(1, true), due(2, false), due(3, true)];
    let log = Arc::new(Mutex::new(Vec::new()));
    let (done, finished) = (Arc::clone(&log), Arc::clone(&log));
    let mut triggers = MockTriggerQueue::new();
    triggers.expect_claim_triggers().return_once(move |_, _, _, _| Ok(taken));
    triggers
        .expect_write_plan()
        .returning(move |_, message, _| if message == of_another { Err(StoreError::Stale) } else { Ok(()) });
    triggers.expect_step_done().returning(move |_, step| {
        done.lock().unwrap().push(("done", vec![step.message]));
        Ok(())
    });
    triggers.expect_finish_triggers().returning(move |_, messages| {
        finished.lock().unwrap().push(("finished", messages.to_vec()));
        Ok(())
    });
    let run = RunAutomations { triggers: Arc::new(triggers), ..run(&world) };
    assert_eq!(run.run(workspace(1), &|| false).await.unwrap().taken, 3);
    let wanted = [("finished", vec![nothing]), ("done", vec![sets_off]), ("finished", vec![sets_off])];
    assert_eq!(*log.lock().unwrap(), wanted);
}

#[tokio::test]
async fn what_a_stop_leaves_is_due_at_once_and_its_rules_are_as_they_were_decided() {
    let world = written(&[rule(1, vec![Action::Close {}])]).await;
    let run = run(&world);
    assert_eq!(run.run(workspace(1), &|| true).await.unwrap().taken, 1);
    assert_eq!(world.found(id(1)).await.status, ConversationStatus::Bot, "nothing was begun");
    assert_eq!(run.workspaces().await.unwrap(), [workspace(1)]);
    run.run(workspace(1), &|| false).await.unwrap();
    assert_eq!(world.found(id(1)).await.status, ConversationStatus::Closed);
    assert_eq!(waiting(&world).await, 0);
}

#[tokio::test]
async fn whoever_is_slow_holds_what_is_next_anew_and_leaves_what_another_has_taken_up() {
    let tag = |tag: &str| Action::Tag { tag: tag.to_owned().try_into().unwrap() };
    let world = written(&[rule(1, vec![tag("one"), tag("two")])]).await;
    let due = |number| DueTrigger {
        trigger: Trigger {
            message: message(1, number).id,
            conversation: id(1),
            began: true,
            text: String::new(),
            at: START,
        },
        planned: None,
        done: 0,
        attempts: 7,
    };
    let [first, second] = [1, 2].map(|number| message(1, number).id);
    let log = Arc::new(Mutex::new(Vec::new()));
    let (done, held) = (Arc::clone(&log), Arc::clone(&log));
    let clock = Arc::new(ManualClock::at(START));
    let slow = Arc::clone(&clock);
    let mut triggers = MockTriggerQueue::new();
    triggers.expect_claim_triggers().return_once(move |_, _, _, _| Ok(vec![due(1), due(2)]));
    triggers.expect_write_plan().returning(|_, _, _| Ok(()));
    triggers.expect_step_done().returning(move |_, step| {
        slow.advance(std::time::Duration::from_secs(80));
        done.lock().unwrap().push((step.message, format!("step {} done", step.place)));
        Ok(())
    });
    triggers.expect_postpone_trigger().returning(move |_, message, attempt, until| {
        assert_eq!(attempt, 7);
        held.lock().unwrap().push((message, format!("held until {}", (until - START).whole_seconds())));
        Ok(message == first)
    });
    triggers.expect_finish_triggers().times(1).returning(move |_, messages| {
        assert_eq!(messages, [first]);
        Ok(())
    });
    let run = RunAutomations { triggers: Arc::new(triggers), clock, ..run(&world) };
    run.run(workspace(1), &|| false).await.unwrap();
    let wanted = [
        (first, "step 0 done".to_owned()),
        (first, "held until 200".to_owned()),
        (first, "step 1 done".to_owned()),
        (second, "held until 280".to_owned()),
    ];
    assert_eq!(*log.lock().unwrap(), wanted);
}

#[tokio::test]
async fn only_whoever_has_taken_a_message_up_last_puts_it_off() {
    let world = written(&[rule(1, vec![Action::Close {}])]).await;
    let triggers = &world.stores.automations;
    let claim = async |now| triggers.claim_triggers(workspace(1), now, START, 10).await.unwrap();
    let late = START + Duration::hours(1);
    let (first, second) = (claim(START).await, claim(START).await);
    let put_off = async |due: &DueTrigger| {
        triggers.postpone_trigger(workspace(1), due.trigger.message, due.attempts, late).await.unwrap()
    };
    assert!(!put_off(&first[0]).await, "another has it");
    assert_eq!(claim(START).await.len(), 1);
    assert!(!put_off(&second[0]).await);
    assert!(put_off(&DueTrigger { attempts: 3, ..second[0].clone() }).await);
    assert_eq!(claim(START).await, []);
}

#[tokio::test]
async fn a_step_that_a_rule_of_life_speaks_against_holds_nothing_up() {
    let rules = [rule(1, vec![Action::Assign { member: id(9) }, Action::Close {}])];
    let world = written(&rules).await;
    let round = run(&world).run(workspace(1), &|| false).await.unwrap();
    let [not_done] = &round.not_done[..] else { panic!("{round:?}") };
    assert_eq!((not_done.given_up, &*not_done.automation), (true, "rule 1"));
    assert_eq!(world.found(id(1)).await.status, ConversationStatus::Closed);
}

#[tokio::test]
async fn a_reply_over_a_channel_that_cannot_take_it_is_given_up() {
    let reply = Action::Reply { text: "أهلا".to_owned().try_into().unwrap() };
    let world = written(&[rule(1, vec![reply])]).await;
    let round = run(&world).run(workspace(1), &|| false).await.unwrap();
    assert!(round.not_done.iter().all(|not_done| not_done.given_up));
    assert_eq!((round.not_done.len(), waiting(&world).await), (1, 0));
}

#[tokio::test]
async fn rules_are_kept_in_order_by_names_that_no_two_share_up_to_a_number() {
    let world = World::new().await;
    let close = || vec![Action::Close {}];
    for number in 1..=2 {
        let at = START + Duration::seconds(number.into());
        world.stores.automations.add(workspace(1), &rule(number, close()), 2, &entry(at)).await.unwrap();
    }
    let add = async |automation: &Automation, most| {
        world.stores.automations.add(workspace(1), automation, most, &entry(START)).await
    };
    let replace = async |automation: &Automation, number| {
        world.stores.automations.replace(workspace(number), automation, &entry(START)).await
    };
    assert_eq!(add(&rule(3, close()), 2).await, Err(AutomationError::TooMany));
    assert_eq!(add(&Automation { id: id(3), ..rule(1, close()) }, 9).await, Err(AutomationError::NameTaken));
    assert_eq!(
        replace(&Automation { id: id(2), ..rule(1, close()) }, 1).await,
        Err(AutomationError::NameTaken)
    );
    let changed = Automation { enabled: false, author: id(2), ..rule(1, vec![Action::Return {}]) };
    assert_eq!(replace(&changed, 2).await, Err(AutomationError::NotFound));
    assert_eq!(replace(&changed, 1).await, Ok(()));
    assert_eq!(
        world.stores.automations.automations(workspace(1)).await.unwrap(),
        [changed.clone(), rule(2, close())]
    );
    let switch = async |number, enabled| {
        world
            .stores
            .automations
            .switch(workspace(number), id(1), id(1), enabled, &entry(START))
            .await
            .unwrap()
    };
    assert!(!switch(2, true).await);
    assert!(switch(1, true).await);
    let switched = Automation { enabled: true, author: id(1), ..changed.clone() };
    assert_eq!(
        world.stores.automations.automations(workspace(1)).await.unwrap(),
        [switched, rule(2, close())],
        "what was written of it stays"
    );
    assert_eq!(world.stores.automations.automations(workspace(2)).await.unwrap(), []);
    assert!(!world.stores.automations.remove(workspace(2), id(1), &entry(START)).await.unwrap());
    assert!(world.stores.automations.remove(workspace(1), id(1), &entry(START)).await.unwrap());
    assert_eq!(replace(&changed, 1).await, Err(AutomationError::NotFound), "what is removed stays removed");
    assert_eq!(world.stores.automations.automations(workspace(1)).await.unwrap(), [rule(2, close())]);
    let told: i64 = world.client.query_one("SELECT count(*) FROM audit_log", &[]).await.unwrap().get(0);
    assert_eq!(told, 5, "what was changed is told, and nothing else");
}

#[tokio::test]
async fn two_nodes_do_not_take_up_the_same_message() {
    let world = written(&[rule(1, vec![Action::Close {}])]).await;
    let claim =
        || world.stores.automations.claim_triggers(workspace(1), START, START + Duration::minutes(2), 10);
    let (one, other) = tokio::join!(claim(), claim());
    let taken: Vec<MessageId> =
        one.unwrap().into_iter().chain(other.unwrap()).map(|due| due.trigger.message).collect();
    assert_eq!(taken, [message(1, 1).id]);
    assert!(claim().await.unwrap().is_empty());
}
