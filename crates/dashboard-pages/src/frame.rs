//! Frame of every page.

use domain::{access::members::Role, live::FeedPosition, zone::Zone};

use crate::{
    assets::assets_path,
    words::{Language, Words},
};

/// Signed-in member who looks at a page.
#[derive(Debug, Clone)]
pub struct Viewer {
    /// Id, under which a browser keeps what they have not sent.
    pub member: String,
    /// Name, or else the address.
    pub name: String,
    pub role: Role,
    pub workspace: String,
}

/// Section of the dashboard that a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Outside of all sections: signing in, a link, an error.
    Door,
    Inbox,
    Contacts,
    Broadcasts,
    /// The viewer's own profile.
    Profile,
    /// First steps of an owner.
    Start,
    /// Settings of the workspace itself.
    Workspace,
    Channels,
    /// Members, invitations, groups.
    Team,
    Templates,
    /// Rules, opening hours, sweepers.
    Automations,
    Assistant,
    /// The workspace's own system.
    System,
    /// API keys.
    Keys,
    Webhooks,
    /// Messages looked up by their reference.
    Messages,
    Usage,
    /// Log of changes.
    Log,
}

/// Parts that every page has around its own content.
#[derive(Debug, Clone)]
pub struct Frame {
    pub language: Language,
    /// `None` where nobody is signed in.
    pub viewer: Option<Viewer>,
    pub section: Section,
    /// Path and query of the page, to come back to.
    pub path: String,
    /// Secret of the link that opened it, without which its path shows nothing.
    pub token: Option<String>,
    /// Time zone of its times: the workspace's.
    pub zone: Option<Zone>,
    /// Whether a script asks for it, to show parts of it in a loaded page: it needs no style.
    pub is_fetched: bool,
    pub said: Option<&'static str>,
    /// Position from which its browser follows changes.
    pub feed: Option<FeedPosition>,
}

impl Frame {
    /// Returns the words of its language.
    pub const fn words(&self) -> &'static Words {
        self.language.words()
    }

    pub const fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    /// Returns the path of a file that the page loads.
    pub fn asset(&self, name: &str) -> String {
        format!("{}/{name}", assets_path())
    }

    /// Returns an owner's sections: section, path and title.
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

    /// Returns every page that the viewer may go to: path and title.
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

    /// Returns whether the page is one of an owner's sections.
    pub fn is_settings(&self) -> bool {
        self.settings().iter().any(|(section, ..)| *section == self.section)
    }

    /// Returns whether an owner looks at it.
    pub fn is_owners(&self) -> bool {
        self.viewer.as_ref().is_some_and(|viewer| viewer.role == Role::Owner)
    }
}
