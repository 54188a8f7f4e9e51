//! Pages and the Instagram accounts that are linked to them.

use std::collections::BTreeSet;

use secrecy::{ExposeSecret as _, SecretString};

use super::World;
use crate::config::{InstagramAccount, Page};
use crate::surface::Surface;

#[derive(Debug)]
pub(crate) struct PageState {
    pub(crate) id: String,
    pub(crate) name: String,
    token: SecretString,
    pub(crate) instagram: Option<InstagramAccount>,
    /// Fields whose webhooks the app gets; `None` for none.
    pub(crate) subscription: Option<Fields>,
}

/// Fields that an app has subscribed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fields {
    All,
    These(BTreeSet<String>),
}

impl Fields {
    pub(crate) fn hold(&self, field: &str) -> bool {
        match self {
            Self::All => true,
            Self::These(fields) => fields.contains(field),
        }
    }
}

/// A page, or the Instagram account of one, that people write to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Channel {
    pub(crate) surface: Surface,
    /// The page's id, or the Instagram account's.
    pub(crate) id: String,
    pub(crate) page_id: String,
}

impl PageState {
    pub(crate) fn new(page: &Page) -> Self {
        Self {
            id: page.id.clone(),
            name: page.name.clone(),
            token: page.token.clone(),
            instagram: page.instagram.clone(),
            subscription: page.subscribed.then_some(Fields::All),
        }
    }

    pub(crate) fn token(&self) -> &str {
        self.token.expose_secret()
    }

    /// Lists the page itself and its Instagram account.
    pub(crate) fn channels(&self) -> impl Iterator<Item = Channel> {
        let of = |surface, id: &str| Channel { surface, id: id.to_owned(), page_id: self.id.clone() };
        let instagram = self.instagram.as_ref().map(|account| of(Surface::Instagram, &account.id));
        std::iter::once(of(Surface::Messenger, &self.id)).chain(instagram)
    }
}

impl World {
    pub(crate) fn pages(&self) -> impl Iterator<Item = &PageState> {
        self.pages.values()
    }

    pub(crate) fn page(&self, id: &str) -> Option<&PageState> {
        self.pages.get(id)
    }

    pub(crate) fn page_mut(&mut self, id: &str) -> Option<&mut PageState> {
        self.pages.get_mut(id)
    }

    pub(crate) fn pages_of<'a>(&'a self, token: &'a str) -> impl Iterator<Item = &'a PageState> {
        self.pages.values().filter(move |page| page.token.expose_secret() == token)
    }

    /// Resolves a page's id, an Instagram account's or `me`, if `token` sees it.
    pub(crate) fn channel_seen(&self, id: &str, token: &str) -> Option<Channel> {
        let mut channels = self.pages_of(token).flat_map(PageState::channels);
        channels.find(|channel| channel.id == id || id == "me")
    }

    /// Finds the page or Instagram account with this id.
    pub(crate) fn channel(&self, id: &str) -> Option<Channel> {
        self.pages().flat_map(PageState::channels).find(|channel| channel.id == id)
    }
}
