//! Which registers of a thread that begins matter: those of which its code may read what is there before it
//! writes them.
//!
//! This is liveness, backwards over a routine's blocks, of bytes. An instruction that reads or writes channel by
//! channel is looked at channel by channel: a channel takes its own way through the blocks, so what it has written is
//! there when it reads it, whatever the others do. Instructions without a mask, branches, and messages that are not
//! prepared read for all.

use core::ops::Range;
use std::collections::BTreeSet;

use isa_encoder::Attributes;
use isa_encoder::semantics::{Flow, Semantics};

use super::accumulator;
use super::family::Rules;
use super::lines::Lines;
use super::op::{Action, Op, Pred, SendOp};
use super::operand::{Kind, Target};
use super::regs::{self, GRF_BASE};
use super::routine::{Block, Routine};
use super::unread::{block_response, known_successors, writes_always};
use super::vector;

/// The most blocks that are looked at; each has a table of all registers. Of larger routines all registers matter.
const BLOCKS: usize = 256;

/// The bytes of accumulators, and of what is kept beside them.
const ACCUMULATORS: Range<usize> = regs::ACC..regs::ADDRESS;
const WHOLES: Range<usize> = regs::ACC_WIDE..regs::NULL;

/// Who may read a byte before it is written: nobody, everybody, or, as `n + 1`, channel `n`.
type Reader = u8;
const NOBODY: Reader = 0;
const ALL: Reader = u8::MAX;

/// The lines of general registers and accumulators of which threads that begin at an op, with all of these channels,
/// read no byte before they have written it.
pub(super) fn lines(routine: &Routine, at: usize, channels: u32, rules: Rules) -> Lines {
    let mut settled = Lines::default();
    let Some(readers) = Liveness::of(routine, at, channels, rules) else {
        return settled;
    };
    let known = |at| [ACCUMULATORS, WHOLES].iter().any(|all| all.contains(&at)) || at >= GRF_BASE;
    settled.mark_whole(|at| known(at) && readers.0.get(at) == Some(&NOBODY));
    settled
}

/// The readers of each byte of the register file, from some place in the code on. Of architecture registers, it knows
/// those of the accumulators alone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Readers(Vec<Reader>);

impl Readers {
    fn get(&mut self, start: usize, count: usize) -> &mut [Reader] {
        let end = (start + count).min(self.0.len());
        let start = start.min(end);
        &mut self.0[start..end]
    }

    /// `reader` reads these bytes here.
    fn read(&mut self, start: usize, count: usize, reader: Reader) {
        for known in self.get(start, count) {
            *known = both(*known, reader);
        }
    }

    /// These bytes are written here. A channel's write ends its own reads alone.
    fn write(&mut self, start: usize, count: usize, writer: Reader) {
        for known in self.get(start, count) {
            if writer == ALL || *known == writer {
                *known = NOBODY;
            }
        }
    }

    /// Those behind an instruction, too. No channel goes there from here, if `channels` is false, but the thread may.
    fn join(&mut self, other: &Self, channels: bool) {
        for (known, other) in self.0.iter_mut().zip(&other.0) {
            if channels || *other == ALL {
                *known = both(*known, *other);
            }
        }
    }
}

/// Who reads, where these two may.
const fn both(one: Reader, other: Reader) -> Reader {
    match (one, other) {
        (NOBODY, only) | (only, NOBODY) => only,
        _ if one == other => one,
        _ => ALL,
    }
}

struct Liveness<'a> {
    routine: &'a Routine,
    rules: Rules,
    channels: u32,
    /// Ops that follow each other from the first on, up to where channels may part: all channels execute these.
    together: Range<usize>,
}

impl<'a> Liveness<'a> {
    /// The readers at the op at `at`; `None` if there are too many blocks.
    fn of(routine: &'a Routine, at: usize, channels: u32, rules: Rules) -> Option<Readers> {
        let (first, number) = (routine.block_of(at)?, routine.number_of(at)?);
        let parts = |op: &Op| matches!(op.action, Action::Flow | Action::Paired);
        let ops = routine.ops().get(at..)?;
        let pairs = ops.iter().zip(ops.iter().skip(1));
        let follows = |(op, next): &(&Op, &Op)| !parts(op) && op.next_ip == next.ip;
        let own = Self {
            routine,
            rules,
            channels,
            together: at..at + pairs.take_while(follows).count(),
        };
        let blocks = routine.blocks();
        if blocks.len() > BLOCKS {
            return None;
        }
        let next: Vec<_> = blocks.iter().map(|block| own.behind(block)).collect();
        let nobody = Readers(vec![NOBODY; regs::end(rules.family, 256)]);
        let everybody = Readers(vec![ALL; nobody.0.len()]);
        // By block, the readers at its begin: they only become more.
        let mut begins = vec![nobody.clone(); blocks.len()];
        let at_end = |number: usize, begins: &[Readers], end: &mut Readers| {
            end.clone_from(&nobody);
            match &next[number] {
                Some(all) => {
                    for &(next, channels) in all {
                        end.join(&begins[next], channels);
                    }
                }
                None => end.clone_from(&everybody),
            }
        };
        let mut end = nobody.clone();
        let mut open: BTreeSet<usize> = (0..blocks.len()).collect();
        while let Some(number) = open.pop_last() {
            let block = &blocks[number];
            at_end(number, &begins, &mut end);
            own.before(block.first..block.end, &mut end);
            if begins[number] != end {
                begins[number].clone_from(&end);
                let leads = |to: &Option<Vec<(usize, bool)>>| {
                    let mut to = to.iter().flatten();
                    to.any(|(to, _)| *to == number)
                };
                let before = next.iter().enumerate();
                open.extend(before.filter(|(_, to)| leads(to)).map(|(from, _)| from));
            }
        }
        at_end(number, &begins, &mut end);
        own.before(at..first.end, &mut end);
        Some(end)
    }

    /// The numbers of the blocks that may follow, and whether channels go there, if all are known.
    fn behind(&self, block: &Block) -> Option<Vec<(usize, bool)>> {
        let last = self.routine.ops().get(block.end.checked_sub(1)?)?;
        let number = |ip: u32| {
            let (op, to) = self.routine.find(ip)?;
            self.routine.number_of(op).filter(|_| to.first == op)
        };
        match last.ends_block() {
            true => {
                let to = known_successors(last)?;
                let some = |ip| Some((number(ip)?, self.takes(last, ip)));
                to.map(some).collect()
            }
            false => Some(vec![(number(last.next_ip)?, true)]),
        }
    }

    /// Whether a channel may go from a terminator to one of its successors. The thread alone goes there, too, where no
    /// channel is left. Source: what [`flow`](super::flow) does.
    fn takes(&self, op: &Op, ip: u32) -> bool {
        let Semantics::Flow(kind) = op.does else {
            return true;
        };
        let (next, jip) = (ip == op.next_ip, op.targets.jip == Some(ip));
        let uip = ip == op.targets.uip;
        // Those that do not branch: their predicate does not hold, or they are none of the op's.
        let others = self.channels & !(op.size_mask() << op.channel_offset);
        let stay = next && (op.pred != Pred::Always || others != 0);
        match kind {
            Flow::If => next || jip,
            Flow::Else | Flow::Break | Flow::Cont | Flow::Halt => uip || stay,
            Flow::Endif | Flow::Join => next,
            Flow::While => jip || stay,
            // Which ones leave depends on the family.
            Flow::Goto => next || uip,
            Flow::Jump | Flow::Brd | Flow::Brc | Flow::Call { .. } | Flow::Ret => true,
        }
    }

    /// Makes the readers behind some ops those before them.
    fn before(&self, ops: Range<usize>, readers: &mut Readers) {
        for index in ops.rev() {
            let Some(op) = self.routine.ops().get(index) else {
                continue;
            };
            let known = match &op.action {
                Action::Nop | Action::Barrier => true,
                Action::Fast(_) | Action::General => self.compute(index, op, readers),
                Action::Flow => sources(op, readers),
                Action::Send(send) => self.message(index, op, send, readers),
                Action::Paired => false,
            };
            if !known {
                readers.0.fill(ALL);
            }
        }
    }

    /// Whose reads and writes those of an op's lane are.
    fn of_lane(&self, op: &Op, lane: usize) -> Reader {
        match op.no_mask {
            true => ALL,
            false => op.channel_offset + lane as u8 + 1,
        }
    }

    /// Whose writes those of an op's lane are, where the op is one of the first.
    fn writer(&self, index: usize, op: &Op, lane: usize) -> Reader {
        let own = self.channels >> op.channel_offset & op.size_mask();
        match self.together.contains(&index) && own == op.size_mask() {
            true => ALL,
            false => self.of_lane(op, lane),
        }
    }

    /// False if it is not known what the op reads.
    fn compute(&self, index: usize, op: &Op, readers: &mut Readers) -> bool {
        // What is lane by lane reads its sources' regions, and no more.
        if vector::request(op, self.rules).is_none() {
            return false;
        }
        if op.dst.target == Target::Direct && writes_always(op) {
            let size = op.dst.ty.bytes() as usize;
            for lane in 0..op.lanes() {
                let start = op.dst.base as usize + lane * usize::from(op.dst.stride);
                let writer = self.writer(index, op, lane);
                readers.write(start, size, writer);
                if let Some(whole) = explicit_whole(op, start) {
                    readers.write(whole.start, whole.len(), writer);
                }
            }
        }
        self.accumulate(index, op, readers);
        for source in &op.src {
            match source.kind {
                Kind::None | Kind::Immediate => {}
                Kind::Direct => {
                    let size = source.element.bytes() as usize;
                    for lane in 0..op.lanes() {
                        let start = source.base as usize + source.element_offset(lane);
                        readers.read(start, size, self.of_lane(op, lane));
                    }
                }
                Kind::Indirect => return false,
            }
        }
        true
    }

    /// What an op does with an accumulator that it does not name.
    fn accumulate(&self, index: usize, op: &Op, readers: &mut Readers) {
        let first = accumulator::first_element(op, self.rules.grf_bytes);
        let element = |lane: usize| {
            let [low, other] = accumulator::touched(op, self.rules.grf_bytes, lane);
            (low, other, accumulator::wide_at(first + lane))
        };
        // Others may write less of an element, and no whole.
        if op.write_acc && op.opcode.has(Attributes::WRITES_ACC) && op.pred == Pred::Always {
            for lane in 0..op.lanes() {
                let (low, other, whole) = element(lane);
                let writer = self.writer(index, op, lane);
                if low == other {
                    readers.write(low.start, low.len(), writer);
                }
                readers.write(whole, 8, writer);
            }
        }
        if op.opcode.has(Attributes::READS_ACC) {
            for lane in 0..op.lanes() {
                let (low, other, whole) = element(lane);
                let reader = self.of_lane(op, lane);
                for (start, count) in [
                    (low.start, low.len()),
                    (other.start, other.len()),
                    (whole, 8),
                ] {
                    readers.read(start, count, reader);
                }
            }
        }
    }

    /// False if it is not known what the message reads.
    fn message(&self, index: usize, op: &Op, send: &SendOp, readers: &mut Readers) -> bool {
        let Some(spans) = send.known_spans() else {
            return false;
        };
        if send.registers.gathered.is_some() {
            return false;
        }
        if send.eot {
            // What comes behind it is another thread's.
            readers.0.fill(NOBODY);
        }
        let always = op.pred == Pred::Always;
        let Some(plain) = &send.plain else {
            if let Some((response, _)) = block_response(send).filter(|_| always && op.no_mask) {
                readers.write(response.start as usize, response.range().len(), ALL);
            }
            for span in [spans.src0, spans.src1] {
                readers.read(span.start as usize, span.range().len(), ALL);
            }
            return true;
        };
        for (lane, bytes) in plain.response(op.exec_size).filter(|_| always) {
            readers.write(bytes.start, bytes.len(), self.writer(index, op, lane));
        }
        for (lane, bytes) in plain.payload(op.exec_size) {
            readers.read(bytes.start, bytes.len(), self.of_lane(op, lane));
        }
        true
    }
}

/// Where the whole of an integer is kept that an op writes to an accumulator, to these register bytes and up.
fn explicit_whole(op: &Op, start: usize) -> Option<Range<usize>> {
    let size = op.dst.ty.bytes() as usize;
    let element = ACCUMULATORS
        .contains(&start)
        .then(|| (start - regs::ACC) / size)?;
    let keeps =
        !op.dst.ty.is_float() && matches!(size, 2 | 4) && element < accumulator::WIDE_CHANNELS;
    keeps.then(|| accumulator::wide_at(element)..accumulator::wide_at(element + 1))
}

/// A branch reads its sources for all channels. False if it is not known where they are.
fn sources(op: &Op, readers: &mut Readers) -> bool {
    for source in &op.src {
        match source.kind {
            Kind::None | Kind::Immediate => {}
            Kind::Direct => readers.read(source.base as usize, source.extent(op.lanes()), ALL),
            Kind::Indirect => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use devinfo::{Family, GpuAddress};
    use isa_encoder::{AsmOptions, assemble};
    use softgpu_memory::AddressSpace;

    use super::super::routine::Source;
    use super::*;

    /// Whether r30 and r31 need not be cleared for threads of these channels that execute `text`.
    fn is_settled(channels: u32, text: &str) -> bool {
        let at = GRF_BASE + 30 * 32;
        is_settled_in(at..at + 64, channels, text)
    }

    /// Whether these bytes need not.
    fn is_settled_in(bytes: Range<usize>, channels: u32, text: &str) -> bool {
        const CODE: GpuAddress = GpuAddress::new(0x1_0000);
        let text = format!(
            "//.platform dg2
             {text}
             (W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {{EOT,A@1}}\n"
        );
        let assembly = assemble(&text, &AsmOptions::default()).expect("it assembles");
        let space = AddressSpace::with_anonymous(&[(CODE, 0x1000)]).expect("memory");
        let memory = &space.view();
        memory.write(CODE, &assembly.code).expect("bound");
        let rules = Rules::of(Family::XeHpg);
        let source = Source {
            memory,
            base: CODE,
            rules,
            grf_count: 128,
        };
        let routine = Routine::decode(&source, 0, 1000, |_| false).expect("it decodes");
        let line = Lines::inside(bytes);
        line.without(&lines(&routine, 0, channels, rules)) == Lines::NONE
    }

    const FULL: u32 = 0xffff;
    const WRITES: &str = "mov (16|M0) r30.0<1>:ud r1.0<1;1,0>:ud\n";
    const READS: &str = "add (16|M0) r40.0<1>:ud r30.0<1;1,0>:ud 1:ud\n";
    const READS_ALL: &str = "(W) add (16|M0) r40.0<1>:ud r30.0<1;1,0>:ud 1:ud\n";

    /// Channels part: of those in one branch, and of the others.
    fn parted(one: &str, other: &str, behind: &str) -> String {
        format!(
            "cmp (16|M0) (lt)f0.0 null<1>:ud r1.0<1;1,0>:ud 2048:ud
             (f0.0) if (16|M0) other over
             {one}
             else (16|M0) over over
             other:
             {other}
             over:
             endif (16|M0) behind
             behind:
             {behind}"
        )
    }

    #[test]
    fn what_is_written_before_it_is_read_does_not_matter() {
        assert!(is_settled(FULL, ""));
        assert!(is_settled(FULL, &format!("{WRITES}{READS}")));
        assert!(is_settled(FULL, &format!("{WRITES}{READS_ALL}")));
        assert!(!is_settled(FULL, READS));
        assert!(!is_settled(FULL, &format!("{READS}{WRITES}")));
        let part = "mov (8|M0) r30.0<1>:ud r1.0<1;1,0>:ud\n";
        assert!(!is_settled(FULL, &format!("{part}{READS}")));
        let maybe = "(f0.0) mov (16|M0) r30.0<1>:ud r1.0<1;1,0>:ud\n";
        assert!(!is_settled(FULL, &format!("{maybe}{READS}")));
        let selects = "(f0.0) sel (16|M0) r30.0<1>:ud r1.0<1;1,0>:ud 0:ud\n";
        assert!(is_settled(FULL, &format!("{selects}{READS}")));
        let smaller = "(f0.0) sel (16|M0) (lt)f0.0 r30.0<1>:ud r1.0<1;1,0>:ud r2.0<1;1,0>:ud\n";
        assert!(!is_settled(FULL, &format!("{smaller}{READS}")));
        let anywhere = "mov (16|M0) r40.0<1>:ud r[a0.0]<1;1,0>:ud\n";
        assert!(is_settled(FULL, &format!("{WRITES}{anywhere}")));
        assert!(!is_settled(FULL, anywhere));
    }

    #[test]
    fn accumulators_are_read_by_name_and_by_those_that_accumulate() {
        let [low, whole] = [regs::ACC, regs::ACC_WIDE].map(|at| at..at + 64);
        let settled = |channels: u32, text: &str| {
            [&low, &whole].map(|bytes| is_settled_in(bytes.clone(), channels, text))
        };
        let writes = "mul (8|M0) acc0.0<1>:d r1.0<1;1,0>:d r2.0<2;1,0>:uw\n";
        let reads = "mov (8|M0) r40.0<1>:d acc0.0<1;1,0>:d\n";
        let accumulates = "mach (8|M0) r40.0<1>:d r1.0<1;1,0>:d r2.0<1;1,0>:d\n";
        assert_eq!(settled(0xff, ""), [true, true]);
        assert_eq!(settled(0xff, &format!("{writes}{reads}")), [true, true]);
        assert_eq!(
            settled(0xff, &format!("{writes}{accumulates}")),
            [true, true]
        );
        assert_eq!(settled(0xff, reads), [false, true]);
        assert_eq!(settled(0xff, accumulates), [false, false]);
        // Of other channels, of a type without a whole, and where a predicate may leave something.
        let few = "mul (4|M0) acc0.0<1>:d r1.0<1;1,0>:d r2.0<2;1,0>:uw\n";
        assert_eq!(
            settled(0xff, &format!("{few}{accumulates}")),
            [false, false]
        );
        let float = "mov (8|M0) acc0.0<1>:f r1.0<1;1,0>:f\n";
        assert_eq!(
            settled(0xff, &format!("{float}{accumulates}")),
            [true, false]
        );
        let maybe = "(f0.0) mov (8|M0) acc0.0<1>:d r1.0<1;1,0>:d\n";
        assert_eq!(
            settled(0xff, &format!("{maybe}{accumulates}")),
            [false, false]
        );
    }

    #[test]
    fn channels_read_what_they_have_written() {
        let few = format!("{WRITES}{READS}");
        assert!(is_settled(0xff, &few));
        assert!(!is_settled(0xff, &format!("{WRITES}{READS_ALL}")));
        assert!(is_settled(FULL, &parted(WRITES, WRITES, READS)));
        assert!(is_settled(FULL, &parted(&few, "", "")));
        assert!(!is_settled(FULL, &parted(WRITES, "", READS)));
        assert!(!is_settled(FULL, &parted("", WRITES, READS)));
        assert!(!is_settled(FULL, &parted(WRITES, WRITES, READS_ALL)));
        // Of other channels: of the next one, and each of one.
        for others in ["r30.1<1;1,0>", "r30.0<0;1,0>", "r30.0<2;1,0>"] {
            let reads = format!("mov (8|M0) r40.0<1>:ud {others}:ud\n");
            let reads = parted(WRITES, WRITES, &reads);
            assert!(!is_settled(FULL, &reads), "{others}");
        }
    }

    #[test]
    fn channels_that_do_not_branch_go_on() {
        let halts = |channels: u32, before: &str| {
            format!(
                "(f0.0) goto (16|M0) over over
                 {before}
                 halt ({channels}|M0) over over
                 {READS}
                 over:
                 halt (16|M0) behind behind
                 behind:
                 join (16|M0) end
                 end:\n"
            )
        };
        assert!(is_settled(FULL, &halts(16, "")));
        assert!(!is_settled(FULL, &halts(8, "")));
        assert!(!is_settled(FULL, &halts(16, READS)));
        // Without `(W)` it depends on the first channel.
        let jumps = |bits: &str| {
            format!(
                "(f0.0) goto (16|M0) over over
                 (W) jmpi (1|M0) over {bits}
                 {READS}
                 over:
                 join (16|M0) end
                 end:\n"
            )
        };
        assert!(is_settled(FULL, &jumps("")));
        assert!(!is_settled(FULL, &jumps("//.bits 31=0")));
    }

    #[test]
    fn loops_are_looked_at_from_their_begin_on() {
        let loops = |body: &str| {
            format!(
                "again:
                 {body}
                 add (16|M0) (lt)f0.0 r10.0<1>:d r10.0<1;1,0>:d -1:d
                 (f0.0) while (16|M0) again\n"
            )
        };
        assert!(is_settled(FULL, &loops(&format!("{WRITES}{READS}"))));
        assert!(is_settled(FULL, &format!("{}{READS}", loops(WRITES))));
        assert!(!is_settled(FULL, &loops(&format!("{READS}{WRITES}"))));
        let before = format!("{WRITES}{}", loops(&format!("{READS}{WRITES}")));
        assert!(is_settled(FULL, &before));
    }

    #[test]
    fn messages_read_and_write_what_their_channels_have() {
        let load = "send.ugm (16|M0) r30 r10 null:0 0x0 0x08200580 {$1}\n";
        assert!(is_settled(FULL, &parted(load, WRITES, READS)));
        assert!(!is_settled(FULL, &parted(load, "", READS)));
        let store = "send.ugm (16|M0) null r10 r30:2 0x0 0x08000584 {$1}\n";
        assert!(is_settled(FULL, &parted(WRITES, WRITES, store)));
        assert!(!is_settled(FULL, store));
        let all = "(W) send.ugm (16|M0) null r10 r30:2 0x0 0x08000584 {$1}\n";
        assert!(!is_settled(FULL, &parted(WRITES, WRITES, all)));
    }
}
