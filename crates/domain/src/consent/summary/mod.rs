//! Summaries: proposals in words for customers.

use std::fmt::Write;

use time::{Date, OffsetDateTime, Weekday};

use super::{
    proposal::{BookingProposal, CancellationProposal, OrderProposal, Proposal},
    read_answer::DraftButton,
};
use crate::{
    ids::DraftId,
    language::Language,
    messages::ReplyButton,
    money::{Money, figure},
    orders::{DeliveryAddress, Recipient},
};

impl Language {
    /// Counts pieces in words.
    fn pieces(self, count: u32) -> String {
        match (self, count) {
            (Self::Arabic, 1) => "قطعة واحدة".to_owned(),
            (Self::Arabic, 2) => "قطعتان".to_owned(),
            (Self::Arabic, _) if (3..=10).contains(&(count % 100)) => format!("{count} قطع"),
            (Self::Arabic, _) => format!("{count} قطعة"),
            (Self::Sorani, _) => format!("{count} دانە"),
            (Self::English, 1) => "1 piece".to_owned(),
            (Self::English, _) => format!("{count} pieces"),
        }
    }
}

/// Message that asks a customer to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub text: String,
    pub buttons: Vec<ReplyButton>,
}

impl Summary {
    /// Words `proposal`, which is or becomes `draft`; `None` if a total has more digits than [`Money`] holds.
    pub fn of(draft: DraftId, proposal: &Proposal, language: Language) -> Option<Self> {
        let text = match proposal {
            Proposal::Order(order) => order_text(order, language)?,
            Proposal::Booking(booking) => booking_text(booking, language),
            Proposal::Cancellation(order) => cancellation_text(order, language),
        };
        let (confirm, change) = match proposal {
            Proposal::Order(_) | Proposal::Booking(_) => (
                language.pick("أؤكد", "Confirm", "پشتڕاستی دەکەمەوە"),
                language.pick("تعديل", "Change", "گۆڕین"),
            ),
            Proposal::Cancellation(_) => (
                language.pick("أؤكد الإلغاء", "Confirm cancellation", "بەڵێ، هەڵیوەشێنەوە"),
                language.pick("تراجع", "Keep the order", "با بمێنێت"),
            ),
        };
        let button =
            |which: DraftButton, title: &str| ReplyButton { id: which.id_of(draft), title: title.to_owned() };
        let buttons = vec![button(DraftButton::Confirm, confirm), button(DraftButton::Change, change)];
        Some(Self { text, buttons })
    }
}

/// Text made of lines; writing to it cannot fail.
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
    lines.add(format_args!("{}", language.pick("ملخص الطلب:", "Your order:", "پوختەی داواکاری:")));
    for line in &order.lines {
        let quantity = line.quantity.get();
        let sum = Money::total([(&line.price, quantity)].into_iter())?;
        let (each, sum) = (figure(&line.price, order.currency), language.amount(&sum, order.currency));
        let (title, pieces) = (language.words(line.title.as_str()), language.pieces(quantity));
        lines.add(format_args!("• {title}: {pieces} × {each} = {sum}"));
    }
    let sum = language.amount(&total, order.currency);
    lines.add(format_args!("{}: {sum}", language.pick("المجموع", "Total", "کۆی گشتی")));
    lines.add(format_args!(
        "{}",
        language.pick("الدفع عند الاستلام", "Cash on delivery", "پارە لە کاتی وەرگرتن دەدرێت")
    ));
    let Recipient { name, phone, email: _ } = &order.recipient;
    lines.add(format_args!("{}: {}", language.pick("الاسم", "Name", "ناو"), language.words(name.as_str())));
    lines.add(format_args!(
        "{}: {}",
        language.pick("الهاتف", "Phone", "ژمارەی مۆبایل"),
        language.run(phone.as_str())
    ));
    let DeliveryAddress { line1, city, province, country: _, notes } = &order.address;
    let place = [line1, city, province].map(|part| language.words(part.as_str()));
    let comma = language.comma();
    lines.add(format_args!("{}: {}", language.pick("العنوان", "Address", "ناونیشان"), place.join(comma)));
    for note in notes.iter().chain(&order.note) {
        lines.add(format_args!(
            "{}: {}",
            language.pick("ملاحظة", "Note", "تێبینی"),
            language.words(note.as_str())
        ));
    }
    lines.add(format_args!("{}", ask_for_order(language)));
    Some(lines.0)
}

fn booking_text(booking: &BookingProposal, language: Language) -> String {
    let mut lines = Lines(String::new());
    lines.add(format_args!("{}", language.pick("ملخص الحجز:", "Your booking:", "پوختەی نۆرە:")));
    lines.add(format_args!(
        "{}: {}",
        language.pick("الخدمة", "Service", "خزمەتگوزاری"),
        language.words(booking.service.as_str())
    ));
    let (from, to) = (booking.span.starts_at(), booking.span.ends_at());
    lines.add(format_args!("{}: {}", language.pick("التاريخ", "Date", "ڕێکەوت"), day(from.date(), language)));
    let hours = language.run(&format!("{}-{}", clock(from), clock(to)));
    lines.add(format_args!("{}: {hours}", language.pick("الوقت", "Time", "کات")));
    let (name, phone) = (language.words(booking.name.as_str()), language.run(booking.phone.as_str()));
    lines.add(format_args!("{}: {name}", language.pick("الاسم", "Name", "ناو")));
    lines.add(format_args!("{}: {phone}", language.pick("الهاتف", "Phone", "ژمارەی مۆبایل")));
    if let Some(note) = &booking.note {
        lines.add(format_args!(
            "{}: {}",
            language.pick("ملاحظة", "Note", "تێبینی"),
            language.words(note.as_str())
        ));
    }
    lines.add(format_args!("{}", ask_for_booking(language)));
    lines.0
}

fn cancellation_text(order: &CancellationProposal, language: Language) -> String {
    let mut lines = Lines(String::new());
    let number = number_of(order, language);
    lines.add(format_args!(
        "{} {number}",
        language.pick("إلغاء الطلب", "Cancelling order", "هەڵوەشاندنەوەی داواکاری")
    ));
    let total = language.amount(&order.total, order.currency);
    lines.add(format_args!("{}: {total}", language.pick("المجموع", "Total", "کۆی گشتی")));
    lines.add(format_args!("{}", ask_for_cancellation(language)));
    lines.0
}

/// Words the question of a draft once more, in short: what is to be confirmed was said in its summary. `None`
/// if a total has more digits than [`Money`] holds.
pub(super) fn question_of(proposal: &Proposal, language: Language) -> Option<String> {
    let (waits, ask) = match proposal {
        Proposal::Order(order) => {
            let total = language.amount(&order.total()?, order.currency);
            let waits = match language {
                Language::Arabic => format!("طلبك ما زال ينتظر تأكيدك، والمجموع {total}."),
                Language::English => format!("Your order still waits for you. Total: {total}."),
                Language::Sorani => {
                    format!("داواکارییەکەتان هێشتا چاوەڕێی پشتڕاستکردنەوەی ئێوەیە، کۆی گشتی: {total}.")
                }
            };
            (waits, ask_for_order(language))
        }
        Proposal::Booking(booking) => {
            let when = told_day_and_time(booking.span.starts_at(), language);
            let waits = match language {
                Language::Arabic => format!("حجزك ما زال ينتظر تأكيدك: {when}."),
                Language::English => format!("Your booking still waits for you: {when}."),
                Language::Sorani => {
                    format!("نۆرەکەتان هێشتا چاوەڕێی پشتڕاستکردنەوەی ئێوەیە: {when}.")
                }
            };
            (waits, ask_for_booking(language))
        }
        Proposal::Cancellation(order) => {
            let number = number_of(order, language);
            let waits = match language {
                Language::Arabic => format!("إلغاء الطلب {number} ما زال ينتظر تأكيدك."),
                Language::English => format!("Cancelling order {number} still waits for you."),
                Language::Sorani => {
                    format!("هەڵوەشاندنەوەی داواکاری {number} هێشتا چاوەڕێی پشتڕاستکردنەوەی ئێوەیە.")
                }
            };
            (waits, ask_for_cancellation(language))
        }
    };
    Some(format!("{waits}\n{ask}"))
}

fn number_of(order: &CancellationProposal, language: Language) -> String {
    // Some shops' numbers begin with the sign themselves.
    let number = order.number.as_str().trim_start_matches('#');
    language.run(&format!("#{number}"))
}

/// Formats the day and the local time.
pub(crate) fn told_day_and_time(at: OffsetDateTime, language: Language) -> String {
    format!("{}{}{}", day(at.date(), language), language.comma(), clock(at))
}

/// Returns whether a message of the business asks to confirm an order or a booking, as the summaries of these
/// end.
pub(crate) fn asks_to_confirm(text: &str) -> bool {
    Language::ALL.into_iter().any(|language| {
        [ask_for_order(language), ask_for_booking(language)].iter().any(|ask| text.trim_end().ends_with(ask))
    })
}

const fn ask_for_order(language: Language) -> &'static str {
    language.pick("هل تؤكد الطلب؟", "Do you confirm this order?", "ئایا ئەم داواکارییە پشتڕاست دەکەنەوە؟")
}

const fn ask_for_cancellation(language: Language) -> &'static str {
    language.pick(
        "هل تؤكد إلغاء هذا الطلب؟",
        "Do you confirm that this order is cancelled?",
        "ئایا هەڵوەشاندنەوەی ئەم داواکارییە پشتڕاست دەکەنەوە؟",
    )
}

const fn ask_for_booking(language: Language) -> &'static str {
    language.pick("هل تؤكد الحجز؟", "Do you confirm this booking?", "ئایا ئەم نۆرەیە پشتڕاست دەکەنەوە؟")
}

/// Formats the time at the offset that the system gave.
pub(super) fn clock(at: OffsetDateTime) -> String {
    format!("{:02}:{:02}", at.hour(), at.minute())
}

pub(super) fn day(date: Date, language: Language) -> String {
    let weekday = match date.weekday() {
        Weekday::Monday => language.pick("الاثنين", "Monday", "دووشەممە"),
        Weekday::Tuesday => language.pick("الثلاثاء", "Tuesday", "سێشەممە"),
        Weekday::Wednesday => language.pick("الأربعاء", "Wednesday", "چوارشەممە"),
        Weekday::Thursday => language.pick("الخميس", "Thursday", "پێنجشەممە"),
        Weekday::Friday => language.pick("الجمعة", "Friday", "هەینی"),
        Weekday::Saturday => language.pick("السبت", "Saturday", "شەممە"),
        Weekday::Sunday => language.pick("الأحد", "Sunday", "یەکشەممە"),
    };
    let date = format!("{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day());
    format!("{weekday} {}", language.run(&date))
}

#[cfg(test)]
mod tests;
