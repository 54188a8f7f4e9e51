//! Commands about a workspace's assistant.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use domain::{
    assistant::{
        AssistantSettings, ByLanguage, Fact, HandOverTexts, ManageAssistant, ManageModelKey, ModelKeyState,
        ReadTurns, Tool, UsageOfDay,
    },
    audit::Acting,
    clock::rfc3339_ms,
    language::Language,
    phone::{PhoneNumber, Region},
    workspaces::FindRegion,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Unreadable, given, known,
    said::{Listing, Said},
    say::say,
};
use crate::{
    cli::{
        AssistantChanges, AssistantCommand, ChosenGroup, DailyBudget, ModelKeyCommand, Tools, WordingsFile,
    },
    wiring::Foundation,
};

/// Most bytes read of a file.
const MOST: u64 = 256 * 1024;

const USAGE_KEYS: &[&str] =
    &["day", "turns", "answered", "handedOver", "readTokens", "writtenTokens", "cost"];

/// A fact as a file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFact {
    title: String,
    text: String,
    ar: Option<String>,
    en: Option<String>,
    ckb: Option<String>,
}

impl From<WrittenFact> for Fact {
    fn from(WrittenFact { title, text, ar, en, ckb }: WrittenFact) -> Self {
        Self { title, text, wordings: [ar, en, ckb].into() }
    }
}

/// Hand-over texts as a file has them.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct WrittenTexts {
    ar: Option<String>,
    en: Option<String>,
    ar_when_closed: Option<String>,
    en_when_closed: Option<String>,
    ckb: Option<String>,
    ckb_when_closed: Option<String>,
    minutes: Option<u16>,
}

pub async fn run(
    command: AssistantCommand,
    on: &Foundation,
    manage: &ManageAssistant,
    key: &ManageModelKey,
    read: &ReadTurns,
) -> anyhow::Result<Said> {
    match command {
        AssistantCommand::Show { workspace } => {
            let workspace = known(workspace, &on.stores).await?;
            let settings = manage.get(workspace).await?;
            Ok(shown(&settings, manage.model.as_deref(), key.state(workspace).await?))
        }
        AssistantCommand::Set { workspace, changes } => {
            given_once(&changes)?;
            let workspace = known(workspace, &on.stores).await?;
            let region = FindRegion { store: on.stores.workspaces.clone() }.run(workspace).await?;
            let settings = changed(manage.get(workspace).await?, *changes, region)?;
            manage.set(Acting::operator(workspace), &settings).await?;
            Ok(shown(&settings, manage.model.as_deref(), key.state(workspace).await?))
        }
        AssistantCommand::Key(ModelKeyCommand::Set { workspace, key_file }) => {
            let typed = given::secret(&key_file, MOST).with_context(|| unreadable("key"))?;
            key.set(Acting::operator(known(workspace, &on.stores).await?), &typed).await?;
            Ok("the model is asked with this key from the next answer on".into())
        }
        AssistantCommand::Key(ModelKeyCommand::Remove { workspace }) => {
            let removed = key.remove(Acting::operator(known(workspace, &on.stores).await?)).await?;
            ensure!(removed, "the workspace has no key of its own");
            Ok("removed".into())
        }
        AssistantCommand::Usage { workspace } => {
            let days = read.usage(known(workspace, &on.stores).await?).await?;
            Ok(Listing::new(USAGE_KEYS, USAGE_KEYS.len(), days.iter().map(day_row).collect()).all())
        }
        AssistantCommand::Say(arguments) => say(&arguments),
    }
}

fn unreadable(what: &str) -> Unreadable {
    Unreadable::new(format!("the file with the {what} cannot be read"))
}

/// Refuses more than one file on standard input: the first reader would take all of it.
fn given_once(changes: &AssistantChanges) -> anyhow::Result<()> {
    let files = [&changes.facts_file, &changes.instructions_file, &changes.hand_over_file];
    let wordings = changes.wordings.iter().map(|of| &of.file);
    let from_stdin = |file: &&PathBuf| file.as_path() == Path::new(given::STDIN);
    if files.into_iter().flatten().chain(wordings).filter(from_stdin).count() > 1 {
        bail!(Unreadable::new(
            "standard input can hold one of the files, such as the facts or the instructions, not both"
        ));
    }
    Ok(())
}

/// Applies the changes to the settings before.
fn changed(
    before: AssistantSettings,
    changes: AssistantChanges,
    region: Region,
) -> anyhow::Result<AssistantSettings> {
    let number = |written: &String| {
        let unreadable = || Unreadable::new(format!("--test-number {written:?}"));
        PhoneNumber::parse_known(written, region).with_context(unreadable)
    };
    let not_empty = |text: String| Some(text).filter(|text| !text.trim().is_empty());
    let kept_unless_said = |said: Option<String>, kept| said.map_or(kept, not_empty);
    let instructions = match changes.instructions_file {
        None => before.instructions,
        Some(file) => given::text(&file, MOST).with_context(|| unreadable("instructions"))?,
    };
    let facts = match changes.facts_file {
        None => before.facts,
        Some(file) => {
            let written = given::text(&file, MOST).with_context(|| unreadable("facts"))?;
            let no_list = "the file with the facts is no JSON list of { \"title\", \"text\" }";
            let facts: Vec<WrittenFact> =
                serde_json::from_str(&written).with_context(|| Unreadable::new(no_list))?;
            facts.into_iter().map(Fact::from).collect()
        }
    };
    let hand_over = match changes.hand_over_file {
        None => before.hand_over,
        Some(file) => {
            let written = given::text(&file, MOST).with_context(|| unreadable("texts for a hand-over"))?;
            let no_object = "the file with the texts for a hand-over is no JSON object of `ar`, `en`, `ckb`, `arWhenClosed`, \
                             `enWhenClosed`, `ckbWhenClosed` and `minutes`";
            let texts: WrittenTexts =
                serde_json::from_str(&written).with_context(|| Unreadable::new(no_object))?;
            HandOverTexts {
                arabic: texts.ar.and_then(not_empty),
                english: texts.en.and_then(not_empty),
                arabic_when_closed: texts.ar_when_closed.and_then(not_empty),
                english_when_closed: texts.en_when_closed.and_then(not_empty),
                sorani: texts.ckb.and_then(not_empty),
                sorani_when_closed: texts.ckb_when_closed.and_then(not_empty),
                minutes: texts.minutes.unwrap_or(before.hand_over.minutes),
            }
        }
    };
    Ok(AssistantSettings {
        mode: changes.mode.unwrap_or(before.mode),
        test_numbers: match changes.test_number.as_slice() {
            [] => before.test_numbers,
            numbers => numbers.iter().map(number).collect::<anyhow::Result<_>>()?,
        },
        name: kept_unless_said(changes.name, before.name),
        tone: kept_unless_said(changes.tone, before.tone),
        instructions,
        facts,
        group: changes.group.map_or(before.group, |ChosenGroup(group)| group),
        languages: changes.languages.unwrap_or(before.languages),
        daily_tokens: changes.daily_tokens.unwrap_or(before.daily_tokens),
        daily_budget: changes.daily_budget.map_or(before.daily_budget, |DailyBudget(budget)| budget),
        tools: changes.tools.map_or(before.tools, |Tools(tools)| tools),
        hand_over,
        register: changes.register.unwrap_or(before.register),
        wordings: worded(before.wordings, &changes.wordings)?,
        introduces_itself: changes.introduces_itself.unwrap_or(before.introduces_itself),
        rehearses_changes: changes.rehearses_changes.unwrap_or(before.rehearses_changes),
    })
}

/// Replaces the wordings of each language that has a file.
fn worded(before: ByLanguage, files: &[WordingsFile]) -> anyhow::Result<ByLanguage> {
    let mut wordings: [Option<String>; 3] = before.into();
    for WordingsFile { language, file } in files {
        let own = given::text(file, MOST).with_context(|| unreadable("owner's wordings"))?;
        if let Some(of_language) = wordings.get_mut(*language) {
            *of_language = Some(own);
        }
    }
    Ok(wordings.into())
}

/// Renders the settings with the fields that the dashboard's API has.
fn shown(settings: &AssistantSettings, model: Option<&str>, key: Option<ModelKeyState>) -> Said {
    let facts = settings.facts.iter().map(fact_json);
    let tools =
        settings.tools.as_ref().map(|tools| tools.iter().map(|tool| tool.as_str()).collect::<Vec<_>>());
    let of_key = key.as_ref().map(
        |key| json!({ "setAt": key.set_at.map(rfc3339_ms), "refusedAt": key.refused_at.map(rfc3339_ms) }),
    );
    let json = json!({
        "mode": settings.mode.as_str(),
        "model": model,
        "testNumbers": settings.test_numbers.iter().map(PhoneNumber::as_str).collect::<Vec<_>>(),
        "name": settings.name,
        "tone": settings.tone,
        "instructions": settings.instructions,
        "facts": facts.collect::<Vec<_>>(),
        "groupId": settings.group,
        "languages": settings.languages.iter().map(|language| language.as_str()).collect::<Vec<_>>(),
        "dailyTokens": settings.daily_tokens,
        "dailyBudget": settings.daily_budget.map(|budget| budget.to_string()),
        "dailyTurns": settings.daily_turns(),
        "tools": tools,
        "handOver": {
            "ar": settings.hand_over.arabic,
            "en": settings.hand_over.english,
            "arWhenClosed": settings.hand_over.arabic_when_closed,
            "enWhenClosed": settings.hand_over.english_when_closed,
            "ckb": settings.hand_over.sorani,
            "ckbWhenClosed": settings.hand_over.sorani_when_closed,
            "minutes": settings.hand_over.minutes,
        },
        "register": settings.register.as_str(),
        "wordings": {
            "ar": settings.wordings.arabic,
            "en": settings.wordings.english,
            "ckb": settings.wordings.sorani,
        },
        "introducesItself": settings.introduces_itself,
        "rehearsesChanges": settings.rehearses_changes,
        "key": of_key,
    });
    Said::new(words(settings, model) + &key.map(words_of_key).unwrap_or_default(), &json)
}

fn fact_json(Fact { title, text, wordings }: &Fact) -> Value {
    let of_languages = wordings.named().map(|(code, wording)| (code.to_owned(), json!(wording)));
    let own = [("title".to_owned(), json!(title)), ("text".to_owned(), json!(text))];
    Value::Object(own.into_iter().chain(of_languages).collect())
}

fn words(settings: &AssistantSettings, model: Option<&str>) -> String {
    let AssistantSettings { mode, test_numbers, facts, group, languages, daily_tokens, tools, .. } = settings;
    let none = || "none".to_owned();
    let own = settings.wordings.named().map(|(code, _)| code).collect();
    let list = |parts: Vec<&str>| if parts.is_empty() { none() } else { parts.join(", ") };
    let tools = tools.as_ref().map(|tools| list(tools.iter().map(|tool| Tool::as_str(*tool)).collect()));
    format!(
        "mode       {}\nmodel      {}\ntokens     {daily_tokens} a day\nbudget     {}\nlisted     {}\nlanguages  {}\n\
         tools      {}\nfacts      {}\ngroup      {}\nregister   {}\nwordings   {}\n\
         introduces {}",
        mode.as_str(),
        model.unwrap_or("none"),
        settings.daily_budget.map_or_else(none, |budget| format!("{budget} a day")),
        list(test_numbers.iter().map(PhoneNumber::as_str).collect()),
        list(languages.iter().map(|language| Language::as_str(*language)).collect()),
        tools.unwrap_or_else(|| "all".to_owned()),
        facts.len(),
        group.map_or_else(none, |group| group.to_string()),
        settings.register.as_str(),
        list(own),
        if settings.introduces_itself { "yes" } else { "no" },
    )
}

fn words_of_key(key: ModelKeyState) -> String {
    let since = |at: Option<_>| at.map_or_else(|| "none".to_owned(), rfc3339_ms);
    let refused = key.refused_at.map(|at| format!(", refused since {}", rfc3339_ms(at)));
    format!("\nown key    {}{}", since(key.set_at), refused.unwrap_or_default())
}

fn day_row(of: &UsageOfDay) -> Vec<Value> {
    let UsageOfDay { day, turns, answered, handed_over, usage, cost } = of;
    vec![
        json!(day.to_string()),
        json!(turns),
        json!(answered),
        json!(handed_over),
        json!(usage.read_tokens),
        json!(usage.written_tokens),
        json!(cost.to_string()),
    ]
}
