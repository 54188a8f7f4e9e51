//! What customers write for yes and what is none, by somebody who had not seen the code.

use data_encoding::HEXLOWER;
use domain::consent::{Answer, DraftKind, Said, read_answer};
use sha2::{Digest, Sha256};
use uuid::Uuid;

const YES: [&str; 2] = [
    include_str!("../../../tests/corpora/yes/yes.tsv"),
    include_str!("../../../tests/corpora/yes/locked/yes.tsv"),
];
const NO_YES: [&str; 2] = [
    include_str!("../../../tests/corpora/yes/no_yes.tsv"),
    include_str!("../../../tests/corpora/yes/locked/no_yes.tsv"),
];

/// Returns the texts of a set's rows that are of a kind.
fn of_kind<'a>(rows: &'a str, kind: &'a str) -> impl Iterator<Item = &'a str> {
    let rows = rows.lines().skip(1).filter_map(|row| row.split_once('\t'));
    rows.filter(move |(_, of)| *of == kind).map(|(text, _)| text)
}

fn answer(kind: DraftKind, text: &str) -> Answer {
    read_answer(Uuid::from_u128(7).into(), kind, &[Said { text, ..Said::default() }])
}

/// Returns what a text comes to with an order or, for those that speak of one, a booking.
fn best(text: &str) -> Answer {
    let read = [DraftKind::Order, DraftKind::Booking].map(|kind| answer(kind, text));
    let has = |wanted| read.contains(&wanted);
    if has(Answer::Yes) {
        Answer::Yes
    } else if has(Answer::Near) {
        Answer::Near
    } else {
        Answer::Other
    }
}

#[test]
fn what_people_say_for_yes_is_one_or_brings_the_summary_again() {
    for (set, rows) in ["open", "locked"].into_iter().zip(YES) {
        let read: Vec<(&str, Answer)> = of_kind(rows, "yes").map(|text| (text, best(text))).collect();
        let count = |wanted| read.iter().filter(|(_, answer)| *answer == wanted).count();
        let (yes, near) = (count(Answer::Yes), count(Answer::Near));
        println!("{set}: {yes} and half of {near} of {}", read.len());
        if set == "open" {
            for (text, answer) in read.iter().filter(|(_, answer)| *answer != Answer::Yes) {
                println!("{answer:?}\t{text}");
            }
        }
    }
    for rows in YES {
        let taken = of_kind(rows, "near").filter(|text| best(text) == Answer::Yes).count();
        println!("near taken {taken}");
    }
    for (set, rows) in ["open", "locked"].into_iter().zip(NO_YES) {
        let texts = rows.lines().skip(1).filter_map(|row| row.split_once('\t')).map(|(text, _)| text);
        for kind in DraftKind::ALL {
            let taken = texts.clone().filter(|text| answer(kind, text) == Answer::Yes);
            let near: Vec<_> = texts.clone().filter(|text| answer(kind, text) == Answer::Near).collect();
            println!("no-yes {set} {kind:?}: {} near {}", taken.clone().count(), near.len());
            if set == "open" {
                println!("{:?} {near:?}", taken.collect::<Vec<_>>());
            }
        }
    }
}
