//! `/dashboard/settings/assistant/try`: a chat that reaches nobody. The form carries the history; nothing is
//! stored.

use actix_web::{
    HttpRequest, HttpResponse,
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
        answer::{ok, page},
        form::Form,
        frame,
        not_taken::NotTaken,
    },
    knowledge::Titles,
};
use crate::{
    app::App,
    dashboard::assistant::{
        say,
        try_out::{MOST_MESSAGES, Tries, history, text_of, try_in_slot},
    },
    problem::Problem,
    session::SignedIn,
};

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

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Section::Assistant).await?;
    ok(&empty(&frame))
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

pub(in crate::pages) async fn ask(
    app: Data<App>,
    tries: Data<Tries>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Section::Assistant).await?;
    let form = Form::of(&request, payload).await?;
    if form.filled("do")?.as_deref() == Some("say") {
        return word(&app, &by, &request, &form, &frame).await;
    }
    let (before, say) = (form.text("history")?, form.text("say")?.replace("\r\n", "\n"));
    let before = carried(&before)?;
    match answer(&app, &tries, &by, &before, &say).await {
        Ok((said, outcome)) => {
            let history = Value::from(said.clone()).to_string();
            let tokens = Some(outcome.usage.read_tokens + outcome.usage.written_tokens);
            let (proposed, hand_over) = match outcome.ending {
                TurnEnding::Reply { .. } => (None, None),
                TurnEnding::Proposed(tool, _) => (Some(tool), None),
                TurnEnding::HandOver(reason) => (None, Some(reason)),
            };
            let titles = Titles::of(&app, by.session.workspace, outcome.said.evidence.iter()).await?;
            let evidence = titles.rows(&frame, &outcome.said.evidence);
            let steps = outcome.steps.into_iter().map(step).collect();
            let said = turns(&said);
            ok(&TryPage { said, history, steps, evidence, proposed, hand_over, tokens, ..empty(&frame) })
        }
        Err(problem) => {
            // Only the last message was typed.
            let field = problem.code().is_none().then(|| "say".to_owned());
            let refused = Some(NotTaken { field, ..problem.into() }.refused(&request, frame.words())?);
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
async fn word(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    form: &Form,
    frame: &Frame,
) -> Result<HttpResponse, Problem> {
    let acts = TypedActs {
        acts: form.text("acts")?,
        evidence: form.text("evidence")?,
        language: form.text("language")?,
    };
    let evidence = if acts.evidence.trim().is_empty() { "{}" } else { &acts.evidence };
    let asked = say::read(&acts.acts, evidence, &acts.language, ChannelKind::Whatsapp.as_str());
    let said = match asked {
        Ok(asked) => say::say(app, by.session.workspace, asked).await,
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
            let refused = Some(NotTaken { detail, ..problem.into() }.refused(request, frame.words())?);
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
    app: &Data<App>,
    tries: &Tries,
    by: &SignedIn,
    before: &[Value],
    say: &str,
) -> Result<(Vec<Value>, TurnOutcome), Problem> {
    let mut said = before.to_vec();
    said.push(json!({ "role": "customer", "text": say }));
    let heard = said.get(said.len().saturating_sub(MOST_MESSAGES)..).unwrap_or_default();
    let body = serde_json::from_value(json!({ "messages": heard }))
        .map_err(|_| Problem::invalid("`history` cannot be read"))?;
    let outcome = try_in_slot(app, tries, by.session.workspace, history(body)?).await?;
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
