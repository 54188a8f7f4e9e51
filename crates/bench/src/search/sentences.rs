//! Arabic sentences of customers and shops, with common and rare words.

use domain::messages::words_of;

/// Sentences beside the one with the rare word.
const COUNT: usize = 4_096;
/// First word of every second sentence.
const GREETING: &str = "مرحبا";
/// Last word of one sentence in a hundred.
pub(super) const OCCASIONAL: &str = "ضمان";
/// Word of sentence 0 alone.
pub(super) const RARE: &str = "زمهرير";
/// Words of no sentence.
pub(super) const ABSENT: [&str; 2] = ["قسطنطينية", "اسطرلاب"];

/// Words of the sentences, most common first.
const WORDS: &str = "\
    الطلب السعر متوفر جاهز اليوم غدا شكرا ممكن التوصيل اللون المقاس الحجم الازرق الاسود الابيض رقم العنوان بغداد \
    البصرة اربيل الموصل الكرادة المنصور الفرع المحل الساعة صباحا مساء الجمعة السبت الاحد الدفع نقدا البطاقة الخصم \
    العرض القطعة القميص البنطلون الحذاء الحقيبة الهاتف الشاحن السماعة الثلاجة الغسالة المكيف التلفزيون الشاشة \
    الكرسي الطاولة السجادة الستارة العطر الكريم الدواء الموعد الطبيب العيادة التحليل النتيجة الاسنان العيون الحجز \
    الغاء تاجيل تاكيد استلام ارجاع استبدال الفاتورة المبلغ الكمية النوع الماركة الموديل الاصلي التقليد الصورة الفيديو \
    المواصفات التفاصيل العائلة الاطفال الرجال النساء الهدية التغليف المندوب الطريق الشارع البناية الطابق الشقة القريب \
    السلام عليكم اهلا وسهلا تحياتي عزيزي حضرتك لطفا ارجو احتاج اريد ابحث وصلت تاخرت انتظر اتصلت جربت اعجبني";

/// A sentence and its searchable form.
pub(super) struct Sentence {
    pub(super) written: String,
    pub(super) folded: String,
}

/// Returns all sentences by number, the same in every run.
pub(super) fn all() -> Vec<Sentence> {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut random = fastrand::Rng::with_seed(7);
    let mut sentence = |number: usize| {
        let mut said: Vec<&str> = if number % 2 == 1 { vec![GREETING] } else { Vec::new() };
        for _ in 0..random.usize(5..14) {
            // The lower of two random places: the first words are used most.
            let place = random.usize(..words.len()).min(random.usize(..words.len()));
            said.extend(words.get(place));
        }
        said.extend((number % 100 == 1).then_some(OCCASIONAL));
        said.extend((number == 0).then_some(RARE));
        let written = said.join(" ");
        Sentence { folded: words_of(&written), written }
    };
    (0..=COUNT).map(&mut sentence).collect()
}

#[cfg(test)]
mod tests {
    use domain::messages::WordSearch;

    use super::{ABSENT, COUNT, GREETING, OCCASIONAL, RARE, all};

    #[test]
    fn words_are_as_common_as_they_are_said_to_be() {
        let sentences = all();
        let found = |word: &str| {
            let search = WordSearch::read(word).unwrap();
            sentences.iter().filter(|sentence| search.finds(&sentence.written)).count()
        };
        assert_eq!((found(RARE), found(GREETING), found(OCCASIONAL)), (1, COUNT / 2, COUNT / 100 + 1));
        assert!(ABSENT.iter().all(|word| found(word) == 0));
        assert!(found("الطلب") > COUNT / 20, "{}", found("الطلب"));
    }
}
