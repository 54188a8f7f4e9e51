//! Devices: what a browser holds of the members who have signed in with it. Tries with a device are counted
//! by themselves, so that strangers' tries lock no member out of a known browser.

use std::{fmt, time::Duration};

use data_encoding::BASE64URL_NOPAD;
use time::OffsetDateTime;

use super::ports::Credentials;
use crate::{ids::MemberId, vault::Vault};

/// Time for which a browser stays known after a sign-in.
pub const DEVICE_LIFETIME: Duration = Duration::from_hours(365 * 24);

/// Most members that one browser is known for.
const MOST_MEMBERS: usize = 4;

/// Proof that a member has signed in with a browser. It opens nothing by itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Device {
    member: MemberId,
    made_at_seconds: i64,
    nonce: [u8; 32],
    /// Binds the device to the member's credentials: another password ends it.
    stamp: [u8; 32],
    /// Binds the whole device to the member's address, so that a forged one is recognised without a look-up.
    seal: [u8; 32],
}

/// Devices that a browser presents, one for each member, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Devices(Vec<Device>);

impl Device {
    /// Makes a device for a member who has just proved themselves.
    pub fn issue(known: &Credentials, now: OffsetDateTime, vault: &dyn Vault) -> Self {
        let (member, nonce) = (known.member.id, vault.random());
        let stamp = stamp(&nonce, known, vault);
        let unsealed = Self { member, made_at_seconds: now.unix_timestamp(), nonce, stamp, seal: [0; 32] };
        Self { seal: unsealed.seal_for(known.member.email.as_str(), vault), ..unsealed }
    }

    /// Returns whether the device was issued here to whoever has the address, and is not over.
    pub(super) fn is_issued_to(&self, email: &str, now: OffsetDateTime, vault: &dyn Vault) -> bool {
        let age_seconds = now.unix_timestamp().saturating_sub(self.made_at_seconds);
        let is_over = u64::try_from(age_seconds).is_ok_and(|age| age >= DEVICE_LIFETIME.as_secs());
        !is_over && is_equal(&self.seal, &self.seal_for(email, vault))
    }

    /// Returns whether the device is the member's, and neither their password nor their device generation has
    /// changed.
    pub(super) fn is_current(&self, known: &Credentials, vault: &dyn Vault) -> bool {
        self.member == known.member.id && is_equal(&self.stamp, &stamp(&self.nonce, known, vault))
    }

    /// Returns the nonce, by which tries with the device are counted.
    pub(super) const fn nonce(&self) -> &[u8; 32] {
        &self.nonce
    }

    fn seal_for(&self, email: &str, vault: &dyn Vault) -> [u8; 32] {
        vault.keyed_hash("device", &[&self.head()[..], email.as_bytes()].concat())
    }

    fn head(&self) -> Vec<u8> {
        let made_at = self.made_at_seconds.to_be_bytes();
        [&self.member.uuid().as_bytes()[..], &made_at, &self.nonce, &self.stamp].concat()
    }

    fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let (member, rest) = bytes.split_first_chunk()?;
        let (made_at, rest) = rest.split_first_chunk()?;
        let (nonce, rest) = rest.split_first_chunk()?;
        let (stamp, rest) = rest.split_first_chunk()?;
        Some(Self {
            member: uuid::Uuid::from_bytes(*member).into(),
            made_at_seconds: i64::from_be_bytes(*made_at),
            nonce: *nonce,
            stamp: *stamp,
            seal: rest.try_into().ok()?,
        })
    }
}

impl Devices {
    /// Parses a cookie. What is no device in it is left out.
    pub fn parse(text: &str) -> Self {
        Self(text.split('.').filter_map(Device::parse).take(MOST_MEMBERS).collect())
    }

    /// Returns the text of a cookie that also holds `device`, in place of an earlier one of its member.
    pub fn text_with(&self, device: &Device) -> String {
        let others = self.0.iter().filter(|other| other.member != device.member);
        let devices = [device].into_iter().chain(others).take(MOST_MEMBERS);
        let texts: Vec<String> = devices
            .map(|device| BASE64URL_NOPAD.encode(&[&device.head()[..], &device.seal].concat()))
            .collect();
        texts.join(".")
    }

    /// Returns the devices that were issued to whoever has the address.
    pub(super) fn issued_to(&self, email: &str, now: OffsetDateTime, vault: &dyn Vault) -> Vec<&Device> {
        self.0.iter().filter(|device| device.is_issued_to(email, now, vault)).collect()
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Device(…)")
    }
}

fn stamp(nonce: &[u8; 32], known: &Credentials, vault: &dyn Vault) -> [u8; 32] {
    let generation = known.device_generation.to_be_bytes();
    let data = [&nonce[..], &generation, known.password.0.as_bytes()].concat();
    vault.keyed_hash("device-stamp", &data)
}

/// Compares in constant time.
fn is_equal(one: &[u8; 32], other: &[u8; 32]) -> bool {
    one.iter().zip(other).fold(0_u8, |difference, (one, other)| difference | (one ^ other)) == 0
}

#[cfg(test)]
mod tests {
    use super::{DEVICE_LIFETIME, Device, Devices};
    use crate::{
        access::sessions::{PasswordHash, ports::Credentials},
        testing::{a_member, a_moment, a_vault},
    };

    fn known(number: u8) -> Credentials {
        let password = PasswordHash("hash".to_owned());
        Credentials { member: a_member(number), password, factor: None, device_generation: 0 }
    }

    fn presented(device: &Device) -> Device {
        let Devices(mut devices) = Devices::parse(&Devices::default().text_with(device));
        devices.pop().unwrap()
    }

    #[test]
    fn a_device_is_known_to_its_member_until_the_password_or_the_generation_is_another_or_a_year_is_over() {
        let (vault, now, member) = (a_vault(), a_moment(), known(1));
        let device = presented(&Device::issue(&member, now, &vault));
        let email = member.member.email.as_str();
        assert!(device.is_issued_to(email, now, &vault) && device.is_current(&member, &vault));
        assert!(!device.is_issued_to("other@shop.example", now, &vault));
        assert!(!device.is_issued_to(email, now + DEVICE_LIFETIME, &vault));
        assert!(!device.is_current(&known(2), &vault));
        let password = PasswordHash("another".to_owned());
        assert!(!device.is_current(&Credentials { password, ..member.clone() }, &vault));
        assert!(!device.is_current(&Credentials { device_generation: 1, ..member }, &vault));
        assert_eq!(format!("{device:?}"), "Device(…)");
    }

    #[test]
    fn nothing_of_a_device_can_be_changed() {
        let (vault, now, member) = (a_vault(), a_moment(), known(1));
        let device = Device::issue(&member, now, &vault);
        for changed in [
            Device { member: known(2).member.id, ..device.clone() },
            Device { made_at_seconds: device.made_at_seconds + 1, ..device.clone() },
            Device { nonce: [7; 32], ..device.clone() },
            Device { stamp: [7; 32], ..device.clone() },
            Device { seal: [7; 32], ..device.clone() },
        ] {
            assert!(!changed.is_issued_to(member.member.email.as_str(), now, &vault));
        }
    }

    #[test]
    fn a_browser_is_known_for_four_members_the_newest_first_and_once_for_each() {
        let (vault, now) = (a_vault(), a_moment());
        let of = |number: u8| Device::issue(&known(number), now, &vault);
        let devices = [1, 2, 3, 4, 5, 3]
            .into_iter()
            .fold(Devices::default(), |devices, number| Devices::parse(&devices.text_with(&of(number))));
        assert_eq!(devices.0, [3, 5, 4, 2].map(of));
        for text in ["", ".", "abc", "…", &"A".repeat(159), &"A".repeat(161)] {
            assert_eq!(Devices::parse(text), Devices::default(), "{text}");
        }
        assert_eq!(Devices::parse(&format!("x.{}", devices.text_with(&of(3)))).0.len(), 4);
    }
}
