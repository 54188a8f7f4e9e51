//! Builds the use cases of drafts that customers are asked to confirm.

use std::sync::Arc;

use adapter_http::Consent;
use domain::{
    appointments::RequestBooking,
    assistant::ResumeReplies,
    consent::{ManageDrafts, ProposeDraft, ReadAnswers, SendPrepared},
    fulfilment::CarryOut,
    sending::SendReply,
    systems::CallSystem,
};

use super::{Foundation, UseCases, hand_over::hand_over};
use crate::background::Confirmations;

impl Confirmations {
    /// Builds them over a foundation; systems are asked through `systems`, and customers answered through
    /// `use_cases`.
    pub fn new(on: &Foundation, systems: CallSystem, use_cases: &UseCases) -> Self {
        let Foundation { stores, vault, deps, .. } = on.clone();
        Self {
            read: Arc::new(ReadAnswers {
                drafts: stores.consent.clone(),
                messages: stores.messages.clone(),
                vault,
                deps: deps.clone(),
            }),
            carry_out: Arc::new(CarryOut {
                systems,
                commitments: stores.consent.clone(),
                messages: stores.messages.clone(),
                customers: stores.customer_records.clone(),
                hand_over: hand_over(on, use_cases),
                deps,
            }),
            replies: Arc::new(ResumeReplies {
                prepared: send_prepared(on, Arc::clone(&use_cases.send_reply)),
                hand_over: hand_over(on, use_cases),
            }),
        }
    }
}

fn send_prepared(on: &Foundation, reply: Arc<SendReply>) -> SendPrepared {
    SendPrepared { replies: on.stores.consent.clone(), reply, clock: on.deps.clock.clone() }
}

pub(super) fn propose(on: &Foundation, systems: CallSystem, reply: Arc<SendReply>) -> ProposeDraft {
    let Foundation { stores, vault, deps, .. } = on.clone();
    ProposeDraft {
        systems,
        customers: stores.customer_records,
        contacts: stores.contacts,
        drafts: stores.consent,
        prepared: send_prepared(on, reply),
        vault,
        deps,
    }
}

/// Builds what members use on the dashboard.
pub fn consent(on: &Foundation, systems: CallSystem, reply: Arc<SendReply>) -> Consent {
    let Foundation { stores, vault, deps, .. } = on.clone();
    Consent {
        propose: propose(on, systems, reply),
        manage: ManageDrafts {
            drafts: stores.consent.clone(),
            customers: stores.customer_records.clone(),
            deps: deps.clone(),
        },
        request_booking: RequestBooking {
            requests: stores.consent,
            customers: stores.customer_records,
            systems: stores.systems,
            vault,
            deps,
        },
    }
}
