//! Texts of pages. Each is written once with both of its languages, so that none can be missing in one.

mod access;
mod assistant;
mod automations;
mod broadcasts;
mod changes;
mod codes;
mod common;
mod dates;
mod desk;
mod drafts;
mod faults;
mod imports;
mod inbox;
mod lists;
mod messages;
mod owner;
mod pair;
mod proposals;
mod refusals;
mod rehearsals;
mod start;
mod system_messages;
mod wrong;
mod wrong_draft;

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
pub use rehearsals::RehearsalWords;
pub use start::{SettingsWords, StartWords};
pub use wrong::WrongWords;

use domain::access::members;

/// All texts of the pages, in one language.
#[derive(Debug)]
pub struct Words {
    pub common: CommonWords,
    pub access: AccessWords,
    pub actions: ActionWords,
    pub codes: CodeWords,
    pub assistant: AssistantWords,
    pub rehearsals: RehearsalWords,
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
    rehearsals: RehearsalWords::ENGLISH,
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
    rehearsals: RehearsalWords::ARABIC,
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

/// Returns a counted noun; `forms` are for none, one, two, few, many and any other number, with `{}` for the
/// number. Arabic has six forms; English repeats two.
pub fn counted(count: u64, forms: [&str; 6]) -> String {
    let [none, one, two, few, many, other] = forms;
    let form = match (count, count % 100) {
        (0, _) => none,
        (1, _) => one,
        (2, _) => two,
        (_, 3..=10) => few,
        (_, 11..=99) => many,
        _ => other,
    };
    form.replace("{}", &count.to_string())
}

/// A language of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    #[default]
    English,
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
    pub const ALL: [Self; 2] = [Self::English, Self::Arabic];

    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Arabic => "ar",
        }
    }

    /// Returns its own name for itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Arabic => "العربية",
        }
    }

    /// Returns the direction it is written in.
    pub const fn direction(self) -> &'static str {
        match self {
            Self::English => "ltr",
            Self::Arabic => "rtl",
        }
    }

    /// Returns the texts in it.
    pub const fn words(self) -> &'static Words {
        match self {
            Self::English => &ENGLISH,
            Self::Arabic => &ARABIC,
        }
    }

    /// Returns the language with this code.
    pub fn read(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// Returns the first supported language of a browser's header `Accept-Language`.
    pub fn accepted(header: &str) -> Option<Self> {
        header.split(',').find_map(|part| {
            let tag = part.split([';', '-']).next().unwrap_or_default();
            Self::read(&tag.trim().to_ascii_lowercase())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, counted};

    /// Texts of all words, in both languages, in the same order.
    fn texts() -> Vec<(String, String)> {
        let of = |language: Language| {
            // `Debug` prints a mark that is written over a letter as its number.
            let said = format!("{:?}", language.words()).replace("\\u{64b}", "\u{64b}");
            said.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
        };
        let (english, arabic) = (of(Language::English), of(Language::Arabic));
        assert_eq!(english.len(), arabic.len());
        english.into_iter().zip(arabic).collect()
    }

    #[test]
    fn a_counted_noun_has_the_form_of_its_number() {
        let forms = ["none", "one", "two", "{} few", "{} many", "{} other"];
        for (count, wanted) in [
            (0, "none"),
            (1, "one"),
            (2, "two"),
            (3, "3 few"),
            (10, "10 few"),
            (11, "11 many"),
            (37, "37 many"),
            (99, "99 many"),
            (100, "100 other"),
            (102, "102 other"),
            (103, "103 few"),
            (111, "111 many"),
        ] {
            assert_eq!(counted(count, forms), wanted);
        }
    }

    #[test]
    fn tanwin_stands_on_its_alef_and_commas_are_of_the_language() {
        for (_, arabic) in texts() {
            assert!(!arabic.contains("\u{64b}\u{627}"), "{arabic}: the mark stands behind the alef");
            let latin = arabic.char_indices().any(|(at, letter)| {
                let before = arabic.get(..at).and_then(|text| text.chars().next_back());
                letter == ',' && before.is_some_and(|before| ('\u{600}'..'\u{700}').contains(&before))
            });
            assert!(!latin, "{arabic}: a Latin comma behind Arabic");
        }
    }

    #[test]
    fn one_arabic_word_stands_for_codes_to_type_and_for_nothing_else() {
        for (english, arabic) in texts() {
            let is_code = arabic.contains("رمز") || arabic.contains("رموز");
            let english = english.to_lowercase();
            let says_code = ["code", "pin"].iter().any(|word| english.contains(word));
            assert!(!is_code || says_code, "{arabic}: {english}");
            let is_other = english.contains("token") || english.contains("language code");
            assert!(!(is_code && is_other), "{arabic}: {english}");
        }
    }

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
