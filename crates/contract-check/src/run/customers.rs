//! Records of customers, and leads.

use serde_json::{Map, Value, json};

use super::{NOBODY, Run};
use crate::caller::Ask;
use crate::checks;
use crate::judge::{customer, id_text};

impl Run<'_> {
    pub(super) async fn customers(self) {
        self.nobody().await;
        let Some(phone) = &self.options.phone else {
            return self.skip_customers("name a number of whom there is a record (--phone)");
        };
        self.somebody(phone).await;
        if self.options.writes.is_some() {
            self.leads(phone).await;
        } else {
            self.skip_customers("only writing shows it (--allow-writes --variant)");
        }
    }

    fn skip_customers(self, reason: &str) {
        let mut log = self.caller.log();
        checks::all().filter(|check| check.area() == "customer").for_each(|check| log.skip(check.id, reason));
    }

    async fn nobody(self) {
        let ask = Ask::get(&["customers", "lookup"]).query("phone", NOBODY);
        let Some(answer) = self.caller.ask(&ask).await else { return };
        let fits = answer.status == 200 && answer.body().get("customer").is_some();
        let wrong = || Err(format!("answered {} without `customer`", answer.status));
        self.caller.log().settle("customer.unknown", &answer.call, if fits { Ok(()) } else { wrong() });
    }

    async fn somebody(self, phone: &str) {
        let ask = Ask::get(&["customers", "lookup"]).query("phone", phone);
        let Some(answer) = self.caller.ask(&ask).await else { return };
        // The 404 for an unknown number is checked with [`NOBODY`].
        if answer.status == 404 {
            return;
        }
        let mut log = self.caller.log();
        match answer.body().get("customer").filter(|_| answer.status == 200) {
            Some(Value::Null) => log.found("customer.known", &answer.call, "answered null"),
            Some(Value::Object(record)) => {
                log.pass("customer.answer", &answer.call);
                log.pass("customer.known", &answer.call);
                log.take(&answer.call, customer::record(record));
            }
            _ => {
                let detail = format!("answered {} without `customer`", answer.status);
                log.found("customer.answer", &answer.call, detail);
            }
        }
    }

    async fn leads(self, phone: &str) {
        let lead = json!({
            "name": "تجربة الربط",
            "phone": phone,
            "note": "سجل تجريبي",
            "conversationId": self.key("conversation"),
            "source": "messaging-service",
        });
        let ask = Ask::post(&["customers"], lead);
        let Some(answer) = self.caller.ask(&ask).await else { return };
        let id = |body: &Value| id_text(body.get("customer").and_then(Value::as_object).and_then(of_record)?);
        let Some(first) = id(answer.body()).filter(|_| answer.is_success()) else {
            let detail = format!("answered {} without the record's id", answer.status);
            self.caller.log().found("customer.lead", &answer.call, detail);
            return;
        };
        self.caller.log().pass("customer.lead", &answer.call);
        let Some(answer) = self.caller.ask(&ask).await else { return };
        let same = id(answer.body()).is_some_and(|second| second == first);
        let another = || Err("another record was made".to_owned());
        self.caller.log().settle(
            "customer.lead_repeated",
            &answer.call,
            if same { Ok(()) } else { another() },
        );
    }
}

fn of_record(record: &Map<String, Value>) -> Option<&Value> {
    record.get("id")
}
