//! The people that a workspace knows.

use askama::Template;
use domain::channels::ChannelKind;

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
    /// When they last wrote.
    pub active_at: Option<Moment>,
}

/// The people.
#[derive(Template)]
#[template(path = "contacts/list.html")]
pub struct ContactsPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// A page of them.
    pub contacts: Vec<ContactRow>,
    /// How many are found.
    pub total: u64,
    /// What is searched for.
    pub search: &'a str,
    /// The page with more.
    pub more: Option<String>,
    /// Why nothing could be listed.
    pub refused: Option<&'a str>,
}
