//! Rule: what is said to be done has been done, and what is promised was passed on to somebody.

use crate::{state::State, text::says, transcript::Entry};

const PLACED: &str = "تم تثبيت طلبك|تم تسجيل طلبك|تم تثبيت الطلب|ثبتنا طلبك|ثبتت طلبك|سجلت طلبك|سجلنا طلبك|order is placed|order has been placed|is placed.|placed your order|order is confirmed";
const BOOKED: &str = "تم تثبيت حجزك|تم الحجز|تم حجز|حجزنالك|حجزت لك|ثبتنا موعدك|you are booked|has been booked|booked your|booking is confirmed";
const CANCELLED: &str =
    "تم الغاء|الغينا طلبك|الغيت طلبك|تم الالغاء|is cancelled.|has been cancelled|have cancelled";
const PASSED_ON: &str = "راح نتصل|راح يتصل|سنتصل|سيتصل|راح يتواصل|سنتواصل|سيتواصل|بلغت الفريق|حولتك|سجلت رقمك|will call you|will contact you|will get back to you|have passed|have noted";

/// Returns a false claim. The customer's `own` order, which the shop had before, may be called placed if it
/// is named.
pub(super) fn wrong(text: &str, before: &[Entry], state: &State, own: &str) -> Option<String> {
    let hold = |wordings, holds: bool, what: &str| (says(text, wordings) && !holds).then(|| what.to_owned());
    // Before the customer has confirmed anything, nothing can have been done.
    let was_asked =
        before.iter().any(|entry| matches!(entry, Entry::Business(heard) if !heard.buttons.is_empty()));
    let passed_on = state.leads > 0
        || state.count("lead.captured") + state.count("booking.requested") > 0
        || state.handed_over().is_some();
    let names_own = !own.is_empty() && says(text, own);
    let is_placed = names_own || (was_asked && !state.orders.is_empty());
    hold(PLACED, is_placed, "nothing was ordered")
        .or_else(|| hold(BOOKED, was_asked && !state.appointments.is_empty(), "nothing was booked"))
        .or_else(|| {
            let was_before = says(text, "ملغي|status");
            hold(CANCELLED, (was_asked && state.cancelled) || was_before, "nothing was cancelled")
        })
        .or_else(|| hold(PASSED_ON, passed_on, "nobody was told"))
}
