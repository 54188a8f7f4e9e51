//! Words for what the network would refuse of a template that is being written.

use domain::templates::DraftFault;

use super::pair::words;

words! {
    /// Words for why the network would refuse a field of a template.
    DraftWords:
    name: "1 to 512 small letters of a to z, digits and underscores.", "من 1 إلى 512 من الأحرف اللاتينية الصغيرة والأرقام والشرطات السفلية.";
    language: "A language code, such as ar or en_US.", "مختصر لغة، مثل ar أو en_US.";
    length: "It must not be empty. Most characters:", "لا يجوز أن يكون فارغاً. أقصى عدد للأحرف:";
    no_variables: "No variable may stand here.", "لا يجوز وضع متغير هنا.";
    one_variable: "One variable at most.", "متغير واحد على الأكثر.";
    places: "Variables are {{1}}, {{2}} and so on, none left out, or names of small letters and underscores.", "المتغيرات هي {{1}} و{{2}} وهكذا دون تخطي رقم، أو أسماء من أحرف لاتينية صغيرة وشرطات سفلية.";
    standing: "No variable may stand at the beginning, at the end, or beside another.", "لا يجوز وضع متغير في البداية أو النهاية أو بجانب متغير آخر.";
    samples: "Each variable needs one example.", "كل متغير يحتاج إلى مثال واحد.";
    sample: "An example has 1 to 200 characters and no line break.", "المثال من 1 إلى 200 حرف دون سطر جديد.";
    too_many: "At most 10 buttons, of which 2 links and 1 number.", "10 أزرار على الأكثر، منها رابطان ورقم واحد.";
    mixed: "Buttons that answer with their words stand together.", "الأزرار التي تجيب بكلماتها توضع متجاورة.";
    link: "A link begins with https:// and may end in {{1}}.", "يبدأ الرابط بـ https:// وقد ينتهي بـ {{1}}.";
    phone: "A number with its country code, such as +9647700000000.", "رقم مع مفتاح الدولة، مثل +9647700000000.";
    authentication: "A one-time code has no words of one’s own, no header, no buttons and no variables.", "الرمز لمرة واحدة بلا كلمات خاصة ولا ترويسة ولا أزرار ولا متغيرات.";
    minutes: "1 to 90 minutes.", "من 1 إلى 90 دقيقة.";
}

impl DraftWords {
    pub(super) fn fault(&self, fault: DraftFault) -> String {
        let words = match fault {
            DraftFault::Name => self.name,
            DraftFault::Language => self.language,
            DraftFault::Length(most) => return format!("{} {most}", self.length),
            DraftFault::NoVariables => self.no_variables,
            DraftFault::OneVariable => self.one_variable,
            DraftFault::Places => self.places,
            DraftFault::Standing => self.standing,
            DraftFault::Samples => self.samples,
            DraftFault::Sample => self.sample,
            DraftFault::TooMany => self.too_many,
            DraftFault::Mixed => self.mixed,
            DraftFault::Link => self.link,
            DraftFault::Phone => self.phone,
            DraftFault::Authentication => self.authentication,
            DraftFault::Minutes => self.minutes,
        };
        words.to_owned()
    }
}
