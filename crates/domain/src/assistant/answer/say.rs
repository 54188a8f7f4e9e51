//! Wording of acts, and what becomes of answers that cannot be said.

use super::{
    super::{
        model::{ModelMessage, ToolCall},
        reason::HandOverReason,
        results::Deed,
        speech::{Act, Answer, Id, Message, Phrasebook, Speech, Telling, judge, judge_courtesy},
        tool_request::ToolRequest,
        toolbox::{NUMBER, Tool},
        turn::Words,
    },
    Said, Turn, TurnEnding, TurnStep, given,
};
use crate::{customer_records::LONGEST_NEED, text::PlainText};

/// Most photos of one answer.
const MOST_PHOTOS: usize = 3;
/// Advice to a model that writes where it should call.
const BY_TOOL: &str = "Write no text. Answer by calling the tool `answer` with acts.";

/// Advice to a model that would note something else than a wish.
pub(super) const OWN_WORDS: &str = "a wish is noted in words of the customer's last message, copied letter by letter, \
                                    and not without one";

/// Reason an answer is not said.
struct NotSaid {
    /// For the model.
    why: String,
    /// Reason of the hand-over if it is no better the next time.
    ends: HandOverReason,
}

impl NotSaid {
    fn of(why: &impl ToString) -> Self {
        Self { why: why.to_string(), ends: HandOverReason::UnsafeAnswer }
    }
}

impl Turn<'_> {
    /// Ends the turn with the answer of the calls, or tells the model once why it cannot be said.
    pub(super) async fn take_answer(
        &mut self,
        calls: &[ToolCall],
        beside: &str,
    ) -> Result<Option<TurnEnding>, HandOverReason> {
        self.check_system()?;
        let not_said = match given::read(calls, beside) {
            Ok(answer) => match self.say(answer).await? {
                Ok(ending) => {
                    let steps: Vec<_> = calls.iter().map(|call| self.answered_by(call)).collect();
                    self.steps.extend(steps);
                    return Ok(Some(ending));
                }
                Err(not_said) => not_said,
            },
            Err(error) => NotSaid::of(&error),
        };
        let text: Vec<_> = calls.iter().map(|call| call.arguments.as_str()).collect();
        let not_said = self.refuse(text.join("\n"), not_said)?;
        for call in calls {
            self.tell(call, &not_said.why);
        }
        Ok(None)
    }

    /// Takes a text in place of calls: an answer as JSON, or prose. The model is told once to call; after
    /// that prose goes out if it is courtesy alone.
    pub(super) async fn take_text(&mut self, text: &str) -> Result<Option<TurnEnding>, HandOverReason> {
        self.check_system()?;
        let not_said = match given::written_in(text) {
            Some(arguments) => {
                let (id, name) = (String::new(), super::ANSWER.to_owned());
                let call = ToolCall { id, name, arguments, state: None };
                match given::read(std::slice::from_ref(&call), "") {
                    Ok(answer) => match self.say(answer).await? {
                        Ok(ending) => {
                            self.steps.push(self.answered_by(&call));
                            return Ok(Some(ending));
                        }
                        Err(not_said) => not_said,
                    },
                    Err(error) => NotSaid::of(&error),
                }
            }
            None if self.brief.leaves_order(&[]) => {
                NotSaid { ends: HandOverReason::ModelAsked, ..NotSaid::of(&BY_TOOL) }
            }
            None if self.was_refused && judge_courtesy(&self.book()?, text).is_ok() => {
                self.answered.words = Some(Words::Model);
                let messages = vec![Message::Text(text.trim().to_owned())];
                return Ok(Some(self.reply(&self.book()?, &[], messages)));
            }
            None => NotSaid::of(&BY_TOOL),
        };
        let not_said = self.refuse(text.to_owned(), not_said)?;
        // The refused words are not repeated to the model: it would take them for said.
        self.said.push(ModelMessage::Advice(not_said.why));
        Ok(None)
    }

    /// Words an answer.
    async fn say(&mut self, answer: Answer) -> Result<Result<TurnEnding, NotSaid>, HandOverReason> {
        let Answer { mut acts, wording } = answer;
        for act in &mut acts {
            self.unmask(act);
        }
        let book = self.book()?;
        let telling = Telling { evidence: &self.evidence, book: &book, rotation: self.brief.rotation() };
        let speech = telling.say(&acts);
        self.answered = self.said_by(&acts);
        if acts.iter().any(|act| matches!(act, Act::HandOver { .. })) {
            // Whatever else cannot be said, a person can.
            if speech.is_ok() {
                let _ = self.write_down(&acts).await?;
            }
            return Err(HandOverReason::ModelAsked);
        }
        let speech = match speech {
            Ok(speech) => speech,
            Err(error) => return Ok(Err(NotSaid::of(&error))),
        };
        if let Err(not_said) = self.check_acts(&acts) {
            return Ok(Err(not_said));
        }
        if let Err(not_said) = self.write_down(&acts).await? {
            return Ok(Err(not_said));
        }
        let speech = self.in_whose_words(&book, speech, wording.as_deref());
        let messages = with_few_photos(speech.messages(self.brief.channel));
        if messages.is_empty() {
            return Ok(Err(NotSaid::of(&"nothing is said by it")));
        }
        Ok(Ok(self.reply(&book, &acts, messages)))
    }

    /// Ends the turn with these messages of the acts. The first answer says before them that an assistant
    /// answers, unless the owner has it say nothing.
    fn reply(&self, book: &Phrasebook, acts: &[Act], messages: Vec<Message>) -> TurnEnding {
        if !self.brief.owner.introduces_itself {
            return TurnEnding::Reply { messages };
        }
        let telling = Telling { evidence: &self.evidence, book, rotation: self.brief.rotation() };
        TurnEnding::Reply { messages: telling.introduce(acts, messages, self.brief.channel) }
    }

    /// Returns the speech in the model's words if the judge lets them pass, and in code's otherwise.
    fn in_whose_words(&mut self, book: &Phrasebook, speech: Speech, wording: Option<&str>) -> Speech {
        self.answered.words = Some(Words::Code);
        let Some(wording) = wording else { return speech };
        match judge(book, &speech, wording) {
            Ok(()) => {
                self.answered.words = Some(Words::Model);
                speech.in_words(wording)
            }
            Err(objection) => {
                self.answered.objection = Some(objection.kind().to_owned());
                speech
            }
        }
    }

    /// Returns an answer that needs no model.
    pub(super) fn courtesy(&mut self, act: Act) -> Result<TurnEnding, HandOverReason> {
        let acts = [act];
        let book = self.book()?;
        let telling = Telling { evidence: &self.evidence, book: &book, rotation: self.brief.rotation() };
        let speech = telling.say(&acts).map_err(|_| HandOverReason::UnsafeAnswer)?;
        self.answered = Said { words: Some(Words::Code), ..self.said_by(&acts) };
        Ok(self.reply(&book, &acts, speech.messages(self.brief.channel)))
    }

    /// Checks what the renderer cannot know: what was looked for, and what the customer waits for.
    fn check_acts(&self, acts: &[Act]) -> Result<(), NotSaid> {
        let is_missing = !self.evidence.searches.is_empty() || self.deeds.contains(&Deed::NothingFound);
        if !is_missing && acts.iter().any(|act| matches!(act, Act::NotFound { .. })) {
            return Err(NotSaid::of(&"not_found: no search of this turn came to nothing: search first"));
        }
        let waits = |act: &Act| matches!(act, Act::Wait {});
        let is_courtesy = |act: &Act| matches!(act, Act::Greet {} | Act::Thank {} | Act::Apologise {});
        if acts.iter().any(waits) && acts.iter().all(|act| waits(act) || is_courtesy(act)) {
            // Nobody would answer what the customer then waits for.
            return Err(NotSaid::of(&"wait: nothing follows this answer: look it up now, or hand over"));
        }
        if self.brief.leaves_order(acts) {
            let why = "the customer asks to cancel or change an order: tell order_status, ask for order_number, hand \
                       over, or call cancelOrder to cancel it";
            return Err(NotSaid { ends: HandOverReason::ModelAsked, ..NotSaid::of(&why) });
        }
        Ok(())
    }

    /// Writes down the wish that an act says is noted.
    async fn write_down(&mut self, acts: &[Act]) -> Result<Result<(), NotSaid>, HandOverReason> {
        let wish = acts.iter().find_map(|act| match act {
            Act::Lead { words } => Some(words.as_str()),
            _ => None,
        });
        let need = wish.and_then(|wish| PlainText::read(wish, LONGEST_NEED));
        let Some(need) = need.filter(|_| !self.deeds.contains(&Deed::LeadCaptured)) else {
            return Ok(Ok(()));
        };
        if !self.brief.is_wish(need.as_str()) {
            return Ok(Err(NotSaid::of(&OWN_WORDS)));
        }
        if !self.brief.tools.contains(&Tool::CaptureLead) {
            return Ok(Err(NotSaid::of(&"lead: nothing is noted here")));
        }
        self.check_time()?;
        self.tools.push(Tool::CaptureLead);
        let outcome = self.run_tool(&ToolRequest::CaptureLead { name: None, need }).await?;
        if !outcome.deeds.contains(&Deed::LeadCaptured) {
            return Ok(Err(NotSaid::of(&outcome.told)));
        }
        self.deeds.extend(outcome.deeds);
        Ok(Ok(()))
    }

    /// Puts the customer's own number where a model was shown a placeholder.
    fn unmask(&self, act: &mut Act) {
        let (words, number) = match act {
            Act::Lead { words } => (words, self.brief.typed_number()),
            Act::NotFound { query: Some(query) } => (query, self.brief.typed_reference()),
            Act::OrderStatus { order: Id(order), .. } => (order, self.brief.typed_reference()),
            _ => return,
        };
        if let Some(number) = number {
            *words = words.replace(NUMBER, &number);
        }
    }

    fn said_by(&self, acts: &[Act]) -> Said {
        let mut evidence = Vec::new();
        for reference in acts.iter().flat_map(|act| act.references(&self.evidence)) {
            if !evidence.contains(&reference) {
                evidence.push(reference);
            }
        }
        let acts = acts.iter().map(|act| act.name().to_owned()).collect();
        Said { acts, evidence, ..Said::default() }
    }

    fn answered_by(&self, call: &ToolCall) -> TurnStep {
        let Said { words, objection, .. } = &self.answered;
        let told = serde_json::json!({ "words": words.map(Words::as_str), "objection": objection });
        TurnStep::Ran { tool: call.name.clone(), arguments: call.arguments.clone(), told: told.to_string() }
    }

    fn book(&self) -> Result<Phrasebook, HandOverReason> {
        // Only a file that comes with the program can be broken, which tests exclude.
        self.brief.owner.phrasebook(self.brief.voice()).map_err(|_| HandOverReason::UnsafeAnswer)
    }

    /// Hands over if the system could not tell what the customer wanted to know, whatever the model says
    /// instead.
    fn check_system(&self) -> Result<(), HandOverReason> {
        let has_failed = self.deeds.contains(&Deed::SystemFailed);
        if has_failed && !self.system_told { Err(HandOverReason::SystemUnavailable) } else { Ok(()) }
    }

    /// Records an answer that is not said, and returns why, as the model is told it. The second one ends the
    /// turn.
    fn refuse(&mut self, text: String, not_said: NotSaid) -> Result<NotSaid, HandOverReason> {
        self.answered = Said::default();
        let NotSaid { why, ends } = not_said;
        let why = self.brief.masked_again(&why);
        self.steps.push(TurnStep::Refused { text, why: why.clone() });
        let is_second = std::mem::replace(&mut self.was_refused, true);
        if is_second { Err(ends) } else { Ok(NotSaid { why, ends }) }
    }
}

/// Leaves photos out beyond the first ones; their captions stay.
fn with_few_photos(messages: Vec<Message>) -> Vec<Message> {
    let mut photos = 0;
    let few = messages.into_iter().filter_map(|message| match message {
        Message::Photo { url, caption } => {
            photos += 1;
            let kept = photos <= MOST_PHOTOS;
            if kept { Some(Message::Photo { url, caption }) } else { caption.map(Message::Text) }
        }
        message => Some(message),
    });
    few.collect()
}
