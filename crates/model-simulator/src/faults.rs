//! Faults of the stand-in, each on a switch of its own.

use serde_json::{Value, json};

macro_rules! faults {
    ($($variant:ident $name:literal $about:literal;)*) => {
        /// A fault of the stand-in, while it is switched on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Fault {
            $(#[doc = $about] $variant,)*
        }

        /// All faults.
        pub const ALL: &[Fault] = &[$(Fault::$variant,)*];

        impl Fault {
            /// Returns its name on the control routes.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Describes it in a few words.
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)* }
            }
        }
    };
}

faults! {
    RateLimited "rate_limited" "Answers 429 with Retry-After.";
    ServerError "server_error" "Answers 500.";
    KeyRefused "key_refused" "Answers 401.";
    Hanging "hanging" "Never answers.";
    Slow "slow" "Answers 400 milliseconds later.";
    CutAnswer "cut_answer" "Breaks the connection within the answer.";
    EmptyArguments "empty_arguments" "Calls tools with empty arguments.";
    BrokenArguments "broken_arguments" "Calls tools with half of the arguments' JSON.";
    UnknownTool "unknown_tool" "Calls a tool that was not offered.";
    EndlessTools "endless_tools" "Calls a tool each time that it is asked, and never says anything.";
    InventedPrice "invented_price" "Says a price that no tool told, in words beside the acts.";
    FalsePromise "false_promise" "Says that an order is placed, in words beside the acts.";
    ObeysDescriptions "obeys_descriptions" "Does and says what the description of a product says.";
    Hostile "hostile" "Asks tools at random for what nobody wanted, and says what is not so.";
    WrongLanguage "wrong_language" "Puts words in the other language beside the acts.";
    OtherTongue "other_tongue" "Puts words in a third language beside the acts.";
    SwappedPrices "swapped_prices" "Exchanges two prices in its words, or says that of another product.";
    UnknownIds "unknown_ids" "Refers in its acts to what no tool told.";
    UnknownSentence "unknown_sentence" "Cites a sentence that the owner has not written.";
    ProseOnly "prose_only" "Answers in words and never by acts.";
    ActsAsText "acts_as_text" "Writes the arguments of `answer` as its text.";
    CutActs "cut_acts" "Breaks its acts off in the middle of the JSON.";
    Babble "babble" "Says 10 KB in words beside the acts.";
    HalfAnswers "half_answers" "Leaves out half of the acts and half of the words.";
    NoDate "no_date" "Names times to tools without their day.";
    NoPictures "no_pictures" "Answers a request with pictures with 400.";
    WrongTool "wrong_tool" "Calls another tool first than the one that it means.";
}

impl Fault {
    /// Finds a fault by name.
    pub fn read(name: &str) -> Option<Self> {
        ALL.iter().copied().find(|fault| fault.name() == name)
    }
}

/// A fault that is switched on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Active {
    fault: Fault,
    /// Number of requests that it still affects; `None` for all.
    left: Option<u32>,
}

impl Active {
    pub(crate) const fn of(fault: Fault) -> Self {
        Self { fault, left: None }
    }
}

#[derive(Debug, Default)]
pub(crate) struct FaultSet {
    active: Vec<Active>,
}

impl FaultSet {
    pub(crate) fn replace(&mut self, active: Vec<Active>) {
        self.active = active;
    }

    pub(crate) fn to_json(&self) -> Vec<Value> {
        let shown = |active: &Active| json!({ "name": active.fault.name(), "times": active.left });
        self.active.iter().map(shown).collect()
    }

    /// Returns whether `fault` affects this request, and counts it down if so.
    pub(crate) fn strikes(&mut self, fault: Fault) -> bool {
        let struck = self.active.iter_mut().find(|active| active.fault == fault && active.left != Some(0));
        let Some(active) = struck else { return false };
        active.left = active.left.map(|left| left - 1);
        true
    }
}

/// Parses `{ "faults": [ "name" | { "name", "times"? } ] }`.
pub(crate) fn parse(body: &Value) -> Result<Vec<Active>, String> {
    let faults = body.get("faults").and_then(Value::as_array).ok_or("`faults` is an array")?;
    faults.iter().map(one).collect()
}

fn one(given: &Value) -> Result<Active, String> {
    let name = given.as_str().or_else(|| given.get("name")?.as_str()).ok_or("a fault has a `name`")?;
    let fault = Fault::read(name).ok_or_else(|| format!("there is no fault `{name}`"))?;
    let left = match given.get("times") {
        None | Some(Value::Null) => None,
        Some(times) => {
            let read = times.as_u64().and_then(|times| u32::try_from(times).ok()).filter(|times| *times > 0);
            Some(read.ok_or("`times` is at least 1")?)
        }
    };
    Ok(Active { fault, left })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_strikes_as_often_as_it_says() {
        let mut set = FaultSet::default();
        set.replace(
            parse(&json!({ "faults": [{ "name": "hanging", "times": 1 }, "server_error"] })).unwrap(),
        );
        assert!(set.strikes(Fault::Hanging) && !set.strikes(Fault::Hanging));
        assert!(set.strikes(Fault::ServerError) && set.strikes(Fault::ServerError));
        assert!(!set.strikes(Fault::CutAnswer));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_a_reason() {
        for (given, reason) in [
            (json!({}), "`faults` is an array"),
            (json!({ "faults": ["earthquake"] }), "there is no fault `earthquake`"),
            (json!({ "faults": [{ "name": "hanging", "times": 0 }] }), "`times` is at least 1"),
            (json!({ "faults": [7] }), "a fault has a `name`"),
        ] {
            assert_eq!(parse(&given).unwrap_err(), reason);
        }
    }

    #[test]
    fn the_page_lists_every_fault_under_its_name() {
        let page = include_str!("../../../docs/tools/model-simulator.md");
        for fault in ALL {
            assert!(page.contains(&format!("| `{}` | {} |", fault.name(), fault.about())), "{fault:?}");
            assert_eq!(Fault::read(fault.name()), Some(*fault));
        }
    }
}
