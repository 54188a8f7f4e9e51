//! What a customer sees while a turn is worked on: that somebody is typing, and after a while that it takes a
//! moment.

use std::{convert::Infallible, pin::pin, time::Duration};

use futures_util::future::{Either, join, select};

use super::{
    answer::{AnswerCustomer, TurnOutcome},
    brief::TurnBrief,
    speech::{Act, Telling},
    take_turn::TakeTurn,
    turn::{DueTurn, WORKED_ON},
};
use crate::{
    ids::MessageId,
    sending::{OfAnswer, ReplyRequest},
};

/// Time of the model and its tools after which the customer is told that it takes a moment.
const TOLD_AFTER: Duration = Duration::from_secs(15);
/// Time between two signs of typing. Networks show one for twenty seconds or more, but only until a message
/// comes, such as the one after [`TOLD_AFTER`].
const SHOWN_EVERY: Duration = Duration::from_secs(16);
/// Longest time that a network has for a sign of typing.
const SHOWN_WITHIN: Duration = Duration::from_secs(5);

impl TakeTurn {
    /// Has the turn answered, and shows the customer meanwhile that it is. Neither sign changes the outcome.
    pub(super) async fn work(
        &self,
        turn: &DueTurn,
        brief: &TurnBrief,
        answers: &AnswerCustomer,
    ) -> TurnOutcome {
        match select(pin!(self.answered(turn, brief, answers)), pin!(self.type_on(brief))).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right((never, _)) => match never {},
        }
    }

    /// Shows typing until it is dropped.
    async fn type_on(&self, brief: &TurnBrief) -> Infallible {
        loop {
            let shown = self.typing.show(brief.workspace, brief.fence.conversation);
            select(shown, self.deps.clock.sleep(SHOWN_WITHIN)).await;
            self.deps.clock.sleep(SHOWN_EVERY).await;
        }
    }

    async fn answered(&self, turn: &DueTurn, brief: &TurnBrief, answers: &AnswerCustomer) -> TurnOutcome {
        let answered = pin!(answers.run_until(brief, turn.waiting_since + WORKED_ON));
        match select(answered, self.deps.clock.sleep(TOLD_AFTER)).await {
            Either::Left((outcome, _)) => outcome,
            // The answer waits for the sentence, which would come after it otherwise.
            Either::Right(((), answered)) => join(answered, self.tell_to_wait(turn, brief)).await.0,
        }
    }

    /// Tells the customer that it takes a moment, once for all that they wait for. It is marked before it is
    /// sent: a death in between costs the sentence, and nothing brings it twice.
    async fn tell_to_wait(&self, turn: &DueTurn, brief: &TurnBrief) {
        let Ok(book) = brief.owner.phrasebook(brief.voice()) else { return };
        let evidence = brief.evidence();
        let telling = Telling { evidence: &evidence, book: &book, rotation: brief.rotation() };
        let Ok(speech) = telling.say(&[Act::Wait {}]) else { return };
        let id = MessageId::new(&*self.deps.ids);
        let marked = self.turns.tell_to_wait(brief.workspace, turn, id, self.deps.clock.now()).await;
        if matches!(marked, Ok(true)) {
            let conversation = brief.fence.conversation;
            let request = ReplyRequest {
                conversation,
                text: speech.text(),
                buttons: Vec::new(),
                upload: None,
                key: None,
                id: Some(id),
            };
            // Without it the customer waits as long.
            let _ = self
                .reply
                .run_text_as_assistant(brief.workspace, &request, OfAnswer::Further, brief.fence)
                .await;
        }
    }
}
