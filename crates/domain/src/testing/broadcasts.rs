//! A broadcast and its content.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{a_member, a_moment};
use crate::broadcasts::{Audience, AudienceFilter, Broadcast, BroadcastContent, BroadcastState};

/// Makes a draft by [`a_member`] 1 to everybody, with [`a_broadcast_content`].
pub fn a_broadcast() -> Broadcast {
    Broadcast {
        id: Uuid::from_u128(0xa000).into(),
        name: "offer".to_owned(),
        state: BroadcastState::Draft,
        content: a_broadcast_content(),
        audience: Audience::Filter(AudienceFilter::default()),
        author: a_member(1).id,
        reason: None,
        created_at: a_moment(),
        starts_at: None,
        ended_at: None,
        collected: false,
        collected_to: None,
        limited_until: None,
    }
}

/// Makes the content of a broadcast of template `offer`, with nothing filled in.
pub fn a_broadcast_content() -> BroadcastContent {
    BroadcastContent {
        template: "offer".to_owned(),
        language: None,
        from: None,
        variables: BTreeMap::new(),
        header_text: None,
        header_link: None,
        button_variables: Vec::new(),
        language_column: None,
        languages: Vec::new(),
        spread: false,
        quiet: None,
    }
}
