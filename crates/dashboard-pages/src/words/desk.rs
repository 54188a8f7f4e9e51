//! Words of what a browser does with scripts: answers on their way, several conversations at once, shortcuts.

use super::pair::words;

words! {
    /// Words of an answer on its way, and of what can be inserted into it.
    ComposerWords:
    again: "Send again", "أرسلها مجدداً";
    take_back: "Back to the draft", "أعدها إلى المسودة";
    check: "Ask again", "اسأل مجدداً";
    unclear: "Nobody knows yet whether the network took it. Asking again sends nothing.", "لا يُعرف بعد إن كانت الشبكة قبلتها. السؤال مجدداً لا يرسل شيئاً.";
    unsent: "The page was left before it was known to be sent. Sending it again sends it once.", "غادرت الصفحة قبل معرفة إن أُرسلت. إعادة الإرسال ترسلها مرة واحدة فقط.";
    unknown: "It is not known whether this was sent. Trying again sends it once.", "لا يُعرف إن كانت قد أُرسلت. إعادة المحاولة ترسلها مرة واحدة فقط.";
    one_file: "An answer takes one file. The first one is attached.", "يُرسل مع الرد ملف واحد فقط. أُرفق الملف الأول.";
    explain: "Details", "التفاصيل";
    emoji: "Emoji", "إيموجي";
    answered: "answered a moment ago.", "ردّ قبل لحظات.";
    anyway: "Send anyway", "أرسل رغم ذلك";
    camera: "Take a picture", "التقط صورة";
    record: "Record a voice note", "سجّل رسالة صوتية";
    stop: "Stop recording", "أوقف التسجيل";
    no_microphone: "The browser lets nothing be recorded.", "المتصفح لا يسمح بالتسجيل.";
    all_conversations: "All conversations with this person", "كل المحادثات مع هذا الشخص";
    last_message: "Newest message", "آخر رسالة";
}

words! {
    /// Words of moving several conversations at once.
    SeveralWords:
    title: "Several at once", "عدة محادثات معاً";
    hint: "Choose conversations in the list, then say what is to become of them.", "اختر محادثات من القائمة، ثم حدد ما يُفعل بها.";
    choose: "Choose", "اختر";
    nothing_chosen: "No conversation is chosen.", "لم تُختر أي محادثة.";
    moved: "Moved", "نُقلت";
}

words! {
    /// Words of the settings that a browser stores itself.
    BrowserWords:
    title: "This browser", "هذا المتصفح";
    hint: "These are kept in this browser alone.", "تُحفظ هذه الخيارات في هذا المتصفح وحده.";
    shortcuts: "Keyboard shortcuts", "اختصارات لوحة المفاتيح";
    sound: "A sound when a customer needs a person, or a note mentions you", "صوت عندما يحتاج زبون إلى موظف أو تذكرك ملاحظة";
    notifications: "A notification when a customer needs a person, or a note mentions you", "إشعار عندما يحتاج زبون إلى موظف أو تذكرك ملاحظة";
    waits: "Waits for a person", "بانتظار موظف";
    denied: "The browser shows no notifications of this page. Its settings can allow them.", "المتصفح لا يعرض إشعارات هذه الصفحة. يمكن السماح بها من إعداداته.";
    palette: "Go to", "اذهب إلى";
    palette_hint: "A page, a conversation or a person", "صفحة أو محادثة أو شخص";
    page: "Page", "صفحة";
    conversation: "Conversation", "محادثة";
    person: "Person", "شخص";
    nothing: "No results", "لا نتائج";
    close: "Close", "إغلاق";
    key_palette: "go to a page, a conversation or a person", "الانتقال إلى صفحة أو محادثة أو شخص";
}
