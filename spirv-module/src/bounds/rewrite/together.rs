//! What channels of a sub-group do together: code tells which channel a shuffle reads, where all channels
//! should be, and what should be the same for all.

use devinfo::report;
use spirv::{BuiltIn, Op, Scope};

use super::orders::{commits, is_collective};
use super::{Doubt, Fault, Rewriter, STORE};
use crate::bounds::build::push;
use crate::bounds::layout::Kind;
use crate::bounds::reach::{arithmetic, compare};
use crate::module::Instruction;

/// The channels of the smallest sub-groups.
const NARROWEST: i64 = 8;

/// The word with the channel that a shuffle reads, and what it says.
fn shuffled(op: Op) -> Option<(usize, u32)> {
    Some(match op {
        Op::SubgroupShuffleINTEL => (3, report::BY_NUMBER),
        Op::SubgroupShuffleXorINTEL => (3, report::BY_DIFFERENCE),
        Op::SubgroupShuffleDownINTEL => (4, report::DOWN),
        Op::SubgroupShuffleUpINTEL => (4, report::UP),
        Op::GroupNonUniformShuffle | Op::GroupNonUniformBroadcast | Op::GroupBroadcast => {
            (4, report::BY_NUMBER)
        }
        Op::GroupNonUniformShuffleXor => (4, report::BY_DIFFERENCE),
        _ => return None,
    })
}

/// Whether it reads or writes a block of a buffer or of an image.
fn is_block(op: Op) -> bool {
    matches!(
        op,
        Op::SubgroupBlockReadINTEL
            | Op::SubgroupBlockWriteINTEL
            | Op::SubgroupImageBlockReadINTEL
            | Op::SubgroupImageBlockWriteINTEL
            | Op::SubgroupImageMediaBlockReadINTEL
            | Op::SubgroupImageMediaBlockWriteINTEL
    )
}

/// The words with operands that must be the same for all channels: the channel of a broadcast
/// (`sub_group_broadcast`: "the same for all work-items in the sub-group"; `work_group_broadcast`: "in the
/// work-group"), the place of a block
/// (`cl_intel_subgroups`: so is the pointer or the coordinate), all of a copy (`async_work_group_copy`: "all
/// work-items … with the same argument values").
fn alike(op: Op) -> &'static [usize] {
    match op {
        Op::GroupBroadcast | Op::GroupNonUniformBroadcast => &[4],
        Op::SubgroupBlockReadINTEL => &[2],
        Op::SubgroupBlockWriteINTEL => &[0],
        Op::SubgroupImageBlockReadINTEL | Op::SubgroupImageMediaBlockReadINTEL => &[3],
        Op::SubgroupImageBlockWriteINTEL | Op::SubgroupImageMediaBlockWriteINTEL => &[1],
        Op::GroupAsyncCopy => &[3, 4, 5, 6],
        _ => &[],
    }
}

impl Rewriter<'_> {
    /// Tells what an instruction does with the channels of its sub-group.
    pub(super) fn tell(&mut self, op: Op, one: &Instruction<'_>) -> Option<()> {
        let scope = match op {
            Op::ControlBarrier | Op::GroupWaitEvents => one.word(0),
            _ if commits(op) => one.word(0),
            Op::SubgroupShuffleINTEL
            | Op::SubgroupShuffleXorINTEL
            | Op::SubgroupShuffleDownINTEL
            | Op::SubgroupShuffleUpINTEL => 0,
            _ if is_block(op) => 0,
            _ => one.word(2),
        };
        let shuffled = shuffled(op);
        let block = is_block(op);
        let together = is_collective(op) || block;
        let together = together
            || matches!(
                op,
                Op::ControlBarrier | Op::GroupAsyncCopy | Op::GroupWaitEvents
            );
        if shuffled.is_none() && !together {
            return None;
        }
        let is = |of: Scope| self.layout.constant(scope) == Some(of as i64);
        if together && is(Scope::Workgroup) {
            let none = self.builder.word(0);
            self.store_report([none; 3], report::TOGETHER | report::GROUP);
            return Some(());
        }
        if scope != 0 && !is(Scope::Subgroup) {
            return None;
        }
        let t = self.builder.types;
        let none = self.builder.word(0);
        let (channel, kind) = match shuffled {
            Some((word, kind)) => (one.word(word), kind),
            None => (none, 0),
        };
        let number = (channel != none)
            .then(|| self.layout.type_of(channel))
            .flatten();
        // A distance that no sub-group is too small for: a stencil reads its neighbour before it asks whether there
        // is one.
        let known = self.layout.constant(channel);
        let known = known.is_some_and(|known| (0..NARROWEST).contains(&known));
        let known = known && kind != report::BY_NUMBER;
        let shuffles = shuffled.is_some() && number == Some(t.word) && !known;
        if !shuffles && !together {
            return None;
        }
        let channel = if shuffles { channel } else { none };
        let what = if shuffles { report::SHUFFLES } else { 0 }
            | if together { report::TOGETHER } else { 0 }
            | if block { report::BLOCK } else { 0 };
        let kind = self.builder.word(kind);
        self.store_report([channel, none, kind], what);
        Some(())
    }

    /// Tells an operand that must be the same for all channels, or for all of the work-group: whether it is shows
    /// when each has told its own.
    pub(super) fn tell_alike(&mut self, op: Op, one: &Instruction<'_>) {
        for word in alike(op) {
            let operand = one.word(*word);
            if self.layout.constant(operand).is_none()
                && let Some((parts, count)) = self.parts(operand)
            {
                let of_group = if self.is_of_group(op, one) {
                    self.operands = self.operands.wrapping_add(1);
                    let number = self.operands << report::OPERAND.trailing_zeros();
                    report::GROUPS | number & report::OPERAND
                } else {
                    0
                };
                self.store_report(parts, report::ALIKE | of_group | count);
            }
        }
    }

    /// Whether a broadcast or a copy is of the whole work-group.
    fn is_of_group(&self, op: Op, one: &Instruction<'_>) -> bool {
        let is_known = matches!(op, Op::GroupBroadcast | Op::GroupAsyncCopy);
        is_known && self.layout.constant(one.word(2)) == Some(Scope::Workgroup as i64)
    }

    /// The local id that `work_group_broadcast` has is compared with the group's size.
    pub(super) fn item(&mut self, op: Op, one: &Instruction<'_>) -> Option<()> {
        if op != Op::GroupBroadcast || !self.is_of_group(op, one) {
            return None;
        }
        let place = one.word(4);
        let ty = self.layout.type_of(place)?;
        let (component, count) = match *self.layout.kind(ty)? {
            Kind::Vector { component, count } => (component, u32::try_from(count).ok()?),
            _ => (ty, 1),
        };
        let wide = self.builder.types.wide;
        if component != wide || count > 3 {
            return None;
        }
        let three = self.builder.vector(wide, 3, self.layout);
        let size = BuiltIn::WorkgroupSize;
        let variable = self.builder.input(size, three, self.layout)?;
        let sizes = self.builder.id();
        push(&mut self.words, Op::Load, &[three, sizes, variable]);
        for direction in 0..count {
            let id = self.component(wide, (place, count), direction);
            if self.layout.constant(id) == Some(0) {
                continue;
            }
            let size = self.component(wide, (sizes, 3), direction);
            let of = [id, size];
            let doubtful = compare(self.builder, &mut self.words, Op::UGreaterThanEqual, of);
            self.doubts.push(Doubt {
                doubtful,
                fault: Fault::NoSuch {
                    index: id,
                    count: size,
                },
                bytes: 0,
                what: report::ITEM | direction,
                place: self.place.clone(),
            });
        }
        Some(())
    }

    /// An operand as words of 32 bits, and how many numbers these are: none, if it is a pointer. Of numbers of 64
    /// bits, which are indices and counts, it is the lower half.
    fn parts(&mut self, operand: u32) -> Option<([u32; 3], u32)> {
        let ty = self.layout.type_of(operand)?;
        let none = self.builder.word(0);
        match *self.layout.kind(ty)? {
            Kind::Integer { .. } => Some(([self.low(operand, ty)?, none, none], 1)),
            Kind::Vector { component, count } => {
                let mut parts = [none; 3];
                for (index, part) in parts.get_mut(..count as usize)?.iter_mut().enumerate() {
                    let id = self.builder.id();
                    let of = [component, id, operand, index as u32];
                    push(&mut self.words, Op::CompositeExtract, &of);
                    *part = self.low(id, component)?;
                }
                Some((parts, count as u32))
            }
            Kind::Pointer { .. } => {
                let t = self.builder.types;
                let address = self.builder.id();
                push(
                    &mut self.words,
                    Op::ConvertPtrToU,
                    &[t.wide, address, operand],
                );
                let [low, high] = self.halves(address);
                Some(([low, high, none], 0))
            }
            _ => None,
        }
    }

    /// The halves of a number of 64 bits.
    pub(super) fn halves(&mut self, wide: u32) -> [u32; 2] {
        let bits = self.builder.wide(32);
        let words = &mut self.words;
        let builder = &mut *self.builder;
        let high = arithmetic(builder, words, Op::ShiftRightLogical, [wide, bits]);
        let word = builder.types.word;
        [wide, high].map(|of| {
            let id = builder.id();
            push(words, Op::UConvert, &[word, id, of]);
            id
        })
    }

    /// The lower 32 bits of a number.
    fn low(&mut self, number: u32, ty: u32) -> Option<u32> {
        let t = self.builder.types;
        if ty == t.word {
            return Some(number);
        }
        let Kind::Integer { bits: 64 } = *self.layout.kind(ty)? else {
            return None;
        };
        let id = self.builder.id();
        push(&mut self.words, Op::UConvert, &[t.word, id, number]);
        Some(id)
    }

    /// Stores a report. Channels whose words differ store theirs in different slots.
    pub(super) fn store_report(&mut self, [first, second, third]: [u32; 3], what: u32) {
        let what = self.builder.word(what);
        let none = self.builder.word(0);
        self.added = true;
        let words = &mut self.words;
        let builder = &mut *self.builder;
        let t = builder.types;
        let all = builder.id();
        push(
            words,
            Op::CompositeConstruct,
            &[t.four, all, first, second, third, what],
        );
        let mut wide = |of| {
            let id = builder.id();
            push(words, Op::UConvert, &[t.wide, id, of]);
            id
        };
        let wide_first = wide(first);
        let wide_second = (second != none).then(|| wide(second));
        let key = match wide_second {
            Some(second) => arithmetic(builder, words, Op::BitwiseXor, [wide_first, second]),
            None => wide_first,
        };
        let mask = builder.wide(report::SLOTS - 1);
        let slot = arithmetic(builder, words, Op::BitwiseAnd, [key, mask]);
        let bytes = builder.wide(report::SLOT);
        let slot = arithmetic(builder, words, Op::IMul, [slot, bytes]);
        let first = builder.wide(report::ADDRESS);
        let address = arithmetic(builder, words, Op::IAdd, [slot, first]);
        let pointer = builder.id();
        push(words, Op::ConvertUToPtr, &[t.to_four, pointer, address]);
        push(words, Op::Store, &[&[pointer, all], &STORE[..]].concat());
    }
}
