//! The stand-in's own words, in two languages: what it says where no acts can be said, and what it suggests
//! in place of code's wording of the same acts.

use serde_json::Value;
use time::OffsetDateTime;

use super::results::text;

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
    greeting "هلا بيكم، شلون نكدر نخدمكم؟" "Hello, how can we help?";
    thanks "العفو، تدللون." "You're welcome.";
    at_a_loss "ما عندي جواب أكيد على هذا السؤال." "I'm afraid I don't know that for certain.";
    nothing_found "للأسف ما لكينا هذا المنتج عدنا." "I am afraid I find no such product here.";
    which_product "أي منتج تقصدون؟" "Which product do you mean?";
    which_variant "أي نوع تريدون؟" "Which one would you like?";
    how_to_order "اكتبولي المنتج والعدد ويا الاسم والعنوان، ويوصلكم ملخص، ومن تأكدوه يتثبت." "Write how many you'd like, with your name and address. A summary follows, and you confirm it.";
    name "شنو الاسم الكريم؟" "What is your name, please?";
    address "شنو العنوان ويا المحافظة؟" "What is the address, please, with the city?";
    phone "شنو رقم الهاتف؟" "What is your phone number, please?";
    fixed_price "السعر ثابت، ما نكدر ننزل بيه." "The price is fixed, and we can't lower it.";
    declined "ولا يهمكم، مع السلامة." "No problem. Goodbye!";
    kept "تدللون." "You're welcome.";
    noted "سجلنا رغبتكم للفريق." "I have noted it for the team.";
    under_way "طلبكم قيد الإرسال وبعده ما تأكد، نخبركم هنا." "Your order is being passed on and is not confirmed yet. You will be told here.";
    no_times "للأسف ماكو مواعيد فارغة بهالفترة. أي يوم يناسبكم؟" "Sorry, no times are available then. Which day suits you?";
    number "ممكن رقم الطلب من فضلكم؟" "What is the order number, please?";
    no_such_order "ما لكينا طلب بهذا الرقم. ممكن رقم الطلب؟" "I find no order with this number. What is the order number, please?";
}

impl Words {
    /// Formats an amount as the tool returned it, with its currency.
    fn amount(self, price: &str, currency: &str) -> String {
        let unit = match (currency, self.arabic) {
            ("IQD", true) => "دينار",
            (code, _) => code,
        };
        format!("{price} {unit}").trim_end().to_owned()
    }

    fn availability(self, of: &str) -> &'static str {
        match (of, self.arabic) {
            ("in_stock", true) => "متوفر",
            ("in_stock", false) => "in stock",
            ("few_left", true) => "بس الباقي قليل",
            ("few_left", false) => "only a few are left",
            (_, true) => "بس للأسف ما ظل عدنا هسه",
            (_, false) => "out of stock right now",
        }
    }

    fn priced(self, title: &str, item: &Value, currency: &str) -> String {
        let price = self.amount(text(item, "price"), currency);
        let available = self.availability(text(item, "availability"));
        let before = text(item, "priceBefore");
        let before = (!before.is_empty()).then(|| self.amount(before, currency));
        match (self.arabic, before) {
            (true, None) => format!("{title} بـ {price}، {available}"),
            (true, Some(before)) => format!("{title} بـ {price}، {available}، بدل {before}"),
            (false, None) => format!("{title} is {price}, {available}"),
            (false, Some(before)) => format!("{title} is {price}, {available}, down from {before}"),
        }
    }

    pub(super) fn variant(self, product: &Value, variant: &Value) -> String {
        let title = format!("{} ({})", text(product, "title"), text(variant, "title"));
        self.priced(&title, variant, text(product, "currency"))
    }

    /// Describes a product with its price and availability, and those of its variants.
    pub(super) fn product(self, product: &Value) -> String {
        let currency = text(product, "currency");
        let variants = product.get("variants").and_then(Value::as_array);
        let variants = variants
            .into_iter()
            .flatten()
            .map(|it| format!("- {}", self.priced(text(it, "title"), it, currency)));
        let own = self.priced(text(product, "title"), product, currency);
        std::iter::once(own).chain(variants).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn products(self, products: &[&Value]) -> String {
        products.iter().map(|product| self.product(product)).collect::<Vec<_>>().join("\n")
    }

    /// Describes a product that is only close to what was asked for.
    pub(super) fn closest(self, product: &Value) -> String {
        let told = self.product(product);
        if self.arabic {
            format!("ما لكيت نفسه بالضبط، هاي أقرب شي عدنا:\n{told}")
        } else {
            format!("I couldn't find exactly that. The closest is:\n{told}")
        }
    }

    pub(super) fn variants(self, variants: &[&Value]) -> String {
        let titles: Vec<_> = variants.iter().map(|it| format!("• {}", text(it, "title"))).collect();
        format!("{}\n{}", self.which_variant(), titles.join("\n"))
    }

    /// Describes an order: its state, its cost, and its tracking link.
    pub(super) fn order(self, order: &Value) -> String {
        let state = match (text(order, "status"), self.arabic) {
            ("pending", true) => "بانتظار التأكيد",
            ("confirmed", true) => "مؤكد",
            ("processing", true) => "قيد التجهيز",
            ("shipped", true) => "مشحون وبالطريق",
            ("delivered", true) => "واصل",
            ("cancelled", true) => "ملغي",
            ("refunded", true) => "مرجعة فلوسه",
            (_, true) => "حالته مو واضحة عندي",
            ("unknown", false) => "its status isn't clear to me",
            (other, false) => other,
        };
        let (number, total) =
            (text(order, "number"), self.amount(text(order, "total"), text(order, "currency")));
        let link = text(order, "trackingUrl");
        let told = if self.arabic {
            format!("طلبكم رقم {number} {state}\nالمجموع {total}\n{link}")
        } else {
            format!("Your order {number} is {state}\nThe total is {total}\n{link}")
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
            format!("المواعيد المتوفرة:\n{times}\nأي وقت يناسبكم؟")
        } else {
            format!("These times are available:\n{times}\nWhich time suits you?")
        }
    }
}
