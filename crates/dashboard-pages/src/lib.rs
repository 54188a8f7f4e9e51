//! The dashboard's pages: values in, HTML out, in Arabic and English.
//!
//! A page is a struct with what it shows and a template of the same name. `frame` holds the parts around each
//! of them, `words` their texts, `style` their style, `assets` the scripts that they load.
//!
//! Invariants: whatever a person typed is escaped, and isolated from the text direction around it; a word
//! that is missing in one language does not compile.
//!
//! Deliberately absent: requests, use cases and rules.

mod access;
mod assets;
mod assistant;
mod automations;
mod broadcasts;
mod channels;
mod contacts;
mod frame;
mod icon;
mod inbox;
mod life_step;
mod messages;
mod moment;
mod refused;
mod style;
mod systems;
mod templates;
mod version;
mod webhooks;
pub mod words;
mod workspaces;

pub use access::{
    Factor, ForgottenPage, GroupRow, InvitationPage, InvitationRow, KeyRow, KeysPage, LinkPage, MemberRow,
    Offered, PasswordResetPage, ProfilePage, RefusedRow, Removal, SessionRow, SignInPage, TeamPage,
    TypedTeam,
};
pub use askama::Template;
pub use assets::{Asset, SERVICE_WORKER, asset, assets, assets_path};
pub use assistant::{
    AssistantPage, DayRow, DocumentPage, DocumentRow, DocumentsPage, EvidenceRow, OwnKey, PassageRow,
    QuestionRow, QuestionsPage, RunRow, SaidMessage, StepRow, TryPage, TryTurn, TurnRow, TurnsPage,
    TypedActs, TypedAssistant, TypedFact, TypedQuestion, Worded,
};
pub use automations::{AutomationsPage, DAYS, HoursForm, RuleForm, RuleRow, StepForm};
pub use broadcasts::{
    BroadcastAudiencePage, BroadcastContentPage, BroadcastListRow, BroadcastListsPage, BroadcastPage,
    BroadcastPeoplePage, BroadcastPersonRow, BroadcastPreviewPage, BroadcastRow, BroadcastSkippedPage,
    BroadcastsPage, CHOSEN, Counts, EstimateRow, LeftOutRow, PlaceRow, Preview, Progress, ReasonRow,
    SampleRow, TakenRows, Trial, TypedAudience,
};
pub use channels::{
    AccountRow, ChannelChoicePage, ChannelsPage, ChoiceAccountRow, ChoiceNumberRow, ChoicePageRow,
    ConnectionRow, ErrorRow, HealthRow, MissingRow, StandingRow, UnreadRow,
};
pub use contacts::{
    ContactQuery, ContactRow, ContactsPage, ConversationRow, ImportPage, ImportRow, ImportsPage,
    PersonsConversationsPage,
};
pub use frame::{Frame, Section, Viewer};
pub use inbox::{
    Addressee, BookingPage, Bubble, CannedPage, CannedRow, Choice, Composer, File, InboxList, InboxPage,
    InboxQuery, MatchRow, OrderPage, Person, ProductRow, ProposalRow, Row, SearchPage, ShownConversation,
    SlotRow, Tab, TemplateChoicePage, TemplateForm, TypedProposal,
};
pub use life_step::LifeStep;
pub use messages::{FoundPage, FoundRow, LifePage, TellingRow};
pub use moment::Moment;
pub use refused::{Outcome, Refused, RefusedPage};
pub use style::style;
pub use systems::{CallRow, ConnectedRow, SystemPage};
pub use templates::{DraftPage, DraftedButton, DraftedVariable, TemplateRow, TemplatesPage, TypedDraft};
pub use webhooks::{
    AddressPage, AddressRow, AddressesPage, AttemptRow, DeliveryDetails, DeliveryPage, DeliveryRow, ResendRow,
};
pub use words::{Language, Words};
pub use workspaces::{
    ChangeRow, LogPage, StartPage, Step, UsageDay, UsagePage, WorkspaceForm, WorkspacePage,
};
