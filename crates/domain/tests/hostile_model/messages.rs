//! Answers of several messages.

use std::sync::Arc;

use domain::{
    assistant::{ANSWER, ModelAnswer, TurnResult, Words},
    channels::ChannelKind,
    conversation::Conversation,
    messages::Role,
    systems::Capability,
    testing::{ManualClock, a_conversation, a_moment, a_workspace},
};
use pollster::FutureExt;
use serde_json::json;

use super::{
    books::{Books, Reached},
    outage::{Scripted, calls},
    shop::Shop,
    wiring,
};

/// What reached a customer who has asked for milk, and how the turn ended.
fn answered(network: ChannelKind, answers: Vec<ModelAnswer>) -> (TurnResult, Vec<Reached>, Arc<Books>) {
    let clock = Arc::new(ManualClock::at(a_moment()));
    let conversation = Conversation { channel_kind: network, ..a_conversation() };
    let books = Arc::new(Books::new(conversation, clock));
    let (shop, model) = (Arc::new(Shop::new()), Arc::new(Scripted::default()));
    model.answers.lock().unwrap().extend(answers);
    let service = wiring::service(&books, &shop, &Capability::ALL.into_iter().collect(), network, model);
    let said = books.message(Role::Customer, "شكد الحليب والشامبو؟");
    books.say(said);
    books.clock.advance(std::time::Duration::from_secs(3));
    let turn = books.turn().expect("somebody waits");
    let result = service.turns.run(a_workspace().id, &turn).block_on().unwrap().expect("the turn has ended");
    let reached = books.pages().reached.clone();
    (result, reached, books)
}

#[test]
fn every_photo_goes_out_in_its_place_with_the_words_where_the_network_shows_them() {
    let quote = |id: &str| json!({ "act": "quote", "product": id, "parts": ["price", "photo"] });
    let script = || {
        let reads = |id: &str| calls("getProduct", &json!({ "id": id }));
        vec![reads("p1"), reads("p3"), calls(ANSWER, &json!({ "acts": [quote("p1"), quote("p3")] }))]
    };
    let (milk, shampoo) = ("https://cdn.shop.example/p/1.jpg", "https://cdn.shop.example/p/3.jpg");
    let (result, reached, books) = answered(ChannelKind::Whatsapp, script());
    assert_eq!(result, TurnResult::Answered);
    let photos: Vec<_> = reached.iter().map(|it| it.photo.as_deref()).collect();
    assert_eq!(photos, [Some(milk), Some(shampoo)]);
    assert!(reached[0].text.contains("2,500") && reached[1].text.contains("6,750"));
    let record = books.pages().turns_ended.last().cloned().unwrap();
    assert_eq!((record.acts, record.words), (vec!["quote".to_owned(); 2], Some(Words::Code)));
    assert_eq!(record.evidence, ["product:p1", "product:p3"]);
    // Elsewhere a text follows each, and the introduction stands before them all.
    let (_, reached, _) = answered(ChannelKind::Instagram, script());
    let said: Vec<_> = reached.iter().map(|it| (it.photo.as_deref(), it.text.contains("حليب"))).collect();
    let answer = [(Some(milk), false), (None, true), (Some(shampoo), false), (None, false)];
    assert_eq!(said, [&[(None, false)], &answer[..]].concat());
}
