//! Templates: list, one, create, edit, delete.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::call::Call;
use super::error::GraphError;
use super::paging::{page, select};
use crate::core::Core;
use crate::templates::{Template, as_listed, check_name, check_ttl};
use crate::world::AccountState;

/// Most templates of a verified account.
const TEMPLATE_LIMIT: u32 = 6000;

const DEFAULT_FIELDS: [&str; 11] = [
    "name",
    "language",
    "status",
    "category",
    "components",
    "parameter_format",
    "sub_category",
    "previous_category",
    "library_template_name",
    "message_send_ttl_seconds",
    "id",
];

pub(super) fn list(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let all: Vec<(u64, Arc<Template>)> = {
        let world = core.world();
        let account = account(&world, call)?;
        account.templates.all().map(|(position, row)| (position, Arc::clone(row))).collect()
    };
    let count = all.len();
    let rows = all.into_iter().filter(|(_, template)| passes(template, call)).collect();
    let mut answer = page(core, call, rows, |template| select(&template.row, call, &DEFAULT_FIELDS))?;
    if let Some(asked) = call.query.get("summary") {
        let known = json!({
            "total_count": count,
            "message_template_count": count,
            "message_template_limit": TEMPLATE_LIMIT,
            "are_translations_complete": true,
        });
        let mut summary = Map::new();
        for name in asked.split(',').map(str::trim) {
            if let Some(value) = known.get(name) {
                summary.insert(name.to_owned(), value.clone());
            }
        }
        answer.insert("summary".to_owned(), Value::Object(summary));
    }
    Ok(Value::Object(answer))
}

pub(super) fn get(core: &Core, call: &Call) -> Result<Value, GraphError> {
    Ok(select(&find(core, call)?.row, call, &DEFAULT_FIELDS))
}

pub(super) fn create(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let required = |field: &str| {
        let missing = || GraphError::parameter(format!("The parameter {field} is required."));
        call.parameter(field).filter(|value| !value.is_empty()).ok_or_else(missing)
    };
    let (name, language) = (required("name")?, required("language")?);
    check_name(name).map_err(GraphError::parameter)?;
    let category = category(required("category")?)?;
    let components =
        components(call)?.ok_or_else(|| GraphError::parameter("The parameter components is required."))?;
    let mut row = Map::new();
    row.insert("name".to_owned(), json!(name));
    row.insert("language".to_owned(), json!(language));
    row.insert("status".to_owned(), json!("PENDING"));
    if let Some(format) = call.parameter("parameter_format") {
        row.insert("parameter_format".to_owned(), json!(format.to_ascii_uppercase()));
    }
    if let Some(seconds) = ttl(call, &category)? {
        row.insert("message_send_ttl_seconds".to_owned(), json!(seconds));
    }
    let components =
        if category == "AUTHENTICATION" { as_listed(&components, language) } else { upper_types(components) };
    row.insert("components".to_owned(), Value::Array(components));
    row.insert("category".to_owned(), json!(category));
    let template =
        Template::from_row(Value::Object(row), || core.ids.object()).map_err(GraphError::parameter)?;
    let id = template.id().to_owned();
    let mut world = core.world();
    let account = world.account_mut(call.id()).ok_or_else(|| missing(call))?;
    if account.templates.find(name, language).is_some() {
        return Err(GraphError::parameter("Content in this language already exists").with_subcode(2_388_024));
    }
    account.templates.put(template);
    Ok(json!({ "id": id, "status": "PENDING", "category": category }))
}

pub(super) fn edit(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let template = find(core, call)?;
    let status = template.status();
    if !["APPROVED", "REJECTED", "PAUSED"].contains(&status.as_str()) {
        return Err(GraphError::parameter(format!("A template with the status {status} cannot be edited.")));
    }
    let mut row = template.row.clone();
    let mut category_now = template.category();
    if let Some(wanted) = call.parameter("category") {
        let wanted = category(wanted)?;
        if status == "APPROVED" && wanted != category_now {
            return Err(GraphError::parameter("The category of an approved template cannot be changed."));
        }
        row.insert("category".to_owned(), json!(wanted));
        category_now = wanted;
    }
    if let Some(seconds) = ttl(call, &category_now)? {
        row.insert("message_send_ttl_seconds".to_owned(), json!(seconds));
    }
    if let Some(components) = components(call)? {
        let components = if category_now == "AUTHENTICATION" {
            as_listed(&components, template.language())
        } else {
            upper_types(components)
        };
        row.insert("components".to_owned(), Value::Array(components));
        // Texts are reviewed again; a validity period is not.
        row.insert("status".to_owned(), json!("PENDING"));
    }
    let edited =
        Template::from_row(Value::Object(row), || core.ids.object()).map_err(GraphError::parameter)?;
    let mut world = core.world();
    let account_id = world.resolve(call.id(), &call.token).map(|(_, account)| account.id.clone());
    let account = account_id.and_then(|id| world.account_mut(&id)).ok_or_else(|| missing(call))?;
    account.templates.put(edited);
    Ok(json!({ "success": true }))
}

pub(super) fn delete(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let Some(name) = call.parameter("name") else {
        return Err(GraphError::parameter("The parameter name is required."));
    };
    let only = call.parameter("hsm_id");
    let mut world = core.world();
    let account = world.account_mut(call.id()).ok_or_else(|| missing(call))?;
    let named = account.templates.all().filter(|(_, template)| template.name() == name);
    let doomed: Vec<String> = named
        .map(|(_, template)| template.id().to_owned())
        .filter(|id| only.is_none_or(|only| only == id))
        .collect();
    if doomed.is_empty() {
        return Err(GraphError::parameter("Message template not found").with_subcode(2_593_002));
    }
    for id in doomed {
        account.templates.remove(&id);
    }
    Ok(json!({ "success": true }))
}

fn find(core: &Core, call: &Call) -> Result<Arc<Template>, GraphError> {
    let world = core.world();
    let account = world.resolve(call.id(), &call.token).map(|(_, account)| account);
    let template = account.and_then(|account| account.templates.by_id(call.id()));
    template.cloned().ok_or_else(|| missing(call))
}

fn account<'a>(world: &'a crate::world::World, call: &Call) -> Result<&'a AccountState, GraphError> {
    world.account(call.id()).ok_or_else(|| missing(call))
}

fn missing(call: &Call) -> GraphError {
    GraphError::missing_object(call.method.as_str(), call.id())
}

fn passes(template: &Template, call: &Call) -> bool {
    let matches = |filter: &str, value: &str| {
        call.query.get(filter).is_none_or(|wanted| wanted.eq_ignore_ascii_case(value))
    };
    let score = template.row.get("quality_score").and_then(|quality| quality.get("score"));
    let content = |wanted: &str| {
        let wanted = wanted.to_lowercase();
        template.name().contains(&wanted) || template.shape.body.text.to_lowercase().contains(&wanted)
    };
    matches("name", template.name())
        && matches("language", template.language())
        && matches("status", &template.status())
        && matches("category", &template.category())
        && matches("quality_score", score.and_then(Value::as_str).unwrap_or("UNKNOWN"))
        && call.query.get("name_or_content").is_none_or(|wanted| content(wanted))
}

fn category(text: &str) -> Result<String, GraphError> {
    let category = text.to_ascii_uppercase();
    if ["AUTHENTICATION", "MARKETING", "UTILITY"].contains(&category.as_str()) {
        return Ok(category);
    }
    Err(GraphError::parameter("Param category must be one of {AUTHENTICATION, MARKETING, UTILITY}."))
}

fn components(call: &Call) -> Result<Option<Vec<Value>>, GraphError> {
    let Some(value) = call.fields.get("components") else { return Ok(None) };
    let components = value.as_array().filter(|components| components.iter().all(Value::is_object));
    let components =
        components.ok_or_else(|| GraphError::parameter("Param components must be an array of objects."))?;
    let is_body = |component: &&Value| {
        component.get("type").and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case("BODY"))
    };
    if components.iter().find(is_body).is_none() {
        return Err(GraphError::parameter("A template needs a component of type BODY."));
    }
    Ok(Some(components.clone()))
}

/// Changes types and formats to upper case, in which they are listed whatever their case was.
fn upper_types(components: Vec<Value>) -> Vec<Value> {
    let upper = |mut value: Value| {
        for field in ["type", "format"] {
            if let Some(text) = value.get(field).and_then(Value::as_str).map(str::to_ascii_uppercase)
                && let Some(fields) = value.as_object_mut()
            {
                fields.insert(field.to_owned(), Value::String(text));
            }
        }
        value
    };
    let mut components: Vec<Value> = components.into_iter().map(upper).collect();
    for component in &mut components {
        if let Some(Value::Array(buttons)) = component.get_mut("buttons") {
            *buttons = std::mem::take(buttons).into_iter().map(upper).collect();
        }
    }
    components
}

fn ttl(call: &Call, category: &str) -> Result<Option<i64>, GraphError> {
    let value = match call.fields.get("message_send_ttl_seconds") {
        None => return Ok(None),
        Some(Value::String(text)) => text.parse().ok(),
        Some(value) => value.as_i64(),
    };
    let seconds =
        value.ok_or_else(|| GraphError::parameter("Param message_send_ttl_seconds must be an integer."))?;
    check_ttl(category, seconds).map_err(GraphError::parameter)?;
    Ok(Some(seconds))
}
