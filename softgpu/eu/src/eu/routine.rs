//! Routines: code decoded from one entry on, in basic blocks.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use devinfo::GpuAddress;
use isa_encoder::message::Message as Meaning;
use isa_encoder::{Opcode, Specific};
use softgpu_memory::{self as memory, View};

use super::family::Rules;
use super::lines::Lines;
use super::lower::lower;
use super::native::Native;
use super::op::{Action, Op, Pred};
use super::unread::{self, Unread};
use crate::Fault;

/// What instructions are decoded from, and for which family.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub memory: &'a View<'a>,
    /// The instruction base.
    pub base: GpuAddress,
    pub rules: Rules,
    /// Registers per thread.
    pub grf_count: u16,
}

/// Ops that execute from the first to the last.
///
/// Only the last one may branch, wait for other threads, or end the thread: the terminator. The ops
/// before it are the body.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The address of the first op, and of the last.
    pub ip: u32,
    pub last_ip: u32,
    /// Its ops in the routine: the first, the end of the body, the end.
    pub first: usize,
    pub body_end: usize,
    pub end: usize,
    /// The sum of the body's execution sizes.
    pub channels: u64,
    /// The numbers of the blocks that may follow, as far as the routine has them: those at the
    /// terminator's targets, and the next one.
    pub next: [Option<u32>; 3],
}

/// The code reached from one entry without a jump whose target is in a register.
///
/// Its blocks with their successors are its control-flow graph.
#[derive(Debug)]
pub(super) struct Routine {
    /// By address.
    ops: Box<[Op]>,
    /// By address.
    blocks: Box<[Block]>,
    /// The block of each op.
    of_op: Box<[u32]>,
    /// The op at each multiple of 8 bytes from the first on, unless they are too far apart.
    at: Box<[Option<u32>]>,
    /// The decoded bytes, by address: runs without a gap.
    image: BTreeMap<u32, Vec<u8>>,
    /// What it may write.
    written: Lines,
    /// Some op waits at a barrier.
    waits: bool,
    /// Some op waits for other threads, or may signal a barrier.
    meets: bool,
    /// Some op is an atomic operation.
    is_atomic: bool,
    /// The bytes of a thread's general registers.
    grf: u32,
    /// The same as host code.
    native: Native,
    /// For checks.
    unread: OnceLock<Arc<Unread>>,
}

impl Routine {
    /// Decodes the code reached from `entry`, except `known` code, and at most `limit` ops.
    ///
    /// # Errors
    /// [`Fault::Memory`] if the entry is not bound, [`Fault::IllegalInstruction`] if it is not an
    /// instruction. Other such places are omitted: a thread that gets there enters a separate
    /// routine.
    pub fn decode(
        source: &Source<'_>,
        entry: u32,
        limit: usize,
        known: impl Fn(u32) -> bool,
    ) -> Result<Self, Fault> {
        let mut reader = Reader {
            source,
            read: Vec::new(),
        };
        let mut ops = Vec::new();
        let mut seen = HashSet::new();
        let mut leaders = BTreeSet::new();
        let mut open = vec![entry];
        while let Some(start) = open.pop() {
            leaders.insert(start);
            let mut at = start;
            while ops.len() < limit && !known(at) && seen.insert(at) {
                let op = match reader.op(at) {
                    Ok(op) => op,
                    Err(fault) if at == entry => return Err(fault),
                    Err(_) => break,
                };
                if op.live {
                    // It reads a clock that counts whole blocks.
                    leaders.insert(at);
                }
                at = op.next_ip;
                let ends = op.ends_block();
                if ends {
                    open.extend(op.successors());
                }
                ops.push(op);
                if ends {
                    break;
                }
            }
        }
        ops.sort_unstable_by_key(|op| op.ip);
        let blocks = blocks(&ops, &leaders);
        let mut of_op = vec![0; ops.len()];
        for (number, block) in (0..).zip(&blocks) {
            if let Some(own) = of_op.get_mut(block.first..block.end) {
                own.fill(number);
            }
        }
        Ok(Self {
            written: Lines::written(&ops, source.rules.grf_bytes),
            waits: ops.iter().any(|op| matches!(op.action, Action::Barrier)),
            meets: ops.iter().any(|op| match &op.action {
                Action::Barrier | Action::Paired => true,
                Action::Send(send) => send.may_signal(),
                Action::Nop | Action::Flow | Action::Fast(_) | Action::General => false,
            }),
            is_atomic: ops.iter().any(is_atomic),
            grf: u32::from(source.grf_count) * source.rules.grf_bytes as u32,
            of_op: of_op.into(),
            at: places(&ops).into(),
            blocks: blocks.into(),
            image: reader.into_image(),
            native: Native::default(),
            unread: OnceLock::new(),
            ops: ops.into(),
        })
    }

    /// Whether the code at `base` is still the decoded code.
    pub fn is_at(&self, base: GpuAddress, memory: &View<'_>) -> bool {
        let mut now = [0; 1024];
        self.image.iter().all(|(&ip, bytes)| {
            let mut place = base.offset(ip.into());
            bytes.chunks(now.len()).all(|chunk| {
                let now = &mut now[..chunk.len()];
                let same = memory.read(place, now).is_ok() && now == chunk;
                place = place.offset(chunk.len() as u64);
                same
            })
        })
    }

    /// The ops, by address.
    #[inline]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The blocks, by address.
    #[inline]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The op at `ip` and its block.
    pub fn find(&self, ip: u32) -> Option<(usize, &Block)> {
        let op = match ip.checked_sub(self.ops.first()?.ip)? {
            _ if self.at.is_empty() => self.ops.binary_search_by_key(&ip, |op| op.ip).ok()?,
            ahead if ahead % 8 != 0 => return None,
            ahead => (*self.at.get(ahead as usize / 8)?)? as usize,
        };
        Some((op, self.block_of(op)?))
    }

    /// Whether some op waits at a barrier.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// Whether some op waits for other threads, or may signal a barrier.
    pub fn meets(&self) -> bool {
        self.meets
    }

    /// Whether some op is an atomic operation.
    pub fn is_atomic(&self) -> bool {
        self.is_atomic
    }

    /// The register bytes that it may write.
    pub fn written(&self) -> &Lines {
        &self.written
    }

    /// The bytes of a thread's general registers.
    pub fn grf(&self) -> u32 {
        self.grf
    }

    /// Its translations.
    pub fn native(&self) -> &Native {
        &self.native
    }

    /// What its messages load and nothing reads. Registers have `grf_bytes`.
    pub fn unread(&self, grf_bytes: usize) -> &Arc<Unread> {
        let find = || Arc::new(unread::of(self, grf_bytes));
        self.unread.get_or_init(find)
    }

    /// The block of an op.
    pub fn block_of(&self, op: usize) -> Option<&Block> {
        self.blocks.get(self.number_of(op)?)
    }

    /// The number of that block.
    pub fn number_of(&self, op: usize) -> Option<usize> {
        self.of_op.get(op).map(|number| *number as usize)
    }

    /// The block at `ip`, if it may follow `block`.
    #[inline]
    pub fn successor(&self, block: &Block, ip: u32) -> Option<&Block> {
        let mut next = block.next.iter().flatten();
        next.find_map(|&number| self.blocks().get(number as usize).filter(|b| b.ip == ip))
    }
}

/// Whether it is an atomic operation, as far as the text says.
fn is_atomic(op: &Op) -> bool {
    let Action::Send(send) = &op.action else {
        return false;
    };
    send.known_meaning().is_some_and(Meaning::is_atomic)
}

impl Op {
    /// Whether it is a terminator.
    pub fn ends_block(&self) -> bool {
        match &self.action {
            Action::Flow | Action::Barrier | Action::Paired => true,
            // A message that is unknown until it is sent may also end the thread.
            Action::Send(send) => {
                send.eot || matches!(send.known_meaning(), None | Some(Meaning::EndOfThread))
            }
            Action::Fast(_) | Action::General | Action::Nop => false,
        }
    }

    /// Where a terminator may lead, as far as it is known.
    pub fn successors(&self) -> impl Iterator<Item = u32> {
        let flow = matches!(self.action, Action::Flow);
        let always = self.pred == Pred::Always;
        let passes = match self.opcode {
            // Without `(W)` the jump depends on the first channel.
            Opcode::Jmpi => !always || !self.no_mask,
            _ => !matches!(&self.action, Action::Send(send) if send.eot),
        };
        let targets = self.targets.jip.filter(|_| flow);
        let targets = targets.into_iter().chain(targets.map(|_| self.targets.uip));
        targets.chain(passes.then_some(self.next_ip))
    }
}

/// Where ops, which are sorted, are, in multiples of 8 bytes. Nothing if that would be large.
fn places(ops: &[Op]) -> Vec<Option<u32>> {
    let (Some(first), Some(last)) = (ops.first(), ops.last()) else {
        return Vec::new();
    };
    let units = (last.ip - first.ip) as usize / 8 + 1;
    let odd = ops.iter().any(|op| !(op.ip - first.ip).is_multiple_of(8));
    if odd || units > 16 * ops.len() {
        return Vec::new();
    }
    let mut places = vec![None; units];
    for (number, op) in (0..).zip(ops) {
        if let Some(place) = places.get_mut((op.ip - first.ip) as usize / 8) {
            *place = Some(number);
        }
    }
    places
}

/// Cuts ops, which are sorted, into blocks.
fn blocks(ops: &[Op], leaders: &BTreeSet<u32>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut previous: Option<&Op> = None;
    for (index, op) in ops.iter().enumerate() {
        let ends = op.ends_block();
        let goes_on =
            |last: &Op| !last.ends_block() && last.next_ip == op.ip && !leaders.contains(&op.ip);
        if !previous.is_some_and(goes_on) {
            blocks.push(Block {
                ip: op.ip,
                last_ip: op.ip,
                first: index,
                body_end: index,
                end: index,
                channels: 0,
                next: [None; 3],
            });
        }
        if let Some(block) = blocks.last_mut() {
            block.last_ip = op.ip;
            block.end = index + 1;
            if !ends {
                block.body_end = index + 1;
                block.channels += u64::from(op.exec_size);
            }
        }
        previous = Some(op);
    }
    for index in 0..blocks.len() {
        let Some(last) = ops.get(blocks[index].end - 1) else {
            continue;
        };
        let number = |ip: u32| blocks.binary_search_by_key(&ip, |block| block.ip).ok();
        let mut next = [None; 3];
        for (slot, ip) in next.iter_mut().zip(last.successors()) {
            *slot = number(ip).map(|number| number as u32);
        }
        blocks[index].next = next;
    }
    blocks
}

/// Reads instructions, and keeps the bytes.
struct Reader<'a> {
    source: &'a Source<'a>,
    read: Vec<(u32, [u8; 16], usize)>,
}

impl Reader<'_> {
    /// The bytes of the instruction at `ip`: 16, or 8 of a compacted one that ends a page.
    fn fetch(&mut self, ip: u32) -> Result<([u8; 16], usize), Fault> {
        let memory = self.source.memory;
        let address = self.source.base.offset(ip.into());
        let mut bytes = [0; 16];
        let fault = |fault: memory::Fault| Fault::from(fault.of_fetch());
        memory.read(address, &mut bytes[..8]).map_err(fault)?;
        let length = match memory.read(address.offset(8), &mut bytes[8..]) {
            Ok(()) => 16,
            Err(_) if is_compacted(&bytes) => 8,
            Err(second) => return Err(fault(second)),
        };
        Ok((bytes, length))
    }

    fn instruction(&mut self, ip: u32) -> Result<(isa_encoder::Instruction, u32), Fault> {
        let (bytes, length) = self.fetch(ip)?;
        let family = self.source.rules.family;
        let (instruction, length) =
            isa_encoder::decode(family, &bytes[..length]).map_err(|error| {
                Fault::IllegalInstruction {
                    why: format!("at {ip:#x}: {error}"),
                }
            })?;
        self.read.push((ip, bytes, length));
        Ok((instruction, ip.wrapping_add(length as u32)))
    }

    fn op(&mut self, ip: u32) -> Result<Op, Fault> {
        let (mut instruction, next) = self.instruction(ip)?;
        if let (Opcode::Break, Specific::Branch(branch)) =
            (instruction.opcode, &mut instruction.specific)
            && let Some(uip) = branch.uip
        {
            // UIP names the `while` that ends the loop; channels that leave it wait after that.
            let end = ip.wrapping_add_signed(uip);
            if let Ok((last, after)) = self.instruction(end)
                && last.opcode == Opcode::While
            {
                branch.uip = Some(after.wrapping_sub(ip) as i32);
            }
        }
        let Source {
            rules, grf_count, ..
        } = *self.source;
        lower(rules, grf_count, &instruction, ip, next)
    }

    /// The bytes read, in runs without a gap.
    fn into_image(mut self) -> BTreeMap<u32, Vec<u8>> {
        self.read.sort_unstable_by_key(|(ip, ..)| *ip);
        let mut image: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        for (ip, bytes, length) in &self.read {
            let bytes = &bytes[..*length];
            if let Some(mut run) = image.last_entry() {
                let end = run.key().wrapping_add(run.get().len() as u32);
                if *ip <= end {
                    let fresh = bytes.get((end - ip) as usize..).unwrap_or_default();
                    run.get_mut().extend_from_slice(fresh);
                    continue;
                }
            }
            image.insert(*ip, bytes.to_vec());
        }
        image
    }
}

/// Whether the instruction is an 8-byte one: CmptCtrl is bit 29 in every family.
const fn is_compacted(bytes: &[u8; 16]) -> bool {
    bytes[3] & 0x20 != 0
}

#[cfg(test)]
mod tests {
    use devinfo::Family;
    use isa_encoder::{AsmOptions, assemble};
    use softgpu_memory::AddressSpace;

    use super::*;

    /// The successors of each block of `text`, by address.
    fn graph(text: &str) -> Vec<(u32, Vec<u32>)> {
        const CODE: GpuAddress = GpuAddress::new(0x1_0000);
        let assembly = assemble(text, &AsmOptions::default()).expect("it assembles");
        let space = AddressSpace::with_anonymous(&[(CODE, 0x1000)]).expect("memory");
        let memory = &space.view();
        memory.write(CODE, &assembly.code).expect("bound");
        let source = Source {
            memory,
            base: CODE,
            rules: Rules::of(Family::Gen12Lp),
            grf_count: 128,
        };
        let routine = Routine::decode(&source, 0, 1000, |_| false).expect("it decodes");
        assert!(routine.is_at(CODE, memory));
        let blocks = routine.blocks();
        let next = |block: &Block| {
            let next = block.next.iter().flatten();
            next.map(|&number| blocks[number as usize].ip).collect()
        };
        let graph = blocks.iter().map(|block| (block.ip, next(block))).collect();
        let last = blocks.last().expect("a block").last_ip;
        memory
            .write_u32(CODE.offset(last.into()), 0)
            .expect("bound");
        assert!(!routine.is_at(CODE, memory), "it was rewritten");
        graph
    }

    #[test]
    fn branches_and_their_targets_bound_blocks() {
        let end = "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}\n";
        let text = format!(
            "//.platform tgl
             (W) mov (8|M0) r10.0<1>:ud 0:ud
             loop:
             (W) add (8|M0) r10.0<1>:ud r10.0<1;1,0>:ud 1:ud
             (f0.0) if (8|M0) other other
             (W) add (8|M0) r10.0<1>:ud r10.0<1;1,0>:ud 2:ud
             other:
             endif (8|M0) after
             after:
             (f0.0) while (8|M0) loop
             {end}"
        );
        let expected = [
            (0x00, vec![0x10]),
            (0x10, vec![0x40, 0x40, 0x30]),
            (0x30, vec![0x40]),
            (0x40, vec![0x50, 0x50, 0x50]),
            (0x50, vec![0x10, 0x10, 0x60]),
            (0x60, vec![]),
        ];
        assert_eq!(graph(&text), expected);
    }

    #[test]
    fn what_an_unconditional_jump_passes_is_not_decoded() {
        let end = "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}\n";
        let text = format!(
            "//.platform tgl
             (W) jmpi over
             illegal
             over:
             {end}"
        );
        assert_eq!(graph(&text), [(0x00, vec![0x20, 0x20]), (0x20, vec![])]);
    }
}
