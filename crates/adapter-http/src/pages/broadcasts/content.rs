//! Second step of a broadcast: its content.

use std::collections::BTreeMap;

use actix_web::web::Payload;
use dashboard_pages::{BroadcastContentPage, PlaceRow, Section, Words};
use domain::{
    automations::QuietHours,
    broadcasts::{
        Audience, Broadcast, BroadcastContent, BroadcastError, ContentError, VariableSource, WrittenBroadcast,
    },
    errors::StoreError,
    templates::{HeaderNeed, Template, TemplateFilter, TemplateStatus, VariableKind},
    text::is_blank,
    zone::Zone,
};
use serde_json::json;

use super::{
    super::{
        act::{Answer, Call},
        answer::{page, see_other},
        automations::hours::end_in_field,
        form::Form,
        not_taken::NotTaken,
        refusal::WrongField,
    },
    draft::{between_commas, save},
    found, step,
};
use crate::problem::Problem;

/// Loads a draft's template in all its languages, and the columns of its list.
async fn known(call: &Call, broadcast: &Broadcast) -> Result<(Vec<Template>, Vec<String>), Problem> {
    let (workspace, name) = (call.workspace(), broadcast.content.template.clone());
    let list = match broadcast.audience {
        Audience::List(list) => Some(list),
        Audience::Filter(_) | Audience::Chosen(_) => None,
    };
    let known = call.run(move |app| async move {
        let filter = TemplateFilter { status: Some(TemplateStatus::Approved), category: None };
        let templates = app.list_templates.run(workspace, filter).await?;
        let lists =
            if list.is_some() { app.dashboard.broadcasts.lists.list(workspace).await? } else { vec![] };
        Ok::<_, StoreError>((templates, lists))
    });
    let (templates, lists) = known.await?;
    let templates = templates.into_iter().map(|one| one.template).filter(|template| template.name == name);
    let columns = lists.into_iter().find(|one| Some(one.id) == list).map(|list| list.columns);
    Ok((templates.collect(), columns.unwrap_or_default()))
}

pub(in crate::pages) async fn show(call: Call) -> Answer {
    let (broadcast, _) = found(&call).await?;
    render(&call, broadcast, None).await
}

/// Returns the source of a placeholder: as stored, or else the likely one.
fn place(content: &BroadcastContent, label: &str, kind: VariableKind) -> PlaceRow {
    let written = |source: &str, column: &str, text: &str| PlaceRow {
        label: label.to_owned(),
        source: source.to_owned(),
        column: column.to_owned(),
        text: text.to_owned(),
    };
    let otherwise = |text: &Option<String>| text.clone().unwrap_or_default();
    match content.variables.get(label) {
        Some(VariableSource::Text(text)) => written("text", "", text),
        Some(VariableSource::ContactName { otherwise: text }) => written("name", "", &otherwise(text)),
        Some(VariableSource::Column { column, otherwise: text }) => {
            written("column", column, &otherwise(text))
        }
        None if kind == VariableKind::Name => written("name", "", ""),
        None => written("text", "", ""),
    }
}

async fn render(call: &Call, broadcast: Broadcast, refusal: Option<(NotTaken, QuietTyped)>) -> Answer {
    let (templates, columns) = known(call, &broadcast).await?;
    let frame = call.frame(Section::Broadcasts).await?;
    let (not_taken, typed_quiet) = refusal.unzip();
    let (status, refused) = call.refused(not_taken, &frame)?;
    let here = || (call.by.session.time_zone.to_string(), String::new(), String::new());
    let content = broadcast.content;
    let chosen = templates.iter().find(|template| Some(&template.language) == content.language.as_ref());
    let template = chosen.or_else(|| templates.first());
    let places = template.map(Template::variables).unwrap_or_default();
    let places = places.into_iter().map(|variable| place(&content, &variable.label, variable.kind));
    let buttons = template.map(|template| template.content.buttons.as_slice()).unwrap_or_default();
    let buttons = buttons.iter().filter(|button| button.has_variable()).enumerate();
    let typed = |at: usize| content.button_variables.get(at).cloned().unwrap_or_default();
    let kept_quiet = content.quiet.as_ref().map(|quiet| {
        let (from, to) = quiet.hours.told();
        (quiet.zone.name().to_owned(), from, end_in_field(to))
    });
    let quiet = typed_quiet.or(kept_quiet);
    page(
        status,
        &BroadcastContentPage {
            frame: &frame,
            action: step(&call.request, broadcast.id, "content")?,
            back: step(&call.request, broadcast.id, "audience")?,
            body: template.map(|template| template.content.numbered_body()).unwrap_or_default(),
            places: places.collect(),
            header: template.and_then(|template| template.content.header_need()),
            header_value: content.header_text.clone().or(content.header_link.clone()).unwrap_or_default(),
            buttons: buttons.map(|(at, button)| (button.text.clone(), typed(at))).collect(),
            languages: templates.iter().map(|template| template.language.clone()).collect(),
            language: content.language.clone().unwrap_or_default(),
            tried: content.languages.join(", "),
            columns,
            language_column: content.language_column.clone().unwrap_or_default(),
            spread: content.spread,
            quiet: quiet.unwrap_or_else(here),
            refused,
        },
    )
}

/// Parses the placeholders' sources from the fields `label-1`, `source-1` and so on.
fn variables(form: &Form) -> Result<BTreeMap<String, VariableSource>, Problem> {
    let mut variables = BTreeMap::new();
    for at in 1_u32.. {
        let Some(label) = form.given(&format!("label-{at}"))? else { break };
        let text = form.text(&format!("text-{at}"))?;
        let otherwise = Some(text.clone()).filter(|text| !text.trim().is_empty());
        let source = match form.text(&format!("source-{at}"))?.as_str() {
            "name" => VariableSource::ContactName { otherwise },
            "column" => VariableSource::Column { column: form.text(&format!("column-{at}"))?, otherwise },
            _ => VariableSource::Text(text),
        };
        variables.insert(label, source);
    }
    Ok(variables)
}

/// Returns the name of the field whose value breaks a rule, if one does.
fn wrong_value(form: &Form, error: &BroadcastError) -> Option<String> {
    let BroadcastError::Content(ContentError::Value(wrong)) = error else { return None };
    let labels = (1_u32..).map_while(|at| Some((at, form.given(&format!("label-{at}")).ok().flatten()?)));
    labels.fuse().find(|(_, label)| label == wrong).map(|(at, _)| format!("text-{at}"))
}

/// Quiet hours as typed: zone, start and end.
type QuietTyped = (String, String, String);

/// Reads the quiet hours; without a zone, the workspace's is filled in.
fn quiet_typed(form: &Form, here: &Zone) -> Result<QuietTyped, Problem> {
    let zone = form.filled("quiet-zone")?.unwrap_or_else(|| here.to_string());
    Ok((zone, form.text("quiet-from")?, form.text("quiet-to")?))
}

/// Parses quiet hours; `None` if both fields are empty.
fn quiet((zone, from, to): &QuietTyped, words: &Words) -> Result<Option<QuietHours>, WrongField> {
    let (from, to) = (from.trim(), to.trim());
    if from.is_empty() && to.is_empty() {
        return Ok(None);
    }
    if from.is_empty() || to.is_empty() {
        let missing = if from.is_empty() { "quiet-from" } else { "quiet-to" };
        return Err(WrongField::new(missing, words.wrong.quiet_half));
    }
    let zone = Zone::read(zone.trim());
    let zone = zone.map_err(|_| WrongField::new("quiet-zone", words.automations.wrong_zone))?;
    let hours = serde_json::from_value(json!([from, to]));
    let hours = hours.map_err(|_| WrongField::new("quiet-from", words.wrong.quiet_time))?;
    Ok(Some(QuietHours { zone, hours }))
}

/// Reads the content except the quiet hours. Settings without a field in the form stay as in `kept`.
fn read(form: &Form, kept: &BroadcastContent, need: Option<HeaderNeed>) -> Result<BroadcastContent, Problem> {
    let header = form.filled("header")?;
    let (header_text, header_link) = match need {
        Some(HeaderNeed::Text) => (header, None),
        Some(HeaderNeed::Media | HeaderNeed::Document) => (None, header),
        Some(HeaderNeed::Location) | None => (None, None),
    };
    let mut button_variables = Vec::new();
    while let Some(value) = form.given(&format!("button-{}", button_variables.len() + 1))? {
        button_variables.push(value);
    }
    // These two fields are shown if there is a list.
    let language_column = match form.given("language-column")? {
        Some(column) => Some(column).filter(|column| !column.trim().is_empty()),
        None => kept.language_column.clone(),
    };
    let languages = match form.given("languages")? {
        Some(tried) => between_commas(&tried).into_iter().map(str::to_owned).collect(),
        None => kept.languages.clone(),
    };
    let spread = form.filled("spread")?.is_some();
    Ok(BroadcastContent {
        template: kept.template.clone(),
        language: form.filled("language")?,
        // The number is dropped if the broadcast is spread over all numbers.
        from: kept.from.clone().filter(|_| !spread),
        variables: variables(form)?,
        header_text,
        header_link,
        button_variables,
        language_column,
        languages,
        spread,
        quiet: None,
    })
}

/// Removes blank texts, which are filled in later.
fn unfinished(mut content: BroadcastContent) -> BroadcastContent {
    content.variables.retain(|_, source| !matches!(source, VariableSource::Text(text) if is_blank(text)));
    content
}

/// Saves the content of a draft and leads to the preview, or back, for which nothing has to be complete.
pub(in crate::pages) async fn change(call: Call, payload: Payload) -> Answer {
    let form = Form::of(&call.request, payload).await?;
    let (broadcast, _) = found(&call).await?;
    let (templates, _) = known(&call, &broadcast).await?;
    let language = form.filled("language")?;
    let chosen = templates.iter().find(|template| Some(&template.language) == language.as_ref());
    let need = chosen.or_else(|| templates.first()).and_then(|template| template.content.header_need());
    let is_back = form.text("do")? == "back";
    let content = read(&form, &broadcast.content, need)?;
    let content = if is_back { unfinished(content) } else { content };
    let hours = quiet_typed(&form, &call.by.session.time_zone)?;
    let words = call.words();
    let (id, name, audience) = (broadcast.id, broadcast.name.clone(), broadcast.audience.clone());
    let saved = match quiet(&hours, words) {
        Ok(quiet) => {
            let content = BroadcastContent { quiet, ..content.clone() };
            match save(&call, id, WrittenBroadcast { name, content, audience }).await? {
                Ok(_) => Ok(()),
                // Other errors can be corrected on the previous step.
                Err(error) if is_back && !matches!(error, BroadcastError::Content(_)) => Ok(()),
                Err(error) => {
                    let field = wrong_value(&form, &error);
                    Err(NotTaken { field, ..NotTaken::of_broadcast(error, words) })
                }
            }
        }
        Err(wrong) => Err(NotTaken::wrong(wrong)),
    };
    match saved {
        Ok(()) => Ok(see_other(&step(&call.request, id, if is_back { "audience" } else { "preview" })?)),
        Err(not_taken) => {
            let typed = Broadcast { content, ..broadcast };
            render(&call, typed, Some((not_taken, hours))).await
        }
    }
}
