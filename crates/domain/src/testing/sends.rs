//! One send from end to end: the request, what is stored of it, and what the network reports of it. The
//! values belong together: the status is about the ledger entry, which came from the intent.

use time::{Duration, OffsetDateTime, macros::datetime};
use uuid::Uuid;

use super::{a_number, a_workspace};
use crate::{
    channels::ChannelKind,
    contacts::{Contact, ContactSource},
    conversation::Conversation,
    customer_records::DueLead,
    events::{Customer, EventType},
    ids::MessageId,
    inbound::{SentMessage, StatusUpdate},
    messages::{
        Context, DeliveryStatus, Marks, Message, MessageMeta, NetworkMessageId, Progress, Role, TemplateRef,
    },
    phone::PhoneNumber,
    sending::{
        ConversationEntry, Intent, LedgerEntry, Refusal, Reply, SendResult, SendState, TemplateRequest,
        TemplateSend, Variables,
    },
    systems::LeadPush,
    webhooks::{
        WebhookSecret,
        ports::{DueDelivery, Leased, NewAddress},
    },
};

/// Returns the time of the send: a morning in November.
pub fn a_moment() -> OffsetDateTime {
    datetime!(2026-11-21 10:00 UTC)
}

/// Returns the recipient's number.
///
/// # Panics
/// Never: the number is valid.
#[expect(clippy::expect_used, reason = "a builder for tests")]
pub fn a_recipient() -> PhoneNumber {
    PhoneNumber::from_e164("+9647701234567").expect("a number")
}

/// Makes a valid request for [`super::a_template`] called `order_ready`, without an idempotency key.
pub fn a_template_request() -> TemplateRequest {
    TemplateRequest {
        to: "0770 123 4567".to_owned(),
        name: Some("سارة".to_owned()),
        template: "order_ready".to_owned(),
        variables: Some(Variables::Ordered(vec!["سارة".to_owned(), "A-1042".to_owned()])),
        reference: Some("order-1042".to_owned()),
        ..TemplateRequest::default()
    }
}

/// Makes a valid request for [`super::a_code_template`] called `login_code`, without an idempotency key.
pub fn a_code_request() -> TemplateRequest {
    TemplateRequest {
        to: "0770 123 4567".to_owned(),
        template: "login_code".to_owned(),
        code: Some("483920".to_owned()),
        reference: Some("login-7".to_owned()),
        ..TemplateRequest::default()
    }
}

/// Makes the intent of [`a_template_request`].
pub fn an_intent() -> Intent {
    Intent {
        conversation_entry: ConversationEntry::TemplateSend(TemplateSend {
            to: a_recipient(),
            name: Some("سارة".to_owned()),
            content: "مرحبا سارة، طلبك A-1042 جاهز".to_owned(),
            author: None,
        }),
        ..intent_of("order_ready", "order-1042")
    }
}

/// Makes the intent of a reply into [`a_conversation`] by the creator of [`super::a_caller`]'s key.
pub fn a_reply_intent() -> Intent {
    Intent {
        template: None,
        reference: None,
        conversation_entry: ConversationEntry::Reply(Reply {
            conversation: a_conversation().id,
            contact: a_contact().id,
            phone: Some(a_recipient()),
            author: crate::messages::ReplyAuthor::Member(super::a_caller().creator),
            text: "نعم، متوفر".to_owned(),
            upload: None,
        }),
        ..intent_of("", "")
    }
}

/// Makes the intent of [`a_code_request`], which holds nothing of its recipient and its text.
pub fn a_code_intent() -> Intent {
    intent_of("login_code", "login-7")
}

fn intent_of(template: &str, reference: &str) -> Intent {
    let number = a_number(0, 1);
    Intent {
        id: MessageId::from(Uuid::from_u128(0x3000)),
        workspace: a_workspace().id,
        channel: number.id,
        from: Some(number.phone),
        template: Some(TemplateRef { name: template.to_owned(), language: "ar".to_owned() }),
        reference: Some(reference.to_owned()),
        conversation_entry: ConversationEntry::Nothing,
        created_at: a_moment(),
    }
}

/// Makes the recipient's contact.
pub fn a_contact() -> Contact {
    Contact {
        id: Uuid::from_u128(0x4000).into(),
        name: Some("سارة".to_owned()),
        phone: Some(a_recipient()),
        source: ContactSource::Messaged,
        created_at: a_moment() - Duration::days(30),
    }
}

/// Makes the contact's conversation over [`a_number`] 1 of account 0, which the assistant answers.
pub fn a_conversation() -> Conversation {
    let made_at = a_moment() - Duration::days(30);
    let (contact, channel) = (a_contact().id, a_number(0, 1).id);
    let conversation =
        Conversation::new(Uuid::from_u128(0x5000).into(), contact, channel, ChannelKind::Whatsapp, made_at);
    Conversation { last_message_at: a_moment() - Duration::days(1), ..conversation }
}

/// Makes the message of [`an_intent`] in the conversation.
pub fn a_message() -> Message {
    let intent = an_intent();
    Message {
        id: intent.id,
        conversation: a_conversation().id,
        role: Role::Team,
        sender_id: None,
        content: intent
            .conversation_entry
            .template_send()
            .map(|send| send.content.clone())
            .unwrap_or_default(),
        attachments: Vec::new(),
        transcription: None,
        created_at: a_moment(),
        sent_at: None,
        meta: intent.template.map(|template| MessageMeta { template, reference: intent.reference }),
        context: Context::default(),
        marks: Marks::default(),
        system_message: None,
    }
}

/// Makes a lead of [`a_recipient`] that is to be told to a system.
pub fn a_due_lead(attempt: u32) -> DueLead {
    let (phone, conversation) = (a_recipient(), a_conversation().id);
    DueLead {
        id: Uuid::from_u128(5).into(),
        push: LeadPush { name: None, phone, note: None, conversation },
        attempt,
        captured_at: a_moment(),
    }
}

/// Makes the refusal of a network with this code and subcode.
pub fn a_rejection(code: i64, subcode: Option<i64>) -> Refusal {
    Refusal::Rejected { channel: ChannelKind::Whatsapp, code, subcode, message: String::new() }
}

/// Makes the result of the send of [`a_message`].
pub fn a_send_result() -> SendResult {
    SendResult {
        contact: Some(a_contact().id),
        conversation: Some(a_conversation().id),
        message: Some(a_message()),
        ..result_of(an_intent())
    }
}

fn result_of(intent: Intent) -> SendResult {
    SendResult {
        id: intent.id,
        from: intent.from,
        contact: None,
        conversation: None,
        reference: intent.reference,
        message: None,
    }
}

/// Makes the ledger entry of the send, which the network took.
pub fn a_ledger_entry() -> LedgerEntry {
    LedgerEntry {
        intent: an_intent(),
        state: SendState::Sent(Box::new(a_send_result())),
        progress: Progress::SENT,
    }
}

/// Makes the send and its contact, as a status finds them.
pub fn a_sent_message() -> SentMessage {
    SentMessage { entry: a_ledger_entry(), customer: Some(Customer::of(&a_contact())), stamped_at: None }
}

/// Makes a one-time code that the network took, as a status finds it.
pub fn a_sent_code() -> SentMessage {
    let entry = LedgerEntry {
        intent: a_code_intent(),
        state: SendState::Sent(Box::new(result_of(a_code_intent()))),
        progress: Progress::SENT,
    };
    SentMessage { entry, customer: None, stamped_at: None }
}

/// Makes the network's id of the message.
pub fn a_network_message_id() -> NetworkMessageId {
    NetworkMessageId::from("wamid.one".to_owned())
}

/// Makes a status of the message, two seconds after the send. A failure carries no error.
pub fn a_status(status: DeliveryStatus) -> StatusUpdate {
    StatusUpdate {
        network_id: a_network_message_id(),
        tag: Some(an_intent().id.to_string()),
        status,
        at: a_moment() + Duration::seconds(2),
        error: None,
    }
}

/// Makes a registered webhook address that is told when a message is sent, delivered or failed.
pub fn a_webhook_address() -> NewAddress {
    NewAddress {
        id: Uuid::from_u128(0x6000).into(),
        url: "https://shop.example/hooks".to_owned(),
        events: vec![EventType::MessageSent, EventType::MessageDelivered, EventType::MessageFailed],
        secret: WebhookSecret::from("whsec_test".to_owned()),
        is_once: false,
        creator: None,
    }
}

/// Makes the first attempt of a delivery to [`a_webhook_address`].
pub fn a_due_delivery() -> DueDelivery {
    let address = a_webhook_address();
    DueDelivery {
        leased: Leased {
            id: Uuid::from_u128(0x7000).into(),
            address: address.id,
            created_at: a_moment(),
            attempt: 1,
            until: a_moment() + Duration::MINUTE,
            once: false,
        },
        url: address.url,
        secret: address.secret,
        previous_secret: None,
        standard_headers: false,
        event: EventType::MessageDelivered,
        body: b"{}".to_vec(),
        trace_parent: None,
    }
}
