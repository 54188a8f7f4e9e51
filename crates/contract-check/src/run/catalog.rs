//! Run of the checks of the catalogue, which only read.

use serde_json::Value;

use super::{NOTHING, Run};
use crate::caller::{Answer, Ask};
use crate::judge::{Judged, id_text, product};

/// A word that no title holds.
const NO_WORD: &str = "qzxwvkjh";
/// Parts of words, for systems that list nothing without a word.
const COMMON: [&str; 3] = ["", "ا", "a"];

impl Run<'_> {
    pub(super) async fn catalog(self) {
        self.unknown_product().await;
        let mut listed = Vec::new();
        for word in COMMON {
            let Some(found) = self.search(word).await else { return };
            listed = found;
            if !listed.is_empty() {
                break;
            }
        }
        if let Some((id, title)) = listed.iter().find_map(usable) {
            self.one_product(&id).await;
            self.finds(&id, &title).await;
        } else {
            self.caller
                .log()
                .note("the searches for nothing, ا and a list no product: little of it could be tried");
        }
        self.narrows(&listed).await;
    }

    async fn unknown_product(self) {
        let Some(answer) = self.caller.ask(&Ask::get(&["products", NOTHING])).await else { return };
        self.expects_404("product.unknown", &answer);
    }

    pub(super) fn expects_404(self, check: &'static str, answer: &Answer) {
        let seen = if answer.status == 404 { Ok(()) } else { Err(format!("answered {}", answer.status)) };
        self.caller.log().settle(check, &answer.call, seen);
    }

    /// Searches products; `None` if the answer cannot be used.
    async fn search(self, q: &str) -> Option<Vec<Value>> {
        let ask = Ask::get(&["products"]).query("q", q).query("limit", "50");
        let answer = self.caller.ask(&ask).await?;
        let products = answer.body().get("products").and_then(Value::as_array);
        let mut log = self.caller.log();
        let Some(products) = products.filter(|_| answer.status == 200) else {
            log.found(
                "products.answer",
                &answer.call,
                format!("answered {} without the list", answer.status),
            );
            return None;
        };
        log.pass("products.answer", &answer.call);
        log.take(&answer.call, product::list(products));
        Some(products.clone())
    }

    async fn one_product(self, id: &str) {
        let Some(answer) = self.caller.ask(&Ask::get(&["products", id])).await else { return };
        let body = answer.body();
        let mut log = self.caller.log();
        if answer.status != 200 || !["id", "title", "price"].iter().any(|field| body.get(field).is_some()) {
            let detail = format!("answered {} without a product", answer.status);
            log.found("product.answer", &answer.call, detail);
            return;
        }
        log.pass("product.answer", &answer.call);
        let mut judged = Judged::default();
        product::one(&mut judged, body, "product");
        if let Some(answered) = body.get("id").and_then(id_text) {
            let other = || Err(format!("answered the product {answered}"));
            judged.see("product.same", if answered == id { Ok(()) } else { other() });
        }
        log.take(&answer.call, judged);
    }

    async fn finds(self, id: &str, title: &str) {
        let Some(word) = longest_word(title) else { return };
        let Some(found) = self.search(word).await else { return };
        let is_it = |product: &Value| {
            product.get("id").and_then(id_text).as_deref() == Some(id)
                || product.get("title").and_then(Value::as_str) == Some(title)
        };
        let there = found.len() >= 50 || found.iter().any(is_it);
        let missing = || Err(format!("`{word}`, of the title of {id}, does not find it"));
        self.caller.log().settle("products.search", "GET /products", if there { Ok(()) } else { missing() });
    }

    async fn narrows(self, listed: &[Value]) {
        let Some(found) = self.search(NO_WORD).await else { return };
        let everything = found.len() > 1 && found.len() >= listed.len();
        let wide = || Err(format!("`{NO_WORD}` finds {} products", found.len()));
        self.caller.log().settle(
            "products.narrow",
            "GET /products",
            if everything { wide() } else { Ok(()) },
        );
    }
}

/// Returns id and title of a product that has both.
fn usable(product: &Value) -> Option<(String, String)> {
    let title = product.get("title")?.as_str().filter(|title| !title.trim().is_empty())?;
    Some((id_text(product.get("id")?)?, title.to_owned()))
}

/// Returns the longest word of letters, preferably one that is not ASCII: it shows how words travel.
fn longest_word(title: &str) -> Option<&str> {
    let words = title.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic));
    words.max_by_key(|word| (!word.is_ascii(), word.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_searched_by_its_longest_word_in_its_own_script() {
        for (title, word) in
            [("شاي الوزة Alwazah 450 غم", Some("الوزة")), ("USB-C Cable 2m", Some("Cable")), ("12-34", None)]
        {
            assert_eq!(longest_word(title), word, "{title}");
        }
    }
}
