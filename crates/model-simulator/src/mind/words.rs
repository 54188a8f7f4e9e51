//! The stand-in's phrases, in two languages.

use serde_json::Value;
use time::OffsetDateTime;

use super::results::text;

/// Question for name and address, in both languages; a reply to it, as to those below, is parsed as its
/// answer.
pub(super) const DETAILS: [&str; 2] = ["الاسم والعنوان", "name and address"];
pub(super) const NAME: [&str; 2] = ["شنو الاسم؟", "what is the name"];
pub(super) const ADDRESS: [&str; 2] = ["شنو العنوان", "what is the address"];
pub(super) const PHONE: [&str; 2] = ["رقم الهاتف؟", "which phone number"];
pub(super) const CHANGE: [&str; 2] = ["شنو تحب تعدل", "What would you like to change"];
/// Beginning of a summary; the service writes those, and the receipt below, not the stand-in.
pub(super) const SUMMARY: [&str; 2] = ["هل تؤكد", "Do you confirm"];
pub(super) const RECEIPT: [&str; 2] = ["تم ت", "is placed"];
pub(super) const WHICH: [&str; 2] = ["أي نوع", "Which one"];
pub(super) const NUMBER: [&str; 2] = ["شنو رقم الطلب", "what number does the order have"];
pub(super) const NUMBER_TO_CANCEL: [&str; 2] = ["أي طلب تريد", "which order"];
pub(super) const TIME: [&str; 2] = ["أي وقت", "Which time"];
pub(super) const PRODUCT: [&str; 2] = ["أي منتج", "Which product"];

/// Words in a summary of a cancellation.
pub(super) const CANCELLATION: &[&str] = &["إلغاء", "cancel"];

/// Returns whether the business's message contains this question.
pub(super) fn asks(business: &str, question: [&str; 2]) -> bool {
    question.iter().any(|words| business.contains(words))
}

/// Phrases in the customer's language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    pub(super) arabic: bool,
}

macro_rules! sayings {
    ($($name:ident $arabic:literal $english:literal;)*) => {
        impl Words {
            $(pub(super) fn $name(self) -> &'static str {
                if self.arabic { $arabic } else { $english }
            })*
        }
    };
}

sayings! {
    greeting "هلا بيك، شلون أكدر أساعدك؟" "Hello, how can I help?";
    thanks "بالخدمة، تدلل." "You are welcome.";
    at_a_loss "ما عندي جواب على هذا السؤال." "I have no answer to that.";
    nothing_found "للأسف ما لكيت هذا المنتج عندنا." "I am afraid I find no such product here.";
    which_product "أي منتج تقصد؟" "Which product do you mean?";
    how_to_order "إذا تحب تطلب، اكتبلي العدد ويا الاسم والعنوان." "If you would like it, write how many, with your name and address.";
    details "شنو الاسم والعنوان ويا المحافظة حتى أجهز ملخص الطلب؟" "For the summary, what are your name and address, with the city?";
    name "شنو الاسم؟" "For the summary, what is the name?";
    address "شنو العنوان ويا المحافظة؟" "For the summary, what is the address, with the city?";
    phone "شنو رقم الهاتف؟" "Please, which phone number may be called?";
    change "شنو تحب تعدل؟" "What would you like to change?";
    press "باقي بس تضغط زر التأكيد الموجود جوه الملخص." "Please use the button below the summary to confirm.";
    declined "ولا يهمك، إذا تحتاج شي ثاني اكتبلي." "No problem. Write whenever you need anything else.";
    will_call "سجلت رغبتك والفريق راح يتواصل وياك." "I have noted it, and the team will contact you.";
    number "شنو رقم الطلب؟" "Please, what number does the order have?";
    number_to_cancel "أي طلب تريد؟ اكتبلي رقمه." "Please write which order it is, by its number.";
    no_such_order "ما لكيت طلب بهذا الرقم." "I find no order with this number.";
    team_decides "شكراً إلك، الفريق هو اللي يقرر الوقت." "Thank you. The team decides about the time.";
}

impl Words {
    /// Formats an amount as the tool returned it, with the currency as summaries have it.
    fn amount(self, price: &str, currency: &str) -> String {
        let unit = match (currency, self.arabic) {
            ("IQD", true) => "د.ع",
            (code, _) => code,
        };
        format!("{price} {unit}").trim_end().to_owned()
    }

    fn availability(self, of: &str) -> &'static str {
        match (of, self.arabic) {
            ("in_stock", true) => "متوفر",
            ("in_stock", false) => "in stock",
            ("few_left", true) => "باقي منه القليل",
            ("few_left", false) => "only a few left",
            (_, true) => "غير متوفر حالياً",
            (_, false) => "out of stock at the moment",
        }
    }

    fn priced(self, item: &Value, currency: &str) -> String {
        let price = self.amount(text(item, "price"), currency);
        let available = self.availability(text(item, "availability"));
        let title = text(item, "title");
        let before = text(item, "priceBefore");
        let before = (!before.is_empty()).then(|| self.amount(before, currency));
        match (self.arabic, before) {
            (true, None) => format!("{title}: {price}، {available}"),
            (true, Some(before)) => format!("{title}: {price} بدل {before}، {available}"),
            (false, None) => format!("{title}: {price}, {available}"),
            (false, Some(before)) => format!("{title}: {price} instead of {before}, {available}"),
        }
    }

    pub(super) fn variant(self, product: &Value, variant: &Value) -> String {
        format!("{} {}", text(product, "title"), self.priced(variant, text(product, "currency")))
    }

    /// Describes a product with its price and availability, and those of its variants.
    pub(super) fn product(self, product: &Value) -> String {
        let currency = text(product, "currency");
        let variants = product.get("variants").and_then(Value::as_array);
        let variants = variants.into_iter().flatten().map(|it| format!("- {}", self.priced(it, currency)));
        std::iter::once(self.priced(product, currency)).chain(variants).collect::<Vec<_>>().join("\n")
    }

    /// Describes a product that is only close to what was asked for.
    pub(super) fn closest(self, product: &Value) -> String {
        let told = self.product(product);
        if self.arabic {
            format!("ما لكيت نفسه بالضبط، أقرب شي عندنا:\n{told}")
        } else {
            format!("I do not find exactly that. The closest that we have:\n{told}")
        }
    }

    pub(super) fn which_variant(self, variants: &[&Value]) -> String {
        let titles: Vec<_> = variants.iter().map(|it| text(it, "title")).collect();
        if self.arabic {
            format!("أي نوع تحب؟ {}", titles.join("، "))
        } else {
            format!("Which one would you like? {}", titles.join(", "))
        }
    }

    /// Describes an order: its state, its cost, and its tracking link.
    pub(super) fn order(self, order: &Value) -> String {
        let state = match (text(order, "status"), self.arabic) {
            ("pending", true) => "قيد الانتظار",
            ("confirmed", true) => "مؤكد",
            ("processing", true) => "قيد التجهيز",
            ("shipped", true) => "مشحون",
            ("delivered", true) => "واصل",
            ("cancelled", true) => "ملغي",
            ("refunded", true) => "مسترجع المبلغ",
            (_, true) => "غير معروف حالياً",
            ("unknown", false) => "not known at the moment",
            (other, false) => other,
        };
        let (number, total) =
            (text(order, "number"), self.amount(text(order, "total"), text(order, "currency")));
        let link = text(order, "trackingUrl");
        let told = if self.arabic {
            format!("طلبك رقم {number}: {state}، المجموع {total}. {link}")
        } else {
            format!("Your order number {number}: {state}, total {total}. {link}")
        };
        told.trim_end().to_owned()
    }

    pub(super) fn moment(self, at: OffsetDateTime) -> String {
        let (day, month) = (at.day(), u8::from(at.month()));
        let (hour, minute) = (at.hour(), at.minute());
        if self.arabic {
            format!("{day}/{month} الساعة {hour}:{minute:02}")
        } else {
            format!("{day}/{month} at {hour}:{minute:02}")
        }
    }

    pub(super) fn slots(self, times: &[String]) -> String {
        let times = times.join("\n");
        if self.arabic {
            format!("المواعيد المتوفرة:\n{times}\nأي وقت يناسبك؟")
        } else {
            format!("These times are free:\n{times}\nWhich time suits you?")
        }
    }
}
