//! What stands around every page.

words! {
    /// What stands around every page.
    CommonWords:
    product: "Messaging Service", "خدمة المراسلة";
    skip: "Skip to the content", "انتقل إلى المحتوى";
    language: "Language", "اللغة";
    sign_out: "Sign out", "تسجيل الخروج";
    save: "Save", "حفظ";
    nothing_here: "There is nothing to see here", "لا يوجد شيء هنا";
    to_start: "Go to the start", "إلى البداية";
    welcome: "Welcome", "أهلاً بك";
    signed_in_to: "You are signed in to", "سجّلت الدخول إلى";
}
