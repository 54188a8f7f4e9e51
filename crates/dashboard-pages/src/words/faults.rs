//! Words for faults that the service stores or returns in English, in the reader's language.

use domain::{
    assistant::{
        MOST_MINUTES, SettingsError, SettingsRule,
        speech::{LONGEST_WORDING_LINE, WordingError, WordingFault},
    },
    catalogue::{InvalidSynonyms, LONGEST_WORD, MOST_GROUPS, MOST_WORDS, SynonymsError},
    systems::{BaseError, CallError, CallResult, ConnectError, SecretError},
};

use super::Words;
use super::pair::words;

words! {
    /// Words for what exactly is wrong.
    FaultWords:
    base_is_none: "The address must be a URL such as https://shop.example/api.", "يجب أن يكون العنوان رابطاً مثل https://shop.example/api.";
    base_too_long: "The address must not be longer than 2000 characters.", "لا يجوز أن يتجاوز العنوان 2000 حرف.";
    base_scheme: "The address must begin with https.", "يجب أن يبدأ العنوان بـ https.";
    base_user: "The address must not hold a user name or a password: the secret is given by itself.", "لا يجوز أن يحمل العنوان اسم مستخدم أو كلمة مرور: السر يُعطى وحده.";
    base_query: "The address must not have a query or a fragment: paths are appended to it.", "لا يجوز أن يحمل العنوان ? أو #، لأن المسارات تُلحق به.";
    base_forbidden: "The address may not be called: it leads to a private network, or nothing is found there.", "لا يجوز الاتصال بالعنوان: يقود إلى شبكة خاصة أو لا يوجد شيء هناك.";
    secret_empty: "The secret is empty.", "السر فارغ.";
    secret_too_long: "The secret must not be longer than 1000 characters.", "لا يجوز أن يتجاوز السر 1000 حرف.";
    secret_space: "The secret has white space or a line break in it: take it off.", "في السر فراغ أو سطر جديد: احذفه.";
    secret_characters: "The secret may have ASCII letters, digits and signs only.", "السر من أحرف لاتينية وأرقام وعلامات فقط.";
    synonyms_too_many: "Most groups:", "أقصى عدد للمجموعات:";
    synonyms_words: "This group needs at least two different words. Most words:", "هذه المجموعة تحتاج إلى كلمتين مختلفتين على الأقل. أقصى عدد للكلمات:";
    synonyms_word: "A word of this group has no letter or digit, or is too long. Most characters:", "في هذه المجموعة كلمة بلا حرف أو رقم أو أطول من المسموح. أقصى عدد للأحرف:";
    group: "Group", "المجموعة";
    too_long: "It is too long. Most characters:", "أطول من المسموح. أقصى عدد للأحرف:";
    too_many: "There are too many. The most:", "أكثر من المسموح. أقصى عدد:";
    fact: "A fact has a title and a text.", "لكل معلومة عنوان ونص.";
    line: "line", "السطر";
    wording_no_key: "A wording stands under a line such as [greet].", "كل صياغة تقع تحت سطر مثل [greet].";
    wording_not_owned: "This is always said in the service's own words:", "هذا يُقال دائماً بصياغة الخدمة:";
    wording_unknown_key: "There is nothing of this name to say:", "لا يوجد ما يُقال بهذا الاسم:";
    wording_twice: "This stands twice:", "هذا مذكور مرتين:";
    wording_unknown_place: "Nothing is put in for this; there is:", "لا شيء يوضع مكان هذا، والموجود:";
    wording_missing_place: "A wording of this needs:", "تنقص هذه الصياغة:";
    wording_brace: "A brace { or } has no partner.", "قوس { أو } بلا مقابل.";
    wording_digit: "A wording has no digit: numbers are put in.", "لا أرقام في الصياغة: توضع تلقائياً.";
    wording_link: "{link} ends a wording.", "يجب أن تنتهي الصياغة بـ {link}.";
    wording_too_few: "It has no wording:", "بلا صياغة:";
    no_language: "Choose at least one language.", "اختر لغة واحدة على الأقل.";
    no_tester: "A test needs at least one number: nobody could try it otherwise.", "التجربة تحتاج إلى رقم واحد على الأقل، وإلا فلن يجربها أحد.";
    no_price: "The model has no price here, so a day has no limit of money: an operator sets a price", "ليس للنموذج سعر هنا، فلا حد بالمال لليوم: يحدد المشغّل السعر";
    daily_budget: "Money a day is a number above 0, at most", "المبلغ في اليوم رقم أكبر من 0 لا يتجاوز";
    minutes: "Minutes of a hand-over are a whole number, from 1 to", "دقائق التحويل عدد صحيح من 1 إلى";
    daily_tokens: "Tokens a day are a whole number, from 1 to", "وحدات النموذج في اليوم عدد صحيح من 1 إلى";
    no_rows: "The list has no rows, or cannot be read.", "القائمة بلا صفوف أو لا يمكن قراءتها.";
    answered: "The answer had the status", "كانت حالة الرد";
    no_answer: "No answer within 10 seconds", "لا رد خلال 10 ثوانٍ";
    unreadable: "What was stored of it cannot be read", "لا يمكن قراءة ما حُفظ منه";
    no_connection: "No connection", "تعذر الاتصال";
    paused: "An owner paused it", "أوقفه المالك";
    in_a_row: "Deliveries that failed for good, one after another:", "إشعارات فشلت نهائياً على التوالي:";
    the_last: "the last", "آخرها";
}

impl FaultWords {
    /// Returns what is wrong with own wordings, and where.
    fn of_wordings(&self, error: &WordingError) -> String {
        let named = |words: &str, name: &str| format!("{words} \u{2068}{name}\u{2069}");
        match error {
            WordingError::TooFew { key, .. } => named(self.wording_too_few, &format!("[{key}]")),
            WordingError::Line { line, fault } => {
                let fault = match fault {
                    WordingFault::NoKey => self.wording_no_key.to_owned(),
                    WordingFault::NotOwned(key) => named(self.wording_not_owned, &format!("[{key}]")),
                    WordingFault::UnknownKey(key) => named(self.wording_unknown_key, &format!("[{key}]")),
                    WordingFault::KeyTwice(key) => named(self.wording_twice, &format!("[{key}]")),
                    WordingFault::UnknownPlace { known, .. } => named(self.wording_unknown_place, known),
                    WordingFault::MissingPlace { place, .. } => {
                        named(self.wording_missing_place, &format!("{{{place}}}"))
                    }
                    WordingFault::OpenBrace => self.wording_brace.to_owned(),
                    WordingFault::Digit => self.wording_digit.to_owned(),
                    WordingFault::LinkWithin => self.wording_link.to_owned(),
                    WordingFault::TooLong => format!("{} {LONGEST_WORDING_LINE}", self.too_long),
                };
                format!("{} {line}: {fault}", self.line)
            }
        }
    }
}

impl Words {
    /// Returns what is wrong with a system to connect; `None` where its code says all of it.
    pub fn of_connecting(&self, error: &ConnectError) -> Option<&'static str> {
        let words = &self.faults;
        Some(match error {
            ConnectError::Base(error) => match error {
                BaseError::NotAUrl => words.base_is_none,
                BaseError::TooLong => words.base_too_long,
                BaseError::Scheme => words.base_scheme,
                BaseError::UserInfo => words.base_user,
                BaseError::Query | BaseError::Fragment => words.base_query,
            },
            ConnectError::Forbidden(_) => words.base_forbidden,
            ConnectError::Secret(error) => match error {
                SecretError::Empty => words.secret_empty,
                SecretError::TooLong => words.secret_too_long,
                SecretError::LineBreak | SecretError::Space => words.secret_space,
                SecretError::Characters => words.secret_characters,
            },
            ConnectError::Unverified(
                CallError::NeedsReconnection { .. } | CallError::Misdirected { .. } | CallError::NotMade(_),
            )
            | ConnectError::UnknownWorkspace
            | ConnectError::Store(_) => return None,
            ConnectError::Unverified(error) => self.codes.result(&CallResult::of(error)),
        })
    }

    /// Returns what is wrong with synonyms; `None` where its code says all of it.
    pub fn of_synonyms(&self, error: &SynonymsError) -> Option<String> {
        let words = &self.faults;
        let group = words.group;
        match error {
            SynonymsError::Invalid(rule) => Some(match rule {
                InvalidSynonyms::TooMany => format!("{} {MOST_GROUPS}", words.synonyms_too_many),
                InvalidSynonyms::Words(at) => format!("{group} {at}: {} {MOST_WORDS}", words.synonyms_words),
                InvalidSynonyms::Word(at) => format!("{group} {at}: {} {LONGEST_WORD}", words.synonyms_word),
            }),
            SynonymsError::Store(_) => None,
        }
    }

    /// Returns what is wrong with the assistant's settings; `None` where its code says all of it.
    pub fn of_settings(&self, error: &SettingsError) -> Option<String> {
        let words = &self.faults;
        let SettingsError::Invalid(rule) = error else { return None };
        Some(match rule {
            SettingsRule::TooLong { field, most } => {
                format!("{}: {} {most}", self.setting(field), words.too_long)
            }
            SettingsRule::TooMany { field, most } => {
                format!("{}: {} {most}", self.setting(field), words.too_many)
            }
            SettingsRule::Fact => words.fact.to_owned(),
            SettingsRule::Wordings { field, why } => {
                format!("{}, {}", self.setting(field), words.of_wordings(why))
            }
            SettingsRule::NoLanguage => words.no_language.to_owned(),
            SettingsRule::NoTester => words.no_tester.to_owned(),
            SettingsRule::NoSuchNumber => {
                format!("{}: {}", self.setting("testNumbers"), self.imports.not_a_number)
            }
            SettingsRule::NoPrice => words.no_price.to_owned(),
            SettingsRule::Minutes => format!("{} {MOST_MINUTES}", words.minutes),
            SettingsRule::DailyTokens { most } => format!("{} {most}", words.daily_tokens),
        })
    }

    /// Returns the label of a setting of the assistant, as its page has it.
    fn setting(&self, field: &'static str) -> &'static str {
        let words = &self.assistant;
        match field {
            "name" => words.name,
            "tone" => words.tone,
            "handOver.ar" | "facts[].ar" | "wordings.ar" => words.hand_over_ar,
            "handOver.en" | "facts[].en" | "wordings.en" => words.hand_over_en,
            "handOver.arWhenClosed" => words.hand_over_ar_closed,
            "handOver.enWhenClosed" => words.hand_over_en_closed,
            "handOver.ckbWhenClosed" => words.hand_over_ckb_closed,
            "instructions" => words.instructions,
            "facts" => words.facts,
            "facts[].title" => words.fact_title,
            "facts[].text" => words.fact_text,
            "handOver.ckb" | "facts[].ckb" | "wordings.ckb" => words.in_sorani,
            "testNumbers" => words.test_numbers,
            field => field,
        }
    }

    /// Translates the stored fault of a connected system. Parts for engineers alone stay as they are.
    pub fn of_system(&self, kept: &str) -> String {
        match CallResult::of_kept(kept) {
            Some((result, "")) => self.codes.result(&result).to_owned(),
            Some((result, rest)) => format!("{} (\u{2068}{rest}\u{2069})", self.codes.result(&result)),
            None => kept.to_owned(),
        }
    }

    /// Translates the stored failure of an attempt at a delivery. Parts for engineers alone stay as they are.
    pub fn failed_attempt(&self, kept: &str) -> String {
        let words = &self.faults;
        match kept {
            "no answer within 10 seconds" => words.no_answer.to_owned(),
            "what was stored of this delivery cannot be read" => words.unreadable.to_owned(),
            kept => match kept.strip_prefix("the answer was status ") {
                Some(status) => format!("{} {status}", words.answered),
                None => format!("{} (\u{2068}{kept}\u{2069})", words.no_connection),
            },
        }
    }

    /// Translates the stored reason why a webhook address is disabled.
    pub fn switched_off(&self, kept: &str) -> String {
        let words = &self.faults;
        if kept == "paused by its owner" {
            return words.paused.to_owned();
        }
        match kept.split_once(" deliveries in a row failed for good; the last: ") {
            Some((count, last)) => {
                format!("{} {count} ({}: {})", words.in_a_row, words.the_last, self.failed_attempt(last))
            }
            None => kept.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::{
        assistant::{
            SettingsError, SettingsRule,
            speech::{WordingError, WordingFault},
        },
        catalogue::{InvalidSynonyms, SynonymsError},
        systems::{BaseError, CallError, ConnectError, SecretError},
        webhooks::{AddressHealth, AddressState, Failure},
    };

    use crate::words::Language;

    #[test]
    fn what_is_kept_of_a_failed_delivery_is_told_in_words() {
        let (english, arabic) = (Language::English.words(), Language::Arabic.words());
        for (failure, in_english, in_arabic) in [
            (
                Failure::Status { status: 500, retry_after: Some(Duration::from_secs(1)) },
                "The answer had the status 500",
                "كانت حالة الرد 500",
            ),
            (Failure::Timeout, "No answer within 10 seconds", "لا رد خلال 10 ثوانٍ"),
            (Failure::Unreadable, "What was stored of it cannot be read", "لا يمكن قراءة ما حُفظ منه"),
            (
                Failure::Call("connection refused".to_owned()),
                "No connection (\u{2068}connection refused\u{2069})",
                "تعذر الاتصال (\u{2068}connection refused\u{2069})",
            ),
        ] {
            assert_eq!(english.failed_attempt(&failure.to_string()), in_english);
            assert_eq!(arabic.failed_attempt(&failure.to_string()), in_arabic);
        }
    }

    #[test]
    fn what_is_kept_of_a_system_s_failure_is_told_in_words() {
        let (english, arabic) = (Language::English.words(), Language::Arabic.words());
        let refused = CallError::NeedsReconnection { status: 401, message: None }.to_string();
        assert_eq!(english.of_system(&refused), "Does not accept the secret");
        assert_eq!(arabic.of_system(&refused), "لا يقبل السر");
        let unreachable = CallError::Unreachable { words: "connection refused".to_owned(), sent: false };
        assert_eq!(
            arabic.of_system(&unreachable.to_string()),
            "تعذر الوصول إليه (\u{2068}connection refused\u{2069})"
        );
        assert_eq!(arabic.of_system("written by hand"), "written by hand");
    }

    #[test]
    fn why_an_address_is_switched_off_is_told_in_words() {
        let words = Language::English.words();
        let before =
            AddressHealth { state: AddressState::Enabled, consecutive_failures: 49, disabled_reason: None };
        let failure = Failure::Timeout.to_string();
        let kept = before.after(Some(&failure)).disabled_reason.unwrap();
        assert_eq!(
            words.switched_off(&kept),
            "Deliveries that failed for good, one after another: 50 (the last: No answer within 10 seconds)"
        );
        assert_eq!(words.switched_off("paused by its owner"), "An owner paused it");
        assert_eq!(words.switched_off("by an operator"), "by an operator");
    }

    #[test]
    fn what_is_wrong_in_a_form_is_told_in_the_reader_s_language() {
        let words = Language::Arabic.words();
        let connecting = |error: ConnectError| words.of_connecting(&error);
        assert_eq!(connecting(BaseError::Scheme.into()), Some("يجب أن يبدأ العنوان بـ https."));
        assert_eq!(connecting(SecretError::Empty.into()), Some("السر فارغ."));
        let timed_out = connecting(ConnectError::Unverified(CallError::TimedOut));
        assert_eq!(timed_out, Some(words.codes.timed_out));
        assert_eq!(
            connecting(ConnectError::Unverified(CallError::NeedsReconnection { status: 401, message: None })),
            None
        );
        let synonyms = words.of_synonyms(&SynonymsError::Invalid(InvalidSynonyms::Words(2)));
        assert!(synonyms.unwrap().starts_with("المجموعة 2: "));
        let rule = SettingsRule::TooLong { field: "name", most: 60 };
        let said = words.of_settings(&SettingsError::Invalid(rule)).unwrap();
        assert!(said.starts_with(words.assistant.name) && said.ends_with("60"), "{said}");
        let why = WordingError::Line { line: 3, fault: WordingFault::Digit };
        let rule = SettingsRule::Wordings { field: "wordings.en", why };
        let said = words.of_settings(&SettingsError::Invalid(rule)).unwrap();
        assert_eq!(said, "بالإنجليزية, السطر 3: لا أرقام في الصياغة: توضع تلقائياً.");
    }
}
