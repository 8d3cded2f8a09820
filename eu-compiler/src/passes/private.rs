//! Private memory that did not become values: a part of a global buffer for each lane.
//!
//! Offsets into it stay 32 bits; an access adds the address of the lane's part.

use super::generic::{offset_or_none, tagged, untagged};
use super::places::Places;
use crate::ir::{
    Access, Bin, Convert, Cursor, Function, Input, Inst, Op, Replaced, Space, Type, Value,
};
use crate::target::Target;

/// The least alignment of each lane's part.
const ALIGNMENT: u32 = 16;

/// Each lane has its part, so where there is any, code differs with their number.
pub(super) fn knows_width(function: &Function) -> bool {
    let mut insts = function.listed();
    insts.any(|data| matches!(data.op, Op::Alloca { .. }) || is_cast(&data.op))
}

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    let mut replaced = Replaced::default();
    let casts = function.listed().any(|data| is_cast(&data.op));
    let Places { size, align, at } = Places::find(function, !target.checked)?;
    for (variable, at) in at {
        let offset = function.constant(Type::I32, u64::from(at));
        replaced.insert(variable, offset);
    }
    if replaced.is_empty() && !casts {
        return Ok(());
    }
    let most = align.max(ALIGNMENT);
    let base = function
        .private_base
        .ok_or("private memory has no address")?;
    // The next lane's variables are aligned, too.
    let size = size.max(1).checked_next_multiple_of(most);
    function.private_size = size.ok_or("more than 4 GiB of private memory")?;
    // The lane's address, before everything else.
    let old = std::mem::take(&mut function.blocks[0].insts);
    let lane = lane_address(function, target, base);
    let is_alloca = |inst: &Inst| matches!(function.insts[inst.index()].op, Op::Alloca { .. });
    let rest: Vec<Inst> = old.into_iter().filter(|inst| !is_alloca(inst)).collect();
    function.blocks[0].insts.extend(rest);
    for block in function.order.clone() {
        let insts = function.take(block);
        for inst in insts {
            let data = &function.insts[inst.index()];
            if matches!(data.op, Op::Lifetime { .. }) {
                continue;
            }
            let place = match data.op {
                Op::Load(Access {
                    space: Space::Private,
                    ..
                })
                | Op::Store(Access {
                    space: Space::Private,
                    ..
                }) => Some(data.args[0]),
                _ => None,
            };
            if is_cast(&data.op) {
                let (at, arg, result) = (data.at, data.args[0], data.results[0]);
                let to = matches!(data.op, Op::ToGeneric(_));
                let arg = replaced.find(arg);
                let mut at = Cursor {
                    at,
                    function,
                    block,
                };
                let value = match to {
                    true => {
                        let wide = at.convert(Convert::ZExt, arg, Type::I64);
                        let address = at.bin(Bin::Add, lane, wide);
                        tagged(&mut at, Space::Private, arg, address)
                    }
                    false => {
                        let address = untagged(&mut at, arg);
                        let offset = at.bin(Bin::Sub, address, lane);
                        let offset = at.convert(Convert::Trunc, offset, Type::I32);
                        offset_or_none(&mut at, arg, offset)
                    }
                };
                replaced.insert(result, value);
                continue;
            }
            if let Some(offset) = place {
                let offset = replaced.find(offset);
                let mut at = Cursor {
                    at: data.at,
                    function,
                    block,
                };
                let wide = at.convert(Convert::ZExt, offset, Type::I64);
                let address = at.bin(Bin::Add, lane, wide);
                let data = &mut function.insts[inst.index()];
                data.args[0] = address;
                if let Op::Load(access) | Op::Store(access) = &mut data.op {
                    access.space = Space::Global;
                }
            }
            function.blocks[block.index()].insts.push(inst);
        }
    }
    replaced.apply(function);
    Ok(())
}

/// Whether it takes a pointer into private memory to other memory, or back.
pub(super) const fn is_cast(op: &Op) -> bool {
    matches!(
        op,
        Op::ToGeneric(Space::Private) | Op::FromGeneric(Space::Private)
    )
}

/// `base + (slot * lanes + lane) * size`.
fn lane_address(function: &mut Function, target: &Target, base: u32) -> Value {
    let size = u64::from(function.private_size);
    let mut at = Cursor::new(function, Function::ENTRY);
    let base = at.one(Op::Input(Input::Payload(base)), &[], Type::I64);
    let slot = at.one(Op::Input(Input::Slot), &[], Type::I32);
    let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
    let lanes = at.constant(Type::I32, u64::from(target.simd));
    let first = at.bin(Bin::Mul, slot, lanes);
    let index = at.bin(Bin::Add, first, lane);
    // Most kernels' lanes together have less than 4 GiB.
    let all = size * u64::from(target.slots()) * u64::from(target.simd);
    let ty = match u32::try_from(all) {
        Ok(_) => Type::I32,
        Err(_) => Type::I64,
    };
    let index = at.convert(Convert::ZExt, index, ty);
    let size = at.constant(ty, size);
    let offset = at.bin(Bin::Mul, index, size);
    let offset = at.convert(Convert::ZExt, offset, Type::I64);
    at.bin(Bin::Add, base, offset)
}
