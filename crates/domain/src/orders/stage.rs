//! Where an order stands, as its customer is told.

use super::status::OrderStatus;
use crate::text::{PlainText, fold_for_search};

/// Longest words of a system's own that are repeated, in characters.
const LONGEST_WORDS: usize = 60;
/// What one shop system writes before each of its states.
const PREFIX: &str = "wc-";

/// Where an order stands, as its customer is told: shop systems have more words for it than the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderStage {
    Pending,
    AwaitingPayment,
    Paid,
    PartlyPaid,
    Confirmed,
    OnHold,
    Postponed,
    Delayed,
    InProgress,
    AwaitingStock,
    Processing,
    Ready,
    ReadyToShip,
    ReadyForPickup,
    Unshipped,
    InWarehouse,
    PartlyShipped,
    Shipped,
    InTransit,
    WithCourier,
    OutForDelivery,
    DeliveryFailed,
    NoAnswer,
    PhoneOff,
    WrongAddress,
    Fulfilled,
    Delivered,
    PartlyDelivered,
    Returned,
    PartlyReturned,
    PartlyRefunded,
    Refunded,
    Rejected,
    RefusedOnDelivery,
    Failed,
    Cancelled,
    /// Words of the system's own.
    Other(PlainText),
    Unknown,
}

/// Words for each stage; capitals, spaces and what joins words do not count.
const WORDS: &[(OrderStage, &[&str])] = &[
    (
        OrderStage::Pending,
        &[
            "pending",
            "new",
            "new order",
            "awaiting confirmation",
            "pending confirmation",
            "unconfirmed",
            "not confirmed",
            "بانتظار التأكيد",
            "قيد الانتظار",
            "غير مؤكد",
            "جديد",
            "طلب جديد",
            "نوێ",
            "داواکاری نوێ",
            "چاوەڕێی پشتڕاستکردنەوە",
            "چاوەڕوانی",
        ],
    ),
    (
        OrderStage::AwaitingPayment,
        &[
            "awaiting payment",
            "pending payment",
            "payment pending",
            "waiting for payment",
            "unpaid",
            "not paid",
            "بانتظار الدفع",
            "غير مدفوع",
            "لم يدفع",
            "چاوەڕێی پارەدان",
            "چاوەڕێی پارەدانە",
            "پارە نەدراوە",
        ],
    ),
    (
        OrderStage::Paid,
        &["paid in full", "paid", "payment received", "مدفوع", "تم الدفع", "پارە دراوە", "پارەی دراوە"],
    ),
    (OrderStage::PartlyPaid, &["partially paid", "partly paid", "مدفوع جزئيا", "بەشێکی پارە دراوە"]),
    (
        OrderStage::Confirmed,
        &[
            "confirmed",
            "accepted",
            "approved",
            "مؤكد",
            "تم التأكيد",
            "تأكد",
            "مقبول",
            "پشتڕاستکرایەوە",
            "پشتڕاستکراوەتەوە",
        ],
    ),
    (
        OrderStage::OnHold,
        &[
            "on hold",
            "hold",
            "held",
            "paused",
            "معلق",
            "موقوف",
            "متوقف",
            "ڕاگیراوە",
            "ڕاگیرا",
            "وەستاوە",
            "وەستێنراوە",
        ],
    ),
    (
        OrderStage::Postponed,
        &[
            "postponed to tomorrow",
            "مؤجل ليوم آخر",
            "postponed",
            "rescheduled",
            "deferred",
            "مؤجل",
            "تأجل",
            "تم التأجيل",
            "دواخراوە",
            "دواخرا",
        ],
    ),
    (OrderStage::Delayed, &["delayed", "متأخر", "تأخر", "دواکەوتووە", "دواکەوت"]),
    (
        OrderStage::InProgress,
        &["in progress", "open", "قيد التنفيذ", "قيد العمل", "جاري العمل", "لە کاردایە", "کاری لەسەر دەکرێت"],
    ),
    (
        OrderStage::AwaitingStock,
        &[
            "backordered",
            "on backorder",
            "backorder",
            "awaiting stock",
            "waiting for stock",
            "بانتظار توفر الكمية",
        ],
    ),
    (
        OrderStage::Processing,
        &[
            "label printed",
            "جاري المعالجة",
            "processing",
            "preparing",
            "in preparation",
            "being prepared",
            "packing",
            "قيد التجهيز",
            "قيد المعالجة",
            "قيد التحضير",
            "جاري التجهيز",
            "دا يتجهز",
            "ئامادە دەکرێت",
            "لە ئامادەکردندایە",
            "ئامادەکردن",
        ],
    ),
    (
        OrderStage::Ready,
        &["ready", "prepared", "جاهز", "مجهز", "تم التجهيز", "ئامادەیە", "ئامادەکراوە", "ئامادە کرا"],
    ),
    (
        OrderStage::ReadyToShip,
        &["packed", "ready to ship", "ready for shipping", "جاهز للشحن", "مغلف", "ئامادەیە بۆ ناردن"],
    ),
    (
        OrderStage::ReadyForPickup,
        &[
            "ready for pickup",
            "ready to collect",
            "ready for collection",
            "awaiting pickup",
            "جاهز للاستلام",
            "بانتظار الاستلام",
            "ئامادەیە بۆ وەرگرتن",
        ],
    ),
    (
        OrderStage::InWarehouse,
        &["in warehouse", "at warehouse", "in sorting", "في المخزن", "بالمخزن", "في الفرز", "لە کۆگایە"],
    ),
    (
        OrderStage::Unshipped,
        &[
            "unfulfilled",
            "unshipped",
            "not shipped",
            "awaiting fulfillment",
            "awaiting fulfilment",
            "awaiting shipment",
            "غير مشحون",
            "بانتظار الشحن",
            "لم يشحن",
            "نەنێردراوە",
            "چاوەڕێی ناردن",
        ],
    ),
    (
        OrderStage::PartlyShipped,
        &[
            "partially shipped",
            "partly shipped",
            "partially fulfilled",
            "مشحون جزئيا",
            "تم الشحن جزئيا",
            "بەشێکی نێردراوە",
        ],
    ),
    (
        OrderStage::Shipped,
        &[
            "shipped",
            "dispatched",
            "despatched",
            "sent",
            "تم الشحن",
            "مشحون",
            "انشحن",
            "تم الإرسال",
            "نێردرا",
            "نێردراوە",
        ],
    ),
    (
        OrderStage::InTransit,
        &[
            "in transit",
            "on the way",
            "on its way",
            "en route",
            "بالطريق",
            "في الطريق",
            "لە ڕێگایە",
            "لە ڕێگادایە",
        ],
    ),
    (
        OrderStage::WithCourier,
        &[
            "with courier",
            "with the courier",
            "handed to courier",
            "handed over to courier",
            "picked up by courier",
            "assigned to courier",
            "with driver",
            "with the driver",
            "with carrier",
            "تم التسليم للمندوب",
            "تم الاستلام من المندوب",
            "تم الاستلام من قبل المندوب",
            "لدى المندوب",
            "عند المندوب",
            "دراوەتە گەیەنەر",
        ],
    ),
    (
        OrderStage::OutForDelivery,
        &[
            "out for delivery",
            "قيد التوصيل",
            "جاري التوصيل",
            "خرج للتوصيل",
            "مع المندوب",
            "لای گەیەنەرە",
            "دەرچووە بۆ گەیاندن",
            "لە گەیاندندایە",
        ],
    ),
    (
        OrderStage::DeliveryFailed,
        &[
            "delivery failed",
            "failed delivery attempt",
            "failed delivery",
            "attempted delivery",
            "delivery attempted",
            "failed attempt",
            "تعذر التوصيل",
            "فشل التوصيل",
            "تعذر التسليم",
            "نەگەیەندرا",
        ],
    ),
    (
        OrderStage::NoAnswer,
        &[
            "no answer",
            "customer did not answer",
            "customer not answering",
            "لا يرد",
            "الزبون لا يرد",
            "لم يتم الرد",
            "لم يرد الزبون",
            "لم يرد",
            "وەڵام نەبوو",
        ],
    ),
    (OrderStage::PhoneOff, &["phone off", "phone switched off", "الهاتف مغلق", "هاتف مغلق", "الموبايل مغلق"]),
    (
        OrderStage::WrongAddress,
        &[
            "wrong address",
            "incorrect address",
            "address not found",
            "عنوان خطأ",
            "العنوان خطأ",
            "عنوان غير صحيح",
        ],
    ),
    (OrderStage::Fulfilled, &["fulfilled", "تم التنفيذ", "منفذ", "جێبەجێ کراوە"]),
    (
        OrderStage::PartlyDelivered,
        &["partially delivered", "partly delivered", "تسليم جزئي", "سلم جزئيا", "بەشێکی گەیەندراوە"],
    ),
    (
        OrderStage::Delivered,
        &[
            "delivered to customer",
            "وصل",
            "تم التسليم للزبون",
            "delivered",
            "completed",
            "complete",
            "تم التسليم",
            "تم التوصيل",
            "مستلم",
            "واصل",
            "مكتمل",
            "گەیشت",
            "گەیشتووە",
            "گەیەندرا",
            "گەیەندراوە",
            "تەواو بووە",
        ],
    ),
    (
        OrderStage::Returned,
        &[
            "returned to sender",
            "return to sender",
            "rto",
            "راجع للمتجر",
            "returned",
            "راجع",
            "مرتجع",
            "رجع",
            "تم الإرجاع",
            "گەڕاوەتەوە",
            "گەڕایەوە",
            "گەڕێندراوەتەوە",
        ],
    ),
    (OrderStage::PartlyReturned, &["partially returned", "partly returned", "راجع جزئي", "مرتجع جزئي"]),
    (OrderStage::PartlyRefunded, &["partially refunded", "partly refunded", "مسترد جزئيا"]),
    (
        OrderStage::Refunded,
        &["refunded", "مسترد", "تم استرداد المبلغ", "تم إرجاع المبلغ", "پارە گەڕێندراوەتەوە"],
    ),
    (
        OrderStage::Rejected,
        &["rejected", "refused", "declined", "مرفوض", "تم الرفض", "ڕەتکرایەوە", "ڕەتکراوەتەوە"],
    ),
    (
        OrderStage::RefusedOnDelivery,
        &[
            "refused on delivery",
            "refused by customer",
            "rejected by customer",
            "رفض الاستلام",
            "الزبون رفض الاستلام",
            "تم رفض الاستلام",
        ],
    ),
    (OrderStage::Failed, &["failed", "فشل", "سەرکەوتوو نەبوو"]),
    (
        OrderStage::Cancelled,
        &[
            "cancelled by customer",
            "canceled by customer",
            "الغاه الزبون",
            "cancelled",
            "canceled",
            "voided",
            "ملغي",
            "ملغية",
            "تم الإلغاء",
            "هەڵوەشێندرایەوە",
            "هەڵوەشێندراوەتەوە",
            "هەڵوەشاوەتەوە",
        ],
    ),
];

impl OrderStage {
    /// Parses a system's word; what is none of those known here is kept if it consists of words.
    pub fn read(word: &str) -> Self {
        let word = word.trim();
        let bare = word.get(..PREFIX.len()).filter(|it| it.eq_ignore_ascii_case(PREFIX));
        let bare = bare.and_then(|prefix| word.get(prefix.len()..)).unwrap_or(word);
        let said = letters(bare);
        let is_said = |words: &[&str]| words.iter().any(|word| letters(word) == said);
        match WORDS.iter().find(|(_, words)| is_said(words)) {
            Some((stage, _)) => stage.clone(),
            None => own_words(bare).map_or(Self::Unknown, Self::Other),
        }
    }
}

impl OrderStage {
    /// Returns its name to a model.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Pending => "pending",
            Self::AwaitingPayment => "awaiting_payment",
            Self::Paid => "paid",
            Self::PartlyPaid => "partly_paid",
            Self::Confirmed => "confirmed",
            Self::OnHold => "on_hold",
            Self::Postponed => "postponed",
            Self::Delayed => "delayed",
            Self::InProgress => "in_progress",
            Self::AwaitingStock => "awaiting_stock",
            Self::Processing => "processing",
            Self::Ready => "ready",
            Self::ReadyToShip => "ready_to_ship",
            Self::ReadyForPickup => "ready_for_pickup",
            Self::Unshipped => "unshipped",
            Self::InWarehouse => "in_warehouse",
            Self::PartlyShipped => "partly_shipped",
            Self::Shipped => "shipped",
            Self::InTransit => "in_transit",
            Self::WithCourier => "with_courier",
            Self::OutForDelivery => "out_for_delivery",
            Self::DeliveryFailed => "delivery_failed",
            Self::NoAnswer => "no_answer",
            Self::PhoneOff => "phone_off",
            Self::WrongAddress => "wrong_address",
            Self::Fulfilled => "fulfilled",
            Self::Delivered => "delivered",
            Self::PartlyDelivered => "partly_delivered",
            Self::Returned => "returned",
            Self::PartlyReturned => "partly_returned",
            Self::PartlyRefunded => "partly_refunded",
            Self::Refunded => "refunded",
            Self::Rejected => "rejected",
            Self::RefusedOnDelivery => "refused_on_delivery",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Other(words) => words.as_str(),
            Self::Unknown => "unknown",
        }
    }
}

impl From<OrderStatus> for OrderStage {
    fn from(status: OrderStatus) -> Self {
        match status {
            OrderStatus::Pending => Self::Pending,
            OrderStatus::Confirmed => Self::Confirmed,
            OrderStatus::Processing => Self::Processing,
            OrderStatus::Shipped => Self::Shipped,
            OrderStatus::Delivered => Self::Delivered,
            OrderStatus::Cancelled => Self::Cancelled,
            OrderStatus::Refunded => Self::Refunded,
            OrderStatus::Unknown => Self::Unknown,
        }
    }
}

fn letters(word: &str) -> String {
    fold_for_search(word).chars().filter(|c| c.is_alphabetic()).collect()
}

/// Returns what a person wrote for people: a code, a number and a link are none.
fn own_words(word: &str) -> Option<PlainText> {
    let is_of_words = |c: char| c.is_alphabetic() || " -'’،".contains(c);
    let (words, is_whole) = PlainText::read_whole(word, LONGEST_WORDS)?;
    let folded = letters(words.as_str());
    let tells =
        folded.chars().count() > 2 && !matches!(folded.as_str(), "unknown" | "none" | "null" | "undefined");
    (is_whole && tells && words.as_str().chars().all(is_of_words)).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::{OrderStage, WORDS, letters};

    #[test]
    fn a_state_is_read_however_a_system_writes_it() {
        for (word, stage) in [
            ("Out for delivery", OrderStage::OutForDelivery),
            ("out_for_delivery", OrderStage::OutForDelivery),
            ("OutForDelivery", OrderStage::OutForDelivery),
            ("wc-on-hold", OrderStage::OnHold),
            ("On Hold", OrderStage::OnHold),
            ("partially_fulfilled", OrderStage::PartlyShipped),
            ("UNFULFILLED", OrderStage::Unshipped),
            ("payment_pending", OrderStage::AwaitingPayment),
            ("wc-processing", OrderStage::Processing),
            ("Complete", OrderStage::Delivered),
            ("تم_التوصيل", OrderStage::Delivered),
            ("قيد التوصيل", OrderStage::OutForDelivery),
            ("راجع", OrderStage::Returned),
            ("لە ڕێگایە", OrderStage::InTransit),
            ("گەیشت", OrderStage::Delivered),
            ("awaiting_customs", OrderStage::Unknown),
            ("st 4", OrderStage::Unknown),
            ("unknown", OrderStage::Unknown),
            ("", OrderStage::Unknown),
            ("see shop.example", OrderStage::Unknown),
        ] {
            assert_eq!(OrderStage::read(word), stage, "{word}");
        }
        let OrderStage::Other(words) = OrderStage::read(" بانتظار المندوب ") else {
            panic!("no words")
        };
        assert_eq!(words.as_str(), "بانتظار المندوب");
    }

    #[test]
    fn each_word_has_one_stage() {
        let mut all: Vec<_> = WORDS.iter().flat_map(|(_, words)| *words).map(|word| letters(word)).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn the_contracts_words_stand_for_what_clients_are_shown() {
        for word in ["pending", "confirmed", "processing", "shipped", "delivered", "cancelled", "refunded"] {
            let status = super::OrderStatus::read(word);
            assert_eq!(OrderStage::read(word), OrderStage::from(status), "{word}");
            assert_eq!(OrderStage::from(status).as_str(), status.as_str());
        }
    }
}
