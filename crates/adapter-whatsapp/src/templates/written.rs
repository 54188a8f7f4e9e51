//! Templates that members write, as the network takes them, and the examples of their files
//! (docs/run/networks.md, "Templates").

use domain::{
    attachments::ports::StoredObject,
    channels::ports::NetworkError,
    templates::{
        Category, DraftButton, DraftHeader, TemplateDraft, code_validity, placeholders,
        ports::{Sample, WrittenTemplate},
    },
};
use graph_client::RawFile;
use secrecy::SecretString;
use serde_json::{Map, Value, json};

use crate::{WhatsAppNetwork, failure};

/// Builds the parts of a template.
pub(super) fn components(written: &WrittenTemplate) -> Vec<Value> {
    let draft = &written.draft;
    if draft.category == Category::Authentication {
        return of_code(draft);
    }
    let mut components = Vec::new();
    components.extend(draft.header.as_ref().map(|header| of_header(header, written.sample.as_deref())));
    components.push(body(draft));
    components.extend(draft.footer.as_ref().map(|text| json!({ "type": "FOOTER", "text": text })));
    if !draft.buttons.is_empty() {
        components.push(
            json!({ "type": "BUTTONS", "buttons": draft.buttons.iter().map(button).collect::<Vec<_>>() }),
        );
    }
    components
}

fn of_code(draft: &TemplateDraft) -> Vec<Value> {
    let code = draft.authentication;
    let recommends = code.is_some_and(|code| code.add_security_recommendation);
    let mut components = vec![json!({ "type": "BODY", "add_security_recommendation": recommends })];
    if let Some(minutes) = code.and_then(|code| code.code_expiration_minutes) {
        components.push(json!({ "type": "FOOTER", "code_expiration_minutes": minutes }));
    }
    components.push(json!({ "type": "BUTTONS", "buttons": [{ "type": "OTP", "otp_type": "COPY_CODE" }] }));
    components
}

fn of_header(header: &DraftHeader, handle: Option<&str>) -> Value {
    match header {
        DraftHeader::Text { text, sample } => {
            let mut header = json!({ "type": "HEADER", "format": "TEXT", "text": text });
            let place = placeholders(text).into_iter().next();
            if let (Some(sample), Some(place), Some(fields)) = (sample, place, header.as_object_mut()) {
                let example = if place.parse::<u32>().is_ok() {
                    json!({ "header_text": [sample] })
                } else {
                    json!({ "header_text_named_params": [{ "param_name": place, "example": sample }] })
                };
                fields.insert("example".to_owned(), example);
            }
            header
        }
        DraftHeader::Media { format, .. } => {
            let handles: Vec<&str> = handle.into_iter().collect();
            json!({ "type": "HEADER", "format": format.as_str(), "example": { "header_handle": handles } })
        }
    }
}

fn body(draft: &TemplateDraft) -> Value {
    let mut body = Map::new();
    body.insert("type".to_owned(), json!("BODY"));
    body.insert("text".to_owned(), json!(draft.body));
    let samples = || draft.variables.iter().map(|variable| variable.sample.as_str());
    if draft.is_named() {
        let named = placeholders(&draft.body).into_iter().zip(samples());
        let named = named.map(|(place, sample)| json!({ "param_name": place, "example": sample }));
        body.insert("example".to_owned(), json!({ "body_text_named_params": named.collect::<Vec<_>>() }));
    } else if !draft.variables.is_empty() {
        body.insert("example".to_owned(), json!({ "body_text": [samples().collect::<Vec<_>>()] }));
    }
    Value::Object(body)
}

fn button(button: &DraftButton) -> Value {
    match button {
        DraftButton::QuickReply { text } => json!({ "type": "QUICK_REPLY", "text": text }),
        DraftButton::Call { text, phone } => {
            json!({ "type": "PHONE_NUMBER", "text": text, "phone_number": phone })
        }
        DraftButton::Link { text, url, sample } => match sample {
            None => json!({ "type": "URL", "text": text, "url": url }),
            Some(sample) => {
                let example = url.replace("{{1}}", sample);
                json!({ "type": "URL", "text": text, "url": url, "example": [example] })
            }
        },
    }
}

/// Builds the body of a new template.
pub(super) fn new(written: &WrittenTemplate) -> Value {
    let draft = &written.draft;
    let template = json!({
        "name": draft.name,
        "language": draft.language,
        "category": draft.category.as_str(),
        "parameter_format": if draft.is_named() { "named" } else { "positional" },
        "components": components(written),
    });
    with_validity(draft, template)
}

/// Sets the validity: a message with a code is delivered only while the code is valid. Set with the template,
/// since one under review cannot be changed.
pub(super) fn with_validity(draft: &TemplateDraft, mut template: Value) -> Value {
    if draft.category == Category::Authentication
        && let (Some(code), Some(fields)) = (draft.authentication, template.as_object_mut())
    {
        fields.insert("message_send_ttl_seconds".to_owned(), json!(code_validity(code)));
    }
    template
}

impl WhatsAppNetwork {
    /// Uploads an example in two steps: the upload is started at the app, and then given its bytes.
    pub(super) async fn give_sample(
        &self,
        token: &SecretString,
        sample: &Sample,
    ) -> Result<String, NetworkError> {
        let unavailable = |reason: &str| NetworkError::Unavailable(reason.to_owned());
        let files = self.files.as_ref().ok_or_else(|| unavailable("there is no place for files"))?;
        let opened = files.open(&sample.key).await.map_err(|error| unavailable(&error.to_string()))?;
        let StoredObject { size, bytes } =
            opened.ok_or_else(|| unavailable("the file is not where it was kept"))?;
        let app: Value =
            self.graph.get("app", &[("fields", "id")], token).await.map_err(failure::of_question)?;
        let text = |value: &Value, name: &str| {
            let text = value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.map(str::to_owned).ok_or_else(|| unavailable("the network's answer cannot be read"))
        };
        let app = text(&app, "id")?;
        let (content_type, length) = (sample.content_type.as_str(), size.to_string());
        let generic = format!("sample.{}", sample.content_type.extension());
        let name = sample.name.as_deref().unwrap_or(&generic);
        let about = [("file_length", length.as_str()), ("file_type", content_type), ("file_name", name)];
        let path = format!("{app}/uploads");
        let begun: Value = self.graph.post_query(&path, &about, token).await.map_err(failure::of_question)?;
        let session = text(&begun, "id")?;
        let file = RawFile::new(content_type, size, bytes);
        let handle: Value = self.graph.post_raw(&session, file, token).await.map_err(failure::of_question)?;
        text(&handle, "h")
    }
}

#[cfg(test)]
mod tests {
    use domain::templates::{
        Authentication, Category, DraftButton, DraftHeader, DraftVariable, MediaFormat, TemplateDraft,
        VariableKind, VariableLabel, ports::WrittenTemplate,
    };
    use serde_json::json;

    use super::new;

    fn draft() -> TemplateDraft {
        let variable = |sample: &str| DraftVariable {
            label: VariableLabel { label: sample.to_owned(), kind: VariableKind::Text },
            sample: sample.to_owned(),
        };
        TemplateDraft {
            name: "order_ready".to_owned(),
            language: "ar".to_owned(),
            category: Category::Utility,
            header: Some(DraftHeader::Text {
                text: "Order {{1}}".to_owned(),
                sample: Some("A-1".to_owned()),
            }),
            body: "Dear {{1}}, {{2}} is ready".to_owned(),
            variables: vec![variable("Sara"), variable("A-1")],
            footer: Some("Shop".to_owned()),
            buttons: vec![
                DraftButton::QuickReply { text: "Yes".to_owned() },
                DraftButton::Link {
                    text: "Track".to_owned(),
                    url: "https://shop.example/t/{{1}}".to_owned(),
                    sample: Some("A-1".to_owned()),
                },
                DraftButton::Call { text: "Call".to_owned(), phone: "+9647700000000".to_owned() },
            ],
            authentication: None,
        }
    }

    fn written(draft: TemplateDraft, sample: Option<&str>) -> serde_json::Value {
        new(&WrittenTemplate { draft, sample: sample.map(str::to_owned) })
    }

    #[test]
    fn a_template_is_written_with_an_example_for_each_variable() {
        let wanted = json!({
            "name": "order_ready", "language": "ar", "category": "UTILITY", "parameter_format": "positional",
            "components": [
                { "type": "HEADER", "format": "TEXT", "text": "Order {{1}}", "example": { "header_text": ["A-1"] } },
                { "type": "BODY", "text": "Dear {{1}}, {{2}} is ready",
                  "example": { "body_text": [["Sara", "A-1"]] } },
                { "type": "FOOTER", "text": "Shop" },
                { "type": "BUTTONS", "buttons": [
                    { "type": "QUICK_REPLY", "text": "Yes" },
                    { "type": "URL", "text": "Track", "url": "https://shop.example/t/{{1}}",
                      "example": ["https://shop.example/t/A-1"] },
                    { "type": "PHONE_NUMBER", "text": "Call", "phone_number": "+9647700000000" },
                ] },
            ],
        });
        assert_eq!(written(draft(), None), wanted);
    }

    #[test]
    fn named_variables_a_file_and_a_one_time_code_have_their_own_forms() {
        let named = TemplateDraft { body: "Dear {{name}}, {{order}} is ready".to_owned(), ..draft() };
        let named = written(named, None);
        assert_eq!(named["parameter_format"], "named");
        assert_eq!(
            named["components"][1]["example"]["body_text_named_params"],
            json!([{ "param_name": "name", "example": "Sara" }, { "param_name": "order", "example": "A-1" }])
        );
        let sample = uuid::Uuid::nil().into();
        let pictured = TemplateDraft {
            header: Some(DraftHeader::Media { format: MediaFormat::Image, sample }),
            ..draft()
        };
        assert_eq!(
            written(pictured, Some("4::aW"))["components"][0],
            json!({ "type": "HEADER", "format": "IMAGE", "example": { "header_handle": ["4::aW"] } })
        );
        let code = TemplateDraft {
            category: Category::Authentication,
            header: None,
            body: String::new(),
            variables: Vec::new(),
            footer: None,
            buttons: Vec::new(),
            authentication: Some(Authentication {
                add_security_recommendation: true,
                code_expiration_minutes: Some(5),
            }),
            ..draft()
        };
        let code = written(code, None);
        assert_eq!(code["message_send_ttl_seconds"], 300, "no code arrives after its end");
        assert_eq!(
            code["components"],
            json!([
                { "type": "BODY", "add_security_recommendation": true },
                { "type": "FOOTER", "code_expiration_minutes": 5 },
                { "type": "BUTTONS", "buttons": [{ "type": "OTP", "otp_type": "COPY_CODE" }] },
            ])
        );
    }
}
