use proptest::{collection::vec, prelude::*};

use crate::{
    knowledge::{
        LARGEST_DOCUMENT, LONGEST_PASSAGE, LONGEST_SENTENCE, MOST_OF_DOCUMENT, Passage, Unreadable,
        split::split,
    },
    text::sentences,
};

fn told(text: &str) -> Vec<(String, Vec<String>)> {
    split(text).unwrap().into_iter().map(|Passage { heading, sentences }| (heading, sentences)).collect()
}

fn of(heading: &str, sentences: &[&str]) -> (String, Vec<String>) {
    (heading.to_owned(), sentences.iter().map(|it| (*it).to_owned()).collect())
}

#[test]
fn sentences_stand_under_their_headings() {
    let text = "مقدمة. نبدأ؟\n\n# التوصيل\n\nنوصل لبغداد بسعر 5.000 دينار! البصرة يومين\n## المحافظات\n- أربيل\n* **دهوك** فقط\n\
        1. أولا\n# الضمان\n> سنة [هنا](https://a.example/w).\n# فارغ";
    assert_eq!(
        told(text),
        [
            of("", &["مقدمة.", "نبدأ؟"]),
            of("التوصيل", &["نوصل لبغداد بسعر 5.000 دينار!", "البصرة يومين"]),
            of("التوصيل › المحافظات", &["• أربيل", "• دهوك فقط", "1) أولا"]),
            of("الضمان", &["سنة هنا (https://a.example/w)."]),
            of("", &["فارغ"]),
        ]
    );
}

#[test]
fn a_table_is_told_row_by_row() {
    let narrow = "| المدينة | السعر |\n|---|---|\n| بغداد | 5000 |";
    assert_eq!(told(narrow), [of("", &["المدينة — السعر", "بغداد — 5000"])]);
    let wide =
        "| المدينة | السعر | المدة |\n|:--|--:|---|\n| بغداد | 5000 | يوم |\n| البصرة | | 3 أيام |\nبعدها";
    assert_eq!(
        told(wide),
        [of("", &["بغداد — السعر: 5000 — المدة: يوم", "البصرة — المدة: 3 أيام", "بعدها"])]
    );
}

#[test]
fn a_line_that_was_broken_for_its_length_goes_on_in_the_next() {
    let text = "تقدم الشركة ضمانا لمدة سنة كاملة على جميع الأجهزة الكهربائية المباعة من فروعها\nفي بغداد والبصرة.\nالدوام: 9-5\nالجمعة: مغلق";
    assert_eq!(
        told(text),
        [of(
            "",
            &[
                "تقدم الشركة ضمانا لمدة سنة كاملة على جميع الأجهزة الكهربائية المباعة من فروعها في بغداد والبصرة.",
                "الدوام: 9-5",
                "الجمعة: مغلق",
            ]
        )]
    );
}

#[test]
fn marks_that_no_link_is_made_of_stay_and_cost_no_time() {
    for line in ["[[a](b c) [x] ](", "a](b [c](d", "![alt](pic.png) text"] {
        let told = told(line).remove(0).1.join(" ");
        for word in ["a", "x", "alt"] {
            assert_eq!(told.contains(word), line.contains(word), "{line}: {told}");
        }
    }
    for mark in ["[", "](", "&", "<", "#", "|", "- ", "**", "1. "] {
        let text = format!("a {}", mark.repeat(LARGEST_DOCUMENT / mark.len() / 2));
        let _ = split(&crate::knowledge::page::text_of(&text));
        let _ = split(&text);
    }
}

#[test]
fn a_document_of_too_many_passages_is_refused() {
    let heading = "# a\nb\n";
    assert_eq!(split(&heading.repeat(MOST_OF_DOCUMENT)).unwrap().len(), MOST_OF_DOCUMENT);
    assert_eq!(split(&heading.repeat(MOST_OF_DOCUMENT + 1)).err(), Some(Unreadable::TooLong));
    assert_eq!(split("\u{200f}\n—").err(), Some(Unreadable::Empty));
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

fn prose() -> impl Strategy<Value = String> {
    let word = "[a-zء-ي0-9ەڕڵۆ]{1,9}[.!؟،]?";
    vec(word, 1..90).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn no_word_is_lost_or_invented_and_no_passage_is_too_long(
        blocks in vec((0_usize..6, prose()), 1..12),
    ) {
        let line = |(kind, prose): &(usize, String)| match kind {
            0 => "# ".to_owned() + prose,
            1 => "### ".to_owned() + prose,
            2 => "- ".to_owned() + prose,
            3 => "\n".to_owned() + prose,
            4 => prose.replace(' ', ""),
            _ => prose.clone(),
        };
        let text = blocks.iter().map(line).collect::<Vec<_>>().join("\n");
        let passages = split(&text).unwrap();
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let (mut all, mut headings) = (String::new(), String::new());
        for Passage { heading, sentences: told } in &passages {
            let length: usize = told.iter().map(|sentence| sentence.chars().count() + 1).sum();
            prop_assert!(length <= LONGEST_PASSAGE && !told.is_empty());
            prop_assert!(told.iter().all(|it| it.chars().count() <= LONGEST_SENTENCE && !it.contains('\n')));
            // The numbers of sentences are those that acts refer to.
            let joined = told.join("\n");
            prop_assert_eq!(sentences(&joined), told.iter().map(String::as_str).collect::<Vec<_>>());
            all.push_str(&told.join(" "));
            headings.push_str(heading);
        }
        let all = letters(&all) + &letters(&headings);
        let is_told = |word: &String| all.contains(word.as_str());
        prop_assert!(words(&text).iter().all(|word| word.chars().count() > LONGEST_SENTENCE || is_told(word)));
        let whole = letters(&text);
        for passage in &passages {
            prop_assert!(passage.sentences.iter().all(|told| whole.contains(&letters(told))));
        }
        // Without headings, every letter stands once and in its order.
        if blocks.iter().all(|(kind, _)| *kind > 1) {
            let sentences = passages.iter().flat_map(|passage| &passage.sentences);
            prop_assert_eq!(sentences.map(|told| letters(told)).collect::<String>(), whole);
        }
    }

    #[test]
    fn any_text_is_split_or_refused(text in ".{0,400}|[-#|*\\[\\]()>.\\n a1]{0,300}") {
        for text in [text.clone(), crate::knowledge::page::text_of(&text)] {
            if let Ok(passages) = split(&text) {
                for passage in passages {
                    let told: Vec<_> = passage.sentences.iter().map(String::as_str).collect();
                    let joined = told.join("\n");
                    prop_assert_eq!(sentences(&joined), told);
                }
            }
        }
    }
}
