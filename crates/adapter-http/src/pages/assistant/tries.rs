//! Chats with the assistant that are tried, or acts in their place: what is asked and answered, and how many
//! run at once.

use domain::{
    assistant::{
        ActsToSay, SaidActs, Speaker, TryError, TurnEnding, TurnOutcome, TurnStep, Words, speech::Message,
    },
    channels::ChannelKind,
    ids::WorkspaceId,
    sending::{PlanLimitReason, Refusal},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    super::act::Call,
    say::{self, MessageBody},
};
use crate::{
    problem::{DashboardCode, Problem},
    session::slots::{Slot, Slots},
};

/// Most messages of a try.
pub(super) const MOST_MESSAGES: usize = 20;
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
pub(super) async fn try_in_slot(
    call: &Call,
    tries: &Tries,
    said: Vec<(Speaker, String)>,
) -> Result<TurnOutcome, Problem> {
    let workspace = call.workspace();
    let slot = tries.slot(workspace).await;
    let outcome = call.run(move |app| async move {
        let outcome = app.dashboard.assistant.try_out.run(workspace, said).await;
        drop(slot);
        outcome
    });
    outcome.await
}

/// A chat so far, or acts to word without a model.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct TryBody {
    /// What was said, the oldest first, up to 20; the last is the customer's.
    messages: Vec<TryMessage>,
    /// Acts in place of messages, as `messaging-service assistant say` takes them.
    acts: Option<Value>,
    /// What the acts refer to; the owner's facts are `f1`, `f2` … in it.
    evidence: Option<Value>,
    /// Language that the acts are worded in: `ar`, where it is absent, `en` or `ckb`.
    language: Option<String>,
    /// Network that the messages are for; `whatsapp` where it is absent.
    network: Option<String>,
}

/// One message of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TryMessage {
    /// `customer` or `assistant`.
    role: String,
    text: String,
}

/// What the assistant would have done.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TriedBody {
    /// What it would have said; null where it would have proposed something or asked for a person.
    reply: Option<String>,
    /// The same as the messages that a customer would get.
    messages: Vec<MessageBody>,
    /// Whose wording that is, `code` or `model`; null where nothing is said by acts.
    words: Option<&'static str>,
    /// Why the model's wording is not sent; null where it is, or there was none.
    objection: Option<String>,
    /// What the acts refer to, as in the log of turns.
    evidence: Vec<String>,
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
enum StepBody {
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
        /// Why, as the model was told.
        why: String,
    },
}

impl From<TurnStep> for StepBody {
    fn from(step: TurnStep) -> Self {
        match step {
            TurnStep::Ran { tool, arguments, told } => {
                Self::Tool { tool, arguments, result: serde_json::from_str(&told).unwrap_or_default() }
            }
            TurnStep::Refused { text, why } => Self::Refused { text, why },
        }
    }
}

impl From<TurnOutcome> for TriedBody {
    fn from(outcome: TurnOutcome) -> Self {
        let (messages, proposal, hand_over) = match outcome.ending {
            TurnEnding::Reply { messages } => (messages, None, None),
            TurnEnding::Proposed(tool, _) => (Vec::new(), Some(tool.as_str()), None),
            TurnEnding::HandOver(reason) => (Vec::new(), None, Some(reason.as_str())),
        };
        Self {
            reply: (!messages.is_empty()).then(|| text_of(&messages)),
            messages: messages.into_iter().map(MessageBody::from).collect(),
            words: outcome.said.words.map(Words::as_str),
            objection: outcome.said.objection,
            evidence: outcome.said.evidence,
            proposal,
            hand_over,
            steps: outcome.steps.into_iter().map(StepBody::from).collect(),
            read_tokens: outcome.usage.read_tokens,
            written_tokens: outcome.usage.written_tokens,
        }
    }
}

impl From<SaidActs> for TriedBody {
    fn from(said: SaidActs) -> Self {
        Self {
            reply: Some(text_of(&said.messages)),
            messages: said.messages.into_iter().map(MessageBody::from).collect(),
            words: Some(said.words.as_str()),
            objection: said.objection.as_ref().map(ToString::to_string),
            evidence: Vec::new(),
            proposal: None,
            hand_over: None,
            steps: Vec::new(),
            read_tokens: 0,
            written_tokens: 0,
        }
    }
}

/// Returns the texts of the messages as one.
pub(super) fn text_of(messages: &[Message]) -> String {
    messages.iter().filter_map(Message::text).collect::<Vec<_>>().join("\n\n")
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

/// Reads the acts that are to be worded; `None` for a chat.
pub(super) fn acts_of(asked: &TryBody) -> Result<Option<ActsToSay>, Problem> {
    let TryBody { messages, acts, evidence, language, network } = asked;
    let Some(acts) = acts else {
        if evidence.is_some() || language.is_some() || network.is_some() {
            return Err(Problem::invalid(
                "`acts` are missing: they stand beside `evidence`, `language` and `network`",
            ));
        }
        return Ok(None);
    };
    if !messages.is_empty() {
        return Err(Problem::invalid("`messages` are not tried beside `acts`"));
    }
    let evidence = evidence.as_ref().map_or_else(|| "{}".to_owned(), Value::to_string);
    let language = language.as_deref().unwrap_or("ar");
    let network = network.as_deref().unwrap_or(ChannelKind::Whatsapp.as_str());
    say::read(&acts.to_string(), &evidence, language, network).map(Some)
}

/// Checks the bounds of a chat and converts it for the use case.
pub(super) fn history(body: TryBody) -> Result<Vec<(Speaker, String)>, Problem> {
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
