//! Identification of the people of a batch.
//!
//! Two updates are about one person if they share an identity. A person is known if a contact has one of
//! their identities; if several contacts have, they are one person and are merged into the oldest.

use std::collections::{BTreeSet, HashMap};

use super::{
    super::conversation::{ConversationUpdate, UpdateKind},
    lookup::{ByIdentity, KnownPerson},
};
use crate::{
    contacts::{Contact, ContactName, Identity, ports::Profile},
    ids::ContactId,
    phone::PhoneNumber,
    text::is_blank,
};

/// Longest address of a picture that is stored, in bytes.
const LONGEST_AVATAR: usize = 2_048;

/// A person as the updates of a batch present them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BatchPerson {
    /// Indices of the updates in the batch.
    pub(super) updates: Vec<usize>,
    pub(super) identities: BTreeSet<Identity>,
    /// Identities that they have given up.
    former: BTreeSet<Identity>,
    /// Phone number by the latest update that tells it.
    pub(super) phone: Option<PhoneNumber>,
    pub(super) name: Option<String>,
    pub(super) avatar_url: Option<String>,
    /// Whether the network reports a change of their identities.
    renumbered: bool,
}

/// Changes to a known contact by what the networks say. Name, picture and number are the new values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactMerge {
    /// Contact as it was loaded: the guard against races.
    pub contact: Contact,
    /// Contacts of the same person, merged into this one.
    pub absorbed: Vec<ContactId>,
    pub name: Option<String>,
    pub avatar_url: Option<String>,
    pub phone: Option<PhoneNumber>,
    /// New identities other than phone numbers.
    pub identities: Vec<Identity>,
    /// Identities by which nobody is written to: given up, or shared by several businesses.
    pub lesser: BTreeSet<Identity>,
    /// Whether other spellings of their number no longer lead to them, since they have given it up.
    pub forgets_spellings: bool,
}

impl ContactMerge {
    /// Returns what a network's profile adds to a contact with this picture; `None` if nothing.
    pub fn by_profile(contact: &Contact, avatar_url: Option<&str>, profile: Profile) -> Option<Self> {
        let said = profile.name.as_deref().and_then(name);
        let pictured = profile.avatar_url.filter(|url| url.len() <= LONGEST_AVATAR);
        let said = said.filter(|_| contact.is_nameless());
        let pictured = pictured.filter(|_| avatar_url.is_none());
        (said.is_some() || pictured.is_some()).then(|| Self {
            contact: contact.clone(),
            absorbed: Vec::new(),
            name: said.or_else(|| contact.name.clone()),
            avatar_url: pictured.or_else(|| avatar_url.map(str::to_owned)),
            phone: contact.phone.clone(),
            identities: Vec::new(),
            lesser: BTreeSet::new(),
            forgets_spellings: false,
        })
    }
}

/// Groups updates by person, each once, in the order of first appearance.
pub(super) fn presented<'a>(updates: impl IntoIterator<Item = &'a ConversationUpdate>) -> Vec<BatchPerson> {
    // Everybody stands where they first appeared; who turned out to be somebody earlier leaves a gap.
    let mut people: Vec<Option<BatchPerson>> = Vec::new();
    let mut places: HashMap<&Identity, usize> = HashMap::new();
    for (number, update) in updates.into_iter().enumerate() {
        let same: BTreeSet<usize> =
            update.named().filter_map(|identity| places.get(identity)).copied().collect();
        let mut person = BatchPerson::of(number, update);
        for earlier in same.iter().rev() {
            if let Some(earlier) = people.get_mut(*earlier).and_then(Option::take) {
                person = earlier.and(person);
            }
        }
        let place = same.first().copied().unwrap_or(people.len());
        if same.len() > 1 {
            places.values_mut().filter(|known| same.contains(known)).for_each(|known| *known = place);
        }
        places.extend(update.named().map(|identity| (identity, place)));
        match people.get_mut(place) {
            Some(left) => *left = Some(person),
            None => people.push(Some(person)),
        }
    }
    people.into_iter().flatten().collect()
}

impl BatchPerson {
    fn of(place: usize, update: &ConversationUpdate) -> Self {
        let person = &update.person;
        Self {
            updates: vec![place],
            identities: update.named().cloned().collect(),
            former: match update.what {
                UpdateKind::Renumbered { .. } => person.identities.iter().cloned().collect(),
                _ => BTreeSet::new(),
            },
            phone: update.named().filter_map(Identity::phone).last().cloned(),
            name: person.name.as_deref().and_then(name),
            avatar_url: person.avatar_url.clone().filter(|url| url.len() <= LONGEST_AVATAR),
            renumbered: matches!(update.what, UpdateKind::Renumbered { .. }),
        }
    }

    /// Adds what later updates say of the same person.
    fn and(mut self, later: Self) -> Self {
        self.updates.extend(later.updates);
        self.identities.extend(later.identities);
        self.former.extend(later.former);
        self.phone = later.phone.or(self.phone);
        self.name = self.name.or(later.name);
        self.avatar_url = self.avatar_url.or(later.avatar_url);
        self.renumbered |= later.renumbered;
        self
    }

    /// Returns their known contact; of several the oldest. Contacts that only a user id leads to and that
    /// have another number are left alone: the id went over with the number.
    pub(super) fn contact<'a>(&self, people: &ByIdentity<'a>) -> Option<&'a KnownPerson> {
        self.contacts(people).into_iter().next()
    }

    fn contacts<'a>(&self, people: &ByIdentity<'a>) -> Vec<&'a KnownPerson> {
        let mut found = people.any_of(&self.identities);
        // By their own number, or by the network's spelling of it.
        let has_number = |person: &KnownPerson| {
            person.contact.phone == self.phone
                || person.identities.iter().any(|own| own.phone() == self.phone.as_ref())
        };
        if !self.renumbered && self.phone.is_some() && found.iter().any(|person| has_number(person)) {
            found.retain(|person| person.contact.phone.is_none() || has_number(person));
        }
        found.sort_by_key(|person| (person.contact.created_at, person.contact.id));
        found
    }

    /// Returns the change to their contact before anything is recorded; `None` if there is none.
    pub(super) fn merge(&self, people: &ByIdentity<'_>) -> Option<ContactMerge> {
        let found = self.contacts(people);
        let (survivor, rest) = found.split_first()?;
        let first = |of: &dyn Fn(&KnownPerson) -> Option<String>| found.iter().find_map(|person| of(person));
        let named = |person: &KnownPerson| person.contact.name.clone().filter(|name| !is_blank(name));
        let name = first(&named).or_else(|| self.name.clone()).or_else(|| survivor.contact.name.clone());
        let avatar_url = first(&|person| person.avatar_url.clone()).or_else(|| self.avatar_url.clone());
        let phones = || found.iter().find_map(|person| person.contact.phone.clone());
        // A contact that was written to by another spelling of the number keeps that one.
        let spelled = || found.iter().find_map(|person| self.spelled_otherwise(person)).cloned();
        let phone = spelled().or_else(|| self.phone.clone()).or_else(phones);
        let new =
            |identity: &&Identity| identity.phone().is_none() && !survivor.identities.contains(*identity);
        let identities: Vec<Identity> = self.identities.iter().filter(new).cloned().collect();
        let unchanged = rest.is_empty()
            && identities.is_empty()
            && name == survivor.contact.name
            && phone == survivor.contact.phone
            && avatar_url == survivor.avatar_url;
        (!unchanged).then(|| ContactMerge {
            contact: survivor.contact.clone(),
            absorbed: rest.iter().map(|person| person.contact.id).collect(),
            name,
            avatar_url,
            forgets_spellings: self.renumbered && phone != survivor.contact.phone,
            phone,
            lesser: identities.iter().filter(|identity| self.is_lesser(identity)).cloned().collect(),
            identities,
        })
    }

    /// Returns the contact's own spelling of the number, if the network's is another.
    fn spelled_otherwise<'a>(&self, known: &'a KnownPerson) -> Option<&'a PhoneNumber> {
        let is_theirs =
            known.identities.iter().any(|own| own.phone().is_some() && own.phone() == self.phone.as_ref());
        known
            .contact
            .phone
            .as_ref()
            .filter(|own| !self.renumbered && is_theirs && self.phone.as_ref() != Some(*own))
    }

    /// Returns whether nobody is written to by this identity: it was given up, or is shared by several
    /// businesses.
    pub(super) fn is_lesser(&self, identity: &Identity) -> bool {
        self.former.contains(identity) || identity.is_shared()
    }
}

/// Returns a person's own name for themselves as a contact's name, shortened to 200 characters.
fn name(said: &str) -> Option<String> {
    let said: String = said.chars().filter(|character| *character != '\0').take(200).collect();
    ContactName::read(&said).ok().map(|name| name.as_str().to_owned())
}

#[cfg(test)]
mod tests;
