//! Pages of broadcasts: writing, starting and following them.

use askama::Template;
use domain::{
    broadcasts::{BroadcastState, LeftOutReason, LimitPreview, PeopleState, PersonState, SkipReason},
    contacts::RefusedRow,
    ids::{BroadcastListId, ContactId, MessageId},
    pause_reason::PauseReason,
    templates::HeaderNeed,
};
use serde::Serialize;
use url::form_urlencoded::Serializer;

use crate::{
    frame::Frame,
    moment::Moment,
    refused::Refused,
    words::{BroadcastWords, counted},
};

/// Width of the chart, in its own units.
const CHART: u64 = 1_000;

/// A broadcast in the list.
#[derive(Debug, Clone)]
pub struct BroadcastRow {
    pub id: String,
    pub name: String,
    pub template: String,
    pub state: BroadcastState,
    /// When it begins, or began.
    pub at: Option<Moment>,
}

/// Page of the broadcasts.
#[derive(Template)]
#[template(path = "broadcasts/list.html")]
pub struct BroadcastsPage<'a> {
    pub frame: &'a Frame,
    /// One page of broadcasts, newest first.
    pub broadcasts: Vec<BroadcastRow>,
    /// Path of the next page.
    pub more: Option<String>,
}

/// A choice: posted value, and label.
pub(crate) type Named = (String, String);

/// Stands in place of a list's id for people who were chosen by hand.
pub const CHOSEN: &str = "chosen";

/// Typed values of the first step: the name, the template, and the audience.
#[derive(Debug, Clone, Default)]
pub struct TypedAudience {
    /// Id that a new draft gets, so that a form which is sent again makes no second one; empty for an
    /// existing draft.
    pub draft: String,
    pub name: String,
    pub template: String,
    /// Id of a list; empty for the directory, and [`CHOSEN`] for people chosen by hand.
    pub list: String,
    /// Ids of the people chosen by hand.
    pub contacts: Vec<String>,
    /// Part of a name or number.
    pub search: String,
    /// Tag that everybody must have, whatever their other tags; set by links, as the form has no field for
    /// it.
    pub tag: String,
    /// Tags separated by commas.
    pub tags: String,
    pub channel: String,
    /// How the people came to be known.
    pub source: String,
    pub group: String,
    /// First day of the newest message.
    pub since: String,
    /// First day after those of the newest message.
    pub until: String,
}

/// Page of the first step.
#[derive(Template)]
#[template(path = "broadcasts/audience.html")]
pub struct BroadcastAudiencePage<'a> {
    pub frame: &'a Frame,
    /// Path that the form posts to.
    pub action: String,
    pub typed: TypedAudience,
    /// Names of the templates that may be sent.
    pub templates: Vec<String>,
    pub lists: Vec<Named>,
    pub groups: Vec<Named>,
    pub tags: Vec<String>,
    pub refused: Option<Refused>,
}

/// A variable of the template, and the source of its value.
#[derive(Debug, Clone)]
pub struct PlaceRow {
    pub label: String,
    /// `text`, `name` or `column`.
    pub source: String,
    /// Title of the column.
    pub column: String,
    /// The text, or what stands for a missing value.
    pub text: String,
}

/// Page of the second step.
#[derive(Template)]
#[template(path = "broadcasts/content.html")]
pub struct BroadcastContentPage<'a> {
    pub frame: &'a Frame,
    /// Path that the form posts to.
    pub action: String,
    /// Path of the step before.
    pub back: String,
    /// Text of the template, with its variables.
    pub body: String,
    pub places: Vec<PlaceRow>,
    pub header: Option<HeaderNeed>,
    /// Typed value of the header.
    pub header_value: String,
    /// Buttons that need a value, with what was typed.
    pub buttons: Vec<Named>,
    /// Languages that the template is approved in.
    pub languages: Vec<String>,
    pub language: String,
    /// Languages to try, separated by commas.
    pub tried: String,
    /// Titles of the list's columns; empty where the audience is no list.
    pub columns: Vec<String>,
    /// Column with each person's language.
    pub language_column: String,
    /// Whether all numbers send.
    pub spread: bool,
    /// Time in which nobody is written to: zone, from and to.
    pub quiet: (String, String, String),
    pub refused: Option<Refused>,
}

impl BroadcastContentPage<'_> {
    const fn header_word(&self) -> &'static str {
        let words = &self.frame.words().inbox;
        match self.header {
            Some(HeaderNeed::Text) => words.header_text,
            Some(HeaderNeed::Document) => words.header_document,
            Some(HeaderNeed::Media) => words.header_media,
            Some(HeaderNeed::Location) | None => "",
        }
    }

    const fn needs_place(&self) -> bool {
        matches!(self.header, Some(HeaderNeed::Location))
    }
}

/// Somebody whom a broadcast would go to.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SampleRow {
    /// `None` of somebody on a list who is not known.
    pub contact_id: Option<ContactId>,
    pub phone: String,
    pub name: Option<String>,
    /// Message as they would get it; `None` if they would be left out.
    pub text: Option<String>,
    /// Why they would be left out.
    pub skipped: Option<SkipReason>,
}

impl SampleRow {
    /// Returns the name or number.
    fn who(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.phone)
    }
}

/// Number of people of one reason.
#[derive(Debug, Clone, Serialize)]
pub struct ReasonRow {
    /// Why they were left out, or the network's code for a refusal, at once or afterwards.
    pub reason: String,
    pub people: u64,
}

/// Likely cost of messages.
#[derive(Debug, Clone, Serialize)]
pub struct EstimateRow {
    pub currency: String,
    /// In digits.
    pub amount: String,
    pub people: u64,
    /// Amount and currency, as a page shows them.
    #[serde(skip)]
    pub told: String,
}

/// Preview of whom a broadcast would go to now.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// People of the audience: the first 5,000 and a few are looked at.
    pub people: u64,
    /// Whether these are all.
    pub complete: bool,
    /// Number of all people, where it is known.
    pub total: Option<u64>,
    /// People without a phone number.
    pub without_number: u64,
    /// Those who would be left out, by why.
    pub skipped: Vec<ReasonRow>,
    /// Ten of those with a number.
    pub sample: Vec<SampleRow>,
    /// What speaks against sending it at all, in words.
    pub refusal: Option<String>,
    /// Number of customers who may still become active by the plan; `None` is unlimited.
    pub plan_room: Option<u64>,
    /// Number of people that the network lets the numbers write to; `None` if it sets no limit.
    pub messaging_limit: Option<LimitPreview>,
    /// Likely cost, each message by the category of its template; `None` if a price is not written down.
    pub estimate: Option<EstimateRow>,
}

/// Form that sends one message to a number, before anybody else gets it.
#[derive(Debug, Clone, Default)]
pub struct Trial {
    /// Idempotency key of the next message.
    pub key: String,
    /// Number that was typed, and not taken.
    pub typed: String,
    /// Number that one was just sent to.
    pub sent_to: Option<String>,
}

/// Page of the third step.
#[derive(Template)]
#[template(path = "broadcasts/preview.html")]
pub struct BroadcastPreviewPage<'a> {
    pub frame: &'a Frame,
    pub id: String,
    pub name: String,
    pub preview: Preview,
    /// Whether it can still be changed.
    pub is_draft: bool,
    /// Number of people who would be written to.
    pub written_to: u64,
    /// Number that it is sent from; `None` if none was chosen.
    pub sender: Option<String>,
    /// Whether all connected numbers send it.
    pub spread: bool,
    /// Beginning, end and time zone of the quiet hours.
    pub quiet: Option<(String, String, String)>,
    pub trial: Trial,
    /// Typed time of the start.
    pub at: String,
    /// Time zone that a typed time is read in.
    pub zone: String,
    pub refused: Option<Refused>,
}

impl BroadcastWords {
    /// Returns a number of people in words.
    fn people_of(&self, count: u64) -> String {
        let forms = [self.to_none, self.to_one, self.to_two, self.to_few, self.to_many, self.to_other];
        counted(count, forms)
    }
}

/// Page of the people who would be left out.
#[derive(Template)]
#[template(path = "broadcasts/skipped.html")]
pub struct BroadcastSkippedPage<'a> {
    pub frame: &'a Frame,
    pub id: String,
    pub name: String,
    /// One page of people; empty where none of the thousands looked through is left out.
    pub people: Vec<SampleRow>,
    /// Path of the next page.
    pub more: Option<String>,
}

/// Progress of a broadcast, in people.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Counts {
    /// Still to be written to.
    pub queued: u64,
    /// Accepted by the network.
    pub sent: u64,
    /// Without a known outcome; never sent again.
    pub unconfirmed: u64,
    /// Refused by the network.
    pub failed: u64,
    pub skipped: u64,
    pub delivered: u64,
    pub read: u64,
    /// Could not be delivered.
    pub undelivered: u64,
    pub answered: u64,
    /// Stopped marketing.
    pub stopped: u64,
}

/// A part of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// Class that says what it stands for.
    pub kind: &'static str,
    pub x: u64,
    pub width: u64,
}

impl Counts {
    /// Returns the number of all people.
    pub const fn everybody(&self) -> u64 {
        self.queued
            .saturating_add(self.sent)
            .saturating_add(self.unconfirmed)
            .saturating_add(self.failed)
            .saturating_add(self.skipped)
    }

    /// Returns the chart: everybody as one bar, in parts without gaps. Sent messages are told apart by
    /// whether they were read, delivered, or neither.
    pub fn bars(&self) -> Vec<Bar> {
        let everybody = self.everybody();
        let read = self.read.min(self.sent);
        let delivered = self.delivered.saturating_sub(read).min(self.sent - read);
        let parts = [
            ("read", read),
            ("delivered", delivered),
            ("sent", self.sent - read - delivered),
            ("unconfirmed", self.unconfirmed),
            ("failed", self.failed),
            ("skipped", self.skipped),
            ("queued", self.queued),
        ];
        let at = |people: u64| {
            let place = u128::from(people) * u128::from(CHART) / u128::from(everybody.max(1));
            u64::try_from(place).unwrap_or(CHART)
        };
        let mut before = 0;
        let bars = parts.into_iter().map(|(kind, people)| {
            let (x, end) = (at(before), at(before + people));
            before += people;
            Bar { kind, x, width: end - x }
        });
        bars.filter(|bar| bar.width > 0).collect()
    }
}

/// A number that a broadcast goes on without.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOutRow {
    /// `None` where it is not known.
    pub phone: Option<String>,
    pub reason: LeftOutReason,
    /// The network's code, if the network refused.
    pub code: Option<i64>,
    /// When it was left out.
    pub at: Moment,
}

/// Progress of a broadcast.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Whether the audience has been collected in full. Until then, `queued` grows.
    pub collected: bool,
    /// Until when it waits for the network's limit, at the latest.
    pub limited_until: Option<Moment>,
    /// End of the quiet hours that it waits for.
    pub quiet_until: Option<Moment>,
    #[serde(flatten)]
    pub counts: Counts,
    /// Why people were left out or refused, or messages not delivered; of the latter, the newest 10,000
    /// count.
    pub reasons: Vec<ReasonRow>,
    /// Numbers that it goes on without, the first that was left out first.
    pub left_out: Vec<LeftOutRow>,
}

/// Page of a broadcast's progress.
#[derive(Template)]
#[template(path = "broadcasts/progress.html")]
pub struct BroadcastPage<'a> {
    pub frame: &'a Frame,
    pub row: BroadcastRow,
    /// Why it was paused by the service.
    pub reason: Option<PauseReason>,
    pub ended_at: Option<Moment>,
    pub progress: Progress,
    pub refused: Option<Refused>,
}

impl BroadcastPage<'_> {
    const fn w(&self) -> &'static BroadcastWords {
        &self.frame.words().broadcasts
    }

    /// Returns the lines under the chart: state, which also filters the list of people, and count.
    fn lines(&self) -> [(PeopleState, u64); 10] {
        use PersonState::{Failed, Queued, Sent, Skipped, Unconfirmed};
        let counts = &self.progress.counts;
        [
            (PeopleState::Is(Queued), counts.queued),
            (PeopleState::Is(Sent), counts.sent),
            (PeopleState::Delivered, counts.delivered),
            (PeopleState::Read, counts.read),
            (PeopleState::Undelivered, counts.undelivered),
            (PeopleState::Is(Failed), counts.failed),
            (PeopleState::Is(Unconfirmed), counts.unconfirmed),
            (PeopleState::Is(Skipped), counts.skipped),
            (PeopleState::Answered, counts.answered),
            (PeopleState::Stopped, counts.stopped),
        ]
    }

    const fn may_start(&self) -> bool {
        matches!(self.row.state, BroadcastState::Draft)
    }

    const fn may_get_a_time(&self) -> bool {
        matches!(self.row.state, BroadcastState::Scheduled | BroadcastState::Paused)
    }

    const fn may_pause(&self) -> bool {
        matches!(self.row.state, BroadcastState::Scheduled | BroadcastState::Running)
    }

    const fn may_resume(&self) -> bool {
        matches!(self.row.state, BroadcastState::Paused)
    }

    const fn may_cancel(&self) -> bool {
        matches!(self.row.state, BroadcastState::Scheduled | BroadcastState::Running | BroadcastState::Paused)
    }
}

/// A person of a broadcast.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BroadcastPersonRow {
    /// `None` of somebody on a list who was not known.
    pub contact_id: Option<ContactId>,
    pub phone: String,
    pub name: Option<String>,
    /// The message that they get, also if it was not sent.
    pub message_id: MessageId,
    pub state: PersonState,
    pub reason: Option<String>,
    /// Since when the state holds.
    pub at: Moment,
    pub delivered_at: Option<Moment>,
    pub read_at: Option<Moment>,
    /// When the network reported that it could not be delivered.
    pub undelivered_at: Option<Moment>,
    /// The network's code for why.
    pub network_code: Option<i64>,
    pub answered_at: Option<Moment>,
    pub stopped_at: Option<Moment>,
}

impl BroadcastPersonRow {
    /// Returns the name or number.
    fn who(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.phone)
    }

    /// Summarizes in one word what the person did, or how far their message has come.
    fn summary(&self) -> PeopleState {
        let followed = [
            (self.stopped_at, PeopleState::Stopped),
            (self.answered_at, PeopleState::Answered),
            (self.undelivered_at, PeopleState::Undelivered),
            (self.read_at, PeopleState::Read),
            (self.delivered_at, PeopleState::Delivered),
        ];
        let last = followed.into_iter().find_map(|(at, state)| at.map(|_| state));
        last.unwrap_or(PeopleState::Is(self.state))
    }

    /// Returns why they were left out, or the network's code for a refusal.
    fn why(&self) -> Option<String> {
        self.reason.clone().or_else(|| self.network_code.map(|code| code.to_string()))
    }
}

/// Page of a broadcast's people.
#[derive(Template)]
#[template(path = "broadcasts/people.html")]
pub struct BroadcastPeoplePage<'a> {
    pub frame: &'a Frame,
    pub id: String,
    pub name: String,
    /// State and reason that the list is filtered by.
    pub filter: (String, String),
    /// One page of people.
    pub people: Vec<BroadcastPersonRow>,
    /// Path of the next page.
    pub more: Option<String>,
}

impl BroadcastPeoplePage<'_> {
    /// Returns a path with the filter.
    pub fn at(path: &str, filter: &(String, String), cursor: Option<&str>) -> String {
        let all =
            [("state", filter.0.as_str()), ("reason", &filter.1), ("cursor", cursor.unwrap_or_default())];
        let mut query = Serializer::new(String::new());
        query.extend_pairs(all.into_iter().filter(|(_, value)| !value.is_empty()));
        match query.finish() {
            query if query.is_empty() => path.to_owned(),
            query => format!("{path}?{query}"),
        }
    }

    /// Returns the reasons to choose from, with the chosen one.
    fn reasons(&self) -> Vec<&str> {
        let mut reasons: Vec<&str> = SkipReason::ALL.into_iter().map(SkipReason::as_str).collect();
        if !self.filter.1.is_empty() && !reasons.contains(&self.filter.1.as_str()) {
            reasons.push(&self.filter.1);
        }
        reasons
    }

    fn is_reason(&self, reason: &str) -> bool {
        self.filter.1 == reason
    }

    fn export(&self) -> String {
        Self::at(&format!("/dashboard/api/broadcasts/{}/people/export", self.id), &self.filter, None)
    }
}

/// An uploaded list.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BroadcastListRow {
    pub id: BroadcastListId,
    pub name: String,
    /// Titles of its columns, the number's apart.
    pub columns: Vec<String>,
    pub people: u64,
    /// Whether all of it has arrived. One that broke off goes to nobody.
    pub complete: bool,
    pub created_at: Moment,
}

/// Result of pasted rows of which some were not accepted.
#[derive(Debug, Clone)]
pub struct TakenRows {
    pub name: String,
    /// Rows whose number had come before.
    pub repeated: u64,
    pub refused: u64,
    /// The first refused rows.
    pub rows: Vec<RefusedRow>,
}

impl TakenRows {
    fn has_more(&self) -> bool {
        u64::try_from(self.rows.len()).is_ok_and(|told| told < self.refused)
    }
}

/// Page of lists, and of what messages cost.
#[derive(Template)]
#[template(path = "broadcasts/lists.html")]
pub struct BroadcastListsPage<'a> {
    pub frame: &'a Frame,
    pub lists: Vec<BroadcastListRow>,
    /// Most bytes of a list in a file.
    pub most: usize,
    /// Typed name and rows of a list that was refused.
    pub draft: (String, String),
    /// Result of the list just added, where not all of it was accepted.
    pub taken: Option<TakenRows>,
    /// Currency, and prices of marketing and utility messages.
    pub prices: (String, String, String),
    pub refused: Option<Refused>,
}

#[cfg(test)]
mod tests {
    use super::{Bar, Counts};

    #[test]
    fn the_chart_shows_everybody_once_without_a_gap() {
        let counts =
            Counts { queued: 50, sent: 40, failed: 10, delivered: 30, read: 10, ..Counts::default() };
        let bars = counts.bars();
        let wanted = [
            ("read", 0, 100),
            ("delivered", 100, 200),
            ("sent", 300, 100),
            ("failed", 400, 100),
            ("queued", 500, 500),
        ];
        assert_eq!(bars, wanted.map(|(kind, x, width)| Bar { kind, x, width }));
        for counts in [
            Counts { queued: 3, sent: 7, skipped: 1, delivered: 5, read: 9, ..Counts::default() },
            Counts { sent: u64::MAX / 4, queued: 1, ..Counts::default() },
        ] {
            let bars = counts.bars();
            let end = bars.iter().fold(0, |end, bar| {
                assert_eq!(bar.x, end, "{bars:?}");
                bar.x + bar.width
            });
            assert_eq!(end, 1_000, "{bars:?}");
        }
        assert_eq!(Counts::default().bars(), []);
    }
}
