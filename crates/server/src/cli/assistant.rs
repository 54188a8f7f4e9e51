//! Commands about a workspace's assistant.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use domain::{
    assistant::{
        AssistantMode, ByLanguage, Cost, Tool,
        speech::{Register, Voice},
    },
    channels::ChannelKind,
    ids::{GroupId, WorkspaceId},
    language::Language,
};

use super::id::id;

/// What can be done with it.
#[derive(Debug, Subcommand)]
pub enum AssistantCommand {
    /// Show whether it answers, and what it is set to.
    Show {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// Set what an owner sets on the dashboard. What is not named stays as it is.
    Set {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// What is to be set.
        #[command(flatten)]
        changes: Box<AssistantChanges>,
    },
    /// Have the model asked with a key of the workspace's own, or remove it.
    #[command(subcommand)]
    Key(ModelKeyCommand),
    /// List what the days of the last ninety took, newest first.
    Usage {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// Word an answer from files: its acts, and the evidence of its turn. Needs no settings and no database.
    Say(SayArgs),
}

/// An answer to word.
#[derive(Debug, Clone, Args)]
pub struct SayArgs {
    /// The file with the acts: a JSON list, or an object of "acts" and "wording"; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    pub acts: PathBuf,
    /// The file with the evidence that they refer to, a JSON object; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    pub evidence: PathBuf,
    /// ar-IQ, ar, en or ckb.
    #[arg(long, value_parser = voice_tag)]
    pub language: String,
    /// dialect or formal, of Arabic; without it, the dialect for ar-IQ and the formal one for ar.
    #[arg(long, value_parser = register)]
    pub register: Option<Register>,
    /// The file with a model's own wording, as text: it goes out if nothing in it goes beyond the acts.
    #[arg(long, value_name = "FILE")]
    pub wording: Option<PathBuf>,
    /// A file with wordings of the owner's, in place of those that the program has.
    #[arg(long, value_name = "FILE")]
    pub own_wordings: Option<PathBuf>,
    /// The network that the messages are for: whatsapp, messenger or instagram.
    #[arg(long, default_value = "whatsapp", value_parser = network)]
    pub network: ChannelKind,
    /// The number of the turn: each has other wordings than the one before.
    #[arg(long, default_value_t = 0)]
    pub turn: u64,
}

/// What can be done with a workspace's own key.
#[derive(Debug, Subcommand)]
pub enum ModelKeyCommand {
    /// Keep a key in place of the one before.
    Set {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The file with the key that the model's vendor issued; `-` reads standard input.
        #[arg(long, value_name = "FILE")]
        key_file: PathBuf,
    },
    /// Forget the key: the installation's model answers again.
    Remove {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
}

/// What is to be set.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct AssistantChanges {
    /// off; test, where it answers the numbers alone that are listed; on.
    #[arg(long, value_parser = mode)]
    pub mode: Option<AssistantMode>,
    /// A number that may try it, in any spelling; may be repeated, and replaces those that are listed.
    #[arg(long, value_name = "PHONE")]
    pub test_number: Vec<String>,
    /// What it calls itself; empty for nothing.
    #[arg(long)]
    pub name: Option<String>,
    /// How it speaks; empty for nothing.
    #[arg(long)]
    pub tone: Option<String>,
    /// The file with what it is told to do and to leave; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    pub instructions_file: Option<PathBuf>,
    /// The file with what it may tell, in place of what it may now: a JSON list of { "title", "text" }, each
    /// perhaps with its wordings in a language: "ar", "en", "ckb".
    #[arg(long, value_name = "FILE")]
    pub facts_file: Option<PathBuf>,
    /// The file with what customers are told when a person takes over, in place of what they are now: a JSON
    /// object of "ar", "en", "ckb", and each of these with `WhenClosed` behind it: a text, or null for the
    /// service's own.
    #[arg(long, value_name = "FILE")]
    pub hand_over_file: Option<PathBuf>,
    /// The id of the group that conversations are handed over to, as `group list` has it; empty for whoever
    /// is first.
    #[arg(long, value_name = "ID", value_parser = group)]
    pub group: Option<ChosenGroup>,
    /// What it answers in, the first for whoever writes in another language: ar,en,ckb.
    #[arg(long, value_delimiter = ',', value_parser = language)]
    pub languages: Option<Vec<Language>>,
    /// How answers in Arabic are worded: dialect or formal.
    #[arg(long, value_parser = register)]
    pub register: Option<Register>,
    /// A file with own wordings of a language, in place of those now, as `assistant say` reads it:
    /// ar=FILE, en=FILE or ckb=FILE; may be repeated. An empty file has the service's own words back.
    #[arg(long, value_name = "LANGUAGE=FILE", value_parser = wordings)]
    pub wordings: Vec<WordingsFile>,
    /// Whether its first answer in a conversation says that an assistant answers: true or false.
    #[arg(long, value_name = "BOOL")]
    pub introduces_itself: Option<bool>,
    /// Whether the owner's test questions are asked again after a change, where that is cheap: true or false.
    #[arg(long, value_name = "BOOL")]
    pub rehearses_changes: Option<bool>,
    /// Tokens of the language models that a day (UTC) may take.
    #[arg(long)]
    pub daily_tokens: Option<u64>,
    /// Money that a day (UTC) may take, such as 2.50, in the currency of the models' price; none for no
    /// limit.
    #[arg(long, value_name = "AMOUNT", value_parser = budget)]
    pub daily_budget: Option<DailyBudget>,
    /// The tools that it may use, with commas between them; `all` for all that there are.
    #[arg(long, value_parser = tools)]
    pub tools: Option<Tools>,
}

/// Limit of money of a day; `None` for none.
#[derive(Debug, Clone, Copy)]
pub struct DailyBudget(pub Option<Cost>);

fn budget(written: &str) -> Result<DailyBudget, String> {
    if written == "none" {
        return Ok(DailyBudget(None));
    }
    let budget =
        Cost::read(written).ok_or_else(|| format!("an amount above 0, at most {}, or none", Cost::MOST))?;
    Ok(DailyBudget(Some(budget)))
}

/// Group that conversations are handed over to; `None` for none: whoever is first.
#[derive(Debug, Clone, Copy)]
pub struct ChosenGroup(pub Option<GroupId>);

/// Tools that are allowed; `None` for all.
#[derive(Debug, Clone)]
pub struct Tools(pub Option<Vec<Tool>>);

/// File with own wordings of a language.
#[derive(Debug, Clone)]
pub struct WordingsFile {
    /// Place of the language in [`ByLanguage::CODES`].
    pub language: usize,
    pub file: PathBuf,
}

fn wordings(text: &str) -> Result<WordingsFile, String> {
    let known = || {
        format!("must be a language and a file, such as ar=FILE; languages: {}", ByLanguage::CODES.join(", "))
    };
    let (code, file) = text.split_once('=').ok_or_else(known)?;
    let language = ByLanguage::CODES.iter().position(|one| *one == code).ok_or_else(known)?;
    Ok(WordingsFile { language, file: PathBuf::from(file) })
}

fn group(text: &str) -> Result<ChosenGroup, String> {
    if text.trim().is_empty() {
        return Ok(ChosenGroup(None));
    }
    let id = id(text).map_err(|_| "must be the id of a group, or empty".to_owned())?;
    Ok(ChosenGroup(Some(id)))
}

fn language(code: &str) -> Result<Language, String> {
    let known = Language::ALL.map(Language::as_str).join(", ");
    Language::read(code).ok_or_else(|| format!("must be one of: {known}"))
}

fn tools(names: &str) -> Result<Tools, String> {
    if names == "all" {
        return Ok(Tools(None));
    }
    let known = || Tool::ALL.map(Tool::as_str).join(", ");
    let tool = |name: &str| Tool::ALL.into_iter().find(|tool| tool.as_str() == name.trim());
    let names = names.split(',').filter(|name| !name.trim().is_empty());
    let tools: Option<Vec<Tool>> = names.map(tool).collect();
    tools.map(|tools| Tools(Some(tools))).ok_or_else(|| format!("must be all, or some of: {}", known()))
}

fn voice_tag(tag: &str) -> Result<String, String> {
    let known = Voice::read(tag, None).map(|_| tag.to_owned());
    known.ok_or_else(|| format!("must be one of: {}", Voice::TAGS.join(", ")))
}

fn register(name: &str) -> Result<Register, String> {
    let known = Register::ALL.map(Register::as_str).join(", ");
    Register::read(name).ok_or_else(|| format!("must be one of: {known}"))
}

fn network(name: &str) -> Result<ChannelKind, String> {
    let known = ChannelKind::ALL.map(ChannelKind::as_str).join(", ");
    ChannelKind::read(name).ok_or_else(|| format!("must be one of: {known}"))
}

fn mode(text: &str) -> Result<AssistantMode, String> {
    let known = AssistantMode::ALL.map(AssistantMode::as_str).join(", ");
    AssistantMode::read(text).ok_or_else(|| format!("must be one of: {known}"))
}
