//! What a try reads, and that it does nothing.

use std::sync::Arc;

use pollster::FutureExt;
use time::{Duration, macros::datetime};

use super::{ActsToSay, SaidActs, TryAssistant, TryError};
use crate::{
    assistant::{
        ANSWER, AssistantSettings, ByLanguage, Fact, HandOverReason, ModelAnswer, Models, Speaker,
        TokenUsage, Tool, ToolCall, ToolOutcome, TurnEnding, TurnOutcome, Words,
        ports::{MockAssistantStore, MockLanguageModel, MockTokenBudget, MockTools},
        speech::{Message, Register, Voice},
    },
    channels::ChannelKind,
    external_id::ExternalId,
    knowledge::ports::MockKnowledgeStore,
    phone::Region,
    systems::{
        CallError, Capability, Slot, Slots, Span,
        call::fixtures::{answered, calling, workspace},
        ports::MockCustomSystem,
    },
    testing::{ManualClock, SequentialIds, a_moment, a_workspace},
    text::PlainText,
    workspaces::{Plan, Workspace, ports::MockWorkspaceStore},
};

const SPAN: &str = r#"{"from":"2030-01-02T00:00:00+03:00","to":"2030-01-03T00:00:00+03:00"}"#;

fn words(text: &str) -> ModelAnswer {
    ModelAnswer { text: text.to_owned(), calls: vec![], usage: Some(TokenUsage::default()) }
}

fn calls(name: &str, arguments: &str) -> ModelAnswer {
    let call =
        ToolCall { id: "c1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned(), state: None };
    ModelAnswer { text: String::new(), calls: vec![call], usage: Some(TokenUsage::default()) }
}

fn greets() -> ModelAnswer {
    calls(ANSWER, r#"{"acts":[{"act":"greet"}]}"#)
}

/// Tries a model that answers by `script`, whose last answer repeats, in a workspace of `region`.
fn tried(
    region: Region,
    system: MockCustomSystem,
    tools: MockTools,
    script: Vec<ModelAnswer>,
) -> TurnOutcome {
    let mut settings = MockAssistantStore::new();
    settings.expect_settings().returning(|_| Ok(Some(AssistantSettings::default())));
    let mut budget = MockTokenBudget::new();
    budget.expect_reserve().returning(|_, _, _, _| Ok(true));
    budget.expect_settle().returning(|_, _, _, _, _, _| Ok(()));
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_find().returning(move |_| Ok(Some(Workspace { region, ..a_workspace() })));
    let mut model = MockLanguageModel::new();
    let mut script = script.into_iter();
    let mut last = words("");
    model.expect_answer().returning(move |_, _| {
        last = script.next().unwrap_or_else(|| last.clone());
        Ok(last.clone())
    });
    let try_out = TryAssistant {
        settings: Arc::new(settings),
        budget: Arc::new(budget),
        systems: calling([Capability::Catalog, Capability::Appointments, Capability::Customers], system),
        knowledge: Arc::new(without_documents()),
        workspaces: Arc::new(workspaces),
        model: Some(Models::only(Arc::new(model)).into()),
        tools: Arc::new(tools),
        clock: Arc::new(ManualClock::at(a_moment())),
        ids: Arc::new(SequentialIds::default()),
    };
    let said = vec![(Speaker::Customer, "شنو المواعيد الفارغة؟".to_owned())];
    try_out.run(workspace(), said).block_on().unwrap()
}

fn without_documents() -> MockKnowledgeStore {
    let mut knowledge = MockKnowledgeStore::new();
    knowledge.expect_has_documents().returning(|_| Ok(false));
    knowledge
}

fn slots() -> Slots {
    let at = datetime!(2030-01-02 10:00 +03:00);
    let slot = Slot {
        id: ExternalId::of_text("s1").unwrap(),
        span: Span::new(at, at + Duration::minutes(30)).unwrap(),
        service: PlainText::read("تنظيف", 200).unwrap(),
    };
    Slots { services: vec![], slots: vec![slot] }
}

#[test]
fn free_times_are_read_of_the_system_and_may_be_said() {
    let mut system = MockCustomSystem::new();
    system.expect_slots().times(1).returning(|_, query| {
        assert_eq!(query.from, datetime!(2030-01-02 00:00 +03:00));
        answered(slots())
    });
    let slots = calls(ANSWER, r#"{"acts":[{"act":"slots","slots":["s1"]}]}"#);
    let script = vec![calls("listAppointmentSlots", SPAN), slots];
    let outcome = tried(Region::default(), system, MockTools::new(), script);
    assert_eq!(outcome.tools, [Tool::ListAppointmentSlots]);
    let TurnEnding::Reply { messages } = &outcome.ending else { panic!("{:?}", outcome.ending) };
    let text = messages.first().and_then(|message| message.text()).unwrap();
    assert!(text.contains("الأربعاء") && text.contains("10:00"), "{text}");
}

#[test]
fn a_system_that_cannot_tell_its_free_times_is_told_of_as_to_a_customer() {
    let mut system = MockCustomSystem::new();
    system.expect_slots().returning(|_, _| Err(CallError::TimedOut.into()));
    let script = vec![calls("listAppointmentSlots", SPAN), greets()];
    let outcome = tried(Region::default(), system, MockTools::new(), script);
    assert_eq!(outcome.ending, TurnEnding::HandOver(HandOverReason::SystemUnavailable));
}

#[test]
fn a_try_is_of_the_workspaces_own_country() {
    let kuwait: Region = "KW".parse().unwrap();
    let mut tools = MockTools::new();
    tools.expect_run().times(1).withf(move |turn, _| turn.region == kuwait).returning(|_, _| ToolOutcome {
        told: serde_json::json!({ "products": [] }),
        ..ToolOutcome::default()
    });
    let script = vec![calls("searchProducts", r#"{"query":"حليب"}"#), greets()];
    let outcome = tried(kuwait, MockCustomSystem::new(), tools, script);
    assert_eq!(outcome.tools, [Tool::SearchProducts]);
}

#[test]
fn nothing_of_a_customer_is_read_and_nobody_is_written_down() {
    // A system or a tool that is asked all the same panics.
    for (name, arguments) in [("lookupCustomerRecord", "{}"), ("captureLead", r#"{"need":"ثلاجة"}"#)] {
        let script = vec![calls(name, arguments), greets()];
        let outcome = tried(Region::default(), MockCustomSystem::new(), MockTools::new(), script);
        assert!(matches!(outcome.ending, TurnEnding::Reply { .. }), "{name}: {:?}", outcome.ending);
    }
}

#[test]
fn nothing_is_tried_while_the_subscription_is_paused() {
    let plan = Plan { paused: true, ..a_workspace().plan };
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_find().returning(move |_| Ok(Some(Workspace { plan, ..a_workspace() })));
    let mut model = MockLanguageModel::new();
    model.expect_answer().never();
    let try_out = TryAssistant {
        settings: Arc::new(MockAssistantStore::new()),
        budget: Arc::new(MockTokenBudget::new()),
        systems: calling([Capability::Catalog], MockCustomSystem::new()),
        knowledge: Arc::new(without_documents()),
        workspaces: Arc::new(workspaces),
        model: Some(Models::only(Arc::new(model)).into()),
        tools: Arc::new(MockTools::new()),
        clock: Arc::new(ManualClock::at(a_moment())),
        ids: Arc::new(SequentialIds::default()),
    };
    let said = vec![(Speaker::Customer, "شنو المواعيد الفارغة؟".to_owned())];
    let refused = try_out.run(workspace(), said).block_on();
    assert!(matches!(refused, Err(TryError::Paused)), "{refused:?}");
}

#[test]
fn acts_are_worded_as_the_owner_has_set_it_and_no_model_is_asked() {
    let wordings =
        ByLanguage { arabic: Some("[thank]\nممنونين هواي\n".to_owned()), ..ByLanguage::default() };
    let fact = Fact {
        title: "التوصيل".to_owned(), text: "نوصل خلال يومين".to_owned(), ..Fact::default()
    };
    let set = AssistantSettings {
        name: Some("سارة".to_owned()),
        facts: vec![fact],
        register: Register::Formal,
        wordings,
        ..AssistantSettings::default()
    };
    let mut settings = MockAssistantStore::new();
    settings.expect_settings().returning(move |_| Ok(Some(set.clone())));
    let try_out = TryAssistant {
        settings: Arc::new(settings),
        budget: Arc::new(MockTokenBudget::new()),
        systems: calling([Capability::Catalog], MockCustomSystem::new()),
        knowledge: Arc::new(MockKnowledgeStore::new()),
        workspaces: Arc::new(MockWorkspaceStore::new()),
        model: None,
        tools: Arc::new(MockTools::new()),
        clock: Arc::new(ManualClock::at(a_moment())),
        ids: Arc::new(SequentialIds::default()),
    };
    let say = |acts: &str, evidence: &str| {
        let acts = ActsToSay {
            answer: acts.parse().unwrap(),
            evidence: evidence.parse().unwrap(),
            voice: Voice::IraqiArabic,
            channel: ChannelKind::Whatsapp,
        };
        try_out.say(workspace(), acts).block_on()
    };
    let texts =
        |said: &SaidActs| said.messages.iter().filter_map(Message::text).collect::<Vec<_>>().join("|");
    let said = say(r#"[{"act":"thank"},{"act":"cite","fact":"f1"},{"act":"who_i_am"}]"#, "{}").unwrap();
    let text = texts(&said);
    assert!(text.starts_with("ممنونين هواي\nنوصل خلال يومين\n") && text.contains("سارة"), "{text}");
    assert_eq!((said.words, said.objection), (Words::Code, None));
    // The evidence's own come first.
    let evidence = r#"{"assistant":"نور","facts":[{"id":"f1","text":"الدوام من 9"}]}"#;
    let text = texts(&say(r#"[{"act":"cite","fact":"f1"},{"act":"who_i_am"}]"#, evidence).unwrap());
    assert!(text.starts_with("الدوام من 9\n") && text.contains("نور"), "{text}");
    for (wording, words) in [("شكراً لكم!", Words::Model), ("التوصيل مجاني", Words::Code)]
    {
        let acts = format!(r#"{{"acts":[{{"act":"thank"}}],"wording":"{wording}"}}"#);
        let said = say(&acts, "{}").unwrap();
        assert_eq!((said.words, said.objection.is_some()), (words, words == Words::Code), "{said:?}");
    }
    let refused = say(r#"[{"act":"cite","fact":"f2"}]"#, "{}").unwrap_err().to_string();
    assert!(refused.starts_with("acts[0] (cite) fact: `f2` is not"), "{refused}");
}
