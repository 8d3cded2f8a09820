//! An access of a word, and whose it was.

use super::line::LINE;

/// In place of a channel: all that are there.
pub(crate) const ALL: u8 = u8::MAX;
/// In place of a channel: several, of which it is not known which did what.
const MANY: u8 = u8::MAX - 1;

/// What does an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum By {
    /// A load, a store or a read of the sampler.
    #[default]
    Plain,
    Atomic {
        /// It is for its work-group alone.
        narrow: bool,
    },
    /// A copy of the work-group with this event.
    Copy(u8),
}

/// An access of a word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    /// The thread, counted from 1; 0 is nobody.
    pub thread: u32,
    /// Its clock.
    pub clock: u32,
    /// The instruction.
    pub ip: u32,
    /// The message: channels of one message that write a word differently collide.
    pub message: u32,
    /// What a write stored, where its bytes are in the word.
    pub value: u32,
    /// The hardware slot of the thread.
    pub slot: u16,
    /// By byte of the word, the channel, [`ALL`] or [`MANY`].
    pub lanes: [u8; 4],
    /// One bit for each byte of the word.
    pub bytes: u8,
    /// Those that the message itself accessed: marks of a thread are joined.
    pub own: u8,
    pub by: By,
    /// In a line, the channel is that of the first word; the next word is the next channel's.
    pub row: bool,
    /// It is a channel's, and barriers alone order the channels of its thread.
    pub apart: bool,
}

impl Mark {
    /// Whether it is by an atomic operation.
    pub fn is_atomic(&self) -> bool {
        matches!(self.by, By::Atomic { .. })
    }

    /// Whether it is by an atomic operation that is for its work-group alone.
    pub fn is_narrow(&self) -> bool {
        self.by == By::Atomic { narrow: true }
    }

    /// The event of the copy that it is by.
    pub fn event(&self) -> Option<u8> {
        match self.by {
            By::Copy(event) => Some(event),
            By::Plain | By::Atomic { .. } => None,
        }
    }

    /// The same with what its thread did to other bytes since its last fence or barrier.
    pub(super) fn joined(self, older: &Mark) -> Mark {
        let of = |mark: &Mark| (mark.thread, mark.clock, mark.is_atomic(), mark.event());
        let kept = older.bytes & !self.bytes;
        let is_same = self.message == older.message;
        if of(&self) != of(older) || kept == 0 && !is_same {
            return self;
        }
        let is_apart = self.apart || kept != 0 && older.apart;
        let lanes = std::array::from_fn(|byte| {
            let has = |bytes: u8| bytes >> byte & 1 != 0;
            let lane = |mark: &Mark| match mark.apart == is_apart {
                true => mark.lanes[byte],
                false => MANY,
            };
            let differs = is_same && has(older.bytes) && self.lanes[byte] != older.lanes[byte];
            match has(self.bytes) {
                // But atomic operations of several collide with what any one of them does otherwise.
                true if is_apart && differs && !self.is_atomic() => MANY,
                true => lane(&self),
                false => lane(older),
            }
        });
        Mark {
            bytes: self.bytes | older.bytes,
            value: self.value | older.value & bits(kept),
            apart: is_apart,
            lanes,
            own: match is_same {
                true => self.own | older.own,
                false => self.own,
            },
            ..self
        }
    }

    /// Its parts that meet these bytes, one for each channel.
    pub(super) fn parts(&self, bytes: u8) -> impl Iterator<Item = Mark> {
        let mut left = match self.thread {
            0 => 0,
            _ => self.bytes & bytes,
        };
        let all = *self;
        std::iter::from_fn(move || {
            let first = all.lanes.get(left.trailing_zeros() as usize)?;
            let of = |(byte, lane): (usize, &u8)| u8::from(lane == first) << byte;
            let of = all
                .lanes
                .iter()
                .enumerate()
                .fold(0, |bits, one| bits | of(one));
            let bytes = left & of;
            left &= !of;
            Some(Mark { bytes, ..all })
        })
    }

    /// Whether another access of its thread is another channel's, which a barrier must put in order. Atomic
    /// operations need none between them.
    pub(super) fn is_beside(&self, other: &Mark) -> bool {
        let both = self.apart && other.apart && !(self.is_atomic() && other.is_atomic());
        let meet = self.bytes & other.bytes;
        let differs = |byte: usize| {
            let [a, b] = [self, other].map(|mark| mark.lanes[byte]);
            meet >> byte & 1 != 0 && a != b && a != MANY && b != MANY
        };
        let is_other = || self.row != other.row || (0..4).any(differs);
        both && self.thread == other.thread && is_other()
    }

    /// The channel of its first byte, if it is one's.
    pub fn lane(&self) -> Option<u8> {
        let first = self.lanes.get(self.bytes.trailing_zeros() as usize);
        first.copied().filter(|lane| !matches!(*lane, ALL | MANY))
    }

    /// The same where channels are not in order.
    pub fn channel(&self) -> Option<u8> {
        self.lane().filter(|_| self.apart)
    }

    /// Whether a channel's atomic operation follows its own store, and no fence or barrier is between.
    pub(super) fn precedes(&self, atomic: &Mark) -> bool {
        let of = |mark: &Mark| (mark.apart, mark.thread, mark.clock, mark.lanes);
        !self.is_atomic() && atomic.apart && of(self) == of(atomic)
    }

    /// Whether two writes store the same in the bytes that both write.
    pub(super) fn agrees(&self, other: &Mark) -> bool {
        let both = bits(self.bytes & other.bytes);
        !self.is_atomic() && !other.is_atomic() && (self.value ^ other.value) & both == 0
    }

    /// That of a word of a line.
    pub(super) fn of(self, word: usize, values: &[u32; LINE]) -> Self {
        Self {
            lanes: self.lanes.map(|lane| match self.row {
                true => lane + word as u8,
                false => lane,
            }),
            value: values[word],
            row: false,
            ..self
        }
    }
}

/// The bits of these bytes of a word.
fn bits(bytes: u8) -> u32 {
    (0..4)
        .filter(|byte| bytes >> byte & 1 != 0)
        .fold(0, |bits, byte| bits | 0xff << (8 * byte))
}
