//! Claims of an answer that something was done, and promises that something will be.

use super::{
    super::evidence::{Deed, Evidence},
    clauses::{clauses, stands_at, without_offer},
    denials::denies,
};
use crate::text::fold_for_search;

#[derive(Clone, Copy)]
enum Bearer {
    /// Only code says such a thing, and no model.
    Nothing,
    Deed(Deed),
}

/// Words that claim something, and what supports that. All of a row stand in one clause, in this order. A
/// star stands for any ending; a word with `_` before it stands right behind the one before.
const CLAIMS: &[(&str, Bearer)] = &[
    // Orders.
    ("تم تثبيت*", Bearer::Deed(Deed::OrderSeen)),
    ("تم تاكيد*", Bearer::Deed(Deed::OrderSeen)),
    ("تم طلب*", Bearer::Deed(Deed::OrderSeen)),
    ("تم الطلب", Bearer::Deed(Deed::OrderSeen)),
    ("تم استلام طلب*", Bearer::Deed(Deed::OrderSeen)),
    ("تم شحن*", Bearer::Deed(Deed::OrderSent)),
    ("تم ارسال*", Bearer::Deed(Deed::OrderSent)),
    ("تم توصيل*", Bearer::Deed(Deed::OrderSent)),
    ("تم تسليم*", Bearer::Deed(Deed::OrderSent)),
    ("تم تجهيز*", Bearer::Deed(Deed::OrderSeen)),
    ("تم تنفيذ*", Bearer::Deed(Deed::OrderSeen)),
    ("تم رفع*", Bearer::Nothing),
    ("تمت اضاف*", Bearer::Nothing),
    ("تمت جدول*", Bearer::Nothing),
    ("تمت العمليه", Bearer::Nothing),
    ("تم اضاف*", Bearer::Nothing),
    ("تم تعديل*", Bearer::Nothing),
    ("ثبت* طلب*", Bearer::Nothing),
    ("ثبت* الطلب", Bearer::Nothing),
    ("ثبتته", Bearer::Nothing),
    ("ثبتتها", Bearer::Nothing),
    ("ثبتناه", Bearer::Nothing),
    ("ثبتناها", Bearer::Nothing),
    ("ثبتنالك", Bearer::Nothing),
    ("ثبتتلك", Bearer::Nothing),
    ("ثبتلك", Bearer::Nothing),
    ("سجل* طلب*", Bearer::Deed(Deed::BookingRequested)),
    ("سجل* الطلب", Bearer::Deed(Deed::BookingRequested)),
    ("اكد* طلب*", Bearer::Nothing),
    ("استلمنا طلبك*", Bearer::Deed(Deed::OrderSeen)),
    ("وصلنا طلبك*", Bearer::Deed(Deed::OrderSeen)),
    ("وصلني طلبك*", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك وصلنا", Bearer::Deed(Deed::OrderSeen)),
    ("طلبتلك", Bearer::Nothing),
    ("طلبك تثبت", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك صار", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك مثبت", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك موكد", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك بالطريق", Bearer::Deed(Deed::OrderSent)),
    ("طلبك في الطريق", Bearer::Deed(Deed::OrderSent)),
    ("order is placed", Bearer::Deed(Deed::OrderSeen)),
    ("order has been", Bearer::Deed(Deed::OrderSeen)),
    ("order is confirmed", Bearer::Deed(Deed::OrderSeen)),
    ("order is on", Bearer::Deed(Deed::OrderSent)),
    ("order was", Bearer::Deed(Deed::OrderSeen)),
    ("received your order", Bearer::Deed(Deed::OrderSeen)),
    ("order confirmed", Bearer::Deed(Deed::OrderSeen)),
    ("order placed", Bearer::Deed(Deed::OrderSeen)),
    ("placed order", Bearer::Nothing),
    ("placed the order", Bearer::Nothing),
    ("placed your order", Bearer::Nothing),
    ("ordered it", Bearer::Nothing),
    ("ordered for you", Bearer::Nothing),
    ("confirmed your", Bearer::Nothing),
    ("سويت* طلب*", Bearer::Nothing),
    ("سويت* الطلب*", Bearer::Nothing),
    ("سوينا* طلب*", Bearer::Nothing),
    ("سوينا* الطلب*", Bearer::Nothing),
    ("رفعت* طلب*", Bearer::Nothing),
    ("رفعت* الطلب*", Bearer::Nothing),
    ("رفعنا* طلب*", Bearer::Nothing),
    ("رفعنا* الطلب*", Bearer::Nothing),
    ("كملنا* طلب*", Bearer::Nothing),
    ("كملنا* الطلب*", Bearer::Nothing),
    ("اكملنا* طلب*", Bearer::Nothing),
    ("اكملنا* الطلب*", Bearer::Nothing),
    ("كملتلك طلب*", Bearer::Nothing),
    ("كملتلك الطلب*", Bearer::Nothing),
    ("اكملتلك طلب*", Bearer::Nothing),
    ("اكملتلك الطلب*", Bearer::Nothing),
    ("خلصنا* طلب*", Bearer::Nothing),
    ("خلصنا* الطلب*", Bearer::Nothing),
    ("خلصتلك طلب*", Bearer::Nothing),
    ("خلصتلك الطلب*", Bearer::Nothing),
    ("دزينا* طلب*", Bearer::Nothing),
    ("دزينا* الطلب*", Bearer::Nothing),
    ("دزيتلك طلب*", Bearer::Nothing),
    ("دزيتلك الطلب*", Bearer::Nothing),
    ("ارسلنا* طلب*", Bearer::Nothing),
    ("ارسلنا* الطلب*", Bearer::Nothing),
    ("ارسلتلك طلب*", Bearer::Nothing),
    ("ارسلتلك الطلب*", Bearer::Nothing),
    ("قدمنا* طلب*", Bearer::Nothing),
    ("قدمنا* الطلب*", Bearer::Nothing),
    ("نزلنا* طلب*", Bearer::Nothing),
    ("نزلنا* الطلب*", Bearer::Nothing),
    ("جهزنا* طلب*", Bearer::Nothing),
    ("جهزنا* الطلب*", Bearer::Nothing),
    ("جهزتلك طلب*", Bearer::Nothing),
    ("جهزتلك الطلب*", Bearer::Nothing),
    ("انسجل* طلب*", Bearer::Nothing),
    ("انسجل* الطلب*", Bearer::Nothing),
    ("انطلب*", Bearer::Nothing),
    ("طلبك انسجل", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك تسجل", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك مسجل", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك انرفع", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك جاهز", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك قيد", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك تحت _الت*", Bearer::Deed(Deed::OrderSeen)),
    ("طلبك تحت _الم*", Bearer::Deed(Deed::OrderSeen)),
    ("بدانا بتجهيز", Bearer::Nothing),
    ("بدينا بتجهيز", Bearer::Nothing),
    ("بلشنا بتجهيز", Bearer::Nothing),
    ("placed it", Bearer::Nothing),
    ("submitted your", Bearer::Nothing),
    ("submitted the", Bearer::Nothing),
    ("submitted it", Bearer::Nothing),
    ("processed your order", Bearer::Nothing),
    ("processing your order", Bearer::Nothing),
    ("order is being", Bearer::Deed(Deed::OrderSeen)),
    ("order is ready", Bearer::Deed(Deed::OrderSeen)),
    ("order is _in _pr*", Bearer::Deed(Deed::OrderSeen)),
    ("order is _in _transit", Bearer::Deed(Deed::OrderSent)),
    ("order is processing", Bearer::Deed(Deed::OrderSeen)),
    ("order went through", Bearer::Deed(Deed::OrderSeen)),
    ("ordered that", Bearer::Nothing),
    ("all _set", Bearer::Nothing),
    // Bookings.
    ("تم حجز*", Bearer::Nothing),
    ("تم الحجز", Bearer::Nothing),
    ("حجزت*", Bearer::Nothing),
    ("حجزنا*", Bearer::Nothing),
    ("انحجز*", Bearer::Nothing),
    ("حجزك موكد", Bearer::Nothing),
    ("حجزك مثبت", Bearer::Nothing),
    ("موعدك موكد", Bearer::Nothing),
    ("موعدك مثبت", Bearer::Nothing),
    ("موعدك محجوز", Bearer::Nothing),
    ("صار حجزك", Bearer::Nothing),
    ("ثبت* موعد*", Bearer::Nothing),
    ("ثبت* حجز*", Bearer::Nothing),
    ("booked", Bearer::Nothing),
    ("reserved", Bearer::Nothing),
    ("appointment is confirmed", Bearer::Nothing),
    ("booking is confirmed", Bearer::Nothing),
    ("appointment has been", Bearer::Nothing),
    ("محجوز الك", Bearer::Nothing),
    ("محجوزه الك", Bearer::Nothing),
    ("محجوز لك", Bearer::Nothing),
    ("محجوزه لك", Bearer::Nothing),
    ("اعتبره محجوز", Bearer::Nothing),
    ("اعتبرها محجوزه", Bearer::Nothing),
    ("موعدك صار", Bearer::Nothing),
    ("صار موعدك", Bearer::Nothing),
    ("سجلت* موعد*", Bearer::Deed(Deed::BookingRequested)),
    ("سجلنا* موعد*", Bearer::Deed(Deed::BookingRequested)),
    // Cancellations.
    ("تم الغاء*", Bearer::Deed(Deed::CancellationSeen)),
    ("تم الغاو*", Bearer::Deed(Deed::CancellationSeen)),
    ("تم الالغاء", Bearer::Deed(Deed::CancellationSeen)),
    ("الغيت*", Bearer::Nothing),
    ("الغينا*", Bearer::Nothing),
    ("انلغ*", Bearer::Deed(Deed::CancellationSeen)),
    ("طلبك ملغي", Bearer::Deed(Deed::CancellationSeen)),
    ("cancelled your", Bearer::Nothing),
    ("canceled your", Bearer::Nothing),
    ("been cancelled", Bearer::Deed(Deed::CancellationSeen)),
    ("been canceled", Bearer::Deed(Deed::CancellationSeen)),
    ("is cancelled", Bearer::Deed(Deed::CancellationSeen)),
    ("was cancelled", Bearer::Deed(Deed::CancellationSeen)),
    ("لغيت*", Bearer::Nothing),
    ("لغينا*", Bearer::Nothing),
    ("كنسلت*", Bearer::Nothing),
    ("كنسلنا*", Bearer::Nothing),
    ("تكنسل*", Bearer::Deed(Deed::CancellationSeen)),
    ("canceled it", Bearer::Nothing),
    ("cancelled it", Bearer::Nothing),
    ("canceled the", Bearer::Nothing),
    ("cancelled the", Bearer::Nothing),
    ("رجعنالك", Bearer::Nothing),
    ("رجعنا فلوس*", Bearer::Nothing),
    ("refunded _your", Bearer::Nothing),
    ("refunded _you", Bearer::Nothing),
    ("refunded _the", Bearer::Nothing),
    // Hand-overs.
    ("تم تحويل*", Bearer::Nothing),
    ("حولتك", Bearer::Nothing),
    ("حولناك", Bearer::Nothing),
    ("حولت*", Bearer::Nothing),
    ("راح احولك", Bearer::Nothing),
    ("ساحولك", Bearer::Nothing),
    ("راح احول", Bearer::Nothing),
    ("بلغت*", Bearer::Nothing),
    ("بلغنا*", Bearer::Nothing),
    ("تم ابلاغ*", Bearer::Nothing),
    ("transferred you", Bearer::Nothing),
    ("transferring you", Bearer::Nothing),
    ("transfer you", Bearer::Nothing),
    ("connecting you", Bearer::Nothing),
    ("connect you", Bearer::Nothing),
    ("informed the team", Bearer::Nothing),
    ("notified", Bearer::Nothing),
    ("passed your", Bearer::Nothing),
    ("passed it", Bearer::Nothing),
    ("pass this on", Bearer::Nothing),
    ("pass it on", Bearer::Nothing),
    ("pass your", Bearer::Nothing),
    ("forwarded your", Bearer::Nothing),
    ("forwarded it", Bearer::Nothing),
    ("forwarded this", Bearer::Nothing),
    ("forward _your", Bearer::Nothing),
    ("escalated", Bearer::Nothing),
    ("خبرت الادار*", Bearer::Nothing),
    ("خبرت الفريق", Bearer::Nothing),
    ("خبرت المدير", Bearer::Nothing),
    ("خبرنا الادار*", Bearer::Nothing),
    ("خبرنا الفريق", Bearer::Nothing),
    ("رسالتك للفريق", Bearer::Nothing),
    ("شكواك وصلت", Bearer::Nothing),
    ("وصلت شكواك", Bearer::Nothing),
    ("رفعت شكو*", Bearer::Nothing),
    ("رفعنا شكو*", Bearer::Nothing),
    // Promises of others.
    ("راح يتصل*", Bearer::Deed(Deed::LeadCaptured)),
    ("سيتصل*", Bearer::Deed(Deed::LeadCaptured)),
    ("سنتصل", Bearer::Deed(Deed::LeadCaptured)),
    ("راح نتصل", Bearer::Deed(Deed::LeadCaptured)),
    ("نتصل بيك", Bearer::Deed(Deed::LeadCaptured)),
    ("راح نتواصل", Bearer::Deed(Deed::LeadCaptured)),
    ("سنتواصل", Bearer::Deed(Deed::LeadCaptured)),
    ("سيتواصل*", Bearer::Deed(Deed::LeadCaptured)),
    ("راح يتواصل*", Bearer::Deed(Deed::LeadCaptured)),
    ("راح يرد*", Bearer::Deed(Deed::LeadCaptured)),
    ("راح نبلغك", Bearer::Deed(Deed::UnderWay)),
    ("راح نخبرك", Bearer::Deed(Deed::UnderWay)),
    ("راح ارسلك", Bearer::Nothing),
    ("سارسل", Bearer::Nothing),
    ("will call you", Bearer::Deed(Deed::LeadCaptured)),
    ("will contact you", Bearer::Deed(Deed::LeadCaptured)),
    ("will get back", Bearer::Deed(Deed::LeadCaptured)),
    ("ll call you", Bearer::Deed(Deed::LeadCaptured)),
    ("ll get back", Bearer::Deed(Deed::LeadCaptured)),
    ("will reach out", Bearer::Deed(Deed::LeadCaptured)),
    ("will notify you", Bearer::Deed(Deed::UnderWay)),
    ("will let you know", Bearer::Deed(Deed::UnderWay)),
    ("راح نرجعلك", Bearer::Deed(Deed::LeadCaptured)),
    ("راح ارجعلك", Bearer::Deed(Deed::LeadCaptured)),
    ("نرجعلك خبر", Bearer::Deed(Deed::LeadCaptured)),
    ("ارجعلك خبر", Bearer::Deed(Deed::LeadCaptured)),
    ("نخابرك", Bearer::Deed(Deed::LeadCaptured)),
    ("اخابرك", Bearer::Deed(Deed::LeadCaptured)),
    ("راح ارد عليك", Bearer::Deed(Deed::LeadCaptured)),
    ("راح نرد عليك", Bearer::Deed(Deed::LeadCaptured)),
    ("be in touch", Bearer::Deed(Deed::LeadCaptured)),
    ("get in touch _with _you", Bearer::Deed(Deed::LeadCaptured)),
    ("will follow up", Bearer::Deed(Deed::LeadCaptured)),
    ("ll follow up", Bearer::Deed(Deed::LeadCaptured)),
    ("راح ادزلك", Bearer::Nothing),
    ("راح ندزلك", Bearer::Nothing),
    ("راح نرسلك", Bearer::Nothing),
    // What was written down.
    ("سجلت* شكو*", Bearer::Deed(Deed::LeadCaptured)),
    ("سجلنا* شكو*", Bearer::Deed(Deed::LeadCaptured)),
    ("سجلت* ملاحظ*", Bearer::Deed(Deed::LeadCaptured)),
    ("سجلنا* ملاحظ*", Bearer::Deed(Deed::LeadCaptured)),
    ("تم تسجيل*", Bearer::Deed(Deed::LeadCaptured)),
    ("سجل* بياناتك", Bearer::Deed(Deed::LeadCaptured)),
    ("سجل* رقمك", Bearer::Deed(Deed::LeadCaptured)),
    ("سجلتك", Bearer::Deed(Deed::LeadCaptured)),
    ("noted your", Bearer::Deed(Deed::LeadCaptured)),
    ("saved your", Bearer::Deed(Deed::LeadCaptured)),
    ("recorded your", Bearer::Deed(Deed::LeadCaptured)),
];
/// Words that claim something where they are all that a clause says.
const WHOLE: [&str; 2] = ["تم", "done"];
/// Words after which nothing is said to be done: it can be, has not been yet, or is a condition.
const OPEN: &[&str] = &["can", "until", "if", "once"];
/// Words right behind which stands a condition, a wish or a purpose.
const WANTED: &[&str] =
    &["اذا", "بدون", "حتي", "تكدر", "تكدرين", "تقدر", "تقدرين", "تريد", "تريدين", "تحب", "تحبين", "ممكن"];
/// Returns whether all that the text claims was done in this turn. What is said of an order names it: "your
/// order is placed" by itself says that one was placed just now.
pub(in crate::assistant) fn all_hold(text: &str, evidence: &Evidence) -> bool {
    let folded = fold_for_search(text);
    let names_order = evidence.names_order(&folded);
    let is_borne = |deed| match deed {
        Deed::OrderSeen | Deed::OrderSent => evidence.has(deed) && names_order,
        Deed::CancellationSeen | Deed::LeadCaptured | Deed::BookingRequested | Deed::UnderWay => {
            evidence.has(deed)
        }
    };
    clauses(text).iter().all(|clause| {
        let words = without_offer(clause);
        let is_done = matches!(words.as_slice(), [all] if WHOLE.contains(all));
        !is_done
            && CLAIMS.iter().all(|(claim, bearer)| {
                let held = match bearer {
                    Bearer::Nothing => false,
                    Bearer::Deed(deed) => is_borne(*deed),
                };
                held || !claims(&words, claim)
            })
    })
}

/// Returns whether the words hold the claim, not denied.
fn claims(words: &[&str], claim: &str) -> bool {
    (0..words.len()).any(|at| !is_open(words, at) && stands_at(words, at, claim))
}

/// Returns whether, by the words before it, what stands there is not said to be done.
fn is_open(words: &[&str], at: usize) -> bool {
    let before = |steps: usize| at.checked_sub(steps).and_then(|before| words.get(before));
    let denied = (at.saturating_sub(2)..at).any(|before| denies(words, before));
    denied
        || (1..=2).filter_map(before).any(|word| OPEN.contains(word))
        || before(1).is_some_and(|word| WANTED.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{
        super::clauses::{OFFERS, TO_BE},
        CLAIMS, OPEN, WANTED, WHOLE,
    };

    #[test]
    fn every_word_is_written_as_it_is_compared() {
        let claims = CLAIMS.iter().flat_map(|(claim, _)| claim.split(' '));
        let lists = [OFFERS, OPEN, TO_BE, WANTED, &WHOLE].into_iter().flatten().copied();
        for word in claims.chain(lists) {
            assert_eq!(crate::text::fold_for_search(word), word);
        }
    }
}
