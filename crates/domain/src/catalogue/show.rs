//! Messages that show a product to a customer: its price in words, and its photo.

use std::{fmt::Write, sync::Arc};

use super::browse::BrowseCatalogue;
use crate::{
    currency::Currency,
    ids::{ConversationId, MemberId, WorkspaceId},
    language::Language,
    money::amount,
    sending::{IdempotencyKey, Replied, ReplyRequest, SendError, SendReply},
    systems::{Availability, Listing, Product, SystemError},
};

/// Which product is shown, and where.
#[derive(Debug, Clone)]
pub struct ShowRequest {
    pub conversation: ConversationId,
    pub product: String,
    /// Variant whose price is shown; `None` for the product's own price.
    pub variant: Option<String>,
    pub language: Language,
    /// Makes a repeat of the request harmless.
    pub key: Option<IdempotencyKey>,
}

/// Reason why a product was not shown.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    #[error("the product has no such variant")]
    NoSuchVariant,
    #[error(transparent)]
    System(#[from] SystemError),
    /// The message with the price was not sent.
    #[error(transparent)]
    Send(#[from] SendError),
}

/// Messages that showed a product.
#[derive(Debug)]
pub struct Shown {
    pub words: Replied,
    /// The photo message; `None` if the product has no photo or sending it failed, which is harmless.
    pub photo: Option<Replied>,
}

/// Use case that shows products.
pub struct ShowProduct {
    pub browse: BrowseCatalogue,
    pub reply: Arc<SendReply>,
}

impl ShowProduct {
    /// Sends the product's current price, then its photo, as `author`. Once begun it must be run to its end,
    /// as a reply.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        request: &ShowRequest,
    ) -> Result<Shown, ShowError> {
        let (product, currency) = self.browse.product(workspace, &request.product).await?;
        let listing = match &request.variant {
            Some(id) => product.variants.iter().map(|it| &it.listing).find(|it| it.id.as_str() == id),
            None => Some(&product.listing),
        };
        let text = words(&product, listing.ok_or(ShowError::NoSuchVariant)?, currency, request.language);
        let words = ReplyRequest {
            conversation: request.conversation,
            text,
            buttons: Vec::new(),
            upload: None,
            key: request.key.clone(),
            id: None,
        };
        let words = self.reply.run(workspace, author, &words).await?;
        let Some(photo) = &product.photo else { return Ok(Shown { words, photo: None }) };
        // The keys of callers have no line break.
        let key = request
            .key
            .as_ref()
            .map(|key| IdempotencyKey { key: format!("photo\n{}", key.key), request: key.request.clone() });
        let photo = self.reply.run_photo(workspace, author, request.conversation, photo, key).await;
        Ok(Shown { words, photo: photo.ok() })
    }
}

/// Words a product for a customer, without quantities.
fn words(product: &Product, listing: &Listing, currency: Currency, language: Language) -> String {
    let currency = product.currency.unwrap_or(currency);
    let price = |money| language.run(&amount(money, currency));
    let mut text = language.words(product.listing.title.as_str());
    if listing.title != product.listing.title {
        write!(text, " ({})", language.words(listing.title.as_str())).ok();
    }
    write!(text, "\n{}", price(&listing.price)).ok();
    let is_own = listing.id == product.listing.id;
    if let Some(before) = product.discounted_from().filter(|_| is_own) {
        let before = price(before);
        match language {
            Language::Arabic => write!(text, " بدلاً من {before}").ok(),
            Language::English => write!(text, " instead of {before}").ok(),
            Language::Sorani => write!(text, " لە جیاتی {before}").ok(),
        };
    }
    let availability = match listing.availability {
        Availability::In => language.pick("متوفر", "In stock", "بەردەستە"),
        Availability::Few => language.pick("بقي منه القليل", "Few left", "کەمی ماوە"),
        Availability::Out => language.pick("غير متوفر حالياً", "Not in stock now", "ئێستا بەردەست نییە"),
    };
    write!(text, "\n{availability}").ok();
    if let Some(link) = &product.link {
        write!(text, "\n{}", link.as_str()).ok();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Language, words};
    use crate::{
        link::WebLink,
        money::Money,
        systems::{Availability, Listing, Product, call::fixtures::product},
    };

    #[test]
    fn a_customer_reads_price_discount_and_availability_and_never_how_many_there_are() {
        let milk = product("m1", "حليب");
        let few = Listing { availability: Availability::Few, ..milk.listing.clone() };
        let mut discounted = Product::of(few).compared_with(Money::of_number("2000"));
        discounted.link = WebLink::parse("https://shop.example/milk");
        let iqd = "IQD".parse().unwrap();
        for (product, language, text) in [
            (&milk, Language::Arabic, "حليب\n\u{2066}1,500 IQD\u{2069}\nمتوفر"),
            (&milk, Language::English, "حليب\n1,500 IQD\nIn stock"),
            (&milk, Language::Sorani, "حليب\n\u{2066}1,500 IQD\u{2069}\nبەردەستە"),
            (
                &discounted,
                Language::English,
                "حليب\n1,500 IQD instead of 2,000 IQD\nFew left\nhttps://shop.example/milk",
            ),
        ] {
            assert_eq!(words(product, &product.listing, iqd, language), text);
        }
        let size = product("m1-2", "حليب 2 لتر").listing;
        let text = words(&milk, &size, iqd, Language::English);
        assert!(text.starts_with("حليب (حليب 2 لتر)\n"), "{text}");
    }
}
