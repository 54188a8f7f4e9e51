//! Builds the use cases of the dashboard.

use std::{num::NonZeroUsize, sync::Arc};

use adapter_credentials::{Argon2Passwords, HmacOneTimePasswords};
use adapter_http::{
    Assistant, Channels, Consent, Cookies, Dashboard, Directory, Edge, LiveHub, Resets, Systems, Webhooks,
};
use adapter_mail::{MailSetupError, Outbox, SmtpMailer};
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
        manage_addresses, read_deliveries, register_address, resend_deliveries, set_send_only,
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
#[expect(clippy::too_many_lines, reason = "it names each use case once")]
pub fn dashboard(
    on: &Foundation,
    config: &DashboardConfig,
    public_url: Url,
    reach: Reach,
) -> anyhow::Result<Dashboard> {
    let Foundation { stores, vault, deps, .. } = on.clone();
    let at_once = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let passwords: Arc<dyn PasswordHasher> = Arc::new(Argon2Passwords::new(at_once, vault.clone())?);
    let codes: Arc<dyn OneTimePasswords> = Arc::new(HmacOneTimePasswords);
    let attempts = Attempts { store: stores.access.clone(), vault: vault.clone(), clock: deps.clock.clone() };
    let (mailer, back) = (reach.mailer.clone(), public_url.clone());
    Ok(Dashboard {
        sign_in: SignIn {
            store: stores.access.clone(),
            workspaces: stores.workspaces.clone(),
            attempts: attempts.clone(),
            passwords: passwords.clone(),
            codes: codes.clone(),
            vault: vault.clone(),
            deps: deps.clone(),
        },
        refusals: Refusals { store: stores.access.clone(), vault: vault.clone(), deps: deps.clone() },
        sessions: Sessions { store: stores.access.clone(), vault: vault.clone(), deps: deps.clone() },
        change_password: ChangePassword {
            store: stores.access.clone(),
            attempts: attempts.clone(),
            passwords: passwords.clone(),
            deps: deps.clone(),
        },
        second_factor: SecondFactor {
            store: stores.access.clone(),
            attempts: attempts.clone(),
            passwords: passwords.clone(),
            codes,
            vault: vault.clone(),
            deps: deps.clone(),
        },
        members: Members { store: stores.access.clone(), deps: deps.clone() },
        remove_member: RemoveMember {
            members: stores.access.clone(),
            keys: stores.access.clone(),
            addresses: stores.webhooks.clone(),
            systems: stores.systems.clone(),
            deps: deps.clone(),
        },
        resets: resets(on, &attempts, &passwords, mailer.clone(), public_url.clone()),
        invitations: Invitations { mailer, ..invitations(on, public_url) },
        accept_invitation: AcceptInvitation {
            store: stores.access.clone(),
            passwords,
            vault: vault.clone(),
            deps: deps.clone(),
        },
        change_workspace: ChangeWorkspace { store: stores.workspaces.clone(), deps: deps.clone() },
        count_usage: CountUsage { store: stores.workspaces.clone(), clock: deps.clock.clone() },
        show_usage: ShowUsage { store: stores.workspaces.clone(), clock: deps.clock.clone() },
        list_keys: ListKeys { keys: stores.access.clone() },
        issue_key: IssueKey {
            keys: stores.access.clone(),
            workspaces: stores.workspaces.clone(),
            vault: vault.clone(),
            deps: deps.clone(),
        },
        revoke_key: RevokeKey { keys: stores.access.clone(), deps: deps.clone() },
        groups: Groups { store: stores.groups.clone(), deps: deps.clone() },
        notes: Notes {
            store: stores.notes.clone(),
            cursors: Cursors { vault: vault.clone() },
            deps: deps.clone(),
        },
        presence: WatchConversation { store: stores.presence.clone(), clock: deps.clock.clone() },
        broadcasts: broadcasts(on),
        canned_replies: CannedReplies { store: stores.canned_replies.clone(), deps: deps.clone() },
        directory: directory(on, &reach.use_cases),
        automations: ManageAutomations {
            store: stores.automations.clone(),
            groups: stores.groups.clone(),
            members: stores.access.clone(),
            deps: deps.clone(),
        },
        list_inbox: ListInbox {
            store: stores.conversations.clone(),
            cursors: Cursors { vault: vault.clone() },
        },
        mark_seen: MarkSeen { store: stores.conversations.clone() },
        tell_read: tell_read(on, &reach.use_cases),
        take_upload: reach.files.take_upload(on),
        send_in_conversation: send_in_conversation(on, &reach.use_cases),
        list_conversation_templates: ListConversationTemplates {
            ledger: stores.sends.clone(),
            templates: stores.templates.clone(),
        },
        live: Arc::new(live(on)),
        explain_message: ExplainMessage { store: stores.messages.clone() },
        search_messages: SearchMessages {
            store: stores.messages.clone(),
            cursors: Cursors { vault: vault.clone() },
        },
        count_inbox: CountInbox { store: stores.conversations.clone() },
        channels: channels(on, &reach.use_cases, &back),
        webhooks: webhooks(on, reach.client),
        show_product: ShowProduct {
            browse: reach.systems.browse.clone(),
            reply: reach.use_cases.send_reply.clone(),
        },
        systems: reach.systems,
        consent: reach.consent,
        assistant: reach.assistant,
        import_contacts: import_contacts(on),
        import_jobs: import_jobs(on),
        import_limit: config.import_limit,
        list_audit: ListAudit { store: stores.access.clone(), cursors: Cursors { vault } },
        workspaces: stores.workspaces.clone(),
    })
}

fn tell_read(on: &Foundation, use_cases: &UseCases) -> TellRead {
    let Foundation { stores, deps, .. } = on.clone();
    TellRead { store: stores.conversations, network: use_cases.networks.clone(), deps }
}

fn send_in_conversation(on: &Foundation, use_cases: &UseCases) -> SendInConversation {
    let Foundation { stores, vault, deps, .. } = on.clone();
    SendInConversation {
        ledger: stores.sends.clone(),
        once: use_cases.send_once.clone(),
        send: use_cases.send_template.clone(),
        vault,
        log: stores.access.clone(),
        deps,
    }
}

fn directory(on: &Foundation, use_cases: &UseCases) -> Directory {
    let Foundation { stores, vault, deps, .. } = on.clone();
    Directory {
        list: ListDirectory { store: stores.contacts.clone(), cursors: Cursors { vault: vault.clone() } },
        export: ExportContacts {
            store: stores.contacts.clone(),
            audit: stores.access.clone(),
            members: stores.access.clone(),
            deps: deps.clone(),
        },
        send: SendToContact {
            contacts: stores.contacts.clone(),
            ledger: stores.sends.clone(),
            once: use_cases.send_once.clone(),
            send: use_cases.send_template.clone(),
            vault,
            log: stores.access.clone(),
            deps,
        },
        templates: ListContactTemplates { contacts: stores.contacts, templates: stores.templates },
    }
}

fn channels(on: &Foundation, use_cases: &UseCases, public_url: &Url) -> Channels {
    Channels {
        open_token: use_cases.open_token.clone(),
        sign_up: sign_up(on, use_cases, public_url),
        register_number: RegisterNumber {
            accounts: on.stores.channels.clone(),
            health: on.stores.channels.clone(),
            network: use_cases.registration.clone(),
            log: on.stores.access.clone(),
            deps: on.deps.clone(),
        },
        connect_chosen: use_cases.connect_chosen.clone(),
        connect_account: use_cases.connect_account.clone(),
        connect_page: use_cases.connect_page.clone(),
        manage: manage_accounts(on),
        set_send_only: set_send_only(on),
        sync: Arc::clone(&use_cases.sync_account),
        label_variables: LabelVariables { store: on.stores.templates.clone(), deps: on.deps.clone() },
        write_templates: WriteTemplates {
            accounts: on.stores.channels.clone(),
            templates: on.stores.templates.clone(),
            network: use_cases.network_templates.clone(),
            uploads: on.stores.attachments.clone(),
            sync: Arc::clone(&use_cases.sync_account),
            label: LabelVariables { store: on.stores.templates.clone(), deps: on.deps.clone() },
            log: on.stores.access.clone(),
            deps: on.deps.clone(),
        },
    }
}

/// Builds the network's embedded sign-up, which leads back to `public_url`.
fn sign_up(on: &Foundation, use_cases: &UseCases, public_url: &Url) -> SignUp {
    let dialog = use_cases.sign_up.clone().and_then(|SignUpConfig { dialog, app_id, configuration }| {
        let back = public_url.join("dashboard/settings/channels/sign-up/back").ok()?;
        Some(SignUpDialog { url: dialog, app_id, configuration, back })
    });
    SignUp {
        dialog,
        states: on.stores.access.clone(),
        network: use_cases.exchange.clone(),
        vault: on.vault.clone(),
        clock: on.deps.clock.clone(),
    }
}

fn webhooks(on: &Foundation, client: GuardedClient) -> Webhooks {
    Webhooks {
        register: register_address(on, client),
        manage: manage_addresses(on),
        read: read_deliveries(on),
        resend: resend_deliveries(on),
    }
}

fn live(on: &Foundation) -> LiveHub {
    let Foundation { stores, deps, .. } = on.clone();
    let clock = deps.clock.clone();
    LiveHub::new(FollowFeed { store: stores.live.clone(), deps }, clock)
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
    let Foundation { stores, vault, deps, .. } = on.clone();
    let attempts = Attempts { store: stores.access.clone(), vault: vault.clone(), clock: deps.clock.clone() };
    Invitations { store: stores.access.clone(), attempts, vault, mailer: None, public_url, deps }
}

fn resets(
    on: &Foundation,
    attempts: &Attempts,
    passwords: &Arc<dyn PasswordHasher>,
    mailer: Option<Arc<dyn Mailer>>,
    public_url: Url,
) -> Resets {
    let Foundation { stores, vault, deps, .. } = on.clone();
    let (attempts, passwords) = (attempts.clone(), passwords.clone());
    Resets {
        ask: AskReset {
            store: stores.access.clone(),
            attempts: attempts.clone(),
            mailer,
            vault: vault.clone(),
            public_url,
            deps: deps.clone(),
        },
        complete: CompleteReset {
            store: stores.access.clone(),
            attempts,
            passwords,
            vault,
            deps: deps.clone(),
        },
        policy: ResetPolicy { store: stores.access.clone(), deps: deps.clone() },
    }
}

/// Builds password resets by a link that an operator hands over.
pub fn link_reset(on: &Foundation, public_url: Url) -> LinkReset {
    let Foundation { stores, vault, deps, .. } = on.clone();
    LinkReset { members: stores.access.clone(), store: stores.access.clone(), vault, public_url, deps }
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
