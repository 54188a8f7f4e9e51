//! Values that are valid in every field, so that a test changes only the one it is about.

use time::macros::datetime;
use uuid::Uuid;

use crate::{
    access::{
        Caller, Scope,
        members::{Member, Role},
        sessions::Session,
    },
    attachments::ports::MockAttachmentLinks,
    channels::{Account, ChannelKind, Number},
    contacts::Identity,
    ids::AccountId,
    phone::{PhoneNumber, Region},
    sending::Catalogue,
    templates::{Authentication, Button, Template, TemplateContent, TemplateStatus, VariableLabels},
    vault::MockVault,
    workspaces::{Plan, Workspace},
    zone::Zone,
};

/// Replaces each `\u{…}` of a text by the character it stands for.
///
/// # Panics
/// If one of them stands for none.
#[expect(clippy::expect_used, reason = "a builder for tests")]
pub fn unescape(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('}').expect("an end");
        let code = u32::from_str_radix(code, 16).expect("a number");
        plain.push(char::from_u32(code).expect("a character"));
        plain.push_str(rest);
    }
    plain
}

/// Returns Iraq.
pub fn a_region() -> Region {
    Region::default()
}

/// Makes a workspace in Iraq, in Arabic, on an unlimited plan.
pub fn a_workspace() -> Workspace {
    Workspace {
        id: Uuid::from_u128(1).into(),
        name: "Palm Store".to_owned(),
        locale: "ar".to_owned(),
        region: a_region(),
        time_zone: Zone::default(),
        plan: Plan::default(),
    }
}

/// Makes an identity by the network's own id of a person.
pub fn someone_on(network: ChannelKind) -> Identity {
    let id = "7701234567".to_owned();
    match network {
        ChannelKind::Whatsapp => Identity::WhatsappUser(id),
        ChannelKind::Messenger => Identity::MessengerUser(id),
        ChannelKind::Instagram => Identity::InstagramUser(id),
    }
}

/// Makes a caller with a key of [`a_workspace`] and every scope.
pub fn a_caller() -> Caller {
    Caller {
        workspace: a_workspace().id,
        key: Uuid::from_u128(2).into(),
        creator: Uuid::from_u128(3).into(),
        scopes: Scope::ALL.to_vec(),
    }
}

/// Makes an owner of [`a_workspace`] who has joined; `index` tells members apart.
///
/// # Panics
/// Never: the address is valid.
#[expect(clippy::expect_used, reason = "a builder for tests")]
pub fn a_member(index: u8) -> Member {
    Member {
        id: Uuid::from_u128(0x8000 + u128::from(index)).into(),
        workspace: a_workspace().id,
        email: format!("member{index}@shop.example").parse().expect("an address"),
        name: Some(format!("Member {index}")),
        role: Role::Owner,
        joined: true,
        second_factor: false,
        language: None,
        created_at: datetime!(2026-01-01 00:00 UTC) + time::Duration::hours(index.into()),
    }
}

/// Makes a session of this member.
pub fn a_session(member: &Member) -> Session {
    Session {
        id: Uuid::from_u128(0x9000).into(),
        workspace: member.workspace,
        member: member.id,
        role: member.role,
        language: member.language,
        region: a_region(),
        time_zone: Zone::default(),
    }
}

/// Returns the id of account `index` of [`a_workspace`].
pub fn an_account_id(index: u128) -> AccountId {
    Uuid::from_u128(0x1000 + index).into()
}

/// Makes account 0 with its token.
pub fn an_account() -> Account {
    Account {
        id: an_account_id(0),
        workspace: a_workspace().id,
        network_id: "waba-0".to_owned(),
        token: "a token".to_owned().into(),
    }
}

/// Makes a connected number of account `account`; `index` from 0 to 9 tells numbers apart and orders them.
///
/// # Panics
/// If the number built from `index` is no phone number.
#[expect(clippy::expect_used, reason = "a builder for tests")]
pub fn a_number(account: u128, index: u8) -> Number {
    Number {
        id: Uuid::from_u128(0x2000 + u128::from(index)).into(),
        account: an_account_id(account),
        account_network_id: format!("waba-{account}"),
        network_id: format!("10000000{index}"),
        phone: PhoneNumber::from_e164(&format!("+964770000000{index}")).expect("a number"),
        send_only: false,
        connected_at: datetime!(2026-01-01 00:00 UTC) + time::Duration::hours(index.into()),
    }
}

/// Makes an approved Arabic utility template of account 0: two positional variables, no header, no buttons.
pub fn a_template(name: &str) -> Template {
    Template {
        account: an_account_id(0),
        account_network_id: "waba-0".to_owned(),
        network_id: "900".to_owned(),
        name: name.to_owned(),
        language: "ar".to_owned(),
        category: "UTILITY".to_owned(),
        status: TemplateStatus::Approved,
        rejection_reason: None,
        content: TemplateContent {
            body: "مرحبا {{1}}، طلبك {{2}} جاهز".to_owned(),
            ..TemplateContent::default()
        },
        labels: VariableLabels::new(),
        send_ttl_seconds: None,
        validity_problem: None,
    }
}

/// Makes an approved Arabic template of account 0 for one-time codes that live five minutes.
pub fn a_code_template(name: &str) -> Template {
    let button = Button {
        kind: "OTP".to_owned(),
        text: "نسخ".to_owned(),
        url: Some("https://www.whatsapp.com/otp/code/?code=otp{{1}}".to_owned()),
    };
    let five_minutes = Authentication { add_security_recommendation: true, code_expiration_minutes: Some(5) };
    Template {
        network_id: "901".to_owned(),
        category: "AUTHENTICATION".to_owned(),
        send_ttl_seconds: Some(300),
        content: TemplateContent {
            body: "*{{1}}* هو رمزك".to_owned(),
            buttons: vec![button],
            authentication: Some(five_minutes),
            ..TemplateContent::default()
        },
        ..a_template(name)
    }
}

/// Makes a vault with the hash of [`a_hash`], whose random bytes are all `0xab`.
pub fn a_vault() -> MockVault {
    let mut vault = MockVault::new();
    vault.expect_random().return_const([0xab; 32]);
    vault.expect_keyed_hash().returning(a_hash);
    vault
}

/// Makes links that tell only the key of their file.
pub fn some_links() -> MockAttachmentLinks {
    let mut links = MockAttachmentLinks::new();
    links.expect_link().returning(|key| Ok(format!("https://files.example/{key}")));
    links
}

/// Returns the hash of [`a_vault`]. Each byte of it depends on the purpose and on every byte of the data; it
/// hides nothing.
pub fn a_hash(purpose: &str, data: &[u8]) -> [u8; 32] {
    let mix = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut state = purpose.bytes().chain([0]).chain(data.iter().copied()).fold(0xcbf2_9ce4_8422_2325, mix);
    let mut hash = [0_u8; 32];
    for part in hash.chunks_exact_mut(8) {
        state = state.rotate_left(29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        part.copy_from_slice(&state.to_be_bytes());
    }
    hash
}

/// Makes the catalogue that planning reads: [`a_workspace`] with these numbers and templates.
pub fn catalogue_of(numbers: Vec<Number>, templates: Vec<Template>) -> Catalogue {
    Catalogue { workspace: a_workspace(), numbers, templates }
}
