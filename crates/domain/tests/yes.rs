//! What customers write for yes, and what is none, by somebody who had not seen the code.

use data_encoding::HEXLOWER;
use domain::consent::{Answer, DraftKind, Said, read_answer};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// A set: its name, its open two thirds, its locked third, and that third's checksum.
type Set = (&'static str, &'static str, &'static str, &'static str);

/// Of kind `yes`, and of kind `near`: a yes with a wish beside it.
const YES: Set = (
    "yes",
    include_str!("../../../tests/corpora/yes/yes.tsv"),
    include_str!("../../../tests/corpora/yes/locked/yes.tsv"),
    "33af6dfda4043485a3751f8cb98ec686954f00915d43c565f11941ddb0b6bd4c",
);
const NO_YES: Set = (
    "no_yes",
    include_str!("../../../tests/corpora/yes/no_yes.tsv"),
    include_str!("../../../tests/corpora/yes/locked/no_yes.tsv"),
    "be6ed99b5cd1d44a2d3274a2b49528ae01bbbff8b9b4542c3e71394eec7b6745",
);

/// Least part of a set, in thousandths, that is taken for a yes; what brings the summary again counts half.
/// Seven of the sixty that are locked are words of assent alone (`ok`, `👍`), which are no yes: the most is
/// 941 there. The locked one is a figure only.
const LEAST: [(&str, usize); 2] = [(YES.1, 982), (YES.2, 916)];

#[test]
fn what_people_say_for_yes_is_one_or_brings_the_summary_again() {
    for (rows, least) in LEAST {
        let read: Vec<Answer> = of_kind(rows, "yes").map(in_the_making).collect();
        let count = |wanted| read.iter().filter(|answer| **answer == wanted).count();
        let halves = 2 * count(Answer::Yes) + count(Answer::Near);
        assert!(halves * 500 >= least * read.len(), "{halves} halves of {}", read.len());
    }
}

#[test]
fn a_yes_with_a_wish_beside_it_and_whatever_is_no_yes_is_never_taken_for_one() {
    for rows in [YES.1, YES.2] {
        let taken = of_kind(rows, "near").filter(|text| in_the_making(text) == Answer::Yes).count();
        assert_eq!(taken, 0);
    }
    for kind in DraftKind::ALL {
        let taken = |text: &&str| answer(kind, text) == Answer::Yes;
        let open: Vec<&str> = texts(NO_YES.1).map(|(text, _)| text).filter(taken).collect();
        assert!(open.is_empty(), "{kind:?}: {open:?}");
        // A count alone: nobody who mends the words shall know these.
        assert_eq!(texts(NO_YES.2).map(|(text, _)| text).filter(taken).count(), 0, "{kind:?}");
    }
}

#[test]
fn the_locked_third_is_as_it_was_written() {
    for (name, _, locked, checksum) in [YES, NO_YES] {
        assert_eq!(HEXLOWER.encode(&Sha256::digest(locked)), checksum, "{name}");
    }
}

/// Returns the text of each row, and what the reader says that it is.
fn texts(rows: &str) -> impl Iterator<Item = (&str, &str)> {
    rows.lines().skip(1).filter_map(|row| row.split_once('\t'))
}

fn of_kind<'a>(rows: &'a str, kind: &'static str) -> impl Iterator<Item = &'a str> {
    texts(rows).filter(move |(_, is)| *is == kind).map(|(text, _)| text)
}

fn answer(kind: DraftKind, text: &str) -> Answer {
    read_answer(Uuid::from_u128(7).into(), kind, &[Said { text, ..Said::default() }])
}

/// Returns what a text says to an order, or to a booking where it speaks of one.
fn in_the_making(text: &str) -> Answer {
    let read = [DraftKind::Order, DraftKind::Booking].map(|kind| answer(kind, text));
    let says = |wanted| read.contains(&wanted).then_some(wanted);
    says(Answer::Yes).or(says(Answer::Near)).unwrap_or(Answer::Other)
}
