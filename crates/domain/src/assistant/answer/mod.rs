//! Answers to customers: the model proposes calls and acts, code makes the calls, words the acts, and hands
//! over to a person if neither comes to anything.

mod given;
mod say;

use std::{collections::HashMap, fmt, sync::Arc};

use futures_util::future::{Either, select};
use time::{Duration, OffsetDateTime};

use super::{
    brief::TurnBrief,
    figures::may_be_confirmed,
    model::{ModelAnswer, ModelError, ModelMessage, ModelRequest, TokenUsage, ToolCall},
    models::Models,
    ports::Tools,
    reason::HandOverReason,
    results::{Deed, LONGEST_RESULT, ToolOutcome},
    sent::Sent,
    speech::{Act, Evidence, Message},
    tool_request::ToolRequest,
    toolbox::{ANSWER, NUMBER, Tool, describe},
    turn::Words,
    wishes::asks_for_a_person,
};
use crate::{
    clock::Clock,
    consent::{READS_WITHIN, Wanted},
    text::PlainText,
};

/// Most requests to a model in one turn.
const MOST_CALLS: u32 = 6;
/// Most tools run in one turn; also the most calls in it that name no tool or cannot be parsed.
const MOST_TOOLS: usize = 8;
/// Most runs of one tool with the same arguments.
const MOST_IDENTICAL: u32 = 2;
const LONGEST_TURN: Duration = Duration::seconds(45);
/// Longest text of an answer that is looked at, in bytes.
const LONGEST_TEXT: usize = 8 * 1024;
/// Limit of an answer, in tokens.
const LONGEST_ANSWER: u32 = 800;

/// End of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnding {
    /// An answer that may be sent, one message or more; three photos at most.
    Reply {
        messages: Vec<Message>,
    },
    /// A proposal for the customer to confirm, and the outcome of sending its summary.
    Proposed(Tool, Sent),
    HandOver(HandOverReason),
}

/// What an answer says and in whose words, without a word of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// Names of the acts, in order.
    pub acts: Vec<String>,
    /// Ids of the evidence that they refer to, each with its kind before it, and once.
    pub evidence: Vec<String>,
    /// `None` if nothing is said.
    pub words: Option<Words>,
    /// Kind of the objection to the model's wording.
    pub objection: Option<String>,
}

/// Outcome of a turn, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnOutcome {
    pub ending: TurnEnding,
    pub tools: Vec<Tool>,
    pub usage: TokenUsage,
    pub said: Said,
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
    /// An answer that cannot be said, and why.
    Refused { text: String, why: String },
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
    deeds: Vec<Deed>,
    system_told: bool,
    tools: Vec<Tool>,
    /// Number of calls that could not be used.
    unread: usize,
    repeated: HashMap<(String, String), u32>,
    usage: TokenUsage,
    /// Whether an answer could not be said.
    was_refused: bool,
    answered: Said,
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
            deeds: Vec::new(),
            system_told: false,
            tools: Vec::new(),
            unread: 0,
            repeated: HashMap::new(),
            usage: TokenUsage::default(),
            was_refused: false,
            answered: Said::default(),
            steps: Vec::new(),
        };
        let ending = if brief.asks_who_it_is() {
            turn.courtesy(Act::NotAPerson {}).unwrap_or_else(TurnEnding::HandOver)
        } else if brief.burst().any(asks_for_a_person) {
            TurnEnding::HandOver(HandOverReason::Asked)
        } else if brief.is_stickers() {
            let is_first = brief.history.iter().all(|(speaker, _)| speaker.is_customer());
            let act = if is_first { Act::Greet {} } else { Act::YouAreWelcome {} };
            turn.courtesy(act).unwrap_or_else(TurnEnding::HandOver)
        } else {
            turn.ending().await.unwrap_or_else(TurnEnding::HandOver)
        };
        TurnOutcome { ending, tools: turn.tools, usage: turn.usage, said: turn.answered, steps: turn.steps }
    }
}

impl Turn<'_> {
    async fn ending(&mut self) -> Result<TurnEnding, HandOverReason> {
        for _ in 0..MOST_CALLS {
            let answer = self.ask().await?;
            let ending = if answer.calls.is_empty() {
                self.take_text(&answer.text).await?
            } else {
                self.take_calls(&answer).await?
            };
            if let Some(ending) = ending {
                return Ok(ending);
            }
        }
        Err(HandOverReason::Exhausted)
    }

    /// Carries out the calls of an answer. What is answered beside other calls is answered once more: it does
    /// not know yet what they tell.
    async fn take_calls(&mut self, answer: &ModelAnswer) -> Result<Option<TurnEnding>, HandOverReason> {
        self.said.push(ModelMessage::Calls(answer.calls.clone()));
        let is_answer = |call: &ToolCall| call.name == ANSWER;
        if answer.calls.iter().all(is_answer) {
            return self.take_answer(&answer.calls, &answer.text).await;
        }
        for call in &answer.calls {
            if is_answer(call) {
                self.tell(call, "read what the other calls told, and answer then");
            } else if let Some(ending) = self.call(call).await? {
                return Ok(Some(ending));
            }
        }
        Ok(None)
    }

    /// Tells the model why a call came to nothing.
    fn tell(&mut self, call: &ToolCall, why: &str) {
        let json = ToolOutcome::failed(why).told.to_string();
        self.said.push(ModelMessage::ToolResult { call: call.id.clone(), json });
    }

    async fn ask(&mut self) -> Result<ModelAnswer, HandOverReason> {
        let request = ModelRequest {
            instructions: self.brief.instructions(),
            said: self.said.clone(),
            tools: describe(&self.brief.tools, &self.evidence),
            longest_answer: LONGEST_ANSWER,
        };
        self.check_time()?;
        let answer = self.of.model.answer(&request, &*self.of.clock, self.deadline).await;
        let answer = answer.map_err(|error| match error {
            ModelError::BudgetSpent => HandOverReason::CapReached,
            ModelError::TimedOut => HandOverReason::ModelTimedOut,
            // A server without eyes refuses the request as a wrong one.
            ModelError::Refused { status: 400..500 } if !self.brief.pictures.is_empty() => {
                HandOverReason::CannotRead
            }
            _ => HandOverReason::ModelDown,
        })?;
        self.usage = self.usage.and(answer.usage.unwrap_or_default());
        let text = first_bytes(&answer.text, LONGEST_TEXT).to_owned();
        Ok(ModelAnswer { text, ..answer })
    }

    /// Carries out a call. A proposal to the customer ends the turn.
    async fn call(&mut self, call: &ToolCall) -> Result<Option<TurnEnding>, HandOverReason> {
        self.check_time()?;
        let mut proposed = None;
        let outcome = match ToolRequest::read(call, self.brief) {
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
                        ToolOutcome::failed("this was written down already: answer now")
                    }
                    ToolRequest::CaptureLead { need, .. } if !self.is_wish(&need) => {
                        ToolOutcome::failed(say::OWN_WORDS)
                    }
                    ToolRequest::Propose(Tool::PlaceOrder, _) if self.brief.leaves_order(&[]) => {
                        ToolOutcome::failed(
                            "the customer asks to cancel or change an order, which a new one does not: tell \
                             order_status, ask for order_number or hand over",
                        )
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
        let outcome = outcome.numbered(&self.evidence);
        let mut json = outcome.told.to_string();
        if json.len() > LONGEST_RESULT {
            json = ToolOutcome::failed("the result is too long: ask for less").told.to_string();
        } else {
            self.evidence.extend(outcome.evidence);
        }
        self.deeds.extend(outcome.deeds);
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
        let customer = self.brief.customer_said();
        if wanted.words().any(|words| !may_be_confirmed(words.as_str(), &customer)) {
            return Err(Box::new(ToolOutcome::failed(
                "name, address, and notes hold only what the customer has written, and no price, number or link beside it",
            )));
        }
        self.of.tools.propose(self.brief, wanted).await
    }

    /// Returns whether the turn has already recorded it: one message of a customer's is one wish.
    fn has_written_down(&self, request: &ToolRequest) -> bool {
        match request {
            ToolRequest::CaptureLead { .. } => self.deeds.contains(&Deed::LeadCaptured),
            ToolRequest::RequestBooking { .. } => self.deeds.contains(&Deed::BookingRequested),
            _ => false,
        }
    }

    /// Returns whether the customer has just wished for it, in these words; a number in them is theirs.
    fn is_wish(&self, need: &PlainText) -> bool {
        let number = self.brief.typed_number().unwrap_or_default();
        self.brief.is_wish(&need.as_str().replace(NUMBER, &number))
    }

    fn check_time(&self) -> Result<(), HandOverReason> {
        if self.of.clock.now() < self.deadline { Ok(()) } else { Err(HandOverReason::Exhausted) }
    }
}

/// Returns the beginning of a text, of whole letters.
fn first_bytes(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
