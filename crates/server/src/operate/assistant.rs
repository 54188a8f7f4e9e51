//! A workspace's assistant.

use domain::{
    access::audit::Acting,
    assistant::{AssistantSettings, ManageAssistant, ReadTurns, Tool, UsageOfDay},
    consent::Language,
    phone::PhoneNumber,
};

use super::known;
use crate::{cli::AssistantCommand, wiring::Foundation};

/// Runs a command.
///
/// # Errors
/// In words for the operator.
pub async fn run(
    command: AssistantCommand,
    on: &Foundation,
    manage: &ManageAssistant,
    read: &ReadTurns,
) -> anyhow::Result<String> {
    match command {
        AssistantCommand::Show { workspace } => {
            let settings = manage.get(known(workspace, &on.stores).await?).await?;
            Ok(shown(&settings, manage.model.as_deref()))
        }
        AssistantCommand::Set { workspace, mode, daily_tokens } => {
            let before = manage.get(known(workspace, &on.stores).await?).await?;
            let settings = AssistantSettings {
                mode: mode.unwrap_or(before.mode),
                daily_tokens: daily_tokens.unwrap_or(before.daily_tokens),
                ..before
            };
            manage.set(Acting::operator(workspace), &settings).await?;
            Ok(shown(&settings, manage.model.as_deref()))
        }
        AssistantCommand::Usage { workspace } => {
            let days = read.usage(known(workspace, &on.stores).await?).await?;
            Ok(days.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
    }
}

fn shown(settings: &AssistantSettings, model: Option<&str>) -> String {
    let AssistantSettings { mode, test_numbers, facts, group, languages, daily_tokens, tools, .. } = settings;
    let none = || "none".to_owned();
    let list = |parts: Vec<&str>| if parts.is_empty() { none() } else { parts.join(", ") };
    let tools = tools.as_ref().map(|tools| list(tools.iter().map(|tool| Tool::as_str(*tool)).collect()));
    format!(
        "mode       {}\nmodel      {}\ntokens     {daily_tokens} a day\nlisted     {}\nlanguages  {}\n\
         tools      {}\nfacts      {}\ngroup      {}",
        mode.as_str(),
        model.unwrap_or("none"),
        list(test_numbers.iter().map(PhoneNumber::as_str).collect()),
        list(languages.iter().map(|language| Language::as_str(*language)).collect()),
        tools.unwrap_or_else(|| "all".to_owned()),
        facts.len(),
        group.map_or_else(none, |group| group.to_string()),
    )
}

fn line(of: &UsageOfDay) -> String {
    let UsageOfDay { day, turns, answered, handed_over, usage } = of;
    format!(
        "{day}  turns {turns}  answered {answered}  handed over {handed_over}  tokens read {}  written {}",
        usage.read_tokens, usage.written_tokens
    )
}
