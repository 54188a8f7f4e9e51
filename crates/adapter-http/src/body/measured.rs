//! Memory for bodies of unknown senders: the networks' posts, until their signature is checked.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use crate::{access::network_of, problem::Problem};

/// Bounds on bodies under way.
#[derive(Debug, Clone, Copy)]
struct Most {
    bodies: usize,
    /// Bytes beyond the first [`FREE`] of each body.
    bytes: usize,
}

/// Bounds of one client (an IPv6 /64): two of the largest posts, or many small ones.
const OF_ONE: Most = Most { bodies: 256, bytes: 16 * 1024 * 1024 };
/// Bounds of all clients together: enough that few clients cannot fill them, while the uncounted parts stay
/// within 128 MiB.
const OF_ALL: Most = Most { bodies: 8_192, bytes: 64 * 1024 * 1024 };
/// Number of bodies of all clients from which on a slow one gives way to each new one.
const CROWDED: usize = OF_ALL.bodies / 2;
/// Bytes of each body that are not counted, so that small posts pass while large ones fill the room.
const FREE: usize = 16 * 1024;

/// Least average rate of a body, in bytes a second, once [`PATIENCE`] is over.
const SLOWEST: u32 = 64 * 1024;
/// Longest time that a body may be behind [`SLOWEST`], and its longest pause.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time behind [`SLOWEST`] from which on a body gives way if there is no room.
const SLOW: Duration = Duration::from_millis(250);

type Client = Option<IpAddr>;
/// Order in which bodies give way: since when each is behind, and its number.
type Place = (Instant, u64);

/// Bodies under way in this process, within their bounds.
#[derive(Debug, Default)]
pub(crate) struct Measured(Mutex<RoomInUse>);

#[derive(Debug, Default)]
struct RoomInUse {
    all: Share,
    by_client: HashMap<Client, OfClient>,
    under_way: BTreeMap<Place, UnderWay>,
    /// Places under way whose bodies have counted bytes.
    large: BTreeSet<Place>,
    begun: u64,
}

#[derive(Debug, Default)]
struct OfClient {
    share: Share,
    places: BTreeSet<Place>,
}

#[derive(Debug, Clone)]
struct UnderWay {
    client: Client,
    /// Counted bytes.
    bytes: usize,
    gives_way: Arc<Notify>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Share {
    bodies: usize,
    bytes: usize,
}

impl Share {
    /// Adds a body, or bytes to one; `None` if that exceeds `most`.
    fn with(self, bodies: usize, bytes: usize, most: Most) -> Option<Self> {
        let more = Self { bodies: self.bodies + bodies, bytes: self.bytes + bytes };
        (more.bodies <= most.bodies && more.bytes <= most.bytes).then_some(more)
    }

    fn without(&mut self, bytes: usize) {
        self.bodies = self.bodies.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

/// Share of one body, given back when dropped, or earlier if the body gives way.
#[derive(Debug)]
pub(crate) struct Room {
    of: Arc<Measured>,
    began: Instant,
    place: Place,
    body: UnderWay,
}

fn full() -> Problem {
    Problem::unavailable("too many unfinished posts, or too large ones")
}

impl Measured {
    /// Admits a body that begins to come; a problem if its client, or all together, have too many under way
    /// and none of them is slow.
    pub(crate) fn begin(self: &Arc<Self>, client: Client, now: Instant) -> Result<Room, Problem> {
        let body = UnderWay { client: client.map(network_of), bytes: 0, gives_way: Arc::default() };
        let mut held = self.held();
        if held.all.bodies >= CROWDED {
            let slowest = held.under_way.keys().next().copied();
            held.make_way(slowest, now);
        }
        held.grow(&body, 1, 0, now)?;
        let place = (now, held.begun);
        held.begun += 1;
        held.put(place, &body);
        drop(held);
        Ok(Room { of: Arc::clone(self), began: now, place, body })
    }

    fn held(&self) -> MutexGuard<'_, RoomInUse> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RoomInUse {
    /// Adds `bodies` and `bytes` to the counts, once slow bodies have given way for them.
    fn grow(&mut self, of: &UnderWay, bodies: usize, bytes: usize, now: Instant) -> Result<(), Problem> {
        loop {
            let client = self.by_client.entry(of.client).or_default();
            let of_one = client.share.with(bodies, bytes, OF_ONE);
            let of_all = self.all.with(bodies, bytes, OF_ALL);
            let slowest = match (of_one, of_all) {
                (Some(of_one), Some(of_all)) => {
                    client.share = of_one;
                    self.all = of_all;
                    return Ok(());
                }
                (None, _) if bytes > 0 => client.places.intersection(&self.large).next(),
                (None, _) => client.places.first(),
                (_, None) if bytes > 0 => self.large.first(),
                (_, None) => self.under_way.keys().next(),
            };
            let slowest = slowest.copied();
            if !self.make_way(slowest, now) {
                self.forget(of.client);
                return Err(full());
            }
        }
    }

    /// Ends the body if it is slow.
    fn make_way(&mut self, slowest: Option<Place>, now: Instant) -> bool {
        let slow = slowest.filter(|(behind, _)| now.saturating_duration_since(*behind) >= SLOW);
        let Some(body) = slow.and_then(|place| self.end(place)) else { return false };
        body.gives_way.notify_one();
        true
    }

    fn put(&mut self, place: Place, body: &UnderWay) {
        self.by_client.entry(body.client).or_default().places.insert(place);
        if body.bytes > 0 {
            self.large.insert(place);
        }
        self.under_way.insert(place, body.clone());
    }

    fn take(&mut self, place: Place) -> Option<UnderWay> {
        let body = self.under_way.remove(&place)?;
        self.large.remove(&place);
        if let Some(client) = self.by_client.get_mut(&body.client) {
            client.places.remove(&place);
        }
        Some(body)
    }

    /// Removes a body with its share.
    fn end(&mut self, place: Place) -> Option<UnderWay> {
        let body = self.take(place)?;
        self.all.without(body.bytes);
        if let Some(client) = self.by_client.get_mut(&body.client) {
            client.share.without(body.bytes);
        }
        self.forget(body.client);
        Some(body)
    }

    /// Forgets a client with nothing under way.
    fn forget(&mut self, client: Client) {
        if self.by_client.get(&client).is_some_and(|client| client.share.bodies == 0) {
            self.by_client.remove(&client);
        }
    }
}

impl Room {
    /// Notes that `come` bytes have come in all, in `held` bytes of memory; a problem if there is no room, or
    /// the body has given way.
    pub(crate) fn note(&mut self, come: usize, held: usize, now: Instant) -> Result<(), Problem> {
        let counted = held.saturating_sub(FREE).max(self.body.bytes);
        let mut room = self.of.held();
        room.take(self.place).ok_or_else(full)?;
        let grown = room.grow(&self.body, 0, counted - self.body.bytes, now);
        if grown.is_ok() {
            self.body.bytes = counted;
            let earned = Duration::from_secs(1) * u32::try_from(come).unwrap_or(u32::MAX) / SLOWEST;
            self.place.0 = now.min(self.began + earned);
        }
        room.put(self.place, &self.body);
        grown
    }

    /// Returns when the body is given up unless more of it comes.
    pub(crate) fn patience(&self) -> Instant {
        self.place.0 + PATIENCE
    }

    /// Waits until the body has given way to another.
    pub(crate) async fn given_way(&self) -> Problem {
        self.body.gives_way.notified().await;
        full()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.of.held().end(self.place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: usize = 1024 * 1024;

    fn client(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    fn begin(measured: &Arc<Measured>, number: u8, now: Instant) -> Option<Room> {
        measured.begin(Some(client(number)), now).ok()
    }

    /// Admits a body of this size, for as long as the room is kept.
    fn large(measured: &Arc<Measured>, number: u8, bytes: usize, now: Instant) -> Option<Room> {
        let mut room = begin(measured, number, now)?;
        room.note(bytes, bytes, now).ok()?;
        Some(room)
    }

    fn is_under_way(room: &Room) -> bool {
        room.of.held().under_way.contains_key(&room.place)
    }

    #[test]
    fn one_client_fills_its_own_room_and_all_together_that_of_all() {
        let (measured, now) = (Arc::default(), Instant::now());
        let mut kept: Vec<Room> = (0..3).filter_map(|_| large(&measured, 1, 8 * MEGABYTE, now)).collect();
        assert_eq!(kept.len(), 2);
        for number in 2..9 {
            kept.extend((0..3).filter_map(|_| large(&measured, number, 8 * MEGABYTE, now)));
        }
        assert_eq!(kept.len(), OF_ALL.bytes / (8 * MEGABYTE));
        assert!(large(&measured, 9, FREE, now).is_some(), "a small one comes through");
        kept.truncate(1);
        assert!(large(&measured, 1, 8 * MEGABYTE, now).is_some(), "what ended made room");
        drop(kept);
        let held = measured.held();
        assert_eq!((held.all.bodies, held.all.bytes, held.by_client.len()), (0, 0, 0));
        assert_eq!((held.under_way.len(), held.large.len()), (0, 0));
    }

    #[test]
    fn a_body_that_grows_is_counted_once() {
        let (measured, now) = (Arc::default(), Instant::now());
        let mut room = begin(&measured, 1, now).unwrap();
        for bytes in [FREE, MEGABYTE, 16 * MEGABYTE, 16 * MEGABYTE] {
            room.note(bytes, bytes, now).unwrap();
        }
        assert!(room.note(17 * MEGABYTE, 17 * MEGABYTE, now).is_err());
        assert_eq!(measured.held().all.bytes, 16 * MEGABYTE - FREE);
    }

    #[test]
    fn bodies_are_counted_by_client_and_together_however_small() {
        let (measured, now) = (Arc::default(), Instant::now());
        let mut kept = Vec::new();
        for number in 1..=40 {
            kept.extend((0..=OF_ONE.bodies).filter_map(|_| begin(&measured, number, now)));
        }
        assert_eq!(kept.len(), OF_ALL.bodies);
    }

    #[test]
    fn the_slowest_body_gives_way_where_half_of_the_room_is_taken() {
        let (measured, began) = (Arc::default(), Instant::now());
        let now = began + Duration::from_secs(1);
        let drips: Vec<Room> = (0..CROWDED)
            .filter_map(|index| begin(&measured, u8::try_from(index / 256).unwrap(), began))
            .collect();
        assert_eq!(drips.len(), CROWDED);
        let fresh: Vec<Room> = (0..100).filter_map(|_| begin(&measured, 99, now)).collect();
        assert_eq!(fresh.len(), 100);
        assert!(drips.iter().take(100).all(|drip| !is_under_way(drip)), "the oldest have given way");
        assert!(drips.iter().skip(100).chain(&fresh).all(is_under_way), "and no others");
        drop(drips);
        assert_eq!(measured.held().all.bodies, 100, "what gave way is not counted off twice");
    }

    #[test]
    fn the_slowest_of_a_client_gives_way_to_its_next_and_nobody_elses() {
        let (measured, began) = (Arc::default(), Instant::now());
        let other = begin(&measured, 2, began).unwrap();
        let mut own: Vec<Room> = (0..OF_ONE.bodies).filter_map(|_| begin(&measured, 1, began)).collect();
        assert!(begin(&measured, 1, began + SLOW / 2).is_none(), "none of them is slow yet");
        let now = began + Duration::from_secs(1);
        for room in own.iter_mut().take(10) {
            room.note(100 * 1024, FREE, now).unwrap();
        }
        own.extend(begin(&measured, 1, now));
        let ended: Vec<usize> = (0..own.len()).filter(|index| !is_under_way(&own[*index])).collect();
        assert_eq!(ended, [10], "it is the oldest of those that came too slowly");
        assert!(own[10].note(1, 1, now).is_err());
        assert!(is_under_way(&other));
    }

    #[test]
    fn large_bodies_that_stall_give_way_to_another_large_one() {
        let (measured, began) = (Arc::default(), Instant::now());
        let size = 8 * MEGABYTE;
        let stalled: Vec<Room> = (0..8).filter_map(|number| large(&measured, number, size, began)).collect();
        let drip = begin(&measured, 50, began).unwrap();
        assert!(large(&measured, 9, size, began).is_none());
        assert!(large(&measured, 9, size, began + Duration::from_secs(1)).is_some());
        assert_eq!(stalled.iter().filter(|room| !is_under_way(room)).count(), 1);
        assert!(is_under_way(&drip), "a small one would make no room");
    }

    #[test]
    fn a_body_is_waited_for_as_long_as_it_keeps_its_rate_and_never_pauses_for_long() {
        let (measured, began) = (Arc::default(), Instant::now());
        let second = Duration::from_secs(1);
        let mut room = begin(&measured, 1, began).unwrap();
        assert_eq!(room.patience(), began + PATIENCE);
        room.note(1, FREE, began + second).unwrap();
        assert!(room.patience() < began + PATIENCE + second / 1_000, "a drip earns nothing");
        room.note(128 * 1024, FREE, began + second).unwrap();
        assert_eq!(room.patience(), began + second + PATIENCE, "a pause is a pause");
        room.note(128 * 1024, FREE, began + 4 * second).unwrap();
        assert_eq!(room.patience(), began + 2 * second + PATIENCE, "two seconds at the least rate");
    }
}
