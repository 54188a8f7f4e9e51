//! Rule: what is said to be done has been done, and what is promised was passed on to somebody.

use crate::{
    state::State,
    text::{plain, says},
    transcript::Entry,
};

const PLACED: &str = "تم تثبيت طلبك|تم تسجيل طلبك|تم تثبيت الطلب|ثبتنا طلبك|ثبتت طلبك|سجلت طلبك|سجلنا طلبك|order is placed|order has been placed|is placed.|placed your order|order is confirmed|order has been confirmed|طلبكم رقم مؤكد|طلبكم مؤكد|الطلب تاكد";
/// What has to be done for an order, which claims nothing.
const CONDITIONS: &str = "order is placed once you confirm it";
const BOOKED: &str = "تم تثبيت حجزك|تم الحجز|تم حجز|حجزنالك|حجزت لك|ثبتنا موعدك|you are booked|has been booked|booked your|booking is confirmed";
const CANCELLED: &str =
    "تم الغاء|الغينا طلبك|الغيت طلبك|تم الالغاء|is cancelled.|has been cancelled|have cancelled";
const PASSED_ON: &str = "راح نتصل|راح يتصل|سنتصل|سيتصل|راح يتواصل|سنتواصل|سيتواصل|بلغت الفريق|حولتك|سجلت رقمك|will call you|will contact you|will get back to you|have passed|have noted|سجلنا للفريق|كتبنا طلبكم للفريق|دونا طلبكم للفريق|وسجلناها|حولت محادثتكم|حولنا محادثتكم|حولتكم|زميلي راح|سيجيبكم|noted this for the team|noted for our team|written this down for the team|'ve passed|'ve handed|colleague will";

/// Returns a false claim. The customer's `own` order, which the shop had before, may be called placed if it
/// is named.
pub(super) fn wrong(text: &str, before: &[Entry], state: &State, own: &str) -> Option<String> {
    let bare = bare(text);
    let hold = |wordings, holds: bool, what: &str| (says(&bare, wordings) && !holds).then(|| what.to_owned());
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

/// Returns a text without numbers, such as that of an order within a claim, and without conditions.
fn bare(text: &str) -> String {
    let unnumbered: String = plain(text).chars().filter(|c| !c.is_ascii_digit()).collect();
    let bare = unnumbered.split_whitespace().collect::<Vec<_>>().join(" ");
    bare.replace(CONDITIONS, " ")
}

#[cfg(test)]
mod tests {
    use super::wrong;
    use crate::state::State;

    fn judged(text: &str) -> Option<String> {
        wrong(text, &[], &State::default(), "")
    }

    #[test]
    fn what_claims_nothing_is_let_pass_and_what_was_not_done_is_caught() {
        for text in [
            "To order, send me your name and the address. A summary follows, and the order is placed once you confirm it.",
            "حتى نسجل الطلب نحتاج المنتج والعدد والاسم والعنوان. بعدها يوصلكم ملخص، ومن تأكدوه يتثبت.",
            "أنا مساعد آلي أرد على الرسائل هنا، وزملائي وياي إذا احتجتوهم.",
            "طلبكم رقم 5001 واصلنا، وبعده ما تأكد",
        ] {
            assert_eq!(judged(text), None, "{text}");
        }
        for text in [
            "تم تثبيت طلبكم",
            "طلبكم رقم 9999 مؤكد",
            "Order 9999 has been confirmed.",
            "سجلنا للفريق: «اتصلوا بيه»",
            "زميلي راح يكمل وياكم هنا.",
            "I've passed your chat to a colleague, who will answer you here.",
            "Order 5001 has been cancelled.",
        ] {
            assert!(judged(text).is_some(), "{text}");
        }
    }
}
