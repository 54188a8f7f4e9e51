//! The command `settings`.

use serde_json::{Value, json};

use super::Said;
use crate::config::{self, SETTINGS, Setting};

/// Renders all settings: as a person reads them, and as rows for a script.
pub fn settings() -> Said {
    let rows: Vec<Value> = SETTINGS.iter().map(object).collect();
    Said::new(config::table(), &json!({ "rows": rows }))
}

fn object(setting: &Setting) -> Value {
    json!({
        "variable": setting.variable(),
        "required": setting.default.is_none(),
        "default": setting.default.filter(|default| !default.is_empty()),
        "help": setting.help,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::settings;
    use crate::config::SETTINGS;

    #[test]
    fn a_script_gets_every_setting_with_its_default() {
        let said: Value = serde_json::from_str(settings().printed(true)).expect("JSON");
        let rows = said["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), SETTINGS.len());
        let of = |variable: &str| rows.iter().find(|row| row["variable"] == variable).expect("a setting");
        let database = of("MESSAGING_DATABASE_URL");
        assert!(database["required"] == true && database["default"].is_null(), "{database}");
        let rate = of("MESSAGING_NUMBER_RATE");
        assert!(rate["required"] == false && rate["default"] == "80" && rate["help"].is_string(), "{rate}");
        assert!(of("MESSAGING_SMTP_URL")["default"].is_null());
    }
}
