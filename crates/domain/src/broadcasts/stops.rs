//! Opt-outs from marketing.

use std::{
    collections::HashSet,
    sync::{Arc, LazyLock},
};

use super::{
    ports::MarketingStopStore,
    stop::{MarketingStop, StopSource},
};
use crate::{
    audit::{Acting, Action},
    contacts::ports::ContactStore,
    deps::Deps,
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
    text::fold_for_search,
};

/// Messages that ask for no more marketing, in English, Arabic and Kurdish.
const STOP_WORDS: [&str; 23] = [
    "stop",
    "unsubscribe",
    "stop all",
    "opt out",
    "stop promotions",
    "ايقاف",
    "توقف",
    "قف",
    "الغاء الاشتراك",
    "الغي الاشتراك",
    "ايقاف الرسائل",
    "ايقاف الاعلانات",
    "لا ترسلون",
    "ايقاف العروض",
    "ڕاگرتن",
    "راگرتن",
    "ڕایبگرە",
    "رایبگرە",
    "ڕاگرتنی نامەکان",
    "راگرتنی نامەکان",
    "نامە مەنێرە",
    "پەیام مەنێرە",
    "هەڵوەشاندنەوەی بەشداری",
];

/// Messages that ask for marketing again, in the same languages.
const START_WORDS: [&str; 13] = [
    "start",
    "unstop",
    "subscribe",
    "opt in",
    "resume",
    "ابدا",
    "اشتراك",
    "اشترك",
    "تفعيل الاشتراك",
    "استئناف",
    "دەستپێکردن",
    "دەستپێبکە",
    "بەشداریکردن",
];

/// Folded once, since every customer's message is compared with them.
static STOPS: LazyLock<HashSet<String>> = LazyLock::new(|| folded(&STOP_WORDS));
static STARTS: LazyLock<HashSet<String>> = LazyLock::new(|| folded(&START_WORDS));

fn folded(words: &[&str]) -> HashSet<String> {
    words.iter().map(|word| fold_for_search(word)).collect()
}

/// Returns whether a message as a whole asks for no more marketing. Among other words, such a word means
/// something else.
pub fn is_stop_word(text: &str) -> bool {
    says_one_of(text, &STOPS)
}

/// Returns whether a message as a whole asks for marketing again, after an opt-out.
pub fn is_start_word(text: &str) -> bool {
    says_one_of(text, &STARTS)
}

fn says_one_of(text: &str, words: &HashSet<String>) -> bool {
    words.contains(&fold_for_search(text.trim_matches(|c: char| !c.is_alphanumeric())))
}

/// Opt-outs from marketing, as the team sees and sets them.
pub struct MarketingStops {
    pub store: Arc<dyn MarketingStopStore>,
    pub contacts: Arc<dyn ContactStore>,
    pub deps: Deps,
}

impl MarketingStops {
    /// Returns a contact's opt-out; the outer `None` if the workspace has no such contact.
    pub async fn of(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
    ) -> Result<Option<Option<MarketingStop>>, StoreError> {
        let Some(profile) = self.contacts.find(workspace, contact).await? else { return Ok(None) };
        let Some(phone) = profile.contact.phone else { return Ok(Some(None)) };
        self.store.stop_of(workspace, &phone).await.map(Some)
    }

    /// Opts a contact out of marketing, or in again; `false` if the workspace has no such contact with a
    /// number.
    pub async fn set(&self, acting: Acting, contact: ContactId, stopped: bool) -> Result<bool, StoreError> {
        let workspace = acting.workspace;
        let Some(profile) = self.contacts.find(workspace, contact).await? else { return Ok(false) };
        let Some(phone) = profile.contact.phone else { return Ok(false) };
        let now = self.deps.clock.now();
        let entry = acting.does(Action::MarketingStopSet, now, &*self.deps.ids);
        let entry = entry.to(contact).with("stopped", stopped);
        if stopped {
            let stop = MarketingStop { source: StopSource::Team, at: now };
            self.store.stop(workspace, &phone, stop, Some(entry)).await?;
        } else {
            self.store.resume(workspace, &phone, now, Some(entry)).await?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::{is_start_word, is_stop_word};

    #[test]
    fn only_a_whole_message_that_asks_for_it_begins_marketing_again() {
        for start in [
            "START",
            "start!",
            "ابدأ",
            "إبدأ",
            "اشتراك",
            "Subscribe",
            "أشترك",
            "«ابدأ»",
            "اشتراك؟",
            "دەستپێکردن.",
        ] {
            assert!(is_start_word(start) && !is_stop_word(start), "{start}");
        }
        for other in ["", "when do you start?", "restart", "STOP", "ابدأ الطلب"] {
            assert!(!is_start_word(other), "{other}");
        }
    }

    #[test]
    fn only_a_whole_message_that_asks_for_it_stops_marketing() {
        for stop in [
            "STOP",
            " stop. ",
            "Stop!",
            "إيقاف",
            "ايقاف",
            "الغاء الاشتراك",
            "إلغاء الاشتراك",
            "unsubscribe",
            "إيقاف؟",
            "توقف،",
            "قِفْ!",
            "«إيقاف»",
            "STOP 🛑",
            "stop…",
            "\u{200f}إيقاف",
            "إيقـــاف",
            "إِيقَاف",
            "ＳＴＯＰ",
            "stop\nall",
            // As a Persian and as an Arabic keyboard write it.
            "ڕاگرتن",
            "ڕایبگرە!",
            "ڕايبگره",
            "نامە  مەنێرە.",
        ] {
            assert!(is_stop_word(stop), "{stop}");
        }
        for other in [
            "",
            " ",
            "stop by the shop",
            "متى توقفون؟",
            "don't stop",
            "🛑",
            "إيقاف الطلب رقم 5",
            "STOPPED",
            "بوەستە",
        ] {
            assert!(!is_stop_word(other), "{other}");
        }
    }
}
