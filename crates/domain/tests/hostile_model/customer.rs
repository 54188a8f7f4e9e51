//! A customer who writes whatever people write, and the driver of a chat, who knows what each burst means.

use std::{sync::Arc, time::Duration};

use domain::{
    attachments::AttachmentKind,
    messages::{Role, TappedReply},
};
use fastrand::Rng;

use super::{
    books::Books,
    lies::{ASSENT, NO, ORDINARY, YES, no_yes, says_no},
    oracle::{Asked, Meaning},
};

/// One message of a burst.
#[derive(Default)]
struct Said {
    text: String,
    tapped: Option<String>,
    forwarded: bool,
    with_photo: bool,
}

fn text(text: &str) -> Said {
    Said { text: text.to_owned(), ..Said::default() }
}

fn tap(id: &str) -> Said {
    Said { text: "أؤكد".to_owned(), tapped: Some(id.to_owned()), ..Said::default() }
}

fn one(rng: &mut Rng, of: &[&str]) -> Said {
    text(of[rng.usize(..of.len())])
}

/// Writes a burst; what it means, by construction. `before` are the buttons of what was asked earlier.
pub(crate) fn writes(rng: &mut Rng, books: &Arc<Books>, asked: Option<&Asked>, before: &[String]) -> Meaning {
    let (burst, meaning) = match asked {
        Some(asked) if rng.u8(..5) > 0 => answer(rng, asked, before),
        _ => (vec![one(rng, ORDINARY)], Meaning::Other),
    };
    for said in burst {
        books.clock.advance(Duration::from_secs(1));
        let mut kept = books.message(Role::Customer, &said.text);
        let context = &mut kept.message.context;
        context.reply = said.tapped.map(|id| Box::new(TappedReply { id, title: said.text }));
        context.forwarded = said.forwarded;
        kept.missing.extend(said.with_photo.then_some(AttachmentKind::Image));
        books.say(kept);
    }
    meaning
}

fn answer(rng: &mut Rng, asked: &Asked, before: &[String]) -> (Vec<Said>, Meaning) {
    let no_yes = no_yes();
    let mut yes = || one(rng, YES);
    let (first, second) = (yes(), yes());
    let older = before.iter().filter(|id| **id != asked.confirm && **id != asked.change);
    let older: Vec<_> = older.collect();
    match rng.u8(..20) {
        0..4 => (vec![tap(&asked.confirm)], Meaning::Tap),
        4..7 => (vec![first], Meaning::Yes),
        7 => (vec![first, second], Meaning::Yes),
        8 => (vec![tap(&asked.confirm), second], Meaning::Yes),
        9 => (vec![tap(&asked.confirm), one(rng, ORDINARY)], Meaning::Other),
        10 => yes_after(one(rng, ORDINARY), first),
        11 => no_yes_after(vec![first], one(rng, &no_yes)),
        12 | 13 => no_yes_after(vec![], one(rng, &no_yes)),
        14 => (vec![Said { forwarded: true, ..first }], Meaning::Other),
        15 => (vec![Said { with_photo: true, ..first }], Meaning::Other),
        16 => (vec![tap(&asked.change)], Meaning::No),
        17 => (vec![one(rng, NO)], Meaning::No),
        18 => (vec![first, one(rng, NO)], Meaning::No),
        _ if older.is_empty() => (vec![tap("draft:1:confirm")], Meaning::Other),
        _ => (vec![tap(older[rng.usize(..older.len())])], Meaning::Other),
    }
}

/// A burst that ends with a yes. Before it, words of assent say nothing else.
fn yes_after(ordinary: Said, yes: Said) -> (Vec<Said>, Meaning) {
    let meaning = if ordinary.text == ASSENT { Meaning::Yes } else { Meaning::Other };
    (vec![ordinary, yes], meaning)
}

/// A burst that ends with what is no yes. Some of that says no, which ends what was asked.
fn no_yes_after(mut burst: Vec<Said>, last: Said) -> (Vec<Said>, Meaning) {
    let meaning = if says_no(&last.text) { Meaning::No } else { Meaning::Other };
    burst.push(last);
    (burst, meaning)
}
