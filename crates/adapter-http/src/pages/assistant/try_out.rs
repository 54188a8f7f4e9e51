//! `/assistant/try`, in the browser `/dashboard/settings/assistant/try`: a chat that reaches nobody, or acts
//! in words. The form carries the history; nothing is stored.

use actix_web::{
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{Frame, SaidMessage, Section, StepRow, TryPage, TryTurn, TypedActs, Worded};
use domain::{
    assistant::{
        TurnEnding, TurnOutcome, TurnStep,
        speech::{Message, Objection},
    },
    channels::ChannelKind,
};
use serde_json::{Value, json};

use super::{
    super::{
        act::{self, Answer, Call, Given},
        answer::{ok, page},
        form::Form,
        not_taken::NotTaken,
    },
    knowledge::Titles,
    say,
    tries::{MOST_MESSAGES, TriedBody, Tries, TryBody, acts_of, history, text_of, try_in_slot},
};
use crate::problem::Problem;

fn empty(frame: &Frame) -> TryPage<'_> {
    TryPage {
        frame,
        said: Vec::new(),
        history: String::new(),
        steps: Vec::new(),
        evidence: Vec::new(),
        proposed: None,
        hand_over: None,
        tokens: None,
        draft: "",
        refused: None,
        acts: TypedActs::default(),
        worded: None,
    }
}

pub(in crate::pages) async fn show(call: Call) -> Answer {
    ok(&empty(&call.frame(Section::Assistant).await?))
}

/// Parses the history that the form carries.
fn carried(history: &str) -> Result<Vec<Value>, Problem> {
    if history.is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(history).map_err(|_| Problem::invalid("`history` cannot be read"))
}

fn turns(said: &[Value]) -> Vec<TryTurn> {
    let text = |message: &Value, field: &str| message[field].as_str().unwrap_or_default().to_owned();
    let turn =
        |message| TryTurn { is_customers: text(message, "role") == "customer", text: text(message, "text") };
    said.iter().map(turn).collect()
}

/// What the assistant would answer, whatever its mode, and how it came to that. Nothing is sent, ordered or
/// written down; products are read from the workspace's system, and the tokens are counted. Acts in place of
/// a chat are worded by the owner's register and wordings; no model is asked.
pub(in crate::pages) async fn ask(call: Call, tries: Data<Tries>, payload: Payload) -> Answer {
    let form = match call.given(payload).await? {
        Given::Form(form) => form,
        Given::Json(payload) => {
            let asked: TryBody = call.json(payload).await?;
            return act::ok(&match acts_of(&asked)? {
                Some(acts) => TriedBody::from(say::say(&call, acts).await?),
                None => TriedBody::from(try_in_slot(&call, &tries, history(asked)?).await?),
            });
        }
    };
    let frame = call.frame(Section::Assistant).await?;
    if form.filled("do")?.as_deref() == Some("say") {
        return word(&call, &form, &frame).await;
    }
    let (before, say) = (form.text("history")?, form.text("say")?.replace("\r\n", "\n"));
    let before = carried(&before)?;
    match answer(&call, &tries, &before, &say).await {
        Ok((said, outcome)) => {
            let history = Value::from(said.clone()).to_string();
            let tokens = Some(outcome.usage.read_tokens + outcome.usage.written_tokens);
            let (proposed, hand_over) = match outcome.ending {
                TurnEnding::Reply { .. } => (None, None),
                TurnEnding::Proposed(tool, _) => (Some(tool), None),
                TurnEnding::HandOver(reason) => (None, Some(reason)),
            };
            let titles = Titles::of(&call.app, call.workspace(), outcome.said.evidence.iter()).await?;
            let evidence = titles.rows(&frame, &outcome.said.evidence);
            let steps = outcome.steps.into_iter().map(step).collect();
            let said = turns(&said);
            ok(&TryPage { said, history, steps, evidence, proposed, hand_over, tokens, ..empty(&frame) })
        }
        Err(problem) => {
            // Only the last message was typed.
            let field = problem.code().is_none().then(|| "say".to_owned());
            let refused = Some(NotTaken { field, ..problem.into() }.refused(&call.request, frame.words())?);
            let history = Value::from(before.clone()).to_string();
            let said = turns(&before);
            page(
                StatusCode::UNPROCESSABLE_ENTITY,
                &TryPage { said, history, draft: &say, refused, ..empty(&frame) },
            )
        }
    }
}

/// Words the acts of the form; no model is asked.
async fn word(call: &Call, form: &Form, frame: &Frame) -> Answer {
    let acts = TypedActs {
        acts: form.text("acts")?,
        evidence: form.text("evidence")?,
        language: form.text("language")?,
    };
    let evidence = if acts.evidence.trim().is_empty() { "{}" } else { &acts.evidence };
    let asked = say::read(&acts.acts, evidence, &acts.language, ChannelKind::Whatsapp.as_str());
    let said = match asked {
        Ok(asked) => say::say(call, asked).await,
        Err(problem) => Err(problem),
    };
    match said {
        Ok(said) => {
            let worded = Worded {
                messages: said.messages.iter().map(message).collect(),
                words: said.words,
                objection: said.objection.as_ref().map(Objection::kind),
            };
            ok(&TryPage { acts, worded: Some(worded), ..empty(frame) })
        }
        Err(problem) => {
            // What is wrong in them is for whoever writes JSON, in the words of the command that takes it.
            let detail = Some(problem.to_string());
            let refused = Some(NotTaken { detail, ..problem.into() }.refused(&call.request, frame.words())?);
            page(StatusCode::UNPROCESSABLE_ENTITY, &TryPage { acts, refused, ..empty(frame) })
        }
    }
}

fn message(message: &Message) -> SaidMessage {
    let photo = match message {
        Message::Photo { url, .. } => Some(url.as_str().to_owned()),
        Message::Text(_) | Message::Summary { .. } => None,
    };
    SaidMessage { photo, text: message.text().unwrap_or_default().to_owned() }
}

/// Returns the history with the answer. Of a long chat, the assistant reads the newest messages only.
async fn answer(
    call: &Call,
    tries: &Tries,
    before: &[Value],
    say: &str,
) -> Result<(Vec<Value>, TurnOutcome), Problem> {
    let mut said = before.to_vec();
    said.push(json!({ "role": "customer", "text": say }));
    let heard = said.get(said.len().saturating_sub(MOST_MESSAGES)..).unwrap_or_default();
    let body = serde_json::from_value(json!({ "messages": heard }))
        .map_err(|_| Problem::invalid("`history` cannot be read"))?;
    let outcome = try_in_slot(call, tries, history(body)?).await?;
    if let TurnEnding::Reply { messages } = &outcome.ending {
        said.push(json!({ "role": "assistant", "text": text_of(messages) }));
    }
    Ok((said, outcome))
}

fn step(step: TurnStep) -> StepRow {
    match step {
        TurnStep::Ran { tool, arguments, told } => {
            let told: Option<Value> = serde_json::from_str(&told).ok();
            let told = told.and_then(|told| serde_json::to_string_pretty(&told).ok()).unwrap_or_default();
            StepRow::Ran { tool, arguments, told }
        }
        TurnStep::Refused { text, why } => StepRow::Refused { text, why },
    }
}
