//! Acts: what an answer says, with references into the turn's evidence.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::written::{Amount, Id};

/// Something that an answer says. References are ids of the turn's evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub enum Act {
    /// A product, or one of its variants.
    Quote {
        product: Id,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variant: Option<Id>,
        parts: Vec<QuotePart>,
    },
    List {
        products: Vec<Id>,
    },
    Compare {
        products: Vec<Id>,
    },
    /// What comes near to something that is not there.
    Closest {
        products: Vec<Id>,
    },
    NotFound {
        /// A search of the turn, or words of the customer; `None` to name nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        query: Option<String>,
    },
    Total {
        lines: Vec<TotalLine>,
    },
    /// The price of several pieces.
    Multiple {
        product: Id,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variant: Option<Id>,
        quantity: NonZeroU32,
    },
    /// A no to a price that the customer offers.
    DeclineOffer {
        amount: Amount,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        product: Option<Id>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variant: Option<Id>,
    },
    /// The old price of a product beside its price, or that there is none.
    Discount {
        product: Id,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variant: Option<Id>,
    },
    OrderStatus {
        order: Id,
        /// What is told beside the status.
        #[serde(default)]
        parts: Vec<OrderPart>,
    },
    /// Fields of the customer's record, by their labels.
    Record {
        fields: Vec<String>,
    },
    Slots {
        slots: Vec<Id>,
    },
    /// That nothing is free in a range that was asked for.
    NoSlots {
        range: Id,
    },
    /// The owner's words as they stand.
    Cite {
        /// A fact, or a passage of a document.
        #[serde(alias = "passage")]
        fact: Id,
        /// Numbers of sentences, from 1; empty for all.
        #[serde(default)]
        sentences: Vec<usize>,
    },
    ProposeOrder {
        draft: Id,
    },
    ProposeBooking {
        draft: Id,
    },
    ProposeCancellation {
        draft: Id,
    },
    Ask {
        what: Question,
        /// Products, variants or slots to choose from.
        #[serde(default)]
        options: Vec<Id>,
    },
    /// Which of two products, variants or slots is meant.
    Clarify {
        a: Id,
        b: Id,
    },
    /// Whether the customer was understood.
    ConfirmUnderstanding {
        product: Id,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variant: Option<Id>,
        quantity: NonZeroU32,
    },
    /// What has to be written for an order, and that nothing is ordered before it is confirmed.
    HowToOrder {},
    /// That what the customer has confirmed is passed on and not done yet.
    UnderWay {},
    Greet {},
    Thank {},
    Apologise {},
    Wait {},
    YouAreWelcome {},
    Bye {},
    WhoIAm {},
    /// The answer to whether a person or a machine writes.
    NotAPerson {},
    Cannot {
        topic: Topic,
    },
    /// A wish of the customer's that is noted for the team, in their own words.
    Lead {
        words: String,
    },
    HandOver {
        reason: Concern,
    },
}

/// Part of a quotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuotePart {
    Price,
    Before,
    Availability,
    Sizes,
    Options,
    /// A sentence of the description, by its number from 1.
    Sentence(usize),
    Link,
    Photo,
}

/// Part of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderPart {
    Lines,
    Total,
}

/// A product or variant in a total.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TotalLine {
    pub product: Id,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Id>,
    pub quantity: NonZeroU32,
}

/// What a customer is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    Product,
    Size,
    Colour,
    Model,
    Quantity,
    Name,
    Phone,
    Address,
    City,
    Day,
    Time,
    Service,
    OrderNumber,
    AnythingElse,
}

/// What the assistant cannot do or tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    Discount,
    Voice,
    Picture,
    Payment,
    OrderChange,
    Medical,
    OffTopic,
    Call,
    Unknown,
}

/// Reason a person takes over, as the customer hears it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concern {
    Asked,
    Complaint,
    Order,
    Other,
}

impl Act {
    /// Returns its name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Quote { .. } => "quote",
            Self::List { .. } => "list",
            Self::Compare { .. } => "compare",
            Self::Closest { .. } => "closest",
            Self::NotFound { .. } => "not_found",
            Self::Total { .. } => "total",
            Self::Multiple { .. } => "multiple",
            Self::DeclineOffer { .. } => "decline_offer",
            Self::Discount { .. } => "discount",
            Self::OrderStatus { .. } => "order_status",
            Self::Record { .. } => "record",
            Self::Slots { .. } => "slots",
            Self::NoSlots { .. } => "no_slots",
            Self::Cite { .. } => "cite",
            Self::ProposeOrder { .. } => "propose_order",
            Self::ProposeBooking { .. } => "propose_booking",
            Self::ProposeCancellation { .. } => "propose_cancellation",
            Self::Ask { .. } => "ask",
            Self::Clarify { .. } => "clarify",
            Self::ConfirmUnderstanding { .. } => "confirm_understanding",
            Self::HowToOrder {} => "how_to_order",
            Self::UnderWay {} => "under_way",
            Self::Greet {} => "greet",
            Self::Thank {} => "thank",
            Self::Apologise {} => "apologise",
            Self::Wait {} => "wait",
            Self::YouAreWelcome {} => "you_are_welcome",
            Self::Bye {} => "bye",
            Self::WhoIAm {} => "who_i_am",
            Self::NotAPerson {} => "not_a_person",
            Self::Cannot { .. } => "cannot",
            Self::Lead { .. } => "lead",
            Self::HandOver { .. } => "hand_over",
        }
    }

    /// Returns whether it asks the customer something; an answer asks once.
    pub const fn asks(&self) -> bool {
        matches!(self, Self::Ask { .. } | Self::Clarify { .. } | Self::ConfirmUnderstanding { .. })
            || self.proposes()
    }

    /// Returns whether it is mere courtesy.
    pub(super) const fn is_courtesy(&self) -> bool {
        matches!(
            self,
            Self::Greet {}
                | Self::Thank {}
                | Self::Apologise {}
                | Self::Wait {}
                | Self::YouAreWelcome {}
                | Self::Bye {}
        )
    }

    /// Returns whether it sends a summary for the customer to confirm.
    pub const fn proposes(&self) -> bool {
        matches!(
            self,
            Self::ProposeOrder { .. } | Self::ProposeBooking { .. } | Self::ProposeCancellation { .. }
        )
    }
}
