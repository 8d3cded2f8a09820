//! Copies of a work-group by a thread. Work-items do them, but what they access then is in order with nothing until a
//! wait names the copy's event: hardware that copies by itself is not stopped by a barrier.

/// Events that are told apart.
const EVENTS: u32 = u32::BITS;

#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    /// The events of copies for which nothing has waited yet, and the instructions that told of them.
    open: Vec<(u8, u64)>,
    /// By event, the clock of the last wait.
    awaited: Vec<u32>,
    begun: Begun,
}

/// The copies that a thread has begun.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Begun {
    pub count: u32,
    /// The instruction that told of the last one.
    pub last: u64,
}

impl Copies {
    /// A copy begins, which was told of by the instruction at `ip`, unless that `goes_on`: messages tell for some of
    /// the channels each. Returns the number of its event.
    pub fn begin(&mut self, events: u32, ip: u64, goes_on: bool) -> u8 {
        self.begun = Begun {
            count: self.begun.count + u32::from(!goes_on),
            last: ip,
        };
        let event = (events.trailing_zeros() % EVENTS) as u8;
        let is_known = self.open.iter().any(|(open, _)| *open == event);
        if !is_known {
            self.open.push((event, ip));
        }
        event
    }

    pub fn begun(&self) -> Begun {
        self.begun
    }

    /// The thread waits for these events at `clock`.
    pub fn wait(&mut self, events: u32, clock: u32) {
        let has = |event: u8| events >> event & 1 != 0;
        self.open.retain(|(event, _)| !has(*event));
        self.awaited.resize(EVENTS as usize, 0);
        let awaited = (0..).zip(&mut self.awaited);
        for (_, at) in awaited.filter(|(event, _)| has(*event)) {
            *at = clock;
        }
    }

    /// Whether nothing has waited for what a copy with this event did at `clock`.
    pub fn is_open(&self, event: u8, clock: u32) -> bool {
        let awaited = self.awaited.get(usize::from(event)).copied().unwrap_or(0);
        clock >= awaited
    }

    /// The instruction that told of a copy for which nothing has waited yet.
    pub fn first_open(&self) -> Option<u64> {
        self.open.first().map(|(_, ip)| *ip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_for_the_events_that_it_names() {
        let mut copies = Copies::default();
        assert_eq!(copies.begin(1 << 3, 0x40, false), 3);
        assert_eq!(copies.begin(1 << 3, 0x50, true), 3, "other channels");
        assert_eq!(copies.begin(1 << 5, 0x80, false), 5);
        assert_eq!(copies.begun().count, 2);
        assert!(copies.is_open(3, 1) && copies.is_open(5, 1));
        copies.wait(1 << 3, 2);
        assert!(!copies.is_open(3, 1) && copies.is_open(5, 1));
        assert!(copies.is_open(3, 2), "a later copy");
        assert_eq!(copies.first_open(), Some(0x80));
        copies.wait(u32::MAX, 3);
        assert!(!copies.is_open(5, 2));
        assert_eq!(copies.first_open(), None);
    }
}
