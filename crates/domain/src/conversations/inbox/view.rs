//! Filters of the inbox.

use std::fmt::Display;

use crate::{
    channels::ChannelKind,
    contacts::Search,
    conversation::ConversationStatus,
    ids::{GroupId, MemberId},
    tag::Tag,
};

/// A list of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    Mine(MemberId),
    /// Open conversations that nobody holds.
    Unassigned,
    Group(GroupId),
    All,
}

impl View {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mine(_) => "mine",
            Self::Unassigned => "unassigned",
            Self::Group(_) => "group",
            Self::All => "all",
        }
    }
}

/// Order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InboxOrder {
    /// By the newest message, the latest first.
    #[default]
    Newest,
    /// By the waiting time, the longest first; only conversations whose customer waits for an answer.
    Waiting,
}

impl InboxOrder {
    pub const ALL: [Self; 2] = [Self::Newest, Self::Waiting];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Waiting => "waiting",
        }
    }

    /// Parses a name; `None` if it is unknown.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.as_str() == name)
    }
}

/// Filter of conversations: those of the view that pass every part that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxFilter {
    pub view: View,
    pub status: Option<ConversationStatus>,
    pub channel: Option<ChannelKind>,
    pub tag: Option<Tag>,
    pub search: Option<Search>,
    pub order: InboxOrder,
}

impl InboxFilter {
    /// Returns a filter that passes the whole view.
    pub const fn of(view: View) -> Self {
        Self { view, status: None, channel: None, tag: None, search: None, order: InboxOrder::Newest }
    }

    /// Returns whether each conversation has to be looked at to know whether it passes.
    pub const fn is_narrow(&self) -> bool {
        self.tag.is_some() || self.search.is_some() || matches!(self.order, InboxOrder::Waiting)
    }

    /// Returns the name under which cursors of the list are signed: the same for every spelling of the
    /// filter.
    pub(super) fn list(&self) -> String {
        fn part(value: Option<impl Display>) -> String {
            value.map(|value| value.to_string()).unwrap_or_default()
        }
        let of = match self.view {
            View::Mine(member) => member.to_string(),
            View::Group(group) => group.to_string(),
            View::Unassigned | View::All => String::new(),
        };
        let (status, channel) =
            (self.status.map(ConversationStatus::as_str), self.channel.map(ChannelKind::as_str));
        let tag = self.tag.as_ref().map(Tag::folded);
        let parts = self.search.as_ref().map(Search::parts).unwrap_or_default();
        let view = self.view.as_str();
        let order = match self.order {
            InboxOrder::Newest => "inbox",
            InboxOrder::Waiting => "inbox-waiting",
        };
        format!("{order}/{view}/{of}/{}/{}/{}\n{}", part(status), part(channel), part(tag), parts.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use uuid::Uuid;

    use super::{InboxFilter, InboxOrder, View};
    use crate::{
        channels::ChannelKind, contacts::Search, conversation::ConversationStatus, tag::Tag,
        testing::a_region,
    };

    #[test]
    fn every_list_has_a_name_of_its_own_and_every_spelling_the_same() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let tag = |text: &str| Some(Tag::read(text).unwrap());
        let search = |text: &str| Search::read(text, a_region()).unwrap();
        let all = InboxFilter::of(View::All);
        let mut names = HashSet::new();
        let different = [
            all.clone(),
            InboxFilter::of(View::Unassigned),
            InboxFilter::of(View::Mine(one.into())),
            InboxFilter::of(View::Mine(two.into())),
            InboxFilter::of(View::Group(one.into())),
            InboxFilter { status: Some(ConversationStatus::Open), ..all.clone() },
            InboxFilter { channel: Some(ChannelKind::Whatsapp), ..all.clone() },
            InboxFilter { tag: tag("vip"), ..all.clone() },
            InboxFilter { search: search("vip"), ..all.clone() },
            InboxFilter { order: InboxOrder::Waiting, ..all.clone() },
        ];
        for filter in &different {
            assert!(names.insert(filter.list()), "{filter:?}");
        }
        let spelled = InboxFilter { tag: tag(" VIP"), ..all.clone() };
        assert!(names.contains(&spelled.list()));
        assert!(names.contains(&InboxFilter { search: search("ViP "), ..all }.list()));
    }
}
