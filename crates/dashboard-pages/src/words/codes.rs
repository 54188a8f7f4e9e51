//! Words for the service's own codes: actions of the log, events, and results of calls. A code without words
//! does not compile.

use domain::{
    audit::Action,
    events::EventType,
    systems::{CallResult, Route},
};

use super::pair::words;

words! {
    /// Words for the actions in the log of changes.
    ActionWords:
    signed_in: "Signed in", "تسجيل دخول";
    sign_in_failed: "Refused sign-ins", "محاولات دخول مرفوضة";
    sign_in_locked: "Sign-ins that were not looked at after too many", "محاولات دخول لم يُنظر فيها لكثرتها";
    session_ended: "Signed out", "تسجيل خروج";
    sessions_ended: "Ended all other sessions", "إنهاء كل الجلسات الأخرى";
    password_changed: "Changed the password", "تغيير كلمة المرور";
    reset_mailed: "Link for another password was mailed", "إرسال رابط كلمة مرور جديدة بالبريد";
    reset_linked: "Link for another password was made", "إنشاء رابط كلمة مرور جديدة";
    password_reset: "Chose another password by a link", "كلمة مرور جديدة عبر رابط";
    second_factor_on: "Switched the second factor on", "تفعيل التحقق بخطوتين";
    second_factor_off: "Switched the second factor off", "إيقاف التحقق بخطوتين";
    member_invited: "Invited somebody", "دعوة شخص";
    invitation_withdrawn: "Withdrew an invitation", "سحب دعوة";
    member_joined: "Joined the team", "الانضمام إلى الفريق";
    member_renamed: "Renamed a member", "تغيير اسم عضو";
    language_chosen: "Chose another language", "اختيار لغة أخرى";
    role_changed: "Changed a role", "تغيير دور";
    member_removed: "Removed a member, or left", "إزالة عضو أو مغادرته";
    workspace_created: "Made the workspace", "إنشاء مساحة العمل";
    plan_set: "Set the plan", "تحديد الخطة";
    workspace_changed: "Changed the workspace's settings", "تغيير إعدادات مساحة العمل";
    group_added: "Added a group", "إضافة مجموعة";
    group_renamed: "Renamed a group", "تغيير اسم مجموعة";
    group_deleted: "Deleted a group", "حذف مجموعة";
    group_joined: "Put a member into a group", "إدخال عضو في مجموعة";
    group_left: "Took a member out of a group", "إخراج عضو من مجموعة";
    key_issued: "Made an API key", "إنشاء مفتاح برمجي";
    key_revoked: "Revoked an API key", "إلغاء مفتاح برمجي";
    account_connected: "Connected an account", "ربط حساب";
    account_disconnected: "Disconnected an account", "فصل حساب";
    account_synced: "Read an account again", "قراءة حساب مجدداً";
    template_labelled: "Named a template's values", "تسمية قيم قالب";
    contact_added: "Added a person", "إضافة شخص";
    contact_written_to: "Wrote to a person by a template", "مراسلة شخص بقالب";
    contacts_exported: "Exported contacts", "تصدير جهات الاتصال";
    contact_renamed: "Renamed a person", "تغيير اسم شخص";
    conversation_tagged: "Tagged a conversation", "وسم محادثة";
    conversation_untagged: "Took a tag off a conversation", "إزالة وسم من محادثة";
    template_sent: "Sent a template in a conversation", "إرسال قالب في محادثة";
    import_began: "Began an import of contacts", "بدء استيراد جهات اتصال";
    contacts_imported: "Imported contacts", "استيراد جهات اتصال";
    import_stopped: "Left the rest of an import of contacts", "ترك بقية استيراد جهات اتصال";
    automation_added: "Added an automation", "إضافة أتمتة";
    automation_changed: "Changed an automation", "تغيير أتمتة";
    automation_deleted: "Removed an automation", "حذف أتمتة";
    conversation_settings: "Changed opening hours or quiet conversations", "تغيير ساعات العمل أو المحادثات الساكنة";
    send_only_set: "Made a number send-only, or ordinary", "جعل رقم للإرسال فقط أو عادياً";
    webhook_added: "Registered a webhook address", "تسجيل عنوان إشعارات";
    webhook_changed: "Changed a webhook address", "تغيير عنوان إشعارات";
    webhook_paused: "Switched a webhook address off", "إيقاف عنوان إشعارات";
    webhook_resumed: "Switched a webhook address on", "تشغيل عنوان إشعارات";
    webhook_rotated: "Made a new secret for a webhook address", "سر جديد لعنوان إشعارات";
    webhook_pinged: "Tested a webhook address", "تجربة عنوان إشعارات";
    webhook_removed: "Removed a webhook address", "إزالة عنوان إشعارات";
    number_registered: "Registered a number", "تسجيل رقم";
    delivery_resent: "Sent a delivery again", "إعادة إرسال إشعار";
    window_resent: "Sent a window of deliveries again", "إعادة إرسال إشعارات فترة";
    system_connected: "Connected a system", "ربط نظام";
    system_disconnected: "Disconnected the system", "فصل النظام";
    system_changed: "The system's connection changed", "تغيّر حال الاتصال بالنظام";
    synonyms_changed: "Changed words for the same thing", "تغيير المترادفات";
    assistant_changed: "Changed the assistant", "تغيير المساعد";
    model_key_set: "Set the workspace's own model key", "ضبط مفتاح النموذج الخاص";
    document_added: "Added a document for the assistant", "إضافة مستند للمساعد";
    document_replaced: "Replaced a document of the assistant", "استبدال مستند للمساعد";
    document_removed: "Removed a document of the assistant", "حذف مستند للمساعد";
    test_questions_changed: "Changed the assistant's test questions", "تغيير أسئلة اختبار المساعد";
    rehearsal_began: "Began to test the assistant", "بدء اختبار المساعد";
    rehearsal_stopped: "Stopped testing the assistant", "إيقاف اختبار المساعد";
    model_key_removed: "Removed the workspace's own model key", "إزالة مفتاح النموذج الخاص";
    lead_captured: "Wrote down somebody to follow up with", "تسجيل مهتم";
    draft_proposed: "Asked a customer to confirm", "طلب تأكيد من زبون";
    draft_withdrawn: "Took back what a customer was to confirm", "سحب طلب تأكيد";
    commitment_settled: "What a customer confirmed came to its end", "انتهى ما أكده زبون";
    booking_requested: "Asked for an appointment", "طلب موعد";
    broadcast_added: "Wrote a broadcast", "كتابة حملة";
    broadcast_edited: "Changed a broadcast", "تغيير حملة";
    broadcast_removed: "Removed a broadcast", "إزالة حملة";
    broadcast_moved: "A broadcast was started, paused or ended", "بدء حملة أو إيقافها أو انتهاؤها";
    broadcast_list_added: "Uploaded a list for broadcasts", "رفع قائمة للحملات";
    broadcast_list_removed: "Removed a list for broadcasts", "إزالة قائمة للحملات";
    broadcast_prices_set: "Set the prices of messages", "تحديد أسعار الرسائل";
    broadcast_people_exported: "Exported the people of a broadcast", "تصدير أشخاص حملة";
    template_submitted: "Submitted a template", "إرسال قالب للمراجعة";
    template_changed: "Changed a template", "تغيير قالب";
    template_deleted: "Deleted a template", "حذف قالب";
    marketing_stop_set: "Stopped or allowed marketing for a person", "إيقاف التسويق لشخص أو السماح به";
}

impl ActionWords {
    /// Returns the words for an action.
    pub const fn of(&self, action: &Action) -> &'static str {
        match action {
            Action::SignedIn => self.signed_in,
            Action::SignInFailed => self.sign_in_failed,
            Action::SignInLocked => self.sign_in_locked,
            Action::SessionEnded => self.session_ended,
            Action::SessionsEnded => self.sessions_ended,
            Action::PasswordChanged => self.password_changed,
            Action::ResetMailed => self.reset_mailed,
            Action::ResetLinked => self.reset_linked,
            Action::PasswordReset => self.password_reset,
            Action::SecondFactorOn => self.second_factor_on,
            Action::SecondFactorOff => self.second_factor_off,
            Action::MemberInvited => self.member_invited,
            Action::InvitationWithdrawn => self.invitation_withdrawn,
            Action::MemberJoined => self.member_joined,
            Action::MemberRenamed => self.member_renamed,
            Action::LanguageChosen => self.language_chosen,
            Action::RoleChanged => self.role_changed,
            Action::MemberRemoved => self.member_removed,
            Action::WorkspaceCreated => self.workspace_created,
            Action::PlanSet => self.plan_set,
            Action::WorkspaceChanged => self.workspace_changed,
            Action::GroupAdded => self.group_added,
            Action::GroupRenamed => self.group_renamed,
            Action::GroupDeleted => self.group_deleted,
            Action::GroupJoined => self.group_joined,
            Action::GroupLeft => self.group_left,
            Action::KeyIssued => self.key_issued,
            Action::KeyRevoked => self.key_revoked,
            Action::AccountConnected => self.account_connected,
            Action::AccountDisconnected => self.account_disconnected,
            Action::AccountSynced => self.account_synced,
            Action::BroadcastListAdded => self.broadcast_list_added,
            Action::BroadcastListRemoved => self.broadcast_list_removed,
            Action::BroadcastPricesSet => self.broadcast_prices_set,
            Action::BroadcastPeopleExported => self.broadcast_people_exported,
            Action::TemplateSubmitted => self.template_submitted,
            Action::TemplateChanged => self.template_changed,
            Action::TemplateDeleted => self.template_deleted,
            Action::TemplateLabelled => self.template_labelled,
            Action::ContactAdded => self.contact_added,
            Action::ContactWrittenTo => self.contact_written_to,
            Action::ContactsExported => self.contacts_exported,
            Action::ContactRenamed => self.contact_renamed,
            Action::ConversationTagged => self.conversation_tagged,
            Action::ConversationUntagged => self.conversation_untagged,
            Action::TemplateSent => self.template_sent,
            Action::ContactsImportBegan => self.import_began,
            Action::ContactsImported => self.contacts_imported,
            Action::ContactsImportStopped => self.import_stopped,
            Action::AutomationAdded => self.automation_added,
            Action::AutomationChanged => self.automation_changed,
            Action::AutomationDeleted => self.automation_deleted,
            Action::ConversationSettingsChanged => self.conversation_settings,
            Action::SendOnlySet => self.send_only_set,
            Action::NumberRegistered => self.number_registered,
            Action::WebhookAdded => self.webhook_added,
            Action::WebhookChanged => self.webhook_changed,
            Action::WebhookPaused => self.webhook_paused,
            Action::WebhookResumed => self.webhook_resumed,
            Action::WebhookRotated => self.webhook_rotated,
            Action::WebhookPinged => self.webhook_pinged,
            Action::WebhookRemoved => self.webhook_removed,
            Action::DeliveryResent => self.delivery_resent,
            Action::WindowResent => self.window_resent,
            Action::SystemConnected => self.system_connected,
            Action::SystemDisconnected => self.system_disconnected,
            Action::SystemChanged => self.system_changed,
            Action::SynonymsChanged => self.synonyms_changed,
            Action::AssistantChanged => self.assistant_changed,
            Action::ModelKeySet => self.model_key_set,
            Action::DocumentAdded => self.document_added,
            Action::DocumentReplaced => self.document_replaced,
            Action::DocumentRemoved => self.document_removed,
            Action::ModelKeyRemoved => self.model_key_removed,
            Action::TestQuestionsChanged => self.test_questions_changed,
            Action::RehearsalBegan => self.rehearsal_began,
            Action::RehearsalStopped => self.rehearsal_stopped,
            Action::LeadCaptured => self.lead_captured,
            Action::DraftProposed => self.draft_proposed,
            Action::DraftWithdrawn => self.draft_withdrawn,
            Action::CommitmentSettled => self.commitment_settled,
            Action::BookingRequested => self.booking_requested,
            Action::BroadcastAdded => self.broadcast_added,
            Action::BroadcastEdited => self.broadcast_edited,
            Action::BroadcastRemoved => self.broadcast_removed,
            Action::BroadcastMoved => self.broadcast_moved,
            Action::MarketingStopSet => self.marketing_stop_set,
        }
    }
}

words! {
    /// Words for events, for results of calls to a system, and for categories of templates.
    CodeWords:
    conversation_created: "A conversation began", "بدأت محادثة";
    conversation_assigned: "A conversation was given to somebody", "أُسندت محادثة";
    conversation_closed: "A conversation was closed", "أُغلقت محادثة";
    conversation_returned: "A conversation went back to the assistant", "عادت محادثة إلى المساعد";
    conversation_sent_to_group: "A conversation was sent to a group", "أُرسلت محادثة إلى مجموعة";
    message_received: "A customer wrote", "كتب زبون";
    message_sent: "A message was sent", "أُرسلت رسالة";
    message_delivered: "A message arrived", "وصلت رسالة";
    message_read: "A message was read", "قُرئت رسالة";
    message_failed: "A message did not arrive", "لم تصل رسالة";
    lead_captured: "Somebody to follow up with", "مهتم تجب متابعته";
    booking_requested: "A booking", "حجز";
    order_placed: "An order was placed", "سُجّل طلب";
    order_cancelled: "An order was cancelled", "أُلغي طلب";
    ping: "A test", "تجربة";
    verify: "How it introduces itself", "التعريف بنفسه";
    search_products: "Product search", "بحث المنتجات";
    product: "One product", "منتج";
    place_order: "Placing an order", "تسجيل طلب";
    order: "Looking up an order", "الاستعلام عن طلب";
    cancel_order: "Cancelling an order", "إلغاء طلب";
    customer: "Looking up a customer", "الاستعلام عن زبون";
    push_lead: "Telling of a lead", "إبلاغ عن مهتم";
    slots: "Free times", "الأوقات المتاحة";
    book: "Booking a time", "حجز موعد";
    answered: "Answered", "أجاب";
    refused: "Refused", "رفض";
    not_found: "Has no such thing", "لا يوجد لديه";
    needs_reconnection: "Does not accept the secret", "لا يقبل السر";
    misdirected: "Leads to another address", "يحوّل إلى عنوان آخر";
    slow_down: "Asks for fewer calls", "طلب اتصالات أقل";
    down: "Says that it is down", "يقول إنه متوقف";
    timed_out: "Did not answer in time", "لم يجب في الوقت";
    unreachable: "Could not be reached", "تعذر الوصول إليه";
    too_large: "Its answer was too large", "إجابته أكبر مما يجب";
    unreadable: "Its answer could not be read", "إجابته لا تُقرأ";
    not_made: "The call could not be made from here", "تعذر الاتصال من هنا";
    marketing: "Marketing", "تسويق";
    utility: "Utility", "خدمي";
    authentication: "One-time codes", "رموز التحقق";
}

impl CodeWords {
    /// Returns the words for an event.
    pub const fn event(&self, event: &EventType) -> &'static str {
        match event {
            EventType::ConversationCreated => self.conversation_created,
            EventType::ConversationAssigned => self.conversation_assigned,
            EventType::ConversationClosed => self.conversation_closed,
            EventType::ConversationReturned => self.conversation_returned,
            EventType::ConversationSentToGroup => self.conversation_sent_to_group,
            EventType::MessageReceived => self.message_received,
            EventType::MessageSent => self.message_sent,
            EventType::MessageDelivered => self.message_delivered,
            EventType::MessageRead => self.message_read,
            EventType::MessageFailed => self.message_failed,
            EventType::LeadCaptured => self.lead_captured,
            EventType::BookingRequested => self.booking_requested,
            EventType::OrderPlaced => self.order_placed,
            EventType::OrderCancelled => self.order_cancelled,
            EventType::Ping => self.ping,
        }
    }

    /// Returns the words for a route of a system.
    pub const fn route(&self, route: &Route) -> &'static str {
        match route {
            Route::Verify => self.verify,
            Route::SearchProducts => self.search_products,
            Route::Product => self.product,
            Route::PlaceOrder => self.place_order,
            Route::Order => self.order,
            Route::CancelOrder => self.cancel_order,
            Route::Customer => self.customer,
            Route::PushLead => self.push_lead,
            Route::Slots => self.slots,
            Route::Book => self.book,
        }
    }

    /// Returns the words for the result of a call.
    pub const fn result(&self, result: &CallResult) -> &'static str {
        match result {
            CallResult::Answered => self.answered,
            CallResult::Refused => self.refused,
            CallResult::NotFound => self.not_found,
            CallResult::NeedsReconnection => self.needs_reconnection,
            CallResult::Misdirected => self.misdirected,
            CallResult::SlowDown => self.slow_down,
            CallResult::Down => self.down,
            CallResult::TimedOut => self.timed_out,
            CallResult::Unreachable => self.unreachable,
            CallResult::TooLarge => self.too_large,
            CallResult::Unreadable => self.unreadable,
            CallResult::NotMade => self.not_made,
        }
    }

    /// Returns the words for a template's category, or the network's own name of one that is not known here.
    pub fn category<'a>(&self, category: &'a str) -> &'a str {
        self.known_category(category).unwrap_or(category)
    }

    /// Returns the same; `None` for a category that is not known here.
    pub fn known_category(&self, category: &str) -> Option<&'static str> {
        match category {
            "MARKETING" => Some(self.marketing),
            "UTILITY" => Some(self.utility),
            "AUTHENTICATION" => Some(self.authentication),
            _ => None,
        }
    }
}
