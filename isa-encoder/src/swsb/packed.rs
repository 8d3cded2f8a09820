//! States at rest, in some bytes for each access. A block that has been looked at may be needed again, and a program that
//! is one loop has no other blocks.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::access::MOST;
use super::pending::{Facts, Pending, State};

/// A state. Of each access it has a byte, the slot with the flags below, and what the flags say is behind it.
/// The rest of an access is among the facts.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    bytes: Box<[u8]>,
}

/// The instruction is another one than that of the access before: so many behind it, seven bits a byte, the
/// lowest first.
const FARTHER: u8 = 1 << 7;
/// Instructions of the pipe have followed: how many, a byte.
const AGED: u8 = 1 << 6;
/// Tokens have been taken after it: which, four bytes.
const FOLLOWED: u8 = 1 << 5;
const SLOT: u8 = FOLLOWED - 1;
const _: () = assert!(MOST <= 1 << SLOT.count_ones());

impl Packed {
    /// Packs a state, which is sorted.
    pub fn of(state: &State) -> Packed {
        let mut bytes = Vec::with_capacity(4 * state.len());
        let mut last = 0;
        for entry in state.entries() {
            let mut farther = entry.producer - last;
            last = entry.producer;
            let flag = |flag, is: bool| if is { flag } else { 0 };
            let flags = flag(FARTHER, farther != 0)
                | flag(AGED, entry.age != 0)
                | flag(FOLLOWED, entry.followed != 0);
            bytes.push(entry.slot | flags);
            while farther != 0 {
                let more = flag(1 << 7, farther >> 7 != 0);
                bytes.push(farther as u8 & 0x7f | more);
                farther >>= 7;
            }
            if entry.age != 0 {
                bytes.push(entry.age);
            }
            if entry.followed != 0 {
                bytes.extend(entry.followed.to_le_bytes());
            }
        }
        Packed {
            bytes: bytes.into(),
        }
    }

    /// The accesses, in their order.
    fn entries<'a>(&'a self, facts: &'a Facts) -> impl Iterator<Item = Pending> + 'a {
        let mut bytes = self.bytes.iter().copied();
        let mut producer = 0;
        core::iter::from_fn(move || {
            let head = bytes.next()?;
            if head & FARTHER != 0 {
                let mut at = 0;
                loop {
                    let byte = bytes.next()?;
                    producer += u32::from(byte & 0x7f) << at;
                    at += 7;
                    if byte & 1 << 7 == 0 {
                        break;
                    }
                }
            }
            let age = if head & AGED != 0 { bytes.next()? } else { 0 };
            let mut followed = [0; 4];
            if head & FOLLOWED != 0 {
                for byte in &mut followed {
                    *byte = bytes.next()?;
                }
            }
            let mut entry = facts.issued(producer as usize, head & SLOT)?;
            entry.age = age;
            entry.followed = u32::from_le_bytes(followed);
            Some(entry)
        })
    }

    /// The state.
    pub fn open(&self, facts: &Facts) -> State {
        State::of(self.entries(facts).collect())
    }

    /// Whether [`State::join`] with another state would change nothing.
    pub fn has(&self, other: &State, facts: &Facts) -> bool {
        let mut ours = self.entries(facts);
        other.entries().iter().all(|theirs| {
            let ours = ours.find(|ours| ours.key() >= theirs.key());
            ours.is_some_and(|ours| {
                ours.key() == theirs.key()
                    && ours.age <= theirs.age
                    && ours.followed & !theirs.followed == 0
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use devinfo::Family;

    use super::Packed;
    use crate::swsb::access::View;
    use crate::swsb::pending::{Facts, State};
    use crate::swsb::program::Program;

    #[test]
    fn what_is_packed_is_what_is_opened() {
        let text = (0..300).fold(alloc::string::String::new(), |text, number| {
            let (to, from) = (10 + number % 7, 20 + number % 90);
            text + &match number % 4 {
                0 => alloc::format!("math.inv (8|M0) r{to}.0<1>:f r{from}.0<1;1,0>:f {{$1}}\n"),
                1 => alloc::format!("mov (8|M0) r{to}.0<1>:df r{from}.0<1;1,0>:df\n"),
                _ => alloc::format!("add (8|M0) r{to}.0<1>:d r{from}.0<1;1,0>:d r0.0<1;1,0>:d\n"),
            }
        });
        let options = crate::AsmOptions::for_family(Family::Gen12Lp);
        let assembly = crate::assemble(&text, &options).unwrap();
        let program = Program::decode(Family::Gen12Lp, &assembly.code);
        for view in [View::Sure, View::Worst] {
            let facts = Facts::new(&program, view);
            let mut before = State::default();
            let (mut aged, mut followed) = (false, false);
            // Some are far apart, as behind a path that leaves many out.
            for index in (0..20).chain(280..300) {
                let mut state = before.clone();
                state.issue(&facts, index);
                let packed = Packed::of(&state);
                assert_eq!(packed.open(&facts), state);
                assert!(
                    packed.bytes.len() < 7 * state.len(),
                    "{}",
                    packed.bytes.len()
                );
                // One has the other if joining it changes nothing.
                for (ours, theirs) in [(&before, &state), (&state, &before), (&state, &state)] {
                    let has = Packed::of(ours).has(theirs, &facts);
                    assert_eq!(has, !ours.clone().join(theirs), "{index}");
                }
                aged |= state.entries().iter().any(|entry| entry.age != 0);
                followed |= state.entries().iter().any(|entry| entry.followed != 0);
                before = state;
            }
            assert!(aged && before.len() > 20);
            assert_eq!(followed, view == View::Sure);
        }
    }
}
