//! Packets of reservations of pipes: one that a reservation has not is another one's.

use devinfo::report;
use spirv::Op;

use super::{Doubt, Fault, Rewriter};
use crate::bounds::build::push;
use crate::bounds::reach::compare;
use crate::module::Instruction;

impl Rewriter<'_> {
    /// How many packets a reservation is of.
    pub(super) fn reservation(&mut self, op: Op, one: &Instruction<'_>) {
        let count = match op {
            Op::ReserveReadPipePackets | Op::ReserveWritePipePackets => one.word(3),
            Op::GroupReserveReadPipePackets | Op::GroupReserveWritePipePackets => one.word(4),
            _ => return,
        };
        self.reservations.insert(one.word(1), count);
    }

    /// The index of a packet is compared with its reservation's count.
    pub(super) fn packet(&mut self, op: Op, one: &Instruction<'_>) -> Option<()> {
        let writes = match op {
            Op::ReservedReadPipe => 0,
            Op::ReservedWritePipe => report::WRITES,
            _ => return None,
        };
        let index = one.word(4);
        let count = *self.reservations.get(&one.word(3))?;
        let t = self.builder.types;
        if [index, count].map(|id| self.layout.type_of(id)) != [Some(t.word); 2] {
            return None;
        }
        let [index, count] = [index, count].map(|narrow| {
            let wide = self.builder.id();
            push(&mut self.words, Op::UConvert, &[t.wide, wide, narrow]);
            wide
        });
        let of = [index, count];
        let doubtful = compare(self.builder, &mut self.words, Op::UGreaterThanEqual, of);
        self.doubts.push(Doubt {
            doubtful,
            fault: Fault::NoSuch { index, count },
            bytes: 0,
            what: report::PACKET | writes,
            place: self.place.clone(),
        });
        Some(())
    }
}
