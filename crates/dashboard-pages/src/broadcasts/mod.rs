//! Templates to many people: writing, starting and following them.

use askama::Template;
use domain::{
    broadcasts::{BroadcastState, LeftOutReason, LimitPreview, PauseReason, PeopleState, SkipReason},
    contacts::RefusedRow,
    templates::HeaderNeed,
};
use url::form_urlencoded::Serializer;

use crate::{frame::Frame, moment::Moment, words::BroadcastWords};

/// How wide the chart is, in its own units.
const CHART: u64 = 1_000;

/// A broadcast of the list.
#[derive(Debug, Clone)]
pub struct BroadcastRow {
    /// Its id.
    pub id: String,
    /// What the team calls it.
    pub name: String,
    /// The template.
    pub template: String,
    /// How far it has come.
    pub state: BroadcastState,
    /// When it begins, or began.
    pub at: Option<Moment>,
}

/// The broadcasts.
#[derive(Template)]
#[template(path = "broadcasts/list.html")]
pub struct BroadcastsPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// A page of them, newest first.
    pub broadcasts: Vec<BroadcastRow>,
    /// The page with more.
    pub more: Option<String>,
}

/// Something to choose: what is posted, and what it is called.
pub(crate) type Named = (String, String);

/// What stands for people who were chosen by hand, where a list's id would be.
pub const CHOSEN: &str = "chosen";

/// The first step: the name, the template, and whom it goes to, as it was typed.
#[derive(Debug, Clone, Default)]
pub struct TypedAudience {
    /// The id that a new draft gets, so that a form which is sent again makes no second one; empty for one that is there.
    pub draft: String,
    /// What the team calls it.
    pub name: String,
    /// The template.
    pub template: String,
    /// A list, by its id; empty for the directory, and [`CHOSEN`] for those who were chosen by hand.
    pub list: String,
    /// Who was chosen by hand, by their ids.
    pub contacts: Vec<String>,
    /// A part of a name or number.
    pub search: String,
    /// A tag that everybody has, whichever of the others they have; the form asks for none by itself.
    pub tag: String,
    /// Tags with commas between.
    pub tags: String,
    /// A network.
    pub channel: String,
    /// How they came to be known.
    pub source: String,
    /// A group, by its id.
    pub group: String,
    /// The first day of the newest message.
    pub since: String,
    /// The first day on which it is too late.
    pub until: String,
}

/// The first step.
#[derive(Template)]
#[template(path = "broadcasts/audience.html")]
pub struct BroadcastAudiencePage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// Where the form posts to.
    pub action: String,
    /// What was typed.
    pub typed: TypedAudience,
    /// The templates that may be sent, by name.
    pub templates: Vec<String>,
    /// Lists that were brought along.
    pub lists: Vec<Named>,
    /// The team's groups.
    pub groups: Vec<Named>,
    /// The tags in use.
    pub tags: Vec<String>,
    /// Why it was not taken.
    pub refused: Option<&'a str>,
    /// What is wrong in particular.
    pub detail: Option<String>,
}

/// A place of the template, and where its value comes from.
#[derive(Debug, Clone)]
pub struct PlaceRow {
    /// What it is called.
    pub label: String,
    /// `text`, `name` or `column`.
    pub source: String,
    /// The column.
    pub column: String,
    /// The text, or what stands for a blank.
    pub text: String,
}

/// The second step.
#[derive(Template)]
#[template(path = "broadcasts/content.html")]
pub struct BroadcastContentPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// Where the form posts to.
    pub action: String,
    /// The step before.
    pub back: String,
    /// What the template says, with its places.
    pub body: String,
    /// Its places.
    pub places: Vec<PlaceRow>,
    /// What its header needs.
    pub header: Option<HeaderNeed>,
    /// What was typed for it.
    pub header_value: String,
    /// The buttons that need a value, with what was typed.
    pub buttons: Vec<Named>,
    /// The languages that it is there in.
    pub languages: Vec<String>,
    /// The one that was chosen.
    pub language: String,
    /// Languages to try, with commas between.
    pub tried: String,
    /// The columns of the list; empty where it is none.
    pub columns: Vec<String>,
    /// The column with languages.
    pub language_column: String,
    /// Whether all numbers send.
    pub spread: bool,
    /// When nobody is written to: the zone, from and to.
    pub quiet: (String, String, String),
    /// Why it was not taken.
    pub refused: Option<&'a str>,
    /// What is wrong in particular.
    pub detail: Option<String>,
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

/// Somebody of the sample.
#[derive(Debug, Clone)]
pub struct SampleRow {
    /// Their name or number.
    pub who: String,
    /// What they get.
    pub text: String,
    /// Why they are left out.
    pub left_out: Option<String>,
}

/// The third step.
#[derive(Template)]
#[template(path = "broadcasts/preview.html")]
pub struct BroadcastPreviewPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The broadcast.
    pub id: String,
    /// What the team calls it.
    pub name: String,
    /// People, whether there are no more, and how many have no number.
    pub people: (u64, bool, u64),
    /// Whether everybody was looked at.
    pub complete: bool,
    /// Those who are left out, by why.
    pub left_out: Vec<(String, u64)>,
    /// Some of them.
    pub sample: Vec<SampleRow>,
    /// Whether it can still be changed.
    pub is_draft: bool,
    /// What speaks against sending it.
    pub against: Option<&'a str>,
    /// How many more may become active by the plan.
    pub plan_room: Option<u64>,
    /// How many people the network lets the numbers write to.
    pub limit: Option<LimitPreview>,
    /// What it is likely to cost.
    pub estimate: Option<String>,
    /// When it was to start, as it was typed.
    pub at: String,
    /// Where the clock is that a time is read by.
    pub zone: String,
    /// Why it was not started.
    pub refused: Option<&'a str>,
    /// What is wrong in particular.
    pub detail: Option<String>,
}

/// Those who would be left out.
#[derive(Template)]
#[template(path = "broadcasts/skipped.html")]
pub struct BroadcastSkippedPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The broadcast.
    pub id: String,
    /// What the team calls it.
    pub name: String,
    /// A page of them; without anybody where none of the next thousands is left out.
    pub people: Vec<SampleRow>,
    /// The page with more.
    pub more: Option<String>,
}

/// How far a broadcast is, in people.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Still to be written to.
    pub queued: u64,
    /// Taken by the network.
    pub sent: u64,
    /// Of whom nobody knows.
    pub unconfirmed: u64,
    /// Refused by the network.
    pub failed: u64,
    /// Left out.
    pub skipped: u64,
    /// Came to a phone.
    pub delivered: u64,
    /// Were read.
    pub read: u64,
    /// Could not be delivered.
    pub undelivered: u64,
    /// Answered.
    pub answered: u64,
    /// Stopped marketing.
    pub stopped: u64,
}

/// A part of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// What it stands for, by its class.
    pub kind: &'static str,
    /// Where it begins.
    pub x: u64,
    /// How wide it is.
    pub width: u64,
}

impl Counts {
    /// Everybody.
    pub const fn everybody(&self) -> u64 {
        self.queued
            .saturating_add(self.sent)
            .saturating_add(self.unconfirmed)
            .saturating_add(self.failed)
            .saturating_add(self.skipped)
    }

    /// The chart: everybody as one bar, in parts that follow each other without a gap. Of what was sent, what was read and
    /// what was delivered are told apart.
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
#[derive(Debug, Clone)]
pub struct LeftOutRow {
    /// The number, where it is known.
    pub phone: Option<String>,
    /// Why.
    pub reason: LeftOutReason,
    /// The network's code.
    pub code: Option<String>,
    /// Since when.
    pub at: Moment,
}

/// A broadcast, and how far it is.
#[derive(Template)]
#[template(path = "broadcasts/progress.html")]
pub struct BroadcastPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The broadcast.
    pub row: BroadcastRow,
    /// Why it was paused by itself.
    pub reason: Option<PauseReason>,
    /// When it was over.
    pub ended_at: Option<Moment>,
    /// Until when it waits for the network's limit.
    pub limited_until: Option<Moment>,
    /// Until when it is quiet.
    pub quiet_until: Option<Moment>,
    /// Whether everybody has been collected.
    pub collected: bool,
    /// How far it is.
    pub counts: Counts,
    /// Why people were left out or refused: the wire's reason, and how many.
    pub reasons: Vec<(String, u64)>,
    /// Numbers that it goes on without.
    pub left_out: Vec<LeftOutRow>,
    /// Why something was not done.
    pub refused: Option<&'a str>,
}

impl BroadcastPage<'_> {
    const fn w(&self) -> &'static BroadcastWords {
        &self.frame.words().broadcasts
    }

    /// The lines under the chart: what is counted, how many, and whom the list shows.
    fn lines(&self) -> [(PeopleState, u64); 10] {
        use domain::broadcasts::PersonState::{Failed, Queued, Sent, Skipped, Unconfirmed};
        let counts = &self.counts;
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

/// Somebody of a broadcast.
#[derive(Debug, Clone)]
pub struct BroadcastPersonRow {
    /// Their name or number.
    pub name: String,
    /// Their number.
    pub phone: String,
    /// Who they are, where they are known.
    pub contact: Option<String>,
    /// How far it is with them, or what followed.
    pub state: PeopleState,
    /// Why.
    pub reason: Option<String>,
    /// Since when.
    pub at: Moment,
}

/// A broadcast's people.
#[derive(Template)]
#[template(path = "broadcasts/people.html")]
pub struct BroadcastPeoplePage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The broadcast.
    pub id: String,
    /// What the team calls it.
    pub name: String,
    /// Which are shown: the state and the reason.
    pub filter: (String, String),
    /// A page of them.
    pub people: Vec<BroadcastPersonRow>,
    /// The page with more.
    pub more: Option<String>,
}

impl BroadcastPeoplePage<'_> {
    /// A path with the filter.
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

    /// Reasons to choose from, and the one that was.
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

/// A list that was brought along.
#[derive(Debug, Clone)]
pub struct BroadcastListRow {
    /// Its id.
    pub id: String,
    /// What the team calls it.
    pub name: String,
    /// The titles of its columns.
    pub columns: Vec<String>,
    /// People on it.
    pub people: u64,
    /// Whether all of it has arrived.
    pub complete: bool,
}

/// What became of rows that were pasted, where some are none of a person.
#[derive(Debug, Clone)]
pub struct TakenRows {
    /// What the team calls the list.
    pub name: String,
    /// The numbers of so many came before.
    pub repeated: u64,
    /// How many were refused.
    pub refused: u64,
    /// The first of them.
    pub rows: Vec<RefusedRow>,
}

impl TakenRows {
    fn has_more(&self) -> bool {
        u64::try_from(self.rows.len()).is_ok_and(|told| told < self.refused)
    }
}

/// Lists, and what messages cost.
#[derive(Template)]
#[template(path = "broadcasts/lists.html")]
pub struct BroadcastListsPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The lists.
    pub lists: Vec<BroadcastListRow>,
    /// Most bytes of a list in a file.
    pub most: usize,
    /// A list that was to be added, as it was typed: its name and its rows.
    pub draft: (String, String),
    /// What was just added, where not all of it was taken.
    pub taken: Option<TakenRows>,
    /// The currency, and the prices of marketing and utility messages.
    pub prices: (String, String, String),
    /// Why something was not done.
    pub refused: Option<&'a str>,
    /// What is wrong in particular.
    pub detail: Option<String>,
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
