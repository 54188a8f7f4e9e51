//! Words of the frame around every page.

use super::pair::words;

words! {
    /// Words of the frame around every page.
    CommonWords:
    product: "Messaging Service", "خدمة المراسلة";
    skip: "Skip to the content", "انتقل إلى المحتوى";
    language: "Language", "اللغة";
    sign_out: "Sign out", "تسجيل الخروج";
    to_start: "Go to the start", "إلى البداية";
    comma: ", ", "، ";
    saved: "Saved.", "تم الحفظ.";
    removed: "Removed.", "تمت الإزالة.";
    done: "Done.", "تم.";
    copy: "Copy", "نسخ";
    copied: "Copied", "نُسخ";
    offline: "No connection. Try again when it is back.", "لا يوجد اتصال. حاول مرة أخرى عند عودته.";
    sections: "Parts of the dashboard", "أقسام لوحة التحكم";
}
