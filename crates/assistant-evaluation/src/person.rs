//! The people of a run.

use serde_json::Value;

use crate::{scenario::Network, wire::text};

/// A person with a chat of their own.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    /// Digits of a phone number, or a person's id on the page.
    pub(crate) from: String,
    pub(crate) name: String,
    /// International spelling. Over Messenger and Instagram the network does not tell it.
    pub(crate) phone: String,
    pub(crate) network: Network,
}

/// First names and family names: no two people of a run share both.
const FIRST: [&str; 20] = [
    "سارة",
    "علي",
    "زينب",
    "حسين",
    "فاطمة",
    "مصطفى",
    "نور",
    "كرار",
    "مريم",
    "أحمد",
    "هدى",
    "عمر",
    "رغد",
    "ياسر",
    "دعاء",
    "حيدر",
    "شهد",
    "مهند",
    "آية",
    "سيف",
];
const FAMILY: [&str; 25] = [
    "الجبوري",
    "العبيدي",
    "الخفاجي",
    "الدليمي",
    "الساعدي",
    "الموسوي",
    "التميمي",
    "الزبيدي",
    "الربيعي",
    "العزاوي",
    "الشمري",
    "الكعبي",
    "اللامي",
    "الحسني",
    "البياتي",
    "الجنابي",
    "القيسي",
    "الطائي",
    "العامري",
    "الأسدي",
    "الخزرجي",
    "المالكي",
    "الحلفي",
    "السعدي",
    "الراوي",
];

impl Person {
    /// Returns the `number`th person of a run.
    pub(crate) fn of(number: usize, network: Network) -> Self {
        let first = FIRST.get(number % FIRST.len()).copied().unwrap_or_default();
        let family = FAMILY.get(number / FIRST.len() % FAMILY.len()).copied().unwrap_or_default();
        let phone = format!("+96477{:08}", 20_000_000 + number);
        let from = match network {
            Network::Whatsapp => phone.trim_start_matches('+').to_owned(),
            Network::Messenger => format!("2481{:013}", 7_000_000 + number),
            Network::Instagram => format!("1785{:013}", 7_000_000 + number),
        };
        Self { from, name: format!("{first} {family}"), phone, network }
    }

    /// Returns whether an event is about this person.
    pub(crate) fn is_of(&self, event: &Value) -> bool {
        match self.network {
            Network::Whatsapp => text(event, "/data/customer/phone") == self.phone,
            _ => text(event, "/data/customer/name") == self.name,
        }
    }
}
