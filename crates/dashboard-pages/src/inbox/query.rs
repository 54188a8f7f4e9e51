//! Filter of the list of conversations, and links that change one part of it.

use url::form_urlencoded::Serializer;

/// Filter as it stands in the address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxQuery {
    /// `mine`, `unassigned`, `all` or `group`.
    pub view: String,
    pub group: String,
    /// Member of the view `mine`; empty for the viewer.
    pub member: String,
    /// Empty for any.
    pub status: String,
    /// Empty for any.
    pub channel: String,
    /// Empty for any.
    pub tag: String,
    /// Empty for none.
    pub search: String,
    /// `waiting`, or empty for the newest first.
    pub order: String,
    /// Position of a later page.
    pub cursor: String,
}

impl InboxQuery {
    fn written(&self) -> String {
        let mut query = Serializer::new(String::new());
        for (name, value) in self.fields() {
            query.append_pair(name, value);
        }
        if !self.cursor.is_empty() {
            query.append_pair("cursor", &self.cursor);
        }
        query.finish()
    }

    /// Returns the fields that are set, except the page.
    pub fn fields(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("view", &self.view),
            ("groupId", &self.group),
            ("memberId", &self.member),
            ("status", &self.status),
            ("channel", &self.channel),
            ("tag", &self.tag),
            ("search", &self.search),
            ("order", &self.order),
        ];
        all.into_iter()
            .map(|(name, value)| (name, value.as_str()))
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }

    fn at(&self, path: &str) -> String {
        match self.written() {
            query if query.is_empty() => path.to_owned(),
            query => format!("{path}?{query}"),
        }
    }

    /// Returns the path of the list.
    pub fn list(&self) -> String {
        self.at("/dashboard/inbox")
    }

    /// Returns the path that a move of several conversations posts to.
    pub fn several(&self) -> String {
        self.at("/dashboard/inbox/moves")
    }

    /// Returns the path of a conversation beside the list, at a message that another answers.
    pub fn message(&self, conversation: &str, message: &str) -> String {
        let path = self.conversation(conversation);
        format!("{path}{}at={message}#message-{message}", if path.contains('?') { '&' } else { '?' })
    }

    /// Returns the path of a conversation beside the list.
    pub fn conversation(&self, id: &str) -> String {
        self.at(&format!("/dashboard/inbox/{id}"))
    }

    /// Returns the path that a form of a conversation posts to.
    pub fn act(&self, id: &str, what: &str) -> String {
        self.at(&format!("/dashboard/inbox/{id}/{what}"))
    }

    /// Returns the filter of another list, from its beginning.
    #[must_use]
    pub fn of_view(&self, view: &str, group: &str) -> Self {
        Self {
            view: view.to_owned(),
            group: group.to_owned(),
            member: String::new(),
            cursor: String::new(),
            ..self.clone()
        }
    }

    /// Returns the filter of what a member holds, from its beginning.
    #[must_use]
    pub fn of_holder(&self, member: &str) -> Self {
        Self { member: member.to_owned(), ..self.of_view("mine", "") }
    }

    /// Returns the same filter from another position on.
    #[must_use]
    pub fn from(&self, cursor: &str) -> Self {
        Self { cursor: cursor.to_owned(), ..self.clone() }
    }

    /// Returns the same filter in another order, from the beginning.
    #[must_use]
    pub fn in_order(&self, order: &str) -> Self {
        Self { order: order.to_owned(), cursor: String::new(), ..self.clone() }
    }

    /// Returns the view without any filter.
    #[must_use]
    pub fn bare(&self) -> Self {
        Self {
            view: self.view.clone(),
            group: self.group.clone(),
            member: self.member.clone(),
            order: self.order.clone(),
            ..Self::default()
        }
    }

    /// Returns whether anything is left out of the view.
    pub fn is_narrow(&self) -> bool {
        !(self.status.is_empty() && self.channel.is_empty() && self.tag.is_empty() && self.search.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::InboxQuery;

    #[test]
    fn a_link_keeps_what_was_asked_for_and_begins_another_list_at_its_beginning() {
        let query = InboxQuery {
            view: "mine".to_owned(),
            search: "سارة & co".to_owned(),
            cursor: "next".to_owned(),
            ..InboxQuery::default()
        };
        let search = "search=%D8%B3%D8%A7%D8%B1%D8%A9+%26+co";
        assert_eq!(query.conversation("7"), format!("/dashboard/inbox/7?view=mine&{search}&cursor=next"));
        let group = query.of_view("group", "9");
        assert_eq!(group.list(), format!("/dashboard/inbox?view=group&groupId=9&{search}"));
        assert_eq!(InboxQuery::default().list(), "/dashboard/inbox");
    }
}
