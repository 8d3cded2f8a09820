//! What channels of a sub-group do together: code tells which channel a shuffle reads, and where all channels
//! should be.

use devinfo::report;
use spirv::{Op, Scope};

use super::{Rewriter, STORE};
use crate::bounds::build::push;
use crate::bounds::reach::arithmetic;
use crate::module::Instruction;
use crate::types::needs_all;

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

impl Rewriter<'_> {
    /// Tells what an instruction does with the channels of its sub-group.
    pub(super) fn tell(&mut self, op: Op, one: &Instruction<'_>) -> Option<()> {
        let scope = match op {
            Op::ControlBarrier => one.word(0),
            Op::SubgroupShuffleINTEL
            | Op::SubgroupShuffleXorINTEL
            | Op::SubgroupShuffleDownINTEL
            | Op::SubgroupShuffleUpINTEL
            | Op::SubgroupBlockReadINTEL
            | Op::SubgroupBlockWriteINTEL => 0,
            _ => one.word(2),
        };
        let shuffled = shuffled(op);
        let block = matches!(op, Op::SubgroupBlockReadINTEL | Op::SubgroupBlockWriteINTEL);
        let together = needs_all(op) || op == Op::ControlBarrier || block;
        if shuffled.is_none() && !together {
            return None;
        }
        if scope != 0 && self.layout.constant(scope) != Some(Scope::Subgroup as i64) {
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
        // All sub-groups have the channels that the smallest have.
        let known = self.layout.constant(channel);
        let known = known.is_some_and(|known| (0..NARROWEST).contains(&known));
        let shuffles = shuffled.is_some() && number == Some(t.word) && !known;
        if !shuffles && !together {
            return None;
        }
        let channel = if shuffles { channel } else { none };
        let what = if shuffles { report::SHUFFLES } else { 0 }
            | if together { report::TOGETHER } else { 0 }
            | if block { report::BLOCK } else { 0 };
        let [kind, what] = [kind, what].map(|number| self.builder.word(number));
        self.added = true;
        let words = &mut self.words;
        let builder = &mut *self.builder;
        let all = builder.id();
        push(
            words,
            Op::CompositeConstruct,
            &[t.four, all, channel, none, kind, what],
        );
        let wide = builder.id();
        push(words, Op::UConvert, &[t.wide, wide, channel]);
        let mask = builder.wide(report::SLOTS - 1);
        let slot = arithmetic(builder, words, Op::BitwiseAnd, [wide, mask]);
        let bytes = builder.wide(report::SLOT);
        let slot = arithmetic(builder, words, Op::IMul, [slot, bytes]);
        let first = builder.wide(report::ADDRESS);
        let address = arithmetic(builder, words, Op::IAdd, [slot, first]);
        let pointer = builder.id();
        push(words, Op::ConvertUToPtr, &[t.to_four, pointer, address]);
        push(words, Op::Store, &[&[pointer, all], &STORE[..]].concat());
        Some(())
    }
}
