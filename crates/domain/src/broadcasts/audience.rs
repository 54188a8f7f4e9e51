//! Whom a broadcast goes to.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    channels::ChannelKind,
    contacts::{
        SearchTooLong,
        directory::{AskedDirectory, DirectoryFilter},
    },
    conversations::Tag,
    ids::ContactId,
    phone::Region,
};

/// People that may be chosen by hand.
pub const MOST_CHOSEN: usize = 1_000;

/// Whom a broadcast goes to. Whoever has no number is nobody of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Audience {
    /// Those who pass every part that is set, by what is known of them when they are collected.
    #[serde(rename_all = "camelCase")]
    Filter {
        /// Those whose name or number has this part.
        search: Option<String>,
        /// Those with a conversation that has this tag.
        tag: Option<Tag>,
        /// Those who have written over this network, by its name.
        channel: Option<String>,
        /// Those whose newest message came then or later.
        #[serde(with = "time::serde::rfc3339::option", default)]
        active_since: Option<OffsetDateTime>,
        /// Those whose newest message came before.
        #[serde(with = "time::serde::rfc3339::option", default)]
        active_until: Option<OffsetDateTime>,
    },
    /// Those that were chosen by hand.
    Chosen(Vec<ContactId>),
}

/// What is no audience.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AudienceError {
    /// The search is too long.
    #[error(transparent)]
    Search(#[from] SearchTooLong),
    /// The network is none.
    #[error("`audience.filter.channel` is none of whatsapp, messenger and instagram")]
    Channel,
    /// Nobody was chosen, or too many.
    #[error("`audience.contacts` has 1 to {MOST_CHOSEN} contacts")]
    Chosen,
}

impl Audience {
    /// That of everything that is asked for.
    pub fn filtered(asked: AskedDirectory) -> Self {
        let AskedDirectory { search, tag, channel, since, until } = asked;
        Self::Filter {
            search,
            tag,
            channel: channel.map(|channel| channel.as_str().to_owned()),
            active_since: since,
            active_until: until,
        }
    }

    /// The filter of the directory, in a workspace of `region`; `None` where people were chosen by hand.
    ///
    /// # Errors
    /// [`AudienceError`].
    pub fn filter(&self, region: Region) -> Result<Option<DirectoryFilter>, AudienceError> {
        match self {
            Self::Filter { search, tag, channel, active_since, active_until } => {
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
            Self::Chosen(contacts) if (1..=MOST_CHOSEN).contains(&contacts.len()) => Ok(None),
            Self::Chosen(_) => Err(AudienceError::Chosen),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{Audience, AudienceError, MOST_CHOSEN};
    use crate::{
        contacts::directory::AskedDirectory,
        conversations::Tag,
        testing::{a_moment, a_region},
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
        let filtered = Audience::filtered(asked.clone());
        let chosen = Audience::Chosen(vec![Uuid::from_u128(1).into()]);
        for audience in [filtered.clone(), chosen, Audience::filtered(AskedDirectory::default())] {
            let written = serde_json::to_string(&audience).unwrap();
            assert_eq!(serde_json::from_str::<Audience>(&written).unwrap(), audience, "{written}");
        }
        assert_eq!(filtered.filter(a_region()).unwrap(), Some(asked.read(a_region()).unwrap()));
    }

    #[test]
    fn nobody_and_too_many_are_no_audience() {
        let chosen = |count: usize| Audience::Chosen(vec![Uuid::from_u128(1).into(); count]);
        assert_eq!(chosen(0).filter(a_region()), Err(AudienceError::Chosen));
        assert_eq!(chosen(MOST_CHOSEN).filter(a_region()), Ok(None));
        assert_eq!(chosen(MOST_CHOSEN + 1).filter(a_region()), Err(AudienceError::Chosen));
    }
}
