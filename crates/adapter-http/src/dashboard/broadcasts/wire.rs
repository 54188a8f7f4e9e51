//! Broadcasts on the wire.

use std::collections::BTreeMap;

use domain::{
    automations::QuietHours,
    broadcasts::{
        Audience, AudienceFilter, Broadcast, BroadcastContent, BroadcastPreview, BroadcastProgress, Estimate,
        LeftOutNumber, LimitPreview, PersonState, SampledPerson, VariableSource, WrittenBroadcast, amount,
        ports::ListedPerson,
    },
    channels::ChannelKind,
    contacts::ContactName,
    ids::{BroadcastId, BroadcastListId, ContactId, GroupId, MemberId, MessageId},
    since::read_since,
    tag::{InvalidTag, Tag},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{problem::Problem, query::MOMENT};

/// Where the value of a variable comes from: a text for everybody, or each person's name.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct VariableBody {
    /// One value for everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The person's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contact_name: Option<ContactNameBody>,
    /// What a column of the audience's list says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    column: Option<ColumnBody>,
}

/// A column of the audience's list.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ColumnBody {
    title: String,
    /// What stands for a blank. Without such a word, whoever has one is left out.
    #[serde(default)]
    otherwise: Option<String>,
}

/// When nobody is written to: each day from the first time to the second, by a clock in the zone.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuietBody {
    zone: String,
    /// Two times of day; hours that end before they begin go on into the next day.
    hours: Vec<String>,
}

/// The person's name.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ContactNameBody {
    /// What stands for a name that is not known. Without such a word, whoever has none is left out.
    #[serde(default)]
    otherwise: Option<String>,
}

/// What stands above the text.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HeaderBody {
    /// For a text header.
    #[serde(default)]
    text: Option<String>,
    /// For an image, video or document: an `https` address that the network can fetch.
    #[serde(default)]
    link: Option<String>,
}

/// People, by what is known of them: those who pass every part that is set. Nothing set is everybody.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FilterBody {
    /// Those whose name or number has this part.
    #[serde(default)]
    search: Option<String>,
    /// Those with a conversation that has this tag, in any spelling.
    #[serde(default)]
    tag: Option<String>,
    /// Those with a conversation that has any of these tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Those who came to be known so: `messaged` or `import`.
    #[serde(default)]
    source: Option<String>,
    /// Those with a conversation that is in this group's hands. `group` is taken as well.
    #[serde(default, alias = "group")]
    group_id: Option<GroupId>,
    /// Those who have written over this network.
    #[serde(default)]
    channel: Option<String>,
    /// Those whose newest message, theirs or the team's, came at this time or later.
    #[serde(default)]
    active_since: Option<String>,
    /// Those whose newest message came before; nobody who has none.
    #[serde(default)]
    active_until: Option<String>,
}

/// Whom it goes to: one of `filter`, `contactIds` and `listId`. Whoever has no number is nobody of it.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AudienceBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    filter: Option<FilterBody>,
    /// Contacts that were chosen by hand. `contacts` is taken as well.
    #[serde(default, alias = "contacts", skip_serializing_if = "Option::is_none")]
    contact_ids: Option<Vec<ContactId>>,
    /// The numbers of a list that was brought along. `list` is taken as well.
    #[serde(default, alias = "list", skip_serializing_if = "Option::is_none")]
    list_id: Option<BroadcastListId>,
}

/// What is sent, and to whom.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WrittenBody {
    name: String,
    /// The approved template's name.
    template: String,
    /// Its language; without, that of the workspace, or the first.
    #[serde(default)]
    language: Option<String>,
    /// The number that sends, in any spelling, or its id at the network; without, the first that can.
    #[serde(default)]
    from: Option<String>,
    /// By label, where each value of the text comes from, up to 200. All texts of a broadcast have 32,768
    /// characters together at most.
    #[serde(default)]
    variables: BTreeMap<String, VariableBody>,
    #[serde(default)]
    header: Option<HeaderBody>,
    /// Values for the URL buttons that need one, in order.
    #[serde(default)]
    button_variables: Vec<String>,
    /// The column of the audience's list that says each person's language.
    #[serde(default)]
    language_column: Option<String>,
    /// Languages that are tried in this order, each if a template in it may be sent, for whoever's own is not
    /// known or has none; then `language`.
    #[serde(default)]
    languages: Vec<String>,
    /// Whether all connected numbers that can send it do, each to some. Not together with `from`.
    #[serde(default)]
    spread: bool,
    #[serde(default)]
    quiet: Option<QuietBody>,
    audience: AudienceBody,
}

fn source(label: &str, body: VariableBody) -> Result<VariableSource, Problem> {
    match (body.text, body.contact_name, body.column) {
        (Some(text), None, None) => Ok(VariableSource::Text(text)),
        (None, Some(name), None) => Ok(VariableSource::ContactName { otherwise: name.otherwise }),
        (None, None, Some(ColumnBody { title, otherwise })) => {
            Ok(VariableSource::Column { column: title, otherwise })
        }
        _ => Err(Problem::invalid(format!(
            "`variables.{label}` has one of `text`, `contactName` and `column`"
        ))),
    }
}

fn quiet(body: &QuietBody) -> Result<QuietHours, Problem> {
    let read = serde_json::from_value(serde_json::json!({ "zone": body.zone, "hours": body.hours }));
    read.map_err(|error| Problem::invalid(format!("`quiet`: {error}")))
}

fn tag(field: &str, written: &str) -> Result<Tag, Problem> {
    Tag::read(written).map_err(|_| Problem::invalid(format!("`audience.filter.{field}`: {InvalidTag}")))
}

fn moment(field: &str, written: Option<String>) -> Result<Option<OffsetDateTime>, Problem> {
    let read = |text: String| {
        read_since(&text).ok_or_else(|| Problem::invalid(format!("`audience.filter.{field}` {MOMENT}")))
    };
    written.map(read).transpose()
}

fn audience(body: AudienceBody) -> Result<Audience, Problem> {
    match (body.filter, body.contact_ids, body.list_id) {
        (None, Some(contacts), None) => Ok(Audience::Chosen(contacts)),
        (None, None, Some(list)) => Ok(Audience::List(list)),
        (Some(filter), None, None) => {
            let only = filter.tag.map(|written| tag("tag", &written)).transpose()?;
            let tags: Result<Vec<Tag>, Problem> =
                filter.tags.iter().map(|written| tag("tags", written)).collect();
            let channel = filter.channel.map(|name| {
                let none = "`audience.filter.channel` is none of whatsapp, messenger and instagram";
                ChannelKind::read(&name).ok_or_else(|| Problem::invalid(none.to_owned()))
            });
            Ok(Audience::Filter(AudienceFilter {
                search: filter.search,
                tag: only,
                tags: tags?,
                channel: channel.transpose()?.map(|channel| channel.as_str().to_owned()),
                source: filter.source,
                group: filter.group_id,
                active_since: moment("activeSince", filter.active_since)?,
                active_until: moment("activeUntil", filter.active_until)?,
            }))
        }
        _ => Err(Problem::invalid("`audience` has one of `filter`, `contactIds` and `listId`".to_owned())),
    }
}

impl WrittenBody {
    /// Converts the form for the use case.
    ///
    /// # Errors
    /// Names the first field that is not valid.
    pub(crate) fn read(self) -> Result<WrittenBroadcast, Problem> {
        let variables: Result<_, Problem> = self
            .variables
            .into_iter()
            .map(|(label, body)| Ok((label.clone(), source(&label, body)?)))
            .collect();
        let header = self.header.unwrap_or_default();
        let content = BroadcastContent {
            template: self.template,
            language: self.language,
            from: self.from,
            variables: variables?,
            header_text: header.text,
            header_link: header.link,
            button_variables: self.button_variables,
            language_column: self.language_column,
            languages: self.languages,
            spread: self.spread,
            quiet: self.quiet.as_ref().map(quiet).transpose()?,
        };
        Ok(WrittenBroadcast { name: self.name, content, audience: audience(self.audience)? })
    }
}

fn variable(source: VariableSource) -> VariableBody {
    match source {
        VariableSource::Text(text) => VariableBody { text: Some(text), ..VariableBody::default() },
        VariableSource::ContactName { otherwise } => {
            VariableBody { contact_name: Some(ContactNameBody { otherwise }), ..VariableBody::default() }
        }
        VariableSource::Column { column, otherwise } => {
            VariableBody { column: Some(ColumnBody { title: column, otherwise }), ..VariableBody::default() }
        }
    }
}

impl From<Audience> for AudienceBody {
    fn from(audience: Audience) -> Self {
        let moment = |at: Option<OffsetDateTime>| at.map(domain::clock::rfc3339_ms);
        match audience {
            Audience::Chosen(contacts) => Self { contact_ids: Some(contacts), ..Self::default() },
            Audience::List(list) => Self { list_id: Some(list), ..Self::default() },
            Audience::Filter(filter) => Self {
                filter: Some(FilterBody {
                    search: filter.search,
                    tag: filter.tag.map(String::from),
                    tags: filter.tags.into_iter().map(String::from).collect(),
                    channel: filter.channel,
                    source: filter.source,
                    group_id: filter.group,
                    active_since: moment(filter.active_since),
                    active_until: moment(filter.active_until),
                }),
                ..Self::default()
            },
        }
    }
}

impl From<QuietHours> for QuietBody {
    fn from(quiet: QuietHours) -> Self {
        let (from, to) = quiet.hours.told();
        Self { zone: quiet.zone.name().to_owned(), hours: vec![from, to] }
    }
}

/// A broadcast.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BroadcastBody {
    /// Its id; `reference` of each of its messages.
    id: BroadcastId,
    /// `draft`, `scheduled`, `running`, `paused`, `finished` or `cancelled`.
    state: &'static str,
    /// Why it was paused by itself: `plan_limit_reached`, `subscription_paused`, `template_unusable`,
    /// `no_number`, `account_barred`, `network_refused` or `audience_gone`; null where a person did it.
    reason: Option<&'static str>,
    name: String,
    template: String,
    language: Option<String>,
    from: Option<String>,
    variables: BTreeMap<String, VariableBody>,
    header: Option<HeaderBody>,
    button_variables: Vec<String>,
    language_column: Option<String>,
    languages: Vec<String>,
    spread: bool,
    quiet: Option<QuietBody>,
    audience: AudienceBody,
    /// Who wrote it, and in whose name it goes.
    author_id: MemberId,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
    /// When it is to begin, or began.
    #[serde(with = "domain::clock::timestamp::option")]
    starts_at: Option<OffsetDateTime>,
    #[serde(with = "domain::clock::timestamp::option")]
    ended_at: Option<OffsetDateTime>,
}

impl From<Broadcast> for BroadcastBody {
    fn from(broadcast: Broadcast) -> Self {
        let content = broadcast.content;
        let header = HeaderBody { text: content.header_text, link: content.header_link };
        let variables = content.variables.into_iter().map(|(label, source)| (label, variable(source)));
        Self {
            id: broadcast.id,
            state: broadcast.state.as_str(),
            reason: broadcast.reason.map(domain::pause_reason::PauseReason::as_str),
            name: broadcast.name,
            template: content.template,
            language: content.language,
            from: content.from,
            variables: variables.collect(),
            header: (header.text.is_some() || header.link.is_some()).then_some(header),
            button_variables: content.button_variables,
            language_column: content.language_column,
            languages: content.languages,
            spread: content.spread,
            quiet: content.quiet.map(QuietBody::from),
            audience: broadcast.audience.into(),
            author_id: broadcast.author,
            created_at: broadcast.created_at,
            starts_at: broadcast.starts_at,
            ended_at: broadcast.ended_at,
        }
    }
}

/// People by why.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReasonBody {
    /// Of who was left out: `marketing_stopped`, `no_name`, `no_value` or `value`; of a refusal, at once or
    /// afterwards: the network's code.
    reason: String,
    people: u64,
}

/// A number that a broadcast goes on without.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LeftOutBody {
    /// The number; null where it is not known any more.
    phone: Option<String>,
    /// Why: `disconnected`, `account_barred` or `network_refused`.
    reason: &'static str,
    /// The network's code, where the network refused.
    code: Option<i64>,
    #[serde(with = "domain::clock::timestamp")]
    at: OffsetDateTime,
}

impl From<&LeftOutNumber> for LeftOutBody {
    fn from(number: &LeftOutNumber) -> Self {
        Self {
            phone: number.phone.as_ref().map(|phone| phone.as_str().to_owned()),
            reason: number.reason.as_str(),
            code: number.code,
            at: number.at,
        }
    }
}

/// How far a broadcast is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProgressBody {
    /// Whether everybody of its audience was collected. Until then `queued` grows.
    collected: bool,
    /// While it runs: until when it waits, since its numbers have written to as many people as the network
    /// lets them begin to write to within 24 hours. It goes on by itself, earlier where the network raises
    /// the limit; else null.
    #[serde(with = "domain::clock::timestamp::option")]
    limited_until: Option<OffsetDateTime>,
    /// While it runs: until when it writes to nobody, since its quiet hours are now; else null.
    #[serde(with = "domain::clock::timestamp::option")]
    quiet_until: Option<OffsetDateTime>,
    /// People who are still to be written to.
    queued: u64,
    /// Messages that the network took.
    sent: u64,
    /// Messages of which nobody knows whether the network has them. They are not sent again.
    unconfirmed: u64,
    /// Messages that the network refused.
    failed: u64,
    /// People who were left out.
    skipped: u64,
    /// Messages that came to a phone.
    delivered: u64,
    /// Those of them that were read.
    read: u64,
    /// Messages that the network took and could not deliver.
    undelivered: u64,
    /// People who have written since.
    answered: u64,
    /// People who have stopped marketing since.
    stopped: u64,
    /// Why people were left out or refused, or their messages could not be delivered: of the latter, the
    /// newest 10,000 count.
    reasons: Vec<ReasonBody>,
    /// Numbers that it goes on without, where all numbers send it, the first that was left out first. Whoever
    /// sets it going again has it try all once more.
    left_out: Vec<LeftOutBody>,
}

impl ProgressBody {
    fn of(progress: &BroadcastProgress, broadcast: &Broadcast, now: OffsetDateTime) -> Self {
        let reasons = progress.reasons().into_iter().map(|(reason, people)| ReasonBody { reason, people });
        Self {
            collected: broadcast.collected,
            limited_until: broadcast.limited_until,
            quiet_until: broadcast.quiet_until(now),
            queued: progress.count(PersonState::Queued),
            sent: progress.count(PersonState::Sent),
            unconfirmed: progress.count(PersonState::Unconfirmed),
            failed: progress.count(PersonState::Failed),
            skipped: progress.count(PersonState::Skipped),
            delivered: progress.delivered,
            read: progress.read,
            undelivered: progress.undelivered,
            answered: progress.answered,
            stopped: progress.stopped,
            reasons: reasons.collect(),
            left_out: progress.left_out.iter().map(LeftOutBody::from).collect(),
        }
    }
}

/// A broadcast, and how far it is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FollowedBody {
    broadcast: BroadcastBody,
    progress: ProgressBody,
}

impl FollowedBody {
    /// Builds the body, with the progress as of `now`.
    pub(crate) fn at(now: OffsetDateTime, (broadcast, progress): (Broadcast, BroadcastProgress)) -> Self {
        let progress = ProgressBody::of(&progress, &broadcast, now);
        Self { broadcast: broadcast.into(), progress }
    }
}

/// Somebody whom a broadcast would go to.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SampledBody {
    /// Null of somebody on a list who is not known.
    contact_id: Option<ContactId>,
    phone: String,
    name: Option<String>,
    /// What they would get; null where they would be left out.
    text: Option<String>,
    /// Why they would be left out: `marketing_stopped`, `no_name`, `no_value` or `value`.
    skipped: Option<&'static str>,
}

impl From<SampledPerson> for SampledBody {
    fn from(person: SampledPerson) -> Self {
        let (text, skipped) = match person.text {
            Ok(text) => (Some(text), None),
            Err(reason) => (None, Some(reason.as_str())),
        };
        Self {
            contact_id: person.contact,
            phone: person.phone.as_str().to_owned(),
            name: person.name.as_ref().map(ContactName::as_str).map(str::to_owned),
            text,
            skipped,
        }
    }
}

/// Whom a broadcast would go to now.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreviewBody {
    /// People of the audience: the first 5,000 and a few are looked at.
    people: u64,
    /// Whether these are all; otherwise there are more.
    complete: bool,
    /// How many people it has altogether, where that is known: where these are all, and of a list; else null.
    total: Option<u64>,
    /// Those without a number.
    without_number: u64,
    /// Those who would be left out, by why.
    skipped: Vec<ReasonBody>,
    /// Ten of those with a number.
    sample: Vec<SampledBody>,
    /// What speaks against sending it at all, in words; null where nothing does.
    refusal: Option<String>,
    /// How many more customers may become active this month by the plan; null is unlimited. Whoever is active
    /// already takes no more room. Where it is used up, the broadcast pauses with `plan_limit_reached`, and
    /// whoever was not written to is written to once it is resumed.
    plan_room: Option<u64>,
    /// How many people the network lets the numbers write to; null where it sets them no limit.
    messaging_limit: Option<MessagingLimitBody>,
    /// What the messages of those who were looked at are likely to cost, each by the category of the template
    /// that they get; null where a price is not written down.
    estimate: Option<EstimateBody>,
}

/// How many people the network lets numbers begin to write to.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessagingLimitBody {
    /// Most new people within 24 hours, over all accounts that send it.
    people: u64,
    /// How many of them are left now. At none the broadcast waits by itself until some are left again.
    left: u64,
    /// About how many days it takes to write to everybody of the audience, as far as it is known.
    days: u64,
}

impl From<LimitPreview> for MessagingLimitBody {
    fn from(LimitPreview { people, left, days }: LimitPreview) -> Self {
        Self { people, left, days }
    }
}

/// What messages are likely to cost.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EstimateBody {
    currency: String,
    /// In digits.
    amount: String,
    /// The people of it.
    people: u64,
}

impl From<Estimate> for EstimateBody {
    fn from(estimate: Estimate) -> Self {
        Self { amount: amount(estimate.micros), currency: estimate.currency, people: estimate.people }
    }
}

impl From<BroadcastPreview> for PreviewBody {
    fn from(preview: BroadcastPreview) -> Self {
        let skipped = preview.skipped.into_iter().filter(|(_, people)| *people > 0);
        Self {
            people: preview.people,
            complete: preview.complete,
            total: preview.total,
            without_number: preview.without_number,
            skipped: skipped
                .map(|(reason, people)| ReasonBody { reason: reason.as_str().to_owned(), people })
                .collect(),
            sample: preview.sample.into_iter().map(SampledBody::from).collect(),
            refusal: preview.refusal.map(|refusal| refusal.to_string()),
            plan_room: preview.plan_room,
            messaging_limit: preview.limit.map(MessagingLimitBody::from),
            estimate: preview.estimate.map(EstimateBody::from),
        }
    }
}

/// A person of a broadcast.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PersonBody {
    /// Null of somebody on a list who was not known.
    contact_id: Option<ContactId>,
    phone: String,
    name: Option<String>,
    /// The message that they get, also where it was not sent.
    message_id: MessageId,
    /// `queued`, `sent`, `unconfirmed`, `failed` or `skipped`.
    state: &'static str,
    reason: Option<String>,
    #[serde(with = "domain::clock::timestamp")]
    at: OffsetDateTime,
    /// When their message came to a phone; null where it has not, like those that follow.
    #[serde(with = "domain::clock::timestamp::option")]
    delivered_at: Option<OffsetDateTime>,
    #[serde(with = "domain::clock::timestamp::option")]
    read_at: Option<OffsetDateTime>,
    /// When the network told that it could not be delivered.
    #[serde(with = "domain::clock::timestamp::option")]
    undelivered_at: Option<OffsetDateTime>,
    /// The network's code for why.
    network_code: Option<i64>,
    #[serde(with = "domain::clock::timestamp::option")]
    answered_at: Option<OffsetDateTime>,
    #[serde(with = "domain::clock::timestamp::option")]
    stopped_at: Option<OffsetDateTime>,
}

impl From<ListedPerson> for PersonBody {
    fn from(listed: ListedPerson) -> Self {
        let ListedPerson { person, state, reason, at, followed } = listed;
        Self {
            contact_id: person.contact,
            phone: person.phone.as_str().to_owned(),
            name: person.name.as_ref().map(ContactName::as_str).map(str::to_owned),
            message_id: person.message,
            state: state.as_str(),
            reason,
            at,
            delivered_at: followed.delivered_at,
            read_at: followed.read_at,
            undelivered_at: followed.undelivered_at,
            network_code: followed.code,
            answered_at: followed.answered_at,
            stopped_at: followed.stopped_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::AudienceBody;

    #[test]
    fn an_audience_is_read_under_its_first_names_and_told_under_those_that_all_have() {
        let id = "0192f0c1-7a00-7000-8000-000000000001";
        for (first, name, at) in [
            (json!({ "contacts": [id] }), json!({ "contactIds": [id] }), "/contactIds/0"),
            (json!({ "list": id }), json!({ "listId": id }), "/listId"),
            (json!({ "filter": { "group": id } }), json!({ "filter": { "groupId": id } }), "/filter/groupId"),
        ] {
            let old: AudienceBody = from_value(first).unwrap();
            let new: AudienceBody = from_value(name).unwrap();
            let told = json!(old);
            assert_eq!((told.pointer(at), &told), (Some(&json!(id)), &json!(new)));
        }
        assert!(from_value::<AudienceBody>(json!({ "list": id, "listId": id })).is_err());
    }
}
