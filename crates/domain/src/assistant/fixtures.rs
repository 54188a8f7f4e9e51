//! A turn, for tests of what handles one.

use uuid::Uuid;

use super::{OwnersWords, Tool, TurnBrief, speech::Evidence};
use crate::{channels::ChannelKind, fence::Fence, phone::Region, testing::a_moment, zone::Zone};

/// Returns a turn in which nothing was said and every tool is offered.
pub(crate) fn a_brief() -> TurnBrief {
    TurnBrief {
        workspace: Uuid::from_u128(1).into(),
        fence: Fence { conversation: Uuid::from_u128(2).into(), version: 3, heard: 1 },
        channel: ChannelKind::Whatsapp,
        region: Region::default(),
        now: a_moment(),
        zone: Zone::default(),
        history: Vec::new(),
        pictures: Vec::new(),
        owner: OwnersWords::default(),
        languages: Vec::new(),
        tools: Tool::ALL.to_vec(),
        tried: false,
    }
}

/// Returns evidence of every kind.
pub(crate) fn all_evidence() -> Evidence {
    let shop: Evidence = include_str!("speech/tests/shop.json").parse().unwrap();
    Evidence { is_under_way: true, ..shop }
}
