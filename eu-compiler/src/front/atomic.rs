//! Atomic operations with what they order.

use spirv::{MemorySemantics, Op as Spv};

use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Atomic, Cond, Op, Scope, Space, Type, Value};

/// Where an atomic operation is, and what it orders for whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ordered {
    pub space: Space,
    pub order: MemorySemantics,
    pub scope: Scope,
}

impl Translator<'_> {
    /// Atomic operations; `false` if the instruction is none.
    pub(super) fn atomic(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        let op = match i.op {
            Spv::AtomicLoad => Atomic::Load,
            Spv::AtomicStore | Spv::AtomicFlagClear => Atomic::Store,
            Spv::AtomicExchange | Spv::AtomicFlagTestAndSet => Atomic::Exchange,
            Spv::AtomicCompareExchange | Spv::AtomicCompareExchangeWeak => Atomic::CompareExchange,
            Spv::AtomicIIncrement | Spv::AtomicIAdd => Atomic::Add,
            Spv::AtomicIDecrement | Spv::AtomicISub => Atomic::Sub,
            Spv::AtomicSMin => Atomic::SMin,
            Spv::AtomicSMax => Atomic::SMax,
            Spv::AtomicUMin => Atomic::UMin,
            Spv::AtomicUMax => Atomic::UMax,
            Spv::AtomicAnd => Atomic::And,
            Spv::AtomicOr => Atomic::Or,
            Spv::AtomicXor => Atomic::Xor,
            Spv::AtomicFAddEXT => Atomic::FAdd,
            Spv::AtomicFMinEXT => Atomic::FMin,
            Spv::AtomicFMaxEXT => Atomic::FMax,
            _ => return Ok(false),
        };
        let has_result = op != Atomic::Store;
        let first = if has_result { 2 } else { 0 };
        let pointer = self.get(i.word(first)?, i)?;
        let (address, space) = self.address(&pointer, i)?;
        let pointee = self.pointee(i.word(first)?, i)?;
        let mut ty = match i.op {
            Spv::AtomicFlagClear | Spv::AtomicFlagTestAndSet => Type::I32,
            _ => self.component(pointee, i)?,
        };
        let mut args = vec![address];
        match i.op {
            Spv::AtomicLoad => {}
            Spv::AtomicStore => args.push(self.scalar(i.word(3)?, i)?),
            Spv::AtomicFlagClear => args.push(self.constant(ty, 0)),
            Spv::AtomicFlagTestAndSet => args.push(self.constant(ty, 1)),
            Spv::AtomicIIncrement | Spv::AtomicIDecrement => args.push(self.constant(ty, 1)),
            Spv::AtomicCompareExchange | Spv::AtomicCompareExchangeWeak => {
                args.push(self.scalar(i.word(7)?, i)?);
                args.push(self.scalar(i.word(6)?, i)?);
            }
            _ => args.push(self.scalar(i.word(5)?, i)?),
        }
        if let Some(value) = args.get(1) {
            ty = self.function.ty(*value);
        }
        let at = if has_result { 4 } else { 2 };
        let order = MemorySemantics::from_bits_truncate(self.semantics(i.word(at)?, i)? as u32);
        let scope = self.memory_scope(i.word(first + 1)?, i)?;
        let how = Ordered {
            space,
            order,
            scope: super::group::fence_scope(scope),
        };
        let Some(mut value) = self.ordered_atomic(op, &args, ty, how, i)? else {
            return Ok(true);
        };
        if i.op == Spv::AtomicFlagTestAndSet {
            let zero = self.constant(ty, 0);
            value = self.one(Op::Icmp(Cond::Ne), &[value, zero], Type::I1);
        }
        self.set(i.word(1)?, Val::one(value));
        Ok(true)
    }

    /// An atomic operation with the fences around it: what comes before is seen before it, and what
    /// follows sees what others wrote before. Stores give nothing.
    pub(super) fn ordered_atomic(
        &mut self,
        op: Atomic,
        args: &[Value],
        ty: Type,
        how: Ordered,
        i: &Instruction<'_>,
    ) -> Result<Option<Value>, Error> {
        let Ordered {
            space,
            order,
            scope,
        } = how;
        if space == Space::Private {
            return Err(i.unsupported("an atomic operation on private memory"));
        }
        // Without atomic operations of 64 bits whoever does one takes a lock.
        let takes_turns = !self.caps.local_atomics_64;
        if takes_turns && ty.bits() == 64 && space != Space::Global {
            self.lock();
        }
        let both = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::SEQUENTIALLY_CONSISTENT;
        let fence = Op::Fence {
            scope,
            local: space != Space::Global,
            global: space != Space::Local,
            image: false,
        };
        if order.intersects(both | MemorySemantics::RELEASE) {
            self.here().push(fence.clone(), &[], &[]);
        }
        if op == Atomic::Store {
            self.here().push(Op::Atomic(space, op), args, &[]);
            if order.intersects(MemorySemantics::SEQUENTIALLY_CONSISTENT) {
                self.here().push(fence, &[], &[]);
            }
            return Ok(None);
        }
        let value = self.one(Op::Atomic(space, op), args, ty);
        if order.intersects(both | MemorySemantics::ACQUIRE) {
            self.here().push(fence, &[], &[]);
        }
        Ok(Some(value))
    }

    /// Gives the work-group a lock.
    fn lock(&mut self) {
        if self.function.lock.is_none() {
            let place = self.abi.slm.next_multiple_of(4);
            self.function.lock = Some(place);
            self.abi.slm = place + 4;
            self.abi.barrier = true;
        }
    }
}
