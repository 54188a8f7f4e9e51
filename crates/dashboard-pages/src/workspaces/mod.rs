//! Pages of a workspace's settings, first steps, usage and log of changes.

mod usage;

pub use usage::{UsageDay, UsagePage};

use askama::Template;
use domain::audit::Action;

use crate::{frame::Frame, moment::Moment, refused::Refused, words::StartWords};

/// The workspace's own settings, as a form has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceForm {
    pub name: String,
    pub locale: String,
    /// Country whose code a number without one gets.
    pub region: String,
    pub time_zone: String,
}

/// Page of the workspace's own settings.
#[derive(Template)]
#[template(path = "workspaces/workspace.html")]
pub struct WorkspacePage<'a> {
    pub frame: &'a Frame,
    pub form: WorkspaceForm,
    pub zones: Vec<String>,
    /// Whether members may have links for another password mailed.
    pub resets_by_mail: bool,
    /// Whether customers see what was read.
    pub marks_read: bool,
    pub refused: Option<Refused>,
}

/// Step before a workspace is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A number or a page is connected.
    Channel,
    /// A template is approved.
    Template,
    /// Somebody is invited.
    Team,
    /// A program can send, or gets events.
    Programs,
    /// A system of the workspace's own is connected.
    System,
    /// The assistant answers.
    Assistant,
}

impl Step {
    /// All steps, in their order.
    pub const ALL: [Self; 6] =
        [Self::Channel, Self::Template, Self::Team, Self::Programs, Self::System, Self::Assistant];

    /// Returns whether a workspace cannot work without the step.
    pub const fn is_needed(self) -> bool {
        match self {
            Self::Channel | Self::Template | Self::Team | Self::Programs => true,
            Self::System | Self::Assistant => false,
        }
    }

    /// Returns the path of the page that the step is taken on.
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

/// Page of an owner's first steps.
#[derive(Template)]
#[template(path = "workspaces/start.html")]
pub struct StartPage<'a> {
    pub frame: &'a Frame,
    /// Each step, and whether it is done.
    pub steps: Vec<(Step, bool)>,
}

impl StartPage<'_> {
    fn is_done(&self) -> bool {
        self.steps.iter().all(|(step, done)| *done || !step.is_needed())
    }
}

/// An entry of the log of changes.
#[derive(Debug, Clone)]
pub struct ChangeRow {
    pub id: String,
    pub at: Moment,
    /// Name of who did it.
    pub by: Option<String>,
    pub action: Action,
    /// What it was done to, and the path of that.
    pub subject: Option<(String, Option<String>)>,
    /// Further details: label and value.
    pub details: Vec<(String, String)>,
    /// Address that it came from.
    pub address: Option<String>,
}

/// Page of the log of changes.
#[derive(Template)]
#[template(path = "workspaces/log.html")]
pub struct LogPage<'a> {
    pub frame: &'a Frame,
    /// Newest first.
    pub changes: Vec<ChangeRow>,
    /// Members to filter by, by id and name.
    pub members: Vec<(String, String)>,
    /// Id of the member that the log is filtered by; empty for all.
    pub member: String,
    /// Action that the log is filtered by.
    pub action: Option<Action>,
    /// Path of the page with earlier changes.
    pub earlier: Option<String>,
}

impl LogPage<'_> {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates hand over references")]
    fn is_shown(&self, action: &Action) -> bool {
        self.action.as_ref() == Some(action)
    }
}
