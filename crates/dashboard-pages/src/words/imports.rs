//! Words of imported lists of people.

use domain::{
    contacts::{ImportColumn, ImportState, RowError},
    phone::PhoneError,
};

use super::pair::words;

words! {
    /// Words of imported lists of people.
    ImportWords:
    title: "Import contacts", "استيراد جهات الاتصال";
    back: "Back to the contacts", "العودة إلى جهات الاتصال";
    back_to_imports: "Back to the imports", "العودة إلى الاستيرادات";
    a_file: "A file", "ملف";
    file: "File (CSV, Excel or vCard)", "الملف (CSV أو Excel أو vCard)";
    encoding: "Encoding", "الترميز";
    by_its_bytes: "As the file tells", "كما يدل الملف";
    windows_1256: "Windows-1256 (Arabic)", "Windows-1256 (العربية)";
    upload: "Import the file", "استورد الملف";
    upload_list: "Bring the file", "أضف الملف";
    uploading: "Uploading", "جارٍ الرفع";
    pasted: "Pasted rows", "صفوف ملصقة";
    paste: "Paste rows", "ألصق صفوفاً";
    rows: "Rows", "الصفوف";
    hint: "Numbers and names, with commas, semicolons, tabs or bars between. Titles in the first row say which column is which; without them the number comes first. First and last names in columns of their own are joined. Whoever is known stays as they are, and gets the name only where they have none.", "أرقام وأسماء بينها فواصل أو فواصل منقوطة أو علامات جدولة أو خطوط عمودية. العناوين في الصف الأول تحدد الأعمدة، ومن دونها يأتي الرقم أولاً. الاسم الأول واسم العائلة في عمودين يُجمعان. المعروفون يبقون كما هم، ولا يأخذون الاسم إلا إن لم يكن لهم اسم.";
    import: "Import", "استورد";
    history: "Imports", "الاستيرادات";
    none: "Nothing has been imported in the background yet.", "لم يُستورد شيء في الخلفية بعد.";
    began: "Began", "البداية";
    state: "State", "الحالة";
    people: "People", "الأشخاص";
    created: "New", "الجدد";
    known: "Known already", "المعروفون";
    refused: "Refused rows", "الصفوف المرفوضة";
    progress: "Progress", "التقدم";
    of: "of", "من";
    arriving: "Arriving", "قيد الوصول";
    running: "Being written", "قيد الكتابة";
    finished: "Finished", "اكتمل";
    stopped: "Left: whoever gave it is no owner any more", "تُرك: من قدّمه لم يعد مالكاً";
    only_refused: "Nobody of this list was taken. Does its first row say which column has the numbers?", "لم يُؤخذ أحد من هذه القائمة. هل يحدد صفها الأول عمود الأرقام؟";
    without_refused: "The list was added without these rows, so broadcasts do not go to them.", "أُضيفت القائمة من دون هذه الصفوف، فلا تصل إليها الحملات.";
    not_read: "Columns and sheets that are not read", "أعمدة وأوراق لا تُقرأ";
    repeated: "Repeated rows", "الصفوف المكررة";
    first_counts: "The number of each of these stands in an earlier row of the list, and that row counts.", "رقم كل منها ورد في صف سابق من القائمة، وذلك الصف هو المعتمد.";
    some_refused: "Only the first of them are shown.", "لا يظهر منها إلا الأولى.";
    line: "Row", "الصف";
    column: "Column", "العمود";
    reason: "Reason", "السبب";
    number_column: "Number", "الرقم";
    name_column: "Name", "الاسم";
    whole_row: "The whole row", "الصف كله";
    not_text: "It is not UTF-8 text. Save the file as CSV in UTF-8.", "ليس نصاً بترميز UTF-8. احفظ الملف بصيغة CSV بترميز UTF-8.";
    too_long: "The row is too long; a quotation mark may have been left open.", "الصف أطول من المسموح، وقد تكون علامة اقتباس بقيت مفتوحة.";
    open_quote: "A quotation mark that begins in this row is never closed.", "علامة اقتباس تبدأ في هذا الصف لا تُغلق.";
    other_sheet: "It stands in another sheet than the one that is read. Save that sheet as a list of its own.", "الصف في ورقة غير الورقة المقروءة. احفظ تلك الورقة قائمة مستقلة.";
    no_number: "The row has no number.", "ليس في الصف رقم.";
    spoiled: "A spreadsheet has taken digits of the number. Give its column the format Text and write it whole.", "برنامج الجداول حذف من أرقامه. اجعل تنسيق عموده نصاً واكتبه كاملاً.";
    not_a_number: "It is no phone number.", "ليس رقم هاتف.";
    impossible: "There is no such number: its length or its prefix is wrong for its country.", "لا يوجد رقم كهذا: طوله أو مقدمته لا تصح في بلده.";
    doubtful: "It may be meant in two ways. Write it with + and the code of its country.", "يحتمل معنيين. اكتبه مع + ومفتاح دولته.";
    name_length: "The name is longer than 200 characters.", "الاسم أطول من 200 حرف.";
    name_unstorable: "The name has a character that no text may hold.", "في الاسم حرف لا يمكن أن يحمله نص.";
}

impl ImportWords {
    /// Returns the words for a list's state.
    pub const fn of_state(&self, state: &ImportState) -> &'static str {
        match state {
            ImportState::Arriving => self.arriving,
            ImportState::Running => self.running,
            ImportState::Finished => self.finished,
            ImportState::Stopped => self.stopped,
        }
    }

    /// Returns the words for the part of a row that was refused.
    pub const fn of_column(&self, why: &RowError) -> &'static str {
        match why.column() {
            Some(ImportColumn::Phone) => self.number_column,
            Some(ImportColumn::Name) => self.name_column,
            None => self.whole_row,
        }
    }

    /// Returns the words for why a row was refused.
    pub const fn of_refusal(&self, why: &RowError) -> &'static str {
        match why {
            RowError::NotText => self.not_text,
            RowError::TooLong => self.too_long,
            RowError::OpenQuote => self.open_quote,
            RowError::OtherSheet => self.other_sheet,
            RowError::NoNumber => self.no_number,
            RowError::Phone(PhoneError::Spoiled) => self.spoiled,
            RowError::Phone(PhoneError::NotANumber) => self.not_a_number,
            RowError::Phone(PhoneError::Impossible) => self.impossible,
            RowError::Phone(PhoneError::Doubtful) => self.doubtful,
            RowError::Name(_) => self.name_length,
            RowError::NameHasNul => self.name_unstorable,
        }
    }
}
