//! Words of an owner's pages: the team, keys, and webhooks.

use domain::access::{Scope, members::Role};

use super::pair::words;

words! {
    /// Words of the team, its invitations and groups; of keys; and of all of an owner's pages.
    OwnerWords:
    settings: "Settings", "الإعدادات";
    contacts: "Contacts", "جهات الاتصال";
    profile: "Profile", "الملف الشخصي";
    team: "Team", "الفريق";
    keys: "API keys", "مفاتيح الواجهة البرمجية";
    webhooks: "Webhooks", "الإشعارات البرمجية";
    channels: "Channels", "القنوات";
    templates: "Templates", "القوالب";
    usage: "Usage", "الاستهلاك";
    log: "Log of changes", "سجل التغييرات";
    automations: "Automations", "الأتمتة";
    system: "Your own system", "نظامك الخاص";
    none: "Nothing yet.", "لا شيء بعد.";
    shown_once: "Copy it now: it is shown this once.", "انسخه الآن: يظهر هذه المرة فقط.";
    name: "Name", "الاسم";
    email: "E-mail address", "البريد الإلكتروني";
    role: "Role", "الدور";
    owner: "Owner", "مالك";
    agent: "Agent", "موظف";
    second_factor: "Second factor", "التحقق بخطوتين";
    on: "On", "مفعّل";
    off: "Off", "متوقف";
    make_owner: "Make an owner", "اجعله مالكاً";
    make_agent: "Make an agent", "اجعله موظفاً";
    remove: "Remove", "إزالة";
    made_by_them: "What they made goes on working, but for what is ticked here:", "ما أنشأه هذا العضو يبقى عاملاً، إلا ما تختاره هنا:";
    revoke_their_keys: "Revoke their API keys", "ألغِ مفاتيح الواجهة البرمجية التي أنشأها";
    remove_their_addresses: "Remove their webhook addresses", "أزل عناوين الإشعارات التي أضافها";
    disconnect_their_system: "Disconnect the system that they connected", "افصل النظام الذي ربطه";
    invitations: "Invitations", "الدعوات";
    invite: "Invite somebody", "ادعُ شخصاً";
    send_invitation: "Invite", "ادعُ";
    invited: "Invited. Hand this link over where nobody else reads it.", "تمت الدعوة. سلّم هذا الرابط حيث لا يقرؤه أحد غيره.";
    invited_by_mail: "Invited. The link is on its way by mail.", "تمت الدعوة. الرابط في طريقه بالبريد.";
    valid_until: "Valid until", "صالحة حتى";
    withdraw: "Withdraw", "سحب";
    groups: "Groups", "المجموعات";
    add_group: "Add a group", "أضف مجموعة";
    add: "Add", "إضافة";
    take_out: "Take out", "إخراج";
    rename: "Rename", "تغيير الاسم";
    delete_group: "Delete the group", "احذف المجموعة";
    nobody_in_it: "Nobody is in it.", "لا أحد فيها.";
    make_key: "Make a key", "أنشئ مفتاحاً";
    label: "What it is for", "ما الغرض منه";
    opens: "It opens", "ما يفتحه";
    make: "Make", "إنشاء";
    new_key: "Your new key.", "مفتاحك الجديد.";
    maker: "Made by", "أنشأه";
    made_at: "Made", "تاريخ الإنشاء";
    last_used: "Last used", "آخر استعمال";
    never: "Never", "لم يُستعمل";
    revoke: "Revoke", "إلغاء";
    revoked: "Revoked", "أُلغي";
    reads_contacts: "Read contacts", "قراءة جهات الاتصال";
    writes_contacts: "Add and rename contacts", "إضافة جهات الاتصال وتسميتها";
    reads_conversations: "Read conversations and messages", "قراءة المحادثات والرسائل";
    sends_messages: "Send messages and templates", "إرسال الرسائل والقوالب";
    earlier: "Earlier", "أقدم";
    actions: "Actions", "إجراءات";
}

words! {
    /// Words of webhooks.
    WebhookWords:
    add: "Register an address", "سجّل عنواناً";
    url: "Address", "العنوان";
    events: "It is told of", "ما يُبلَّغ به";
    register: "Register", "تسجيل";
    secret: "The secret that signs its deliveries.", "السر الذي يوقّع ما يُرسل إليه.";
    on: "Delivers", "يعمل";
    off: "Switched off", "متوقف";
    pause: "Switch off", "إيقاف";
    resume: "Switch on again", "إعادة التشغيل";
    ping: "Send a test", "أرسل تجربة";
    pinged: "A test is on its way.", "التجربة في طريقها.";
    rotate: "Make a new secret", "أنشئ سراً جديداً";
    rotate_hint: "The old one signs beside it for a day.", "يبقى القديم يوقّع معه ليوم واحد.";
    remove: "Remove the address", "أزل العنوان";
    change: "Address and events", "العنوان والأحداث";
    save: "Save", "حفظ";
    again: "Send a time again", "أعد إرسال فترة";
    again_hint: "What failed, was held or waits of that time is tried at once. Times are by the workspace's clock.", "يُعاد فوراً ما فشل أو احتُجز أو ينتظر من تلك الفترة. الأوقات بساعة مساحة العمل.";
    since: "From", "من";
    until: "Until (empty: now)", "إلى (فارغ: الآن)";
    begin: "Send again", "أعد الإرسال";
    under_way: "Under way", "جارٍ";
    done: "Done", "اكتمل";
    stopped: "Ended early", "توقف قبل نهايته";
    waiting: "waiting", "بالانتظار";
    of_all: "of", "من";
    no_event: "Choose at least one event.", "اختر حدثاً واحداً على الأقل.";
    no_time: "The time must end after it begins.", "يجب أن تنتهي الفترة بعد بدايتها.";
    is_forbidden: "This address may not be called: it has to be an https address of a public host.", "لا يجوز الاتصال بهذا العنوان: يجب أن يكون عنوان https لمضيف عام.";
    log: "What it was sent", "ما أُرسل إليه";
    event: "Event", "الحدث";
    state: "State", "الحالة";
    any: "Any", "أي";
    show: "Show", "عرض";
    attempts: "Attempts", "المحاولات";
    next_attempt: "Next attempt:", "المحاولة التالية:";
    at: "Time", "الوقت";
    pending: "Waiting", "بالانتظار";
    delivered: "Delivered", "وصل";
    failed: "Failed", "فشل";
    held: "Held", "محتجز";
    resend: "Send again", "أرسل مجدداً";
    body: "What it says", "المحتوى";
    status: "Answer", "الرد";
    took: "Milliseconds", "ميلي ثانية";
    failure: "Why it failed", "سبب الفشل";
    delivery: "Delivery", "الإرسال";
}

impl OwnerWords {
    /// Returns the words for a member's role.
    pub const fn of_role(&self, role: &Role) -> &'static str {
        match role {
            Role::Owner => self.owner,
            Role::Agent => self.agent,
        }
    }

    /// Returns the words for a key's scope.
    pub const fn scope(&self, scope: &Scope) -> &'static str {
        match scope {
            Scope::ContactsRead => self.reads_contacts,
            Scope::ContactsWrite => self.writes_contacts,
            Scope::ConversationsRead => self.reads_conversations,
            Scope::MessagesSend => self.sends_messages,
        }
    }
}
