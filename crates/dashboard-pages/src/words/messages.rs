//! Words of finding a message.

use super::pair::words;
use crate::life_step::LifeStep;

words! {
    /// Words of finding a message.
    MessageWords:
    title: "Find a message", "ابحث عن رسالة";
    known_by: "What you know of it", "ما تعرفونه عنها";
    reference: "Your reference for it", "مرجعكم لها";
    number: "The person’s number", "رقم الشخص";
    id: "Its id", "معرّفها";
    network_id: "The network’s id of it", "معرّفها لدى الشبكة";
    value: "Look for", "ابحث عن";
    hint: "A reference as your system sent it, for example order-1042; a number in any spelling", "المرجع كما أرسله نظامكم، مثل order-1042؛ والرقم بأي صيغة";
    find: "Find", "ابحث";
    none: "Nothing was found.", "لم يُعثر على شيء.";
    at: "When", "متى";
    from: "From", "من";
    template: "Template", "القالب";
    state: "State", "الحالة";
    conversation: "Conversation", "المحادثة";
    open: "Open", "افتح";
    in_none: "Kept in no conversation", "غير محفوظة في محادثة";
    earlier: "Earlier ones", "الأقدم";
    explain: "Details", "التفاصيل";
    back: "Find another message", "ابحث عن رسالة أخرى";
    steps: "What happened", "ما حدث";
    recorded: "Written down", "سُجّلت";
    asked: "Its sending was asked for", "طُلب إرسالها";
    taken: "The network took it", "قبلتها الشبكة";
    refused: "The network refused it", "رفضتها الشبكة";
    delivered: "It arrived", "وصلت";
    read: "It was read", "قُرئت";
    failed: "It could not be delivered", "تعذّر إيصالها";
    because: "Why", "السبب";
    told: "What your systems were told", "ما أُبلغت به أنظمتكم";
    told_nothing: "No webhook address was told of it in the last month.", "لم يُبلَّغ بها أي عنوان خلال الشهر الماضي.";
    event: "Event", "الحدث";
    attempts: "Attempts", "المحاولات";
}

impl MessageWords {
    /// Returns the words for a step in a message's life.
    pub const fn step(&self, step: &LifeStep) -> &'static str {
        match step {
            LifeStep::Recorded => self.recorded,
            LifeStep::Asked => self.asked,
            LifeStep::Taken => self.taken,
            LifeStep::Refused => self.refused,
            LifeStep::Delivered => self.delivered,
            LifeStep::Read => self.read,
            LifeStep::Failed => self.failed,
        }
    }
}
