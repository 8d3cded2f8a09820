//! Pipes: packets that kernels read and write, one each or by reservation. `library/pipe.cl` has their
//! layout in memory.

use spirv::{Op as Spv, Scope as SpirvScope};

use super::library::PIPES;
use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Bin, Cond, Convert, Op, Scope, Space, Terminator, Type, Un, Value};

/// The first place of a claim that failed.
const NONE: u64 = 0xffff_ffff;
const MINUS_ONE: u64 = 0xffff_ffff;

/// What an instruction does with packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Reads,
    Writes,
}

/// Where the operands of an instruction are: of a packet.
#[derive(Clone, Copy, Debug)]
struct Packet {
    direction: Direction,
    /// The index of the operand that points to the packet.
    pointer: usize,
}

impl Translator<'_> {
    /// Functions of pipes; `false` if the instruction is none.
    pub(super) fn pipe(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        use Direction::{Reads, Writes};
        let alone = |direction| Packet {
            direction,
            pointer: 3,
        };
        let reserved = |direction| Packet {
            direction,
            pointer: 5,
        };
        match i.op {
            Spv::ReadPipe => self.packet(alone(Reads), i)?,
            Spv::WritePipe => self.packet(alone(Writes), i)?,
            Spv::ReservedReadPipe => self.reserved_packet(reserved(Reads), i)?,
            Spv::ReservedWritePipe => self.reserved_packet(reserved(Writes), i)?,
            Spv::ReserveReadPipePackets => self.reserve(Reads, i)?,
            Spv::ReserveWritePipePackets => self.reserve(Writes, i)?,
            Spv::GroupReserveReadPipePackets => self.reserve_together(Reads, i)?,
            Spv::GroupReserveWritePipePackets => self.reserve_together(Writes, i)?,
            Spv::CommitReadPipe => self.release(Reads, i.word(0)?, i)?,
            Spv::CommitWritePipe => self.release(Writes, i.word(0)?, i)?,
            Spv::GroupCommitReadPipe => self.commit_together(Reads, i)?,
            Spv::GroupCommitWritePipe => self.commit_together(Writes, i)?,
            Spv::IsValidReserveId => {
                let id = self.scalar(i.word(2)?, i)?;
                let valid = self.is_set(id);
                self.set(i.word(1)?, Val::one(valid));
            }
            Spv::GetNumPipePackets | Spv::GetMaxPipePackets => {
                let name = match i.op {
                    Spv::GetNumPipePackets => "count",
                    _ => "most",
                };
                let pipe = self.scalar(i.word(2)?, i)?;
                let value = self.of_pipe(name, &[pipe], i)?;
                self.set(i.word(1)?, Val::one(value));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A function of the library that gives something.
    fn of_pipe(&mut self, name: &str, args: &[Value], i: &Instruction<'_>) -> Result<Value, Error> {
        let results = self.file_function(PIPES, &format!("{name}_pipe"), args, i)?;
        let first = results.and_then(|all| all.first().copied());
        first.ok_or_else(|| i.unsupported(format!("{name} of a pipe")))
    }

    fn direction(&mut self, direction: Direction) -> Value {
        let number = match direction {
            Direction::Reads => MINUS_ONE,
            Direction::Writes => 1,
        };
        self.constant(Type::I32, number)
    }

    fn claim(
        &mut self,
        direction: Direction,
        pipe: u32,
        count: Value,
        i: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let pipe = self.scalar(pipe, i)?;
        let direction = self.direction(direction);
        self.of_pipe("claim", &[pipe, count, direction], i)
    }

    fn release(
        &mut self,
        direction: Direction,
        pipe: u32,
        i: &Instruction<'_>,
    ) -> Result<(), Error> {
        let pipe = self.scalar(pipe, i)?;
        let direction = self.direction(direction);
        let released = self.file_function(PIPES, "release_pipe", &[pipe, direction], i)?;
        released.ok_or_else(|| i.unsupported("the end of a reservation"))?;
        Ok(())
    }

    /// Copies a packet from or to its place.
    fn copy_packet(
        &mut self,
        packet: Packet,
        first: Value,
        index: Value,
        i: &Instruction<'_>,
    ) -> Result<(), Error> {
        let pipe = self.scalar(i.word(2)?, i)?;
        let size = self.number(i.word(packet.pointer + 1)?, i)?;
        let align = self.number(i.word(packet.pointer + 2)?, i)?;
        let bytes = self.constant(Type::I32, size);
        let place = self.of_pipe("packet", &[pipe, first, index, bytes], i)?;
        let place = Val::pointer(place, Some(Space::Global));
        let memory = self.get(i.word(packet.pointer)?, i)?;
        let align = u32::try_from(align).ok().filter(|a| a.is_power_of_two());
        let align = align.ok_or_else(|| i.invalid("it is no alignment"))?;
        let (to, from) = match packet.direction {
            Direction::Reads => (&memory, &place),
            Direction::Writes => (&place, &memory),
        };
        let size = self.constant(Type::I64, size);
        self.copy(to, from, size, align, i)
    }

    /// A packet of its own: a claim, a copy and the claim's end.
    fn packet(&mut self, packet: Packet, i: &Instruction<'_>) -> Result<(), Error> {
        let one = self.constant(Type::I32, 1);
        let first = self.claim(packet.direction, i.word(2)?, one, i)?;
        let none = self.constant(Type::I32, NONE);
        let some = self.one(Op::Icmp(Cond::Ne), &[first, none], Type::I1);
        let (before, [copies, next]) = (self.block, [(); 2].map(|()| self.function.add_block()));
        self.end(Terminator::Branch(some, copies, next));
        self.block = copies;
        let zero = self.constant(Type::I32, 0);
        self.copy_packet(packet, first, zero, i)?;
        self.release(packet.direction, i.word(2)?, i)?;
        let after = self.block;
        self.end(Terminator::Jump(next));
        self.block = next;
        let failed = self.constant(Type::I32, MINUS_ONE);
        let result = self.one(Op::Phi(vec![before, after]), &[failed, zero], Type::I32);
        self.set(i.word(1)?, Val::one(result));
        Ok(())
    }

    fn reserved_packet(&mut self, packet: Packet, i: &Instruction<'_>) -> Result<(), Error> {
        let id = self.scalar(i.word(3)?, i)?;
        let index = self.scalar(i.word(4)?, i)?;
        let first = self.here().convert(Convert::Trunc, id, Type::I32);
        let one = self.constant(Type::I32, 1);
        let first = self.here().bin(Bin::Sub, first, one);
        self.copy_packet(packet, first, index, i)?;
        let done = self.constant(Type::I32, 0);
        self.set(i.word(1)?, Val::one(done));
        Ok(())
    }

    /// What names a reservation: its first place and one, or zero.
    fn reservation(&mut self, first: Value) -> Value {
        let one = self.constant(Type::I32, 1);
        let number = self.here().bin(Bin::Add, first, one);
        self.wide(number)
    }

    fn reserve(&mut self, direction: Direction, i: &Instruction<'_>) -> Result<(), Error> {
        let count = self.scalar(i.word(3)?, i)?;
        let first = self.claim(direction, i.word(2)?, count, i)?;
        let id = self.reservation(first);
        self.set(i.word(1)?, Val::one(id));
        Ok(())
    }

    /// Whether a lane is the one of its group that acts, and whether the group is a sub-group.
    fn leader(&mut self, scope: u32, i: &Instruction<'_>) -> Result<(Value, Value, bool), Error> {
        let scope = self.number(scope, i)?;
        match SpirvScope::from_u32(scope as u32) {
            Some(SpirvScope::Subgroup) => {
                let all = self.constant(Type::I1, 1);
                let active = self.one(Op::Ballot, &[all], Type::I32);
                let first = self.un(Un::LowestBit, active);
                let lane = self.lane();
                let leads = self.one(Op::Icmp(Cond::Eq), &[lane, first], Type::I1);
                Ok((leads, first, true))
            }
            Some(SpirvScope::Workgroup) => {
                let zero = self.constant(Type::I32, 0);
                let index = self.builtin_component(spirv::BuiltIn::LocalInvocationIndex, 0, i)?;
                let leads = self.one(Op::Icmp(Cond::Eq), &[index, zero], Type::I1);
                Ok((leads, zero, false))
            }
            _ => Err(i.unsupported(format!("a reservation of scope {scope}"))),
        }
    }

    /// One lane reserves for its sub-group or work-group.
    fn reserve_together(&mut self, direction: Direction, i: &Instruction<'_>) -> Result<(), Error> {
        let (leads, lane, is_sub_group) = self.leader(i.word(2)?, i)?;
        let (before, [claims, next]) = (self.block, [(); 2].map(|()| self.function.add_block()));
        self.end(Terminator::Branch(leads, claims, next));
        self.block = claims;
        let count = self.scalar(i.word(4)?, i)?;
        let first = self.claim(direction, i.word(3)?, count, i)?;
        let after = self.block;
        self.end(Terminator::Jump(next));
        self.block = next;
        let none = self.constant(Type::I32, NONE);
        let first = self.one(Op::Phi(vec![before, after]), &[none, first], Type::I32);
        let mut first = self.one(Op::Broadcast, &[first, lane], Type::I32);
        if !is_sub_group {
            first = self.of_first_sub_group(first, i)?;
        }
        let id = self.reservation(first);
        self.set(i.word(1)?, Val::one(id));
        Ok(())
    }

    /// One lane ends the reservation of its group, when all have their packets.
    fn commit_together(&mut self, direction: Direction, i: &Instruction<'_>) -> Result<(), Error> {
        let (leads, _, is_sub_group) = self.leader(i.word(0)?, i)?;
        let fence = Op::Fence {
            scope: Scope::Device,
            local: false,
            global: true,
            image: false,
        };
        self.here().push(fence, &[], &[]);
        if !is_sub_group {
            self.barrier();
        }
        let [releases, next] = [(); 2].map(|()| self.function.add_block());
        self.end(Terminator::Branch(leads, releases, next));
        self.block = releases;
        self.release(direction, i.word(1)?, i)?;
        self.end(Terminator::Jump(next));
        self.block = next;
        Ok(())
    }
}
