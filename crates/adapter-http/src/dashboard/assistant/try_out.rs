//! `POST /assistant/try`: a chat with the assistant that reaches nobody.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{
    assistant::{Rule, Speaker, TryError, TurnEnding, TurnOutcome, TurnStep},
    ids::WorkspaceId,
    sending::{PlanLimitReason, Refusal},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    app::App,
    body,
    problem::{DashboardCode, Problem},
    session::{
        SignedIn,
        slots::{Slot, Slots},
    },
};

/// Most messages of a try.
pub(crate) const MOST_MESSAGES: usize = 20;
/// Most characters of a message.
const LONGEST_MESSAGE: usize = 2_000;
/// Tries of a workspace running at once on each node: they use the model that answers everybody's customers.
const MOST_AT_ONCE: usize = 3;

/// Tries running in this process, by workspace.
pub(crate) struct Tries(Slots<WorkspaceId>);

impl Default for Tries {
    fn default() -> Self {
        Self(Slots::of(MOST_AT_ONCE))
    }
}

impl Tries {
    async fn slot(&self, workspace: WorkspaceId) -> Slot<WorkspaceId> {
        self.0.take(workspace).await
    }
}

/// Runs a try in one of the workspace's slots. Nothing is run if the client goes away while it waits for the
/// slot.
pub(crate) async fn try_in_slot(
    app: &Data<App>,
    tries: &Tries,
    workspace: WorkspaceId,
    said: Vec<(Speaker, String)>,
) -> Result<TurnOutcome, Problem> {
    let slot = tries.slot(workspace).await;
    let outcome = app.run(move |app| async move {
        let outcome = app.dashboard.assistant.try_out.run(workspace, said).await;
        drop(slot);
        outcome
    });
    Ok(outcome.await??)
}

/// A chat so far.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TryBody {
    /// What was said, the oldest first, up to 20; the last is the customer's.
    messages: Vec<TryMessage>,
}

/// One message of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TryMessage {
    /// `customer` or `assistant`.
    role: String,
    text: String,
}

/// What the assistant would have done.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TriedBody {
    /// What it would have said; null where it would have proposed something or asked for a person.
    reply: Option<String>,
    /// The tool by which it would have asked the customer to confirm something, which is the last of the
    /// steps; null where it would not.
    proposal: Option<&'static str>,
    /// Why it would have asked for a person; null where it would not.
    hand_over: Option<&'static str>,
    /// How it came to that, in order.
    steps: Vec<StepBody>,
    read_tokens: u64,
    written_tokens: u64,
}

/// A tool that was run, or an answer that was refused.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum StepBody {
    /// A tool was run.
    Tool {
        tool: String,
        /// The arguments, as the model wrote them.
        arguments: String,
        result: Value,
    },
    /// An answer was refused.
    Refused {
        text: String,
        /// What it broke: `numbers`, `times`, `claims`, `links`, `internals`, `language`, `empty`, `length`.
        rules: Vec<&'static str>,
    },
}

impl From<TurnStep> for StepBody {
    fn from(step: TurnStep) -> Self {
        match step {
            TurnStep::Ran { tool, arguments, told } => {
                Self::Tool { tool, arguments, result: serde_json::from_str(&told).unwrap_or_default() }
            }
            TurnStep::Refused { text, rules } => {
                Self::Refused { text, rules: rules.into_iter().map(Rule::as_str).collect() }
            }
        }
    }
}

impl From<TurnOutcome> for TriedBody {
    fn from(outcome: TurnOutcome) -> Self {
        let (reply, proposal, hand_over) = match outcome.ending {
            TurnEnding::Reply { text, photos: _ } => (Some(text), None, None),
            TurnEnding::Proposed(tool, _) => (None, Some(tool.as_str()), None),
            TurnEnding::HandOver(reason) => (None, None, Some(reason.as_str())),
        };
        Self {
            reply,
            proposal,
            hand_over,
            steps: outcome.steps.into_iter().map(StepBody::from).collect(),
            read_tokens: outcome.usage.read_tokens,
            written_tokens: outcome.usage.written_tokens,
        }
    }
}

impl From<TryError> for Problem {
    fn from(error: TryError) -> Self {
        let message = error.to_string();
        match error {
            TryError::Paused => Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused).into(),
            TryError::NoModel => Self::dashboard(DashboardCode::NoModel, message),
            TryError::Store(error) => error.into(),
        }
    }
}

/// Checks the bounds of a chat and converts it for the use case.
pub(crate) fn history(body: TryBody) -> Result<Vec<(Speaker, String)>, Problem> {
    if !(1..=MOST_MESSAGES).contains(&body.messages.len()) {
        return Err(Problem::invalid(format!("`messages` has 1 to {MOST_MESSAGES} messages")));
    }
    let mut said = Vec::new();
    for TryMessage { role, text } in body.messages {
        let speaker = match role.as_str() {
            "customer" => Speaker::Customer,
            "assistant" => Speaker::Business,
            _ => return Err(Problem::invalid("`messages[].role` is `customer` or `assistant`".to_owned())),
        };
        if text.trim().is_empty() || text.chars().count() > LONGEST_MESSAGE {
            let rule = format!("`messages[].text` has 1 to {LONGEST_MESSAGE} characters");
            return Err(Problem::invalid(rule));
        }
        said.push((speaker, text));
    }
    if said.last().is_none_or(|(speaker, _)| !speaker.is_customer()) {
        return Err(Problem::invalid("the last of `messages` is the customer's".to_owned()));
    }
    Ok(said)
}

/// What the assistant would answer, whatever its mode, and how it came to that. Nothing is sent, ordered or
/// written down; products are read from the workspace's system, and the tokens are counted.
pub(crate) async fn try_out(
    app: Data<App>,
    tries: Data<Tries>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<TriedBody>, Problem> {
    let said = history(body::json::<TryBody>(&request, payload).await?.fields)?;
    Ok(Json(try_in_slot(&app, &tries, by.session.workspace, said).await?.into()))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use uuid::Uuid;

    use super::{MOST_AT_ONCE, Tries};

    #[test]
    fn so_many_of_a_workspace_are_tried_at_once_and_others_wait_for_their_turn() {
        let tries = Tries::default();
        let (one, other) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let slot = || tries.slot(one).now_or_never();
        let mut slots: Vec<_> = (0..MOST_AT_ONCE).map(|_| slot().unwrap()).collect();
        assert!(slot().is_none());
        assert!(tries.slot(other).now_or_never().is_some(), "of another workspace");
        slots.pop();
        slots.push(slot().unwrap());
        assert!(slot().is_none());
        slots.clear();
        drop(tries.slot(other).now_or_never());
        assert!(tries.0.are_free(), "nothing is remembered of who is done");
    }
}
