//! Templates of one-time codes, created without texts and listed with the network's own.

use serde_json::{Map, Value, json};

/// Returns the components of a created one-time-code template as they are listed afterwards.
pub(crate) fn as_listed(components: &[Value], language: &str) -> Vec<Value> {
    let arabic = language.starts_with("ar");
    let minutes = components.iter().find_map(|component| component.get("code_expiration_minutes")?.as_u64());
    components.iter().map(|component| listed(component, arabic, minutes)).collect()
}

fn listed(component: &Value, arabic: bool, minutes: Option<u64>) -> Value {
    let kind = component.get("type").and_then(Value::as_str).unwrap_or_default().to_ascii_uppercase();
    let Value::Object(mut fields) = component.clone() else { return component.clone() };
    fields.insert("type".to_owned(), json!(kind));
    match kind.as_str() {
        "BODY" => {
            let careful = fields.get("add_security_recommendation") == Some(&Value::Bool(true));
            fields.insert("text".to_owned(), json!(body(arabic, careful)));
            fields.insert("example".to_owned(), json!({ "body_text": [["123456"]] }));
        }
        "FOOTER" => {
            if let Some(minutes) = minutes {
                fields.insert("text".to_owned(), json!(footer(arabic, minutes)));
            }
        }
        "BUTTONS" => {
            let buttons = fields.get("buttons").and_then(Value::as_array).cloned().unwrap_or_default();
            let buttons: Vec<Value> =
                buttons.into_iter().map(|button| listed_button(button, arabic, minutes)).collect();
            fields.insert("buttons".to_owned(), Value::Array(buttons));
        }
        _ => {}
    }
    Value::Object(fields)
}

fn body(arabic: bool, careful: bool) -> &'static str {
    match (arabic, careful) {
        (true, true) => "*{{1}}* هو كود التحقق الخاص بك. للحفاظ على أمانك، لا تشارك هذا الكود.",
        (true, false) => "*{{1}}* هو كود التحقق الخاص بك.",
        (false, true) => "*{{1}}* is your verification code. For your security, do not share this code.",
        (false, false) => "*{{1}}* is your verification code.",
    }
}

fn footer(arabic: bool, minutes: u64) -> String {
    if arabic {
        format!("تنتهي صلاحية هذا الكود خلال {minutes} من الدقائق.")
    } else {
        format!("This code expires in {minutes} minutes.")
    }
}

/// Returns a button as it is listed: one created as `OTP` comes back as `URL`.
fn listed_button(button: Value, arabic: bool, minutes: Option<u64>) -> Value {
    let field = |name: &str| button.get(name).and_then(Value::as_str);
    if !field("type").is_some_and(|kind| kind.eq_ignore_ascii_case("OTP")) {
        return button;
    }
    let otp_type = field("otp_type").unwrap_or("COPY_CODE").to_ascii_uppercase();
    let text = field("text").unwrap_or(if arabic { "نسخ الكود" } else { "Copy code" });
    let expiry = minutes.map(|minutes| format!("&code_expiration_minutes={minutes}")).unwrap_or_default();
    let url = format!("https://www.whatsapp.com/otp/code/?otp_type={otp_type}{expiry}&code=otp");
    let mut listed = Map::new();
    listed.insert("type".to_owned(), json!("URL"));
    listed.insert("text".to_owned(), json!(text));
    listed.insert("url".to_owned(), json!(format!("{url}{{{{1}}}}")));
    listed.insert("example".to_owned(), json!([format!("{url}123456")]));
    Value::Object(listed)
}
