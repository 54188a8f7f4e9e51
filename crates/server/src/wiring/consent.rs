//! Builds the use cases of drafts that customers are asked to confirm.

use std::sync::Arc;

use adapter_http::Consent;
use adapter_postgres::Stores;
use domain::{
    appointments::RequestBooking,
    assistant::{Reassure, ResumeReplies},
    consent::{ManageDrafts, ProposeDraft, ReadAnswers, SendPrepared},
    fulfilment::CarryOut,
    sending::SendReply,
    systems::CallSystem,
};

use super::{Foundation, UseCases, hand_over::hand_over, wire};
use crate::background::Confirmations;

impl Confirmations {
    /// Builds them over a foundation; systems are asked through `systems`, and customers answered through
    /// `use_cases`.
    pub fn new(on: &Foundation, systems: CallSystem, use_cases: &UseCases) -> Self {
        let Foundation { stores, vault, deps, .. } = on;
        let Stores { assistants, consent, customer_records, messages, .. } = stores;
        Self {
            read: Arc::new(wire!(ReadAnswers { drafts: consent, messages, vault, deps })),
            carry_out: Arc::new(wire!(
                CarryOut { commitments: consent, messages, customers: customer_records, deps },
                systems,
                hand_over = hand_over(on, use_cases)
            )),
            replies: Arc::new(ResumeReplies {
                prepared: send_prepared(on, Arc::clone(&use_cases.send_reply)),
                hand_over: hand_over(on, use_cases),
            }),
            reassure: Arc::new(wire!(Reassure { store: assistants }, hand_over = hand_over(on, use_cases))),
        }
    }
}

fn send_prepared(on: &Foundation, reply: Arc<SendReply>) -> SendPrepared {
    wire!(SendPrepared { replies: on.stores.consent, clock: on.deps.clock }, reply)
}

pub(super) fn propose(on: &Foundation, systems: CallSystem, reply: Arc<SendReply>) -> ProposeDraft {
    let Foundation { stores, vault, deps, .. } = on;
    let Stores { consent, contacts, customer_records, .. } = stores;
    wire!(
        ProposeDraft { customers: customer_records, contacts, drafts: consent, vault, deps },
        systems,
        prepared = send_prepared(on, reply)
    )
}

pub(super) fn request_booking(on: &Foundation) -> RequestBooking {
    let Foundation { stores, vault, deps, .. } = on;
    let Stores { consent, customer_records, systems, .. } = stores;
    wire!(RequestBooking { requests: consent, customers: customer_records, systems, vault, deps })
}

/// Builds what members use on the dashboard.
pub fn consent(on: &Foundation, systems: CallSystem, reply: Arc<SendReply>) -> Consent {
    let Foundation { stores, deps, .. } = on;
    let Stores { consent, customer_records, .. } = stores;
    Consent {
        propose: propose(on, systems, reply),
        manage: wire!(ManageDrafts { drafts: consent, customers: customer_records, deps }),
        request_booking: request_booking(on),
    }
}
