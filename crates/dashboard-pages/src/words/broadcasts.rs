//! Words of broadcasts.

use domain::{
    broadcasts::{BroadcastState, LeftOutReason, PeopleState},
    pause_reason::PauseReason,
};

use super::pair::words;

words! {
    /// Words of broadcasts.
    BroadcastWords:
    title: "Broadcasts", "الحملات";
    new: "New broadcast", "حملة جديدة";
    lists: "Lists and prices", "القوائم والأسعار";
    name: "Name", "الاسم";
    name_hint: "What the team calls it. Nobody else sees it.", "ما يسمّيها به الفريق، ولا يراه غيره.";
    state: "State", "الحالة";
    template: "Template", "القالب";
    begins: "Begins", "البدء";
    no_template: "There is no approved template to send.", "لا يوجد قالب معتمد للإرسال.";
    step_audience: "1. To whom", "1. إلى من";
    step_content: "2. What it says", "2. ما تقوله";
    step_preview: "3. Look at it and start", "3. المعاينة والبدء";
    audience: "Audience", "الجمهور";
    of_directory: "People of the contacts", "أشخاص من جهات الاتصال";
    of_list: "List", "القائمة";
    search: "Name or number has this part", "الاسم أو الرقم يحوي";
    to_ticked: "Broadcast to those who are ticked", "حملة إلى المحددين";
    chosen: "Contacts that were chosen by hand", "جهات اتصال اختيرت يدوياً";
    tag: "This tag in any case", "هذا الوسم في كل الأحوال";
    tags: "Any of these tags, with commas between", "أيّ من هذه الوسوم، بينها فواصل";
    network: "Has written over", "راسل عبر";
    any: "Any", "أي";
    source: "Came to be known", "كيف عُرف";
    messaged: "By writing", "بمراسلته لنا";
    imported: "By the team", "أضافه الفريق";
    group: "Has a conversation with the group", "له محادثة لدى المجموعة";
    since: "Newest message from", "آخر رسالة من";
    until: "Newest message before", "آخر رسالة قبل";
    next: "Next", "التالي";
    back: "Back", "رجوع";
    value: "Value", "القيمة";
    from_text: "The same for everybody", "نفسها للجميع";
    from_name: "Each person's name", "اسم كل شخص";
    from_column: "Column of the list", "عمود من القائمة";
    column: "Column", "العمود";
    text_or_otherwise: "The text, or what stands for a name or a cell that is blank", "النص، أو ما يحلّ محل الاسم أو الخانة الفارغة";
    left_out_hint: "Without it, whoever has none is left out.", "من دونه يُستثنى من ليس له.";
    language: "Language", "اللغة";
    language_column: "Column that says each person's language", "العمود الذي يذكر لغة كل شخص";
    languages: "Languages to try in this order, with commas between", "اللغات التي تُجرَّب بالترتيب، بينها فواصل";
    spread: "Send from all connected numbers, and divide the people among them", "أرسل من كل الأرقام المتصلة، ووزّع الأشخاص بينها";
    quiet: "Quiet hours", "ساعات الهدوء";
    quiet_hint: "Nobody is written to between these times of day. Leave both empty for none.", "لا يُراسَل أحد بين هذين الوقتين. اتركهما فارغين إن لم ترد.";
    from: "From", "من";
    to: "To", "إلى";
    zone: "Time zone", "المنطقة الزمنية";
    people: "People", "الأشخاص";
    at_least: "at least", "على الأقل";
    without_number: "Without a number", "بلا رقم";
    left_out: "Left out", "يُستثنون";
    who_is_left_out: "Who would be left out", "من سيُستثنى";
    nobody_left_out: "Nobody would be left out.", "لن يُستثنى أحد.";
    they_get: "They get", "يصلهم";
    sample: "What some of them get", "ما يصل إلى بعضهم";
    nobody_ticked: "Nobody is ticked. Tick people in the directory, or choose here whom it goes to.", "لم يُحدَّد أحد. حدّد أشخاصاً في الدليل، أو اختر هنا لمن تُرسل.";
    speaks_against: "It cannot be sent like this", "لا يمكن إرسالها هكذا";
    plan_room: "Customers who may still become active this month by the plan", "عدد من يمكن أن يصبحوا نشطين هذا الشهر بحسب الخطة";
    plan_hint: "Where that is used up, the broadcast pauses and nobody is lost.", "إن نفد ذلك توقفت الحملة مؤقتاً ولا يضيع أحد.";
    limit: "People that the network lets your numbers begin to write to in 24 hours", "عدد من تسمح الشبكة لأرقامكم ببدء مراسلتهم خلال 24 ساعة";
    limit_left: "Left now:", "المتبقي الآن:";
    limit_days: "Days that it takes, about:", "الأيام التي تستغرقها تقريباً:";
    limit_hint: "It waits and goes on by itself.", "تنتظر ثم تتابع من تلقاء نفسها.";
    limited: "The numbers have written to as many people as the network allows in 24 hours. It goes on by itself, at the latest from", "راسلت الأرقام كل من تسمح بهم الشبكة خلال 24 ساعة. تتابع من تلقاء نفسها، على أبعد حد من";
    without: "It goes on without these numbers.", "تتابع من دون هذه الأرقام.";
    without_hint: "The others write to their people. Pause it and let it go on to try these again.", "تراسل الأرقام الأخرى من كانوا لها. أوقفها مؤقتاً ثم تابع لتُجرَّب هذه مجدداً.";
    left_disconnected: "is not connected any more", "لم يعد متصلاً";
    left_barred: "the network lets its account send nothing for now", "الشبكة تمنع حسابه من الإرسال حالياً";
    left_refused: "the network refuses what it sends", "ترفض الشبكة ما يرسله";
    quiet_now: "These are its quiet hours. It goes on by itself at", "هذه ساعات هدوئها. تتابع من تلقاء نفسها عند";
    estimate: "Likely cost", "الكلفة التقديرية";
    estimate_hint: "By the prices that were written down.", "بحسب الأسعار المدوّنة.";
    sender: "Sends from", "الرقم المُرسِل";
    not_between: "Not between", "ليس بين";
    trial: "Send one to yourself first", "أرسل واحدة إلى نفسك أولاً";
    trial_hint: "This number gets what the first person would get. The broadcast does not count it.", "يصل إلى هذا الرقم ما يصل إلى أول شخص، ولا تحسبه الحملة.";
    trial_number: "Your number", "رقمك";
    trial_send: "Send one", "أرسل واحدة";
    trial_sent: "Sent to", "أُرسلت إلى";
    start_now: "Start now", "ابدأ الآن";
    to_none: "nobody", "لا أحد";
    to_one: "1 person", "شخص واحد";
    to_two: "2 people", "شخصان";
    to_few: "{} people", "{} أشخاص";
    to_many: "{} people", "{} شخصاً";
    to_other: "{} people", "{} شخص";
    start_at: "Start at", "ابدأ في";
    schedule: "Schedule", "جدولة";
    another_time: "Another time", "تغيير الموعد";
    pause: "Pause", "إيقاف مؤقت";
    resume: "Go on", "متابعة";
    cancel: "End it", "إنهاء";
    remove: "Remove the draft", "احذف المسودة";
    edit: "Edit", "تعديل";
    progress: "Progress", "التقدم";
    everybody_found: "Everybody of the audience has been found.", "جُمع كل الجمهور.";
    still_finding: "The audience is still being collected.", "ما زال الجمهور يُجمع.";
    queued: "Still to be written to", "لم يُراسَلوا بعد";
    sent: "Sent", "أُرسلت";
    unconfirmed: "Not known whether it was sent", "لا يُعلم هل أُرسلت";
    failed: "Refused by the network", "رفضتها الشبكة";
    skipped: "Left out", "مستثنون";
    delivered: "Delivered", "وصلت";
    read: "Read", "قُرئت";
    undelivered: "Could not be delivered", "لم تصل";
    answered: "Answered", "أجابوا";
    stopped: "Stopped marketing", "أوقفوا التسويق";
    reasons: "Why", "الأسباب";
    reason: "Reason", "السبب";
    no_marketing: "They want no marketing", "لا يريدون التسويق";
    no_name: "Their name is not known", "اسمهم غير معروف";
    no_value: "Their cell in the list is blank", "خانتهم في القائمة فارغة";
    bad_value: "A value does not fit the template", "قيمة لا تناسب القالب";
    export: "Export as CSV", "تصدير بصيغة CSV";
    show: "Show", "عرض";
    everybody: "Everybody", "الجميع";
    nobody: "No results", "لا نتائج";
    more_of_them: "Not everybody has been looked at yet.", "لم يُنظر في الجميع بعد.";
    more: "More", "المزيد";
    phone: "Number", "الرقم";
    draft: "Draft", "مسودة";
    scheduled: "Scheduled", "مجدولة";
    running: "Running", "جارية";
    paused: "Paused", "متوقفة مؤقتاً";
    finished: "Finished", "منتهية";
    cancelled: "Ended early", "أُنهيت";
    plan_limit: "The plan has no room for more active customers this month.", "لا متسع في الخطة لزبائن نشطين آخرين هذا الشهر.";
    subscription_paused: "The subscription is paused.", "الاشتراك متوقف.";
    template_unusable: "The template cannot be sent any more.", "لم يعد القالب قابلاً للإرسال.";
    no_number: "No number is connected that can send it.", "لا رقم متصل يستطيع إرسالها.";
    account_barred: "The network lets the account send nothing for now.", "الشبكة تمنع الحساب من الإرسال حالياً.";
    network_refused: "The network refuses these messages for everybody: quality, limits, payment or the template.", "ترفض الشبكة هذه الرسائل للجميع: الجودة أو الحدود أو الدفع أو القالب.";
    audience_gone: "The group that it goes to has been deleted.", "حُذفت المجموعة التي تُرسل إليها.";
    add_list: "Bring a list", "أضف قائمة";
    rows: "Rows", "الصفوف";
    rows_hint: "Paste rows out of a spreadsheet, with the titles of the columns first: one of them is the number. Longer lists come as a file.", "ألصق صفوفاً من جدول، أولها عناوين الأعمدة وأحدها الرقم. القوائم الأطول تُضاف ملفاً.";
    file_hint: "Its first row has the titles of the columns: one of them is the number.", "صفه الأول عناوين الأعمدة، وأحدها الرقم.";
    columns: "Columns", "الأعمدة";
    incomplete: "It broke off, and goes to nobody.", "انقطعت، ولا تُرسل إلى أحد.";
    prices: "What messages cost", "كلفة الرسائل";
    currency: "Currency, three letters", "العملة، ثلاثة أحرف";
    price_marketing: "A marketing message", "رسالة تسويقية";
    price_utility: "A utility message", "رسالة خدمية";
    save: "Save", "حفظ";
}

impl BroadcastWords {
    /// Returns the words for a broadcast's state.
    pub const fn of_state(&self, state: &BroadcastState) -> &'static str {
        match state {
            BroadcastState::Draft => self.draft,
            BroadcastState::Scheduled => self.scheduled,
            BroadcastState::Running => self.running,
            BroadcastState::Paused => self.paused,
            BroadcastState::Finished => self.finished,
            BroadcastState::Cancelled => self.cancelled,
        }
    }

    /// Returns the words for why the service paused it.
    pub const fn of_pause(&self, reason: &PauseReason) -> &'static str {
        match reason {
            PauseReason::PlanLimit => self.plan_limit,
            PauseReason::SubscriptionPaused => self.subscription_paused,
            PauseReason::TemplateUnusable => self.template_unusable,
            PauseReason::NoNumber => self.no_number,
            PauseReason::AccountBarred => self.account_barred,
            PauseReason::NetworkRefused => self.network_refused,
            PauseReason::AudienceGone => self.audience_gone,
        }
    }

    /// Returns the words for why it goes on without a number.
    pub const fn of_left_out(&self, reason: &LeftOutReason) -> &'static str {
        match reason {
            LeftOutReason::Disconnected => self.left_disconnected,
            LeftOutReason::AccountBarred => self.left_barred,
            LeftOutReason::NetworkRefused => self.left_refused,
        }
    }

    /// Returns the words for a state that people are listed by.
    pub const fn of_people(&self, state: &PeopleState) -> &'static str {
        use domain::broadcasts::PersonState::{Failed, Queued, Sent, Skipped, Unconfirmed};
        match state {
            PeopleState::Is(Queued) => self.queued,
            PeopleState::Is(Sent) => self.sent,
            PeopleState::Is(Unconfirmed) => self.unconfirmed,
            PeopleState::Is(Failed) => self.failed,
            PeopleState::Is(Skipped) => self.skipped,
            PeopleState::Delivered => self.delivered,
            PeopleState::Read => self.read,
            PeopleState::Undelivered => self.undelivered,
            PeopleState::Answered => self.answered,
            PeopleState::Stopped => self.stopped,
        }
    }

    /// Returns the words for why somebody was left out; a code of the network stays as it is.
    pub fn of_reason<'r>(&'r self, reason: &'r str) -> &'r str {
        match reason {
            "marketing_stopped" => self.no_marketing,
            "no_name" => self.no_name,
            "no_value" => self.no_value,
            "value" => self.bad_value,
            code => code,
        }
    }
}
