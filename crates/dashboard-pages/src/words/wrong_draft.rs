//! What is wrong with a template that is being written.

use domain::templates::WrongDraft;

use super::Words;

impl Words {
    /// Returns what is wrong with a template that is being written: the field as its page calls it, and why.
    pub fn wrong_draft(&self, wrong: &WrongDraft) -> String {
        let words = &self.templates;
        let field = match wrong.field {
            "name" => words.name,
            "language" => words.language,
            "category" => words.category,
            "authentication" => words.authentication,
            "header" => words.header,
            "body" => words.body,
            "variables" => words.variable,
            "footer" => words.footer,
            "buttons" => words.button,
            field => field,
        };
        format!("{field}: {}", self.drafts.fault(wrong.fault))
    }
}

#[cfg(test)]
mod tests {
    use domain::templates::{DraftFault, WrongDraft};

    use crate::words::Language;

    #[test]
    fn what_is_wrong_with_a_template_is_told_in_either_language() {
        for (field, fault, english, arabic) in [
            (
                "footer",
                DraftFault::Length(60),
                "Below the text: It must not be empty. Most characters: 60",
                "تحت النص: لا يجوز أن يكون فارغاً. أقصى عدد للأحرف: 60",
            ),
            (
                "variables",
                DraftFault::Samples,
                "Variable: Each variable needs one example.",
                "المتغير: كل متغير يحتاج إلى مثال واحد.",
            ),
        ] {
            for (language, wanted) in [(Language::English, english), (Language::Arabic, arabic)] {
                assert_eq!(language.words().wrong_draft(&WrongDraft { field, fault }), wanted);
            }
        }
    }

    #[test]
    fn every_field_that_can_be_wrong_has_a_name_of_its_own() {
        let fields = [
            "name",
            "language",
            "category",
            "authentication",
            "header",
            "body",
            "variables",
            "footer",
            "buttons",
        ];
        for field in fields {
            let told =
                Language::Arabic.words().wrong_draft(&WrongDraft { field, fault: DraftFault::Minutes });
            assert!(!told.starts_with(field), "{told}");
        }
    }
}
