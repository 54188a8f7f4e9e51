//! The people that a broadcast goes to.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    channels::ChannelKind,
    contacts::{
        ContactProfile, ContactSource, SearchTooLong,
        directory::{AskedDirectory, DirectoryFilter},
    },
    ids::{BroadcastListId, ContactId, GroupId},
    phone::Region,
    tag::Tag,
    text::fold_for_search,
};

/// Most people that can be chosen by hand.
pub const MOST_CHOSEN: usize = 1_000;
/// Most tags in one filter.
pub const MOST_TAGS: usize = 20;

/// The people that a broadcast goes to. Those without a number are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Audience {
    /// People who pass every part that is set, by what is known of them when they are collected.
    Filter(AudienceFilter),
    /// Contacts chosen by hand, 1 to [`MOST_CHOSEN`].
    Chosen(Vec<ContactId>),
    /// Numbers of an uploaded list, whether they belong to known contacts or not.
    List(BroadcastListId),
}

/// Filter of the directory's people; all parts that are set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AudienceFilter {
    /// Part of the name or number.
    pub search: Option<String>,
    pub tag: Option<Tag>,
    /// Tags of which their conversations have at least one.
    #[serde(default)]
    pub tags: Vec<Tag>,
    /// Name of a network over which they have written.
    pub channel: Option<String>,
    /// Name of the [`ContactSource`] by which they came to be known.
    #[serde(default)]
    pub source: Option<String>,
    /// Group that one of their conversations belongs to.
    #[serde(default)]
    pub group: Option<GroupId>,
    /// Earliest time of their newest message, inclusive.
    #[serde(with = "time::serde::rfc3339::option", default)]
    pub active_since: Option<OffsetDateTime>,
    /// Time before which their newest message came.
    #[serde(with = "time::serde::rfc3339::option", default)]
    pub active_until: Option<OffsetDateTime>,
}

impl AudienceFilter {
    /// Returns whether a contact has one of `tags` and the `source`, which the directory does not filter by.
    /// The `group` is checked elsewhere.
    pub(super) fn passes(&self, profile: &ContactProfile) -> bool {
        let has = |tag: &Tag| profile.tags.iter().any(|name| fold_for_search(name) == tag.folded());
        let tagged = self.tags.is_empty() || self.tags.iter().any(has);
        let source = self.source.as_deref().is_none_or(|source| profile.contact.source.as_str() == source);
        tagged && source
    }
}

/// Reason for refusing an audience.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AudienceError {
    #[error(transparent)]
    Search(#[from] SearchTooLong),
    #[error("`audience.filter.channel` is none of whatsapp, messenger and instagram")]
    Channel,
    #[error("`audience.filter.tags` has at most {MOST_TAGS} tags")]
    Tags,
    #[error("`audience.filter.source` is none of messaged and import")]
    Source,
    #[error("`audience.filter.groupId` is no group of this workspace")]
    Group,
    /// Unknown list, or one that has not arrived completely.
    #[error("`audience.listId` is no list of this workspace")]
    List,
    #[error("`audience.contactIds` has 1 to {MOST_CHOSEN} contacts")]
    Chosen,
    /// Number of chosen ids that are no contacts of the workspace.
    #[error("{0} of the ids in `audience.contactIds` are no contacts of this workspace")]
    Nobody(usize),
}

impl Audience {
    /// Returns the filter of the directory, in a workspace of `region`; `None` for a list and for people
    /// chosen by hand.
    pub fn filter(&self, region: Region) -> Result<Option<DirectoryFilter>, AudienceError> {
        match self {
            Self::Filter(filter) => {
                let AudienceFilter {
                    search,
                    tag,
                    tags,
                    channel,
                    source,
                    group: _,
                    active_since,
                    active_until,
                } = filter;
                if tags.len() > MOST_TAGS {
                    return Err(AudienceError::Tags);
                }
                if source.as_deref().is_some_and(|source| ContactSource::read(source).is_none()) {
                    return Err(AudienceError::Source);
                }
                let channel =
                    channel.as_deref().map(|name| ChannelKind::read(name).ok_or(AudienceError::Channel));
                let asked = AskedDirectory {
                    search: search.clone(),
                    tag: tag.clone(),
                    channel: channel.transpose()?,
                    since: *active_since,
                    until: *active_until,
                };
                Ok(Some(asked.read(region)?))
            }
            Self::List(_) => Ok(None),
            Self::Chosen(contacts) if (1..=MOST_CHOSEN).contains(&contacts.len()) => Ok(None),
            Self::Chosen(_) => Err(AudienceError::Chosen),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{Audience, AudienceError, AudienceFilter, MOST_CHOSEN};
    use crate::{
        contacts::{ContactProfile, directory::AskedDirectory},
        tag::Tag,
        testing::{a_contact, a_moment, a_region},
    };

    #[test]
    fn an_audience_reads_back_as_it_was_written() {
        let asked = AskedDirectory {
            search: Some("vip".to_owned()),
            tag: Some(Tag::read("VIP").unwrap()),
            channel: Some(crate::channels::ChannelKind::Whatsapp),
            since: Some(a_moment()),
            until: None,
        };
        let filtered = Audience::Filter(AudienceFilter {
            search: asked.search.clone(),
            tag: asked.tag.clone(),
            channel: asked.channel.map(|channel| channel.as_str().to_owned()),
            active_since: asked.since,
            ..AudienceFilter::default()
        });
        let chosen = Audience::Chosen(vec![Uuid::from_u128(1).into()]);
        let list = Audience::List(Uuid::from_u128(2).into());
        for audience in [filtered.clone(), chosen, list, Audience::Filter(AudienceFilter::default())] {
            let written = serde_json::to_string(&audience).unwrap();
            assert_eq!(serde_json::from_str::<Audience>(&written).unwrap(), audience, "{written}");
        }
        assert_eq!(filtered.filter(a_region()).unwrap(), Some(asked.read(a_region()).unwrap()));
    }

    #[test]
    fn people_are_told_apart_by_tags_and_by_how_they_came_to_be_known() {
        let tags = |names: &[&str]| names.iter().map(|name| Tag::read(name).unwrap()).collect();
        let profile = ContactProfile {
            tags: vec!["VIP".to_owned()],
            ..ContactProfile::without_conversations(a_contact())
        };
        let source = |source: &str| Some(source.to_owned());
        for (filter, passes) in [
            (AudienceFilter::default(), true),
            (AudienceFilter { tags: tags(&["old", "vip"]), ..AudienceFilter::default() }, true),
            (AudienceFilter { tags: tags(&["old"]), ..AudienceFilter::default() }, false),
            (
                AudienceFilter { source: source(a_contact().source.as_str()), ..AudienceFilter::default() },
                true,
            ),
            (AudienceFilter { source: source("nowhere"), ..AudienceFilter::default() }, false),
        ] {
            assert_eq!(filter.passes(&profile), passes, "{filter:?}");
        }
        let strange = AudienceFilter { source: source("nowhere"), ..AudienceFilter::default() };
        assert_eq!(Audience::Filter(strange).filter(a_region()), Err(AudienceError::Source));
        let many = AudienceFilter { tags: vec![Tag::read("a").unwrap(); 21], ..AudienceFilter::default() };
        assert_eq!(Audience::Filter(many).filter(a_region()), Err(AudienceError::Tags));
    }

    #[test]
    fn what_was_written_before_there_were_tags_and_groups_is_still_read() {
        let kept =
            r#"{"filter":{"search":"vip","tag":null,"channel":null,"activeSince":null,"activeUntil":null}}"#;
        let filter = AudienceFilter { search: Some("vip".to_owned()), ..AudienceFilter::default() };
        assert_eq!(serde_json::from_str::<Audience>(kept).unwrap(), Audience::Filter(filter));
        assert!(serde_json::from_str::<Audience>(r#"{"filter":{}}"#).is_ok());
    }

    #[test]
    fn nobody_and_too_many_are_no_audience() {
        let chosen = |count: usize| Audience::Chosen(vec![Uuid::from_u128(1).into(); count]);
        assert_eq!(chosen(0).filter(a_region()), Err(AudienceError::Chosen));
        assert_eq!(chosen(MOST_CHOSEN).filter(a_region()), Ok(None));
        assert_eq!(chosen(MOST_CHOSEN + 1).filter(a_region()), Err(AudienceError::Chosen));
    }
}
