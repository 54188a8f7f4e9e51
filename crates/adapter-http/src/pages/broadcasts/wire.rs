//! Broadcasts on the wire.

use std::collections::BTreeMap;

use domain::{
    automations::QuietHours,
    broadcasts::{Audience, AudienceFilter, Broadcast, BroadcastContent, VariableSource, WrittenBroadcast},
    channels::ChannelKind,
    clock::rfc3339_ms,
    ids::{BroadcastId, BroadcastListId, ContactId, GroupId, MemberId},
    pause_reason::PauseReason,
    since::read_since,
    tag::{InvalidTag, Tag},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{problem::Problem, query::MOMENT};

/// Where the value of a variable comes from.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum VariableBody {
    /// One value for everybody.
    Text(String),
    /// The person's name, or what stands for one that is not known. Without such a word, whoever has none is
    /// left out.
    ContactName {
        #[serde(default)]
        otherwise: Option<String>,
    },
    /// What a column of the audience's list says, or what stands for a blank, as with a name.
    Column {
        title: String,
        #[serde(default)]
        otherwise: Option<String>,
    },
}

/// What stands above the text.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HeaderBody {
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
struct FilterBody {
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
struct AudienceBody {
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
pub(super) struct WrittenBody {
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
    quiet: Option<QuietHours>,
    audience: AudienceBody,
}

impl From<VariableBody> for VariableSource {
    fn from(body: VariableBody) -> Self {
        match body {
            VariableBody::Text(text) => Self::Text(text),
            VariableBody::ContactName { otherwise } => Self::ContactName { otherwise },
            VariableBody::Column { title, otherwise } => Self::Column { column: title, otherwise },
        }
    }
}

impl From<VariableSource> for VariableBody {
    fn from(source: VariableSource) -> Self {
        match source {
            VariableSource::Text(text) => Self::Text(text),
            VariableSource::ContactName { otherwise } => Self::ContactName { otherwise },
            VariableSource::Column { column, otherwise } => Self::Column { title: column, otherwise },
        }
    }
}

/// Converts the source of each variable.
fn sources<A, B: From<A>>(variables: BTreeMap<String, A>) -> BTreeMap<String, B> {
    variables.into_iter().map(|(label, source)| (label, source.into())).collect()
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
    pub(super) fn read(self) -> Result<WrittenBroadcast, Problem> {
        let header = self.header.unwrap_or_default();
        let content = BroadcastContent {
            template: self.template,
            language: self.language,
            from: self.from,
            variables: sources(self.variables),
            header_text: header.text,
            header_link: header.link,
            button_variables: self.button_variables,
            language_column: self.language_column,
            languages: self.languages,
            spread: self.spread,
            quiet: self.quiet,
        };
        Ok(WrittenBroadcast { name: self.name, content, audience: audience(self.audience)? })
    }
}

impl From<Audience> for AudienceBody {
    fn from(audience: Audience) -> Self {
        let moment = |at: Option<OffsetDateTime>| at.map(rfc3339_ms);
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

/// A broadcast.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BroadcastBody {
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
    quiet: Option<QuietHours>,
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
        Self {
            id: broadcast.id,
            state: broadcast.state.as_str(),
            reason: broadcast.reason.map(PauseReason::as_str),
            name: broadcast.name,
            template: content.template,
            language: content.language,
            from: content.from,
            variables: sources(content.variables),
            header: (header.text.is_some() || header.link.is_some()).then_some(header),
            button_variables: content.button_variables,
            language_column: content.language_column,
            languages: content.languages,
            spread: content.spread,
            quiet: content.quiet,
            audience: broadcast.audience.into(),
            author_id: broadcast.author,
            created_at: broadcast.created_at,
            starts_at: broadcast.starts_at,
            ended_at: broadcast.ended_at,
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
