//! Phrases that code speaks in, with the placeholders of each.

macro_rules! phrases {
    ($($name:ident = $key:literal, $least:literal, [$($place:literal),*] $(, [$($may:literal),*])?;)*) => {
        /// Something that code says; each voice has wordings for it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Phrase {
            $($name,)*
        }

        impl Phrase {
            pub const ALL: [Self; [$($key),*].len()] = [$(Self::$name),*];

            /// Returns its key in a file of wordings.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$name => $key,)*
                }
            }

            /// Returns the fewest wordings that each voice of the service has for it.
            pub const fn least(self) -> usize {
                match self {
                    $(Self::$name => $least,)*
                }
            }

            /// Lists the placeholders that every wording has.
            pub const fn places(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$($place),*],)*
                }
            }

            /// Lists the placeholders that a wording may leave out: "one" and "two" are words.
            pub const fn optional_places(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$($($may),*)?],)*
                }
            }
        }
    };
}

phrases! {
    Greet = "greet", 3, [];
    GreetSalam = "greet.salam", 3, [];
    GreetSalamWhole = "greet.salam.whole", 2, [];
    GreetSalamHow = "greet.salam.how", 2, [];
    GreetMorning = "greet.morning", 2, [];
    GreetMorningHow = "greet.morning.how", 2, [];
    GreetEvening = "greet.evening", 2, [];
    GreetNight = "greet.night", 2, [];
    GreetDay = "greet.day", 2, [];
    GreetFeast = "greet.feast", 2, [];
    GreetHealth = "greet.health", 2, [];
    GreetHow = "greet.how", 2, [];
    GreetHello = "greet.hello", 2, [];
    Thank = "thank", 3, [];
    Apologise = "apologise", 3, [];
    Wait = "wait", 3, [];
    YouAreWelcome = "you_are_welcome", 3, [];
    WelcomeParents = "you_are_welcome.parents", 2, [];
    WelcomeHands = "you_are_welcome.hands", 2, [];
    WelcomeBlessing = "you_are_welcome.blessing", 2, [];
    Bye = "bye", 3, [];
    ByeNight = "bye.night", 2, [];
    WhoIAmPlain = "who_i_am.plain", 2, [];
    WhoIAmName = "who_i_am.name", 2, ["name"];
    WhoIAmBusiness = "who_i_am.business", 2, ["business"];
    WhoIAmBoth = "who_i_am.both", 2, ["name", "business"];
    NotAPerson = "not_a_person", 3, [];
    NotAPersonName = "not_a_person.name", 2, ["name"];
    NotAPersonBusiness = "not_a_person.business", 2, ["business"];
    NotAPersonBoth = "not_a_person.both", 2, ["name", "business"];
    Introduce = "introduce", 3, [];
    IntroduceName = "introduce.name", 3, ["name"];
    CannotDiscount = "cannot.discount", 3, [];
    CannotVoice = "cannot.voice", 3, [];
    CannotPicture = "cannot.picture", 3, [];
    CannotPictureThen = "cannot.picture.then", 1, [];
    CannotPayment = "cannot.payment", 3, [];
    CannotOrderChange = "cannot.order_change", 3, [];
    CannotMedical = "cannot.medical", 3, [];
    CannotOffTopic = "cannot.off_topic", 3, [];
    CannotOffTopicThen = "cannot.off_topic.then", 1, [];
    CannotCall = "cannot.call", 3, [];
    CannotUnknown = "cannot.unknown", 3, [];
    QuotePrice = "quote.price", 3, ["title", "price"];
    QuoteRange = "quote.range", 3, ["title", "low", "high"];
    QuoteIn = "quote.in", 3, ["title"];
    QuoteFew = "quote.few", 3, ["title"];
    QuoteOut = "quote.out", 3, ["title"];
    QuoteInPrice = "quote.in_price", 3, ["title", "price"];
    QuoteFewPrice = "quote.few_price", 3, ["title", "price"];
    QuoteOutPrice = "quote.out_price", 3, ["title", "price"];
    QuotePriceThen = "quote.price.then", 2, ["price"];
    QuoteRangeThen = "quote.range.then", 2, ["low", "high"];
    StateIn = "state.in", 2, [];
    StateFew = "state.few", 2, [];
    StateOut = "state.out", 2, [];
    QuoteBefore = "quote.before", 3, ["before"];
    QuoteTitle = "quote.title", 1, ["title"];
    QuotePhoto = "quote.photo", 2, ["title"];
    QuoteApart = "quote.apart", 1, ["title"];
    QuoteApartThen = "quote.apart.then", 1, [];
    QuoteSizes = "quote.sizes", 3, ["sizes"];
    QuoteVolumes = "quote.volumes", 2, ["values"];
    QuoteColours = "quote.colours", 2, ["values"];
    QuoteCapacities = "quote.capacities", 2, ["values"];
    QuoteOption = "quote.option", 1, ["name", "values"];
    QuoteTogether = "quote.together", 1, [];
    QuoteOther = "quote.other", 1, ["name", "values"];
    QuoteLink = "quote.link", 3, ["link"];
    ItemIn = "item.in", 1, ["title", "price"];
    ItemFew = "item.few", 1, ["title", "price"];
    ItemOut = "item.out", 1, ["title", "price"];
    AmountFrom = "amount.from", 1, ["price"];
    AmountRange = "amount.range", 1, ["low", "high"];
    ListIntro = "list.intro", 3, [];
    CompareIntro = "compare.intro", 3, [];
    CompareCheaper = "compare.cheaper", 3, ["difference", "title"];
    CompareCheapest = "compare.cheapest", 2, ["title"];
    CompareEqual = "compare.equal", 2, [];
    CompareOnly = "compare.only", 2, ["title"];
    CompareInStock = "compare.in_stock", 2, ["title"];
    ClosestIntro = "closest.intro", 3, [];
    ClosestThen = "closest.then", 2, [];
    ClosestVariants = "closest.variants", 2, [];
    ClosestCheaper = "closest.cheaper", 2, [];
    ClosestOther = "closest.other", 2, [];
    NotFound = "not_found", 3, ["query"];
    NotFoundBare = "not_found.bare", 3, [];
    TotalLine = "total.line", 1, ["pieces", "title", "sum"];
    TotalSum = "total.sum", 3, ["total"];
    HowToOrder = "how_to_order", 3, [];
    HowToOrderKnown = "how_to_order.known", 2, [];
    HowToOrderCounted = "how_to_order.counted", 2, [];
    UnderWay = "under_way", 3, [];
    Multiple = "multiple", 3, ["pieces", "title", "total"];
    MultipleThen = "multiple.then", 2, ["count", "total"];
    DeclineBare = "decline.bare", 3, ["offer"];
    DeclinePrice = "decline.price", 3, ["title", "offer", "price"];
    DeclineThen = "decline.price.then", 2, ["offer", "price"];
    Discount = "discount", 3, ["saved", "title", "before", "price"];
    DiscountThen = "discount.then", 2, ["saved", "before"];
    DiscountVariant = "discount.variant", 1, ["saved", "variant", "before"];
    DiscountNone = "discount.none", 3, ["title", "price"];
    DiscountNoneThen = "discount.none.then", 2, [];
    OrderPending = "order.pending", 3, ["number"];
    OrderConfirmed = "order.confirmed", 3, ["number"];
    OrderProcessing = "order.processing", 3, ["number"];
    OrderShipped = "order.shipped", 3, ["number"];
    OrderDelivered = "order.delivered", 3, ["number"];
    OrderPartDelivered = "order.part_delivered", 2, ["number"];
    OrderCancelled = "order.cancelled", 3, ["number"];
    OrderRefunded = "order.refunded", 3, ["number"];
    OrderAwaitingPayment = "order.awaiting_payment", 2, ["number"];
    OrderPaid = "order.paid", 2, ["number"];
    OrderPartPaid = "order.part_paid", 2, ["number"];
    OrderOnHold = "order.on_hold", 2, ["number"];
    OrderPostponed = "order.postponed", 2, ["number"];
    OrderDelayed = "order.delayed", 2, ["number"];
    OrderInProgress = "order.in_progress", 2, ["number"];
    OrderAwaitingStock = "order.awaiting_stock", 2, ["number"];
    OrderReady = "order.ready", 2, ["number"];
    OrderReadyToShip = "order.ready_to_ship", 2, ["number"];
    OrderPickup = "order.pickup", 2, ["number"];
    OrderUnshipped = "order.unshipped", 2, ["number"];
    OrderWarehouse = "order.warehouse", 2, ["number"];
    OrderPartShipped = "order.part_shipped", 2, ["number"];
    OrderTransit = "order.transit", 2, ["number"];
    OrderCourier = "order.courier", 2, ["number"];
    OrderOutForDelivery = "order.out_for_delivery", 2, ["number"];
    OrderDeliveryFailed = "order.delivery_failed", 2, ["number"];
    OrderNoAnswer = "order.no_answer", 2, ["number"];
    OrderPhoneOff = "order.phone_off", 2, ["number"];
    OrderWrongAddress = "order.wrong_address", 2, ["number"];
    OrderFulfilled = "order.fulfilled", 2, ["number"];
    OrderReturned = "order.returned", 2, ["number"];
    OrderPartReturned = "order.part_returned", 2, ["number"];
    OrderPartRefunded = "order.part_refunded", 2, ["number"];
    OrderRejected = "order.rejected", 2, ["number"];
    OrderRefused = "order.refused", 2, ["number"];
    OrderFailed = "order.failed", 2, ["number"];
    OrderOther = "order.other", 2, ["number", "status"];
    OrderUnknown = "order.unknown", 3, ["number"];
    OrderTotal = "order.total", 2, ["total"];
    OrderTrack = "order.track", 2, ["link"];
    RecordIntro = "record.intro", 2, [];
    RecordItem = "record.item", 1, ["label", "value"];
    Yes = "yes", 1, [];
    No = "no", 1, [];
    SlotsIntro = "slots.intro", 3, [];
    SlotsOf = "slots.of", 3, ["service"];
    SlotsItem = "slots.item", 1, ["when"];
    SlotsDay = "slots.day", 1, ["day", "times"];
    SlotsOne = "slots.one", 3, ["service", "when"];
    NoSlotsBare = "no_slots.bare", 3, [];
    NoSlotsDay = "no_slots.day", 3, ["day"];
    NoSlotsHours = "no_slots.hours", 3, ["day", "from", "to"];
    NoSlotsAfter = "no_slots.after", 2, ["day", "from"];
    NoSlotsBefore = "no_slots.before", 2, ["day", "to"];
    NoSlotsFrom = "no_slots.from", 2, ["from"];
    NoSlotsUntil = "no_slots.until", 2, ["to"];
    NoSlotsBetween = "no_slots.between", 3, ["from", "to"];
    AskProduct = "ask.product", 3, [];
    AskBegin = "ask.begin", 2, [];
    AskListed = "ask.listed", 2, [];
    AskLeft = "ask.left", 2, ["title"];
    AskOne = "ask.one", 2, ["title"];
    AskSize = "ask.size", 3, [];
    AskColour = "ask.colour", 3, [];
    AskModel = "ask.model", 3, [];
    AskQuantity = "ask.quantity", 3, [];
    AskName = "ask.name", 3, [];
    AskPhone = "ask.phone", 3, [];
    AskAddress = "ask.address", 3, [];
    AskCity = "ask.city", 3, [];
    AskDay = "ask.day", 3, [];
    AskOtherDay = "ask.day.other", 2, [];
    AskTime = "ask.time", 3, [];
    AskSlot = "ask.slot", 2, [];
    AskSlotOne = "ask.slot.one", 2, [];
    AskService = "ask.service", 3, [];
    AskOrderNumber = "ask.order_number", 3, [];
    AskAnythingElse = "ask.anything_else", 3, [];
    Clarify = "clarify", 3, ["a", "b"];
    ClarifyListed = "clarify.listed", 2, [];
    ConfirmUnderstanding = "confirm_understanding", 3, ["pieces", "title"];
    ConfirmOne = "confirm_understanding.one", 2, ["title"];
    ConfirmThen = "confirm_understanding.then", 2, [];
    Lead = "lead", 3, ["words"];
    HandOverAsked = "hand_over.asked", 3, [];
    HandOverComplaint = "hand_over.complaint", 3, [];
    HandOverOrder = "hand_over.order", 3, [];
    HandOverOther = "hand_over.other", 3, [];
    PieceOne = "piece.one", 1, [], ["n"];
    PieceTwo = "piece.two", 1, [], ["n"];
    PieceFew = "piece.few", 1, ["n"];
    PieceMany = "piece.many", 1, ["n"];
    PieceHundred = "piece.hundred", 1, ["n"];
    PieceShort = "piece.short", 1, ["n"];
    DinarOne = "dinar.one", 1, [], ["n"];
    DinarTwo = "dinar.two", 1, [], ["n"];
    DinarFew = "dinar.few", 1, ["n"];
    DinarMany = "dinar.many", 1, ["n"];
    DinarHundred = "dinar.hundred", 1, ["n"];
    DinarShort = "dinar.short", 1, ["n"];
    DollarOne = "dollar.one", 1, [], ["n"];
    DollarTwo = "dollar.two", 1, [], ["n"];
    DollarFew = "dollar.few", 1, ["n"];
    DollarMany = "dollar.many", 1, ["n"];
    DollarHundred = "dollar.hundred", 1, ["n"];
    DollarShort = "dollar.short", 1, ["n"];
    DaySaturday = "day.saturday", 1, [];
    DaySunday = "day.sunday", 1, [];
    DayMonday = "day.monday", 1, [];
    DayTuesday = "day.tuesday", 1, [];
    DayWednesday = "day.wednesday", 1, [];
    DayThursday = "day.thursday", 1, [];
    DayFriday = "day.friday", 1, [];
    DayToday = "day.today", 1, ["day"];
    DayTomorrow = "day.tomorrow", 1, ["day"];
    DayOn = "day.on", 1, ["day"];
    TimeSmallHours = "time.small_hours", 1, ["time"];
    TimeMorning = "time.morning", 1, ["time"];
    TimeNoon = "time.noon", 1, ["time"];
    TimeAfternoon = "time.afternoon", 1, ["time"];
    TimeEvening = "time.evening", 1, ["time"];
    TimeNight = "time.night", 1, ["time"];
    When = "when", 1, ["day", "date", "time"];
    WhenNight = "when.night", 1, ["when", "eve"];
    Date = "date", 1, ["day", "date"];
}

impl Phrase {
    /// Parses what [`Self::key`] returns.
    pub fn read(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phrase| phrase.key() == key)
    }

    /// Returns whether owners may word it: that no person answers is said whatever they would rather have.
    pub fn is_owners(self) -> bool {
        !matches!(
            self,
            Self::NotAPerson
                | Self::NotAPersonName
                | Self::NotAPersonBusiness
                | Self::NotAPersonBoth
                | Self::Introduce
                | Self::IntroduceName
        )
    }

    /// Returns whether it greets.
    pub(super) const fn greets(self) -> bool {
        matches!(
            self,
            Self::Greet
                | Self::GreetSalam
                | Self::GreetSalamWhole
                | Self::GreetSalamHow
                | Self::GreetMorning
                | Self::GreetMorningHow
                | Self::GreetEvening
                | Self::GreetNight
                | Self::GreetDay
                | Self::GreetFeast
                | Self::GreetHealth
                | Self::GreetHow
                | Self::GreetHello
        )
    }

    /// Returns whether it is mere courtesy: nothing is lost without it.
    pub(super) const fn is_courtesy(self) -> bool {
        self.greets()
            || matches!(
                self,
                Self::Thank
                    | Self::Apologise
                    | Self::Wait
                    | Self::YouAreWelcome
                    | Self::WelcomeParents
                    | Self::WelcomeHands
                    | Self::WelcomeBlessing
                    | Self::Bye
                    | Self::ByeNight
            )
    }
}
