//! Room for bodies of which nobody knows yet who sent them: the networks' posts, until their signature is checked.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{access::network_of, problem::Problem};

/// What may be held at once.
#[derive(Debug, Clone, Copy)]
struct Most {
    bodies: usize,
    /// Beyond the first [`FREE`] of each body.
    bytes: usize,
}

/// Of one client (an IPv6 /64): two of the largest posts, or many small ones.
const OF_ONE: Most = Most { bodies: 256, bytes: 16 * 1024 * 1024 };
/// Of all clients together: so many that few clients do not fill it, and that the free parts come to 128 MiB at most.
const OF_ALL: Most = Most { bodies: 8_192, bytes: 64 * 1024 * 1024 };
/// Bytes of each body that are not counted, so that small posts come through while large ones fill the room.
const FREE: usize = 16 * 1024;

/// The room of a process.
#[derive(Debug, Default)]
pub(crate) struct Measured(Mutex<RoomInUse>);

#[derive(Debug, Default)]
struct RoomInUse {
    all: Share,
    by_client: HashMap<Option<IpAddr>, Share>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Share {
    bodies: usize,
    bytes: usize,
}

impl Share {
    /// With one body more, or with one that has grown, where that still fits.
    fn with(self, bodies: usize, bytes: usize, most: Most) -> Option<Self> {
        let more = Self { bodies: self.bodies + bodies, bytes: self.bytes + bytes };
        (more.bodies <= most.bodies && more.bytes <= most.bytes).then_some(more)
    }
}

/// The room of one body, given back when dropped.
#[derive(Debug)]
pub(crate) struct Room {
    of: Arc<Measured>,
    client: Option<IpAddr>,
    bytes: usize,
}

impl Measured {
    /// Room for a body that begins to come; a problem where a client, or all together, have too many under way.
    pub(crate) fn begin(self: &Arc<Self>, client: Option<IpAddr>) -> Result<Room, Problem> {
        let client = client.map(network_of);
        self.grow(client, 1, 0)?;
        Ok(Room { of: Arc::clone(self), client, bytes: 0 })
    }

    fn grow(&self, client: Option<IpAddr>, bodies: usize, bytes: usize) -> Result<(), Problem> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let share = held.by_client.get(&client).copied().unwrap_or_default();
        let of_one = share.with(bodies, bytes, OF_ONE);
        let (Some(of_one), Some(of_all)) = (of_one, held.all.with(bodies, bytes, OF_ALL)) else {
            return Err(Problem::unavailable("too many unfinished posts, or too large ones"));
        };
        held.all = of_all;
        held.by_client.insert(client, of_one);
        Ok(())
    }
}

impl Room {
    /// Room for so many bytes in all.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Problem> {
        let counted = bytes.saturating_sub(FREE);
        self.of.grow(self.client, 0, counted.saturating_sub(self.bytes))?;
        self.bytes = self.bytes.max(counted);
        Ok(())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut held = self.of.0.lock().unwrap_or_else(PoisonError::into_inner);
        let less = |share: &mut Share| {
            share.bodies = share.bodies.saturating_sub(1);
            share.bytes = share.bytes.saturating_sub(self.bytes);
            share.bodies == 0
        };
        less(&mut held.all);
        if held.by_client.get_mut(&self.client).is_some_and(less) {
            held.by_client.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: usize = 1024 * 1024;

    fn client(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    /// Room for a body of this size, for as long as it is kept.
    fn large(measured: &Arc<Measured>, number: u8, bytes: usize) -> Option<Room> {
        let mut room = measured.begin(Some(client(number))).ok()?;
        room.take(bytes).ok()?;
        Some(room)
    }

    #[test]
    fn one_client_fills_its_own_room_and_all_together_that_of_all() {
        let measured = Arc::default();
        let mut kept: Vec<Room> = (0..3).filter_map(|_| large(&measured, 1, 8 * MEGABYTE)).collect();
        assert_eq!(kept.len(), 2);
        for number in 2..9 {
            kept.extend((0..3).filter_map(|_| large(&measured, number, 8 * MEGABYTE)));
        }
        assert_eq!(kept.len(), OF_ALL.bytes / (8 * MEGABYTE));
        assert!(large(&measured, 9, FREE).is_some(), "a small one comes through");
        kept.truncate(1);
        assert!(large(&measured, 1, 8 * MEGABYTE).is_some(), "what ended made room");
        drop(kept);
        let held = measured.0.lock().unwrap();
        assert_eq!((held.all.bodies, held.all.bytes, held.by_client.len()), (0, 0, 0));
    }

    #[test]
    fn a_body_that_grows_is_counted_once() {
        let measured = Arc::default();
        let mut room = Measured::begin(&measured, Some(client(1))).unwrap();
        for bytes in [FREE, MEGABYTE, 16 * MEGABYTE, 16 * MEGABYTE] {
            room.take(bytes).unwrap();
        }
        assert!(room.take(17 * MEGABYTE).is_err());
        assert_eq!(measured.0.lock().unwrap().all.bytes, 16 * MEGABYTE - FREE);
    }

    #[test]
    fn bodies_are_counted_by_client_and_together_however_small() {
        let measured = Arc::default();
        let mut kept = Vec::new();
        for number in 1..=40 {
            kept.extend(
                (0..=OF_ONE.bodies).filter_map(|_| Measured::begin(&measured, Some(client(number))).ok()),
            );
        }
        assert_eq!(kept.len(), OF_ALL.bodies);
    }
}
