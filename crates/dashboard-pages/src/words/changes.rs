//! Words of the log of changes: subjects of changes, and their details.

use domain::audit::Action;

use super::pair::words;

words! {
    /// Words of the log of changes, except those of the actions.
    ChangeWords:
    account: "Account", "حساب";
    automation: "Automation", "أتمتة";
    broadcast: "Broadcast", "حملة";
    broadcast_list: "List for broadcasts", "قائمة للحملات";
    conversation: "Conversation", "محادثة";
    delivery: "Delivery", "إشعار";
    group: "Group", "مجموعة";
    import: "Import of contacts", "استيراد جهات اتصال";
    invitation: "Invitation", "دعوة";
    key: "API key", "مفتاح برمجي";
    left: "Somebody who has left", "شخص غادر الفريق";
    person: "Person", "شخص";
    session: "Session", "جلسة";
    system: "System", "نظام";
    webhook: "Webhook address", "عنوان إشعارات";
    workspace: "Workspace", "مساحة العمل";
    yes: "yes", "نعم";
    no: "no", "لا";
    none: "none", "لا شيء";
    active_customer_limit: "Most active customers", "أقصى عدد للزبائن النشطين";
    asked: "What was asked for", "المطلوب";
    bytes: "Size in bytes", "الحجم بالبايت";
    booking_request: "Request for an appointment", "طلب الموعد";
    capabilities: "What it offers", "ما يوفره";
    category: "What it is for", "الغرض";
    created: "New", "جدد";
    currency: "Currency", "العملة";
    daily_budget: "Money a day", "المبلغ في اليوم";
    daily_tokens: "Tokens a day", "وحدات النموذج في اليوم";
    hand_over_ar: "Hand-over text in Arabic", "نص التحويل بالعربية";
    hand_over_en: "Hand-over text in English", "نص التحويل بالإنجليزية";
    hand_over_ar_closed: "The same outside of opening hours, in Arabic", "نص التحويل خارج أوقات العمل بالعربية";
    hand_over_en_closed: "The same outside of opening hours, in English", "نص التحويل خارج أوقات العمل بالإنجليزية";
    hand_over_ckb: "Hand-over text in Sorani Kurdish", "نص التحويل بالكردية السورانية";
    hand_over_ckb_closed: "The same outside of opening hours, in Sorani Kurdish", "نص التحويل خارج أوقات العمل بالكردية السورانية";
    draft: "What is to be confirmed", "ما يُطلب تأكيده";
    drops_second_factor: "Takes the second factor off", "يزيل التحقق بخطوتين";
    email: "E-mail address", "البريد الإلكتروني";
    enabled: "Switched on", "مفعّلة";
    events: "Events", "الأحداث";
    facts: "Facts", "المعلومات";
    introduces_itself: "Says that it is an assistant", "يقول إنه مساعد آلي";
    rehearses_changes: "Test questions asked again after a change", "إعادة أسئلة الاختبار بعد كل تغيير";
    what: "What was done", "ما حدث";
    questions: "Test questions", "أسئلة الاختبار";
    register: "Register of its Arabic", "مستوى العربية";
    wordings: "Own wordings", "صياغات خاصة";
    filters: "Narrowed down by", "حسب";
    from: "Before", "قبل";
    groups: "Groups of words", "مجموعات الكلمات";
    hours: "Opening hours", "ساعات العمل";
    idle_close: "Closed when quiet, after minutes", "تُغلق عند السكون، بعد دقائق";
    kind: "Kind", "النوع";
    known: "Known", "معروفون";
    label: "Label", "التسمية";
    labels: "Names of its values", "أسماء قيمه";
    language: "Language", "اللغة";
    last_at: "The last at", "آخرها";
    lead: "Whom to follow up with", "المهتم";
    locale: "Language of mails", "لغة الرسائل البريدية";
    marks_read: "Marks messages as read", "يعلّم الرسائل مقروءة";
    member: "Member", "العضو";
    message: "Message", "الرسالة";
    mode: "Answers", "يجيب";
    name: "Name", "الاسم";
    network_id: "Id at the network", "المعرّف لدى الشبكة";
    origin: "Address", "العنوان";
    owner: "Owner", "المالك";
    paused: "Paused", "متوقف";
    people: "People", "الأشخاص";
    previous_until: "The one before is good until", "السابق صالح حتى";
    reason: "Why", "السبب";
    refused: "Refused", "مرفوضون";
    region: "Country", "البلد";
    reset_by_mail: "Links for another password by mail", "روابط كلمة المرور بالبريد";
    role: "Role", "الدور";
    scopes: "What it opens", "ما يفتحه";
    send_only: "Send-only", "للإرسال فقط";
    since: "Since", "منذ";
    standard_headers: "Headers of the standard", "ترويسات المعيار";
    state: "State", "الحال";
    stopped: "Gets no marketing", "لا يصله تسويق";
    tag: "Tag", "الوسم";
    template: "Template", "القالب";
    time_zone: "Time zone", "المنطقة الزمنية";
    to: "After", "بعد";
    tries: "Tries", "المحاولات";
    unanswered_return: "Back to the assistant unanswered, after minutes", "تعود إلى المساعد دون رد، بعد دقائق";
    until: "Until", "حتى";
    lead_waiting: "Your own system is to be told", "يُبلَّغ به نظامكم";
    lead_not_told: "Written down here alone", "سُجّل هنا فقط";
    by_search: "Name or number", "الاسم أو الرقم";
    by_network: "Network", "الشبكة";
    by_since: "Newest message from", "آخر رسالة من";
    by_until: "Newest message before", "آخر رسالة قبل";
    was: "It was", "كان";
}

impl ChangeWords {
    /// Returns the label of a detail by its name in the log; a detail of a later release keeps that name.
    pub fn detail<'a>(&'a self, name: &'a str) -> &'a str {
        match name {
            "activeCustomerLimit" => self.active_customer_limit,
            "asked" => self.asked,
            "bookingRequestId" => self.booking_request,
            "bytes" => self.bytes,
            "capabilities" => self.capabilities,
            "category" => self.category,
            "created" => self.created,
            "currency" => self.currency,
            "dailyBudget" => self.daily_budget,
            "dailyTokens" => self.daily_tokens,
            "draftId" => self.draft,
            "dropsSecondFactor" => self.drops_second_factor,
            "email" => self.email,
            "enabled" => self.enabled,
            "events" => self.events,
            "facts" => self.facts,
            "filters" => self.filters,
            "from" => self.from,
            "groups" => self.groups,
            "handOver.ar" => self.hand_over_ar,
            "handOver.en" => self.hand_over_en,
            "handOver.arWhenClosed" => self.hand_over_ar_closed,
            "handOver.enWhenClosed" => self.hand_over_en_closed,
            "handOver.ckb" => self.hand_over_ckb,
            "handOver.ckbWhenClosed" => self.hand_over_ckb_closed,
            "hours" => self.hours,
            "idleClose" => self.idle_close,
            "invitation" => self.invitation,
            "kind" => self.kind,
            "known" => self.known,
            "label" => self.label,
            "labels" => self.labels,
            "language" => self.language,
            "lastAt" => self.last_at,
            "leadId" => self.lead,
            "locale" => self.locale,
            "introducesItself" => self.introduces_itself,
            "marksRead" => self.marks_read,
            "member" => self.member,
            "messageId" => self.message,
            "mode" => self.mode,
            "name" => self.name,
            "networkId" => self.network_id,
            "origin" => self.origin,
            "ownerId" => self.owner,
            "paused" => self.paused,
            "people" => self.people,
            "previousUntil" => self.previous_until,
            name => self.later_detail(name),
        }
    }

    fn later_detail<'a>(&'a self, name: &'a str) -> &'a str {
        match name {
            "reason" => self.reason,
            "refused" => self.refused,
            "region" => self.region,
            "register" => self.register,
            "rehearsesChanges" => self.rehearses_changes,
            "questions" => self.questions,
            "what" => self.what,
            "resetByMail" => self.reset_by_mail,
            "role" => self.role,
            "scopes" => self.scopes,
            "sendOnly" => self.send_only,
            "since" => self.since,
            "standardHeaders" => self.standard_headers,
            "state" => self.state,
            "stopped" => self.stopped,
            "tag" => self.tag,
            "template" => self.template,
            "timeZone" => self.time_zone,
            "to" => self.to,
            "tries" => self.tries,
            "unansweredReturn" => self.unanswered_return,
            "until" => self.until,
            "was" => self.was,
            "wordings" => self.wordings,
            name => name,
        }
    }

    /// Returns the label of a filter that a list of people was narrowed by; `None` for one of a later
    /// release.
    pub fn filter(&self, name: &str) -> Option<&'static str> {
        Some(match name {
            "search" => self.by_search,
            "tag" => self.tag,
            "channel" => self.by_network,
            "activeSince" => self.by_since,
            "activeUntil" => self.by_until,
            "state" => self.state,
            "reason" => self.reason,
            _ => return None,
        })
    }

    /// Returns what an action is done to, and its path under `/dashboard/`: of one page for all, or, where it
    /// ends with a slash, of one page for each id. Empty where it has no page, or no longer.
    pub const fn subject(&self, action: Action) -> (&'static str, &'static str) {
        use Action as Did;
        match action {
            Did::SignedIn | Did::SessionEnded => (self.session, ""),
            Did::SignInFailed
            | Did::SignInLocked
            | Did::SessionsEnded
            | Did::PasswordChanged
            | Did::ResetMailed
            | Did::ResetLinked
            | Did::PasswordReset
            | Did::SecondFactorOn
            | Did::SecondFactorOff
            | Did::MemberJoined
            | Did::MemberRenamed
            | Did::LanguageChosen
            | Did::RoleChanged
            | Did::MemberRemoved => (self.left, ""),
            Did::MemberInvited | Did::InvitationWithdrawn => (self.invitation, "settings/team"),
            Did::WorkspaceCreated
            | Did::PlanSet
            | Did::WorkspaceChanged
            | Did::ConversationSettingsChanged
            | Did::AssistantChanged
            | Did::ModelKeySet
            | Did::ModelKeyRemoved
            | Did::DocumentAdded
            | Did::DocumentReplaced
            | Did::DocumentRemoved
            | Did::SynonymsChanged
            | Did::BroadcastPricesSet
            | Did::ContactsExported => (self.workspace, ""),
            Did::GroupAdded | Did::GroupRenamed | Did::GroupDeleted | Did::GroupJoined | Did::GroupLeft => {
                (self.group, "settings/team")
            }
            Did::TestQuestionsChanged | Did::RehearsalBegan | Did::RehearsalStopped => {
                (self.questions, "settings/assistant/questions")
            }
            Did::KeyIssued | Did::KeyRevoked => (self.key, "settings/keys"),
            Did::AccountConnected
            | Did::AccountDisconnected
            | Did::AccountSynced
            | Did::SendOnlySet
            | Did::NumberRegistered => (self.account, "settings/channels"),
            Did::TemplateLabelled | Did::TemplateSubmitted | Did::TemplateChanged | Did::TemplateDeleted => {
                (self.workspace, "settings/templates")
            }
            Did::ContactAdded | Did::ContactWrittenTo | Did::ContactRenamed | Did::MarketingStopSet => {
                (self.person, "contacts/")
            }
            Did::ContactsImportBegan | Did::ContactsImported | Did::ContactsImportStopped => {
                (self.import, "contacts/import/")
            }
            Did::ConversationTagged
            | Did::ConversationUntagged
            | Did::TemplateSent
            | Did::LeadCaptured
            | Did::DraftProposed
            | Did::DraftWithdrawn
            | Did::CommitmentSettled
            | Did::BookingRequested => (self.conversation, "inbox/"),
            Did::AutomationAdded | Did::AutomationChanged | Did::AutomationDeleted => {
                (self.automation, "settings/automations")
            }
            Did::WebhookAdded
            | Did::WebhookChanged
            | Did::WebhookPaused
            | Did::WebhookResumed
            | Did::WebhookRotated
            | Did::WebhookPinged
            | Did::WindowResent => (self.webhook, "settings/webhooks/"),
            Did::WebhookRemoved => (self.webhook, ""),
            Did::DeliveryResent => (self.delivery, "settings/deliveries/"),
            Did::SystemConnected | Did::SystemDisconnected | Did::SystemChanged => {
                (self.system, "settings/system")
            }
            Did::BroadcastAdded
            | Did::BroadcastEdited
            | Did::BroadcastMoved
            | Did::BroadcastPeopleExported => (self.broadcast, "broadcasts/"),
            Did::BroadcastRemoved => (self.broadcast, ""),
            Did::BroadcastListAdded | Did::BroadcastListRemoved => (self.broadcast_list, "broadcasts/lists"),
        }
    }
}
