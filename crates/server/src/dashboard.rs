//! Builds the use cases of the dashboard.

use std::{num::NonZeroUsize, sync::Arc};

use adapter_credentials::{Argon2Passwords, HmacOneTimePasswords};
use adapter_http::{
    Assistant, Channels, Consent, Cookies, Dashboard, Directory, Edge, LiveHub, Resets, Systems, Webhooks,
};
use adapter_mail::{MailSetupError, Outbox, SmtpMailer};
use adapter_postgres::Stores;
use anyhow::bail;
use domain::{
    access::{
        IssueKey, ListKeys, RevokeKey,
        members::{AcceptInvitation, Invitations, Members, ports::Mailer},
        resets::{AskReset, CompleteReset, LinkReset, ResetPolicy},
        sessions::{
            Attempts, ChangePassword, Refusals, SecondFactor, Sessions, SignIn,
            ports::{OneTimePasswords, PasswordHasher},
        },
    },
    audit::ListAudit,
    automations::ManageAutomations,
    canned_replies::CannedReplies,
    catalogue::ShowProduct,
    channels::{RegisterNumber, SignUp, SignUpDialog},
    contacts::directory::{ExportContacts, ListDirectory},
    conversations::{
        TellRead,
        inbox::{CountInbox, ListInbox, MarkSeen},
    },
    groups::Groups,
    live::FollowFeed,
    messages::SearchMessages,
    notes::Notes,
    paging::Cursors,
    presence::WatchConversation,
    removal::RemoveMember,
    sending::{ListContactTemplates, ListConversationTemplates, SendInConversation, SendToContact},
    templates::{LabelVariables, WriteTemplates},
    webhooks::ExplainMessage,
    workspaces::{ChangeWorkspace, CountUsage, ShowUsage},
};
use guarded_http::GuardedClient;
use url::Url;

use crate::{
    config::{DashboardConfig, FilesPlace, MailConfig, SignUpConfig},
    wiring::{
        Files, Foundation, UseCases, broadcasts, import_contacts, import_jobs, manage_accounts,
        manage_addresses, read_deliveries, register_address, resend_deliveries, set_send_only, wire,
    },
};

/// Dependencies of the dashboard's use cases besides the foundation.
pub struct Reach {
    pub files: Files,
    /// Knows which webhook addresses may be called.
    pub client: GuardedClient,
    pub systems: Systems,
    pub consent: Consent,
    pub assistant: Assistant,
    /// Use cases that ask the networks and send.
    pub use_cases: Arc<UseCases>,
    /// `None` where mail is not set up.
    pub mailer: Option<Arc<dyn Mailer>>,
}

/// Builds the dashboard over a foundation. Links lead to `public_url`.
///
/// # Errors
/// When passwords cannot be hashed.
pub fn dashboard(
    on: &Foundation,
    config: &DashboardConfig,
    public_url: Url,
    reach: Reach,
) -> anyhow::Result<Dashboard> {
    let Foundation { stores, vault, deps, .. } = on;
    let Stores {
        access,
        automations,
        canned_replies,
        contacts,
        conversations,
        groups,
        live,
        messages,
        notes,
        presence,
        sends,
        systems,
        templates,
        webhooks,
        workspaces,
        ..
    } = stores;
    let UseCases { networks, send_once: once, send_template: send, send_reply: reply, .. } =
        &*reach.use_cases;
    let cursors = wire!(Cursors { vault });
    let at_once = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let passwords: Arc<dyn PasswordHasher> = Arc::new(Argon2Passwords::new(at_once, vault.clone())?);
    let codes: Arc<dyn OneTimePasswords> = Arc::new(HmacOneTimePasswords);
    let attempts = wire!(Attempts { store: access, vault, clock: deps.clock });
    let (mailer, back) = (reach.mailer.clone(), public_url.clone());
    Ok(Dashboard {
        sign_in: wire!(SignIn { store: access, workspaces, attempts, passwords, codes, vault, deps }),
        refusals: wire!(Refusals { store: access, vault, deps }),
        sessions: wire!(Sessions { store: access, vault, deps }),
        change_password: wire!(ChangePassword { store: access, attempts, passwords, deps }),
        second_factor: wire!(SecondFactor { store: access, attempts, passwords, codes, vault, deps }),
        members: wire!(Members { store: access, deps }),
        remove_member: wire!(RemoveMember {
            members: access,
            keys: access,
            addresses: webhooks,
            systems,
            deps
        }),
        resets: resets(on, &attempts, &passwords, mailer.clone(), public_url.clone()),
        invitations: Invitations { mailer, ..invitations(on, public_url) },
        accept_invitation: wire!(AcceptInvitation { store: access, passwords, vault, deps }),
        change_workspace: wire!(ChangeWorkspace { store: workspaces, deps }),
        count_usage: wire!(CountUsage { store: workspaces, clock: deps.clock }),
        show_usage: wire!(ShowUsage { store: workspaces, clock: deps.clock }),
        list_keys: wire!(ListKeys { keys: access }),
        issue_key: wire!(IssueKey { keys: access, workspaces, vault, deps }),
        revoke_key: wire!(RevokeKey { keys: access, deps }),
        groups: wire!(Groups { store: groups, deps }),
        notes: wire!(Notes { store: notes, cursors, deps }),
        presence: wire!(WatchConversation { store: presence, clock: deps.clock }),
        broadcasts: broadcasts(on, &reach.use_cases),
        canned_replies: wire!(CannedReplies { store: canned_replies, deps }),
        directory: Directory {
            list: wire!(ListDirectory { store: contacts, cursors }),
            export: wire!(ExportContacts { store: contacts, audit: access, members: access, deps }),
            send: wire!(SendToContact { contacts, ledger: sends, once, send, vault, log: access, deps }),
            templates: wire!(ListContactTemplates { contacts, templates }),
        },
        automations: wire!(ManageAutomations { store: automations, groups, members: access, deps }),
        list_inbox: wire!(ListInbox { store: conversations, cursors }),
        mark_seen: wire!(MarkSeen { store: conversations }),
        tell_read: wire!(TellRead { store: conversations, network: networks, deps }),
        take_upload: reach.files.take_upload(on),
        send_in_conversation: wire!(SendInConversation {
            ledger: sends,
            once,
            send,
            vault,
            log: access,
            deps
        }),
        list_conversation_templates: wire!(ListConversationTemplates { ledger: sends, templates }),
        live: Arc::new(LiveHub::new(wire!(FollowFeed { store: live, deps }), deps.clock.clone())),
        explain_message: wire!(ExplainMessage { store: messages }),
        search_messages: wire!(SearchMessages { store: messages, cursors }),
        count_inbox: wire!(CountInbox { store: conversations }),
        channels: channels(on, &reach.use_cases, &back),
        webhooks: Webhooks {
            register: register_address(on, reach.client),
            manage: manage_addresses(on),
            read: read_deliveries(on),
            resend: resend_deliveries(on),
        },
        show_product: wire!(ShowProduct { browse: reach.systems.browse, reply }),
        systems: reach.systems,
        consent: reach.consent,
        assistant: reach.assistant,
        import_contacts: import_contacts(on),
        import_jobs: import_jobs(on),
        import_limit: config.import_limit,
        list_audit: wire!(ListAudit { store: access, cursors }),
        workspaces: workspaces.clone(),
    })
}

fn channels(on: &Foundation, use_cases: &UseCases, public_url: &Url) -> Channels {
    let Foundation { stores, deps, .. } = on;
    let Stores { access, attachments, channels, templates, .. } = stores;
    let sync = &use_cases.sync_account;
    Channels {
        open_token: use_cases.open_token.clone(),
        sign_up: sign_up(on, use_cases, public_url),
        register_number: wire!(RegisterNumber {
            accounts: channels,
            health: channels,
            network: use_cases.registration,
            log: access,
            deps
        }),
        connect_chosen: use_cases.connect_chosen.clone(),
        connect_account: use_cases.connect_account.clone(),
        connect_page: use_cases.connect_page.clone(),
        manage: manage_accounts(on),
        set_send_only: set_send_only(on),
        sync: Arc::clone(sync),
        label_variables: wire!(LabelVariables { store: templates, deps }),
        write_templates: wire!(
            WriteTemplates {
                accounts: channels,
                templates,
                network: use_cases.network_templates,
                uploads: attachments,
                sync,
                log: access,
                deps
            },
            label = wire!(LabelVariables { store: templates, deps })
        ),
    }
}

/// Builds the network's embedded sign-up, which leads back to `public_url`.
fn sign_up(on: &Foundation, use_cases: &UseCases, public_url: &Url) -> SignUp {
    let dialog = use_cases.sign_up.clone().and_then(|SignUpConfig { dialog, app_id, configuration }| {
        let back = public_url.join("dashboard/settings/channels/sign-up/back").ok()?;
        Some(SignUpDialog { url: dialog, app_id, configuration, back })
    });
    wire!(
        SignUp {
            states: on.stores.access,
            network: use_cases.exchange,
            vault: on.vault,
            clock: on.deps.clock
        },
        dialog
    )
}

/// Builds the mailer, and the outbox that hands mails to the mail server; `None` where no server is
/// configured.
///
/// # Errors
/// Names the setting that is wrong.
pub fn mail(on: &Foundation, config: &DashboardConfig) -> anyhow::Result<Option<(Arc<dyn Mailer>, Outbox)>> {
    let Some(MailConfig { server, sender }) = &config.mail else { return Ok(None) };
    let setting = |error: &MailSetupError| match error {
        MailSetupError::Server => "MESSAGING_SMTP_URL",
        MailSetupError::Sender => "MESSAGING_MAIL_FROM",
    };
    match SmtpMailer::new(server, sender, on.trust.clone(), on.deps.clock.clone(), on.deps.ids.clone()) {
        Ok((mailer, outbox)) => Ok(Some((Arc::new(mailer), outbox))),
        Err(error) => bail!("configuration: {}: {error}", setting(&error)),
    }
}

/// Builds invitations whose links lead to `public_url`; without a mailer, the inviter hands the link over.
pub fn invitations(on: &Foundation, public_url: Url) -> Invitations {
    let Foundation { stores, vault, deps, .. } = on;
    let attempts = wire!(Attempts { store: stores.access, vault, clock: deps.clock });
    wire!(Invitations { store: stores.access, attempts, vault, deps }, public_url, mailer = None)
}

fn resets(
    on: &Foundation,
    attempts: &Attempts,
    passwords: &Arc<dyn PasswordHasher>,
    mailer: Option<Arc<dyn Mailer>>,
    public_url: Url,
) -> Resets {
    let Foundation { stores, vault, deps, .. } = on;
    let Stores { access, .. } = stores;
    Resets {
        ask: wire!(AskReset { store: access, attempts, vault, deps }, mailer, public_url),
        complete: wire!(CompleteReset { store: access, attempts, passwords, vault, deps }),
        policy: wire!(ResetPolicy { store: access, deps }),
    }
}

/// Builds password resets by a link that an operator hands over.
pub fn link_reset(on: &Foundation, public_url: Url) -> LinkReset {
    let Foundation { stores, vault, deps, .. } = on;
    wire!(LinkReset { members: stores.access, store: stores.access, vault, deps }, public_url)
}

/// Returns what the HTTP server knows of proxies, its own origin and the file store.
pub fn edge(config: &DashboardConfig, files: &FilesPlace) -> Edge {
    let public_url = config.public_url.as_ref();
    Edge {
        trusted_proxies: config.trusted_proxies.clone(),
        origin: public_url.map(|url| url.origin().ascii_serialization()),
        files: match files {
            FilesPlace::Folder(_) => None,
            FilesPlace::Bucket(bucket) => Some(bucket.origin()),
        },
        cookies: if config.loopback_cookies { Cookies::Loopback } else { Cookies::Secure },
        always_tls: config.tls.is_some() || public_url.is_some_and(|url| url.scheme() == "https"),
    }
}
