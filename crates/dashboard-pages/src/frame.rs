//! What stands around every page.

use domain::{access::members::Role, automations::Zone, live::FeedPosition};

use crate::{
    assets::assets_path,
    words::{Language, Words},
};

/// Whoever looks at a page, signed in.
#[derive(Debug, Clone)]
pub struct Viewer {
    /// Their id, by which a browser keeps what they have not sent.
    pub member: String,
    /// What they are called, or else their address.
    pub name: String,
    /// What they may.
    pub role: Role,
    /// Where they are a member.
    pub workspace: String,
}

/// Which section of the dashboard a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// None of them: signing in, a link, an error.
    Door,
    /// Conversations.
    Inbox,
    /// People.
    Contacts,
    /// Templates to many people.
    Broadcasts,
    /// One's own profile.
    Profile,
    /// What an owner begins with.
    Start,
    /// The workspace's own settings.
    Workspace,
    /// Connected accounts.
    Channels,
    /// Members, invitations, groups.
    Team,
    /// Templates.
    Templates,
    /// Rules, hours, sweepers.
    Automations,
    /// The assistant.
    Assistant,
    /// The workspace's own system.
    System,
    /// Keys of the API.
    Keys,
    /// Where events go.
    Webhooks,
    /// What was sent under a reference.
    Messages,
    /// What was used.
    Usage,
    /// What was changed.
    Log,
}

/// What stands around a page.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The language it is in.
    pub language: Language,
    /// Whoever looks at it.
    pub viewer: Option<Viewer>,
    /// The section that it belongs to.
    pub section: Section,
    /// Its own path and query, to come back to.
    pub path: String,
    /// The secret of the link that opened it, without which its path shows nothing.
    pub token: Option<String>,
    /// Where the clock is that its times are told by: the workspace's.
    pub zone: Option<Zone>,
    /// Whether a script asks for it, to show parts of it in a page that is there: it needs no style.
    pub is_fetched: bool,
    /// What became of the form before it, in a sentence.
    pub said: Option<&'static str>,
    /// From where its browser has to be told of changes.
    pub feed: Option<FeedPosition>,
}

impl Frame {
    /// What it says.
    pub const fn words(&self) -> &'static Words {
        self.language.words()
    }

    /// Where the clock is.
    pub const fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    /// Where a file is that the page loads.
    pub fn asset(&self, name: &str) -> String {
        format!("{}/{name}", assets_path())
    }

    /// An owner's sections: where each is, and what it is called.
    pub const fn settings(&self) -> [(Section, &'static str, &'static str); 13] {
        let words = &self.words().owner;
        [
            (Section::Start, "/dashboard/settings/start", self.words().start.title),
            (Section::Workspace, "/dashboard/settings/workspace", self.words().settings.title),
            (Section::Channels, "/dashboard/settings/channels", words.channels),
            (Section::Team, "/dashboard/settings/team", words.team),
            (Section::Templates, "/dashboard/settings/templates", words.templates),
            (Section::Automations, "/dashboard/settings/automations", words.automations),
            (Section::Assistant, "/dashboard/settings/assistant", self.words().assistant.title),
            (Section::System, "/dashboard/settings/system", words.system),
            (Section::Keys, "/dashboard/settings/keys", words.keys),
            (Section::Webhooks, "/dashboard/settings/webhooks", words.webhooks),
            (Section::Messages, "/dashboard/settings/messages", self.words().messages.title),
            (Section::Usage, "/dashboard/settings/usage", words.usage),
            (Section::Log, "/dashboard/settings/log", words.log),
        ]
    }

    /// Every page that whoever looks at it may go to: where it is, and what it is called.
    pub fn pages(&self) -> Vec<(&'static str, &'static str)> {
        let words = self.words();
        let all = [
            ("/dashboard/inbox", words.inbox.title),
            ("/dashboard/contacts", words.owner.contacts),
            ("/dashboard/broadcasts", words.broadcasts.title),
            ("/dashboard/canned-replies", words.inbox.canned),
            ("/dashboard/profile", words.owner.profile),
        ];
        let owners = self.settings().into_iter().map(|(_, path, name)| (path, name));
        all.into_iter().chain(owners.filter(|_| self.is_owners())).collect()
    }

    /// Whether it is one of those.
    pub fn is_settings(&self) -> bool {
        self.settings().iter().any(|(section, ..)| *section == self.section)
    }

    /// Whether an owner looks at it.
    pub fn is_owners(&self) -> bool {
        self.viewer.as_ref().is_some_and(|viewer| viewer.role == Role::Owner)
    }
}
