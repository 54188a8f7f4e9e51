//! The owners' settings.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use domain::{
    assistant::{
        AssistantMode, AssistantSettings, ByLanguage, Cost, Fact, HandOverTexts, Tool, ports::AssistantStore,
        speech::Register,
    },
    audit::AuditEntry,
    errors::StoreError,
    ids::{GroupId, WorkspaceId},
    language::Language,
    phone::PhoneNumber,
};
use serde::{Deserialize, Serialize};

use super::PgAssistants;
use crate::{
    audit::audit,
    error::{failed, unreadable},
    schema::{assistant_turns, assistants, groups},
    sql::{RunQueryDsl, insert},
};

#[derive(Serialize, Deserialize)]
struct Stored {
    test_numbers: Vec<String>,
    name: Option<String>,
    tone: Option<String>,
    instructions: String,
    /// Title and text of each.
    facts: Vec<(String, String)>,
    languages: Vec<String>,
    tools: Option<Vec<String>>,
    /// Texts for a hand-over: Arabic, English, and both outside of opening hours.
    #[serde(default)]
    hand_over: [Option<String>; 4],
    /// The same in Sorani. Beside the others, since the version before reads those as four.
    #[serde(default)]
    hand_over_sorani: [Option<String>; 2],
    /// Minutes of a hand-over; `None` in settings of a version that had none.
    #[serde(default)]
    hand_over_minutes: Option<u16>,
    /// Wordings of the facts, in their order, in the order of [`ByLanguage::CODES`]. Beside the facts, since
    /// the version before reads those as pairs.
    #[serde(default)]
    fact_wordings: Vec<[Option<String>; 3]>,
    /// `None` in settings of a version that had no registers; they are those of a new assistant.
    #[serde(default)]
    register: Option<String>,
    /// Own wordings, in the order of [`ByLanguage::CODES`].
    #[serde(default)]
    wordings: [Option<String>; 3],
    #[serde(default)]
    introduces_itself: Option<bool>,
    #[serde(default)]
    rehearses_changes: Option<bool>,
    daily_budget: Option<String>,
}

impl Stored {
    fn of(settings: &AssistantSettings) -> Self {
        let texts = settings.hand_over.named().map(|(_, text)| text.map(str::to_owned));
        let [arabic, english, arabic_when_closed, english_when_closed, sorani, sorani_when_closed] = texts;
        Self {
            test_numbers: settings.test_numbers.iter().map(|phone| phone.as_str().to_owned()).collect(),
            name: settings.name.clone(),
            tone: settings.tone.clone(),
            instructions: settings.instructions.clone(),
            facts: settings.facts.iter().map(|fact| (fact.title.clone(), fact.text.clone())).collect(),
            languages: settings.languages.iter().map(|language| language.as_str().to_owned()).collect(),
            tools: settings
                .tools
                .as_ref()
                .map(|tools| tools.iter().map(|tool| tool.as_str().to_owned()).collect()),
            hand_over: [arabic, english, arabic_when_closed, english_when_closed],
            hand_over_sorani: [sorani, sorani_when_closed],
            hand_over_minutes: Some(settings.hand_over.minutes),
            fact_wordings: settings.facts.iter().map(|fact| fact.wordings.clone().into()).collect(),
            register: Some(settings.register.as_str().to_owned()),
            wordings: settings.wordings.clone().into(),
            introduces_itself: Some(settings.introduces_itself),
            rehearses_changes: Some(settings.rehearses_changes),
            daily_budget: settings.daily_budget.map(|budget| budget.to_string()),
        }
    }
}

/// Mode, settings, group and the day's token limit.
type SettingsRow = (String, serde_json::Value, Option<uuid::Uuid>, i64);

fn read((mode, settings, group, daily_tokens): SettingsRow) -> Result<AssistantSettings, StoreError> {
    let stored: Stored = serde_json::from_value(settings).map_err(|_| unreadable("assistant"))?;
    let phone = |number: &String| PhoneNumber::from_e164(number).map_err(|_| unreadable("phone number"));
    let [arabic, english, arabic_when_closed, english_when_closed] = stored.hand_over;
    let [sorani, sorani_when_closed] = stored.hand_over_sorani;
    // A tool that no longer exists is one that nobody is offered.
    let tool = |name: &String| Tool::ALL.into_iter().find(|tool| tool.as_str() == name);
    let wordings = stored.fact_wordings.into_iter().map(ByLanguage::from);
    let wordings = wordings.chain(std::iter::repeat_with(ByLanguage::default));
    let facts = stored.facts.into_iter().zip(wordings);
    let new = AssistantSettings::default();
    let minutes = stored.hand_over_minutes.unwrap_or(new.hand_over.minutes);
    Ok(AssistantSettings {
        mode: AssistantMode::read(&mode).ok_or_else(|| unreadable("mode"))?,
        test_numbers: stored.test_numbers.iter().map(phone).collect::<Result<_, _>>()?,
        name: stored.name,
        tone: stored.tone,
        instructions: stored.instructions,
        facts: facts.map(|((title, text), wordings)| Fact { title, text, wordings }).collect(),
        group: group.map(GroupId::from),
        languages: stored.languages.iter().filter_map(|code| Language::read(code)).collect(),
        daily_tokens: u64::try_from(daily_tokens).map_err(|_| unreadable("tokens of a day"))?,
        daily_budget: stored
            .daily_budget
            .map(|budget| Cost::read(&budget).ok_or_else(|| unreadable("budget of a day")))
            .transpose()?,
        tools: stored.tools.map(|tools| tools.iter().filter_map(tool).collect()),
        hand_over: HandOverTexts {
            arabic,
            english,
            arabic_when_closed,
            english_when_closed,
            sorani,
            sorani_when_closed,
            minutes,
        },
        register: stored
            .register
            .map_or(Some(new.register), |name| Register::read(&name))
            .ok_or_else(|| unreadable("register"))?,
        wordings: stored.wordings.into(),
        introduces_itself: stored.introduces_itself.unwrap_or(new.introduces_itself),
        rehearses_changes: stored.rehearses_changes.unwrap_or(new.rehearses_changes),
    })
}

#[async_trait]
impl AssistantStore for PgAssistants {
    async fn settings(&self, workspace: WorkspaceId) -> Result<Option<AssistantSettings>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<SettingsRow> = assistants::table
            .filter(assistants::workspace_id.eq(workspace.uuid()))
            .select((assistants::mode, assistants::settings, assistants::group_id, assistants::daily_tokens))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(read).transpose()
    }

    async fn set(
        &self,
        workspace: WorkspaceId,
        settings: &AssistantSettings,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let stored = serde_json::to_value(Stored::of(settings)).map_err(|_| unreadable("assistant"))?;
        let transaction = self.database.transaction().await?;
        if let Some(group) = settings.group {
            // Locks the group against deletion until this is written.
            let there = groups::table
                .filter(groups::workspace_id.eq(workspace.uuid()))
                .filter(groups::id.eq(group.uuid()))
                .select(groups::id)
                .for_key_share();
            let found = async { there.load::<uuid::Uuid>(&mut &*transaction).await };
            if transaction.begin_with(found).await.map_err(failed)?.is_empty() {
                return Ok(false);
            }
        }
        let worded = assistant_turns::table
            .filter(assistant_turns::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turns::due_at.is_not_null())
            .filter(assistant_turns::sending_id.is_null());
        // In the order in which notes of who spoke lock turns.
        let in_order = worded
            .order(assistant_turns::conversation_id)
            .select(assistant_turns::conversation_id)
            .for_no_key_update();
        let locked = async { in_order.load::<uuid::Uuid>(&mut &*transaction).await };
        transaction.send(locked).await.map_err(failed)?;
        let rows = [settings];
        let mut flight = transaction.flight();
        // An answer being worded rests on the old settings: raising `heard` keeps it from passing its fence.
        flight.add(diesel::update(worded).set(assistant_turns::heard.eq(assistant_turns::heard + 1)));
        flight.insert(
            insert(assistants::table, workspace, &rows)
                .column(assistants::mode, |settings| settings.mode.as_str())
                .column(assistants::settings, |_| stored.clone())
                .column(assistants::group_id, |settings| settings.group.map(GroupId::uuid))
                .column(assistants::daily_tokens, |settings| {
                    i64::try_from(settings.daily_tokens).unwrap_or(i64::MAX)
                })
                .column(assistants::changed_at, |_| entry.at)
                .on_conflict(())
                .set_excluded(assistants::mode)
                .set_excluded(assistants::settings)
                .set_excluded(assistants::group_id)
                .set_excluded(assistants::daily_tokens)
                .set_excluded(assistants::changed_at),
        );
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }
}
