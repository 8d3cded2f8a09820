//! What messages and other instructions with a token still owe: registers that they will write, or
//! have yet to read. From Gen12LP on, only waits in the code order others after them.
//!
//! Accesses happen at once here, so this only remembers which token owns a register.

use super::op::Span;
use super::regs::GRF_BASE;
use isa_encoder::swsb::Tokens;

/// Tokens.
const TOKENS: usize = 32;

/// The tokens of a set.
fn each(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let token = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (token < u32::BITS).then_some(token as usize)
    })
}

/// A set of registers, of at most 256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Registers([u64; 4]);

impl Registers {
    /// Those from `first` to before `end`.
    fn range(first: usize, end: usize) -> Self {
        Self(std::array::from_fn(|word| {
            let below = |count: usize| match count.saturating_sub(64 * word) {
                count @ 0..64 => (1u64 << count) - 1,
                _ => u64::MAX,
            };
            below(end) & !below(first)
        }))
    }

    fn add(&mut self, other: Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }

    /// Whether it has some of a range, which is not empty.
    fn meets(&self, first: usize, end: usize) -> bool {
        let words = self
            .0
            .iter()
            .enumerate()
            .take(end.div_ceil(64))
            .skip(first / 64);
        words.fold(0, |both, (word, set)| {
            let from = u64::MAX << first.saturating_sub(64 * word).min(63);
            let to = u64::MAX >> (64 * (word + 1)).saturating_sub(end).min(63);
            both | set & from & to
        }) != 0
    }

    /// The first that both have.
    fn first_of_both(self, other: Self) -> Option<usize> {
        let words = self.0.into_iter().zip(other.0).map(|(a, b)| a & b);
        let mut words = words.enumerate().filter(|(_, both)| *both != 0);
        let (word, both) = words.next()?;
        Some(64 * word + both.trailing_zeros() as usize)
    }
}

/// Who has taken a token.
#[derive(Clone, Copy, Debug, Default)]
struct Owner {
    ip: u32,
    /// The channels for which it executes.
    mask: u32,
    /// It was the so-manieth to take one.
    turn: u32,
    written: Registers,
    read: Registers,
}

/// A register that an instruction must not touch yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hazard {
    pub register: usize,
    /// The instruction that still owns it.
    pub ip: u32,
    /// It has yet to read it; otherwise it will write it.
    pub reads: bool,
}

/// The registers that tokens own.
#[derive(Clone, Debug, Default)]
pub(super) struct Owed {
    /// A register has `1 << shift` bytes.
    shift: u32,
    owners: [Owner; TOKENS],
    turns: u32,
    /// The tokens whose owners have not finished, and have not read their sources, one bit each.
    unfinished: u32,
    unread: u32,
    /// All registers of these.
    written: Registers,
    read: Registers,
}

impl Owed {
    /// Nobody owns anything. Registers have `grf` bytes.
    pub fn reset(&mut self, grf: usize) {
        self.shift = grf.max(1).trailing_zeros();
        (self.turns, self.unfinished, self.unread) = (0, 0, 0);
        self.collect();
    }

    /// Whether nothing is under way.
    pub fn is_empty(&self) -> bool {
        self.unfinished | self.unread == 0
    }

    fn collect(&mut self) {
        (self.written, self.read) = Default::default();
        for token in each(self.unfinished) {
            self.written.add(self.owners[token].written);
        }
        for token in each(self.unread) {
            self.read.add(self.owners[token].read);
        }
    }

    /// An instruction waits.
    pub fn wait(&mut self, tokens: Tokens) {
        let ended = tokens.written | tokens.read;
        if ended & (self.unfinished | self.unread) == 0 {
            return;
        }
        self.unfinished &= !tokens.written;
        // Units read sources in order: those of earlier owners have been read, too.
        let turn = |token: usize| self.owners[token].turn;
        let last = each(ended).map(turn).max().unwrap_or(0);
        self.unread = each(self.unread)
            .filter(|token| turn(*token) > last)
            .fold(0, |unread, token| unread | 1 << token);
        self.collect();
    }

    /// The numbers of the registers that have these bytes.
    fn numbers(&self, bytes: Span) -> Option<(usize, usize)> {
        let first = (bytes.start as usize).checked_sub(GRF_BASE)?;
        let end = (bytes.end as usize).checked_sub(GRF_BASE)?;
        let last = (1usize << self.shift) - 1;
        (first < end).then_some((first >> self.shift, (end + last) >> self.shift))
    }

    fn registers(&self, bytes: Span) -> Registers {
        let numbers = self.numbers(bytes);
        numbers.map_or_else(Registers::default, |(first, end)| {
            Registers::range(first, end)
        })
    }

    /// The first of the registers in `bytes` that somebody owns for a channel in `mask`.
    pub fn meets(&self, bytes: Span, writes: bool, mask: u32) -> Option<Hazard> {
        let (first, end) = self.numbers(bytes)?;
        let owned = self.written.meets(first, end) || writes && self.read.meets(first, end);
        if !owned {
            return None;
        }
        let registers = Registers::range(first, end);
        let owners = || self.owners.iter().enumerate();
        let owners = || owners().filter(|(_, owner)| owner.mask & mask != 0);
        let hazard = |owner: &Owner, reads| {
            let owned = if reads { owner.read } else { owner.written };
            let register = owned.first_of_both(registers)?;
            let ip = owner.ip;
            Some(Hazard {
                register,
                ip,
                reads,
            })
        };
        let mut writers = owners().filter(|(token, _)| self.unfinished >> token & 1 != 0);
        let mut readers = owners().filter(|(token, _)| writes && self.unread >> token & 1 != 0);
        let first = writers.find_map(|(_, owner)| hazard(owner, false));
        first.or_else(|| readers.find_map(|(_, owner)| hazard(owner, true)))
    }

    /// An instruction takes its token: it writes and reads registers.
    pub fn take(&mut self, tokens: Tokens, ip: u32, mask: u32, writes: Span, reads: [Span; 2]) {
        let token = tokens.takes.trailing_zeros();
        self.turns += 1;
        let mut owner = Owner {
            ip,
            mask,
            turn: self.turns,
            written: self.registers(writes),
            read: self.registers(reads[0]),
        };
        owner.read.add(self.registers(reads[1]));
        if let Some(slot) = self.owners.get_mut(token as usize) {
            *slot = owner;
            self.unfinished |= 1 << token;
            self.unread |= 1 << token;
            self.written.add(owner.written);
            self.read.add(owner.read);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Span = Span { start: 0, end: 0 };

    fn registers(first: usize, count: usize) -> Span {
        let start = (GRF_BASE + 32 * first) as u32;
        let end = start + 32 * count as u32;
        Span { start, end }
    }

    fn takes(token: u32) -> Tokens {
        Tokens {
            takes: 1 << token,
            ..Tokens::default()
        }
    }

    #[test]
    fn sets_of_registers_cross_words() {
        let set = Registers::range(60, 130);
        assert_eq!(set.0, [0xf << 60, u64::MAX, 3, 0]);
        assert_eq!(set.first_of_both(Registers::range(100, 256)), Some(100));
        assert_eq!(set.first_of_both(Registers::range(130, 256)), None);
        assert_eq!(set.first_of_both(Registers::range(64, 64)), None);
        for (first, end) in [
            (0, 60),
            (0, 61),
            (59, 61),
            (64, 65),
            (100, 256),
            (129, 130),
            (130, 256),
        ] {
            let both = set.first_of_both(Registers::range(first, end)).is_some();
            assert_eq!(set.meets(first, end), both, "{first} to {end}");
        }
    }

    #[test]
    fn results_are_owed_until_they_are_waited_for() {
        let mut owed = Owed::default();
        owed.reset(32);
        owed.take(
            takes(3),
            0x40,
            0xff,
            registers(12, 2),
            [registers(5, 2), NONE],
        );
        let hazard = |register, ip, reads| {
            Some(Hazard {
                register,
                ip,
                reads,
            })
        };
        assert_eq!(
            owed.meets(registers(13, 1), false, 1),
            hazard(13, 0x40, false)
        );
        assert_eq!(
            owed.meets(registers(13, 1), false, 0x100),
            None,
            "other channels"
        );
        assert_eq!(owed.meets(registers(14, 1), true, 1), None);
        assert_eq!(owed.meets(registers(5, 1), false, 1), None, "both read");
        assert_eq!(owed.meets(registers(5, 1), true, 1), hazard(5, 0x40, true));
        owed.wait(Tokens {
            read: 1 << 3,
            ..Tokens::default()
        });
        assert_eq!(owed.meets(registers(5, 1), true, 1), None);
        assert_eq!(
            owed.meets(registers(12, 1), true, 1),
            hazard(12, 0x40, false)
        );
        owed.wait(Tokens {
            written: 1 << 3,
            ..Tokens::default()
        });
        assert!(owed.is_empty());
    }

    #[test]
    fn a_token_taken_again_owns_other_registers() {
        let mut owed = Owed::default();
        owed.reset(32);
        for register in [12, 30] {
            owed.wait(Tokens {
                written: 1 << 3,
                ..Tokens::default()
            });
            owed.take(takes(3), 0, u32::MAX, registers(register, 2), [NONE; 2]);
        }
        assert_eq!(owed.meets(registers(12, 2), false, 1), None);
        assert!(owed.meets(registers(31, 1), false, 1).is_some());
    }

    #[test]
    fn sources_are_read_in_order() {
        let mut owed = Owed::default();
        owed.reset(32);
        for token in [0, 1] {
            let source = registers(20 + token as usize, 1);
            owed.take(takes(token), 0, u32::MAX, NONE, [source, NONE]);
        }
        owed.wait(Tokens {
            read: 1 << 1,
            ..Tokens::default()
        });
        assert_eq!(owed.meets(registers(20, 2), true, 1), None);
    }
}
