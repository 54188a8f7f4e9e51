//! Answers to customers: the model proposes words and calls, code makes the calls, checks the words, and
//! hands over to a person if neither comes to anything.

use std::{collections::HashMap, fmt, sync::Arc};

use futures_util::future::{Either, select};
use time::{Duration, OffsetDateTime};

use super::{
    brief::TurnBrief,
    check::{Rule, may_be_confirmed},
    evidence::{Deed, Evidence},
    model::{ModelAnswer, ModelError, ModelMessage, ModelRequest, TokenUsage, ToolCall},
    models::Models,
    person::asks_for_a_person,
    ports::Tools,
    reason::HandOverReason,
    results::{LONGEST_RESULT, ShownProduct, ToolOutcome},
    sent::Sent,
    tool_request::ToolRequest,
    toolbox::Tool,
};
use crate::{
    clock::Clock,
    consent::{READS_WITHIN, Wanted},
    link::PhotoUrl,
};

/// Most requests to a model in one turn.
const MOST_CALLS: u32 = 6;
/// Most tools run in one turn; also the most calls in it that name no tool or cannot be parsed.
const MOST_TOOLS: usize = 8;
/// Most runs of one tool with the same arguments.
const MOST_IDENTICAL: u32 = 2;
const LONGEST_TURN: Duration = Duration::seconds(45);
/// Limit of an answer, in tokens.
const LONGEST_ANSWER: u32 = 800;

/// End of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnding {
    /// An answer that breaks no rule and may be sent.
    Reply {
        text: String,
        /// Photos of products that the text names for the first time; three at most.
        photos: Vec<PhotoUrl>,
    },
    /// A proposal for the customer to confirm, and the outcome of sending its summary.
    Proposed(Tool, Sent),
    HandOver(HandOverReason),
}

/// Outcome of a turn, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnOutcome {
    pub ending: TurnEnding,
    pub tools: Vec<Tool>,
    pub usage: TokenUsage,
    pub refused: Vec<Rule>,
    /// Steps to the ending, for those who try the assistant out; stored nowhere.
    pub steps: Vec<TurnStep>,
}

/// One step of a turn. Its `Debug` shows nothing of what people wrote.
#[derive(Clone, PartialEq, Eq)]
pub enum TurnStep {
    Ran {
        tool: String,
        arguments: String,
        /// Result that the model was told, in JSON.
        told: String,
    },
    /// An answer that broke rules.
    Refused { text: String, rules: Vec<Rule> },
}

impl fmt::Debug for TurnStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TurnStep(…)")
    }
}

/// Use case that has a model answer a customer.
pub struct AnswerCustomer {
    pub model: Models,
    pub tools: Arc<dyn Tools>,
    pub clock: Arc<dyn Clock>,
}

struct Turn<'a> {
    of: &'a AnswerCustomer,
    brief: &'a TurnBrief,
    deadline: OffsetDateTime,
    /// Latest time at which a proposal to the customer may be begun.
    proposes_until: OffsetDateTime,
    said: Vec<ModelMessage>,
    evidence: Evidence,
    system_told: bool,
    shown: Vec<ShownProduct>,
    tools: Vec<Tool>,
    /// Number of calls that could not be used.
    unread: usize,
    repeated: HashMap<(String, String), u32>,
    usage: TokenUsage,
    refused: Vec<Rule>,
    steps: Vec<TurnStep>,
}

impl AnswerCustomer {
    /// Answers what the customer wrote last, without sending the answer.
    pub async fn run(&self, brief: &TurnBrief) -> TurnOutcome {
        self.run_until(brief, self.clock.now() + LONGEST_TURN).await
    }

    /// Answers like [`Self::run`], but hands over by `latest`.
    pub async fn run_until(&self, brief: &TurnBrief, latest: OffsetDateTime) -> TurnOutcome {
        let mut turn = Turn {
            of: self,
            brief,
            deadline: latest.min(self.clock.now() + LONGEST_TURN),
            proposes_until: latest - READS_WITHIN,
            said: brief.said(),
            evidence: brief.evidence(),
            system_told: false,
            shown: Vec::new(),
            tools: Vec::new(),
            unread: 0,
            repeated: HashMap::new(),
            usage: TokenUsage::default(),
            refused: Vec::new(),
            steps: Vec::new(),
        };
        let ending = if brief.burst().any(asks_for_a_person) {
            TurnEnding::HandOver(HandOverReason::Asked)
        } else {
            turn.ending().await.unwrap_or_else(TurnEnding::HandOver)
        };
        TurnOutcome { ending, tools: turn.tools, usage: turn.usage, refused: turn.refused, steps: turn.steps }
    }
}

impl Turn<'_> {
    async fn ending(&mut self) -> Result<TurnEnding, HandOverReason> {
        for _ in 0..MOST_CALLS {
            let answer = self.ask().await?;
            if answer.calls.is_empty() {
                let broken = self.brief.broken_by(&answer.text, &self.evidence);
                if broken.is_empty() {
                    if self.evidence.has_system_failed() && !self.system_told {
                        // The system could not tell what the customer wanted to know, whatever the model says
                        // instead.
                        return Err(HandOverReason::SystemUnavailable);
                    }
                    if self.brief.leaves_cancellation(&answer.text, &self.tools) {
                        // The customer would take it for cancelled.
                        return Err(HandOverReason::ModelAsked);
                    }
                    let photos = self.brief.photos(&answer.text, &self.shown);
                    return Ok(TurnEnding::Reply { text: answer.text, photos });
                }
                let again = !self.refused.is_empty();
                self.refused.extend(&broken);
                self.steps.push(TurnStep::Refused { text: answer.text, rules: broken.clone() });
                if again {
                    return Err(HandOverReason::UnsafeAnswer);
                }
                // The refused words are not repeated to the model: it would take them for said.
                let advice: Vec<_> = broken.into_iter().map(Rule::advice).collect();
                self.said.push(ModelMessage::Advice(advice.join(" ")));
            } else {
                self.said.push(ModelMessage::Calls(answer.calls.clone()));
                for call in &answer.calls {
                    if let Some(sent) = self.call(call).await? {
                        return Ok(sent);
                    }
                }
            }
        }
        Err(HandOverReason::Exhausted)
    }

    async fn ask(&mut self) -> Result<ModelAnswer, HandOverReason> {
        let request = ModelRequest {
            instructions: self.brief.instructions(),
            said: self.said.clone(),
            tools: self.brief.tools.iter().map(|tool| tool.description()).collect(),
            longest_answer: LONGEST_ANSWER,
        };
        self.check_time()?;
        let answer = self.of.model.answer(&request, &*self.of.clock, self.deadline).await;
        let answer = answer.map_err(|error| match error {
            ModelError::BudgetSpent => HandOverReason::CapReached,
            ModelError::TimedOut => HandOverReason::ModelTimedOut,
            _ => HandOverReason::ModelDown,
        })?;
        self.usage = self.usage.and(answer.usage.unwrap_or_default());
        Ok(answer)
    }

    /// Carries out a call. A proposal to the customer ends the turn.
    async fn call(&mut self, call: &ToolCall) -> Result<Option<TurnEnding>, HandOverReason> {
        self.check_time()?;
        let mut proposed = None;
        let outcome = match ToolRequest::read(call, self.brief) {
            // Customers, shops and the team read notes and wishes, which must repeat no instructions.
            Ok(request)
                if request != ToolRequest::HandOver && self.brief.repeats_instructions(&call.arguments) =>
            {
                self.unread += 1;
                if self.unread > MOST_TOOLS {
                    return Err(HandOverReason::Exhausted);
                }
                ToolOutcome::failed("the arguments hold only what the customer has written")
            }
            Ok(ToolRequest::HandOver) => {
                self.tools.push(Tool::HandOver);
                return Err(HandOverReason::ModelAsked);
            }
            Ok(request) => {
                let times = self.repeated.entry((call.name.clone(), call.arguments.clone())).or_default();
                *times += 1;
                if *times > MOST_IDENTICAL || self.tools.len() >= MOST_TOOLS {
                    return Err(HandOverReason::Exhausted);
                }
                let tool = request.tool();
                self.tools.push(tool);
                let outcome = match request {
                    request if self.has_written_down(&request) => {
                        ToolOutcome::failed("this was written down already: say no more than that")
                    }
                    // Its look-ups may take up to `READS_WITHIN`.
                    ToolRequest::Propose(..) if self.of.clock.now() > self.proposes_until => {
                        return Err(HandOverReason::Exhausted);
                    }
                    ToolRequest::Propose(_, wanted) => match self.propose(*wanted).await {
                        Ok(sent) => {
                            proposed = Some(TurnEnding::Proposed(tool, sent));
                            ToolOutcome::proposed()
                        }
                        Err(refused) => *refused,
                    },
                    request => self.run_tool(&request).await?,
                };
                self.system_told |= tool.asks_system() && outcome.told.get("error").is_none();
                outcome
            }
            Err(_) if self.unread >= MOST_TOOLS => return Err(HandOverReason::Exhausted),
            Err(error) => {
                self.unread += 1;
                ToolOutcome::failed(&error.to_string())
            }
        };
        let mut json = outcome.told.to_string();
        if json.len() > LONGEST_RESULT {
            json = ToolOutcome::failed("the result is too long: ask for less").told.to_string();
        } else {
            self.evidence.extend(outcome.evidence);
            self.shown.extend(outcome.shown);
        }
        self.steps.push(TurnStep::Ran {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            told: json.clone(),
        });
        self.said.push(ModelMessage::ToolResult { call: call.id.clone(), json });
        Ok(proposed)
    }

    /// Runs a tool for the rest of the turn's time at most. What it was about to write is written whole or
    /// not at all.
    async fn run_tool(&self, request: &ToolRequest) -> Result<ToolOutcome, HandOverReason> {
        let left = std::time::Duration::try_from(self.deadline - self.of.clock.now()).unwrap_or_default();
        let (ran, over) = (self.of.tools.run(self.brief, request), self.of.clock.sleep(left));
        match select(over, ran).await {
            Either::Left(_) => Err(HandOverReason::Exhausted),
            Either::Right((outcome, _)) => Ok(outcome),
        }
    }

    /// Asks the customer, unless the model's words in the summary are not supported by the evidence.
    async fn propose(&self, wanted: Wanted) -> Result<Sent, Box<ToolOutcome>> {
        if wanted.words().any(|words| !may_be_confirmed(words.as_str(), &self.evidence)) {
            return Err(Box::new(ToolOutcome::failed(
                "name, address, and notes hold only what the customer has written, and no price, number or link beside \
                 it, nor that anything was done",
            )));
        }
        self.of.tools.propose(self.brief, wanted).await
    }

    /// Returns whether the turn has already recorded it: one message of a customer's is one wish.
    fn has_written_down(&self, request: &ToolRequest) -> bool {
        match request {
            ToolRequest::CaptureLead { .. } => self.evidence.has(Deed::LeadCaptured),
            ToolRequest::RequestBooking { .. } => self.evidence.has(Deed::BookingRequested),
            _ => false,
        }
    }

    fn check_time(&self) -> Result<(), HandOverReason> {
        if self.of.clock.now() < self.deadline { Ok(()) } else { Err(HandOverReason::Exhausted) }
    }
}

#[cfg(test)]
mod tests;
