//! Words of drafts that customers are asked to confirm.

use domain::{
    consent::{CommitmentState, DraftKind, DraftState},
    systems::Availability,
};

use super::pair::words;

words! {
    /// Words of drafts that customers are asked to confirm.
    ProposalWords:
    title: "Orders and bookings", "الطلبات والحجوزات";
    none: "Nothing was proposed here.", "لم يُقترح شيء هنا.";
    withdraw: "Take it back", "اسحبه";
    until: "Until", "حتى";
    offer_order: "Propose an order", "اقترح طلباً";
    offer_booking: "Propose a booking", "اقترح حجزاً";
    order: "Order", "طلب";
    booking: "Booking", "حجز";
    cancellation: "Cancellation", "إلغاء";
    open: "Waits for the customer", "بانتظار الزبون";
    confirmed: "Confirmed", "أكده الزبون";
    declined: "The customer said no", "رفضه الزبون";
    withdrawn: "Taken back", "سُحب";
    replaced: "Replaced by another one", "حل محله غيره";
    expired: "Nobody answered in time", "لم يجب أحد في الوقت";
    asked: "Your system is asked", "يُسأل نظامكم";
    done: "Done", "تم";
    refused: "Your system refused it", "رفضه نظامكم";
    tested: "The assistant was only tried: nothing was sent to your system", "كانت تجربة للمساعد: لم يُرسل شيء إلى نظامكم";
    changed: "The price or the time has changed", "تغير السعر أو الموعد";
    given_up: "Your system did not answer: look there", "لم يجب نظامكم: تحقق هناك";
    product: "Product", "المنتج";
    search: "What the customer would like", "ما الذي يريده الزبون";
    find: "Search", "بحث";
    no_product: "Nothing was found.", "لم يُعثر على شيء.";
    choose: "Choose", "اختر";
    another: "Another product", "منتج آخر";
    in_stock: "In stock", "متوفر";
    few_left: "Few left", "بقي القليل";
    out_of_stock: "Out of stock", "غير متوفر";
    variant: "Variant", "النوع";
    quantity: "How many", "العدد";
    name: "The customer's name", "اسم الزبون";
    phone: "Number to call, where it is another one", "رقم الاتصال إن كان غيره";
    line1: "Street, house, landmark", "الشارع والدار وأقرب نقطة دالة";
    city: "City", "المدينة";
    province: "Province", "المحافظة";
    note: "The customer's remark", "ملاحظة الزبون";
    language: "The customer is written to in", "لغة الرسالة إلى الزبون";
    ask: "Ask the customer to confirm", "اطلب التأكيد من الزبون";
    service: "Service", "الخدمة";
    slot: "Time", "الموعد";
    no_slot: "There is no free time in the next seven days.", "لا يوجد موعد متاح في الأيام السبعة القادمة.";
}

impl ProposalWords {
    /// Returns the words for a kind of draft.
    pub const fn kind(&self, kind: DraftKind) -> &'static str {
        match kind {
            DraftKind::Order => self.order,
            DraftKind::Booking => self.booking,
            DraftKind::Cancellation => self.cancellation,
        }
    }

    /// Returns the words for a draft's state.
    pub const fn state(&self, state: DraftState) -> &'static str {
        match state {
            DraftState::Open => self.open,
            DraftState::Confirmed => self.confirmed,
            DraftState::Declined => self.declined,
            DraftState::Withdrawn => self.withdrawn,
            DraftState::Replaced => self.replaced,
            DraftState::Expired => self.expired,
        }
    }

    /// Returns the words for what became of a confirmation.
    pub const fn outcome(&self, state: CommitmentState) -> &'static str {
        match state {
            CommitmentState::Confirmed => self.confirmed,
            CommitmentState::Asked => self.asked,
            CommitmentState::Done => self.done,
            CommitmentState::Refused => self.refused,
            CommitmentState::Tested => self.tested,
            CommitmentState::Changed => self.changed,
            CommitmentState::GivenUp => self.given_up,
        }
    }

    /// Returns the words for whether a product is available.
    pub const fn availability(&self, availability: Availability) -> &'static str {
        match availability {
            Availability::In => self.in_stock,
            Availability::Few => self.few_left,
            Availability::Out => self.out_of_stock,
        }
    }
}
