//! Filter of the directory.

use std::fmt::Display;

use time::OffsetDateTime;

use super::super::search::Search;
use crate::{channels::ChannelKind, tag::Tag};

/// Filter of the directory: people who pass every part that is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectoryFilter {
    pub search: Option<Search>,
    pub tag: Option<Tag>,
    pub channel: Option<ChannelKind>,
    pub since: Option<OffsetDateTime>,
    /// Latest time of their newest message, exclusive. Excludes people without any message.
    pub until: Option<OffsetDateTime>,
}

impl DirectoryFilter {
    /// Returns whether everybody passes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Lists the names of the parts that are set.
    pub fn parts(&self) -> Vec<&'static str> {
        let parts = [
            ("search", self.search.is_some()),
            ("tag", self.tag.is_some()),
            ("channel", self.channel.is_some()),
            ("activeSince", self.since.is_some()),
            ("activeUntil", self.until.is_some()),
        ];
        parts.into_iter().filter_map(|(name, is_set)| is_set.then_some(name)).collect()
    }

    /// Returns the name under which cursors of the filtered list are signed, the same for every spelling of
    /// the filter.
    pub(super) fn list(&self) -> String {
        fn part(value: Option<impl Display>) -> String {
            value.map(|value| value.to_string()).unwrap_or_default()
        }
        let moment = |at: Option<OffsetDateTime>| part(at.map(OffsetDateTime::unix_timestamp_nanos));
        let (since, until) = (moment(self.since), moment(self.until));
        let channel = part(self.channel.map(ChannelKind::as_str));
        let tag = part(self.tag.as_ref().map(Tag::folded));
        let searched = self.search.as_ref().map(Search::parts).unwrap_or_default();
        format!("directory/{channel}/{since}/{until}/{tag}\n{}", searched.join("\n"))
    }
}
