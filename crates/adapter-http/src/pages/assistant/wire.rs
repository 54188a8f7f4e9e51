//! Bodies of the settings of the assistant.

use domain::{
    assistant::{
        AssistantMode, AssistantSettings, ByLanguage, Cost, DAILY_TOKENS, Fact, HandOverTexts, ModelKeyState,
        SettingsError, Spent, Tool, rehearsal::RehearsalSummary, speech::Register,
    },
    errors::StoreError,
    ids::{GroupId, WorkspaceId},
    language::Language,
    phone::{PhoneNumber, Region},
};
use serde::{Deserialize, Serialize};

use super::key::KeyBody;
use crate::{
    app::App,
    problem::{DashboardCode, Problem},
};

/// Something that customers ask for.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FactBody {
    title: String,
    text: String,
    /// The owner's wording of it for customers who write Arabic; the text where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ar: Option<String>,
    /// For customers who write English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    en: Option<String>,
    /// For customers who write Sorani Kurdish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ckb: Option<String>,
}

impl From<Fact> for FactBody {
    fn from(Fact { title, text, wordings }: Fact) -> Self {
        let [ar, en, ckb] = wordings.into();
        Self { title, text, ar, en, ckb }
    }
}

impl From<FactBody> for Fact {
    fn from(FactBody { title, text, ar, en, ckb }: FactBody) -> Self {
        Self { title, text, wordings: [ar, en, ckb].into() }
    }
}

/// Wordings of the owner's in place of the service's own, as its files have them: a line `[greet]` names what
/// is said, and each line below is a wording of it.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WordingsBody {
    /// Of Arabic, in either register.
    ar: Option<String>,
    /// Of English.
    en: Option<String>,
    /// Of Sorani Kurdish.
    ckb: Option<String>,
}

impl From<ByLanguage> for WordingsBody {
    fn from(texts: ByLanguage) -> Self {
        let [ar, en, ckb] = texts.into();
        Self { ar, en, ckb }
    }
}

/// What customers are told when their conversation is handed over; the service's own text where one is absent
/// or null.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct HandOverBody {
    /// In Arabic.
    ar: Option<String>,
    /// In English.
    en: Option<String>,
    /// In Arabic, outside of opening hours; `{when}` in it is when these begin.
    ar_when_closed: Option<String>,
    /// In English, outside of opening hours; `{when}` in it is when these begin.
    en_when_closed: Option<String>,
    /// In Sorani Kurdish.
    ckb: Option<String>,
    /// In Sorani Kurdish, outside of opening hours; `{when}` in it is when these begin.
    ckb_when_closed: Option<String>,
    /// Minutes after the hand-over, 10 where absent, from which whoever writes on is told once that they are
    /// not forgotten; outside of opening hours, they are told at once when these begin.
    minutes: Option<u16>,
}

impl From<HandOverTexts> for HandOverBody {
    fn from(texts: HandOverTexts) -> Self {
        Self {
            ar: texts.arabic,
            en: texts.english,
            ar_when_closed: texts.arabic_when_closed,
            en_when_closed: texts.english_when_closed,
            ckb: texts.sorani,
            ckb_when_closed: texts.sorani_when_closed,
            minutes: Some(texts.minutes),
        }
    }
}

/// What an owner sets.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewAssistantBody {
    /// `off`; `test`, where it answers `testNumbers` alone and nothing is ordered, booked or cancelled; `on`.
    mode: String,
    /// Who may try it, in any spelling, up to 20.
    #[serde(default)]
    test_numbers: Vec<String>,
    name: Option<String>,
    /// How it speaks.
    tone: Option<String>,
    /// What it is told to do and to leave.
    #[serde(default)]
    instructions: String,
    /// What it may tell, up to 30.
    #[serde(default)]
    facts: Vec<FactBody>,
    /// The group that conversations are handed over to; whoever is first where it is null.
    group_id: Option<GroupId>,
    /// What it answers in: `ar`, `en`, `ckb`; the first is for whoever writes in another language. All where
    /// it is absent.
    languages: Option<Vec<String>>,
    /// Tokens of the model that a day may take; 2000000 where it is absent. A turn takes some 5000.
    daily_tokens: Option<u64>,
    /// Money that a day may take, as decimal text in the currency of the models' price; no such limit where
    /// it is absent or null.
    daily_budget: Option<String>,
    /// Which of the tools that there are it may use; all where it is null. A person can always be asked for.
    tools: Option<Vec<String>>,
    /// What customers are told when their conversation is handed over.
    #[serde(default)]
    hand_over: HandOverBody,
    /// How answers in Arabic are worded: `dialect`, which it is where it is absent, or `formal`.
    register: Option<String>,
    /// Wordings of the owner's in place of the service's own.
    #[serde(default)]
    wordings: WordingsBody,
    /// Whether the first answer in a conversation says that an assistant answers; true where it is absent.
    introduces_itself: Option<bool>,
    /// Whether the test questions are asked again after a change, where that is cheap; true where it is
    /// absent.
    rehearses_changes: Option<bool>,
}

/// What is set.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AssistantBody {
    /// `off`, `test` or `on`.
    mode: &'static str,
    test_numbers: Vec<String>,
    name: Option<String>,
    tone: Option<String>,
    instructions: String,
    facts: Vec<FactBody>,
    group_id: Option<GroupId>,
    languages: Vec<&'static str>,
    daily_tokens: u64,
    tools: Option<Vec<&'static str>>,
    /// What customers are told when their conversation is handed over; null stands for the service's own
    /// text.
    hand_over: HandOverBody,
    /// `dialect` or `formal`.
    register: &'static str,
    /// Wordings of the owner's; null where there are none of a language.
    wordings: WordingsBody,
    introduces_itself: bool,
    rehearses_changes: bool,
    /// What came of the test questions last; null where there are none.
    rehearsal: Option<RehearsalSummary>,
    /// The turns that `dailyTokens` does for, roughly.
    daily_turns: u64,
    /// Money that a day may take, as decimal text; null without such a limit.
    daily_budget: Option<String>,
    /// The tokens that today (UTC) has taken so far. Where they are four fifths of `dailyTokens`, or
    /// `costToday` of `dailyBudget`, the pages warn owners: once all are spent, customers are handed over.
    tokens_today: u64,
    /// What they cost, as decimal text.
    cost_today: String,
    /// Currency of both; null where the installation's models have no price, so that there is no limit of
    /// money.
    currency: Option<String>,
    /// What the installation's model is called; null where it has none, so that the assistant cannot be
    /// switched on.
    model: Option<String>,
    /// The workspace's own key to that model; null where the installation lets workspaces use none.
    key: Option<KeyBody>,
}

/// What is kept of a workspace's assistant.
pub(super) struct Kept {
    pub(super) settings: AssistantSettings,
    pub(super) today: Spent,
    pub(super) key: Option<ModelKeyState>,
    pub(super) rehearsal: Option<RehearsalSummary>,
}

impl Kept {
    pub(super) async fn of(app: &App, workspace: WorkspaceId) -> Result<Self, StoreError> {
        let settings = app.dashboard.assistant.manage.get(workspace).await?;
        Self::with(app, workspace, settings).await
    }

    /// Reads what is kept beside these settings.
    pub(super) async fn with(
        app: &App,
        workspace: WorkspaceId,
        settings: AssistantSettings,
    ) -> Result<Self, StoreError> {
        let assistant = &app.dashboard.assistant;
        Ok(Self {
            settings,
            today: assistant.read.spent_today(workspace).await?,
            key: assistant.key.state(workspace).await?,
            rehearsal: assistant.rehearsals.summary(workspace).await?,
        })
    }
}

impl AssistantBody {
    pub(super) fn new(app: &App, kept: Kept) -> Self {
        let Kept { settings, today, key, rehearsal } = kept;
        let manage = &app.dashboard.assistant.manage;
        let currency = manage.price.map(|price| price.currency);
        let model = manage.model.clone();
        Self {
            daily_turns: settings.daily_turns(),
            daily_budget: settings.daily_budget.map(|budget| budget.to_string()),
            tokens_today: today.tokens,
            cost_today: today.cost.to_string(),
            currency: currency.map(|currency| currency.as_str().to_owned()),
            mode: settings.mode.as_str(),
            test_numbers: settings.test_numbers.iter().map(|phone| phone.as_str().to_owned()).collect(),
            name: settings.name,
            tone: settings.tone,
            instructions: settings.instructions,
            facts: settings.facts.into_iter().map(FactBody::from).collect(),
            group_id: settings.group,
            languages: settings.languages.into_iter().map(Language::as_str).collect(),
            daily_tokens: settings.daily_tokens,
            tools: settings.tools.map(|tools| tools.into_iter().map(Tool::as_str).collect()),
            hand_over: settings.hand_over.into(),
            register: settings.register.as_str(),
            wordings: settings.wordings.into(),
            introduces_itself: settings.introduces_itself,
            rehearses_changes: settings.rehearses_changes,
            rehearsal,
            model,
            key: key.map(KeyBody::from),
        }
    }
}

impl NewAssistantBody {
    pub(super) fn read(self, region: Region) -> Result<AssistantSettings, Problem> {
        let one_of = |field: &str, names: &[&str]| {
            Problem::invalid(format!("`{field}` is one of {}", names.join(", ")))
        };
        let mode = AssistantMode::read(&self.mode);
        let mode = mode.ok_or_else(|| one_of("mode", &AssistantMode::ALL.map(AssistantMode::as_str)))?;
        let phone = |written: &String| {
            PhoneNumber::parse_known(written, region)
                .map_err(|error| Problem::invalid(format!("`testNumbers`: {written:?} is {error}")))
        };
        let language = |code: &String| {
            Language::read(code).ok_or_else(|| one_of("languages[]", &Language::ALL.map(Language::as_str)))
        };
        let tool = |name: &String| {
            let known = Tool::ALL.into_iter().find(|tool| tool.as_str() == name);
            known.ok_or_else(|| one_of("tools[]", &Tool::ALL.map(Tool::as_str)))
        };
        let new = AssistantSettings::default();
        let register = self.register.as_deref().map_or(Some(new.register), Register::read);
        let register = register.ok_or_else(|| one_of("register", &Register::ALL.map(Register::as_str)))?;
        let WordingsBody { ar, en, ckb } = self.wordings;
        let not_blank = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let languages = match &self.languages {
            Some(codes) => codes.iter().map(language).collect::<Result<_, _>>()?,
            None => Language::ALL.to_vec(),
        };
        Ok(AssistantSettings {
            mode,
            test_numbers: self.test_numbers.iter().map(phone).collect::<Result<_, _>>()?,
            name: not_blank(self.name),
            tone: not_blank(self.tone),
            instructions: self.instructions,
            facts: self.facts.into_iter().map(Fact::from).collect(),
            group: self.group_id,
            languages,
            daily_tokens: self.daily_tokens.unwrap_or(DAILY_TOKENS),
            daily_budget: self.daily_budget.map(|budget| self::budget(&budget)).transpose()?,
            tools: self.tools.map(|tools| tools.iter().map(tool).collect::<Result<_, _>>()).transpose()?,
            hand_over: HandOverTexts {
                arabic: not_blank(self.hand_over.ar),
                english: not_blank(self.hand_over.en),
                arabic_when_closed: not_blank(self.hand_over.ar_when_closed),
                english_when_closed: not_blank(self.hand_over.en_when_closed),
                sorani: not_blank(self.hand_over.ckb),
                sorani_when_closed: not_blank(self.hand_over.ckb_when_closed),
                minutes: self.hand_over.minutes.unwrap_or(new.hand_over.minutes),
            },
            register,
            wordings: [ar, en, ckb].into(),
            introduces_itself: self.introduces_itself.unwrap_or(new.introduces_itself),
            rehearses_changes: self.rehearses_changes.unwrap_or(new.rehearses_changes),
        })
    }
}

fn budget(written: &str) -> Result<Cost, Problem> {
    let most = Cost::MOST;
    Cost::read(written).ok_or_else(|| {
        Problem::invalid(format!("`dailyBudget` is a decimal text above 0, at most {most}, such as \"2.50\""))
    })
}

impl From<SettingsError> for Problem {
    fn from(error: SettingsError) -> Self {
        let message = error.to_string();
        match error {
            SettingsError::Invalid(_) => Self::invalid(message),
            SettingsError::NoSuchGroup => Self::invalid(format!("`groupId`: {message}")),
            SettingsError::NoModel => Self::dashboard(DashboardCode::NoModel, message),
            SettingsError::Store(error) => error.into(),
        }
    }
}
