//! Builds the hand-over of a conversation to the team.

use std::sync::Arc;

use domain::assistant::HandOver;

use super::{Foundation, UseCases};

pub(super) fn hand_over(on: &Foundation, use_cases: &UseCases) -> HandOver {
    let change = Arc::clone(&use_cases.life.change_conversation);
    HandOver {
        settings: on.stores.assistants.clone(),
        hours: on.stores.automations.clone(),
        messages: on.stores.messages.clone(),
        change,
    }
}
