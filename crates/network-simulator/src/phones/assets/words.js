// The page's words, in English and Arabic.

const WORDS = {
  en: {
    phones: "Phones",
    about: "Each phone is a customer. Write on one, and answer from the dashboard's inbox in another tab.",
    writesTo: "Writes to",
    name: "Name",
    add: "Add a phone",
    other: "العربية",
    write: "Message",
    send: "Send",
    photo: "Send a file",
    sample: "Send something else",
    more: "Other kinds…",
    remove: "Put this phone away",
    empty: "Nothing here yet.",
    deleted: "Deleted",
    typing: "typing…",
    edited: "edited",
    file: "File",
    notTaken: "The service did not take this message.",
    refused: "That could not be sent: ",
    unreachable: "The simulator does not answer. It will be asked again.",
    sent: "Sent",
    taken: "Delivered to the business",
    delivered: "Delivered, unread",
    read: "Delivered and read",
    reply: "Answer to",
    failed: "Not delivered",
    acts: "What to do with it",
    quote: "Quote",
    edit: "Edit",
    delete: "Delete",
    noReaction: "Take the reaction back",
    drop: "Leave it",
    ticks: { delivered: "Delivered ✓✓", read: "Read ✓✓", failed: "Failed !" },
    behaves: "How it behaves",
    switches: { offline: "Off: what is sent arrives a minute later", fails: "Nothing arrives", byHand: "Ticks by hand" },
    once: "The next send…",
    faults: { slow: "takes five seconds", refused: "is refused", unreachable: "finds the network away", unclear: "is taken, and the answer is lost", throttled: "comes too fast", duplicated: "has every status twice" },
    windowOver: "Let the answer window pass",
    inspector: "On the wire",
    again: "Look again",
    request: "Request",
    webhook: "Webhook",
    toConversation: "The team's side",
    customers: ["Sara", "Ali", "Noor"],
    networks: { whatsapp: "WhatsApp", messenger: "Messenger", instagram: "Instagram" },
  },
  ar: {
    phones: "الهواتف",
    about: "كل هاتف هو زبون. اكتب في أحدها، ثم أجب من صندوق الوارد في علامة تبويب أخرى.",
    writesTo: "يراسل",
    name: "الاسم",
    add: "أضف هاتفاً",
    other: "English",
    write: "رسالة",
    send: "إرسال",
    photo: "أرسل ملفاً",
    sample: "أرسل شيئاً آخر",
    more: "أنواع أخرى…",
    remove: "أبعد هذا الهاتف",
    empty: "لا شيء هنا بعد.",
    deleted: "حُذفت",
    typing: "يكتب…",
    edited: "عُدّلت",
    file: "ملف",
    notTaken: "لم تستلم الخدمة هذه الرسالة.",
    refused: "تعذر الإرسال: ",
    unreachable: "المحاكي لا يجيب. ستعاد المحاولة.",
    sent: "أُرسلت",
    taken: "وصلت إلى المتجر",
    delivered: "وصلت ولم تُقرأ",
    read: "وصلت وقُرئت",
    reply: "رد على",
    failed: "لم تصل",
    acts: "ما يُفعل بها",
    quote: "اقتباس",
    edit: "تعديل",
    delete: "حذف",
    noReaction: "إزالة التفاعل",
    drop: "اتركها",
    ticks: { delivered: "وصلت ✓✓", read: "قُرئت ✓✓", failed: "فشلت !" },
    behaves: "كيف يتصرف",
    switches: { offline: "مغلق: يصل ما يُرسل بعد دقيقة", fails: "لا يصل شيء", byHand: "العلامات يدوياً" },
    once: "الإرسال التالي…",
    faults: { slow: "يستغرق خمس ثوانٍ", refused: "يُرفض", unreachable: "يجد الشبكة متوقفة", unclear: "يُقبل ويضيع الجواب", throttled: "أسرع مما يجب", duplicated: "كل حالة مرتين" },
    windowOver: "دع نافذة الرد تنقضي",
    inspector: "على السلك",
    again: "انظر مجدداً",
    request: "طلب",
    webhook: "إشعار",
    toConversation: "جهة الفريق",
    customers: ["سارة", "علي", "نور"],
    networks: { whatsapp: "واتساب", messenger: "ماسنجر", instagram: "إنستغرام" },
  },
};

const KEY = "phones.language";
const asked = new URLSearchParams(location.search).get("language");
const known = asked ?? localStorage.getItem(KEY) ?? navigator.language.slice(0, 2);

export const language = known === "ar" ? "ar" : "en";
export const words = WORDS[language];

/** Loads the page in the other language. */
export function swap() {
  localStorage.setItem(KEY, language === "ar" ? "en" : "ar");
  location.assign("/phones");
}

/** Puts the words in their places. */
export function dress() {
  document.documentElement.lang = language;
  document.documentElement.dir = language === "ar" ? "rtl" : "ltr";
  document.title = words.phones;
  for (const place of document.querySelectorAll("[data-word]")) place.textContent = words[place.dataset.word];
}
