//! Receipts: what customers are told about the outcome of a commitment.

use super::{
    proposal::Proposal,
    summary::{clock, day},
};
use crate::{
    currency::Currency,
    language::Language,
    orders::Order,
    systems::{Appointment, Slot},
};

/// Outcome of a confirmation, for the customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receipt<'a> {
    /// The order is placed; its total is in this currency if it names none.
    Placed(&'a Order, Currency),
    Booked(&'a Appointment),
    Cancelled(&'a Order),
    /// Not done, and will not be.
    NotDone,
    /// Not done, since the assistant is in test mode.
    Tested,
    /// What was confirmed is no longer available; for a booking, with the nearest free slots.
    Gone(&'a [Slot]),
    /// The offer has changed, and the customer is asked about another draft by now.
    Changed,
    /// Nobody knows whether it was done.
    Unclear,
}

impl Receipt<'_> {
    /// Words the receipt. Only what the system has answered is said to be done.
    pub fn text(self, proposal: &Proposal, language: Language) -> String {
        match self {
            Self::Placed(order, currency) => {
                let total = language.amount(&order.total, order.currency.unwrap_or(currency));
                let number = language.run(order.number.as_str());
                let told = match language {
                    Language::Arabic => format!("تم تسجيل طلبك رقم {number}.\nالمجموع: {total}"),
                    Language::English => format!("Your order {number} is placed.\nTotal: {total}"),
                };
                match language {
                    _ if proposal.costs(order, currency) => told,
                    Language::Arabic => format!("{told}\nهذا المجموع غير الذي أكّدته."),
                    Language::English => format!("{told}\nThis is not the total that you confirmed."),
                }
            }
            Self::Booked(booked) => {
                let service = language.words(booked.service.as_str());
                let at = booked.span.starts_at();
                let (day, time) = (day(at.date(), language), clock(at));
                let told = match language {
                    Language::Arabic => format!("تم تثبيت حجزك: {service}\n{day}، {time}"),
                    Language::English => format!("You are booked: {service}\n{day}, {time}"),
                };
                match language {
                    _ if proposal.is_at(booked.span) => told,
                    Language::Arabic => format!("{told}\nهذا الموعد غير الذي أكّدته."),
                    Language::English => format!("{told}\nThis is not the time that you confirmed."),
                }
            }
            Self::Cancelled(order) => {
                let number = language.run(order.number.as_str());
                match language {
                    Language::Arabic => format!("تم إلغاء الطلب رقم {number}."),
                    Language::English => format!("Order {number} is cancelled."),
                }
            }
            Self::NotDone => format!("{} {}", not_done(proposal, language), looked_at(language)),
            Self::Tested => tested(language).to_owned(),
            Self::Gone(free) => gone_but_for(free, proposal, language),
            Self::Changed => format!("{} {}", not_done(proposal, language), changed(language)),
            Self::Unclear => unclear(proposal, language).to_owned(),
        }
    }
}

/// Words the delay message, which promises nothing.
pub(crate) const fn passed_on(proposal: &Proposal, language: Language) -> &'static str {
    match (proposal, language) {
        (Proposal::Order(_), Language::Arabic) => {
            "طلبك قيد الإرسال، ولم يصلنا تأكيده بعد. سنخبرك هنا بالنتيجة."
        }
        (Proposal::Order(_), Language::English) => {
            "We are passing your order on, and it is not confirmed yet. We will tell you here what comes of it."
        }
        (Proposal::Booking(_), Language::Arabic) => {
            "حجزك قيد الإرسال، ولم يصلنا تأكيده بعد. سنخبرك هنا بالنتيجة."
        }
        (Proposal::Booking(_), Language::English) => {
            "We are passing your booking on, and it is not confirmed yet. We will tell you here what comes of it."
        }
        (Proposal::Cancellation(_), Language::Arabic) => {
            "إلغاء الطلب قيد الإرسال، ولم يصلنا تأكيده بعد. سنخبرك هنا بالنتيجة."
        }
        (Proposal::Cancellation(_), Language::English) => {
            "We are passing your cancellation on, and it is not confirmed yet. We will tell you here what comes of it."
        }
    }
}

/// Words the answer to a second yes: the receipt repeated, in its own language.
pub(crate) fn said_again(receipt: &str) -> String {
    // The words around a shop's names come first; the names may be in another language.
    let first = receipt.chars().find(|letter| letter.is_alphabetic());
    let is_arabic = first.is_some_and(|letter| ('\u{600}'..='\u{6ff}').contains(&letter));
    let already =
        if is_arabic { "سبق أن أكّدت ذلك:" } else { "You have confirmed that already:" };
    format!("{already}\n{receipt}")
}

const fn not_done(proposal: &Proposal, language: Language) -> &'static str {
    match (proposal, language) {
        (Proposal::Order(_), Language::Arabic) => "لم يُسجَّل الطلب.",
        (Proposal::Order(_), Language::English) => "The order was not placed.",
        (Proposal::Booking(_), Language::Arabic) => "لم يُثبَّت الحجز.",
        (Proposal::Booking(_), Language::English) => "The booking was not made.",
        (Proposal::Cancellation(_), Language::Arabic) => "لم يُلغَ الطلب.",
        (Proposal::Cancellation(_), Language::English) => "The order was not cancelled.",
    }
}

const fn looked_at(language: Language) -> &'static str {
    match language {
        Language::Arabic => "أحد زملائنا ينظر في الأمر.",
        Language::English => "A colleague is looking into it.",
    }
}

const fn tested(language: Language) -> &'static str {
    match language {
        Language::Arabic => "هذه تجربة للمساعد: لم يُرسَل شيء إلى النظام.",
        Language::English => "The assistant is being tried: nothing was sent to the system.",
    }
}

const fn gone(proposal: &Proposal, language: Language) -> &'static str {
    match (proposal, language) {
        (Proposal::Order(_), Language::Arabic) => "لم يُسجَّل الطلب: بعض ما طلبته لم يعد متوفراً.",
        (Proposal::Order(_), Language::English) => {
            "The order was not placed: something in it can no longer be had."
        }
        (Proposal::Booking(_), Language::Arabic) => "لم يُثبَّت الحجز: هذا الموعد لم يعد متاحاً.",
        (Proposal::Booking(_), Language::English) => "The booking was not made: that time is taken.",
        (Proposal::Cancellation(_), Language::Arabic) => "لم يُلغَ الطلب: تغيّرت حالته.",
        (Proposal::Cancellation(_), Language::English) => "The order was not cancelled: it is not as it was.",
    }
}

fn gone_but_for(free: &[Slot], proposal: &Proposal, language: Language) -> String {
    let mut lines = vec![gone(proposal, language).to_owned()];
    if !free.is_empty() {
        let title = match language {
            Language::Arabic => "أقرب المواعيد المتاحة:",
            Language::English => "The nearest free times:",
        };
        lines.push(title.to_owned());
    }
    lines.extend(free.iter().map(|slot| {
        let at = slot.span.starts_at();
        let (day, time) = (day(at.date(), language), clock(at));
        match language {
            Language::Arabic => format!("• {day}، {time}"),
            Language::English => format!("• {day}, {time}"),
        }
    }));
    lines.join("\n")
}

const fn unclear(proposal: &Proposal, language: Language) -> &'static str {
    match (proposal, language) {
        (Proposal::Order(_), Language::Arabic) => "لم يصلنا تأكيد تسجيل طلبك.",
        (Proposal::Order(_), Language::English) => "We have no confirmation that your order was placed.",
        (Proposal::Booking(_), Language::Arabic) => "لم يصلنا تأكيد حجزك.",
        (Proposal::Booking(_), Language::English) => "We have no confirmation that you are booked.",
        (Proposal::Cancellation(_), Language::Arabic) => "لم يصلنا تأكيد إلغاء الطلب.",
        (Proposal::Cancellation(_), Language::English) => {
            "We have no confirmation that the order was cancelled."
        }
    }
}

/// Words the preamble of a summary that replaces a confirmed one.
pub(crate) const fn changed(language: Language) -> &'static str {
    match language {
        Language::Arabic => "تغيّرت التفاصيل منذ الملخص السابق.",
        Language::English => "Something has changed since the last summary.",
    }
}
