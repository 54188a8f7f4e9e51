//! The people that a workspace knows.

mod imports;

pub use imports::{ImportPage, ImportRow, ImportsPage};

use askama::Template;
use domain::{channels::ChannelKind, conversations::ConversationStatus};
use url::form_urlencoded::Serializer;

use crate::{frame::Frame, moment::Moment};

/// A person.
#[derive(Debug, Clone)]
pub struct ContactRow {
    /// Their id.
    pub id: String,
    /// What they are called.
    pub name: String,
    /// Their number.
    pub phone: Option<String>,
    /// The networks that they have written from.
    pub channels: Vec<ChannelKind>,
    /// The tags on their conversations.
    pub tags: Vec<String>,
    /// When the newest message was recorded.
    pub active_at: Option<Moment>,
}

/// Whom the list is narrowed to, as it was typed.
#[derive(Debug, Clone, Default)]
pub struct ContactQuery {
    /// A part of a name or number.
    pub search: String,
    /// A tag.
    pub tag: String,
    /// A network, by its name on the wire.
    pub channel: String,
    /// The first day of the newest message.
    pub since: String,
    /// The first day on which it is too late.
    pub until: String,
}

impl ContactQuery {
    /// Whether anybody may be left out.
    pub const fn is_narrow(&self) -> bool {
        !self.search.is_empty() || self.is_filtered()
    }

    /// Whether more than a search is asked for.
    pub const fn is_filtered(&self) -> bool {
        !(self.tag.is_empty() && self.channel.is_empty() && self.since.is_empty() && self.until.is_empty())
    }

    /// A path with these filters, and from a place on.
    pub fn at(&self, path: &str, cursor: Option<&str>) -> String {
        let all = [
            ("search", self.search.as_str()),
            ("tag", &self.tag),
            ("channel", &self.channel),
            ("activeSince", &self.since),
            ("activeUntil", &self.until),
            ("cursor", cursor.unwrap_or_default()),
        ];
        let mut query = Serializer::new(String::new());
        query.extend_pairs(all.into_iter().filter(|(_, value)| !value.is_empty()));
        match query.finish() {
            query if query.is_empty() => path.to_owned(),
            query => format!("{path}?{query}"),
        }
    }
}

/// The people.
#[derive(Template)]
#[template(path = "contacts/list.html")]
pub struct ContactsPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// A page of them.
    pub contacts: Vec<ContactRow>,
    /// Whether they could be looked for at all.
    pub is_listed: bool,
    /// Whom the list is narrowed to.
    pub query: &'a ContactQuery,
    /// The tags in use.
    pub tags: Vec<String>,
    /// The page with more.
    pub more: Option<String>,
    /// Where the same people are had as a file.
    pub export: String,
    /// The number and the name of somebody who is to be added.
    pub draft: (String, String),
    /// Why nothing could be listed, or nobody added.
    pub refused: Option<&'a str>,
}

/// A conversation with a person.
#[derive(Debug, Clone)]
pub struct ConversationRow {
    /// Its id.
    pub id: String,
    /// Where it is.
    pub href: String,
    /// Over which network.
    pub channel: ChannelKind,
    /// Who answers.
    pub status: ConversationStatus,
    /// When its newest message was recorded.
    pub at: Moment,
}

/// All conversations with a person.
#[derive(Template)]
#[template(path = "contacts/conversations.html")]
pub struct PersonsConversationsPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// What the person is called.
    pub name: String,
    /// A page of them, newest first.
    pub conversations: Vec<ConversationRow>,
    /// The page with more.
    pub more: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::ContactQuery;

    #[test]
    fn a_link_keeps_the_filters_and_leaves_out_what_is_not_set() {
        let none = ContactQuery::default();
        assert_eq!(none.at("/dashboard/contacts", None), "/dashboard/contacts");
        let query = ContactQuery { search: "سارة &".to_owned(), tag: "VIP".to_owned(), ..none };
        assert_eq!(
            query.at("/dashboard/contacts", Some("7")),
            "/dashboard/contacts?search=%D8%B3%D8%A7%D8%B1%D8%A9+%26&tag=VIP&cursor=7"
        );
    }
}
