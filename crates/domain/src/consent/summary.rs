//! A proposal in words for a customer.

use std::fmt::Write;

use time::{Date, OffsetDateTime, Weekday};

use super::{
    DraftButton,
    proposal::{BookingProposal, CancellationProposal, OrderProposal, Proposal},
};
use crate::{catalogue::Money, ids::DraftId, sending::ReplyButton, systems::Currency, text::PlainText};

/// A customer is written to in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Arabic,
    English,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::Arabic, Self::English];

    /// Returns its code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arabic => "ar",
            Self::English => "en",
        }
    }

    /// Reads what `as_str` returns; `None` where `code` is anything else.
    pub fn read(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == code)
    }

    const fn pick(self, arabic: &'static str, english: &'static str) -> &'static str {
        match self {
            Self::Arabic => arabic,
            Self::English => english,
        }
    }
}

/// A customer reads and taps this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub text: String,
    /// They are the two buttons under the words.
    pub buttons: Vec<ReplyButton>,
}

impl Summary {
    /// Words `proposal`, which is or becomes `draft`. `None` where it costs more than any order does.
    pub fn of(draft: DraftId, proposal: &Proposal, language: Language) -> Option<Self> {
        let text = match proposal {
            Proposal::Order(order) => order_text(order, language)?,
            Proposal::Booking(booking) => booking_text(booking, language),
            Proposal::Cancellation(order) => cancellation_text(order, language),
        };
        let (confirm, change) = match proposal {
            Proposal::Order(_) | Proposal::Booking(_) => {
                (language.pick("أؤكد", "Confirm"), language.pick("تعديل", "Change"))
            }
            Proposal::Cancellation(_) => (
                language.pick("أؤكد الإلغاء", "Confirm cancellation"),
                language.pick("تراجع", "Keep the order"),
            ),
        };
        let button =
            |which: DraftButton, title: &str| ReplyButton { id: which.id_of(draft), title: title.to_owned() };
        let buttons = vec![button(DraftButton::Confirm, confirm), button(DraftButton::Change, change)];
        Some(Self { text, buttons })
    }
}

/// It writes lines; writing into a text cannot fail.
struct Lines(String);

impl Lines {
    fn add(&mut self, line: std::fmt::Arguments<'_>) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.write_fmt(line).ok();
    }
}

fn order_text(order: &OrderProposal, language: Language) -> Option<String> {
    let total = order.total()?;
    let mut lines = Lines(String::new());
    lines.add(format_args!("{}", language.pick("ملخص الطلب:", "Your order:")));
    for line in &order.lines {
        let each = amount(&line.price, order.currency);
        lines.add(format_args!("• {} × {}: {each}", line.title.as_str(), line.quantity));
    }
    let sum = amount(&total, order.currency);
    lines.add(format_args!("{}: {sum}", language.pick("المجموع", "Total")));
    lines.add(format_args!("{}", language.pick("الدفع عند الاستلام", "Cash on delivery")));
    let recipient = &order.recipient;
    lines.add(format_args!("{}: {}", language.pick("الاسم", "Name"), recipient.name.as_str()));
    lines.add(format_args!("{}: {}", language.pick("الهاتف", "Phone"), recipient.phone.as_str()));
    let address = &order.address;
    let place = [&address.line1, &address.city, &address.province].map(PlainText::as_str);
    let comma = language.pick("، ", ", ");
    lines.add(format_args!("{}: {}", language.pick("العنوان", "Address"), place.join(comma)));
    for note in address.notes.iter().chain(&order.note) {
        lines.add(format_args!("{}: {}", language.pick("ملاحظة", "Note"), note.as_str()));
    }
    lines.add(format_args!("{}", ask_for_order(language)));
    Some(lines.0)
}

fn booking_text(booking: &BookingProposal, language: Language) -> String {
    let mut lines = Lines(String::new());
    lines.add(format_args!("{}", language.pick("ملخص الحجز:", "Your booking:")));
    lines.add(format_args!("{}: {}", language.pick("الخدمة", "Service"), booking.service.as_str()));
    let (from, to) = (booking.span.starts_at(), booking.span.ends_at());
    lines.add(format_args!("{}: {}", language.pick("التاريخ", "Date"), day(from.date(), language)));
    lines.add(format_args!("{}: {}-{}", language.pick("الوقت", "Time"), clock(from), clock(to)));
    lines.add(format_args!("{}: {}", language.pick("الاسم", "Name"), booking.name.as_str()));
    lines.add(format_args!("{}: {}", language.pick("الهاتف", "Phone"), booking.phone.as_str()));
    if let Some(note) = &booking.note {
        lines.add(format_args!("{}: {}", language.pick("ملاحظة", "Note"), note.as_str()));
    }
    lines.add(format_args!("{}", ask_for_booking(language)));
    lines.0
}

fn cancellation_text(order: &CancellationProposal, language: Language) -> String {
    let mut lines = Lines(String::new());
    // A shop's numbers may begin with the sign themselves.
    let number = order.number.as_str().trim_start_matches('#');
    lines.add(format_args!("{} #{number}", language.pick("إلغاء الطلب", "Cancelling order")));
    let total = amount(&order.total, order.currency);
    lines.add(format_args!("{}: {total}", language.pick("المجموع", "Total")));
    let ask = language.pick("هل تؤكد إلغاء هذا الطلب؟", "Do you confirm that this order is cancelled?");
    lines.add(format_args!("{ask}"));
    lines.0
}

/// Writes a day and a time as the clock on the wall says.
pub(crate) fn told_day_and_time(at: OffsetDateTime, language: Language) -> String {
    format!("{}{}{}", day(at.date(), language), language.pick("، ", ", "), clock(at))
}

/// Says whether a message of the business's asks to confirm an order or a booking that has not been made: it ends as their
/// summaries do.
pub(crate) fn asks_to_confirm(text: &str) -> bool {
    Language::ALL.into_iter().any(|language| {
        [ask_for_order(language), ask_for_booking(language)].iter().any(|ask| text.trim_end().ends_with(ask))
    })
}

const fn ask_for_order(language: Language) -> &'static str {
    language.pick("هل تؤكد الطلب؟", "Do you confirm this order?")
}

const fn ask_for_booking(language: Language) -> &'static str {
    language.pick("هل تؤكد الحجز؟", "Do you confirm this booking?")
}

/// Writes an amount with its thousands apart, and without a fraction that is nothing: `15,000 IQD`.
pub(crate) fn amount(money: &Money, currency: Currency) -> String {
    let (whole, fraction) = match money.as_str().split_once('.') {
        Some((whole, fraction)) if fraction.bytes().any(|digit| digit != b'0') => (whole, Some(fraction)),
        Some((whole, _)) => (whole, None),
        None => (money.as_str(), None),
    };
    let mut apart = String::new();
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) {
            apart.push(',');
        }
        apart.push(digit);
    }
    if let Some(fraction) = fraction {
        apart.push('.');
        apart.push_str(fraction);
    }
    format!("{apart} {}", currency.as_str())
}

/// Writes it as the clock on the system's wall says.
pub(super) fn clock(at: OffsetDateTime) -> String {
    format!("{:02}:{:02}", at.hour(), at.minute())
}

pub(super) fn day(date: Date, language: Language) -> String {
    let weekday = match date.weekday() {
        Weekday::Monday => language.pick("الاثنين", "Monday"),
        Weekday::Tuesday => language.pick("الثلاثاء", "Tuesday"),
        Weekday::Wednesday => language.pick("الأربعاء", "Wednesday"),
        Weekday::Thursday => language.pick("الخميس", "Thursday"),
        Weekday::Friday => language.pick("الجمعة", "Friday"),
        Weekday::Saturday => language.pick("السبت", "Saturday"),
        Weekday::Sunday => language.pick("الأحد", "Sunday"),
    };
    format!("{weekday} {:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day())
}

#[cfg(test)]
mod tests;
