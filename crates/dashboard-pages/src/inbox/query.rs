//! What a list of conversations is asked for, and the links that change one part of it.

use url::form_urlencoded::Serializer;

/// What was asked for, as it stands in the address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxQuery {
    /// `mine`, `unassigned`, `all` or `group`.
    pub view: String,
    /// The group of that view.
    pub group: String,
    /// Whose of the view `mine`; nothing for one's own.
    pub member: String,
    /// A status, or nothing.
    pub status: String,
    /// A network, or nothing.
    pub channel: String,
    /// A tag, or nothing.
    pub tag: String,
    /// What is searched for, or nothing.
    pub search: String,
    /// `waiting`, or nothing for the newest first.
    pub order: String,
    /// Where a later page begins.
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

    /// What is set, page aside.
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

    /// The list.
    pub fn list(&self) -> String {
        self.at("/dashboard/inbox")
    }

    /// Where what is done with several conversations posts to.
    pub fn several(&self) -> String {
        self.at("/dashboard/inbox/moves")
    }

    /// A conversation beside the list, from the message on that another answers.
    pub fn message(&self, conversation: &str, message: &str) -> String {
        let path = self.conversation(conversation);
        format!("{path}{}at={message}#message-{message}", if path.contains('?') { '&' } else { '?' })
    }

    /// A conversation beside the list.
    pub fn conversation(&self, id: &str) -> String {
        self.at(&format!("/dashboard/inbox/{id}"))
    }

    /// Where a form of a conversation posts to.
    pub fn act(&self, id: &str, what: &str) -> String {
        self.at(&format!("/dashboard/inbox/{id}/{what}"))
    }

    /// The same of another list, from its beginning.
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

    /// What a member holds, from its beginning.
    #[must_use]
    pub fn of_holder(&self, member: &str) -> Self {
        Self { member: member.to_owned(), ..self.of_view("mine", "") }
    }

    /// The same from another place on.
    #[must_use]
    pub fn from(&self, cursor: &str) -> Self {
        Self { cursor: cursor.to_owned(), ..self.clone() }
    }

    /// The same in another order, from its beginning.
    #[must_use]
    pub fn in_order(&self, order: &str) -> Self {
        Self { order: order.to_owned(), cursor: String::new(), ..self.clone() }
    }

    /// The whole of the view.
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

    /// Whether anything is left out of the view.
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
