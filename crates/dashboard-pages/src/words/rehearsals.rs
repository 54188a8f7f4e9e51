//! Words of the page of questions that the assistant is tested with.

use domain::assistant::rehearsal::{Expected, QuestionError, QuestionRule, RehearsalState, Verdict};

use super::pair::words;

words! {
    /// Words of the test questions, of what came of them, and of what was handed over.
    RehearsalWords:
    title: "Test questions", "أسئلة الاختبار";
    hint: "Questions as your customers write them, and what an answer must and must not say. They are put to the real model with your own system. Nobody is written to and nothing is ordered; the tokens count.", "أسئلة كما يكتبها زبائنك، وما يجب أن يقوله الجواب وما لا يجوز. تُطرح على النموذج الفعلي مع نظامك. لا يُراسَل أحد ولا يُطلب شيء، لكن وحدات النموذج تُحسب.";
    no_questions: "There are no test questions yet.", "لا توجد أسئلة اختبار بعد.";
    never: "Not tested yet.", "لم يُختبر بعد.";
    last: "Last test", "آخر اختبار";
    passed: "Passed", "نجح";
    of: "of", "من";
    out_of_date: "What answers rest on has changed since.", "تغيّر بعده ما تُبنى عليه الأجوبة.";
    to_questions: "Test the assistant", "اختبر المساعد";
    run: "Ask all questions", "اطرح كل الأسئلة";
    run_one: "Ask this one", "اطرح هذا السؤال";
    stop: "Stop", "أوقف";
    running: "Being asked now", "تُطرح الآن";
    question: "What a customer would write", "ما يكتبه الزبون";
    expects: "What should come of it", "ما الذي يجب أن يحدث";
    expects_answer: "An answer", "جواب";
    expects_hand_over: "A person is asked for", "يُطلب موظف";
    expects_order: "An order to confirm", "طلب للتأكيد";
    expects_booking: "A booking to confirm", "حجز للتأكيد";
    expects_cancellation: "A cancellation to confirm", "إلغاء للتأكيد";
    expects_any: "Whatever comes of it", "أي شيء";
    must: "What the answer must say, a line for each", "ما يجب أن يقوله الجواب، سطر لكل نص";
    must_not: "What it must not say, a line for each", "ما لا يجوز أن يقوله، سطر لكل نص";
    demands_hint: "Whole words, however they are spelled, and figures in any digits: 25,000 is also ٢٥٠٠٠.", "كلمات كاملة بأي إملاء، وأرقام بأي شكل: 25,000 هي أيضاً ٢٥٠٠٠.";
    add: "Add a question", "أضف سؤالاً";
    save: "Save", "حفظ";
    change: "Change", "تعديل";
    remove: "Remove", "إزالة";
    paste: "Add several, a line for each", "أضف عدة أسئلة، سطر لكل سؤال";
    paste_them: "Add them", "أضفها";
    failed: "Failed", "فشل";
    not_answered: "Not answered", "بلا جواب";
    not_asked: "Not asked yet", "لم يُطرح بعد";
    missing: "The answer does not say", "لا يقول الجواب";
    forbidden: "The answer says what it must not", "يقول الجواب ما لا يجوز";
    otherwise: "Something else should have come of it.", "كان يجب أن يحدث غير ذلك.";
    interrupted: "The service was interrupted while it was asked.", "انقطعت الخدمة أثناء طرحه.";
    runs: "Tests so far", "الاختبارات حتى الآن";
    began: "Began", "البداية";
    by: "By", "من بدأه";
    nobody: "The service", "الخدمة";
    state: "State", "الحالة";
    is_running: "Under way", "جارٍ";
    is_finished: "Finished", "انتهى";
    is_stopped: "Stopped", "أُوقف";
    is_replaced: "Begun anew after a change", "أُعيد بعد تغيير";
    is_spent: "Ended: most of the day's tokens were spent", "توقف: استُهلكت معظم وحدات اليوم";
    is_unavailable: "Ended: the model or your system did not answer", "توقف: لم يرد النموذج أو نظامك";
    is_paused: "Ended: the subscription is paused", "توقف: الاشتراك موقوف مؤقتاً";
    week: "Handed over in the last seven days", "ما حُوّل إلى الموظفين في آخر سبعة أيام";
    week_hint: "With what the customer had written last. Only what you add is kept among the questions.", "مع آخر ما كتبه الزبون. لا يُحفظ بين الأسئلة إلا ما تضيفه.";
    week_none: "Nothing was handed over.", "لم تُحوّل أي محادثة.";
    take: "Add as a question", "أضفه سؤالاً";
    no_text: "No text", "بلا نص";
    again: "Ask the test questions again after each change", "إعادة طرح أسئلة الاختبار بعد كل تغيير";
    again_hint: "Only while that is cheap: up to a tenth of a day's tokens, and not once half of them are spent.", "ما دام ذلك قليل الكلفة: حتى عُشر وحدات اليوم، وليس بعد استهلاك نصفها.";
    did_add: "added", "أُضيفت";
    did_change: "changed", "عُدّلت";
    did_remove: "removed", "أُزيلت";
    wrong_text: "A question has 1 to 500 characters.", "للسؤال من 1 إلى 500 حرف.";
    wrong_many: "There are 5 texts at most.", "خمسة نصوص على الأكثر.";
    wrong_demand: "Each text has 1 to 200 characters, with a letter or a digit among them.", "لكل نص من 1 إلى 200 حرف، فيها حرف أو رقم.";
    wrong_both: "The answer must say one of these texts, too.", "أحد هذه النصوص مطلوب في الجواب أيضاً.";
    wrong_unspoken: "Nothing is said there that could hold a text: leave this empty, or expect an answer.", "لا يُقال هناك ما قد يحوي نصاً: اتركه فارغاً أو توقّع جواباً.";
    wrong_taken: "Another question says the same.", "سؤال آخر يقول الشيء نفسه.";
}

impl RehearsalWords {
    /// Returns the words for what should come of a question.
    pub const fn expected(&self, expected: &Expected) -> &'static str {
        match expected {
            Expected::Answer => self.expects_answer,
            Expected::HandOver => self.expects_hand_over,
            Expected::ProposeOrder => self.expects_order,
            Expected::ProposeBooking => self.expects_booking,
            Expected::ProposeCancellation => self.expects_cancellation,
            Expected::Any => self.expects_any,
        }
    }

    /// Returns the words for a verdict.
    pub const fn verdict(&self, verdict: &Verdict) -> &'static str {
        match verdict {
            Verdict::Passed => self.passed,
            Verdict::Failed => self.failed,
            Verdict::NotAnswered => self.not_answered,
        }
    }

    /// Returns the words for the state of a run.
    pub const fn of_state(&self, state: &RehearsalState) -> &'static str {
        match state {
            RehearsalState::Running => self.is_running,
            RehearsalState::Finished => self.is_finished,
            RehearsalState::Stopped => self.is_stopped,
            RehearsalState::Replaced => self.is_replaced,
            RehearsalState::TokensSpent => self.is_spent,
            RehearsalState::Unavailable => self.is_unavailable,
            RehearsalState::Paused => self.is_paused,
        }
    }

    /// Returns the words for what the log of changes says was done to questions.
    pub fn done(&self, what: &str) -> Option<&'static str> {
        Some(match what {
            "added" => self.did_add,
            "changed" => self.did_change,
            "removed" => self.did_remove,
            _ => return None,
        })
    }

    /// Returns the field that is wrong and why; `None` for what is no fault of a field.
    pub const fn fault(&self, error: &QuestionError) -> Option<(&'static str, &'static str)> {
        Some(match error {
            QuestionError::Taken => ("text", self.wrong_taken),
            QuestionError::Invalid(rule) => match rule {
                QuestionRule::Text => ("text", self.wrong_text),
                QuestionRule::TooMany { .. } => ("must", self.wrong_many),
                QuestionRule::Demand { .. } => ("must", self.wrong_demand),
                QuestionRule::Both => ("must-not", self.wrong_both),
                QuestionRule::Unspoken => ("must", self.wrong_unspoken),
            },
            QuestionError::TooMany | QuestionError::Unknown | QuestionError::Store(_) => return None,
        })
    }
}
