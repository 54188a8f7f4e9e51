//! Registering a number at its network, with its PIN.

use std::sync::Arc;

use super::{
    health::NumberState,
    pin::Pin,
    ports::{AccountStore, ChannelHealth, ConnectError, NetworkError, NumberRegistration},
};
use crate::{
    audit::{Acting, Action, AuditStore},
    deps::Deps,
    errors::StoreError,
    ids::AccountId,
};

/// Most registrations and deregistrations of a number that the network allows within [`REGISTRATION_HOURS`].
pub const MOST_REGISTRATIONS: u32 = 10;
/// Period to which [`MOST_REGISTRATIONS`] applies.
pub const REGISTRATION_HOURS: u32 = 72;

/// Reason that the network does not register a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotRegistered {
    WrongPin,
    /// Too many PINs were tried, or too fast.
    TooManyPins,
    Unverified,
    NotRegistrable,
    JustDeregistered,
    /// The number was registered and deregistered [`MOST_REGISTRATIONS`] times.
    Spent,
}

impl NotRegistered {
    /// Returns the reason that the network's code stands for.
    pub const fn of(code: i64) -> Option<Self> {
        match code {
            133_005 => Some(Self::WrongPin),
            133_008 | 133_009 => Some(Self::TooManyPins),
            133_006 => Some(Self::Unverified),
            133_010 => Some(Self::NotRegistrable),
            133_000 | 133_015 => Some(Self::JustDeregistered),
            133_016 => Some(Self::Spent),
            _ => None,
        }
    }

    /// Returns the reason in words, with what to do.
    pub const fn words(self) -> &'static str {
        match self {
            Self::WrongPin => "the number has another PIN; it can be reset in the network's WhatsApp Manager",
            Self::TooManyPins => "too many PINs were tried; wait a while before the next",
            Self::Unverified => "the number has to be verified again in the network's WhatsApp Manager",
            Self::NotRegistrable => "the network does not let this number be registered",
            Self::JustDeregistered => "the number was deregistered a moment ago; wait five minutes",
            Self::Spent => "the network takes ten registrations in 72 hours; wait until they are over",
        }
    }
}

/// Reason that a number was not registered.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    #[error("a PIN is six digits")]
    Pin,
    #[error("the account has no such number")]
    UnknownNumber,
    /// The number is registered already, as last read.
    #[error("the number is registered")]
    Registered,
    #[error("{}", .0.words())]
    NotRegistered(NotRegistered),
    #[error(transparent)]
    Connect(#[from] ConnectError),
}

impl From<StoreError> for RegisterError {
    fn from(error: StoreError) -> Self {
        Self::Connect(error.into())
    }
}

impl From<NetworkError> for RegisterError {
    fn from(error: NetworkError) -> Self {
        if let NetworkError::Refused { code, .. } = &error
            && let Some(why) = NotRegistered::of(*code)
        {
            return Self::NotRegistered(why);
        }
        Self::Connect(error.into())
    }
}

/// Use case that registers numbers.
pub struct RegisterNumber {
    pub accounts: Arc<dyn AccountStore>,
    pub health: Arc<dyn ChannelHealth>,
    pub network: Arc<dyn NumberRegistration>,
    pub log: Arc<dyn AuditStore>,
    pub deps: Deps,
}

impl RegisterNumber {
    /// Registers a number that was read with the account and cannot send; the account is then to be read
    /// again. A number that is registered twice stays registered, and the network counts both.
    pub async fn run(
        &self,
        acting: Acting,
        account: AccountId,
        network_id: &str,
        pin: &str,
    ) -> Result<(), RegisterError> {
        let pin = Pin::read(pin).ok_or(RegisterError::Pin)?;
        let unknown = RegisterError::UnknownNumber;
        let Some(account) = self.accounts.find(acting.workspace, account).await? else { return Err(unknown) };
        let now = self.deps.clock.now();
        let reports = self.health.reports(acting.workspace, now).await?;
        let mut numbers =
            reports.iter().filter(|report| report.account == account.id).flat_map(|of| &of.numbers);
        let Some(number) = numbers.find(|number| number.network_id == network_id) else {
            return Err(unknown);
        };
        if matches!(number.health.state, NumberState::Connected | NumberState::Flagged) {
            return Err(RegisterError::Registered);
        }
        self.network.register(network_id, &pin, &account.token).await?;
        let entry = acting.does(Action::NumberRegistered, now, &*self.deps.ids).to(number.phone.as_str());
        Ok(self.log.add(acting.workspace, &entry).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::{NotRegistered, RegisterError};
    use crate::channels::pin::Pin;
    use crate::channels::ports::NetworkError;

    #[test]
    fn a_pin_is_six_digits_and_prints_nothing() {
        for (text, wanted) in [
            ("123456", true),
            (" 000000 ", true),
            ("12345", false),
            ("1234567", false),
            ("12345a", false),
            ("١٢٣٤٥٦", false),
            ("", false),
        ] {
            assert_eq!(Pin::read(text).is_some(), wanted, "{text}");
        }
        assert_eq!(format!("{:?}", Pin::read("123456")), "Some(Pin)");
    }

    #[test]
    fn a_refusal_of_the_network_says_what_to_do_and_others_keep_its_words() {
        for (code, wanted) in [
            (133_005, Some(NotRegistered::WrongPin)),
            (133_006, Some(NotRegistered::Unverified)),
            (133_010, Some(NotRegistered::NotRegistrable)),
            (133_015, Some(NotRegistered::JustDeregistered)),
            (133_016, Some(NotRegistered::Spent)),
            (190, None),
        ] {
            let error = NetworkError::Refused { code, message: "in its words".to_owned() };
            match (RegisterError::from(error), wanted) {
                (RegisterError::NotRegistered(why), Some(wanted)) => assert_eq!(why, wanted),
                (RegisterError::Connect(error), None) => assert!(error.to_string().contains("in its words")),
                (error, _) => panic!("{code}: {error}"),
            }
        }
    }
}
