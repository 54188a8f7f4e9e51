//! Receipts: what customers are told about the outcome of a commitment.

use super::{
    draft_kind::DraftKind,
    proposal::Proposal,
    summary::{clock, day, told_day_and_time},
};
use crate::{
    currency::Currency,
    language::{Language, is_arabic_letter, is_sorani},
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
                    Language::Sorani => {
                        format!("داواکارییەکەتان بە ژمارە {number} تۆمار کرا.\nکۆی گشتی: {total}")
                    }
                };
                match language {
                    _ if proposal.costs(order, currency) => told,
                    Language::Arabic => format!("{told}\nهذا المجموع غير الذي أكّدته."),
                    Language::English => format!("{told}\nThis is not the total that you confirmed."),
                    Language::Sorani => format!("{told}\nئەمە ئەو کۆیە نییە کە پشتڕاستتان کردەوە."),
                }
            }
            Self::Booked(booked) => {
                let service = language.words(booked.service.as_str());
                let at = booked.span.starts_at();
                let (day, time) = (day(at.date(), language), clock(at));
                let told = match language {
                    Language::Arabic => format!("تم تثبيت حجزك: {service}\n{day}، {time}"),
                    Language::English => format!("You are booked: {service}\n{day}, {time}"),
                    Language::Sorani => format!("نۆرەکەتان دانرا: {service}\n{day}، {time}"),
                };
                match language {
                    _ if proposal.is_at(booked.span) => told,
                    Language::Arabic => format!("{told}\nهذا الموعد غير الذي أكّدته."),
                    Language::English => format!("{told}\nThis is not the time that you confirmed."),
                    Language::Sorani => format!("{told}\nئەمە ئەو کاتە نییە کە پشتڕاستتان کردەوە."),
                }
            }
            Self::Cancelled(order) => {
                let number = language.run(order.number.as_str());
                match language {
                    Language::Arabic => format!("تم إلغاء الطلب رقم {number}."),
                    Language::English => format!("Order {number} is cancelled."),
                    Language::Sorani => format!("داواکاری ژمارە {number} هەڵوەشێندرایەوە."),
                }
            }
            Self::NotDone => format!("{} {}", not_done(proposal.kind(), language), looked_at(language)),
            Self::Tested => tested(language).to_owned(),
            Self::Gone(free) => gone_but_for(free, proposal, language),
            Self::Changed => format!("{} {}", not_done(proposal.kind(), language), changed(language)),
            Self::Unclear => unclear(proposal, language).to_owned(),
        }
    }
}

/// Words the delay message, which promises nothing.
pub(crate) const fn passed_on(proposal: &Proposal, language: Language) -> &'static str {
    match proposal {
        Proposal::Order(_) => language.pick(
            "طلبك قيد الإرسال، ولم يصلنا تأكيده بعد. سنخبرك هنا بالنتيجة.",
            "We are passing your order on, and it is not confirmed yet. We will tell you here what comes of it.",
            "داواکارییەکەتان لە ژێر ناردندایە و هێشتا پشتڕاست نەکراوەتەوە. ئەنجامەکەی لێرە پێتان دەڵێین.",
        ),
        Proposal::Booking(_) => language.pick(
            "حجزك قيد الإرسال، ولم يصلنا تأكيده بعد. سنخبرك هنا بالنتيجة.",
            "We are passing your booking on, and it is not confirmed yet. We will tell you here what comes of it.",
            "نۆرەکەتان لە ژێر ناردندایە و هێشتا پشتڕاست نەکراوەتەوە. ئەنجامەکەی لێرە پێتان دەڵێین.",
        ),
        Proposal::Cancellation(_) => language.pick(
            "إلغاء الطلب قيد الإرسال، ولم يصلنا تأكيده بعد. سنخبرك هنا بالنتيجة.",
            "We are passing your cancellation on, and it is not confirmed yet. We will tell you here what comes of it.",
            "هەڵوەشاندنەوەی داواکارییەکە لە ژێر ناردندایە و هێشتا پشتڕاست نەکراوەتەوە. ئەنجامەکەی لێرە پێتان دەڵێین.",
        ),
    }
}

/// Words the answer to a second yes: the receipt repeated, in its own language.
pub(super) fn said_again(receipt: &str) -> String {
    let already = language_said(receipt).pick(
        "سبق أن أكّدت ذلك:",
        "You have confirmed that already:",
        "پێشتر ئەوەتان پشتڕاست کردووەتەوە:",
    );
    format!("{already}\n{receipt}")
}

/// Words the answer to a no, in the language of the summary that it answers.
pub(super) fn declined(kind: DraftKind, summary: &str) -> String {
    let language = language_said(summary);
    let right = language.pick("حسناً.", "All right.", "باشە.");
    let changes = language.pick(
        "إن أردت تغيير شيء فاكتب لنا ما هو.",
        "If you would like something changed, write what.",
        "ئەگەر دەتەوێت شتێک بگۆڕیت، بۆمان بنووسە چی.",
    );
    match kind {
        DraftKind::Order | DraftKind::Booking => format!("{right} {} {changes}", not_done(kind, language)),
        DraftKind::Cancellation => format!("{right} {}", not_done(kind, language)),
    }
}

/// Returns the language of a text of this folder.
fn language_said(text: &str) -> Language {
    // The words around a shop's names come first; the names may be in another language.
    let first = text.split([':', '\n']).next().unwrap_or_default();
    if is_sorani(first) {
        Language::Sorani
    } else if first.chars().any(is_arabic_letter) {
        Language::Arabic
    } else {
        Language::English
    }
}

const fn not_done(kind: DraftKind, language: Language) -> &'static str {
    match kind {
        DraftKind::Order => {
            language.pick("لم يُسجَّل الطلب.", "The order was not placed.", "داواکارییەکە تۆمار نەکرا.")
        }
        DraftKind::Booking => language.pick("لم يُثبَّت الحجز.", "The booking was not made.", "نۆرەکە دانەنرا."),
        DraftKind::Cancellation => {
            language.pick("لم يُلغَ الطلب.", "The order was not cancelled.", "داواکارییەکە هەڵنەوەشێندرایەوە.")
        }
    }
}

const fn looked_at(language: Language) -> &'static str {
    language.pick(
        "أحد زملائنا ينظر في الأمر.",
        "A colleague is looking into it.",
        "یەکێک لە هاوکارانمان سەیری بابەتەکە دەکات.",
    )
}

const fn tested(language: Language) -> &'static str {
    language.pick(
        "هذه تجربة للمساعد: لم يُرسَل شيء إلى النظام.",
        "The assistant is being tried: nothing was sent to the system.",
        "ئەمە تاقیکردنەوەی یاریدەدەرەکەیە: هیچ شتێک بۆ سیستەمەکە نەنێردرا.",
    )
}

const fn gone(proposal: &Proposal, language: Language) -> &'static str {
    match proposal {
        Proposal::Order(_) => language.pick(
            "لم يُسجَّل الطلب: بعض ما طلبته لم يعد متوفراً.",
            "The order was not placed: something in it can no longer be had.",
            "داواکارییەکە تۆمار نەکرا: هەندێک لەوەی داواتان کرد ئیتر بەردەست نییە.",
        ),
        Proposal::Booking(_) => language.pick(
            "لم يُثبَّت الحجز: هذا الموعد لم يعد متاحاً.",
            "The booking was not made: that time is taken.",
            "نۆرەکە دانەنرا: ئەو کاتە گیراوە.",
        ),
        Proposal::Cancellation(_) => language.pick(
            "لم يُلغَ الطلب: تغيّرت حالته.",
            "The order was not cancelled: it is not as it was.",
            "داواکارییەکە هەڵنەوەشێندرایەوە: دۆخەکەی گۆڕاوە.",
        ),
    }
}

fn gone_but_for(free: &[Slot], proposal: &Proposal, language: Language) -> String {
    let mut lines = vec![gone(proposal, language).to_owned()];
    if !free.is_empty() {
        let title =
            language.pick("أقرب المواعيد المتاحة:", "The nearest free times:", "نزیکترین کاتە بەردەستەکان:");
        lines.push(title.to_owned());
    }
    lines.extend(free.iter().map(|slot| format!("• {}", told_day_and_time(slot.span.starts_at(), language))));
    lines.join("\n")
}

const fn unclear(proposal: &Proposal, language: Language) -> &'static str {
    match proposal {
        Proposal::Order(_) => language.pick(
            "لم يصلنا تأكيد تسجيل طلبك.",
            "We have no confirmation that your order was placed.",
            "پشتڕاستکردنەوەی تۆمارکردنی داواکارییەکەتانمان پێ نەگەیشتووە.",
        ),
        Proposal::Booking(_) => language.pick(
            "لم يصلنا تأكيد حجزك.",
            "We have no confirmation that you are booked.",
            "پشتڕاستکردنەوەی نۆرەکەتانمان پێ نەگەیشتووە.",
        ),
        Proposal::Cancellation(_) => language.pick(
            "لم يصلنا تأكيد إلغاء الطلب.",
            "We have no confirmation that the order was cancelled.",
            "پشتڕاستکردنەوەی هەڵوەشاندنەوەی داواکارییەکەمان پێ نەگەیشتووە.",
        ),
    }
}

/// Words the preamble of a summary that replaces a confirmed one.
pub(crate) const fn changed(language: Language) -> &'static str {
    language.pick(
        "تغيّرت التفاصيل منذ الملخص السابق.",
        "Something has changed since the last summary.",
        "وردەکارییەکان لە دوای پوختەی پێشووەوە گۆڕاون.",
    )
}
