//! Which objects the states of pointers' bytes name.

use devinfo::GpuAddress;

use super::bytes::{Bytes, POINTER};

/// States that are left for pointers.
const STATES: usize = (u8::MAX - POINTER) as usize + 1;
/// So many objects are named before the first look at which still are.
const FEW: usize = STATES / 2;

/// What a pointer points to, and its size.
pub(super) type Pointee = (GpuAddress, u64);

/// What pointers point to, by their state less [`POINTER`]. Memory keeps states from one launch to the next, so
/// these keep their meaning as long.
#[derive(Debug)]
pub(super) struct Pointers {
    /// `None` is free.
    pointees: Vec<Option<Pointee>>,
    /// With so many, it is looked which ones memory still has.
    limit: usize,
}

impl Default for Pointers {
    fn default() -> Self {
        Self {
            pointees: Vec::new(),
            limit: FEW,
        }
    }
}

impl Pointers {
    /// The state of the bytes of a pointer to this; `None` if there are too many others.
    pub fn state(&mut self, pointee: Pointee) -> Option<u8> {
        let find = |of: Option<Pointee>| self.pointees.iter().position(|one| *one == of);
        let index = match find(Some(pointee)).or_else(|| find(None)) {
            Some(index) => index,
            None if self.pointees.len() >= STATES => return None,
            None => {
                self.pointees.push(None);
                self.pointees.len() - 1
            }
        };
        *self.pointees.get_mut(index)? = Some(pointee);
        u8::try_from(index).ok()?.checked_add(POINTER)
    }

    /// What a pointer with this state points to.
    pub fn pointee(&self, state: u8) -> Option<Pointee> {
        let index = usize::from(state.checked_sub(POINTER)?);
        *self.pointees.get(index)?
    }

    /// No launch runs, so that memory alone has states: those that it has no more are free, if they are getting
    /// scarce.
    pub fn sweep(&mut self, bytes: &Bytes) {
        if self.pointees.len() < self.limit {
            return;
        }
        let kept = bytes.states();
        let states = kept.iter().skip(POINTER.into());
        for (pointee, _) in self
            .pointees
            .iter_mut()
            .zip(states)
            .filter(|(_, kept)| !**kept)
        {
            *pointee = None;
        }
        let last = self.pointees.iter().rposition(Option::is_some);
        self.pointees.truncate(last.map_or(0, |last| last + 1));
        let count = self.pointees.iter().flatten().count();
        self.limit = (2 * count).clamp(FEW, STATES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointee(number: u64) -> Pointee {
        (GpuAddress::new(number << 12), 16)
    }

    #[test]
    fn states_name_what_they_did() {
        let mut pointers = Pointers::default();
        let [first, second] = [1, 2].map(|number| pointers.state(pointee(number)).unwrap());
        assert_ne!(first, second);
        assert_eq!(pointers.state(pointee(1)), Some(first));
        assert_eq!(pointers.pointee(second), Some(pointee(2)));
        assert_eq!(pointers.pointee(second + 1), None);
        assert_eq!(pointers.pointee(0), None);
    }

    #[test]
    fn states_that_memory_has_are_kept_and_others_named_anew() {
        let (mut pointers, mut bytes) = (Pointers::default(), Bytes::default());
        let kept = |number: u64| number.is_multiple_of(50);
        for number in 0..STATES as u64 {
            let state = pointers.state(pointee(number)).unwrap();
            if kept(number) {
                bytes.store(8 * number, &[state; 8]);
            }
        }
        assert_eq!(pointers.state(pointee(1000)), None, "there are too many");
        pointers.sweep(&bytes);
        for number in 1000..1000 + STATES as u64 - 6 {
            assert!(pointers.state(pointee(number)).is_some());
        }
        assert_eq!(pointers.state(pointee(2000)), None);
        for number in (0..STATES as u64).filter(|number| kept(*number)) {
            let mut states = [0; 8];
            bytes.load(8 * number, &mut states);
            assert_eq!(pointers.pointee(states[0]), Some(pointee(number)));
        }
    }
}
