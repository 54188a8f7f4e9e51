//! Texts that tell customers of a hand-over.

use time::{Duration, OffsetDateTime};

use crate::{
    attachments::AttachmentKind, automations::OpeningHours, consent::told_day_and_time, language::Language,
};

/// Longest such text, in characters: it fits into one message of each network, in Arabic, too.
pub const LONGEST_SENTENCE: usize = 400;
/// Longest time, in minutes, after which customers who write on are told that they are not forgotten.
pub const MOST_MINUTES: u16 = 24 * 60;
/// That time unless the owner sets another.
const MINUTES: u16 = 10;
/// Placeholder in a text for when somebody will be there.
pub const WHEN: &str = "{when}";

/// An owner's texts for a hand-over; the service's own stands in for one that is absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandOverTexts {
    pub arabic: Option<String>,
    pub english: Option<String>,
    /// For customers who write outside of opening hours; [`WHEN`] in it becomes the time at which these
    /// begin.
    pub arabic_when_closed: Option<String>,
    pub english_when_closed: Option<String>,
    pub sorani: Option<String>,
    pub sorani_when_closed: Option<String>,
    /// Minutes after the hand-over from which whoever writes on is told once that they are not forgotten.
    pub minutes: u16,
}

impl Default for HandOverTexts {
    fn default() -> Self {
        Self {
            arabic: None,
            english: None,
            arabic_when_closed: None,
            english_when_closed: None,
            sorani: None,
            sorani_when_closed: None,
            minutes: MINUTES,
        }
    }
}

impl HandOverTexts {
    pub(super) fn patience(&self) -> Duration {
        Duration::minutes(self.minutes.into())
    }

    /// Lists every text under its name in the API.
    pub fn named(&self) -> [(&'static str, Option<&str>); 6] {
        [
            ("handOver.ar", self.arabic.as_deref()),
            ("handOver.en", self.english.as_deref()),
            ("handOver.arWhenClosed", self.arabic_when_closed.as_deref()),
            ("handOver.enWhenClosed", self.english_when_closed.as_deref()),
            ("handOver.ckb", self.sorani.as_deref()),
            ("handOver.ckbWhenClosed", self.sorani_when_closed.as_deref()),
        ]
    }

    /// Returns the text for a customer whose conversation is handed over at `now`.
    pub fn text(&self, language: Language, hours: Option<&OpeningHours>, now: OffsetDateTime) -> String {
        let closed = hours.filter(|hours| !hours.are_open(now));
        // Hours that never begin promise nothing.
        let Some(opens_at) = closed.and_then(|hours| hours.open_at(now)) else {
            let own = match language {
                Language::Arabic => &self.arabic,
                Language::English => &self.english,
                Language::Sorani => &self.sorani,
            };
            return own.clone().unwrap_or_else(|| default(language).to_owned());
        };
        let own = match language {
            Language::Arabic => &self.arabic_when_closed,
            Language::English => &self.english_when_closed,
            Language::Sorani => &self.sorani_when_closed,
        };
        let text = own.as_deref().unwrap_or(default_when_closed(language));
        text.replace(WHEN, &told_day_and_time(opens_at, language))
    }
}

/// Returns that a file has arrived which only a person can read.
pub(super) const fn received(kind: AttachmentKind, language: Language) -> &'static str {
    match kind {
        AttachmentKind::Audio => language.pick(
            "وصلتنا رسالتك الصوتية.",
            "We have received your voice message.",
            "نامە دەنگییەکەت گەیشت.",
        ),
        AttachmentKind::Image => {
            language.pick("وصلتنا صورتك.", "We have received your picture.", "وێنەکەت گەیشت.")
        }
        AttachmentKind::Video => {
            language.pick("وصلنا الفيديو.", "We have received your video.", "ڤیدیۆکەت گەیشت.")
        }
        AttachmentKind::Document | AttachmentKind::Sticker | AttachmentKind::File => {
            language.pick("وصلنا ملفك.", "We have received your file.", "فایلەکەت گەیشت.")
        }
    }
}

/// Returns what whoever writes on at `now` is told: when the team is back if it is closed, or else, if they
/// have waited long, that they are not forgotten.
pub(super) fn one_more(
    language: Language,
    hours: Option<&OpeningHours>,
    now: OffsetDateTime,
    has_waited_long: bool,
) -> Option<String> {
    let closed = hours.filter(|hours| !hours.are_open(now));
    if let Some(opens_at) = closed.and_then(|hours| hours.open_at(now)) {
        let when = told_day_and_time(opens_at, language);
        return Some(match language {
            Language::Arabic => format!("وصلتنا رسالتك. نحن خارج أوقات العمل الآن، ونعود: {when}."),
            Language::English => format!("We have your message. We are closed now and back: {when}."),
            Language::Sorani => format!("نامەکەتان گەیشت. ئێستا داخراوین و دەگەڕێینەوە: {when}."),
        });
    }
    has_waited_long.then(|| {
        let said = language.pick(
            "وصلتنا رسالتك، وهي عند زملائنا مع محادثتك. نعتذر عن الانتظار.",
            "We have your message, and our colleagues have it with your chat. Sorry for the wait.",
            "نامەکەتان گەیشت و لەگەڵ گفتوگۆکەتان لای هاوکارانمانە. ببوورن کە چاوەڕێ دەکەن.",
        );
        said.to_owned()
    })
}

const fn default(language: Language) -> &'static str {
    language.pick(
        "حوّلنا محادثتك إلى أحد زملائنا، وسيجيبك هنا.",
        "We have passed your chat to a colleague, who will answer you here.",
        "گفتوگۆکەتانمان دا بە یەکێک لە هاوکارانمان، لێرە وەڵامتان دەداتەوە.",
    )
}

const fn default_when_closed(language: Language) -> &'static str {
    language.pick(
        "حوّلنا محادثتك إلى أحد زملائنا. نحن خارج أوقات العمل الآن، وسيجيبك هنا بعد أن نفتح: {when}.",
        "We have passed your chat to a colleague. We are closed now; you will be answered here once we open: {when}.",
        "گفتوگۆکەتانمان دا بە یەکێک لە هاوکارانمان. ئێستا داخراوین، دوای کردنەوە لێرە وەڵامتان دەداتەوە: {when}.",
    )
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::{HandOverTexts, one_more};
    use crate::{
        automations::OpeningHours,
        language::Language::{Arabic, English, Sorani},
    };

    fn hours() -> OpeningHours {
        let hours =
            r#"{"zone":"Asia/Baghdad","week":{"saturday":[["09:00","17:00"]],"sunday":[["10:30","17:00"]]}}"#;
        serde_json::from_str(hours).unwrap()
    }

    #[test]
    fn who_writes_outside_of_opening_hours_is_told_when_they_begin() {
        let (hours, own) = (hours(), HandOverTexts::default());
        // Half past eight, half past ten and six in the evening of a Saturday in Baghdad.
        for (at, told) in [
            (datetime!(2026-11-28 05:30 UTC), Some("Saturday 2026-11-28, 09:00")),
            (datetime!(2026-11-28 07:30 UTC), None),
            (datetime!(2026-11-28 15:00 UTC), Some("Sunday 2026-11-29, 10:30")),
            (datetime!(2026-11-29 15:00 UTC), Some("Saturday 2026-12-05, 09:00")),
        ] {
            let text = own.text(English, Some(&hours), at);
            assert_eq!(text.contains("closed"), told.is_some(), "{text}");
            assert!(told.is_none_or(|told| text.contains(told)), "{text}");
            assert!(!text.contains("{when}"));
            let arabic = own.text(Arabic, Some(&hours), at);
            assert_eq!(arabic.contains("خارج أوقات العمل"), told.is_some(), "{arabic}");
            let sorani = own.text(Sorani, Some(&hours), at);
            assert_eq!(sorani.contains("داخراوین"), told.is_some(), "{sorani}");
        }
        // Without hours, or with none that begin, nothing is promised.
        let at = datetime!(2026-11-28 05:30 UTC);
        assert!(!own.text(English, None, at).contains("closed"));
        let never = OpeningHours { week: crate::automations::Week::default(), ..hours };
        assert!(!own.text(English, Some(&never), at).contains("closed"));
    }

    #[test]
    fn an_owners_text_is_told_as_it_is_written() {
        let own = HandOverTexts {
            english: Some("Sara will write to you.".to_owned()),
            arabic_when_closed: Some("نفتح {when}".to_owned()),
            sorani_when_closed: Some("دەکەینەوە {when}".to_owned()),
            ..HandOverTexts::default()
        };
        let (open, closed) = (datetime!(2026-11-28 07:30 UTC), datetime!(2026-11-28 15:00 UTC));
        assert_eq!(own.text(English, Some(&hours()), open), "Sara will write to you.");
        assert_eq!(own.text(Arabic, Some(&hours()), closed), "نفتح الأحد \u{2066}2026-11-29\u{2069}، 10:30");
        let told = own.text(Sorani, Some(&hours()), closed);
        assert_eq!(told, "دەکەینەوە یەکشەممە \u{2066}2026-11-29\u{2069}، 10:30");
        assert!(own.text(Arabic, Some(&hours()), open).contains("أحد زملائنا"));
    }

    #[test]
    fn who_writes_on_is_told_when_the_team_is_back_or_after_a_while_that_they_are_not_forgotten() {
        let (open, closed) = (datetime!(2026-11-28 07:30 UTC), datetime!(2026-11-28 15:00 UTC));
        for (hours, at, has_waited_long, told) in [
            (Some(hours()), closed, false, Some("back: Sunday 2026-11-29, 10:30")),
            (Some(hours()), closed, true, Some("back: Sunday 2026-11-29, 10:30")),
            (Some(hours()), open, true, Some("Sorry for the wait")),
            (None, open, true, Some("Sorry for the wait")),
            (Some(hours()), open, false, None),
            (None, closed, false, None),
        ] {
            let said = one_more(English, hours.as_ref(), at, has_waited_long);
            assert_eq!(said.is_some(), told.is_some(), "{said:?}");
            assert!(told.is_none_or(|told| said.is_some_and(|said| said.contains(told))), "{told:?}");
            let arabic = one_more(Arabic, hours.as_ref(), at, has_waited_long);
            assert_eq!(arabic.is_some(), told.is_some());
        }
    }
}
