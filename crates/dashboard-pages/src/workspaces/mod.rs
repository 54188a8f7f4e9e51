//! What a workspace used, and what was changed in it.

mod usage;

pub use usage::{UsageDay, UsagePage};

use askama::Template;
use domain::access::audit::Action;

use crate::{frame::Frame, moment::Moment, words::StartWords};

/// The workspace's own settings, as they stand in a form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceForm {
    /// Its name.
    pub name: String,
    /// The language its templates default to.
    pub locale: String,
    /// The country whose code a number without one gets.
    pub region: String,
    /// Where its clock is.
    pub time_zone: String,
}

/// The workspace's own settings.
#[derive(Template)]
#[template(path = "workspaces/workspace.html")]
pub struct WorkspacePage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// What they are.
    pub form: WorkspaceForm,
    /// The names of all time zones.
    pub zones: Vec<String>,
    /// Whether members may have links for another password mailed.
    pub resets_by_mail: bool,
    /// Whether customers see what was read.
    pub marks_read: bool,
    /// Why something was not done.
    pub refused: Option<String>,
}

/// A step before a workspace is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A number or a page is connected.
    Channel,
    /// A template is approved.
    Template,
    /// Somebody is invited.
    Team,
    /// A program can send or is told.
    Programs,
    /// A system of the workspace's own is connected.
    System,
    /// The assistant answers.
    Assistant,
}

impl Step {
    /// All of them, in their order.
    pub const ALL: [Self; 6] =
        [Self::Channel, Self::Template, Self::Team, Self::Programs, Self::System, Self::Assistant];

    /// Whether a workspace is not at work without it.
    pub const fn is_needed(self) -> bool {
        match self {
            Self::Channel | Self::Template | Self::Team | Self::Programs => true,
            Self::System | Self::Assistant => false,
        }
    }

    /// Where it is taken.
    const fn href(self) -> &'static str {
        match self {
            Self::Channel => "/dashboard/settings/channels",
            Self::Template => "/dashboard/settings/templates",
            Self::Team => "/dashboard/settings/team",
            Self::Programs => "/dashboard/settings/webhooks",
            Self::System => "/dashboard/settings/system",
            Self::Assistant => "/dashboard/settings/assistant",
        }
    }
}

impl StartWords {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates hand over references")]
    const fn step(&self, step: &Step) -> &'static str {
        match step {
            Step::Channel => self.channel,
            Step::Template => self.template,
            Step::Team => self.team,
            Step::Programs => self.programs,
            Step::System => self.system,
            Step::Assistant => self.assistant,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates hand over references")]
    const fn about(&self, step: &Step) -> &'static str {
        match step {
            Step::Channel => self.channel_hint,
            Step::Template => self.template_hint,
            Step::Team => self.team_hint,
            Step::Programs => self.programs_hint,
            Step::System => self.system_hint,
            Step::Assistant => self.assistant_hint,
        }
    }
}

/// What an owner begins with.
#[derive(Template)]
#[template(path = "workspaces/start.html")]
pub struct StartPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// Each step, and whether it is taken.
    pub steps: Vec<(Step, bool)>,
}

impl StartPage<'_> {
    fn is_done(&self) -> bool {
        self.steps.iter().all(|(step, done)| *done || !step.is_needed())
    }
}

/// A line of the log of changes.
#[derive(Debug, Clone)]
pub struct ChangeRow {
    /// Its id.
    pub id: String,
    /// When.
    pub at: Moment,
    /// Who.
    pub by: Option<String>,
    /// What was done.
    pub action: Action,
    /// To what, and where that is.
    pub subject: Option<(String, Option<String>)>,
    /// What else tells of it: what each is called, and its value, where there is one to be told.
    pub details: Vec<(String, String)>,
    /// From where.
    pub address: Option<String>,
}

/// What was changed by whom.
#[derive(Template)]
#[template(path = "workspaces/log.html")]
pub struct LogPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// Newest first.
    pub changes: Vec<ChangeRow>,
    /// The members to choose from, by id and name.
    pub members: Vec<(String, String)>,
    /// Only what this one did.
    pub member: String,
    /// Only this action.
    pub action: Option<Action>,
    /// The page with earlier ones.
    pub earlier: Option<String>,
}

impl LogPage<'_> {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates hand over references")]
    fn is_shown(&self, action: &Action) -> bool {
        self.action.as_ref() == Some(action)
    }
}
