use super::{a_shop, say};
use crate::assistant::speech::{Evidence, Voice};

#[test]
fn an_act_without_evidence_is_refused_by_its_place_and_field() {
    for (acts, why) in [
        ("nothing", "neither a list of acts nor an object"),
        (r#"{"acts":[],"wording":"x"}"#, "an answer has 1 to 8 acts"),
        (r#"[{"act":"quote"}]"#, "acts[0]: missing field `product`"),
        (
            r#"[{"act":"thank"},{"act":"promise"}]"#,
            "acts[1]: unknown variant `promise`, expected one of `quote`",
        ),
        (r#"[{"act":"thank","price":5}]"#, "acts[0]: unknown field `price`"),
        (
            r#"[{"act":"quote","product":"tea","parts":["price"]}]"#,
            "acts[0] (quote) product: `tea` is not in this turn's evidence; it has `milk`, `2`, `shirt`",
        ),
        (
            r#"[{"act":"quote","product":"shirt","variant":"xxl","parts":["price"]}]"#,
            "acts[0] (quote) variant: `xxl` is not in this turn's evidence; it has `shirt-m`, `shirt-xl`, `shirt-s`",
        ),
        (r#"[{"act":"quote","product":"milk","parts":["quantity"]}]"#, "unknown variant `quantity`"),
        (
            r#"[{"act":"quote","product":"milk","parts":["sizes"]}]"#,
            "parts: sizes: this turn's evidence has none",
        ),
        (r#"[{"act":"quote","product":2,"parts":["photo"]}]"#, "parts: photo: this turn's evidence has none"),
        (r#"[{"act":"quote","product":2,"parts":["link"]}]"#, "parts: link"),
        (r#"[{"act":"quote","product":2,"parts":["before"]}]"#, "parts: before"),
        (r#"[{"act":"quote","product":"milk","parts":[{"sentence":9}]}]"#, "numbered from 1 to 3"),
        (r#"[{"act":"quote","product":"milk","parts":[]}]"#, "parts: has 1 to 10 entries"),
        (r#"[{"act":"compare","products":["milk"]}]"#, "products: has 2 to 4 entries"),
        (
            r#"[{"act":"multiple","product":"shirt","quantity":2}]"#,
            "variant: its variants cost different amounts: name one of `shirt-m`, `shirt-xl`",
        ),
        (r#"[{"act":"multiple","product":"milk","quantity":0}]"#, "acts[0]: invalid value: integer `0`"),
        (r#"[{"act":"multiple","product":"milk","quantity":10001}]"#, "quantity: is at most 10000"),
        (r#"[{"act":"decline_offer","amount":11000}]"#, "amount: the customer has not said it"),
        (
            r#"[{"act":"decline_offer","amount":12000,"product":2}]"#,
            "amount: the price is 10,000 IQD, so this offer is not too low",
        ),
        (
            r#"[{"act":"confirm_understanding","product":"shirt","variant":"shirt-s","quantity":1}]"#,
            "product: `shirt-s` is sold out: quote its availability",
        ),
        (
            r#"[{"act":"multiple","product":"shirt","variant":"shirt-s","quantity":2}]"#,
            "product: `shirt-s` is sold out",
        ),
        (
            r#"[{"act":"total","lines":[{"product":"milk","quantity":1},
                {"product":"shirt","variant":"shirt-s","quantity":1}]}]"#,
            "lines: `shirt-s` is sold out",
        ),
        (r#"[{"act":"ask","what":"size","options":["shirt-s"]}]"#, "options: `shirt-s` is sold out"),
        (r#"[{"act":"not_found","query":"سيارة"}]"#, "query: the customer has not said it"),
        (r#"[{"act":"lead","words":"اتصلوا بي"}]"#, "words: the customer has not said it"),
        (r#"[{"act":"order_status","order":"1044"}]"#, "`A-1042`, `1043`"),
        (r#"[{"act":"record","fields":["الديون"]}]"#, "fields: `الديون` is not in this turn's evidence"),
        (r#"[{"act":"record","fields":["ملاحظة"]}]"#, "fields: this turn's evidence has none"),
        (r#"[{"act":"slots","slots":["s9"]}]"#, "slots: `s9`"),
        (r#"[{"act":"no_slots","range":"r9"}]"#, "range: `r9`"),
        (r#"[{"act":"cite","fact":"returns"}]"#, "fact: `returns`"),
        (r#"[{"act":"cite","passage":"p9"}]"#, "fact: `p9`"),
        (r#"[{"act":"cite","passage":"p1","sentences":[4]}]"#, "numbered from 1 to 3"),
        (r#"[{"act":"cite","fact":"delivery","sentences":[3]}]"#, "numbered from 1 to 2"),
        (r#"[{"act":"propose_booking","draft":"d1"}]"#, "draft: names a draft of another kind"),
        (r#"[{"act":"propose_order","draft":"d2"}]"#, "draft: `d2`"),
        (r#"[{"act":"ask","what":"size","options":["m"]}]"#, "options: `m`"),
        (r#"[{"act":"ask","what":"size"},{"act":"ask","what":"name"}]"#, "acts[1] (ask): one question"),
        (r#"[{"act":"hand_over","reason":"asked"},{"act":"thank"}]"#, "acts[0] (hand_over): comes last"),
    ] {
        let refused = say(Voice::English, acts, &a_shop()).unwrap_err();
        assert!(refused.contains(why), "{acts}: {refused}");
    }
    let many = format!("[{}]", [r#"{"act":"thank"}"#; 9].join(","));
    assert!(say(Voice::English, &many, &a_shop()).unwrap_err().contains("1 to 8 acts"));
    assert!(say(Voice::English, &" ".repeat(70_000), &a_shop()).unwrap_err().contains("longer than"));
}

#[test]
fn evidence_that_cannot_be_read_is_refused_by_its_part() {
    for (json, why) in [
        ("[]", "evidence: "),
        (r#"{"goods":[]}"#, "evidence: unknown field `goods`"),
        (
            r#"{"products":[{"id":1,"title":"x","price":5},{"id":2,"title":"y"}]}"#,
            "products[1]: missing field `price`",
        ),
        (r#"{"products":[{"id":1,"title":"x","price":-5}]}"#, "products[0]: an amount is a number"),
        (
            r#"{"products":[{"id":1,"title":"x","price":5,"availability":"yes"}]}"#,
            "`availability` is one of in_stock",
        ),
        (r#"{"products":[{"id":1,"title":" ","price":5}]}"#, "`title` is blank"),
        (r#"{"products":[{"id":1,"title":"x","price":5,"url":"file:///etc"}]}"#, "`url` is no link"),
        (
            r#"{"slots":[{"id":1,"startsAt":"tomorrow","endsAt":"","service":"x"}]}"#,
            "slots[0]: `startsAt` is a moment",
        ),
        (r#"{"drafts":[{"id":1,"kind":"refund","summary":"x"}]}"#, "drafts[0]: `kind` is one of order"),
        (r#"{"today":"tomorrow"}"#, "today: a day is written as"),
        (r#"{"currency":"dinars"}"#, "currency: `currency` is a code"),
    ] {
        let error = json.parse::<Evidence>().unwrap_err().to_string();
        assert!(error.contains(why), "{json}: {error}");
    }
}
