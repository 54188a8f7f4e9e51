//! The customer's answer to a draft's summary.

use super::{
    answer::Answer,
    draft_kind::DraftKind,
    words::{self, Meaning},
};
use crate::ids::DraftId;

/// One message of a burst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Said<'a> {
    pub text: &'a str,
    /// Id of the button that was tapped.
    pub tapped: Option<&'a str>,
    /// Whether it is more than its words, or about something other than the summary: it has a file, was
    /// forwarded, edited or deleted, or replies to another message, a product or a story.
    pub is_about_more: bool,
}

/// The two buttons under a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftButton {
    Confirm,
    /// Declines the draft, so that it can be changed.
    Change,
}

impl DraftButton {
    /// Returns the id under which the network knows the button, unique to the draft.
    pub fn id_of(self, draft: DraftId) -> String {
        match self {
            Self::Confirm => format!("draft:{draft}:confirm"),
            Self::Change => format!("draft:{draft}:change"),
        }
    }
}

/// Classifies `burst`, all that the customer has written since the summary of `draft`, as an answer to it. An
/// empty burst is [`Answer::Other`].
///
/// Words of assent may come before a yes in a message of their own; after it, they make it a near one.
pub fn read_answer(draft: DraftId, kind: DraftKind, burst: &[Said<'_>]) -> Answer {
    let meanings = burst.iter().map(|said| read_one(draft, kind, *said));
    let together = meanings.reduce(|so_far, next| match (so_far, next) {
        (Meaning::Other, _) | (_, Meaning::Other) => Meaning::Other,
        (Meaning::No, _) | (_, Meaning::No) => Meaning::No,
        (Meaning::Yes | Meaning::Assent, Meaning::Yes) => Meaning::Yes,
        (Meaning::Assent, Meaning::Assent) => Meaning::Assent,
        (Meaning::Near, _) | (_, Meaning::Near) | (Meaning::Yes, Meaning::Assent) => Meaning::Near,
    });
    match together {
        Some(Meaning::Yes) => Answer::Yes,
        Some(Meaning::No) => Answer::No,
        Some(Meaning::Assent | Meaning::Near) => Answer::Near,
        Some(Meaning::Other) | None => Answer::Other,
    }
}

fn read_one(draft: DraftId, kind: DraftKind, said: Said<'_>) -> Meaning {
    if said.is_about_more {
        return Meaning::Other;
    }
    // Of a tap, the words are the button's and not the customer's.
    match said.tapped {
        Some(id) if id == DraftButton::Confirm.id_of(draft) => Meaning::Yes,
        Some(id) if id == DraftButton::Change.id_of(draft) => Meaning::No,
        Some(_) => Meaning::Other,
        None => words::read(kind, said.text),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::{DraftButton, DraftKind, Said, read_answer};
    use crate::consent::answer::Answer;
    use crate::ids::DraftId;

    const KINDS: [DraftKind; 3] = [DraftKind::Order, DraftKind::Booking, DraftKind::Cancellation];

    fn draft() -> DraftId {
        Uuid::from_u128(7).into()
    }

    fn text(text: &str) -> Said<'_> {
        Said { text, ..Said::default() }
    }

    fn answer(kind: DraftKind, texts: &[&str]) -> Answer {
        let burst: Vec<Said<'_>> = texts.iter().copied().map(text).collect();
        read_answer(draft(), kind, &burst)
    }

    #[test]
    fn none_of_the_texts_that_are_no_yes_is_taken_for_one() {
        let texts: Vec<&str> =
            include_str!("no_yes.txt").lines().filter(|line| !line.starts_with("# ")).collect();
        assert!(texts.len() >= 400, "{}", texts.len());
        for kind in KINDS {
            let taken: Vec<_> = texts.iter().filter(|said| answer(kind, &[said]) == Answer::Yes).collect();
            assert!(taken.is_empty(), "{kind:?}: {taken:?}");
            let with_yes: Vec<_> =
                texts.iter().filter(|said| answer(kind, &["نعم", said]) == Answer::Yes).collect();
            assert!(with_yes.is_empty(), "{kind:?}: {with_yes:?}");
        }
    }

    #[test]
    fn a_yes_is_one_however_it_is_spelt_and_with_whatever_courtesy() {
        for said in [
            "نعم",
            "نعم.",
            " نعم ! ",
            "نَعَم",
            "نعـــم",
            "\u{200f}نعم",
            "اي",
            "إي والله",
            "اييييي",
            "ايه",
            "أكيد",
            "موافق",
            "طبعاً",
            "أؤكد",
            "اؤكد",
            "أؤكّد",
            "تأكيد",
            "تاكيد",
            "نعم، أؤكد",
            "نعم أؤكد",
            "نعم حبيبي تمام، شكراً 🌹",
            "نعم ✅👍🏽",
            "Yes",
            "YES!",
            "yes, confirm",
            "I confirm",
            "confirm",
            "Yes please.",
            "sure",
            "ok confirm",
            "yeah ❤️",
            "na3am 7abibi",
            "ee akeed",
            "بەڵێ",
            "ئەرێ گیان سوپاس",
            "باشە، پشتڕاستی دەکەمەوە",
            // A name behind a title, words written as one, other vowels, a greeting.
            "نعم استاذ محمد",
            "اي ابو كرار",
            "اينعم",
            "yess plese confrim",
            "صباح الخير، نعم",
        ] {
            for kind in KINDS {
                assert_eq!(answer(kind, &[said]), Answer::Yes, "{kind:?} {said}");
            }
        }
    }

    #[test]
    fn words_of_assent_alone_and_a_yes_beside_one_unknown_word_are_almost_one() {
        for said in
            ["تمام", "اوكي 👍", "👍🏻", "خوش حبيبي", "ok", "يلا", "باشە", "ان شاء الله", "اي ان شاء الله"]
        {
            assert_eq!(answer(DraftKind::Order, &[said]), Answer::Near, "{said}");
        }
        for said in [
            "ثبته باسمي",
            "نعم يا حسين",
            "👍 نعم",
            "please confirm",
            "نعم 😂",
            "نعم خوية موافق على السعر ثبته باسمي وخبرني الله يخليك",
        ] {
            assert_eq!(answer(DraftKind::Order, &[said]), Answer::Near, "{said}");
        }
        // Something of its own, or more than a word.
        for said in [
            "شكرا",
            "❤️",
            "ثبت السعر",
            "نعم العنوان الكرادة",
            "نعم اسمي علي",
            "نعم بس غير العنوان",
            "نعم 2",
            "yes x2",
        ] {
            assert_eq!(answer(DraftKind::Order, &[said]), Answer::Other, "{said}");
        }
    }

    #[test]
    fn words_of_assent_may_come_before_a_yes_and_not_after_it() {
        for kind in KINDS {
            assert_eq!(answer(kind, &["تمام", "نعم"]), Answer::Yes);
            assert_eq!(answer(kind, &["ok", "👍", "yes"]), Answer::Yes);
            assert_eq!(answer(kind, &["نعم", "تمام"]), Answer::Near);
            assert_eq!(answer(kind, &["تمام", "لا"]), Answer::No);
            assert_eq!(answer(kind, &["نعم", "شكرا"]), Answer::Other);
        }
    }

    #[test]
    fn a_yes_to_one_kind_of_draft_is_not_always_one_to_another() {
        use DraftKind::{Booking, Cancellation, Order};
        for (said, kinds) in [
            ("ثبّت", &[Order, Booking][..]),
            ("نعم ثبته", &[Order, Booking]),
            ("ثبت الطلب", &[Order]),
            ("أؤكد الطلب", &[Order]),
            ("confirm the order", &[Order]),
            ("أكد الحجز", &[Booking]),
            ("Confirm booking", &[Booking]),
            ("تمام ثبت", &[Order, Booking]),
            ("احجز لي الموعد لو سمحت", &[Booking]),
            ("place the order please", &[Order]),
            ("thabbit il talab", &[Order]),
            ("نعم ألغِ الطلب", &[Cancellation]),
            ("أؤكد الإلغاء", &[Cancellation]),
            ("yes, cancel it", &[Cancellation]),
            ("اي الغوه", &[Cancellation]),
        ] {
            for kind in KINDS {
                assert_eq!(answer(kind, &[said]) == Answer::Yes, kinds.contains(&kind), "{kind:?} {said}");
            }
        }
    }

    #[test]
    fn a_no_is_one_and_takes_a_yes_beside_it_back() {
        for kind in KINDS {
            for said in ["لا", "كلا", "لا شكراً", "No", "no, thanks", "تعديل", "change"] {
                assert_eq!(answer(kind, &[said]), Answer::No, "{kind:?} {said}");
                assert_eq!(answer(kind, &["نعم", said]), Answer::No);
                assert_eq!(answer(kind, &[said, "نعم"]), Answer::No);
            }
        }
        // To the question whether to cancel, this word may mean yes.
        assert_eq!(answer(DraftKind::Order, &["cancel"]), Answer::No);
        assert_eq!(answer(DraftKind::Cancellation, &["cancel"]), Answer::Near);
    }

    #[test]
    fn only_this_drafts_own_button_confirms() {
        let tap = |id: &'static str| Said { text: "أؤكد", tapped: Some(id), is_about_more: false };
        let (confirm, change) = (DraftButton::Confirm.id_of(draft()), DraftButton::Change.id_of(draft()));
        let own = |id| {
            read_answer(draft(), DraftKind::Order, &[Said { text: "x", tapped: Some(id), ..Said::default() }])
        };
        assert_eq!((own(&confirm), own(&change)), (Answer::Yes, Answer::No));
        let another = DraftButton::Confirm.id_of(Uuid::from_u128(8).into());
        assert_eq!(own(&another), Answer::Other);
        for id in ["", "أؤكد", "confirm", "draft::confirm"] {
            assert_eq!(read_answer(draft(), DraftKind::Order, &[tap(id)]), Answer::Other, "{id}");
        }
        let both = [Said { tapped: Some(&confirm), ..Said::default() }, text("كم سعر التوصيل؟")];
        assert_eq!(read_answer(draft(), DraftKind::Order, &both), Answer::Other);
    }

    #[test]
    fn a_yes_about_something_else_is_none() {
        let about_more = Said { text: "نعم", tapped: None, is_about_more: true };
        assert_eq!(read_answer(draft(), DraftKind::Order, &[about_more]), Answer::Other);
        let confirm = DraftButton::Confirm.id_of(draft());
        let forwarded = Said { text: "", tapped: Some(&confirm), is_about_more: true };
        assert_eq!(read_answer(draft(), DraftKind::Order, &[forwarded]), Answer::Other);
        assert_eq!(read_answer(draft(), DraftKind::Order, &[]), Answer::Other);
    }

    /// A yes of each sort, each tongue and each script.
    const YESES: [&str; 20] = [
        "نعم",
        "اي",
        "أكيد",
        "موافق",
        "ثبت",
        "ثبتوه",
        "ثبتلي ياه",
        "أؤكد",
        "توكل على الله",
        "دزوه",
        "ee",
        "na3am",
        "akeed",
        "thabbitha",
        "yes",
        "sure",
        "confirm it",
        "go ahead",
        "بەڵێ",
        "تۆماری بکە",
    ];

    #[test]
    fn a_yes_with_courtesies_and_signs_behind_it_is_one() {
        let courtesies = [
            "",
            " حبيبي",
            "، شكراً جزيلاً",
            " الله يحفظكم",
            " فدوة",
            " please",
            ", thanks",
            " habibi",
            " سوپاس",
            " گیان",
        ];
        for said in YESES {
            for courtesy in courtesies {
                for sign in ["", "🌹", " ❤️", " 🙏🏻", "👍", " ✅🌹"] {
                    let text = format!("{said}{courtesy}{sign}");
                    assert_eq!(answer(DraftKind::Order, &[&text]), Answer::Yes, "{text}");
                }
            }
        }
    }

    #[test]
    fn a_yes_beside_a_question_a_condition_a_negation_or_a_change_is_none() {
        let more = [
            "؟",
            "?",
            "شكد",
            "وين",
            "شنو",
            "بس غير العنوان",
            "لو ارخص",
            "اذا اكو",
            "ما",
            "مو هذا",
            "لا",
            "2",
            "باچر",
            "but",
            "if",
            "not",
            "later",
            "how much",
            "bas",
            "itha",
            "shgad",
            "mo hatha",
            "بەڵام",
            "ئەگەر",
            "دواتر",
            "چەندە",
        ];
        for said in YESES {
            for more in more {
                for text in [format!("{said} {more}"), format!("{more} {said}")] {
                    assert_ne!(answer(DraftKind::Order, &[&text]), Answer::Yes, "{text}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_letter_that_is_drawn_out_changes_no_yes(said in 0_usize..9, at in 0_usize..6, times in 3_usize..8) {
            let said = ["نعم", "اي", "اكيد", "موافق", "ee", "yes", "sure", "akeed", "بەڵێ"][said];
            let at = at % said.chars().count();
            let drawn: String =
                said.chars().enumerate().map(|(is, c)| c.to_string().repeat(if is == at { times } else { 1 })).collect();
            prop_assert_eq!(answer(DraftKind::Order, &[&drawn]), Answer::Yes);
        }

        #[test]
        fn whatever_is_beside_a_yes_spoils_it(more in "[\\PC\n]{1,20}", before in any::<bool>(), kind in 0_usize..3) {
            let kind = KINDS[kind];
            prop_assume!(answer(kind, &[&more]) == Answer::Other);
            let burst = if before { [more.as_str(), "نعم"] } else { ["نعم", more.as_str()] };
            prop_assert_eq!(answer(kind, &burst), Answer::Other);
        }

        #[test]
        fn no_text_with_a_number_or_a_question_is_a_yes(
            text in "(نعم|yes|ثبت|أؤكد|confirm)?[ ]?\\PC{0,6}([ ][0-9٠-٩]|[؟?❓])\\PC{0,6}[ ]?(نعم|yes)?",
            kind in 0_usize..3,
        ) {
            prop_assert_ne!(answer(KINDS[kind], &[&text]), Answer::Yes);
        }

        #[test]
        fn no_yes_begins_with_a_sign(
            sign in "[👍👌✅❤🌹🙏]{1,3}",
            text in "[ ]?(نعم|yes|ثبت|أؤكد|confirm)[ ]?[👍✅]?",
            kind in 0_usize..3,
        ) {
            prop_assert_ne!(answer(KINDS[kind], &[&format!("{sign}{text}")]), Answer::Yes);
        }

        #[test]
        fn a_condition_or_a_negation_beside_a_yes_spoils_it(
            more in "(بس|لكن|اذا|لو|ما|مو|لا|but|if|when|later|not|bas|la|بەڵام|ئەگەر)",
            before in any::<bool>(),
            kind in 0_usize..3,
        ) {
            let text = if before { format!("{more} نعم") } else { format!("نعم {more}") };
            prop_assert_eq!(answer(KINDS[kind], &[&text]), Answer::Other);
        }
    }
}
