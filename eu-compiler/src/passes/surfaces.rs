//! Accesses to the memory of pointer arguments go by the binding table: their addresses are offsets
//! of 32 bits.
//!
//! That is right where the address is the argument and what is added cannot be negative: a pointer
//! may point into the middle of its allocation, and a surface begins at or below the pointer, as
//! `BufferOffset` says. An access is within 4 GiB then, because no buffer is larger.

use std::collections::HashMap;

use crate::ir::{Bin, Convert, Cursor, Function, Input, Op, Space, Surface, Type, Value};
use crate::target::Target;

/// How deep expressions are looked into.
const DEPTH: u32 = 16;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    let pointers: HashMap<u32, usize> = function
        .buffers
        .iter()
        .enumerate()
        .map(|(number, buffer)| (buffer.pointer, number))
        .collect();
    if pointers.is_empty() {
        return Ok(());
    }
    for block in function.order.clone() {
        let insts = std::mem::take(&mut function.blocks[block.index()].insts);
        for inst in insts {
            if let Some((buffer, terms, align)) = address(function, &pointers, inst) {
                function.buffers[buffer].used = true;
                let (at, given) = (function.insts[inst.index()].at, function.buffers[buffer]);
                let mut here = Cursor {
                    function,
                    block,
                    at,
                };
                let offset = offset(&mut here, &terms, (align < 4).then_some(given.offset));
                let place = Op::Offset(Surface(given.surface));
                let place = here.one(place, &[offset], Type::I32);
                function.insts[inst.index()].args[0] = place;
            }
            function.blocks[block.index()].insts.push(inst);
        }
    }
    Ok(())
}

/// The sum of terms, in 32 bits; with what the surface begins before the pointer, if that matters.
fn offset(here: &mut Cursor<'_>, terms: &[Value], before: Option<u32>) -> Value {
    let mut sum = before.map(|before| here.one(Op::Input(Input::Payload(before)), &[], Type::I32));
    for &term in terms {
        let low = here.convert(Convert::Trunc, term, Type::I32);
        sum = Some(match sum {
            Some(sum) => here.bin(Bin::Add, sum, low),
            None => low,
        });
    }
    sum.unwrap_or_else(|| here.constant(Type::I32, 0))
}

/// The buffer that an instruction accesses, what is added to its pointer, and how far that is
/// aligned.
fn address(
    function: &Function,
    pointers: &HashMap<u32, usize>,
    inst: crate::ir::Inst,
) -> Option<(usize, Vec<Value>, u32)> {
    let data = &function.insts[inst.index()];
    let (space, aligned, element) = match &data.op {
        Op::Load(access) => (access.space, access.align, Some(*data.results.first()?)),
        Op::Store(access) => (access.space, access.align, Some(*data.args.get(1)?)),
        Op::BlockLoad(space) | Op::BlockStore(space) => (*space, 4, None),
        _ => return None,
    };
    let fits = element.is_none_or(|element| {
        let ty = function.ty(element);
        ty.bytes() <= 4 || ty == Type::I64 && aligned >= 4
    });
    if space != Space::Global || !fits || function.ty(data.args[0]) != Type::I64 {
        return None;
    }
    let mut buffer = None;
    let mut terms = Vec::new();
    let mut work = vec![data.args[0]];
    while let Some(value) = work.pop() {
        if terms.len() > DEPTH as usize {
            return None;
        }
        match function
            .source(value)
            .map(|(_, data)| (&data.op, &data.args))
        {
            Some((Op::Bin(Bin::Add), args)) => work.extend([args[1], args[0]]),
            Some((Op::Input(Input::Payload(offset)), _)) if pointers.contains_key(offset) => {
                if buffer.replace(pointers[offset]).is_some() {
                    return None;
                }
            }
            _ => terms.push(value),
        }
    }
    let known = terms.iter().all(|term| is_positive(function, *term, DEPTH));
    let zeroes = |term: &Value| zeroes(function, *term, DEPTH);
    let align = 1 << terms.iter().map(zeroes).min().unwrap_or(2).min(2);
    Some((buffer.filter(|_| known)?, terms, align.min(aligned)))
}

/// Whether a value is not negative, as far as it is the offset of an access that exists.
fn is_positive(function: &Function, value: Value, depth: u32) -> bool {
    let ty = function.ty(value);
    if let Some(bits) = function.bits(value) {
        return ty.signed(bits) >= 0;
    }
    let Some((_, data)) = function.source(value) else {
        return false;
    };
    let args = &data.args;
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let of = |index: usize| is_positive(function, args[index], depth);
    let wide = ty == Type::I64;
    match &data.op {
        Op::Convert(Convert::ZExt) => true,
        Op::Convert(Convert::SExt) => function.ty(args[0]) != Type::I1 && of(0),
        Op::Input(Input::LocalId(_) | Input::Lane) => true,
        // A sum or product of 64 bits that is too large is no offset.
        Op::Bin(Bin::Add | Bin::Mul) => wide && of(0) && of(1),
        Op::Bin(Bin::Shl) => wide && of(0),
        Op::Bin(Bin::And) => of(0) || of(1),
        Op::Bin(Bin::Or | Bin::Xor | Bin::SMin) => of(0) && of(1),
        Op::Bin(Bin::SMax) => of(0) || of(1),
        Op::Bin(Bin::LShr) => function.bits(args[1]).is_some_and(|by| by > 0) || of(0),
        Op::Bin(Bin::AShr | Bin::SDiv | Bin::SRem) => of(0) && of(1),
        Op::Bin(Bin::URem) => of(0) || of(1),
        Op::Bin(Bin::UDiv) => of(0),
        Op::Select => of(1) && of(2),
        _ => false,
    }
}

/// Low bits that are zeroes, as far as they are known.
fn zeroes(function: &Function, value: Value, depth: u32) -> u32 {
    if let Some(bits) = function.bits(value) {
        return bits.trailing_zeros().min(64);
    }
    let Some((_, data)) = function.source(value) else {
        return 0;
    };
    let args = &data.args;
    let Some(depth) = depth.checked_sub(1) else {
        return 0;
    };
    let of = |index: usize| zeroes(function, args[index], depth);
    match &data.op {
        Op::Bin(Bin::Shl) => function.bits(args[1]).map_or(0, |by| by.min(63) as u32),
        Op::Bin(Bin::Mul) => of(0) + of(1),
        Op::Bin(Bin::And) => of(0).max(of(1)),
        Op::Bin(Bin::Add | Bin::Or | Bin::Xor) => of(0).min(of(1)),
        Op::Select => of(1).min(of(2)),
        Op::Convert(Convert::ZExt | Convert::SExt) => of(0),
        _ => 0,
    }
}
