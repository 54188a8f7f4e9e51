//! What confirms a draft, and what does not.

use time::Duration;
use uuid::Uuid;

use super::{AnswerReading, judge};
use crate::{
    attachments::{AttachmentKind, ContentType, ObjectKey, StoredAttachment},
    consent::{
        DraftButton, DraftState,
        fixtures::a_draft,
        ports::{AnsweredDraft, Question},
    },
    messages::{Context, Message, Progress, Role, Sending, SendingState, TappedReply, ports::KeptMessage},
    testing::{a_message, a_moment, a_vault, a_workspace},
};

fn answered(only_button: bool) -> AnsweredDraft {
    let draft = a_draft();
    let (read_until, question) = (draft.created_at, Question::first(&draft));
    AnsweredDraft { draft, read_until, only_button, question, sent_again: 0, lease_until: a_moment() }
}

/// Makes a message of `seconds` after the draft was made.
fn said(seconds: i64, role: Role, text: &str) -> KeptMessage {
    let message = Message {
        id: Uuid::from_u128(u128::try_from(1_000 + seconds).unwrap()).into(),
        role,
        content: text.to_owned(),
        created_at: a_moment() + Duration::seconds(seconds),
        meta: None,
        ..a_message()
    };
    KeptMessage { message, files: vec![], missing: vec![], awaited: vec![], sending: None }
}

fn summary(state: SendingState) -> KeptMessage {
    let mut kept = said(1, Role::Team, "ملخص الطلب");
    kept.message.id = a_draft().summary;
    kept.sending = Some(Sending {
        state,
        asked_at: a_moment(),
        settled_at: Some(a_moment()),
        progress: Progress::SENT,
        error: None,
        error_code: None,
    });
    kept
}

fn tapped(seconds: i64, id: &str) -> KeptMessage {
    let mut kept = said(seconds, Role::Customer, "أؤكد");
    kept.message.context.reply = TappedReply::told(Some(id.to_owned()), Some("أؤكد".to_owned()));
    kept
}

fn a_photo() -> StoredAttachment {
    let content_type = ContentType::read("image/jpeg");
    let key = ObjectKey::of(&a_vault(), a_workspace().id, a_message().id, 0, content_type);
    StoredAttachment { kind: AttachmentKind::Image, key, content_type, bytes: 6, title: None }
}

fn reading(answered: &AnsweredDraft, oldest_first: &[KeptMessage]) -> AnswerReading {
    let newest_first: Vec<KeptMessage> = oldest_first.iter().rev().cloned().collect();
    judge(answered, &newest_first, a_moment() + Duration::MINUTE)
}

fn heard(seconds: i64) -> AnswerReading {
    AnswerReading::Heard(a_moment() + Duration::seconds(seconds))
}

fn asked_again(seconds: i64) -> AnswerReading {
    AnswerReading::AskedAgain(a_moment() + Duration::seconds(seconds))
}

fn confirmed(seconds: u128) -> AnswerReading {
    AnswerReading::Confirmed(Uuid::from_u128(1_000 + seconds).into())
}

#[test]
fn a_strict_yes_right_after_a_summary_that_the_network_took_confirms() {
    let sent = || summary(SendingState::Sent);
    let yes = |seconds| said(seconds, Role::Customer, "نعم");
    assert_eq!(reading(&answered(false), &[sent(), yes(5)]), confirmed(5));
    assert_eq!(reading(&answered(false), &[sent(), yes(5), yes(6)]), confirmed(6));
    // What was said before the summary is no part of the answer.
    let before = said(-5, Role::Customer, "كم سعر التوصيل؟");
    assert_eq!(reading(&answered(false), &[before, sent(), yes(5)]), confirmed(5));
    let question = said(6, Role::Customer, "كم سعر التوصيل؟");
    assert_eq!(reading(&answered(false), &[sent(), yes(5), question]), heard(6));
    assert_eq!(reading(&answered(false), &[sent()]), heard(0));
}

#[test]
fn words_prove_nothing_where_the_summary_may_not_have_been_read_or_is_not_the_last_word() {
    let yes = || said(9, Role::Customer, "نعم");
    let mut failed = summary(SendingState::Sent);
    failed.sending.as_mut().unwrap().progress.failed_at = Some(a_moment());
    for unread in [summary(SendingState::InFlight), summary(SendingState::Refused), failed] {
        assert_eq!(reading(&answered(false), &[unread, yes()]), heard(9));
    }
    assert_eq!(reading(&answered(false), &[yes()]), heard(9));
    let told = |role, text| said(5, role, text);
    for asked in [
        told(Role::Team, "تريد توصيل سريع؟"),
        told(Role::Assistant, "تريد توصيل سريع؟"),
        told(Role::Team, "التوصيل خلال يومين."),
    ] {
        assert_eq!(reading(&answered(false), &[summary(SendingState::Sent), asked, yes()]), heard(9));
    }
    // A system message asks nothing.
    let moved = said(5, Role::System, "taken");
    assert_eq!(reading(&answered(false), &[summary(SendingState::Sent), moved, yes()]), confirmed(9));
    // The customer has spoken of something else since the summary: it is worth asking again.
    assert_eq!(reading(&answered(true), &[summary(SendingState::Sent), yes()]), asked_again(9));
}

#[test]
fn almost_a_yes_brings_the_summary_again_twice_at_most() {
    let sent = || summary(SendingState::Sent);
    let near = |seconds| said(seconds, Role::Customer, "تمام");
    assert_eq!(reading(&answered(false), &[sent(), near(5)]), asked_again(5));
    assert_eq!(reading(&answered(false), &[sent(), near(5), said(6, Role::Customer, "نعم")]), confirmed(6));
    let again = |times| AnsweredDraft { sent_again: times, ..answered(false) };
    assert_eq!(reading(&again(1), &[sent(), near(5)]), asked_again(5));
    assert_eq!(reading(&again(2), &[sent(), near(5)]), heard(5));
    assert_eq!(reading(&again(2), &[sent(), said(5, Role::Customer, "نعم")]), confirmed(5));
    // Not where the question is not the last word: it may answer that.
    assert_eq!(reading(&answered(true), &[sent(), near(5)]), heard(5));
    let told = said(4, Role::Assistant, "التوصيل خلال يومين.");
    assert_eq!(reading(&answered(false), &[sent(), told, near(5)]), heard(5));
    assert_eq!(reading(&answered(false), &[summary(SendingState::InFlight), near(5)]), heard(5));
    assert_eq!(
        reading(&answered(false), &[sent(), near(5), said(6, Role::Customer, "شكد التوصيل؟")]),
        heard(6)
    );
}

#[test]
fn a_yes_after_something_that_the_assistant_has_told_brings_the_summary_again() {
    let sent = || summary(SendingState::Sent);
    let yes = || said(9, Role::Customer, "نعم");
    let told = || said(5, Role::Assistant, "التوصيل خلال يومين.");
    for only_button in [false, true] {
        assert_eq!(reading(&answered(only_button), &[sent(), told(), yes()]), asked_again(9));
        let asked = said(6, Role::Assistant, "تريد لون ثاني؟");
        assert_eq!(reading(&answered(only_button), &[sent(), told(), asked, yes()]), heard(9));
        let of_team = said(4, Role::Team, "راح اتصل بيك.");
        assert_eq!(reading(&answered(only_button), &[sent(), of_team, told(), yes()]), heard(9));
    }
    // A no there may be one to anything.
    assert_eq!(reading(&answered(true), &[sent(), told(), said(9, Role::Customer, "لا")]), heard(9));
}

#[test]
fn words_count_again_once_the_network_has_taken_the_question_that_was_put_again() {
    let again = |state| {
        let mut kept = summary(state);
        kept.message.id = Uuid::from_u128(70).into();
        kept.message.created_at = a_moment() + Duration::seconds(10);
        kept.sending.as_mut().unwrap().settled_at = Some(a_moment() + Duration::seconds(12));
        kept
    };
    let question = Question { message: Uuid::from_u128(70).into(), at: a_moment() + Duration::seconds(9) };
    let read_until = a_moment() + Duration::seconds(8);
    let answered = |sent_again| AnsweredDraft { read_until, question, sent_again, ..answered(false) };
    let before = || {
        let told = said(7, Role::Assistant, "التوصيل خلال يومين.");
        vec![summary(SendingState::Sent), said(6, Role::Customer, "شكد التوصيل؟"), told]
    };
    let with = |more: Vec<KeptMessage>| [before(), more].concat();
    let yes = |seconds| said(seconds, Role::Customer, "نعم");
    let sent = || again(SendingState::Sent);
    assert_eq!(reading(&answered(0), &with(vec![sent(), yes(13)])), confirmed(13));
    // Words from before it was taken may answer what was told.
    assert_eq!(reading(&answered(0), &with(vec![yes(9), sent()])), heard(9));
    assert_eq!(reading(&answered(0), &with(vec![sent(), yes(11)])), heard(11));
    assert_eq!(reading(&answered(0), &with(vec![again(SendingState::Refused), yes(13)])), heard(13));
    // The summary may be quoted as well as what puts its question again.
    for question in [a_draft().summary, Uuid::from_u128(70).into()] {
        let mut quoting = yes(13);
        quoting.message.context.reply_to = Some(question);
        assert_eq!(reading(&answered(0), &with(vec![sent(), quoting])), confirmed(13));
    }
    // The button under either is the draft's own.
    let confirm = DraftButton::Confirm.id_of(a_draft().id);
    assert_eq!(
        reading(&answered(2), &with(vec![again(SendingState::InFlight), tapped(11, &confirm)])),
        confirmed(11)
    );
}

#[test]
fn words_from_before_the_network_took_the_summary_prove_nothing() {
    let yes = |seconds| said(seconds, Role::Customer, "نعم");
    let taken = |settled: Option<i64>, recorded: i64| {
        let mut kept = summary(SendingState::Sent);
        kept.message.created_at = a_moment() + Duration::seconds(recorded);
        kept.sending.as_mut().unwrap().settled_at = settled.map(|at| a_moment() + Duration::seconds(at));
        kept
    };
    // The customer answered something else while the summary was on its way.
    assert_eq!(reading(&answered(false), &[yes(3), taken(Some(5), 5)]), heard(3));
    assert_eq!(reading(&answered(false), &[taken(Some(5), 1), yes(3)]), heard(3));
    assert_eq!(reading(&answered(false), &[yes(3), taken(None, 5)]), heard(3));
    // All messages of the burst have to come after it.
    assert_eq!(reading(&answered(false), &[yes(3), taken(Some(5), 5), yes(6)]), heard(6));
    assert_eq!(reading(&answered(false), &[taken(Some(5), 5), yes(5)]), confirmed(5));
    assert_eq!(reading(&answered(false), &[taken(Some(5), 5), yes(6), yes(7)]), confirmed(7));
    // Nobody can tap the button before the summary has arrived.
    let confirm = DraftButton::Confirm.id_of(a_draft().id);
    assert_eq!(reading(&answered(false), &[tapped(3, &confirm), taken(Some(5), 5)]), confirmed(3));
}

#[test]
fn the_draft_s_own_button_confirms_whatever_was_said_before() {
    let confirm = DraftButton::Confirm.id_of(a_draft().id);
    let change = DraftButton::Change.id_of(a_draft().id);
    let asked = said(5, Role::Team, "تريد توصيل سريع؟");
    assert_eq!(reading(&answered(true), &[asked, tapped(9, &confirm)]), confirmed(9));
    assert_eq!(reading(&answered(false), &[tapped(9, &change)]), AnswerReading::Ended(DraftState::Declined));
    let another = DraftButton::Confirm.id_of(Uuid::from_u128(8).into());
    assert_eq!(reading(&answered(false), &[summary(SendingState::Sent), tapped(9, &another)]), heard(9));
    // A tap names the summary, whose network id may not be known yet.
    let mut early = tapped(9, &confirm);
    early.message.context.reply_to_unknown = true;
    assert_eq!(reading(&answered(false), &[early]), confirmed(9));
    // Not with another message beside it.
    let more = said(10, Role::Customer, "بس غيّر العنوان");
    assert_eq!(reading(&answered(false), &[tapped(9, &confirm), more]), heard(10));
}

#[test]
fn nothing_is_confirmed_after_half_an_hour() {
    let confirm = DraftButton::Confirm.id_of(a_draft().id);
    assert_eq!(reading(&answered(false), &[tapped(1_799, &confirm)]), confirmed(1_799));
    assert_eq!(
        reading(&answered(false), &[tapped(1_800, &confirm)]),
        AnswerReading::Ended(DraftState::Expired)
    );
    // A draft that nobody answers expires, too.
    let over = a_moment() + Duration::minutes(30);
    assert_eq!(judge(&answered(false), &[], over), AnswerReading::Ended(DraftState::Expired));
}

#[test]
fn a_yes_about_something_else_or_that_was_changed_proves_nothing() {
    let with = |change: fn(&mut KeptMessage)| {
        let mut yes = said(5, Role::Customer, "نعم");
        change(&mut yes);
        reading(&answered(false), &[summary(SendingState::Sent), yes])
    };
    assert_eq!(with(|yes| yes.message.context.reply_to = Some(a_draft().summary)), confirmed(5));
    assert_eq!(with(|yes| yes.message.context.reply_to = Some(Uuid::from_u128(3).into())), heard(5));
    // For instance a reply to an older summary whose network id is not known.
    assert_eq!(with(|yes| yes.message.context.reply_to_unknown = true), heard(5));
    assert_eq!(with(|yes| yes.message.context.forwarded = true), heard(5));
    assert_eq!(with(|yes| yes.message.marks.edited_at = Some(a_moment())), heard(5));
    assert_eq!(with(|yes| yes.message.marks.deleted_at = Some(a_moment())), heard(5));
    assert_eq!(with(|yes| yes.message.context = Context::default()), confirmed(5));
}

#[test]
fn a_yes_under_a_file_proves_nothing_whether_the_file_has_come_or_not() {
    let with = |change: fn(&mut KeptMessage)| {
        let mut yes = said(5, Role::Customer, "نعم");
        change(&mut yes);
        reading(&answered(false), &[summary(SendingState::Sent), yes])
    };
    assert_eq!(with(|yes| yes.awaited = vec![AttachmentKind::Image]), heard(5));
    assert_eq!(with(|yes| yes.missing = vec![AttachmentKind::Audio]), heard(5));
    assert_eq!(with(|yes| yes.message.context.unavailable = vec![AttachmentKind::Audio]), heard(5));
    assert_eq!(with(|yes| yes.files = vec![a_photo()]), heard(5));
    // Nor does a tap beside a file.
    let confirm = DraftButton::Confirm.id_of(a_draft().id);
    let mut photo = said(10, Role::Customer, "");
    photo.awaited = vec![AttachmentKind::Image];
    assert_eq!(reading(&answered(false), &[tapped(9, &confirm), photo]), heard(10));
}

#[test]
fn a_hundred_messages_say_nothing_that_could_be_read_whole() {
    let flood: Vec<KeptMessage> = (1..=100).map(|second| said(second, Role::Customer, "نعم")).collect();
    assert_eq!(reading(&answered(false), &flood), heard(100));
}
