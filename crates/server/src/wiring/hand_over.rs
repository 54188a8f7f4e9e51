//! Builds the hand-over of a conversation to the team.

use std::sync::Arc;

use domain::assistant::HandOver;

use super::{Foundation, UseCases, wire};

pub(super) fn hand_over(on: &Foundation, use_cases: &UseCases) -> HandOver {
    let change = Arc::clone(&use_cases.life.change_conversation);
    wire!(HandOver {
        settings: on.stores.assistants,
        hours: on.stores.automations,
        messages: on.stores.messages,
        change
    })
}
