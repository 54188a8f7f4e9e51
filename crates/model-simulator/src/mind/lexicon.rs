//! Lists of words by intent, each list as one text, folded as by [`fold`](super::fold::fold).

/// Arabic words in Latin letters.
pub(super) const LATIN: &str = "\
    shgad shkad shkd bshgad bish si3r aku ako maku mawjood 3indkum andkum areed arid aryd abi \
    salam marhaba mar7aba shukran wen wain talabi talab alghi maw3id muwazaf ismi alaikum \
    shlonkum kam tawseel tawsil aryed thnain thlatha 3indkm se3r mumkin shnu shlon";
/// Words of customers who need a person, or who raise what only a person deals with.
pub(super) const PERSON: &str = "\
    موظف انسان مدير مندوب شكوي اشتكي human agent manager complaint muwazaf مكسور مكسوره خربان \
    خربانه تالف تالفه متضرر شاغر وظيفه تعيين broken damaged complain refund";
pub(super) const CANCEL: &str = "\
    الغي الغاء الغوا كنسل كنسلوا الغيه cancel alghi الغيلي الغيها cancelorder";
pub(super) const SLOT: &str = "\
    موعد مواعيد حجز احجز احجزلي appointment book booking slot maw3id حجزلي appointments slots \
    reserve";
pub(super) const STATUS: &str = "\
    طلبي طلبيتي طلبيه اوردري تتبع track talabi status طلبياتي اوردر tracking بطلبي لطلبي";
/// Words that ask for a price or for a lower one.
pub(super) const PRICE: &str = "\
    سعر سعره سعرها اسعار شكد شقد بشكد بيش بكم كم price cost much shgad shkad shkd bshgad bish \
    si3r kam ثمن se3r prices عرض عروض خصم خصومات تخفيض تخفيضات تنزيلات غالي غاليه offer \
    discount sale expensive";
/// Words of [`PRICE`] that ask for an offer of the shop's.
pub(super) const OFFERS: &str = "\
    عرض عروض خصم خصومات تخفيض تخفيضات تنزيلات offer discount sale";
/// Words of [`PRICE`] that ask for a lower price.
pub(super) const HAGGLES: &str = "\
    غالي غاليه expensive";
pub(super) const STOCK: &str = "\
    عندكم عندك عدكم اكو ماكو متوفر متوفره موجود موجوده available stock have 3indkum andkum aku \
    ako maku mawjood باقي ضال يوجد توجد يتوفر mawjud 3indkm";
pub(super) const ORDER: &str = "\
    اريد اريده اطلب اشتري اخذ ابي ابغي بدي دزولي دزلي ارسلولي want order buy take areed arid \
    aryd abi اريدها اشتريه اطلبه خذلي aryed";
/// Thanks, and other words of customers who have read something.
pub(super) const THANKS: &str = "\
    شكرا مشكور مشكورين تسلم تسلمون تمام زين thanks thank ok okay shukran ماشي اوكي اوك حلو \
    ممنون ممنونك يسلمو shukren great fine";
pub(super) const GREETING: &str = "\
    سلام هلا هلو مرحبا اهلا صباح مساء هاي hello hi hey salam marhaba mar7aba اهلين سلامات";
/// Words that name nothing that is sold.
pub(super) const EMPTY: &str = "\
    خير من في على علي هل شنو شكو هذا هاي هذه لو سمحت ممكن رجاء بدون مال الي يا ي وين صار بعد لطفا \
    عليكم و او نوع قطعه قطعتين حبه حبتين علبه علبتين كيس كيسين اعرف منه منها اليوم بلا زحمه \
    اخي اختي عيوني دينار توصيل the a an is are do does you i it of for to in on how what \
    please me my can any there this that some and like would know piece pieces el al alaikum \
    انا وانا اني نعم لا اي خوش طلب هسه حاليا غيرها غيره غير خليها خليه خلي خله الى شي خلص بس \
    زين شلونكم شلونك اسال عن سوال هالايام منكم منك كال كلتولي اخر انطيني انطوني اعطيني اذا \
    عجبتني ما لون الوان عليه عليها مالكم مالتكم عندي بيه شوكت يمتى يمتي متى متي شلون ياخذ يطول \
    داخل تجاهل كل تعليمات سابقه وبيع توعدني اوعدني اكيد لعد طيب اوكد ثبت بغداد لبغداد اجور \
    وخلص your with or one now still by at about was has am got system confirmed صاحب رقم تلفون \
    رقمي";
/// Words of customers who want nothing any more.
pub(super) const DECLINES: &str = "\
    هونت بطلت";
/// Words of customers who want to be called.
pub(super) const CALLS: &str = "\
    تتصلون اتصلوا اتصل تتصل دكولي خابروني خابرني تخابروني تكلموني يتصلون call";
/// Words that confirm an open summary.
pub(super) const YES: &str = "\
    نعم اوكد تاكيد ثبت ثبته اكد confirm yes";
/// Topics of owners' texts, each by the words that ask for it.
pub(super) const TOPICS: &[&str] = &[
    "توصيل توصيله شحن يوصل توصلون deliver delivery shipping tawseel tawsil",
    "دوام تفتحون تفتح مفتوح مفتوحين تسدون يبدي اوقات hours open opening dawam",
    "موقع محل محلكم مكان مكانكم location located",
    "ارجاع ارجع ارجعه استبدال استبدل استبدله ترجيع return returns exchange",
    "دفع ادفع نقدا كاش بطاقه ماستر pay payment cash",
];
