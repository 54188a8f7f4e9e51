//! Acts that an owner has worded as a customer would get them; no model is asked.

use super::TryAssistant;
use crate::{
    assistant::{
        settings::LONGEST_NAME,
        speech::{
            Answer, AnswerError, Evidence, Message, Objection, Rotation, Telling, Voice, WordingError, judge,
        },
        turn::Words,
    },
    channels::ChannelKind,
    errors::StoreError,
    ids::WorkspaceId,
    text::PlainText,
};

/// Acts to word, with what they refer to.
#[derive(Debug, Clone)]
pub struct ActsToSay {
    pub answer: Answer,
    /// The owner's facts are added to it as `f1`, `f2` …, and the assistant's name, where it has none such.
    pub evidence: Evidence,
    /// Language; of the registers of Arabic, the owner's is spoken.
    pub voice: Voice,
    pub channel: ChannelKind,
}

/// Acts in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidActs {
    pub messages: Vec<Message>,
    pub words: Words,
    /// Reason the wording that came along was not sent.
    pub objection: Option<Objection>,
}

/// Reason acts were not worded.
#[derive(Debug, thiserror::Error)]
pub enum SayError {
    #[error(transparent)]
    Acts(#[from] AnswerError),
    #[error(transparent)]
    Wordings(#[from] WordingError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TryAssistant {
    /// Words acts by the owner's register and wordings.
    pub async fn say(&self, workspace: WorkspaceId, acts: ActsToSay) -> Result<SaidActs, SayError> {
        let ActsToSay { answer, mut evidence, voice, channel } = acts;
        let settings = self.settings.settings(workspace).await?.unwrap_or_default();
        for fact in settings.owners_facts() {
            if !evidence.facts.iter().any(|given| given.id == fact.id) {
                evidence.facts.push(fact);
            }
        }
        let name = settings.name.as_deref();
        evidence.assistant = evidence.assistant.or_else(|| PlainText::read(name?, LONGEST_NAME));
        let book = settings.wordings.phrasebook(settings.register.voice(voice))?;
        let telling = Telling { evidence: &evidence, book: &book, rotation: Rotation::default() };
        let speech = telling.say(&answer.acts)?;
        let Some(wording) = answer.wording else {
            return Ok(SaidActs { messages: speech.messages(channel), words: Words::Code, objection: None });
        };
        Ok(match judge(&book, &speech, &wording) {
            Ok(()) => SaidActs {
                messages: speech.in_words(&wording).messages(channel),
                words: Words::Model,
                objection: None,
            },
            Err(objection) => SaidActs {
                messages: speech.messages(channel),
                words: Words::Code,
                objection: Some(objection),
            },
        })
    }
}
