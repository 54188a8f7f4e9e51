//! Words of rules, opening hours and sweepers.

use domain::automations::{InvalidHours, InvalidRule};

use super::pair::words;

words! {
    /// Words of rules, opening hours and sweepers.
    AutomationWords:
    switch_on: "Switch on", "تفعيل";
    switch_off: "Switch off", "إيقاف";
    add: "Add a rule", "أضف قاعدة";
    in_force: "In force", "سارية";
    when: "When a customer's message", "عندما رسالة الزبون";
    began: "begins a conversation, or brings one back", "تبدأ محادثة أو تعيد فتحها";
    outside_hours: "comes outside opening hours", "تصل خارج ساعات العمل";
    words: "contains one of these words or phrases, a line for each", "تحوي إحدى هذه الكلمات أو العبارات، سطر لكل منها";
    when_hint: "All that is chosen must hold.", "يجب أن يتحقق كل ما اختير.";
    then: "Then, in this order", "عندها، بهذا الترتيب";
    step: "Step", "الخطوة";
    nothing: "Nothing", "لا شيء";
    reply: "Reply with the text", "الرد بالنص";
    tag: "Tag with the text", "الوسم بالنص";
    close: "Close the conversation", "إغلاق المحادثة";
    give_back: "Return it to the assistant", "إعادتها إلى المساعد";
    to_members: "Give it to", "إسنادها إلى";
    to_groups: "Send it to", "إرسالها إلى";
    is_gone: "somebody who is gone", "من لم يعد هنا";
    text: "Text of the reply or the tag", "نص الرد أو الوسم";
    more_steps: "More steps can be written once these are kept.", "يمكن إضافة خطوات أخرى بعد حفظ هذه.";
    change: "Change", "تعديل";
    settings: "Opening hours and quiet conversations", "ساعات العمل والمحادثات الساكنة";
    idle_close: "Close a quiet conversation after so many minutes", "أغلق المحادثة الساكنة بعد هذا العدد من الدقائق";
    unanswered_return: "Return an unanswered conversation to the assistant after so many minutes", "أعد المحادثة التي لم يُرد عليها إلى المساعد بعد هذا العدد من الدقائق";
    minutes_hint: "What is left empty is off.", "ما يُترك فارغاً متوقف.";
    has_hours: "There are opening hours", "توجد ساعات عمل";
    zone: "Time zone", "المنطقة الزمنية";
    zone_hint: "Such as Asia/Baghdad or +03:00", "مثل Asia/Baghdad أو +03:00";
    hours_hint: "A day without times is closed. Times that end before they begin go on into the next day; from 00:00 to 00:00 is the whole day.", "اليوم بلا أوقات مغلق. الوقت الذي ينتهي قبل أن يبدأ يستمر إلى اليوم التالي، ومن 00:00 إلى 00:00 هو اليوم كله.";
    as_before: "As the day before", "مثل اليوم السابق";
    opens: "opens", "يفتح";
    closes: "closes", "يغلق";
    monday: "Monday", "الاثنين";
    tuesday: "Tuesday", "الثلاثاء";
    wednesday: "Wednesday", "الأربعاء";
    thursday: "Thursday", "الخميس";
    friday: "Friday", "الجمعة";
    saturday: "Saturday", "السبت";
    sunday: "Sunday", "الأحد";
    save: "Save", "حفظ";
    wrong_name: "A name has 1 to 50 characters.", "الاسم من حرف واحد إلى 50 حرفاً.";
    wrong_reply: "A reply has 1 to 4,096 characters.", "الرد من حرف واحد إلى 4096 حرفاً.";
    no_condition: "Choose at least one condition.", "اختر شرطاً واحداً على الأقل.";
    wrong_actions: "A rule has 1 to 10 steps.", "للقاعدة من خطوة إلى 10 خطوات.";
    wrong_words: "At most 50 words or phrases of up to 100 characters, each with a letter or a digit.", "خمسون كلمة أو عبارة على الأكثر، كل منها حتى 100 حرف وفيها حرف أو رقم.";
    wrong_tag: "A tag has 1 to 50 characters.", "الوسم من حرف واحد إلى 50 حرفاً.";
    wrong_step: "One of the steps names nobody who is here.", "إحدى الخطوات تشير إلى من ليس هنا.";
    wrong_minutes: "A waiting time is a whole number of minutes, a year at most.", "مدة الانتظار عدد صحيح من الدقائق، سنة على الأكثر.";
    wrong_zone: "There is no such time zone.", "لا توجد منطقة زمنية كهذه.";
    wrong_time: "One of the times is no time of day, or stands alone.", "أحد الأوقات ليس وقتاً صحيحاً أو ينقصه الآخر.";
    no_length: "Times that begin and end alike are no hours.", "وقت يبدأ وينتهي في اللحظة نفسها ليس ساعات عمل.";
    too_many_times: "A day has at most 10 times.", "لليوم 10 أوقات على الأكثر.";
}

impl AutomationWords {
    /// Returns the words for why a rule cannot be stored.
    pub const fn rule(&self, wrong: InvalidRule) -> &'static str {
        match wrong {
            InvalidRule::Name => self.wrong_name,
            InvalidRule::Reply => self.wrong_reply,
            InvalidRule::NoCondition => self.no_condition,
            InvalidRule::Actions => self.wrong_actions,
        }
    }

    /// Returns the words for why opening hours cannot be stored.
    pub const fn hours(&self, wrong: &InvalidHours) -> &'static str {
        match wrong {
            InvalidHours::Zone(_) => self.wrong_zone,
            InvalidHours::Time(_) => self.wrong_time,
            InvalidHours::Empty => self.no_length,
            InvalidHours::TooMany => self.too_many_times,
        }
    }

    /// Returns the names of the days, from Monday on.
    pub const fn days(&self) -> [&'static str; 7] {
        [self.monday, self.tuesday, self.wednesday, self.thursday, self.friday, self.saturday, self.sunday]
    }
}
