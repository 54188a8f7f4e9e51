//! Identities: how a network knows a person.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{channels::ChannelKind, phone::PhoneNumber};

/// Identifier of a person at a network. Its `Debug` output shows the kind alone, since the rest tells who
/// somebody is.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Identity {
    Phone(PhoneNumber),
    /// Business-scoped user id of WhatsApp, for people whose number is hidden. Changes with the number.
    WhatsappUser(String),
    /// Page-scoped id of Messenger.
    MessengerUser(String),
    /// Instagram-scoped id.
    InstagramUser(String),
}

impl Identity {
    pub const fn channel(&self) -> ChannelKind {
        match self {
            Self::Phone(_) | Self::WhatsappUser(_) => ChannelKind::Whatsapp,
            Self::MessengerUser(_) => ChannelKind::Messenger,
            Self::InstagramUser(_) => ChannelKind::Instagram,
        }
    }

    /// Returns whether the network tells the person's name only on request.
    pub const fn names_when_asked(&self) -> bool {
        match self.channel() {
            ChannelKind::Whatsapp => false,
            ChannelKind::Messenger | ChannelKind::Instagram => true,
        }
    }

    /// Returns the name of the variant, as stored.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Phone(_) => "phone",
            Self::WhatsappUser(_) => "whatsapp_user",
            Self::MessengerUser(_) => "messenger_user",
            Self::InstagramUser(_) => "instagram_user",
        }
    }

    /// Returns the identifier itself, a number in E.164.
    pub fn value(&self) -> &str {
        match self {
            Self::Phone(phone) => phone.as_str(),
            Self::WhatsappUser(id) | Self::MessengerUser(id) | Self::InstagramUser(id) => id,
        }
    }

    /// Parses what [`Self::kind`] and [`Self::value`] return.
    pub fn read(kind: &str, value: &str) -> Option<Self> {
        Some(match kind {
            "phone" => Self::Phone(PhoneNumber::from_e164(value).ok()?),
            "whatsapp_user" => Self::WhatsappUser(value.to_owned()),
            "messenger_user" => Self::MessengerUser(value.to_owned()),
            "instagram_user" => Self::InstagramUser(value.to_owned()),
            _ => return None,
        })
    }

    /// Returns whether it is a user id that several businesses share: whoever has one has an id of the
    /// business's own, too.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::WhatsappUser(id) if id.split('.').nth(1) == Some("ENT"))
    }

    /// Returns the number, if it is one.
    pub const fn phone(&self) -> Option<&PhoneNumber> {
        match self {
            Self::Phone(phone) => Some(phone),
            Self::WhatsappUser(_) | Self::MessengerUser(_) | Self::InstagramUser(_) => None,
        }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({}, …)", self.kind())
    }
}

#[cfg(test)]
mod tests {
    use super::Identity;
    use crate::{channels::ChannelKind, phone::PhoneNumber, testing::someone_on};

    #[test]
    fn every_network_has_people() {
        for network in ChannelKind::ALL {
            let someone = someone_on(network);
            assert_eq!(someone.channel(), network);
            assert_eq!(Identity::read(someone.kind(), someone.value()), Some(someone));
        }
    }

    #[test]
    fn an_identity_reads_back_and_prints_nothing_of_whom_it_names() {
        for identity in [
            Identity::Phone(PhoneNumber::from_e164("+9647701234567").unwrap()),
            Identity::WhatsappUser("IQ.7701234567".to_owned()),
            Identity::MessengerUser("7701234567".to_owned()),
            Identity::InstagramUser("7701234567".to_owned()),
        ] {
            assert_eq!(Identity::read(identity.kind(), identity.value()), Some(identity.clone()));
            assert!(!format!("{identity:?}").contains("7701234567"));
        }
        assert_eq!(Identity::read("phone", "0770"), None);
        assert_eq!(Identity::read("pager", "1"), None);
    }
}
