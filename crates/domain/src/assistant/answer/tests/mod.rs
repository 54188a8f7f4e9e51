//! Turns with a scripted model.

use std::sync::{Arc, Mutex};

mod spoken;

use super::{AnswerCustomer, TurnBrief, TurnEnding, TurnOutcome, TurnStep};
use crate::{
    assistant::{
        HandOverReason, ModelAnswer, ModelError, ModelMessage, ModelRequest, Models, Sent, Speaker,
        TokenUsage, Tool, ToolCall, ToolOutcome, ToolRequest,
        fixtures::a_brief,
        ports::{MockLanguageModel, MockTools, Tools},
        speech::{Evidence, Message},
    },
    clock::Clock,
    consent::Wanted,
    currency::Currency,
    testing::{ManualClock, a_moment},
};
use pollster::FutureExt;
use time::Duration;

type Answer = Result<ModelAnswer, ModelError>;

#[expect(clippy::unnecessary_wraps, reason = "scripts hold failures beside these")]
fn words(text: &str) -> Answer {
    let usage = TokenUsage { read_tokens: 10, written_tokens: 2 };
    Ok(ModelAnswer { text: text.to_owned(), calls: vec![], usage: Some(usage) })
}

#[expect(clippy::unnecessary_wraps, reason = "scripts hold failures beside these")]
fn calls(name: &str, arguments: &str) -> Answer {
    let call =
        ToolCall { id: "c1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned(), state: None };
    Ok(ModelAnswer { text: String::new(), calls: vec![call], usage: Some(TokenUsage::default()) })
}

fn brief(customer: &str) -> TurnBrief {
    TurnBrief { history: vec![(Speaker::Customer, customer.to_owned())], ..a_brief() }
}

/// Answers with acts, which JSON lists.
fn says(acts: &str) -> Answer {
    calls("answer", &format!(r#"{{"acts":{acts}}}"#))
}

/// Answers with an act that needs no evidence.
fn greets() -> Answer {
    says(r#"[{"act":"greet"}]"#)
}

fn is_greeted(outcome: &TurnOutcome) -> bool {
    matches!(outcome.ending, TurnEnding::Reply { .. }) && outcome.said.acts == ["greet"]
}

/// Returns the texts of a reply, one on each line; empty for other endings.
fn text_of(ending: &TurnEnding) -> String {
    let TurnEnding::Reply { messages } = ending else { return String::new() };
    messages.iter().filter_map(Message::text).collect::<Vec<_>>().join("\n")
}

/// Returns the result of reading milk at 15,000 dinars, id `milk`, and a shirt of two sizes.
fn a_shop() -> ToolOutcome {
    let shop: Evidence = include_str!("shop.json").parse().unwrap();
    let found = shop.products.iter().map(|product| {
        let (product, matched) = (product.clone(), crate::catalogue::search::Match::Strong);
        crate::catalogue::search::Found { product, matched }
    });
    ToolOutcome::found("حليب", &found.collect::<Vec<_>>(), Currency::IQD)
}

/// Returns the outcome, and what the model was asked each time. The last answer of the script repeats.
fn turn(customer: &str, script: Vec<Answer>) -> (TurnOutcome, Vec<ModelRequest>) {
    turn_with(MockTools::new(), customer, script)
}

/// Does the same with tools by which customers are asked.
fn turn_with(tools: MockTools, customer: &str, script: Vec<Answer>) -> (TurnOutcome, Vec<ModelRequest>) {
    turn_of(&brief(customer), tools, script)
}

fn turn_of(brief: &TurnBrief, mut tools: MockTools, script: Vec<Answer>) -> (TurnOutcome, Vec<ModelRequest>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let mut model = MockLanguageModel::new();
    model.expect_answer().returning(move |request, _| {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        script.get(seen.len() - 1).or(script.last()).cloned().unwrap()
    });
    tools.expect_run().returning(|_, _| a_shop());
    let clock = Arc::new(ManualClock::at(a_moment()));
    let answers = AnswerCustomer { model: Models::only(Arc::new(model)), tools: Arc::new(tools), clock };
    let outcome = answers.run(brief).block_on();
    let asked = asked.lock().unwrap().clone();
    (outcome, asked)
}

const SEARCH: &str = r#"{"query":"حليب"}"#;

#[test]
fn who_asks_for_a_person_gets_one_before_any_model_is_asked() {
    let (outcome, asked) = turn("اريد احجي ويه موظف", vec![greets()]);
    assert_eq!(outcome.ending, TurnEnding::HandOver(HandOverReason::Asked));
    assert!(asked.is_empty());
}

#[test]
fn who_asks_whether_a_person_answers_is_told_without_a_model() {
    for asked in ["انت بوت؟", "are you human?", "ئایا تۆ مرۆڤیت؟"] {
        let (outcome, requests) = turn(asked, vec![calls("searchProducts", SEARCH)]);
        assert!(matches!(outcome.ending, TurnEnding::Reply { .. }), "{asked}: {:?}", outcome.ending);
        assert_eq!((outcome.said.acts, requests.len()), (vec!["not_a_person".to_owned()], 0), "{asked}");
    }
}

#[test]
fn broken_arguments_and_unknown_tools_are_told_to_the_model() {
    for (name, arguments) in [("searchProducts", "{\"query\":"), ("placeOrder", "{}"), ("dropTables", "")] {
        let (outcome, asked) = turn("شكد", vec![calls(name, arguments), greets()]);
        assert!(is_greeted(&outcome), "{name}");
        assert!(outcome.tools.is_empty());
        let told = asked[1]
            .said
            .iter()
            .any(|said| matches!(said, ModelMessage::ToolResult { json, .. } if json.contains("error")));
        assert!(told, "{name}");
    }
}

#[test]
fn a_model_that_never_stops_calling_is_stopped() {
    let (outcome, asked) = turn("شكد", vec![calls("searchProducts", SEARCH)]);
    assert_eq!(outcome.ending, TurnEnding::HandOver(HandOverReason::Exhausted));
    assert_eq!((outcome.tools.len(), asked.len()), (2, 3));
    let (outcome, asked) = turn("شكد", vec![calls("searchProducts", "{}")]);
    assert_eq!(outcome.ending, TurnEnding::HandOver(HandOverReason::Exhausted));
    assert_eq!((outcome.tools.len(), asked.len()), (0, 6));
}

#[test]
fn an_answer_with_more_calls_than_a_turn_runs_is_stopped_whether_they_can_be_read_or_not() {
    let many = |number: usize, name: &str| {
        let call = |place: usize| ToolCall {
            id: format!("c{place}"),
            name: name.to_owned(),
            arguments: serde_json::json!({ "query": format!("حليب {place}") }).to_string(),
            state: None,
        };
        let calls = (0..number).map(call).collect();
        Ok(ModelAnswer { text: String::new(), calls, usage: Some(TokenUsage::default()) })
    };
    for (name, run) in [("searchProducts", 8), ("dropTables", 0)] {
        let (outcome, asked) = turn("شكد", vec![many(20, name), greets()]);
        assert_eq!(outcome.ending, TurnEnding::HandOver(HandOverReason::Exhausted), "{name}");
        assert_eq!((outcome.tools.len(), outcome.steps.len(), asked.len()), (run, 8, 1), "{name}");
        let (outcome, _) = turn("شكد", vec![many(8, name), greets()]);
        assert!(is_greeted(&outcome), "{name}");
    }
}

#[test]
fn a_model_that_is_not_reached_is_asked_once_more_and_then_a_person_is() {
    let (outcome, asked) = turn("شكد", vec![Err(ModelError::NotReached), greets()]);
    assert_eq!((is_greeted(&outcome), asked.len()), (true, 2));
    for error in [ModelError::NotReached, ModelError::Broken, ModelError::Refused { status: 401 }] {
        let (outcome, _) = turn("شكد", vec![Err(error)]);
        assert_eq!(outcome.ending, TurnEnding::HandOver(HandOverReason::ModelDown));
    }
}

#[test]
fn a_model_that_is_slow_has_another_reason_than_one_that_is_down() {
    let late = TurnEnding::HandOver(HandOverReason::ModelTimedOut);
    let (outcome, asked) = turn("شكد", vec![Err(ModelError::TimedOut)]);
    assert_eq!((outcome.ending, asked.len()), (late.clone(), 1));
    // The last request of a turn decides.
    let (outcome, _) = turn("شكد", vec![calls("searchProducts", SEARCH), Err(ModelError::TimedOut)]);
    assert_eq!((outcome.ending, outcome.tools), (late, vec![Tool::SearchProducts]));
}

/// Tools of a system that answers after an hour.
struct HangingTools(Arc<ManualClock>);

#[async_trait::async_trait]
impl Tools for HangingTools {
    async fn run(&self, _: &TurnBrief, _: &ToolRequest) -> ToolOutcome {
        self.0.pass(3_600).await;
        ToolOutcome::default()
    }

    async fn propose(&self, _: &TurnBrief, _: Wanted) -> Result<Sent, Box<ToolOutcome>> {
        Ok(Sent::Yes)
    }
}

#[test]
fn a_tool_that_hangs_is_waited_for_no_longer_than_the_turn_may_take() {
    for (latest, seconds) in [(Duration::HOUR, 45), (Duration::seconds(6), 6)] {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let mut model = MockLanguageModel::new();
        model.expect_answer().returning(|_, _| calls("searchProducts", SEARCH));
        let answers = AnswerCustomer {
            model: Models::only(Arc::new(model)),
            tools: Arc::new(HangingTools(clock.clone())),
            clock: clock.clone(),
        };
        let outcome = answers.run_until(&brief("شكد الحليب"), a_moment() + latest).block_on();
        assert_eq!(outcome.ending, TurnEnding::HandOver(HandOverReason::Exhausted));
        assert_eq!(clock.now() - a_moment(), Duration::seconds(seconds));
    }
}

#[test]
fn where_the_system_fails_and_tells_nothing_else_a_person_is_asked_for() {
    const ORDER: &str = r#"{"reference":"5001"}"#;
    let looks = [("searchProducts", SEARCH), ("getOrderStatus", ORDER)];
    let ending = |outcomes: [fn() -> ToolOutcome; 2]| {
        let mut tools = MockTools::new();
        let mut outcomes = outcomes.into_iter();
        tools.expect_run().times(2).returning(move |_, _| outcomes.next().unwrap()());
        let [first, second] = looks.map(|(name, arguments)| calls(name, arguments));
        turn_with(tools, "وين طلبي 5001؟", vec![first, second, greets()]).0
    };
    let failed: fn() -> ToolOutcome = ToolOutcome::system_failed;
    let told = || ToolOutcome { told: serde_json::json!({ "products": [] }), ..ToolOutcome::default() };
    let not_found = || ToolOutcome::failed("there is no such one");
    let lost = TurnEnding::HandOver(HandOverReason::SystemUnavailable);
    assert_eq!(ending([failed, failed]).ending, lost);
    assert_eq!(ending([not_found, failed]).ending, lost);
    // What it has told is something to go by.
    assert!(is_greeted(&ending([told, failed])));
    assert!(is_greeted(&ending([failed, told])));
    assert!(is_greeted(&ending([not_found, not_found])));
}

#[test]
fn where_nothing_can_be_proposed_since_the_system_fails_a_person_is_asked_for() {
    let mut tools = MockTools::new();
    tools.expect_propose().times(1).returning(|_, _| Err(Box::new(ToolOutcome::system_failed())));
    let (outcome, _) = turn_with(tools, WISH, vec![order("قبل 5"), greets()]);
    assert_eq!(outcome.ending, TurnEnding::HandOver(HandOverReason::SystemUnavailable));
}

#[test]
fn a_model_that_asks_for_a_person_gets_one() {
    let (outcome, _) = turn("عندي شكوى", vec![calls("handOver", "")]);
    assert_eq!(outcome.ending, TurnEnding::HandOver(HandOverReason::ModelAsked));
    assert_eq!(outcome.tools, [Tool::HandOver]);
}

fn order(note: &str) -> Answer {
    let order = serde_json::json!({
        "lines": [{ "productId": "m1", "quantity": 2 }],
        "name": "سارة",
        "address": { "line1": "شارع 14", "city": "بغداد", "province": "بغداد" },
        "note": note,
    });
    calls("placeOrder", &order.to_string())
}

const WISH: &str = "اريد 2 حليب، شارع 14 بغداد، اسمي سارة، قبل الساعة 5";

#[test]
fn what_the_customer_is_asked_to_confirm_ends_the_turn() {
    for sent in [Sent::Yes, Sent::Outdated, Sent::NotTaken, Sent::Unknown, Sent::Refused] {
        let mut tools = MockTools::new();
        tools.expect_propose().times(1).returning(move |_, _| Ok(sent));
        let (outcome, asked) = turn_with(tools, WISH, vec![order("قبل 5"), greets()]);
        assert_eq!(outcome.ending, TurnEnding::Proposed(Tool::PlaceOrder, sent));
        assert_eq!((outcome.tools, asked.len()), (vec![Tool::PlaceOrder], 1));
    }
}

#[test]
fn a_model_is_told_why_it_cannot_be_proposed_so_and_goes_on() {
    let mut tools = MockTools::new();
    tools.expect_propose().times(1).returning(|_, _| Err(Box::new(ToolOutcome::failed("none is left"))));
    let (outcome, asked) = turn_with(tools, WISH, vec![order("قبل 5"), greets()]);
    assert!(is_greeted(&outcome));
    let told = |said: &ModelMessage| matches!(said, ModelMessage::ToolResult { json, .. } if json.contains("none is left"));
    assert!(asked[1].said.iter().any(told));
}

#[test]
fn no_amount_number_or_link_of_a_models_own_gets_into_a_summary() {
    for note in
        ["السعر 5000 دينار", "خصم 50%", "ادخل https://evil.example/pay", "رقم 998877", "اتصل 0770 123 4567"]
    {
        // Nobody is asked: the mock expects no proposal.
        let (outcome, asked) = turn(WISH, vec![order(note), greets()]);
        assert_eq!((is_greeted(&outcome), asked.len()), (true, 2), "{note}");
    }
}

#[test]
fn nobody_is_written_down_who_has_wished_for_nothing_in_these_words() {
    let lead = |need: &str| calls("captureLead", &serde_json::json!({ "need": need }).to_string());
    for (said, need, is_noted) in [
        ("السلام عليكم", "السلام عليكم", false),
        ("hello, good morning!", "hello", false),
        ("شكد سعر الحليب", "يريد خصم", false),
        ("اريد أحد يتصل بيه بخصوص الجملة", "اريد احد يتصل بيه", true),
        ("call me about wholesale please", "Call me about wholesale", true),
        ("اتصلوا على 07709998877", "اتصلوا على [number]", true),
    ] {
        let mut tools = MockTools::new();
        tools.expect_run().times(usize::from(is_noted)).returning(|_, _| ToolOutcome::lead_captured());
        let (outcome, asked) = turn_with(tools, said, vec![lead(need), greets()]);
        assert_eq!((is_greeted(&outcome), asked.len()), (true, 2), "{said}");
    }
    // Their earlier words are no wish of now.
    let history = [
        (Speaker::Customer, "اتصلوا بيه بخصوص الجملة".to_owned()),
        (Speaker::Business, "تدلل".to_owned()),
        (Speaker::Customer, "شكد الحليب".to_owned()),
    ];
    let brief = TurnBrief { history: history.to_vec(), ..brief(WISH) };
    let (outcome, _) = turn_of(&brief, MockTools::new(), vec![lead("اتصلوا بيه بخصوص الجملة"), greets()]);
    assert!(is_greeted(&outcome));
}

#[test]
fn an_order_that_is_to_be_changed_gets_its_status_or_a_person_and_no_new_order() {
    const CHANGE: &str = "اريد اغير القياس بطلبي الى L";
    let refused = |outcome: &TurnOutcome| {
        outcome
            .steps
            .iter()
            .any(|step| matches!(step, TurnStep::Ran { told, .. } if told.contains("a new one")))
    };
    // The mock expects no proposal.
    let (outcome, _) = turn(CHANGE, vec![order("قبل 5"), calls("handOver", "")]);
    assert!(refused(&outcome));
    assert_eq!(outcome.ending, TurnEnding::HandOver(HandOverReason::ModelAsked));
    // Whatever else is said, twice, ends with a person.
    let (outcome, asked) = turn(CHANGE, vec![greets(), greets()]);
    assert_eq!((outcome.ending, asked.len()), (TurnEnding::HandOver(HandOverReason::ModelAsked), 2));
    // What was just to be confirmed is changed by a new proposal.
    let mut tools = MockTools::new();
    tools.expect_propose().times(1).returning(|_, _| Ok(Sent::Yes));
    let history = [
        (Speaker::Customer, WISH.to_owned()),
        (Speaker::Business, "المجموع: 5,000\nهل تؤكد الطلب؟".to_owned()),
        (Speaker::Customer, "غير الطلب خليه قبل 5".to_owned()),
    ];
    let brief = TurnBrief { history: history.to_vec(), ..brief(WISH) };
    let (outcome, _) = turn_of(&brief, tools, vec![order("قبل 5")]);
    assert!(matches!(outcome.ending, TurnEnding::Proposed(..)), "{:?}", outcome.ending);
}

#[test]
fn one_message_of_a_customers_is_written_down_once_whatever_the_model_asks_for() {
    let lead = |need: &str| calls("captureLead", &serde_json::json!({ "need": need }).to_string());
    let mut tools = MockTools::new();
    tools.expect_run().times(1).returning(|_, _| ToolOutcome::lead_captured());
    let script = vec![lead("2 حليب"), lead("عرض سعر للجملة"), lead("كل شي"), greets()];
    let (outcome, asked) = turn_with(tools, WISH, script);
    assert_eq!((is_greeted(&outcome), asked.len()), (true, 4));
    let is_refused =
        |step: &&TurnStep| matches!(step, TurnStep::Ran { told, .. } if told.contains("already"));
    assert_eq!(outcome.steps.iter().filter(is_refused).count(), 2);
}
