//! Customer of a conversation, as far as a system may be asked about them.

use crate::{
    channels::ChannelKind,
    contacts::Contact,
    ids::ConversationId,
    phone::{PhoneNumber, Region},
};

/// Customer of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationCustomer {
    /// The conversation, which may have had another id before it was merged with another.
    pub conversation: ConversationId,
    pub network: ChannelKind,
    pub has_written: bool,
    pub contact: Contact,
    /// Region of numbers without a country code.
    pub region: Region,
}

impl ConversationCustomer {
    /// Returns the number that the network itself has told of whoever writes here; a system's records are
    /// looked up by it, and leads are told with it. A number that the team typed is none: a conversation that
    /// nobody has written in yet has only such a one, and over another network than WhatsApp the contact's
    /// number says nothing of who writes.
    pub fn verified_phone(&self) -> Option<&PhoneNumber> {
        let is_told = match self.network {
            ChannelKind::Whatsapp => self.has_written,
            ChannelKind::Messenger | ChannelKind::Instagram => false,
        };
        self.contact.phone.as_ref().filter(|_| is_told)
    }
}

#[cfg(test)]
mod tests {
    use super::{ChannelKind, ConversationCustomer};
    use crate::{
        contacts::Contact,
        phone::Region,
        testing::{a_contact, a_conversation},
    };

    fn customer(network: ChannelKind, has_written: bool) -> ConversationCustomer {
        ConversationCustomer {
            conversation: a_conversation().id,
            network,
            has_written,
            contact: a_contact(),
            region: Region::default(),
        }
    }

    #[test]
    fn only_whoever_wrote_over_whatsapp_has_a_verified_number() {
        assert!(a_contact().phone.is_some());
        for network in ChannelKind::ALL {
            for has_written in [true, false] {
                let verified = has_written && network == ChannelKind::Whatsapp;
                let customer = customer(network, has_written);
                assert_eq!(customer.verified_phone().is_some(), verified, "{network:?} {has_written}");
            }
        }
        let hidden = Contact { phone: None, ..a_contact() };
        let hidden = ConversationCustomer { contact: hidden, ..customer(ChannelKind::Whatsapp, true) };
        assert_eq!(hidden.verified_phone(), None);
    }
}
