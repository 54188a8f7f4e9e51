//! What pages say. Each word is written once with both of its languages, so that none can be missing in one.

/// Makes a struct of words, and a value of it for each language.
macro_rules! words {
    ($(#[doc = $about:literal])+ $words:ident: $($key:ident: $english:literal, $arabic:literal;)*) => {
        $(#[doc = $about])+
        #[derive(Debug)]
        #[expect(missing_docs, reason = "the words say what they mean")]
        pub struct $words {
            $(pub $key: &'static str,)*
        }

        impl $words {
            pub(super) const ENGLISH: Self = Self { $($key: $english,)* };
            pub(super) const ARABIC: Self = Self { $($key: $arabic,)* };
        }
    };
}

mod access;
mod assistant;
mod automations;
mod broadcasts;
mod changes;
mod codes;
mod common;
mod desk;
mod drafts;
mod faults;
mod imports;
mod inbox;
mod lists;
mod messages;
mod owner;
mod proposals;
mod refusals;
mod start;
mod system_messages;
mod wrong;

pub use access::AccessWords;
pub use assistant::AssistantWords;
pub use automations::AutomationWords;
pub use broadcasts::BroadcastWords;
pub use changes::ChangeWords;
pub use codes::{ActionWords, CodeWords};
pub use common::CommonWords;
pub use desk::{BrowserWords, ComposerWords, SeveralWords};
pub use drafts::DraftWords;
pub use faults::FaultWords;
pub use imports::ImportWords;
pub use inbox::InboxWords;
pub use lists::{ChannelWords, ContactWords, ProfileWords, SystemWords, TemplateWords, WorkspaceWords};
pub use messages::MessageWords;
pub use owner::{OwnerWords, WebhookWords};
pub use proposals::ProposalWords;
pub use refusals::RefusalWords;
pub use start::{SettingsWords, StartWords};
pub use wrong::WrongWords;

use domain::access::members;

/// Everything that pages say, in one language.
#[derive(Debug)]
#[expect(missing_docs, reason = "each part is documented itself")]
pub struct Words {
    pub common: CommonWords,
    pub access: AccessWords,
    pub actions: ActionWords,
    pub codes: CodeWords,
    pub assistant: AssistantWords,
    pub browser: BrowserWords,
    pub composer: ComposerWords,
    pub several: SeveralWords,
    pub imports: ImportWords,
    pub inbox: InboxWords,
    pub automations: AutomationWords,
    pub broadcasts: BroadcastWords,
    pub changes: ChangeWords,
    pub channels: ChannelWords,
    pub contacts: ContactWords,
    pub drafts: DraftWords,
    pub faults: FaultWords,
    pub messages: MessageWords,
    pub owner: OwnerWords,
    pub profile: ProfileWords,
    pub proposals: ProposalWords,
    pub settings: SettingsWords,
    pub start: StartWords,
    pub system: SystemWords,
    pub templates: TemplateWords,
    pub webhooks: WebhookWords,
    pub workspace: WorkspaceWords,
    pub refusals: RefusalWords,
    pub wrong: WrongWords,
}

static ENGLISH: Words = Words {
    common: CommonWords::ENGLISH,
    access: AccessWords::ENGLISH,
    actions: ActionWords::ENGLISH,
    codes: CodeWords::ENGLISH,
    assistant: AssistantWords::ENGLISH,
    browser: BrowserWords::ENGLISH,
    composer: ComposerWords::ENGLISH,
    several: SeveralWords::ENGLISH,
    imports: ImportWords::ENGLISH,
    inbox: InboxWords::ENGLISH,
    automations: AutomationWords::ENGLISH,
    broadcasts: BroadcastWords::ENGLISH,
    changes: ChangeWords::ENGLISH,
    channels: ChannelWords::ENGLISH,
    contacts: ContactWords::ENGLISH,
    drafts: DraftWords::ENGLISH,
    faults: FaultWords::ENGLISH,
    messages: MessageWords::ENGLISH,
    owner: OwnerWords::ENGLISH,
    profile: ProfileWords::ENGLISH,
    proposals: ProposalWords::ENGLISH,
    settings: SettingsWords::ENGLISH,
    start: StartWords::ENGLISH,
    system: SystemWords::ENGLISH,
    templates: TemplateWords::ENGLISH,
    webhooks: WebhookWords::ENGLISH,
    workspace: WorkspaceWords::ENGLISH,
    refusals: RefusalWords::ENGLISH,
    wrong: WrongWords::ENGLISH,
};

static ARABIC: Words = Words {
    common: CommonWords::ARABIC,
    access: AccessWords::ARABIC,
    actions: ActionWords::ARABIC,
    codes: CodeWords::ARABIC,
    assistant: AssistantWords::ARABIC,
    browser: BrowserWords::ARABIC,
    composer: ComposerWords::ARABIC,
    several: SeveralWords::ARABIC,
    imports: ImportWords::ARABIC,
    inbox: InboxWords::ARABIC,
    automations: AutomationWords::ARABIC,
    broadcasts: BroadcastWords::ARABIC,
    changes: ChangeWords::ARABIC,
    channels: ChannelWords::ARABIC,
    contacts: ContactWords::ARABIC,
    drafts: DraftWords::ARABIC,
    faults: FaultWords::ARABIC,
    messages: MessageWords::ARABIC,
    owner: OwnerWords::ARABIC,
    profile: ProfileWords::ARABIC,
    proposals: ProposalWords::ARABIC,
    settings: SettingsWords::ARABIC,
    start: StartWords::ARABIC,
    system: SystemWords::ARABIC,
    templates: TemplateWords::ARABIC,
    webhooks: WebhookWords::ARABIC,
    workspace: WorkspaceWords::ARABIC,
    refusals: RefusalWords::ARABIC,
    wrong: WrongWords::ARABIC,
};

/// A language that pages are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Arabic.
    Arabic,
}

impl From<members::Language> for Language {
    fn from(language: members::Language) -> Self {
        match language {
            members::Language::Arabic => Self::Arabic,
            members::Language::English => Self::English,
        }
    }
}

impl From<Language> for members::Language {
    fn from(language: Language) -> Self {
        match language {
            Language::Arabic => Self::Arabic,
            Language::English => Self::English,
        }
    }
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::English, Self::Arabic];

    /// Its code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Arabic => "ar",
        }
    }

    /// Its own name for itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Arabic => "العربية",
        }
    }

    /// The direction it is written in.
    pub const fn direction(self) -> &'static str {
        match self {
            Self::English => "ltr",
            Self::Arabic => "rtl",
        }
    }

    /// What is said in it.
    pub const fn words(self) -> &'static Words {
        match self {
            Self::English => &ENGLISH,
            Self::Arabic => &ARABIC,
        }
    }

    /// The language of this code.
    pub fn read(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The first of ours that a browser asks for, by the header `Accept-Language`.
    pub fn accepted(header: &str) -> Option<Self> {
        header.split(',').find_map(|part| {
            let tag = part.split([';', '-']).next().unwrap_or_default();
            Self::read(&tag.trim().to_ascii_lowercase())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn a_browsers_first_language_of_ours_is_taken() {
        for (header, wanted) in [
            ("ar-IQ,ar;q=0.9,en;q=0.8", Some(Language::Arabic)),
            ("de, EN-us;q=0.5", Some(Language::English)),
            ("de", None),
            ("", None),
        ] {
            assert_eq!(Language::accepted(header), wanted, "{header}");
        }
    }
}
