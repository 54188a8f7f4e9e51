//! Finding a message.

words! {
    /// Finding a message.
    MessageWords:
    title: "Find a message", "ابحث عن رسالة";
    reference: "Your reference for it", "مرجعكم لها";
    reference_hint: "As your system sent it, for example order-1042", "كما أرسله نظامكم، مثل order-1042";
    find: "Find", "ابحث";
    none: "Nothing was sent under this reference.", "لم يُرسل شيء بهذا المرجع.";
    at: "When", "متى";
    from: "From", "من";
    template: "Template", "القالب";
    state: "State", "الحالة";
    conversation: "Conversation", "المحادثة";
    open: "Open", "افتح";
    in_none: "Kept in no conversation", "غير محفوظة في محادثة";
    earlier: "Earlier ones", "الأقدم";
}
