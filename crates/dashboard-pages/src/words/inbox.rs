//! Words of the inbox: conversations, and what is done with them.

use std::borrow::Cow;

use domain::{
    attachments::AttachmentKind,
    channels::ChannelKind,
    conversation::ConversationStatus,
    conversations::inbox::PreviewKind,
    messages::{DeliveryStatus, Role, Stage, Step},
    presence::Doing,
};

use super::pair::words;

words! {
    /// Words of the inbox: conversations, and what is done with them.
    InboxWords:
    title: "Inbox", "الوارد";
    lists: "Lists", "القوائم";
    mine: "Mine", "محادثاتي";
    unassigned: "Unassigned", "غير مُسندة";
    all: "All", "الكل";
    conversations: "Conversations", "المحادثات";
    conversation: "Conversation", "المحادثة";
    person: "Person", "الشخص";
    search: "Name or number", "ابحث بالاسم أو الرقم";
    find: "Search", "بحث";
    search_messages: "Search in messages", "بحث في الرسائل";
    search_messages_hint: "Words, or how they begin; in any order", "كلمات أو بداياتها، بأي ترتيب";
    search_here: "Search in this conversation", "بحث في هذه المحادثة";
    search_everywhere: "Search in all conversations", "بحث في كل المحادثات";
    no_message_found: "No message has these words.", "لا توجد رسالة فيها هذه الكلمات.";
    none_so_far: "None among the newer ones.", "لا شيء بين الأحدث.";
    filters: "Filters", "تصفية";
    status: "State", "الحالة";
    any: "Any", "أي";
    channel: "Network", "الشبكة";
    tag: "Tag", "الوسم";
    show_all: "Show all", "عرض الكل";
    none_found: "No results", "لا نتائج";
    none_yet: "Nothing here. When a customer writes, it appears by itself.", "لا شيء هنا. عندما يكتب زبون يظهر ذلك تلقائياً.";
    choose_one: "Choose a conversation.", "اختر محادثة.";
    more: "More conversations", "محادثات أخرى";
    apply: "Apply", "تطبيق";
    more_acts: "More", "المزيد";
    go_to_day: "Go to a day", "اذهب إلى يوم";
    go: "Go", "اذهب";
    write_what: "What you write", "ماذا تكتب";
    reply: "Reply", "رد";
    note_mode: "Note", "ملاحظة";
    nameless: "Nameless", "بلا اسم";
    waits: "Waits since", "ينتظر منذ";
    order: "Order", "الترتيب";
    newest_first: "Newest first", "الأحدث أولاً";
    longest_wait_first: "Longest wait first", "الأطول انتظاراً أولاً";
    template: "Template", "قالب";
    unread: "New", "جديد";
    answer_until: "You can answer until", "يمكنك الرد حتى";
    bot: "Assistant", "المساعد";
    open: "Open", "مفتوحة";
    closed: "Closed", "مغلقة";
    back: "Back to the list", "العودة إلى القائمة";
    is_looking: "is looking at it, too", "يطّلع عليها أيضاً";
    is_answering: "is writing an answer", "يكتب رداً";
    held_by: "Assigned to", "مُسندة إلى";
    take: "Assign to me", "أسندها إليّ";
    close: "Close", "إغلاق";
    give_back: "Return to the assistant", "أعدها إلى المساعد";
    give_to: "Assign to", "أسندها إلى";
    give: "Assign", "أسند";
    groups: "Groups", "المجموعات";
    members: "Members", "الأعضاء";
    no_group: "No group", "بلا مجموعة";
    tags: "Tags", "الوسوم";
    add_tag: "Add a tag", "أضف وسماً";
    add: "Add", "إضافة";
    remove: "Remove", "إزالة";
    name: "Name", "الاسم";
    rename: "Rename", "تغيير الاسم";
    phone: "Number", "الرقم";
    known_since: "Known since", "معروف منذ";
    gets_marketing: "Gets marketing", "يصله التسويق";
    gets_no_marketing: "Gets no marketing", "لا يصله تسويق";
    stop_marketing: "Send no more", "أوقفه";
    resume_marketing: "Send it again", "أعده";
    other_conversations: "Other conversations", "محادثات أخرى معه";
    earlier: "Earlier messages", "رسائل أقدم";
    newest: "To the newest messages", "إلى أحدث الرسائل";
    write: "Your answer", "ردك";
    send: "Send", "إرسال";
    window_closed: "The customer last wrote more than 24 hours ago: the network takes only templates now.", "مضت أكثر من 24 ساعة على آخر رسالة من الزبون: الشبكة لا تقبل الآن إلا القوالب.";
    window_closed_week: "The customer last wrote more than 7 days ago: the network takes no answer until they write again.", "مضى أكثر من 7 أيام على آخر رسالة من الزبون: الشبكة لا تقبل رداً حتى يكتب من جديد.";
    customer: "Customer", "الزبون";
    assistant: "Assistant", "المساعد";
    team: "Team", "الفريق";
    system: "Notice", "إشعار";
    answers: "Answers", "رداً على";
    earlier_message: "an earlier message", "رسالة أقدم";
    answers_unknown: "Answers a message that is not here", "ردّ على رسالة غير موجودة هنا";
    forwarded: "Forwarded", "معاد توجيهها";
    held_elsewhere: "Another app holds the conversation", "المحادثة لدى تطبيق آخر";
    written: "Written", "كُتبت";
    edited: "Edited", "معدّلة";
    deleted: "Deleted by the customer", "حذفها الزبون";
    voice_says: "In words", "نص التسجيل";
    in_flight: "Being sent", "قيد الإرسال";
    unknown: "Nobody knows whether it arrived", "لا يُعرف إن وصلت";
    sent: "Sent", "أُرسلت";
    delivered: "Delivered", "وصلت";
    read: "Read", "قُرئت";
    failed: "Not delivered", "لم تصل";
    whatsapp: "WhatsApp", "واتساب";
    messenger: "Messenger", "ماسنجر";
    instagram: "Instagram", "إنستغرام";
    image: "Picture", "صورة";
    video: "Video", "فيديو";
    audio: "Voice or sound", "تسجيل صوتي";
    document: "Document", "مستند";
    sticker: "Sticker", "ملصق";
    file: "File", "ملف";
    lost: "did not come through", "لم يصل";
    disappears: "A disappearing message: open it on the phone", "رسالة تختفي: افتحها في الهاتف";
    interactive: "An answer to buttons or a list", "إجابة على أزرار أو قائمة";
    poll: "A poll: open it on the phone", "استطلاع: افتحه في الهاتف";
    not_shown: "A kind of message that is not shown here", "نوع رسالة لا يُعرض هنا";
    was_assigned: "Somebody has it", "تولاها أحد الأعضاء";
    was_taken: "Took it", "تولى المحادثة";
    was_given: "Given to", "أُسندت إلى";
    waits_for_person: "Waits for a person", "بانتظار أحد الأعضاء";
    by_rule: "rule", "القاعدة";
    by_idle_close: "nobody wrote any more", "لم يكتب أحد بعدها";
    by_unanswered_return: "nobody had answered", "لم يرد أحد";
    was_closed: "Closed", "أُغلقت";
    was_returned: "Returned to the assistant", "أُعيدت إلى المساعد";
    was_sent_to_group: "Sent to a group", "أُرسلت إلى مجموعة";
    was_taken_out: "Taken out of its group", "أُخرجت من مجموعتها";
    was_let_go: "Nobody holds it any more", "لم يعد يتولاها أحد";
    undo: "Undo", "تراجع";
    failed_window: "The customer last wrote too long ago.", "مضى وقت طويل على آخر رسالة من الزبون.";
    failed_unreachable: "It cannot be delivered to this number.", "لا يمكن إيصالها إلى هذا الرقم.";
    failed_limit: "Too much at once for this customer.", "رسائل كثيرة في وقت واحد لهذا الزبون.";
    offline: "No connection. What changes meanwhile is shown when it is back.", "لا يوجد اتصال. ما يتغير سيظهر عند عودته.";
    send_template: "Send a template", "أرسل قالباً";
    back_to_conversation: "Back to the conversation", "العودة إلى المحادثة";
    no_template: "No approved template reaches this person.", "لا يوجد قالب مقبول يصل إلى هذا الشخص.";
    header_text: "Value of its header", "قيمة ترويسته";
    header_media: "Link to its picture or video", "رابط صورته أو فيديوه";
    header_document: "Link to its document", "رابط مستنده";
    button: "Value of the button", "قيمة الزر";
    needs_place: "It needs a place on the map, which only the API can give.", "يحتاج إلى موقع على الخريطة، ولا يُعطى إلا من الواجهة البرمجية.";
    attach: "Attach a file", "أرفق ملفاً";
    detach: "Remove the file", "أزل الملف";
    uploading: "Uploading", "جارٍ الرفع";
    not_sent: "Not sent. Try again.", "لم تُرسل. حاول مجدداً.";
    note: "Note to the team", "ملاحظة للفريق";
    of_broadcast: "Of the broadcast", "من الحملة";
    write_note: "Write a note to the team", "اكتب ملاحظة للفريق";
    note_hint: "Customers never see it.", "لا يراها الزبائن أبداً.";
    mention: "Show it to", "أظهرها لـ";
    keep_note: "Save note", "احفظ الملاحظة";
    for_members: "for", "إلى";
    mentioned: "You are mentioned", "ملاحظات تذكرك";
    canned: "Canned replies", "الردود الجاهزة";
    canned_none: "There are none yet.", "لا يوجد أي منها بعد.";
    canned_hint: "Type / and a shortcut in an answer, or choose one here.", "اكتب / ثم الاختصار في الرد، أو اختر من هنا.";
    canned_manage: "Manage canned replies", "إدارة الردود الجاهزة";
    shortcut: "Shortcut", "الاختصار";
    shortcut_hint: "Letters, digits, - and _", "حروف وأرقام و - و _";
    canned_text: "What it says", "نص الرد";
    canned_add: "Add a canned reply", "أضف رداً جاهزاً";
    save: "Save", "حفظ";
    keys: "Keys", "مفاتيح الاختصار";
    key_next: "next conversation", "المحادثة التالية";
    key_previous: "previous conversation", "المحادثة السابقة";
    key_unread: "next with something new", "التالية التي فيها جديد";
    key_search: "search", "بحث";
    key_write: "reply", "رد";
    key_note: "note", "ملاحظة";
    key_take: "assign to me", "أسندها إليّ";
    key_give: "assign to somebody or a group", "أسندها إلى عضو أو مجموعة";
    key_close: "close", "إغلاق المحادثة";
    key_back: "back to the list", "العودة إلى القائمة";
    key_help: "these keys", "هذه المفاتيح";
    leave: "Close", "إغلاق";
}

impl InboxWords {
    /// Lists the keys of the inbox, and what each does.
    pub const fn all_keys(&self, palette: &'static str) -> [(&'static str, &'static str); 12] {
        [
            ("J", self.key_next),
            ("K", self.key_previous),
            ("U", self.key_unread),
            ("/", self.key_search),
            ("R", self.key_write),
            ("N", self.key_note),
            ("M", self.key_take),
            ("A", self.key_give),
            ("E", self.key_close),
            ("Esc", self.key_back),
            ("Ctrl K", palette),
            ("?", self.key_help),
        ]
    }

    /// Returns the words for who wrote.
    pub const fn role(&self, role: &Role) -> &'static str {
        match role {
            Role::Customer => self.customer,
            Role::Assistant => self.assistant,
            Role::Team => self.team,
            Role::System => self.system,
        }
    }

    /// Returns the words for who answers.
    pub const fn of_status(&self, status: &ConversationStatus) -> &'static str {
        match status {
            ConversationStatus::Bot => self.bot,
            ConversationStatus::Open => self.open,
            ConversationStatus::Closed => self.closed,
        }
    }

    /// Returns the words for the progress of a message.
    pub const fn stage(&self, stage: &Stage) -> &'static str {
        match stage {
            Stage::InFlight => self.in_flight,
            Stage::Unknown => self.unknown,
            Stage::Reported(DeliveryStatus::Sent) => self.sent,
            Stage::Reported(DeliveryStatus::Delivered) => self.delivered,
            Stage::Reported(DeliveryStatus::Read) => self.read,
            Stage::Reported(DeliveryStatus::Failed) => self.failed,
        }
    }

    /// Returns the words for a kind of file.
    pub const fn kind(&self, kind: &AttachmentKind) -> &'static str {
        match kind {
            AttachmentKind::Image => self.image,
            AttachmentKind::Video => self.video,
            AttachmentKind::Audio => self.audio,
            AttachmentKind::Document => self.document,
            AttachmentKind::Sticker => self.sticker,
            AttachmentKind::File => self.file,
        }
    }

    /// Returns the words for a message in the list, where it is not text.
    pub const fn preview_kind(&self, kind: PreviewKind) -> Option<&'static str> {
        match kind {
            PreviewKind::Text | PreviewKind::SystemMessage => None,
            PreviewKind::Template => Some(self.template),
            PreviewKind::File(kind) => Some(self.kind(&kind)),
        }
    }

    /// Returns a message's text, with words where a kind in brackets, such as `[image]`, stands for what
    /// could not be shown.
    pub fn text<'a>(&self, text: &'a str, role: Role) -> Cow<'a, str> {
        let words = |line: &str| self.stand_in(line, role);
        if text.lines().any(|line| words(line).is_some()) {
            let lines: Vec<String> =
                text.lines().map(|line| words(line).unwrap_or_else(|| line.to_owned())).collect();
            Cow::Owned(lines.join("\n"))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Returns words for a kind in brackets. Of a customer's file it stands for one that could not be had; a
    /// photo sent by the assistant is stored elsewhere.
    fn stand_in(&self, line: &str, role: Role) -> Option<String> {
        let kind = line.strip_prefix('[')?.strip_suffix(']')?;
        let is_name = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        if kind.is_empty() || !kind.chars().all(is_name) {
            return None;
        }
        if let Some(file) = AttachmentKind::read(kind) {
            let file = self.kind(&file);
            return Some(if role == Role::Customer {
                format!("{file}: {}", self.lost)
            } else {
                file.to_owned()
            });
        }
        Some(match kind {
            "ephemeral" => self.disappears.to_owned(),
            "interactive" | "button" => self.interactive.to_owned(),
            "template" => self.template.to_owned(),
            "poll_creation" | "poll" => self.poll.to_owned(),
            "unsupported" | "unknown" | "unnamed" | "attachment" => self.not_shown.to_owned(),
            name => format!("{}: {name}", self.not_shown),
        })
    }

    /// Returns the words for what another member does in the conversation.
    pub const fn doing(&self, doing: &Doing) -> &'static str {
        match doing {
            Doing::Looking => self.is_looking,
            Doing::Answering => self.is_answering,
        }
    }

    /// Returns the network's name, as people call it.
    pub const fn network(&self, channel: &ChannelKind) -> &'static str {
        match channel {
            ChannelKind::Whatsapp => self.whatsapp,
            ChannelKind::Messenger => self.messenger,
            ChannelKind::Instagram => self.instagram,
        }
    }

    /// Returns the words for why the network takes no free text any more.
    pub const fn closed_window(&self, channel: &ChannelKind) -> &'static str {
        match channel {
            ChannelKind::Whatsapp => self.window_closed,
            ChannelKind::Messenger | ChannelKind::Instagram => self.window_closed_week,
        }
    }

    /// Returns the words for why the network did not deliver; `None` for codes that people rarely meet.
    pub const fn failure(&self, code: i64) -> Option<&'static str> {
        match code {
            131_047 => Some(self.failed_window),
            131_026 => Some(self.failed_unreachable),
            131_056 | 130_429 => Some(self.failed_limit),
            _ => None,
        }
    }

    /// Returns a conversation's system message, with its first word translated and the rest as it is.
    pub fn system_message(&self, line: &str) -> String {
        let end = line.find([':', ' ']).unwrap_or(line.len());
        let (name, rest) = line.split_at_checked(end).unwrap_or((line, ""));
        let Some(step) = Step::ALL.into_iter().find(|step| step.as_str() == name) else {
            return line.to_owned();
        };
        format!("{}{rest}", self.step(step))
    }

    /// Returns the words for a step, without who did it to whom.
    pub const fn step(&self, step: Step) -> &'static str {
        match step {
            Step::Assigned => self.was_assigned,
            Step::Closed => self.was_closed,
            Step::Returned => self.was_returned,
            Step::SentToGroup => self.was_sent_to_group,
            Step::TakenOutOfGroups => self.was_taken_out,
            Step::LetGo => self.was_let_go,
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{channels::ChannelKind, messages::Role};

    use super::InboxWords;

    #[test]
    fn a_closed_window_is_told_as_long_as_its_network_kept_it_open() {
        let words = InboxWords::ENGLISH;
        assert!(words.closed_window(&ChannelKind::Whatsapp).contains("24 hours"));
        for channel in [ChannelKind::Messenger, ChannelKind::Instagram] {
            let said = words.closed_window(&channel);
            assert!(said.contains("7 days") && !said.contains("template"), "{said}");
        }
    }

    #[test]
    fn a_kind_in_brackets_is_told_in_words_and_everything_else_stays() {
        let words = InboxWords::ARABIC;
        for (text, role, wanted) in [
            ("[image]", Role::Customer, "صورة: لم يصل"),
            ("[image]", Role::Assistant, "صورة"),
            ("[ephemeral]", Role::Customer, "رسالة تختفي: افتحها في الهاتف"),
            ("[unsupported]", Role::Customer, words.not_shown),
            ("[image]\n[audio]", Role::Team, "صورة\nتسجيل صوتي"),
            ("[appointment_booking]", Role::Customer, "نوع رسالة لا يُعرض هنا: appointment_booking"),
            ("[Hello] there", Role::Customer, "[Hello] there"),
            ("[مرحبا]", Role::Customer, "[مرحبا]"),
            ("مرحبا", Role::Customer, "مرحبا"),
            ("[]", Role::Customer, "[]"),
        ] {
            assert_eq!(words.text(text, role), wanted, "{text}");
        }
    }

    #[test]
    fn a_system_message_is_told_in_words_and_keeps_what_names_group_and_reason() {
        let words = InboxWords::ENGLISH;
        for (line, wanted) in [
            ("closed", "Closed"),
            ("sent_to_group: Sales", "Sent to a group: Sales"),
            ("assigned (ai_escalation: wants a refund)", "Somebody has it (ai_escalation: wants a refund)"),
            ("something else", "something else"),
            ("", ""),
        ] {
            assert_eq!(words.system_message(line), wanted);
        }
    }
}
