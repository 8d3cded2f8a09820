//! States of bytes go between memory and registers with what messages move.

use super::access::{Access, Beside, What, Where};
use super::bytes::{UNWRITTEN, WRITTEN};
use super::checks::{Checks, EmptyLoad};
use super::findings::Purpose;

/// States of bytes that something has written, in place for elements.
pub(super) struct States {
    element: [u8; 128],
    block: Vec<u8>,
}

impl States {
    /// States of so many bytes.
    pub fn of(width: usize, kept: &mut Self) -> &mut [u8] {
        match kept.element.get_mut(..width) {
            Some(element) => element,
            None => {
                kept.block.resize(width, WRITTEN);
                &mut kept.block
            }
        }
    }

    pub const NONE: Self = Self {
        element: [WRITTEN; 128],
        block: Vec::new(),
    };
}

/// Bytes of the largest vector that has padding: `long3`.
const LARGEST_VECTOR: usize = 32;

/// Whether what nothing has written at the end of what a channel stores by one message may be the fourth
/// component of a vector of three, which compilers store with the others.
fn is_padding(address: u64, states: &[u8]) -> bool {
    let written = states.iter().rposition(|state| *state != UNWRITTEN);
    let first = written.map_or(0, |last| last + 1);
    let component = states.len() - first;
    let end = address.wrapping_add(states.len() as u64);
    // The third one comes with it.
    matches!(component, 1 | 2 | 4 | 8)
        && first >= component
        && end.is_multiple_of(4 * component as u64)
        && !states[..first].contains(&UNWRITTEN)
}

/// The first byte of consecutive dwords of channels that nothing has written, and that is no padding, if there
/// may be some.
fn missing_in_row(address: u64, states: &[u8], pads: bool) -> Option<usize> {
    let mut dwords = (0..).step_by(4).zip(states.chunks(4));
    dwords.find_map(|(at, dword)| {
        let missing = dword.iter().position(|state| *state == UNWRITTEN)?;
        let padding = pads && is_padding(address.wrapping_add(at as u64), dword);
        (!padding).then_some(at + missing)
    })
}

/// The states of all that a channel stores by a message whose element at this byte of the payload is one of
/// those.
fn together(payload: &[u8], at: usize, width: usize, beside: Beside) -> Vec<u8> {
    let first = at.saturating_sub(beside.index * beside.step);
    let elements = (0..beside.count).filter_map(|index| {
        let at = first + index * beside.step;
        payload.get(at..at + width)
    });
    elements.flatten().copied().collect()
}

impl Checks {
    /// Carries the states of bytes between memory and registers.
    pub(super) fn carry(
        &self,
        at: (Where, Option<Purpose>),
        address: u64,
        width: u64,
        access: &Access<'_>,
    ) {
        let (place, purpose) = at;
        let width = width as usize;
        let mut kept = States::NONE;
        let states = States::of(width, &mut kept);
        let mut message = self.message.borrow_mut();
        match &access.what {
            What::Read { at: to, slot } => {
                self.load_states(at, address, states);
                if states.contains(&UNWRITTEN) {
                    let thread = self.group.borrow().first + self.thread.get();
                    let text = self.place(place, address);
                    let mut last = self.empty_load.borrow_mut();
                    // Of a message's channels the first one.
                    let message = self.messages.get();
                    if last.as_ref().is_none_or(|last| last.message != message) {
                        *last = Some(EmptyLoad {
                            thread,
                            ip: self.ip(),
                            message,
                            place: text,
                        });
                    }
                }
                message.answered = true;
                message.slot = access.lane.map(|_| if access.row { 4 } else { *slot });
                // What a thread has left in its own memory has its states: two small numbers side by side
                // look like a pointer.
                message.pointers |= place != Where::Local
                    && !matches!(purpose, Some(Purpose::Buffer | Purpose::Threads))
                    && self.extents.knows_objects();
                if let Some(out) = message.response.get_mut(*to..to + slot.max(&width)) {
                    out.fill(WRITTEN);
                    if let Some(out) = out.get_mut(..width) {
                        out.copy_from_slice(states);
                    }
                }
            }
            What::Write {
                at: from, beside, ..
            } => {
                let Some(stored) = message.payload.get(*from..from + width) else {
                    return;
                };
                states.copy_from_slice(stored);
                let read = matches!(purpose, Some(Purpose::Buffer | Purpose::Print));
                let pads = !self.no_threes.get();
                let missing = match read && states.contains(&UNWRITTEN) {
                    true if access.row => {
                        let judged = self.needed(address, states);
                        missing_in_row(address, &judged, pads)
                    }
                    true => {
                        let all = together(&message.payload, *from, width, *beside);
                        let first = address.wrapping_sub((beside.index * width) as u64);
                        let padding =
                            pads && all.len() <= LARGEST_VECTOR && is_padding(first, &all);
                        self.needed(address, states)
                            .iter()
                            .position(|state| !padding && *state == UNWRITTEN)
                    }
                    false => None,
                };
                drop(message);
                if let Some(missing) = missing {
                    let (skipped, width) = match access.row {
                        true => (missing / 4 * 4, 4),
                        false => (0, width),
                    };
                    self.unwritten(access.lane_of(missing), || {
                        let to = self.place(place, address + skipped as u64);
                        format!("the {width} bytes that it stores to {to}")
                    });
                }
                self.store_states(at, address, states);
            }
            What::Atomic {
                operands,
                result,
                uses,
                ..
            } => {
                let unwritten = operands.iter().any(|range| {
                    let states = message.payload.get(range.clone()).unwrap_or_default();
                    states.contains(&UNWRITTEN)
                });
                self.load_states(at, address, states);
                message.answered = true;
                if let Some(to) = result
                    && let Some(out) = message.response.get_mut(*to..to + width.max(4))
                {
                    out.fill(if states.contains(&UNWRITTEN) {
                        UNWRITTEN
                    } else {
                        WRITTEN
                    });
                }
                drop(message);
                if unwritten {
                    self.unwritten(access.lane, || {
                        let to = self.place(place, address);
                        format!("the operand of an atomic operation on {to}")
                    });
                } else if *uses && states.contains(&UNWRITTEN) {
                    self.unwritten(access.lane, || {
                        let at = self.place(place, address);
                        format!("what an atomic operation reads: {at}")
                    });
                }
                states.fill(WRITTEN);
                self.store_states(at, address, states);
            }
        }
    }

    /// The states of bytes that are stored; those of bytes that need no value are as good as written.
    fn needed(&self, address: u64, states: &[u8]) -> Vec<u8> {
        let gaps = self.gaps.borrow();
        let all = (address..).zip(states);
        let needed = all.map(|(at, state)| match gaps.has(at) {
            true => WRITTEN,
            false => *state,
        });
        needed.collect()
    }

    fn load_states(
        &self,
        (place, purpose): (Where, Option<Purpose>),
        address: u64,
        out: &mut [u8],
    ) {
        if place != Where::Local {
            let memory = self.memory();
            return match purpose {
                Some(Purpose::Threads) => memory.scratch.load(self.number(), address, out),
                _ => memory.bytes.load(address, out),
            };
        }
        let group = self.group.borrow();
        let at = address as usize;
        if let Some(states) = group.states.get(at..at + out.len()) {
            out.copy_from_slice(states);
        }
    }

    pub(super) fn store_states(
        &self,
        (place, purpose): (Where, Option<Purpose>),
        address: u64,
        states: &[u8],
    ) {
        if place != Where::Local {
            let mut memory = self.memory();
            return match purpose {
                Some(Purpose::Threads) => {
                    memory.scratch.store(self.number(), address, states);
                }
                _ => memory.bytes.store(address, states),
            };
        }
        let mut group = self.group.borrow_mut();
        let at = address as usize;
        if let Some(out) = group.states.get_mut(at..at + states.len()) {
            out.copy_from_slice(states);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fourth_component_of_a_vector_is_padding() {
        let (no, yes) = (UNWRITTEN, WRITTEN);
        let states = |written: usize, rest: usize| [vec![yes; written], vec![no; rest]].concat();
        assert!(is_padding(0x10, &states(12, 4)), "int3");
        assert!(is_padding(0x20, &states(24, 8)), "long3");
        assert!(is_padding(0x30, &states(8, 8)), "the second half of long3");
        assert!(is_padding(0x10, &states(6, 2)), "short3");
        assert!(is_padding(0x18, &states(3, 1)), "char3");
        assert!(!is_padding(0x1c, &states(0, 4)), "a store of its own");
        assert!(!is_padding(0x18, &states(12, 4)), "another place");
        assert!(!is_padding(0, &states(8, 8)), "two components");
        assert!(!is_padding(0x1c, &[no, yes, yes, no]));
        assert!(!is_padding(0x1c, &[no, no, no, yes]));
    }
}
