//! `/assistant`, in the browser `/dashboard/settings/assistant`: the owners' settings of the assistant.

pub(super) mod key;
pub(super) mod knowledge;
pub(super) mod questions;
pub(super) mod rehearsals;
mod say;
pub(super) mod tries;
pub(super) mod try_out;
pub(super) mod turns;
mod wire;

use std::num::ParseIntError;

use actix_web::web::Payload;
use dashboard_pages::{AssistantPage, Moment, OwnKey, Section, TypedAssistant, TypedFact, Words};
use domain::{
    assistant::{
        AssistantSettings, ByLanguage, Cost, Fact, MOST_DAILY_TOKENS, MOST_FACTS, SettingsError,
        SettingsRule, Tool,
    },
    language::Language,
    phone::{PhoneNumber, Region},
    text::{is_blank, latin_digits},
};
use serde_json::{Value, json};

use self::wire::{AssistantBody, Kept, NewAssistantBody};
use super::{
    act::{self, Answer, Call, Given},
    answer::{page, see_other},
    form::Form,
    not_taken::NotTaken,
    refusal,
};
use crate::problem::Problem;

const PATH: &str = "/dashboard/settings/assistant";
/// Empty fields for further facts.
const ROOM: usize = 3;

/// What the assistant is set to.
pub(super) async fn show(call: Call) -> Answer {
    if !call.is_of_api() {
        return render(&call, None, None).await;
    }
    let workspace = call.workspace();
    let kept = call.run(move |app| async move { Kept::of(&app, workspace).await });
    act::ok(&AssistantBody::new(&call.app, kept.await?))
}

async fn render(call: &Call, typed: Option<TypedAssistant>, not_taken: Option<NotTaken>) -> Answer {
    let frame = call.frame(Section::Assistant).await?;
    let workspace = call.workspace();
    let found = call.run(move |app| async move {
        let groups = app.dashboard.groups.list(workspace).await?;
        Ok::<_, Problem>((groups, Kept::of(&app, workspace).await?))
    });
    let (groups, Kept { settings, today, key, rehearsal: tested }) = found.await?;
    let (daily_turns, is_nearly_spent) =
        (settings.daily_turns(), settings.day_limit().is_nearly_reached(today));
    let groups = groups.into_iter().map(|group| (group.id.to_string(), group.name)).collect();
    let key = key.map(|key| OwnKey {
        set_at: key.set_at.map(Moment::from),
        refused_at: key.refused_at.map(Moment::from),
    });
    let mut typed = typed.unwrap_or_else(|| written(settings));
    let room = MOST_FACTS.min(typed.facts.len() + ROOM);
    typed.facts.resize_with(room, Default::default);
    let refused = not_taken.map(|not_taken| not_taken.refused(&call.request, frame.words())).transpose()?;
    let manage = &call.app.dashboard.assistant.manage;
    let (model, price) = (manage.model.clone(), manage.price);
    page(
        refusal::status(refused.as_ref()),
        &AssistantPage {
            frame: &frame,
            typed,
            groups,
            model,
            daily_turns,
            is_nearly_spent,
            cost_today: price.map(|price| (today.cost.to_string(), price.currency.as_str().to_owned())),
            key,
            tested,
            refused,
        },
    )
}

/// Lists the tools that owners choose among; handing over is always allowed.
fn choosable() -> impl Iterator<Item = Tool> {
    Tool::ALL.into_iter().filter(|tool| *tool != Tool::HandOver)
}

/// Converts stored settings to the form.
fn written(settings: AssistantSettings) -> TypedAssistant {
    let numbers: Vec<&str> = settings.test_numbers.iter().map(PhoneNumber::as_str).collect();
    let languages: Vec<&str> = settings.languages.iter().copied().map(Language::as_str).collect();
    TypedAssistant {
        mode: settings.mode.as_str().to_owned(),
        test_numbers: numbers.join("\n"),
        languages: languages.join(","),
        tools: choosable().filter(|tool| settings.allows(*tool)).map(Tool::as_str).collect(),
        name: settings.name.unwrap_or_default(),
        tone: settings.tone.unwrap_or_default(),
        instructions: settings.instructions,
        facts: settings.facts.into_iter().map(written_fact).collect(),
        group: settings.group.map(|group| group.to_string()).unwrap_or_default(),
        daily_tokens: settings.daily_tokens.to_string(),
        daily_budget: settings.daily_budget.map(|budget| budget.to_string()).unwrap_or_default(),
        hand_over: settings.hand_over.named().map(|(_, text)| text.unwrap_or_default().to_owned()),
        minutes: settings.hand_over.minutes.to_string(),
        register: settings.register.as_str().to_owned(),
        wordings: written_texts(settings.wordings),
        introduces_itself: settings.introduces_itself,
        rehearses_changes: settings.rehearses_changes,
    }
}

fn written_fact(Fact { title, text, wordings }: Fact) -> TypedFact {
    TypedFact { title, text, wordings: written_texts(wordings) }
}

fn written_texts(texts: ByLanguage) -> [String; 3] {
    <[Option<String>; 3]>::from(texts).map(Option::unwrap_or_default)
}

/// Reads the form. Facts with nothing in them are skipped.
fn typed(form: &Form) -> Result<TypedAssistant, Problem> {
    // Browsers end lines with CRLF, which would count as two characters.
    let lines = |name: &str| Ok::<_, Problem>(form.text(name)?.replace("\r\n", "\n"));
    let mut facts = Vec::new();
    for number in 1..=MOST_FACTS {
        let [arabic, english, sorani] = ByLanguage::CODES.map(|code| lines(&format!("fact-{code}-{number}")));
        let fact = TypedFact {
            title: form.text(&format!("fact-title-{number}"))?,
            text: lines(&format!("fact-text-{number}"))?,
            wordings: [arabic?, english?, sorani?],
        };
        if !fact.is_blank() {
            facts.push(fact);
        }
    }
    let mut tools = Vec::new();
    for tool in choosable() {
        if form.filled(&format!("tool-{}", tool.as_str()))?.is_some() {
            tools.push(tool.as_str());
        }
    }
    let [arabic, english, sorani] = ByLanguage::CODES.map(|code| lines(&format!("wordings-{code}")));
    Ok(TypedAssistant {
        mode: form.text("mode")?,
        test_numbers: lines("test-numbers")?,
        name: form.text("name")?,
        tone: form.text("tone")?,
        instructions: lines("instructions")?,
        facts,
        group: form.text("group")?,
        languages: form.text("languages")?,
        daily_tokens: form.text("daily-tokens")?,
        daily_budget: form.text("daily-budget")?,
        tools,
        hand_over: [
            lines("ar")?,
            lines("en")?,
            lines("ar-when-closed")?,
            lines("en-when-closed")?,
            lines("ckb")?,
            lines("ckb-when-closed")?,
        ],
        minutes: form.text("minutes")?,
        register: form.text("register")?,
        wordings: [arabic?, english?, sorani?],
        introduces_itself: form.filled("introduces-itself")?.is_some(),
        rehearses_changes: form.filled("rehearses-changes")?.is_some(),
    })
}

/// Parses the limit, which may be typed in Arabic digits.
fn daily_tokens(typed: &TypedAssistant) -> Result<u64, ParseIntError> {
    latin_digits(&typed.daily_tokens).trim().parse()
}

/// Returns the limit of money in the digits of the API; empty where none was typed.
fn budget(typed: &TypedAssistant) -> String {
    latin_digits(&typed.daily_budget).trim().to_owned()
}

/// Parses the minutes of a hand-over; none typed are those of a new assistant.
fn minutes(typed: &TypedAssistant) -> Result<Option<u16>, ParseIntError> {
    let minutes = latin_digits(&typed.minutes);
    Some(minutes.trim()).filter(|minutes| !minutes.is_empty()).map(str::parse).transpose()
}

/// Converts the form to the API's body. Choosing every tool also chooses tools that are added later.
fn wanted(typed: &TypedAssistant) -> Result<NewAssistantBody, Problem> {
    let not_empty = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let numbers = typed.test_numbers.lines().map(str::trim).filter(|number| !number.is_empty());
    let facts = typed.facts.iter().map(|fact| {
        let [arabic, english, sorani] = &fact.wordings;
        json!({ "title": fact.title, "text": fact.text, "ar": arabic, "en": english, "ckb": sorani })
    });
    let daily = daily_tokens(typed).map_err(|_| Problem::invalid("`dailyTokens` must be a whole number"))?;
    let [arabic, english, arabic_when_closed, english_when_closed, sorani, sorani_when_closed] =
        &typed.hand_over;
    let [own_arabic, own_english, own_sorani] = &typed.wordings;
    let wanted = json!({
        "mode": typed.mode,
        "testNumbers": numbers.collect::<Vec<_>>(),
        "name": not_empty(&typed.name),
        "tone": not_empty(&typed.tone),
        "instructions": typed.instructions,
        "facts": facts.collect::<Vec<Value>>(),
        "groupId": not_empty(&typed.group),
        "languages": typed.languages.split(',').collect::<Vec<_>>(),
        "dailyTokens": daily,
        "dailyBudget": not_empty(&budget(typed)),
        "handOver": {
            "ar": not_empty(arabic),
            "en": not_empty(english),
            "arWhenClosed": not_empty(arabic_when_closed),
            "enWhenClosed": not_empty(english_when_closed),
            "ckb": not_empty(sorani),
            "ckbWhenClosed": not_empty(sorani_when_closed),
            "minutes": minutes(typed).map_err(|_| Problem::invalid("`handOver.minutes` must be a whole number"))?,
        },
        "register": not_empty(&typed.register),
        "wordings": { "ar": own_arabic, "en": own_english, "ckb": own_sorani },
        "introducesItself": typed.introduces_itself,
        "rehearsesChanges": typed.rehearses_changes,
        "tools": (typed.tools.len() < choosable().count()).then_some(&typed.tools),
    });
    serde_json::from_value(wanted).map_err(|error| Problem::invalid(error.to_string()))
}

/// Describes a field that cannot be parsed; `None` if all can.
fn unreadable(typed: &TypedAssistant, region: Region, words: &Words) -> Option<String> {
    if daily_tokens(typed).is_err() {
        let rule = SettingsRule::DailyTokens { most: MOST_DAILY_TOKENS };
        return words.of_settings(&rule.into());
    }
    let budget = budget(typed);
    if !budget.is_empty() && Cost::read(&budget).is_none() {
        return Some(format!("{} {}", words.faults.daily_budget, Cost::MOST));
    }
    if minutes(typed).is_err() {
        return words.of_settings(&SettingsRule::Minutes.into());
    }
    let mut numbers = typed.test_numbers.lines().map(str::trim).filter(|number| !number.is_empty());
    let wrong = numbers.find(|number| PhoneNumber::parse_known(number, region).is_err())?;
    Some(format!("\u{2068}{wrong}\u{2069}: {}", words.imports.not_a_number))
}

/// Returns the name of the field whose fact breaks the rule, if one does.
fn wrong_fact(typed: &TypedAssistant, error: &SettingsError) -> Option<String> {
    let SettingsError::Invalid(rule) = error else { return None };
    let is_longer = |text: &str, most: usize| text.chars().nth(most).is_some();
    let mut facts = (1..).zip(&typed.facts);
    facts.find_map(|(number, TypedFact { title, text, wordings })| {
        let part = match rule {
            SettingsRule::Fact if is_blank(title) => "title",
            SettingsRule::Fact if is_blank(text) => "text",
            SettingsRule::TooLong { field, most } => {
                let wordings = ByLanguage::CODES.into_iter().zip(wordings);
                let parts = [("title", title), ("text", text)].into_iter().chain(wordings);
                let mut longer = parts.filter(|(_, text)| is_longer(text, *most));
                longer.find(|(part, _)| field.strip_prefix("facts[].") == Some(part))?.0
            }
            _ => return None,
        };
        Some(format!("fact-{part}-{number}"))
    })
}

/// Replaces what the assistant is set to. What it does next follows it; an answer that is being worded is
/// still sent. A form's buttons set or remove the workspace's own key as well.
pub(super) async fn save(call: Call, payload: Payload) -> Answer {
    let form = match call.given(payload).await? {
        Given::Form(form) => form,
        Given::Json(payload) => {
            let new: NewAssistantBody = call.json(payload).await?;
            let (acting, workspace) = (call.acting(), call.workspace());
            let settings = new.read(call.app.find_region.run(workspace).await?)?;
            let kept = call.run(move |app| async move {
                app.dashboard.assistant.manage.set(acting, &settings).await?;
                Ok::<_, SettingsError>(Kept::with(&app, workspace, settings).await?)
            });
            return act::ok(&AssistantBody::new(&call.app, kept.await?));
        }
    };
    if let Some(what) = form.filled("do")? {
        let changed = match what.as_str() {
            "keep-key" => key::keep(&call, form.text("key")?).await.map(drop),
            "remove-key" => key::forget(&call).await,
            _ => Err(Problem::invalid("`do` names nothing that can be done")),
        };
        return match changed {
            Ok(()) => Ok(see_other(PATH)),
            Err(problem) => render(&call, None, Some(problem.into())).await,
        };
    }
    let (typed, region) = (typed(&form)?, call.by.session.region);
    let done = match wanted(&typed).and_then(|wanted| wanted.read(region)) {
        Err(problem) => {
            let detail = unreadable(&typed, region, call.words());
            Err(NotTaken { detail, ..problem.into() })
        }
        Ok(settings) => {
            let acting = call.acting();
            let set = call
                .app
                .run(move |app| async move { app.dashboard.assistant.manage.set(acting, &settings).await });
            set.await?.map_err(|error| {
                let field = wrong_fact(&typed, &error);
                let detail = call.words().of_settings(&error);
                NotTaken { problem: error.into(), detail, field }
            })
        }
    };
    match done {
        Ok(()) => Ok(see_other(PATH)),
        Err(not_taken) => render(&call, Some(typed), Some(not_taken)).await,
    }
}

#[cfg(test)]
mod tests {
    use dashboard_pages::{TypedAssistant, TypedFact};
    use domain::{
        assistant::{
            AssistantMode, AssistantSettings, ByLanguage, Fact, SettingsRule, Tool, speech::Register,
        },
        phone::{PhoneNumber, Region},
    };

    use super::{wanted, written, wrong_fact};

    fn kept() -> AssistantSettings {
        AssistantSettings {
            mode: AssistantMode::Test,
            test_numbers: vec![domain::testing::a_recipient()],
            facts: vec![Fact {
                title: "التوصيل".to_owned(),
                text: "خلال\nيومين".to_owned(),
                wordings: ByLanguage { english: Some("In two days".to_owned()), ..ByLanguage::default() },
            }],
            register: Register::Formal,
            wordings: ByLanguage {
                sorani: Some("[bye]\nخوات لەگەڵ".to_owned()), ..ByLanguage::default()
            },
            introduces_itself: false,
            rehearses_changes: false,
            tools: Some(vec![Tool::SearchProducts]),
            ..AssistantSettings::default()
        }
    }

    #[test]
    fn what_is_shown_and_saved_again_is_what_was_kept() {
        // A contact's number that no numbering plan of today allows.
        let foreign = vec![PhoneNumber::from_e164("+5215512345678").unwrap()];
        let foreign = AssistantSettings { test_numbers: foreign, ..kept() };
        for settings in [kept(), foreign, AssistantSettings::default()] {
            let read = wanted(&written(settings.clone())).unwrap().read(Region::default());
            assert_eq!(read.unwrap(), settings);
        }
    }

    #[test]
    fn tokens_are_read_in_the_digits_of_an_arabic_keyboard() {
        let typed = TypedAssistant { daily_tokens: " ٢٠٠٠ ".to_owned(), ..written(kept()) };
        let read = wanted(&typed).unwrap().read(Region::default());
        assert_eq!(read.unwrap(), AssistantSettings { daily_tokens: 2_000, ..kept() });
    }

    #[test]
    fn a_fact_that_breaks_a_rule_is_found() {
        let long = "x".repeat(81);
        let facts = |facts: &[(&str, &str)]| TypedAssistant {
            facts: facts
                .iter()
                .map(|(title, text)| TypedFact {
                    title: (*title).to_owned(),
                    text: (*text).to_owned(),
                    wordings: [String::new(), "x".repeat(title.len()), String::new()],
                })
                .collect(),
            ..written(kept())
        };
        let too_long = |field| SettingsRule::TooLong { field, most: 80 };
        for (typed, rule, wanted) in [
            (facts(&[("A", "b"), ("A", " ")]), SettingsRule::Fact, Some("fact-text-2")),
            (facts(&[("", "b")]), SettingsRule::Fact, Some("fact-title-1")),
            (facts(&[("A", "b"), (long.as_str(), "b")]), too_long("facts[].title"), Some("fact-title-2")),
            (facts(&[("A", "b"), (long.as_str(), "b")]), too_long("facts[].en"), Some("fact-en-2")),
            (facts(&[("A", "b"), (long.as_str(), "b")]), too_long("name"), None),
            (facts(&[("A", "b")]), SettingsRule::NoLanguage, None),
        ] {
            assert_eq!(wrong_fact(&typed, &rule.into()).as_deref(), wanted, "{typed:?}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused_by_its_field() {
        let typed = TypedAssistant { daily_tokens: "many".to_owned(), ..written(kept()) };
        let refused = wanted(&typed).err().unwrap();
        assert!(refused.to_string().contains("dailyTokens"), "{refused}");
    }
}
