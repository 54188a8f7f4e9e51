//! Who the people of a batch are.
//!
//! Two updates are about one person when they share an identity. A person is known when a contact has one of their
//! identities; where several contacts have, they are one person and become one contact, the oldest.

use std::collections::{BTreeSet, HashMap};

use super::{
    super::{ConversationUpdate, UpdateKind},
    lookup::{ByIdentity, KnownPerson},
};
use crate::{
    contacts::{Contact, ContactName, Identity, ports::Profile},
    ids::ContactId,
    phone::PhoneNumber,
    text::is_blank,
};

/// The address of a picture that is kept has at most so many bytes.
const LONGEST_AVATAR: usize = 2_048;

/// It is a person as the updates of a batch present them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BatchPerson {
    /// They are the updates, by their place in the batch.
    pub(super) updates: Vec<usize>,
    pub(super) identities: BTreeSet<Identity>,
    /// These of them are theirs no more.
    former: BTreeSet<Identity>,
    /// It is their number by the latest update that tells it.
    pub(super) phone: Option<PhoneNumber>,
    pub(super) name: Option<String>,
    pub(super) avatar_url: Option<String>,
    /// It says whether the network says that their identities have changed.
    renumbered: bool,
}

/// It is what the networks newly say of a contact that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactMerge {
    /// It is the contact as it was read: the guard.
    pub contact: Contact,
    /// These contacts are the same person: all that is theirs becomes this one's.
    pub absorbed: Vec<ContactId>,
    /// It is their name from now on.
    pub name: Option<String>,
    /// It is their picture from now on.
    pub avatar_url: Option<String>,
    /// It is their number from now on.
    pub phone: Option<PhoneNumber>,
    /// These identities without a number name them from now on.
    pub identities: Vec<Identity>,
    /// By these of them nobody is written to: they were given up, or are several businesses'.
    pub lesser: BTreeSet<Identity>,
    /// It says whether other spellings of their number lead to them no more: they have given it up.
    pub forgets_spellings: bool,
}

impl ContactMerge {
    /// Returns what a network's answer fills in of somebody with this picture; `None` when it fills in
    /// nothing.
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

/// Returns the people of a batch, each once, in the order in which they first appear.
pub(super) fn presented<'a>(updates: impl IntoIterator<Item = &'a ConversationUpdate>) -> Vec<BatchPerson> {
    // Everybody is where they first appeared; whoever turned out to be somebody earlier has left their place.
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

    /// Makes the same person, with what `later` updates say of them.
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

    /// Returns the contact they are, as far as it is known: where several are, the oldest. Contacts that only
    /// a user id leads to and that have another number are left alone: the id went over with the number.
    pub(super) fn contact<'a>(&self, people: &ByIdentity<'a>) -> Option<&'a KnownPerson> {
        self.contacts(people).into_iter().next()
    }

    fn contacts<'a>(&self, people: &ByIdentity<'a>) -> Vec<&'a KnownPerson> {
        let mut found = people.any_of(&self.identities);
        // By their own number, or by what the network calls that.
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

    /// Returns what is to change about their contact before anything is recorded; `None` when nothing is.
    pub(super) fn merge(&self, people: &ByIdentity<'_>) -> Option<ContactMerge> {
        let found = self.contacts(people);
        let (survivor, rest) = found.split_first()?;
        let first = |of: &dyn Fn(&KnownPerson) -> Option<String>| found.iter().find_map(|person| of(person));
        let named = |person: &KnownPerson| person.contact.name.clone().filter(|name| !is_blank(name));
        let name = first(&named).or_else(|| self.name.clone()).or_else(|| survivor.contact.name.clone());
        let avatar_url = first(&|person| person.avatar_url.clone()).or_else(|| self.avatar_url.clone());
        let phones = || found.iter().find_map(|person| person.contact.phone.clone());
        // Who was written to by another spelling of their number keeps that one.
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

    /// Returns the contact's number, where the network calls it as it calls this person's.
    fn spelled_otherwise<'a>(&self, known: &'a KnownPerson) -> Option<&'a PhoneNumber> {
        let is_theirs =
            known.identities.iter().any(|own| own.phone().is_some() && own.phone() == self.phone.as_ref());
        known
            .contact
            .phone
            .as_ref()
            .filter(|own| !self.renumbered && is_theirs && self.phone.as_ref() != Some(*own))
    }

    /// Says whether nobody is written to by this name: it was given up, or is several businesses'.
    pub(super) fn is_lesser(&self, identity: &Identity) -> bool {
        self.former.contains(identity) || identity.is_shared()
    }
}

/// Returns what a person calls themselves, as a contact may be called.
fn name(said: &str) -> Option<String> {
    let said: String = said.chars().filter(|character| *character != '\0').take(200).collect();
    ContactName::read(&said).ok().map(|name| name.as_str().to_owned())
}

#[cfg(test)]
mod tests;
