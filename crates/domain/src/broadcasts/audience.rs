//! Whom a broadcast goes to.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    channels::ChannelKind,
    contacts::{
        ContactProfile, ContactSource, SearchTooLong,
        directory::{AskedDirectory, DirectoryFilter},
    },
    conversations::Tag,
    ids::{BroadcastListId, ContactId, GroupId},
    phone::Region,
    text::fold_for_search,
};

/// At most so many people may be chosen by hand.
pub const MOST_CHOSEN: usize = 1_000;
/// At most so many tags may be looked for at once.
pub const MOST_TAGS: usize = 20;

/// It says whom a broadcast goes to. Whoever has no number is nobody of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Audience {
    /// They are those who pass every part that is set, by what is known of them when they are collected.
    Filter(AudienceFilter),
    /// They were chosen by hand.
    Chosen(Vec<ContactId>),
    /// They are the numbers of a list that was brought along, whether their people are known or not.
    List(BroadcastListId),
}

/// It says which people of the directory are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AudienceFilter {
    /// It finds those whose name or number has this part.
    pub search: Option<String>,
    /// It finds those with a conversation that has this tag.
    pub tag: Option<Tag>,
    /// It finds those with a conversation that has any of these tags.
    #[serde(default)]
    pub tags: Vec<Tag>,
    /// It finds those who have written over this network, by its name.
    pub channel: Option<String>,
    /// It finds those who came to be known so, by its name.
    #[serde(default)]
    pub source: Option<String>,
    /// It finds those with a conversation that is in this group's hands.
    #[serde(default)]
    pub group: Option<GroupId>,
    /// It finds those whose newest message came then or later.
    #[serde(with = "time::serde::rfc3339::option", default)]
    pub active_since: Option<OffsetDateTime>,
    /// It finds those whose newest message came before.
    #[serde(with = "time::serde::rfc3339::option", default)]
    pub active_until: Option<OffsetDateTime>,
}

impl AudienceFilter {
    /// Says whether somebody of the directory passes what the directory does not look for; `group` apart.
    pub(super) fn passes(&self, profile: &ContactProfile) -> bool {
        let has = |tag: &Tag| profile.tags.iter().any(|name| fold_for_search(name) == tag.folded());
        let tagged = self.tags.is_empty() || self.tags.iter().any(has);
        let source = self.source.as_deref().is_none_or(|source| profile.contact.source.as_str() == source);
        tagged && source
    }
}

/// It says why something is no audience.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AudienceError {
    #[error(transparent)]
    Search(#[from] SearchTooLong),
    /// There is no such network.
    #[error("`audience.filter.channel` is none of whatsapp, messenger and instagram")]
    Channel,
    /// There are more tags than anybody looks for.
    #[error("`audience.filter.tags` has at most {MOST_TAGS} tags")]
    Tags,
    /// There is no such source.
    #[error("`audience.filter.source` is none of messaged and import")]
    Source,
    /// There is no such group.
    #[error("`audience.filter.groupId` is no group of this workspace")]
    Group,
    /// There is no such list, or not all of it has arrived.
    #[error("`audience.listId` is no list of this workspace")]
    List,
    /// Nobody was chosen, or too many.
    #[error("`audience.contactIds` has 1 to {MOST_CHOSEN} contacts")]
    Chosen,
    /// So many of those chosen are nobody of the workspace.
    #[error("{0} of the ids in `audience.contactIds` are no contacts of this workspace")]
    Nobody(usize),
}

impl Audience {
    /// Returns the filter of the directory, in a workspace of `region`; `None` where people were chosen by
    /// hand.
    ///
    /// # Errors
    /// [`AudienceError`].
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
        conversations::Tag,
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
