//! Many people at once: bursts, batches, disorder, duplicates and forgeries.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

use super::people::place;
use super::refused::{Refused, read};
use crate::clock;
use crate::core::Core;
use crate::people::{self, Destination, Words};
use crate::posts::{Outcome, Piece, Signed};
use crate::webhooks::deliver;

/// Most updates in one post (docs/run/networks.md, "Posts to the callback").
const MOST_PER_POST: usize = 1000;
/// Most messages of one call.
const MOST_MESSAGES: usize = 1_000_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Traffic {
    /// Numbers, pages and Instagram accounts, each with people of its own.
    channel_ids: Vec<String>,
    /// Number of people who write to each.
    people: u64,
    /// Number of messages that each of them writes.
    #[serde(default = "one")]
    messages: usize,
    /// Index of the first person among the made-up people.
    #[serde(default)]
    first_person: u64,
    /// Message that they write; a text with a counter if absent.
    message: Option<Map<String, Value>>,
    sample: Option<String>,
    /// Messages per post.
    #[serde(default = "one")]
    per_post: usize,
    /// Number of times that each post is made.
    #[serde(default = "one")]
    copies: usize,
    /// Whether the posts and their contents are shuffled; the order is the same for the same seed.
    #[serde(default)]
    shuffled: bool,
    #[serde(default)]
    seed: u64,
    /// Number of preceding posts with a wrong signature, each of one message by a person of its own, whose
    /// indexes follow the others'.
    #[serde(default)]
    forged: u64,
    /// Most posts under way at once.
    #[serde(default = "sixteen")]
    concurrency: usize,
}

fn one() -> usize {
    1
}

fn sixteen() -> usize {
    16
}

pub(super) async fn traffic(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    Ok(HttpResponse::Ok().json(drive(&core.into_inner(), read(&body)?).await?))
}

/// Makes the posts; returns when each has had its first attempt.
pub(crate) async fn drive(core: &Arc<Core>, request: Traffic) -> Result<Value, Refused> {
    if !(1..=MOST_PER_POST).contains(&request.per_post) || request.copies == 0 || request.concurrency == 0 {
        return Err(Refused::bad("`perPost` is 1 to 1000, `copies` and `concurrency` are at least 1"));
    }
    let people = usize::try_from(request.people).unwrap_or(usize::MAX);
    let total = people.saturating_mul(request.messages).saturating_mul(request.channel_ids.len());
    if total.saturating_mul(request.copies) > MOST_MESSAGES {
        return Err(Refused::bad("at most 1,000,000 messages at once"));
    }
    let (mut ids, mut pieces) = (Vec::with_capacity(total), Vec::with_capacity(total));
    let everybody = request.first_person..request.first_person.saturating_add(request.people);
    let forgers = everybody.end..everybody.end.saturating_add(request.forged);
    for number in 1..=request.messages {
        for (id, piece) in written(core, &request, number, everybody.clone())? {
            ids.push(id);
            pieces.push(piece);
        }
    }
    let forgeries = written(core, &request, 1, forgers)?.into_iter();
    let forgeries = forgeries.map(|(_, piece)| Post { pieces: vec![piece], signed: Signed::Forged });
    let mut all: VecDeque<Post> = forgeries.collect();
    let mut shuffle = Shuffle(request.seed);
    if request.shuffled {
        shuffle.run(&mut pieces);
    }
    let chunks = pieces.chunks(request.per_post);
    let once = chunks.map(|pieces| Post { pieces: pieces.to_vec(), signed: Signed::Rightly });
    let mut posts: Vec<Post> = once.flat_map(|post| std::iter::repeat_n(post, request.copies)).collect();
    if request.shuffled {
        shuffle.run(&mut posts);
    }
    all.extend(posts);
    let outcomes = post_all(core, all, request.concurrency).await;
    let taken = outcomes.iter().filter(|outcome| **outcome == Some(Ok(200))).count();
    Ok(json!({ "ids": ids, "posts": outcomes.len(), "taken": taken }))
}

#[derive(Clone)]
struct Post {
    pieces: Vec<Piece>,
    signed: Signed,
}

/// Writes the message with this index, of each of these people to each place.
fn written(
    core: &Core,
    request: &Traffic,
    number: usize,
    people: Range<u64>,
) -> Result<Vec<(String, Piece)>, Refused> {
    let places = request.channel_ids.iter().map(|id| place(core, id));
    let places: Vec<Destination> = places.collect::<Result<_, _>>()?;
    let mut written = Vec::new();
    for index in people {
        for place in &places {
            let person = people::made_up(place, index);
            let words = words(request, place, number, index);
            let message = people::write(core, place, &person, &words, None, clock::now());
            written.push(message.map_err(Refused::bad)?);
        }
    }
    Ok(written)
}

fn words(request: &Traffic, place: &Destination, number: usize, person: u64) -> Words {
    if let Some(sample) = &request.sample {
        return Words::Sample(sample.clone());
    }
    if let Some(message) = &request.message {
        return Words::Message(message.clone());
    }
    let text = format!("Message {number} of person {person}");
    let message = match place {
        Destination::Number(_) => json!({ "type": "text", "text": { "body": text } }),
        Destination::Page(_) => json!({ "text": text }),
    };
    Words::Message(message.as_object().cloned().unwrap_or_default())
}

/// Makes every post, at most `concurrency` at once.
async fn post_all(core: &Arc<Core>, posts: VecDeque<Post>, concurrency: usize) -> Vec<Outcome> {
    let pending = core.begin_pending();
    let queue = Arc::new(Mutex::new(posts));
    let task = Arc::clone(core);
    let all = core.spawn(async move {
        let mut workers = JoinSet::new();
        for _ in 0..concurrency {
            let (core, queue) = (Arc::clone(&task), Arc::clone(&queue));
            workers.spawn(async move {
                let mut outcomes = Vec::new();
                while let Some(post) = next(&queue) {
                    outcomes.extend(deliver(&core, post.pieces, post.signed).await);
                }
                outcomes
            });
        }
        let outcomes = workers.join_all().await.concat();
        drop(pending);
        outcomes
    });
    all.await.unwrap_or_default()
}

fn next(queue: &Mutex<VecDeque<Post>>) -> Option<Post> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

/// A shuffle that is the same for the same seed.
struct Shuffle(u64);

impl Shuffle {
    fn run<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            // Knuth's linear congruential generator; its high bits are the good ones.
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let other = usize::try_from(self.0 >> 33).unwrap_or_default() % (at + 1);
            items.swap(at, other);
        }
    }
}
