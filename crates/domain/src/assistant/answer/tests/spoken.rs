//! What is said of what a model answers.

use serde_json::json;

use super::{
    Answer, Evidence, HandOverReason, Message, MockTools, ModelAnswer, ModelMessage, SEARCH, Speaker, Tool,
    ToolCall, ToolOutcome, ToolRequest, TurnBrief, TurnEnding, TurnOutcome, TurnStep, a_brief, a_shop, brief,
    calls, greets, is_greeted, says, text_of, turn, turn_of, turn_with, words,
};
use crate::{
    assistant::{
        ANSWER, OwnersWords, TitledFact, Words,
        speech::{OwnersFact, OwnersPassage},
    },
    channels::ChannelKind,
    external_id::ExternalId,
};

const PRICE: &str = r#"[{"act":"quote","product":"milk","parts":["price"]}]"#;
const UNKNOWN: &str = r#"[{"act":"quote","product":"beer","parts":["price"]}]"#;
const UNSAFE: TurnEnding = TurnEnding::HandOver(HandOverReason::UnsafeAnswer);
const LEFT: TurnEnding = TurnEnding::HandOver(HandOverReason::ModelAsked);

fn worded(acts: &str, wording: &str) -> Answer {
    calls(ANSWER, &format!(r#"{{"acts":{acts},"wording":{}}}"#, json!(wording)))
}

/// Answers the question for the price of milk after having searched for it.
fn priced(answers: impl IntoIterator<Item = Answer>) -> (TurnOutcome, Vec<crate::assistant::ModelRequest>) {
    turn("شكد الحليب", std::iter::once(calls("searchProducts", SEARCH)).chain(answers).collect())
}

#[test]
fn what_a_tool_told_is_said_by_code_and_recorded_without_a_word_of_it() {
    let (outcome, asked) = priced([says(PRICE)]);
    let text = text_of(&outcome.ending);
    assert!(text.contains("حليب نيدو") && text.contains("15,000 دينار"), "{text}");
    assert_eq!(
        (outcome.said.acts, outcome.said.evidence),
        (vec!["quote".to_owned()], vec!["product:milk".to_owned()])
    );
    assert_eq!((outcome.said.words, outcome.said.objection), (Some(Words::Code), None));
    assert_eq!(outcome.tools, [Tool::SearchProducts]);
    assert!(asked.iter().all(|request| request.tools.iter().any(|tool| tool.name == ANSWER)));
}

#[test]
fn the_models_wording_goes_out_where_the_judge_finds_nothing_and_costs_no_answer_where_it_does() {
    let own = "هلا بيكم 🌹 تفضلوا، حليب نيدو بـ 15,000 دينار، تدللون";
    let (outcome, _) = priced([worded(PRICE, own)]);
    assert_eq!((text_of(&outcome.ending).as_str(), outcome.said.words), (own, Some(Words::Model)));
    for (wording, objection) in [
        ("تفضلوا، حليب نيدو بـ 14,000 دينار", "word"),
        ("تفضلوا، حليب نيدو بـ 15,000 دينار ونوصله باچر", "word"),
        ("The price is 15,000 IQD", "word"),
        ("هلا بيكم 🌹", "left_out"),
    ] {
        let (outcome, asked) = priced([worded(PRICE, wording)]);
        assert!(text_of(&outcome.ending).contains("15,000 دينار"), "{wording}");
        assert_ne!(text_of(&outcome.ending), wording);
        let said = (outcome.said.words, outcome.said.objection.as_deref());
        assert_eq!((said, asked.len()), ((Some(Words::Code), Some(objection)), 2), "{wording}");
    }
    // A text beside the call is a wording, too.
    let beside = |text: &str| says(PRICE).map(|answer| ModelAnswer { text: text.to_owned(), ..answer });
    assert_eq!(text_of(&priced([beside(own)]).0.ending), own);
    assert!(!text_of(&priced([beside("بلاش!")]).0.ending).contains("بلاش"));
}

#[test]
fn an_answer_that_cannot_be_said_is_told_to_the_model_once() {
    for (bad, why) in [
        (says(UNKNOWN), "`beer` is not in this turn's evidence; it has `milk`"),
        (calls(ANSWER, "{\"acts\":"), "neither a list of acts"),
        (calls(ANSWER, ""), "neither a list of acts"),
        (says("[]"), "1 to 8 acts"),
        (says(r#"[{"act":"not_found","query":"حليب"}]"#), "search first"),
        (says(r#"[{"act":"lead","words":"سيارة"}]"#), "has not said"),
        (says(r#"[{"act":"under_way"}]"#), "has none of it"),
        (says(r#"[{"act":"greet"},{"act":"wait"}]"#), "nothing follows"),
        (says(&json!(vec![json!({"act": "thank", "x": "y".repeat(70_000)})]).to_string()), "longer than"),
    ] {
        let (outcome, asked) = priced([bad.clone(), says(PRICE)]);
        assert!(text_of(&outcome.ending).contains("15,000"), "{why}");
        let told =
            |said: &ModelMessage| matches!(said, ModelMessage::ToolResult { json, .. } if json.contains(why));
        assert!(asked[2].said.iter().any(told), "{why}");
        assert!(
            outcome
                .steps
                .iter()
                .any(|step| matches!(step, TurnStep::Refused { why: is, .. } if is.contains(why)))
        );
        let (outcome, asked) = priced([bad]);
        assert_eq!((outcome.ending, asked.len()), (UNSAFE, 3), "{why}");
        assert_eq!(outcome.said, super::super::Said::default());
    }
}

#[test]
fn prose_is_asked_for_as_acts_once_and_then_goes_out_as_courtesy_alone() {
    let (outcome, asked) = priced([words("سعره 9000 دينار"), says(PRICE)]);
    assert!(text_of(&outcome.ending).contains("15,000"));
    let advised =
        |said: &ModelMessage| matches!(said, ModelMessage::Advice(text) if text.contains("`answer`"));
    assert!(asked[2].said.iter().any(advised));
    for prose in ["سعره 9000 دينار", "نوصل مجاناً", "", "  "] {
        assert_eq!(turn("شكد الحليب", vec![words(prose)]).0.ending, UNSAFE, "{prose}");
    }
    let (outcome, asked) = turn("شكراً", vec![words("تدللون 🌹")]);
    assert_eq!((text_of(&outcome.ending).as_str(), asked.len()), ("تدللون 🌹", 2));
    assert_eq!((outcome.said.words, outcome.said.acts.len()), (Some(Words::Model), 0));
    let long = turn("شكد الحليب", vec![words(&"تدللون ".repeat(20_000))]).0;
    assert_eq!(long.ending, UNSAFE);
    let kept = |step: &TurnStep| matches!(step, TurnStep::Refused { text, .. } if text.len() <= 8 * 1024);
    assert!(long.steps.iter().all(kept));
}

#[test]
fn an_answer_that_a_weak_server_writes_as_a_text_is_taken_as_one() {
    let answer = format!(r#"{{"acts":{PRICE}}}"#);
    for text in [answer.clone(), format!("```json\n{answer}\n```"), format!("Sure:\n{answer}")] {
        let (outcome, asked) = priced([words(&text)]);
        assert!(text_of(&outcome.ending).contains("15,000 دينار"), "{text}");
        assert_eq!((asked.len(), outcome.said.acts.len()), (2, 1));
    }
    let (outcome, asked) = priced([words(&format!(r#"{{"acts":{UNKNOWN}}}"#)), greets()]);
    assert!(is_greeted(&outcome));
    let advised = |said: &ModelMessage| matches!(said, ModelMessage::Advice(text) if text.contains("`beer`"));
    assert!(asked[2].said.iter().any(advised));
}

fn both(first: (&str, &str), second: (&str, &str)) -> Answer {
    let call = |id: &str, (name, arguments): (&str, &str)| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        state: None,
    };
    words("").map(|answer| ModelAnswer { calls: vec![call("c1", first), call("c2", second)], ..answer })
}

#[test]
fn an_answer_beside_other_calls_waits_for_what_they_tell() {
    let early = (ANSWER, r#"{"acts":[{"act":"greet"}]}"#);
    for calls in [both(("searchProducts", SEARCH), early), both(early, ("searchProducts", SEARCH))] {
        let (outcome, asked) = turn("شكد الحليب", vec![calls, says(PRICE)]);
        assert!(text_of(&outcome.ending).contains("15,000"));
        assert_eq!((outcome.tools, outcome.said.acts.len()), (vec![Tool::SearchProducts], 1));
        // Each call has its result.
        let told = |said: &&ModelMessage| matches!(said, ModelMessage::ToolResult { .. });
        assert_eq!(asked[1].said.iter().filter(told).count(), 2);
    }
}

#[test]
fn several_answers_at_once_are_said_as_one() {
    let (greet, price) = (r#"{"acts":[{"act":"greet"}]}"#, format!(r#"{{"acts":{PRICE}}}"#));
    let (outcome, _) = priced([both((ANSWER, greet), (ANSWER, &price))]);
    assert_eq!(outcome.said.acts, ["greet", "quote"]);
    assert!(text_of(&outcome.ending).contains("15,000"));
    let (outcome, asked) = priced([both((ANSWER, greet), (ANSWER, "{")), greets()]);
    let told = |said: &&ModelMessage| matches!(said, ModelMessage::ToolResult { .. });
    assert_eq!((is_greeted(&outcome), asked[2].said.iter().filter(told).count()), (true, 3));
}

#[test]
fn an_act_that_hands_over_does_so_whatever_stands_beside_it() {
    for acts in [
        r#"[{"act":"hand_over","reason":"complaint"}]"#,
        r#"[{"act":"apologise"},{"act":"hand_over","reason":"order"}]"#,
        r#"[{"act":"quote","product":"beer","parts":["price"]},{"act":"hand_over","reason":"other"}]"#,
    ] {
        let (outcome, asked) = turn("عندي شكوى", vec![says(acts)]);
        assert_eq!((outcome.ending, asked.len()), (LEFT, 1), "{acts}");
        assert!(outcome.said.acts.contains(&"hand_over".to_owned()));
    }
}

#[test]
fn a_wish_is_written_down_in_the_customers_words_before_they_are_told_so() {
    let acts = r#"[{"act":"lead","words":"اريد ثلاجة 16 قدم"}]"#;
    let mut tools = MockTools::new();
    let asked_for = |request: &ToolRequest| matches!(request, ToolRequest::CaptureLead { need, name: None } if need.as_str() == "اريد ثلاجة 16 قدم");
    tools
        .expect_run()
        .times(1)
        .withf(move |_, request| asked_for(request))
        .returning(|_, _| ToolOutcome::lead_captured());
    let (outcome, _) = turn_with(tools, "هلو اريد ثلاجة 16 قدم", vec![says(acts)]);
    assert!(text_of(&outcome.ending).contains("اريد ثلاجة 16 قدم"), "{}", text_of(&outcome.ending));
    assert_eq!(outcome.tools, [Tool::CaptureLead]);
    // What is not written down is not said to be.
    let mut tools = MockTools::new();
    tools
        .expect_run()
        .times(2)
        .returning(|_, _| ToolOutcome::failed("the customer could not be written down"));
    assert_eq!(turn_with(tools, "هلو اريد ثلاجة 16 قدم", vec![says(acts)]).0.ending, UNSAFE);
    let none = TurnBrief { tools: vec![Tool::HandOver], ..brief("هلو اريد ثلاجة 16 قدم") };
    assert_eq!(turn_of(&none, MockTools::new(), vec![says(acts)]).0.ending, UNSAFE);
    // It is written down once, whether by the tool or by the act.
    let mut tools = MockTools::new();
    tools.expect_run().times(1).returning(|_, _| ToolOutcome::lead_captured());
    let lead = calls("captureLead", r#"{"need":"ثلاجة"}"#);
    let (outcome, _) = turn_with(tools, "هلو اريد ثلاجة 16 قدم", vec![lead, says(acts)]);
    assert_eq!(outcome.tools, [Tool::CaptureLead]);
    assert!(text_of(&outcome.ending).contains("ثلاجة"));
}

#[test]
fn no_placeholder_for_a_number_reaches_a_customer() {
    let mut tools = MockTools::new();
    tools.expect_run().times(1).returning(|_, _| ToolOutcome::lead_captured());
    let acts = r#"[{"act":"lead","words":"اتصلوا على [number]"}]"#;
    let (outcome, asked) = turn_with(tools, "اتصلوا على 07709998877", vec![says(acts)]);
    assert!(asked[0].said == [ModelMessage::Customer("اتصلوا على [number]".to_owned())]);
    let text = text_of(&outcome.ending);
    assert!(text.contains("07709998877") && !text.contains("[number]"), "{text}");
    // Nor does the number reach the model where it cannot be said.
    let acts = r#"[{"act":"order_status","order":"[number]"}]"#;
    let (_, asked) = turn("وين صار طلبي 123456789", vec![says(acts), greets()]);
    let told = asked[1].said.iter().filter_map(|said| match said {
        ModelMessage::ToolResult { json, .. } => Some(json.as_str()),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    assert!(
        matches!(told[..], [json] if json.contains("`[number]` is not") && !json.contains("1234")),
        "{told:?}"
    );
}

#[test]
fn who_asks_to_cancel_is_not_left_to_believe_that_it_is_done() {
    let ask = |what: &str| says(&json!([{ "act": "ask", "what": what }]).to_string());
    for (text, answer, ending) in [
        ("الغي الطلب ما اريده", says(r#"[{"act":"you_are_welcome"}]"#), Some(LEFT)),
        ("الغي الطلب ما اريده", ask("anything_else"), Some(LEFT)),
        ("cancel it", words("You're welcome!"), Some(LEFT)),
        ("cancel my order", says(r#"[{"act":"cannot","topic":"unknown"}]"#), Some(LEFT)),
        ("cancel my order", says(r#"[{"act":"hand_over","reason":"order"}]"#), Some(LEFT)),
        ("cancel my order", ask("order_number"), None),
        ("لا تلغي الطلب", says(r#"[{"act":"you_are_welcome"}]"#), None),
    ] {
        let is_answered = ending.is_none();
        let outcome = turn(text, vec![answer]).0;
        match ending {
            Some(ending) => assert_eq!(outcome.ending, ending, "{text}"),
            None => assert!(matches!(outcome.ending, TurnEnding::Reply { .. }), "{text}"),
        }
        assert_eq!(outcome.said.words.is_some(), is_answered, "{text}");
    }
    // A look-up alone tells the customer nothing.
    let shop: Evidence = r#"{"orders":[{"number":"5001","status":"shipped","total":5}]}"#.parse().unwrap();
    let order = shop.orders.first().cloned().unwrap();
    let look = calls("getOrderStatus", r#"{"reference":"5001"}"#);
    let looked = |answer: Answer| {
        let (mut tools, order) = (MockTools::new(), order.clone());
        tools.expect_run().returning(move |_, _| ToolOutcome::order(&order, "IQD".parse().unwrap()));
        turn_with(tools, "الغي الطلب", vec![look.clone(), answer]).0.ending
    };
    assert_eq!(looked(says(r#"[{"act":"you_are_welcome"}]"#)), LEFT);
    let told = looked(says(r#"[{"act":"order_status","order":"5001"}]"#));
    assert!(text_of(&told).contains("5001"), "{told:?}");
    // Of what nobody has confirmed there is nothing to cancel.
    let summary = (Speaker::Business, "ملخص الطلب:\nهل تؤكد الطلب؟".to_owned());
    let declined =
        TurnBrief { history: vec![summary, (Speaker::Customer, "الغي".to_owned())], ..a_brief() };
    assert!(is_greeted(&turn_of(&declined, MockTools::new(), vec![greets()]).0));
}

#[test]
fn the_owners_facts_are_cited_as_they_stand() {
    let fact = OwnersFact {
        id: ExternalId::of_text("f1").unwrap(),
        text: "نوصل لبغداد بـ 5000 دينار.".to_owned(),
        approved: vec![],
    };
    let facts = vec![TitledFact { title: "التوصيل".to_owned(), fact }];
    let owner = OwnersWords { facts, ..OwnersWords::default() };
    let brief = TurnBrief { owner, ..brief("شكد التوصيل؟") };
    let (outcome, asked) = turn_of(&brief, MockTools::new(), vec![says(r#"[{"act":"cite","fact":"f1"}]"#)]);
    assert_eq!(text_of(&outcome.ending), "نوصل لبغداد بـ 5000 دينار.");
    assert_eq!(outcome.said.evidence, ["fact:f1"]);
    assert!(asked[0].instructions.contains("f1 التوصيل: نوصل لبغداد"));
}

#[test]
fn a_passage_that_was_found_is_cited_by_its_sentences_and_recorded_by_its_place() {
    let passage = OwnersPassage {
        id: ExternalId::of_text("p").unwrap(),
        of: "7/3".to_owned(),
        text: "نغلف الهدايا مجاناً.\nنركب المكيفات.".to_owned(),
    };
    let mut tools = MockTools::new();
    tools.expect_run().times(2).returning(move |_, _| {
        let evidence = Evidence { passages: vec![passage.clone()], ..Evidence::default() };
        ToolOutcome { told: json!({ "passages": [{ "id": "p" }] }), evidence, ..ToolOutcome::default() }
    });
    let brief = brief("تغلفون هدايا؟");
    let (search, again) = (r#"{"query":"تغليف"}"#, r#"{"query":"هدايا"}"#);
    let script = vec![
        calls("searchKnowledge", search),
        calls("searchKnowledge", again),
        says(r#"[{"act":"cite","passage":"p2","sentences":[1]}]"#),
        says(r#"[{"act":"cite","passage":"p1","sentences":[1]}]"#),
    ];
    let (outcome, _) = turn_of(&brief, tools, script);
    assert_eq!(text_of(&outcome.ending), "نغلف الهدايا مجاناً.");
    assert_eq!(outcome.said.evidence, ["passage:7/3#1"]);
    assert_eq!(outcome.tools, [Tool::SearchKnowledge, Tool::SearchKnowledge]);
}

#[test]
fn an_answer_introduces_the_assistant_where_it_is_to_whoever_words_it() {
    let introduces = |introduces_itself| {
        let owner = OwnersWords { introduces_itself, ..OwnersWords::default() };
        let brief = TurnBrief { owner, ..brief("هلو") };
        let said = |script| text_of(&turn_of(&brief, MockTools::new(), script).0.ending).contains("آلي");
        let courteous = || words("هلا بيكم");
        [said(vec![greets()]), said(vec![courteous(), courteous()])]
    };
    assert_eq!((introduces(true), introduces(false)), ([true; 2], [false; 2]));
}

#[test]
fn a_photo_carries_the_words_where_the_network_shows_them_and_three_go_at_most() {
    let quote = |id: &str| json!({ "act": "quote", "product": id, "parts": ["price", "photo"] });
    let all = json!(["milk", "oil", "rice", "tea"].map(quote)).to_string();
    for (channel, photos, captions, texts) in [
        (ChannelKind::Whatsapp, 3, 3, 1),
        (ChannelKind::Messenger, 3, 0, 4),
        (ChannelKind::Instagram, 3, 0, 4),
    ] {
        let brief = TurnBrief { channel, ..brief("شكد الحليب") };
        let script = vec![calls("searchProducts", SEARCH), says(&all)];
        let TurnEnding::Reply { messages } = turn_of(&brief, MockTools::new(), script).0.ending else {
            panic!("{channel:?}");
        };
        let count = |is: fn(&Message) -> bool| messages.iter().filter(|message| is(message)).count();
        assert_eq!(count(|it| matches!(it, Message::Photo { .. })), photos, "{channel:?}");
        assert_eq!(count(|it| matches!(it, Message::Photo { caption: Some(_), .. })), captions);
        assert_eq!(count(|it| matches!(it, Message::Text(_))), texts, "{channel:?}");
    }
}

#[test]
fn free_times_and_empty_ranges_are_numbered_over_the_turn() {
    let at = |day: u8| format!("2026-11-{day}T10:00:00+03:00");
    let slot = |day: u8| json!({ "id": format!("x{day}"), "startsAt": at(day), "endsAt": format!("2026-11-{day}T11:00:00+03:00"), "service": "فحص" });
    let free = json!({ "slots": [slot(24), slot(25)] }).to_string().parse::<Evidence>().unwrap().slots;
    let mut tools = MockTools::new();
    let mut times = 0;
    tools.expect_run().times(3).returning(move |_, request| {
        times += 1;
        let ToolRequest::ListAppointmentSlots(query) = request else { panic!("{request:?}") };
        let slots = if times < 3 { free.clone() } else { vec![] };
        ToolOutcome::slots(&crate::systems::Slots { services: vec![], slots }, query)
    });
    let list =
        |from: &str, to: &str| calls("listAppointmentSlots", &json!({ "from": from, "to": to }).to_string());
    let acts = r#"[{"act":"slots","slots":["s1","s4"]},{"act":"no_slots","range":"r1"}]"#;
    let script = vec![
        list("2026-11-24", "2026-11-25"),
        list("2026-11-24", "2026-11-26"),
        list("2026-11-27", "2026-11-27"),
        says(acts),
    ];
    let (outcome, asked) = turn_with(tools, "شنو المواعيد؟", script);
    assert_eq!(outcome.said.evidence, ["slot:s1", "slot:s4", "range:r1"]);
    let told = asked.last().unwrap().said.iter().filter_map(|said| match said {
        ModelMessage::ToolResult { json, .. } => Some(json.as_str()),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    assert!(told[0].contains(r#""id":"s2""#) && told[1].contains(r#""id":"s4""#), "{told:?}");
    assert!(told[2].contains(r#""range":"r1""#) && !told[0].contains("range"), "{told:?}");
}

#[test]
fn an_order_that_the_system_does_not_have_is_not_found() {
    let mut tools = MockTools::new();
    tools.expect_run().times(1).returning(|_, _| ToolOutcome::nothing_found());
    let look = calls("getOrderStatus", r#"{"reference":"5001"}"#);
    let acts = r#"[{"act":"not_found","query":"5001"},{"act":"ask","what":"order_number"}]"#;
    let (outcome, _) = turn_with(tools, "وين طلبي 5001؟", vec![look, says(acts)]);
    assert!(text_of(&outcome.ending).contains("5001"), "{:?}", outcome.steps);
}

#[test]
fn what_is_under_way_is_told_so() {
    let mut tools = MockTools::new();
    tools.expect_propose().times(1).returning(|_, _| Err(Box::new(ToolOutcome::under_way())));
    let script = vec![super::order("قبل 5"), says(r#"[{"act":"under_way"}]"#)];
    let (outcome, _) = turn_with(tools, super::WISH, script);
    assert_eq!(outcome.said.acts, ["under_way"]);
    assert!(!text_of(&outcome.ending).is_empty());
}

#[test]
fn nothing_of_the_shop_is_told_twice_under_one_id() {
    let mut evidence = a_shop().evidence;
    evidence.extend(a_shop().evidence);
    assert_eq!(evidence.products.len(), 4);
}
