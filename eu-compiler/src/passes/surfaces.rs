//! Accesses to the memory of pointer arguments go by the binding table: their addresses are offsets
//! of 32 bits.
//!
//! That is right where the address is the argument and something added to it: no buffer is larger
//! than 4 GiB, so that the low 32 bits of what is added say where the access is. A pointer may point
//! into the middle of its allocation. If all that is added to a pointer cannot be negative, and is a
//! multiple of 4 bytes, its surface begins at the pointer. Otherwise the surface begins with the
//! allocation, and `BufferOffset` says how far that is before the pointer.
//!
//! It is wrong where what is added depends on addresses itself: `a + (b - a)` is in the memory of `b`.
//! Such accesses keep their addresses. So do those of pointers that were made of numbers of pointers: `a` as a
//! number and a distance that lies in memory may be in any allocation. What a private variable has both as a
//! pointer and as a number is such a number, once the variable is a value ([`memory`](super::memory)). Numbers of
//! pointers into local and private memory, which matter to [`narrow`](super::narrow), are plain here.

use hashbrown::HashMap;

use super::known::{Known, most};
use crate::ir::{
    Bin, Block, Convert, Cursor, Function, Input, Inst, Op, Replaced, Space, Surface, Type, Value,
};
use crate::target::Target;

/// What may be added to a pointer.
const TERMS: usize = 16;
/// What is less than this was an address no more: code aligns pointers by their low bits.
const LOW: u64 = 1 << 12;

/// An access by the binding table.
struct Access {
    block: Block,
    inst: Inst,
    buffer: usize,
    /// What is added to the pointer.
    terms: Vec<Value>,
}

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    by_surfaces(function);
    // Where pointers become numbers matters no more.
    forget_numbers(function, |_| true);
    Ok(())
}

/// Numbers that are of no pointer argument, whatever private memory may have, are plain.
pub(super) fn forget_plain_numbers(function: &mut Function) {
    if !function.listed().any(|data| data.op == Op::Number) {
        return;
    }
    let pointers = pointers(function);
    if pointers.is_empty() {
        return forget_numbers(function, |_| true);
    }
    let found = of_addresses(function, &pointers, true);
    forget_numbers(function, |of| !found[of.index()]);
}

fn forget_numbers(function: &mut Function, is_plain: impl Fn(Value) -> bool) {
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        for inst in function.take(block) {
            let data = &function.insts[inst.index()];
            match data.op {
                Op::Number if is_plain(data.args[0]) => {
                    replaced.insert(data.results[0], data.args[0])
                }
                _ => function.blocks[block.index()].insts.push(inst),
            }
        }
    }
    replaced.apply(function);
}

/// Where the payload has pointers to buffers.
fn pointers(function: &Function) -> HashMap<u32, usize> {
    let buffers = function.buffers.iter().enumerate();
    buffers
        .map(|(number, buffer)| (buffer.pointer, number))
        .collect()
}

fn by_surfaces(function: &mut Function) {
    let pointers = pointers(function);
    if pointers.is_empty() {
        return;
    }
    let known = Known::of(function);
    let of_addresses = of_addresses(function, &pointers, false);
    let mut accesses = Vec::new();
    // Whether the surface begins before the pointer.
    let mut before = vec![false; function.buffers.len()];
    for &block in &function.order {
        for &inst in &function.blocks[block.index()].insts {
            let Some((buffer, terms, aligned)) = address(function, &pointers, inst) else {
                continue;
            };
            if terms.iter().any(|term| of_addresses[term.index()]) {
                continue;
            }
            let fits =
                |term: &Value| known.positive[term.index()] && known.zeroes[term.index()] >= 2;
            before[buffer] |= aligned < 4 || !terms.iter().all(fits);
            accesses.push(Access {
                block,
                inst,
                buffer,
                terms,
            });
        }
    }
    let mut rest = accesses.into_iter().peekable();
    while let Some(block) = rest.peek().map(|access| access.block) {
        let insts = function.take(block);
        for inst in insts {
            if let Some(access) = rest.next_if(|access| access.inst == inst) {
                let buffer = &mut function.buffers[access.buffer];
                buffer.used = true;
                buffer.begins_before = before[access.buffer];
                let (at, given) = (function.insts[inst.index()].at, *buffer);
                let mut here = Cursor {
                    function,
                    block,
                    at,
                };
                let before = given.begins_before.then_some(given.offset);
                let offset = offset(&mut here, &access.terms, before);
                let place = Op::Offset(Surface(given.surface));
                let place = here.one(place, &[offset], Type::I32);
                function.insts[inst.index()].args[0] = place;
            }
            function.blocks[block.index()].insts.push(inst);
        }
    }
}

/// Which values depend on where the memory of the program lies, by more than a few bits. What was in memory is
/// taken for a number, but in private memory may be what was stored there, if that is asked for.
fn of_addresses(
    function: &Function,
    pointers: &HashMap<u32, usize>,
    asks_private: bool,
) -> Vec<bool> {
    let mut found = vec![false; function.values.len()];
    let is_private = |access: &crate::ir::Access| {
        asks_private && matches!(access.space, Space::Private | Space::Generic)
    };
    let mut private = false;
    loop {
        let mut more = false;
        let insts = function.order.iter();
        for inst in insts.flat_map(|block| &function.blocks[block.index()].insts) {
            let data = &function.insts[inst.index()];
            let depends = match &data.op {
                Op::Input(Input::Payload(offset)) => pointers.contains_key(offset),
                Op::Input(Input::Address { .. }) => true,
                Op::Icmp(_) | Op::Fcmp(_) => false,
                Op::Load(access) if is_private(access) => private,
                Op::Store(access) if is_private(access) && !private => {
                    let stored = &data.args[1..];
                    private = stored.iter().any(|arg| found[arg.index()]);
                    more |= private;
                    false
                }
                op if op.is_pure() || op.crosses_lanes() || matches!(op, Op::Phi(_)) => {
                    data.args.iter().any(|arg| found[arg.index()])
                }
                _ => false,
            };
            for result in data.results.iter().filter(|_| depends) {
                let is_new = !found[result.index()] && most(function, *result) >= LOW;
                found[result.index()] |= is_new;
                more |= is_new;
            }
        }
        if !more {
            return found;
        }
    }
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

/// The buffer that an instruction accesses, what is added to its pointer, and how far the access is
/// aligned.
fn address(
    function: &Function,
    pointers: &HashMap<u32, usize>,
    inst: Inst,
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
        if terms.len() > TERMS {
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
    Some((buffer?, terms, aligned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, Buffer, Terminator, expression, verify};

    /// The address of a store, by what `body` makes of two pointers and the lane, and whether the first one's
    /// surface begins before it.
    fn address(body: impl Fn(&mut Cursor<'_>, [Value; 2], Value) -> Value) -> (String, bool) {
        let mut function = Function::default();
        let block = function.add_block();
        let buffer = |arg: u32| Buffer {
            arg,
            pointer: 16 * arg,
            offset: 16 * arg + 8,
            surface: arg as u8,
            used: false,
            begins_before: false,
        };
        function.buffers = vec![buffer(0), buffer(1)];
        let mut at = Cursor::new(&mut function, block);
        let pointers = [0, 16].map(|of| at.one(Op::Input(Input::Payload(of)), &[], Type::I64));
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let lane = at.convert(Convert::ZExt, lane, Type::I64);
        let place = body(&mut at, pointers, lane);
        let number = at.constant(Type::I32, 1);
        let access = Access::new(Space::Global, 4);
        at.push(Op::Store(access), &[place, number], &[]);
        function.blocks[block.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        let place = expression(&function, function.listed().last().unwrap().args[0]);
        assert_eq!(function.buffers[0].used, place.contains("surface0"));
        (place, function.buffers[0].begins_before)
    }

    fn scaled(at: &mut Cursor<'_>, lane: Value) -> Value {
        let two = at.constant(Type::I64, 2);
        at.bin(Bin::Shl, lane, two)
    }

    #[test]
    fn what_is_behind_a_pointer_is_an_offset() {
        let behind = address(|at, [pointer, _], lane| {
            let offset = scaled(at, lane);
            at.bin(Bin::Add, pointer, offset)
        });
        let want = "(offset.surface0 (trunc (shl (zext lane) 2)))";
        assert_eq!(behind, (want.to_owned(), false));
    }

    /// Then offsets count from where the allocation begins.
    #[test]
    fn what_may_be_before_a_pointer_is_an_offset_into_the_allocation() {
        let before = address(|at, [pointer, _], lane| {
            let offset = scaled(at, lane);
            let place = at.bin(Bin::Add, pointer, offset);
            let less = at.constant(Type::I64, 4u64.wrapping_neg());
            at.bin(Bin::Add, place, less)
        });
        assert!(before.1, "{}", before.0);
        assert!(before.0.contains("payload.8"), "{}", before.0);
        let odd = address(|at, [pointer, _], lane| at.bin(Bin::Add, pointer, lane));
        assert_eq!(
            odd.0,
            "(offset.surface0 (add payload.8 (trunc (zext lane))))"
        );
    }

    #[test]
    fn what_was_a_number_stays_an_address() {
        let number = address(|at, [pointer, _], lane| {
            let number = at.one(Op::Number, &[pointer], Type::I64);
            let offset = scaled(at, lane);
            at.bin(Bin::Add, number, offset)
        });
        assert_eq!(number.0, "(add payload.0 (shl (zext lane) 2))");
    }

    #[test]
    fn what_depends_on_addresses_stays_one() {
        // a + (b - a) is in b, and of a + b nobody knows.
        let difference = address(|at, [a, b], _| {
            let distance = at.bin(Bin::Sub, b, a);
            at.bin(Bin::Add, a, distance)
        });
        assert_eq!(difference.0, "(add payload.0 (sub payload.16 payload.0))");
        let sum = address(|at, [a, b], _| at.bin(Bin::Add, a, b));
        assert_eq!(sum.0, "(add payload.0 payload.16)");
        // But the low bits of an address are a number.
        let low = address(|at, [a, b], _| {
            let mask = at.constant(Type::I64, 60);
            let low = at.bin(Bin::And, b, mask);
            at.bin(Bin::Add, a, low)
        });
        assert!(low.0.starts_with("(offset.surface0"), "{}", low.0);
    }
}
