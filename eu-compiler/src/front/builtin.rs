//! The built-in variables: ids and sizes.

use spirv::BuiltIn as B;

use super::reader::Instruction;
use super::translate::Translator;
use super::value::{Component, Val};
use crate::abi::FieldKind;
use crate::error::Error;
use crate::ir::{Bin, Cond, Convert, Function, Input, Op, Type, Un, Value};

impl Translator<'_> {
    /// The value of a built-in, or of one component.
    pub(super) fn builtin(
        &mut self,
        builtin: B,
        component: Component,
        i: &Instruction<'_>,
    ) -> Result<Val, Error> {
        let types = self.result_types(i)?;
        let beyond = beyond(builtin);
        let first = match component {
            Component::All => 0,
            Component::Known(number) => number,
            Component::At(index) => {
                let ty = *types.first().ok_or_else(|| i.invalid("it gives nothing"))?;
                let count = if is_lane_mask(builtin) { 4 } else { 3 };
                let all: Result<Vec<Value>, Error> = (0..count)
                    .map(|number| self.builtin_part(builtin, number, ty, i))
                    .collect();
                let value = self.component_at(&all?, beyond, index, i)?;
                return Ok(Val::one(value));
            }
        };
        let mut values = Vec::new();
        for (index, ty) in types.into_iter().enumerate() {
            let number = first.saturating_add(index as u32);
            values.push(self.builtin_part(builtin, number, ty, i)?);
        }
        Ok(Val {
            beyond,
            ..Val::many(values)
        })
    }

    /// A component as a type.
    fn builtin_part(
        &mut self,
        builtin: B,
        number: u32,
        ty: Type,
        i: &Instruction<'_>,
    ) -> Result<Value, Error> {
        if is_lane_mask(builtin) {
            // The first of four components has all lanes.
            let value = match number {
                0 => self.lane_mask(builtin),
                _ => self.constant(Type::I32, 0),
            };
            return Ok(self.resize(value, ty, false));
        }
        let value = match (number, beyond(builtin)) {
            (0..=2, _) => self.builtin_component(builtin, number as u8, i)?,
            (_, Some(value)) => self.constant(Type::I32, value),
            _ => return Err(i.invalid(format!("component {number} of {builtin:?}"))),
        };
        match ty.bits() {
            1 => Err(i.unsupported(format!("{builtin:?} as truth value"))),
            _ => Ok(self.resize(value, ty, false)),
        }
    }

    /// A field of three dwords.
    fn triple(&mut self, kind: FieldKind, dim: u8) -> Value {
        let offset = self.abi.field(kind, 12, 4) + 4 * u32::from(dim);
        self.payload(offset, Type::I32)
    }

    fn input(&mut self, input: Input) -> Value {
        self.one(Op::Input(input), &[], Type::I32)
    }

    pub(super) fn builtin_component(
        &mut self,
        builtin: B,
        dim: u8,
        i: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let word = |t: &mut Self, number: u32| t.constant(Type::I32, u64::from(number));
        Ok(match builtin {
            B::LocalInvocationId => self.input(Input::LocalId(dim)),
            B::WorkgroupId => self.input(Input::GroupId(dim)),
            B::GlobalOffset => self.triple(FieldKind::GlobalOffset, dim),
            B::WorkgroupSize => self.triple(FieldKind::LocalSize, dim),
            B::EnqueuedWorkgroupSize => self.triple(FieldKind::EnqueuedLocalSize, dim),
            B::NumWorkgroups => self.triple(FieldKind::GroupCount, dim),
            B::GlobalSize => self.triple(FieldKind::GlobalSize, dim),
            B::WorkDim => {
                let offset = self.abi.field(FieldKind::WorkDimensions, 4, 4);
                self.payload(offset, Type::I32)
            }
            B::GlobalInvocationId => {
                let local = self.global_without_offset(dim);
                let offset = self.triple(FieldKind::GlobalOffset, dim);
                self.here().bin(Bin::Add, local, offset)
            }
            B::GlobalLinearId => {
                let [x, y, z] = [0, 1, 2].map(|dim| self.global_without_offset(dim));
                let width = self.triple(FieldKind::GlobalSize, 0);
                let height = self.triple(FieldKind::GlobalSize, 1);
                self.linear([x, y, z], [width, height])
            }
            B::LocalInvocationIndex => self.local_index(),
            B::SubgroupMaxSize => {
                let simd = self.simd();
                word(self, simd)
            }
            B::SubgroupSize => self.sub_group_size(),
            B::SubgroupLocalInvocationId => self.lane(),
            B::SubgroupId => {
                // The first lane says it, which only runs at the beginning for sure.
                let block = std::mem::replace(&mut self.block, Function::ENTRY);
                let index = self.local_index();
                let simd = self.simd();
                let by = word(self, simd.trailing_zeros());
                let number = self.here().bin(Bin::LShr, index, by);
                let zero = word(self, 0);
                let number = self.one(Op::Broadcast, &[number, zero], Type::I32);
                self.block = block;
                number
            }
            B::NumSubgroups => self.sub_groups(FieldKind::LocalSize),
            B::NumEnqueuedSubgroups => self.sub_groups(FieldKind::EnqueuedLocalSize),
            _ => return Err(i.unsupported(format!("the built-in {builtin:?}"))),
        })
    }

    fn global_without_offset(&mut self, dim: u8) -> Value {
        let group = self.input(Input::GroupId(dim));
        let size = self.triple(FieldKind::EnqueuedLocalSize, dim);
        let local = self.input(Input::LocalId(dim));
        let first = self.here().bin(Bin::Mul, group, size);
        self.here().bin(Bin::Add, first, local)
    }

    /// `(z * height + y) * width + x`.
    fn linear(&mut self, [x, y, z]: [Value; 3], [width, height]: [Value; 2]) -> Value {
        let mut at = self.here();
        let rows = at.bin(Bin::Mul, z, height);
        let rows = at.bin(Bin::Add, rows, y);
        let items = at.bin(Bin::Mul, rows, width);
        at.bin(Bin::Add, items, x)
    }

    /// The work-item's number in its group.
    fn local_index(&mut self) -> Value {
        let ids = [0, 1, 2].map(|dim| self.input(Input::LocalId(dim)));
        self.index_in_group(ids)
    }

    /// The number of the work-item with these local ids in its group.
    pub(super) fn index_in_group(&mut self, ids: [Value; 3]) -> Value {
        let width = self.triple(FieldKind::LocalSize, 0);
        let height = self.triple(FieldKind::LocalSize, 1);
        self.linear(ids, [width, height])
    }

    /// The lanes that the thread was started with.
    pub(super) fn sub_group_size(&mut self) -> Value {
        let mask = self.dispatch_mask();
        self.un(Un::CountOnes, mask)
    }

    /// A bit for each of them.
    pub(super) fn dispatch_mask(&mut self) -> Value {
        self.input(Input::DispatchMask)
    }

    /// How many sub-groups there are in a group of this size.
    fn sub_groups(&mut self, size: FieldKind) -> Value {
        let [x, y, z] = [0, 1, 2].map(|dim| self.triple(size, dim));
        let simd = u64::from(self.simd());
        let more = self.constant(Type::I32, simd - 1);
        let by = self.constant(Type::I32, u64::from(simd.trailing_zeros()));
        let mut at = self.here();
        let items = at.bin(Bin::Mul, x, y);
        let items = at.bin(Bin::Mul, items, z);
        let items = at.bin(Bin::Add, items, more);
        at.bin(Bin::LShr, items, by)
    }

    /// A mask of the lanes below, at and above this one.
    pub(super) fn lane_mask(&mut self, which: B) -> Value {
        let one = self.constant(Type::I32, 1);
        let lane = self.lane();
        let own = self.here().bin(Bin::Shl, one, lane);
        let below = self.here().bin(Bin::Sub, own, one);
        // "less than the maximum sub-group size", also where the sub-group has fewer work-items.
        let lanes = self.constant(Type::I32, u64::from(u32::MAX >> (32 - self.simd())));
        match which {
            B::SubgroupEqMask => own,
            B::SubgroupLtMask => below,
            B::SubgroupLeMask => self.here().bin(Bin::Or, own, below),
            B::SubgroupGeMask => {
                let above = self.not(below);
                self.here().bin(Bin::And, above, lanes)
            }
            _ => {
                let to = self.here().bin(Bin::Or, own, below);
                let above = self.not(to);
                self.here().bin(Bin::And, above, lanes)
            }
        }
    }

    /// Zero extended to 64 bits.
    pub(super) fn wide(&mut self, value: Value) -> Value {
        self.here().convert(Convert::ZExt, value, Type::I64)
    }

    /// Whether a value is not zero.
    pub(super) fn is_set(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        let zero = self.constant(ty, 0);
        self.one(Op::Icmp(Cond::Ne), &[value, zero], Type::I1)
    }
}

/// What OpenCL C's functions of a dimension give for those that do not exist: ids and offsets are 0,
/// sizes and counts 1.
const fn beyond(builtin: B) -> Option<u64> {
    match builtin {
        B::GlobalInvocationId | B::LocalInvocationId | B::WorkgroupId | B::GlobalOffset => Some(0),
        B::GlobalSize | B::WorkgroupSize | B::EnqueuedWorkgroupSize | B::NumWorkgroups => Some(1),
        _ => None,
    }
}

/// Whether a built-in is a mask of lanes.
const fn is_lane_mask(builtin: B) -> bool {
    matches!(
        builtin,
        B::SubgroupEqMask
            | B::SubgroupGeMask
            | B::SubgroupGtMask
            | B::SubgroupLeMask
            | B::SubgroupLtMask
    )
}
