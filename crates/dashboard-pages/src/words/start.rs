//! Words of an owner's first steps, and of the workspace's own settings.

use super::pair::words;

words! {
    /// Words of an owner's first steps.
    StartWords:
    title: "First steps", "الخطوات الأولى";
    hint: "What a workspace needs before its team and its programs can work.", "ما تحتاجه مساحة العمل قبل أن يعمل فريقها وبرامجها.";
    all_done: "Everything that is needed is there.", "كل ما يلزم موجود.";
    done: "Done", "تم";
    open: "Open", "لم يتم";
    optional: "Optional", "اختياري";
    to_inbox: "To the inbox", "إلى الوارد";
    channel: "Connect a number or a page", "اربط رقماً أو صفحة";
    channel_hint: "Customers write there, and messages leave from there.", "هناك يكتب الزبائن، ومنه تخرج الرسائل.";
    template: "Have a template approved", "احصل على موافقة على قالب";
    template_hint: "Only a template reaches who has not written within a day.", "لا يصل إلى من لم يكتب خلال يوم إلا القالب.";
    team: "Invite your team", "ادعُ فريقك";
    team_hint: "Agents answer customers; owners change settings, too.", "الموظفون يردون على الزبائن، والمالكون يغيرون الإعدادات أيضاً.";
    programs: "Register a webhook address or make an API key", "سجّل عنوان إشعارات أو أنشئ مفتاحاً برمجياً";
    programs_hint: "Your programs send by a key, and are told at an address.", "برامجك ترسل بالمفتاح، وتُبلَّغ على العنوان.";
    system: "Connect your own system", "اربط نظامك الخاص";
    system_hint: "It tells products, orders, customers and free times.", "يعرض المنتجات والطلبات والزبائن والأوقات المتاحة.";
    assistant: "Switch the assistant on", "شغّل المساعد";
    assistant_hint: "It answers by what you tell it, and asks a person where it does not know.", "يجيب بما تخبره به، ويطلب شخصاً عندما لا يعرف.";
}

words! {
    /// Words of the workspace's own settings.
    SettingsWords:
    title: "Workspace", "مساحة العمل";
    name: "Its name", "اسمها";
    locale: "Language of its templates", "لغة قوالبها";
    locale_hint: "By its code, such as ar or en_US", "بمختصرها، مثل ar أو en_US";
    region: "Country", "البلد";
    region_hint: "By its two letters, such as IQ: whose code a number without one gets.", "بحرفيه، مثل IQ: يُضاف مفتاحه الدولي إلى الرقم الذي بلا مفتاح.";
    zone: "Time zone", "المنطقة الزمنية";
    zone_hint: "By its name, such as Asia/Baghdad. Times are shown by its clock, and new hours and broadcasts begin with it.", "باسمها، مثل Asia/Baghdad. تُعرض الأوقات بساعتها، وبها تبدأ ساعات العمل والحملات الجديدة.";
    save: "Save", "حفظ";
    receipts: "What customers see", "ما يراه الزبائن";
    marks_read: "Customers see when a member has read their messages", "يرى الزبائن متى قرأ أحد الأعضاء رسائلهم";
    marks_read_hint: "The network marks the newest message read once a member opens the conversation.", "تضع الشبكة علامة القراءة على أحدث رسالة حين يفتح أحد الأعضاء المحادثة.";
    resets: "Forgotten passwords", "كلمات المرور المنسية";
    resets_by_mail: "Members may have a link for another password mailed", "يمكن للأعضاء طلب رابط كلمة مرور جديدة بالبريد";
    resets_hint: "An operator's links work in any case.", "روابط مشغّل الخدمة تعمل في كل حال.";
    wrong_name: "A name has 1 to 200 characters.", "الاسم من حرف واحد إلى 200 حرف.";
    wrong_locale: "This is no code of a language.", "هذا ليس مختصر لغة.";
    wrong_zone: "There is no such time zone. The nearest is", "لا توجد منطقة زمنية كهذه. الأقرب هي";
    unknown_zone: "There is no such time zone. Write one by its place, as the hint shows.", "لا توجد منطقة زمنية كهذه. اكتبها باسم مكانها كما في المثال.";
    wrong_region: "This is no country's two letters.", "هذان ليسا حرفي بلد.";
}
