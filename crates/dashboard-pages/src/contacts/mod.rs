//! Pages of the people that a workspace knows.

mod imports;

pub use imports::{ImportPage, ImportRow, ImportsPage};

use askama::Template;
use domain::{channels::ChannelKind, conversation::ConversationStatus};
use url::form_urlencoded::Serializer;

use crate::{frame::Frame, moment::Moment, refused::Refused};

/// A person in the list.
#[derive(Debug, Clone)]
pub struct ContactRow {
    pub id: String,
    pub name: String,
    pub phone: Option<String>,
    pub channels: Vec<ChannelKind>,
    pub tags: Vec<String>,
    /// When the newest message was recorded.
    pub active_at: Option<Moment>,
}

/// Typed filter of the list.
#[derive(Debug, Clone, Default)]
pub struct ContactQuery {
    /// Part of a name or number.
    pub search: String,
    pub tag: String,
    /// Name of a network in the API.
    pub channel: String,
    /// First day of the newest message.
    pub since: String,
    /// First day after those of the newest message.
    pub until: String,
}

impl ContactQuery {
    /// Returns whether anybody may be left out.
    pub const fn is_narrow(&self) -> bool {
        !self.search.is_empty() || self.is_filtered()
    }

    /// Returns whether more than a search is set.
    pub const fn is_filtered(&self) -> bool {
        !(self.tag.is_empty() && self.channel.is_empty() && self.since.is_empty() && self.until.is_empty())
    }

    /// Returns a path with these filters, from `cursor` on.
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

/// Page of the people.
#[derive(Template)]
#[template(path = "contacts/list.html")]
pub struct ContactsPage<'a> {
    pub frame: &'a Frame,
    /// One page of people.
    pub contacts: Vec<ContactRow>,
    /// Whether the list could be loaded at all.
    pub is_listed: bool,
    pub query: &'a ContactQuery,
    pub tags: Vec<String>,
    /// Path of the next page.
    pub more: Option<String>,
    /// Path of the same people as a file.
    pub export: String,
    /// Typed number and name of a person to add.
    pub draft: (String, String),
    /// Why nothing could be listed, or nobody added.
    pub refused: Option<Refused>,
}

/// A conversation with a person.
#[derive(Debug, Clone)]
pub struct ConversationRow {
    pub id: String,
    pub href: String,
    pub channel: ChannelKind,
    pub status: ConversationStatus,
    /// When its newest message was recorded.
    pub at: Moment,
}

/// Page of all conversations with a person.
#[derive(Template)]
#[template(path = "contacts/conversations.html")]
pub struct PersonsConversationsPage<'a> {
    pub frame: &'a Frame,
    pub name: String,
    /// One page of conversations, newest first.
    pub conversations: Vec<ConversationRow>,
    /// Path of the next page.
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
