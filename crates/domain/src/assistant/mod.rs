//! The assistant: a language model that answers customers, and the rules that constrain it.
//!
//! The model proposes, code commits, and code speaks. The model picks tools ([`Tool`]) and what to say: an
//! answer is a list of [acts](speech::Act) with references into the turn's [evidence](speech::Evidence),
//! which code words. It can write nothing itself, look up no phone number, and say nothing that no act says.

mod answer;
mod at_work;
mod brief;
mod budget;
mod by_language;
mod cost;
mod figures;
#[cfg(test)]
pub(crate) mod fixtures;
mod hand_over;
mod language;
mod manage;
mod model;
mod model_key;
mod models;
mod own_models;
mod own_words;
mod owner;
mod pictures;
pub mod ports;
mod read_turns;
mod reason;
mod reassure;
pub mod rehearsal;
mod results;
mod resume_replies;
mod run_tools;
mod sent;
mod settings;
pub mod speech;
mod take_turn;
mod tool_request;
mod toolbox;
mod try_out;
mod turn;
mod wishes;
mod without_commits;

pub use answer::{AnswerCustomer, Said, TurnEnding, TurnOutcome, TurnStep};
pub use brief::{Speaker, TurnBrief};
pub use budget::MeteredModel;
pub use by_language::ByLanguage;
pub use cost::{Cost, DayLimit, ModelPrice, NotAPrice, Spent};
pub use hand_over::{HandOver, HandOverTexts, LONGEST_SENTENCE, MOST_MINUTES, WHEN};
pub use language::language_of;
pub use manage::{ManageAssistant, SettingsError};
pub use model::{
    ModelAnswer, ModelError, ModelMessage, ModelRequest, ModelState, Picture, TokenUsage, ToolCall,
    ToolDescription,
};
pub use model_key::{KeptModelKey, ModelKey, ModelKeyState};
pub use models::{Models, Prices};
pub use own_models::{ManageModelKey, ModelKeyError, OwnModels, WorkspaceModels};
pub use owner::{OwnersWords, TitledFact};
pub use read_turns::{ReadTurns, TURNS_KEPT_FOR};
pub use reason::HandOverReason;
pub use reassure::Reassure;
pub use results::{Deed, ToolOutcome};
pub use resume_replies::ResumeReplies;
pub use run_tools::RunTools;
pub use sent::Sent;
pub use settings::{
    AssistantMode, AssistantSettings, DAILY_TOKENS, Fact, LONGEST_FACT, LONGEST_INSTRUCTIONS, LONGEST_NAME,
    LONGEST_TITLE, LONGEST_TONE, LONGEST_WORDINGS, MOST_DAILY_TOKENS, MOST_FACTS, MOST_TEST_NUMBERS,
    SettingsRule, TOKENS_OF_A_TURN,
};
pub use take_turn::TakeTurn;
pub use tool_request::{ToolCallError, ToolRequest};
pub use toolbox::{ANSWER, Tool};
pub use try_out::{ActsToSay, SaidActs, SayError, TryAssistant, TryError};
pub use turn::{
    DueTurn, LONGEST_WAIT, ListedTurn, MOST_TURNS_A_DAY, SILENCE, TurnRecord, TurnResult, UsageOfDay,
    WORKED_ON, Words,
};
pub use wishes::asks_for_a_person;
