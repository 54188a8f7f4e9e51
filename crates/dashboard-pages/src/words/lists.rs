//! Words of channels, contacts, templates, and the workspace as a whole.

use super::pair::words;

words! {
    /// Words of connected accounts, their numbers, and pages.
    ChannelWords:
    business: "WhatsApp account", "حساب واتساب";
    page: "Facebook page", "صفحة فيسبوك";
    send_only: "Send-only: nothing about its sends is kept", "للإرسال فقط: لا يُحفظ شيء عما يرسله";
    make_send_only: "Make send-only", "اجعله للإرسال فقط";
    make_ordinary: "Make ordinary", "اجعله عادياً";
    restricted: "Restricted by the network", "مقيّد من الشبكة";
    disabled: "Disabled by the network", "معطّل من الشبكة";
    deleted: "Deleted at the network", "محذوف لدى الشبكة";
    good: "In good standing", "وضعه سليم";
    no_limit: "no limit", "بلا حد";
    health: "How its numbers stand", "حال أرقامه";
    phone: "Number", "الرقم";
    name: "Name", "الاسم";
    state: "State", "الحالة";
    quality: "Quality", "الجودة";
    limit: "New people a day", "أشخاص جدد في اليوم";
    last_error: "Last refusal", "آخر رفض";
    unread: "Your numbers send something that is not read here", "أرقامك ترسل شيئاً لا يُقرأ هنا";
    unread_hint: "The network sends it, and this version does not read it, so it is in no conversation. Tell whoever runs this service its name.", "ترسله الشبكة ولا تقرؤه هذه النسخة، فلا يظهر في أي محادثة. أخبر من يشغّل هذه الخدمة باسمه.";
    unread_since: "since", "منذ";
    not_readable: "The network refuses to let it be read", "ترفض الشبكة قراءته";
    token_expired: "Its token opens nothing any more: connect it again with a new one.", "مفتاح الوصول لم يعد صالحاً: أعد الربط بمفتاح جديد.";
    connected: "Sends", "يرسل";
    pending: "Not registered yet", "لم يُسجَّل بعد";
    disconnected: "Not registered", "غير مسجَّل";
    flagged: "Sends; its quality is bad", "يرسل؛ جودته سيئة";
    limit_reached: "Has sent as much as it may for now", "أرسل كل ما يُسمح له حالياً";
    rate_limited: "Has sent too much in too short a time", "أرسل كثيراً في وقت قصير";
    banned: "Banned by the network", "محظور من الشبكة";
    migrated: "Moved to another account", "انتقل إلى حساب آخر";
    unverified: "Not verified", "غير موثّق";
    unknown: "Not known", "غير معروف";
    green: "Good", "جيدة";
    yellow: "Middling", "متوسطة";
    red: "Bad", "سيئة";
    read_at: "Numbers and templates were read", "آخر قراءة للأرقام والقوالب";
    page_read_at: "The page was read", "آخر قراءة للصفحة";
    works: "Connected", "متصل";
    stopped: "Does not work", "لا يعمل";
    read_again: "Read again now", "اقرأ مجدداً الآن";
    disconnect: "Disconnect", "فصل";
    connect_business: "Connect a WhatsApp account", "اربط حساب واتساب";
    connect_page: "Connect a Facebook page, with its Instagram account", "اربط صفحة فيسبوك مع حساب إنستغرام التابع لها";
    network_id: "Id of the business account at the network", "معرّف الحساب لدى الشبكة";
    token: "Access token", "مفتاح الوصول";
    token_hint: "It is sealed and never shown.", "يُحفظ مشفّراً ولا يُعرض أبداً.";
    connect: "Connect", "ربط";
    register: "Register", "سجّل";
    register_number: "Register this number", "سجّل هذا الرقم";
    pin: "PIN of six digits", "رمز PIN من ستة أرقام";
    pin_hint: "The number cannot send until it is registered. Write the PIN of its two-step verification; where it has none, choose one and keep it. The network takes ten tries in 72 hours.", "لا يستطيع الرقم الإرسال حتى يُسجَّل. اكتب رمز PIN للتحقق بخطوتين الخاص به؛ وإن لم يكن له رمز فاختر واحداً واحتفظ به. تقبل الشبكة عشر محاولات خلال 72 ساعة.";
    sign_up: "Connect with Facebook", "اربط عبر فيسبوك";
    sign_up_hint: "The network asks which accounts to give to this service, then leads back here.", "تسألك الشبكة عن الحسابات التي تمنحها لهذه الخدمة ثم تعيدك إلى هنا.";
    open: "Connect with an access token", "اربط بمفتاح وصول";
    open_hint: "See first which accounts, numbers and pages it opens, then choose. The token is not shown again.", "شاهد أولاً الحسابات والأرقام والصفحات التي يفتحها ثم اختر. لن يظهر مفتاح الوصول مرة أخرى.";
    list: "Show what it opens", "اعرض ما يفتحه";
    choose: "What the token opens", "ما يفتحه مفتاح الوصول";
    choose_hint: "Choose within ten minutes. A business account is connected with all its numbers, a page with its Instagram account.", "اختر خلال عشر دقائق. يُربط الحساب مع كل أرقامه، والصفحة مع حساب إنستغرام التابع لها.";
    token_until: "The token is valid until", "مفتاح الوصول صالح حتى";
    missing: "Permissions that the token lacks", "صلاحيات تنقص مفتاح الوصول";
    missing_hint: "What needs them does not work until the token has them.", "ما يحتاج إليها لا يعمل حتى يحصل عليها مفتاح الوصول.";
    opens_nothing: "The token opens no account and no page. Give it the accounts in the network's business settings.", "مفتاح الوصول لا يفتح أي حساب أو صفحة. أضف إليه الحسابات من إعدادات الأعمال لدى الشبكة.";
    connected_here: "Connected", "مربوط";
    not_available: "Not available", "غير متاح";
    connect_chosen: "Connect what is ticked", "اربط المحدد";
}

words! {
    /// Words of the people that a workspace knows.
    ContactWords:
    search: "Search by name or number", "ابحث بالاسم أو الرقم";
    find: "Search", "بحث";
    nobody: "No results", "لا نتائج";
    name: "Name", "الاسم";
    phone: "Number", "الرقم";
    networks: "Networks", "الشبكات";
    tags: "Tags", "الوسوم";
    last_message: "Newest message", "آخر رسالة";
    never: "None", "لا شيء";
    more: "More", "المزيد";
    more_of_them: "Not everybody has been looked at yet.", "لم يُنظر في الجميع بعد.";
    filters: "Filters", "تصفية";
    any: "Any", "أي";
    since: "Newest message from", "آخر رسالة من";
    until: "Newest message before", "آخر رسالة قبل";
    show_all: "Show everybody", "عرض الجميع";
    add: "Add a person", "أضف شخصاً";
    add_button: "Add", "إضافة";
    optional_name: "Name (optional)", "الاسم (اختياري)";
    export: "Export as CSV", "تصدير بصيغة CSV";
    first_message: "Write to them by a template", "راسلهم بقالب";
    back: "Back to the contacts", "العودة إلى جهات الاتصال";
    unreachable: "They have no number that a template reaches.", "ليس لديهم رقم يصل إليه قالب.";
}

words! {
    /// Words of a workspace's usage, and of its log of changes.
    WorkspaceWords:
    month: "Month", "الشهر";
    active: "Active customers", "زبائن نشطون";
    active_none: "no active customers", "لا زبائن نشطين";
    active_one: "1 active customer", "زبون نشط واحد";
    active_two: "2 active customers", "زبونان نشطان";
    active_few: "{} active customers", "{} زبائن نشطين";
    active_many: "{} active customers", "{} زبوناً نشطاً";
    active_other: "{} active customers", "{} زبون نشط";
    unlimited: "unlimited", "بلا حد";
    by_day: "Day by day (UTC)", "يوماً بيوم (بالتوقيت العالمي)";
    span: "How far back", "المدة";
    days: "days", "يوماً";
    thirteen_months: "13 months", "13 شهراً";
    day: "Day", "اليوم";
    received: "Received", "الواردة";
    sent: "Sent", "المرسلة";
    templates: "Templates", "القوالب";
    utility: "Service", "خدمية";
    marketing: "Marketing", "تسويقية";
    authentication: "One-time codes", "رموز لمرة واحدة";
    unknown: "Of deleted templates", "من قوالب محذوفة";
    paused: "The subscription is paused: nothing is sent.", "الاشتراك متوقف: لا يُرسل شيء.";
    who: "Who", "من";
    what: "What", "ماذا";
    to_what: "To what", "على ماذا";
    details: "Details", "تفاصيل";
    from: "From", "من أين";
    at: "Time", "الوقت";
    any: "Any", "أي";
    show: "Show", "عرض";
    service: "The service", "الخدمة";
}

words! {
    /// Words of the templates.
    TemplateWords:
    none: "No template yet. Connect a WhatsApp account whose templates are to be sent.", "لا قوالب بعد. اربط حساب واتساب لتُرسل قوالبه.";
    approved: "Approved", "مقبول";
    pending: "Being judged", "قيد المراجعة";
    rejected: "Rejected", "مرفوض";
    paused: "Held back", "موقوف مؤقتاً";
    places: "Variables", "المتغيرات";
    numbers: "Sent from", "يُرسل من";
    disconnected: "Its account is not connected any more: it cannot be sent, changed or deleted before the account is connected again.", "لم يعد حسابه مربوطاً: لا يمكن إرساله أو تعديله أو حذفه قبل ربط الحساب من جديد.";
    write: "Write a template", "اكتب قالباً";
    change: "Change", "تعديل";
    delete: "Delete", "حذف";
    not_taken: "This cannot be taken:", "لا يمكن قبول هذا:";
    preview: "How it would be read", "كيف سيُقرأ";
    show_preview: "Preview", "معاينة";
    submit: "Submit to the network", "أرسل إلى الشبكة";
    account: "WhatsApp account", "حساب واتساب";
    name: "Name", "الاسم";
    name_hint: "Small letters of a to z, digits and underscores", "أحرف لاتينية صغيرة وأرقام وشرطات سفلية";
    language: "Language code, such as ar or en_US", "اللغة، مثل ar أو en_US";
    category: "What it is for", "الغرض";
    utility: "About something that the customer did", "عن شيء فعله الزبون";
    marketing: "An offer", "عرض تسويقي";
    authentication: "A one-time code", "رمز لمرة واحدة";
    header: "Above the text", "فوق النص";
    header_kind: "What stands there", "ما يوضع هناك";
    none_of_it: "Nothing", "لا شيء";
    line: "A line", "سطر";
    picture: "A picture", "صورة";
    film: "A film", "فيديو";
    document: "A document", "مستند";
    place: "A place on the map", "موقع على الخريطة";
    sample_of_line: "Example of the line’s variable", "مثال لمتغير السطر";
    sample_of_file: "Example of the file", "مثال للملف";
    sample_of_file_hint: "The id of a file that you have uploaded, of at most 16 MB; choosing one uploads it.", "معرّف ملف رفعته، 16 ميغابايت على الأكثر؛ اختيار ملف يرفعه.";
    body: "Text", "النص";
    body_hint: "{{1}}, {{2}} and so on stand for values; none at the beginning or the end. Preview asks for an example of each.", "{{1}} و{{2}} وهكذا مكان القيم، وليس في البداية أو النهاية. المعاينة تطلب مثالاً لكل منها.";
    variable: "Variable", "المتغير";
    label: "What you call it", "ما تسمّونه";
    sample: "Example", "مثال";
    is_name: "It is the person’s name", "هو اسم الشخص";
    footer: "Below the text", "تحت النص";
    button: "Button", "زر";
    button_kind: "What it does", "ما يفعله";
    button_text: "What is written on it", "ما يُكتب عليه";
    button_target: "Link or number", "الرابط أو الرقم";
    button_sample: "Example of the link’s variable", "مثال لمتغير الرابط";
    quick: "Answers with its words", "يجيب بكلماته";
    link: "Opens a page", "يفتح صفحة";
    call: "Calls a number", "يتصل برقم";
    code_words: "The network writes the words of a one-time code.", "الشبكة تكتب كلمات الرمز لمرة واحدة.";
    code_hint: "For a one-time code only; nothing else of this page counts then.", "للرمز لمرة واحدة فقط، ولا يُعتد بغيره في هذه الصفحة عندئذ.";
    warns: "Warn against sharing the code", "التحذير من مشاركة الرمز";
    minutes: "Minutes that the code is good for", "دقائق صلاحية الرمز";
    late_codes: "The network would deliver its codes after they have ended, and did not take a shorter validity. Set it in WhatsApp Manager, then read the account again. Most seconds:", "ستوصل الشبكة رموز التحقق بعد انتهاء صلاحيتها، ولم تقبل مدة أقصر. اضبط المدة في WhatsApp Manager ثم اقرأ الحساب مجدداً. أقصى عدد للثواني:";
    abusive: "Its words were found abusive.", "عُدّت كلماته مسيئة.";
    wrong_format: "Its form is wrong, often the places of its variables.", "صيغته غير صحيحة، وغالباً مواضع متغيراته.";
    promotional: "It advertises, and is filed as something else.", "فيه دعاية وهو مصنّف لغرض آخر.";
    wrong_language: "Its language or kind is other than what it was submitted as.", "لغته أو نوعه غير ما أُرسل به.";
    scam: "It was found to be a scam.", "عُدّ احتيالاً.";
    wrong_category: "It is filed under the wrong purpose.", "صُنّف لغرض غير غرضه.";
}

words! {
    /// Words of the workspace's own system.
    SystemWords:
    none: "No system is connected. One of your own can tell products, orders, customers and free times.", "لا يوجد نظام مربوط. يمكن لنظامك الخاص أن يعرض المنتجات والطلبات والزبائن والأوقات المتاحة.";
    active: "It is called", "يعمل";
    cooling: "It asked for fewer calls", "طلب اتصالات أقل";
    unreachable: "It cannot be reached", "لا يمكن الوصول إليه";
    needs_reconnection: "It does not accept the secret: connect it again", "لا يقبل السر: أعد ربطه";
    since: "since", "منذ";
    verified_at: "Last verified", "آخر تحقق";
    switches_on: "What it switches on", "ما يتيحه";
    catalog: "Products and prices", "المنتجات والأسعار";
    orders: "Orders", "الطلبات";
    customers: "Customers and leads", "الزبائن والمهتمون";
    appointments: "Appointments", "المواعيد";
    verify: "Verify now", "تحقق الآن";
    disconnect: "Disconnect", "فصل";
    connect_title: "Connect a system", "اربط نظاماً";
    connect_hint: "It is asked to introduce itself first. One that is connected already stays until the other has.", "يُطلب منه أولاً أن يعرّف بنفسه. يبقى النظام المربوط حالياً إلى أن ينجح ذلك.";
    base: "Its address", "عنوانه";
    secret: "The secret that it issued", "السر الذي أصدره";
    connect: "Connect", "ربط";
    synonyms: "Words for the same thing", "كلمات لها المعنى نفسه";
    synonyms_hint: "A line for each group, its words separated by commas", "سطر لكل مجموعة، وكلماتها مفصولة بفواصل";
    save: "Save", "حفظ";
    calls: "How calls went", "كيف سارت الاتصالات";
    at: "Time", "الوقت";
    route: "Asked", "الطلب";
    result: "Result", "النتيجة";
    took: "Milliseconds", "ميلي ثانية";
    remarks: "Remarks", "ملاحظات";
}

words! {
    /// Words of a member's own profile.
    ProfileWords:
    language: "Language", "اللغة";
    language_hint: "Pages are in it wherever you sign in, and so are mails to you.", "تظهر بها الصفحات أينما سجلت الدخول، وتُكتب بها الرسائل البريدية إليك.";
    choose: "Choose", "اختيار";
    password: "Password", "كلمة المرور";
    current: "Password until now", "كلمة المرور الحالية";
    new: "New password", "كلمة المرور الجديدة";
    password_hint: "At least 10 characters. All other sessions end.", "عشرة أحرف على الأقل. تنتهي كل الجلسات الأخرى.";
    change: "Change", "تغيير";
    changed: "Your password is changed.", "تم تغيير كلمة المرور.";
    factor_off: "None is asked for. With one, your password alone opens nothing.", "غير مفعّل. عند تفعيله لا تكفي كلمة المرور وحدها.";
    factor_on: "A code is asked for whenever you sign in.", "يُطلب رمز عند كل تسجيل دخول.";
    switch_on: "Switch on", "تفعيل";
    switch_off: "Switch off", "إيقاف";
    offer_again: "Begin again, with another secret", "ابدأ من جديد بسر آخر";
    offered: "Scan this code with your authenticator app, or type the secret below it. Then enter the code that the app shows.", "امسح هذا الرمز بتطبيق المصادقة، أو اكتب السر الذي تحته. ثم أدخل رمز التحقق الذي يعرضه التطبيق.";
    qr: "QR code of the secret", "رمز QR للسر";
    open_app: "Open in an app on this device", "افتح في تطبيق على هذا الجهاز";
    browser_on: "on", "على";
    code: "Code", "الرمز";
    confirm: "Confirm", "تأكيد";
    confirmed: "It is on. Keep these recovery codes; they are shown this once, and each works once.", "تم التفعيل. احتفظ برموز الاسترداد هذه؛ تظهر هذه المرة فقط، ويعمل كل منها مرة واحدة.";
    sessions: "Where you are signed in", "أماكن تسجيل دخولك";
    this_one: "This one", "هذه";
    end: "End", "إنهاء";
    refused_sign_ins: "Refused sign-ins as you", "محاولات دخول باسمك رُفضت";
    wrong_password: "Wrong password", "كلمة مرور خاطئة";
    wrong_code: "Right password, wrong code", "كلمة مرور صحيحة ورمز خاطئ";
    tries: "Tries", "المحاولات";
    leave: "Leave the workspace", "مغادرة مساحة العمل";
    leave_hint: "You are signed out everywhere. What you held waits for somebody else. Only an owner can invite you again.", "يُسجَّل خروجك من كل مكان، وما كنت تتولاه ينتظر غيرك. لا يعيدك إلا دعوة من مالك.";
    end_others: "End all others", "إنهاء الأخرى كلها";
}
