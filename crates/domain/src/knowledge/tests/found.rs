use std::{sync::Arc, time::Instant};

use pollster::FutureExt;

use crate::{
    catalogue::{ManageSynonyms, OwnSynonyms, ports::MockSynonymStore, search::Synonyms},
    ids::DocumentId,
    knowledge::{
        LONGEST_PASSAGE, LookUpKnowledge, MOST_PASSAGES, Passage, PassageOf, ports::MockKnowledgeStore,
        split::split,
    },
    testing::{a_workspace, some_deps},
    text::PlainText,
};

const DOCUMENTS: [(&str, &str); 3] = [
    ("سياسة المتجر", include_str!("policy.md")),
    ("Warranty", include_str!("warranty.md")),
    ("رێنمایی", include_str!("sorani.md")),
];
/// Questions, each with words of the passage that answers it; none for what no document tells.
const QUESTIONS: &str = include_str!("questions.tsv");

fn passages() -> Vec<PassageOf> {
    let of = |(at, (title, text)): (u128, (&str, &str))| {
        let document = DocumentId::from(uuid::Uuid::from_u128(at));
        let all = split(text).unwrap();
        (1..)
            .zip(all)
            .map(move |(number, passage)| PassageOf { document, title: title.to_owned(), number, passage })
            .collect::<Vec<_>>()
    };
    (0..).zip(DOCUMENTS).flat_map(of).collect()
}

fn look_up(passages: Vec<PassageOf>) -> impl Fn(&str) -> Vec<PassageOf> {
    let (mut store, mut synonyms) = (MockKnowledgeStore::new(), MockSynonymStore::new());
    store.expect_passages().returning(move |_| Ok(passages.clone()));
    synonyms.expect_synonyms().returning(|_| Ok(OwnSynonyms::default()));
    let synonyms =
        ManageSynonyms { store: Arc::new(synonyms), shipped: Synonyms::shipped(), deps: some_deps() };
    let look_up = LookUpKnowledge { store: Arc::new(store), synonyms: Arc::new(synonyms) };
    move |asked| {
        let asked = PlainText::read(asked, 200).unwrap();
        look_up.run(a_workspace().id, &asked).block_on().unwrap()
    }
}

#[test]
fn questions_as_people_ask_them_find_the_passage_that_answers() {
    let find = look_up(passages());
    let mut missed = Vec::new();
    let (mut all, mut invented) = (0, Vec::new());
    for line in QUESTIONS.lines().filter(|line| !line.starts_with('#')) {
        let (asked, wanted) = line.split_once('\t').unwrap();
        let found = find(asked);
        let texts: Vec<String> = found.iter().map(|it| it.passage.sentences.join(" ")).collect();
        if wanted.is_empty() {
            invented.extend(texts.first().map(|text| format!("{asked}: {text}")));
        } else {
            all += 1;
            if !texts.iter().any(|text| text.contains(wanted)) {
                missed.push(format!("{asked}: {texts:?}"));
            }
        }
    }
    assert!(missed.len() * 10 <= all, "{} of {all}: {missed:#?}", missed.len());
    assert!(invented.is_empty(), "{invented:#?}");
}

#[test]
fn nothing_is_found_where_nothing_comes_near() {
    let find = look_up(passages());
    for asked in ["كرة قدم للأطفال", "hello", "شكرا حبيبي", "؟؟", "vinyl records", "aaaaaaaa", "the", "a?"]
    {
        assert!(find(asked).is_empty(), "{asked}: {:?}", find(asked));
    }
    assert!(look_up(Vec::new())("التوصيل").is_empty());
}

#[test]
fn as_many_passages_as_a_workspace_may_have_are_looked_through() {
    let of: Vec<String> = passages().iter().flat_map(|it| it.passage.sentences.clone()).collect();
    let asked = [
        "وصل",
        "وصيل",
        "وصول",
        "بصر",
        "جور",
        "أجر",
        "مجان",
        "رسل",
        "رسال",
        "شحن",
        "گەیاند",
        "eliver",
        "hip",
        "free",
    ];
    let wanted = |word: &&str| asked.iter().any(|stem| word.contains(stem));
    let words: Vec<&str> = of.iter().flat_map(|text| text.split(' ')).filter(|it| !wanted(it)).collect();
    let passage = |number: u32| {
        let at = usize::try_from(number).unwrap();
        let mut text = String::new();
        for step in 0.. {
            // Words of its own in each, as texts have.
            let word = format!(
                "{}{}",
                words[(at * 7 + step * 13) % words.len()],
                if step % 5 == 0 { at } else { 0 }
            );
            if text.chars().count() + word.chars().count() > LONGEST_PASSAGE {
                break;
            }
            text = text + &word + " ";
        }
        let passage = Passage { heading: String::new(), sentences: vec![text] };
        PassageOf { document: uuid::Uuid::nil().into(), title: "A".to_owned(), number, passage }
    };
    let mut all: Vec<PassageOf> = (1..MOST_PASSAGES).map(passage).collect();
    all.extend(
        passages().into_iter().filter(|it| it.passage.sentences.iter().any(|it| it.contains("البصرة"))),
    );
    let find = look_up(all);
    let began = Instant::now();
    let found = find("شكد أجور التوصيل للبصرة");
    println!("{} passages in {:?}", MOST_PASSAGES, began.elapsed());
    assert!(found.iter().any(|it| it.title != "A"), "{found:?}");
}
