//! Words for what exactly is wrong with a form, where the code of its problem says less, or there is none.

use domain::{
    broadcasts::{
        AudienceError, BroadcastError, ContentError, InvalidPrices, LONGEST_VALUE, ListError, MOST_CHOSEN,
        MOST_COLUMNS, MOST_ROWS, MOST_TAGS,
    },
    channels::{ConnectError, ports::NetworkError},
};

use super::Words;
use super::pair::words;

words! {
    /// Words for what exactly is wrong with a form.
    WrongWords:
    name: "The name has 1 to 100 characters, one of them visible.", "للاسم من 1 إلى 100 حرف، أحدها على الأقل ظاهر.";
    value: "This value is blank or too long:", "هذه القيمة فارغة أو أطول من المسموح:";
    longest: "Most characters:", "أقصى عدد للأحرف:";
    languages: "Too many languages are tried.", "اللغات التي تُجرَّب أكثر من المسموح.";
    content: "There is more to fill in than any template has room for.", "ما يُملأ أكثر مما يتسع له أي قالب.";
    quiet_all_day: "Quiet hours have to leave some time of the day.", "يجب أن تترك ساعات الهدوء وقتاً من اليوم.";
    quiet_half: "Quiet hours have a beginning and an end. Fill in both, or neither.", "لساعات الهدوء بداية ونهاية. املأ كلتيهما أو لا شيء منهما.";
    quiet_time: "Quiet hours are two different times of day, such as 21:00 and 08:00.", "ساعات الهدوء وقتان مختلفان من اليوم، مثل 21:00 و08:00.";
    spread: "One number was chosen, and all are to send.", "اختير رقم واحد، والمطلوب أن ترسل كل الأرقام.";
    start: "Write a day and a time of day for the start.", "اكتب يوماً ووقتاً للبدء.";
    over: "This time is over. Write one that is still to come, or start now.", "مضى هذا الوقت. اكتب وقتاً لم يأتِ بعد، أو ابدأ الآن.";
    words: "Write a word with a letter or a digit, and 200 characters at most.", "اكتب كلمة فيها حرف أو رقم، ولا تتجاوز 200 حرف.";
    search: "What is looked for is too long.", "نص البحث أطول من المسموح.";
    network: "There is no such network.", "لا توجد شبكة كهذه.";
    source: "There is no such source.", "لا يوجد مصدر كهذا.";
    group: "This group is not there any more.", "هذه المجموعة لم تعد موجودة.";
    list: "This list is not there any more, or not all of it has arrived.", "هذه القائمة لم تعد موجودة أو لم تصل كاملة.";
    tags: "There are too many tags. The most:", "الوسوم أكثر من المسموح. أقصى عدد:";
    chosen: "Choose at least one contact. The most:", "اختر جهة اتصال واحدة على الأقل. أقصى عدد:";
    strangers: "Some of those chosen are no contacts any more. How many:", "بعض من اختيروا لم يعودوا جهات اتصال. عددهم:";
    header: "The first row names the columns, one of them `phone` or the like.", "الصف الأول يسمّي الأعمدة، وأحدها «الهاتف» أو ما يشبهه.";
    columns: "Each column has a title of its own, of 60 characters at most. Most columns:", "لكل عمود عنوان خاص به لا يتجاوز 60 حرفاً. أقصى عدد للأعمدة:";
    rows: "The list is too long. Most people:", "القائمة أطول من المسموح. أقصى عدد للأشخاص:";
    currency: "A currency has three Latin letters, such as USD or IQD.", "العملة ثلاثة أحرف لاتينية، مثل USD أو IQD.";
    amount: "An amount is a number such as 0.0258, below 1000, with at most six decimals.", "المبلغ عدد مثل 0.0258، أقل من 1000، وبست منازل عشرية على الأكثر.";
    network_id: "An account's id is a number of 1 to 32 digits.", "معرّف الحساب عدد من 1 إلى 32 رقماً.";
    token: "This is no token: it has white space in it, or nothing at all. Paste it whole.", "هذا ليس مفتاح وصول: فيه فراغ أو هو خالٍ. ألصقه كاملاً.";
    nothing_chosen: "Tick at least one account or page.", "حدّد حساباً أو صفحة واحدة على الأقل.";
    not_opened: "The token does not open this page.", "مفتاح الوصول لا يفتح هذه الصفحة.";
    sample: "The example is a file that you have uploaded, of the header's kind, of 16 MB at most.", "المثال ملف رفعته أنت، من نوع الترويسة نفسه، ولا يتجاوز 16 ميغابايت.";
    pin: "A PIN has six digits.", "رمز PIN ستة أرقام.";
    key: "Say what the key is for in 1 to 100 characters, and choose at least one thing that it opens.", "اكتب غرض المفتاح في 1 إلى 100 حرف، واختر شيئاً واحداً على الأقل يفتحه.";
    email: "This is no e-mail address.", "هذا ليس بريداً إلكترونياً.";
    group_name: "A group has a name of 1 to 100 characters, one of them visible.", "للمجموعة اسم من 1 إلى 100 حرف، أحدها على الأقل ظاهر.";
    canned: "A shortcut is one word of up to 32 characters, and the text has 1 to 4,096.", "الاختصار كلمة واحدة لا تتجاوز 32 حرفاً، وللنص من 1 إلى 4096 حرفاً.";
    person: "A name has 1 to 200 characters, one of them visible.", "للاسم من 1 إلى 200 حرف، أحدها على الأقل ظاهر.";
    note: "A note has 1 to 4,000 characters, and mentions 20 members at most.", "للملاحظة من 1 إلى 4000 حرف، وتذكر 20 عضواً على الأكثر.";
    tag: "A tag has 1 to 50 characters, one of them visible.", "للوسم من 1 إلى 50 حرفاً، أحدها على الأقل ظاهر.";
}

impl Words {
    /// Returns what is wrong with a broadcast; `None` where its code says all of it.
    pub fn of_broadcast(&self, error: &BroadcastError) -> Option<String> {
        let words = &self.wrong;
        Some(match error {
            BroadcastError::Name => words.name.to_owned(),
            BroadcastError::Content(error) => match error {
                ContentError::Value(label) => {
                    format!("{} \u{2068}{label}\u{2069}. {} {LONGEST_VALUE}", words.value, words.longest)
                }
                ContentError::TooLarge => words.content.to_owned(),
                ContentError::Languages => words.languages.to_owned(),
                ContentError::Quiet => words.quiet_all_day.to_owned(),
                ContentError::Spread => words.spread.to_owned(),
            },
            BroadcastError::Audience(error) => match error {
                AudienceError::Search(_) => words.search.to_owned(),
                AudienceError::Channel => words.network.to_owned(),
                AudienceError::Tags => format!("{} {MOST_TAGS}", words.tags),
                AudienceError::Source => words.source.to_owned(),
                AudienceError::Group => words.group.to_owned(),
                AudienceError::List => words.list.to_owned(),
                AudienceError::Chosen => format!("{} {MOST_CHOSEN}", words.chosen),
                AudienceError::Nobody(count) => format!("{} {count}", words.strangers),
            },
            BroadcastError::CodeTemplate
            | BroadcastError::Refused(_)
            | BroadcastError::Nobody
            | BroadcastError::State(_)
            | BroadcastError::TooMany
            | BroadcastError::Unknown
            | BroadcastError::Store(_) => return None,
        })
    }

    /// Returns what is wrong with a list for broadcasts; `None` where its code says all of it.
    pub fn of_list<E>(&self, error: &ListError<E>) -> Option<String> {
        let words = &self.wrong;
        Some(match error {
            ListError::Name => words.name.to_owned(),
            ListError::Header => words.header.to_owned(),
            ListError::Columns => format!("{} {MOST_COLUMNS}", words.columns),
            ListError::TooLong => format!("{} {MOST_ROWS}", words.rows),
            ListError::TooMany | ListError::Import(_) => return None,
        })
    }

    /// Returns what is wrong with prices.
    pub const fn of_prices(&self, error: &InvalidPrices) -> &'static str {
        match error {
            InvalidPrices::Currency => self.wrong.currency,
            InvalidPrices::Category(_) | InvalidPrices::Amount(_) => self.wrong.amount,
        }
    }

    /// Returns what is wrong with an account to connect; `None` where its code says all of it. The network's
    /// message is kept in its own words, with its code.
    pub fn of_account(&self, error: &ConnectError) -> Option<String> {
        let words = &self.wrong;
        Some(match error {
            ConnectError::NetworkId => words.network_id.to_owned(),
            ConnectError::Token => words.token.to_owned(),
            ConnectError::NothingChosen => words.nothing_chosen.to_owned(),
            ConnectError::NotOpened => words.not_opened.to_owned(),
            ConnectError::Network(NetworkError::Refused { code, message }) => {
                format!("\u{2068}{message}\u{2069} ({code})")
            }
            ConnectError::Network(NetworkError::Unavailable(_))
            | ConnectError::UnknownWorkspace
            | ConnectError::Elsewhere
            | ConnectError::Offer
            | ConnectError::Store(_) => return None,
        })
    }

    /// Returns the words for why somebody of a broadcast was left out or not reached; a network's code
    /// without words stays as it is.
    pub fn of_reason<'r>(&'r self, reason: &'r str) -> &'r str {
        let failure = reason.parse().ok().and_then(|code| self.inbox.failure(code));
        failure.unwrap_or_else(|| self.broadcasts.of_reason(reason))
    }
}

#[cfg(test)]
mod tests {
    use domain::broadcasts::{AudienceError, BroadcastError, ContentError, ListError, SkipReason};

    use crate::words::Language;

    #[test]
    fn what_is_wrong_is_told_in_the_language_of_whoever_reads() {
        let words = Language::Arabic.words();
        let is_arabic = |text: &str| text.chars().next().is_some_and(|first| ('ء'..='ي').contains(&first));
        for error in [
            BroadcastError::Name,
            ContentError::Value("1".to_owned()).into(),
            ContentError::TooLarge.into(),
            ContentError::Languages.into(),
            ContentError::Quiet.into(),
            AudienceError::Group.into(),
            AudienceError::Chosen.into(),
            AudienceError::Nobody(2).into(),
        ] {
            let told = words.of_broadcast(&error).unwrap();
            assert!(is_arabic(&told), "{error}: {told}");
        }
        for error in [ListError::<String>::Name, ListError::Header, ListError::Columns, ListError::TooLong] {
            let told = words.of_list(&error).unwrap();
            assert!(is_arabic(&told), "{told}");
        }
        assert_eq!(words.of_broadcast(&BroadcastError::Nobody), None);
        assert_eq!(words.of_list(&ListError::<String>::TooMany), None);
    }

    #[test]
    fn reasons_are_told_in_words_and_unknown_codes_as_they_are() {
        for language in Language::ALL {
            let words = language.words();
            for reason in SkipReason::ALL {
                assert_ne!(words.of_reason(reason.as_str()), reason.as_str());
            }
            assert_eq!(words.of_reason("131026"), words.inbox.failed_unreachable);
            assert_eq!(words.of_reason("131999"), "131999");
        }
    }
}
