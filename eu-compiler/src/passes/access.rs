//! Accesses that no message makes, as others: elements less aligned than their size (dwords of global
//! memory may lie anywhere, one a message), several bytes or words at once, doubles and blocks of local memory on the classic data port.

use crate::ir::{Access, Bin, Convert, Cursor, Function, Input, Op, Replaced, Space, Type, Value};
use crate::target::Target;

/// A block is as wide as the sub-group.
pub(super) fn knows_width(function: &Function) -> bool {
    function.listed().any(|data| is_of_block(&data.op))
}

const fn is_of_block(op: &Op) -> bool {
    matches!(op, Op::BlockLoad(_) | Op::BlockStore(_))
}

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        let insts = function.take(block);
        for inst in insts {
            let data = &function.insts[inst.index()];
            if !(matches!(data.op, Op::Load(_) | Op::Store(_)) || is_of_block(&data.op)) {
                function.blocks[block.index()].insts.push(inst);
                continue;
            }
            let data = data.clone();
            let mut at = Split {
                cursor: Cursor {
                    function,
                    block,
                    at: data.at,
                },
                target,
            };
            let values = match data.op {
                Op::Load(access) if at.is_split(access, &data.results) => {
                    at.load(access, data.args[0], &data.results)
                }
                Op::Store(access) if at.is_split(access, &data.args[1..]) => {
                    at.store(access, data.args[0], &data.args[1..]);
                    continue;
                }
                // The halves of integers are split later.
                Op::Load(access) if !target.lsc() && at.is_double(&data.results) => {
                    let types = vec![Type::I64; data.results.len()];
                    let load = at.cursor.push(Op::Load(access), &data.args, &types);
                    let whole = at.cursor.function.insts[load.index()].results.clone();
                    let double = |value| at.cursor.convert(Convert::Bitcast, value, Type::F64);
                    whole.into_iter().map(double).collect()
                }
                Op::Store(access) if !target.lsc() && at.is_double(&data.args[1..]) => {
                    let mut args = vec![data.args[0]];
                    for value in &data.args[1..] {
                        args.push(at.cursor.convert(Convert::Bitcast, *value, Type::I64));
                    }
                    at.cursor.push(Op::Store(access), &args, &[]);
                    continue;
                }
                Op::BlockLoad(Space::Local) if !target.lsc() => {
                    at.rows(data.args[0], &data.results, target.simd, Direction::Read)
                }
                Op::BlockStore(Space::Local) if !target.lsc() => {
                    let rows = &data.args[1..];
                    at.rows(data.args[0], rows, target.simd, Direction::Write);
                    continue;
                }
                _ => {
                    function.blocks[block.index()].insts.push(inst);
                    continue;
                }
            };
            replaced.extend(data.results.iter().copied().zip(values));
        }
    }
    replaced.apply(function);
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
}

/// A part of an access: its first byte, and how many there are: 1, 2 or 4.
type Unit = (u32, u32);

/// The alignment of dwords that messages take: global memory has them anywhere.
fn least(access: Access) -> u32 {
    match access.space {
        Space::Global => access.align.max(4),
        _ => access.align,
    }
}

/// The largest parts of `bytes` bytes that an alignment allows.
fn units(bytes: u32, align: u32) -> Vec<Unit> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes {
        let mut size = align.clamp(1, 4);
        while at + size > bytes {
            size /= 2;
        }
        out.push((at, size));
        at += size;
    }
    out
}

/// The alignment of a part of so many bytes.
fn part_align(access: Access, size: u32) -> u32 {
    match access.space {
        Space::Global => access.align.min(4),
        _ => access.align.min(4).max(size),
    }
}

struct Split<'a> {
    cursor: Cursor<'a>,
    target: &'a Target,
}

impl Split<'_> {
    fn is_split(&self, access: Access, values: &[Value]) -> bool {
        let bytes = values
            .first()
            .map_or(4, |v| self.cursor.function.ty(*v).bytes());
        // Where they are not aligned, a message has one dword.
        let several = bytes / 4 * values.len() as u32 > 1;
        least(access) < bytes.min(4) || bytes < 4 && values.len() > 1 || access.align < 4 && several
    }

    fn is_double(&self, values: &[Value]) -> bool {
        let first = values.first();
        first.is_some_and(|value| self.cursor.function.ty(*value) == Type::F64)
    }

    fn number(&mut self, number: u32) -> Value {
        self.cursor.constant(Type::I32, number.into())
    }

    /// The address a few bytes further.
    fn place(&mut self, address: Value, offset: u32) -> Value {
        let ty = self.cursor.function.ty(address);
        match offset {
            0 => address,
            _ => {
                let offset = self.cursor.constant(ty, offset.into());
                self.cursor.bin(Bin::Add, address, offset)
            }
        }
    }

    /// The units in runs that one message has: dwords, or one smaller unit.
    fn runs<'a>(
        &self,
        units: &'a [Unit],
        access: Access,
    ) -> impl Iterator<Item = &'a [Unit]> + use<'a> {
        let most = self.target.caps.access_bytes(access) as usize / 4;
        units
            .chunk_by(move |a, b| access.align >= 4 && a.1 == 4 && b.1 == 4)
            .flat_map(move |run| run.chunks(most))
    }

    fn load(&mut self, access: Access, address: Value, results: &[Value]) -> Vec<Value> {
        let types: Vec<Type> = results
            .iter()
            .map(|v| self.cursor.function.ty(*v))
            .collect();
        let bytes: u32 = types.iter().map(|ty| ty.bytes()).sum();
        // Three bytes or words come with what the alignment says lies behind them.
        let padded = bytes.next_power_of_two();
        let bytes = match !self.target.checked && access.align >= padded && !access.volatile {
            true => padded,
            false => bytes,
        };
        let units = units(bytes, least(access));
        // Each byte's unit, as a dword whose upper bits are zero.
        let mut dwords: Vec<(u32, u32, Value)> = Vec::new();
        for run in self.runs(&units, access) {
            let (first, size) = run[0];
            let place = self.place(address, first);
            let ty = Type::of_bits(8 * size).unwrap_or(Type::I32);
            let part = Access {
                align: part_align(access, size),
                ..access
            };
            let inst = self
                .cursor
                .push(Op::Load(part), &[place], &vec![ty; run.len()]);
            let values = self.cursor.function.insts[inst.index()].results.clone();
            for ((at, size), value) in run.iter().zip(values) {
                let wide = self.cursor.convert(Convert::ZExt, value, Type::I32);
                dwords.push((*at, *size, wide));
            }
        }
        let mut at = 0;
        types
            .into_iter()
            .map(|ty| {
                let begin = at;
                at += ty.bytes();
                match ty.bytes() {
                    8 => {
                        let low = self.gather(&dwords, begin, 4);
                        let high = self.gather(&dwords, begin + 4, 4);
                        let whole = self.cursor.one(Op::Pair, &[low, high], Type::I64);
                        self.cursor.convert(Convert::Bitcast, whole, ty)
                    }
                    size => {
                        let bits = self.gather(&dwords, begin, size);
                        let bits = self.cursor.convert(Convert::Trunc, bits, ty.integer());
                        self.cursor.convert(Convert::Bitcast, bits, ty)
                    }
                }
            })
            .collect()
    }

    /// `size` bytes from `begin` on, low bits first; what lies above means nothing.
    fn gather(&mut self, dwords: &[(u32, u32, Value)], begin: u32, size: u32) -> Value {
        let mut all: Option<Value> = None;
        for (at, bytes, value) in dwords {
            if at + bytes <= begin || *at >= begin + size {
                continue;
            }
            let (op, by) = match at.checked_sub(begin) {
                Some(by) => (Bin::Shl, by),
                None => (Bin::LShr, begin - at),
            };
            let by = self.number(8 * by);
            let moved = match self.cursor.function.bits(by) {
                Some(0) => *value,
                _ => self.cursor.bin(op, *value, by),
            };
            all = Some(match all {
                None => moved,
                Some(all) => self.cursor.bin(Bin::Or, all, moved),
            });
        }
        match all {
            Some(all) => all,
            None => self.number(0),
        }
    }

    fn store(&mut self, access: Access, address: Value, values: &[Value]) {
        // Each value as dwords whose upper bits are zero.
        let mut dwords: Vec<(u32, u32, Value)> = Vec::new();
        let mut end = 0;
        for value in values {
            let ty = self.cursor.function.ty(*value);
            let bits = self.cursor.convert(Convert::Bitcast, *value, ty.integer());
            match ty.bytes() {
                8 => {
                    let low = self.cursor.convert(Convert::Trunc, bits, Type::I32);
                    let high = self.cursor.one(Op::High, &[bits], Type::I32);
                    dwords.extend([(end, 4, low), (end + 4, 4, high)]);
                }
                size => {
                    let wide = self.cursor.convert(Convert::ZExt, bits, Type::I32);
                    dwords.push((end, size, wide));
                }
            }
            end += ty.bytes();
        }
        let units = units(end, least(access));
        for run in self.runs(&units, access) {
            let (first, size) = run[0];
            let mut args = vec![self.place(address, first)];
            for (at, size) in run {
                let ty = Type::of_bits(8 * size).unwrap_or(Type::I32);
                args.push(match self.packed(values, *at, *size, ty) {
                    Some(packed) => packed,
                    None => {
                        let bits = self.gather(&dwords, *at, *size);
                        self.cursor.convert(Convert::Trunc, bits, ty)
                    }
                });
            }
            let part = Access {
                align: part_align(access, size),
                ..access
            };
            self.cursor.push(Op::Store(part), &args, &[]);
        }
    }

    /// A part of values of one size that are whole in it.
    fn packed(&mut self, values: &[Value], at: u32, size: u32, ty: Type) -> Option<Value> {
        let of = self.cursor.function.ty(values[0]);
        let same = |value: &Value| self.cursor.function.ty(*value) == of;
        if of.bytes() >= size || !at.is_multiple_of(of.bytes()) || !values.iter().all(same) {
            return None;
        }
        let first = (at / of.bytes()) as usize;
        let parts = values.get(first..first + (size / of.bytes()) as usize)?;
        let integers: Vec<Value> = parts
            .iter()
            .map(|value| self.cursor.convert(Convert::Bitcast, *value, of.integer()))
            .collect();
        Some(self.cursor.one(Op::Pack, &integers, ty))
    }

    /// A block of local memory: each row by an access of each lane.
    fn rows(
        &mut self,
        address: Value,
        rows: &[Value],
        simd: u32,
        direction: Direction,
    ) -> Vec<Value> {
        let lane = self.cursor.one(Op::Input(Input::Lane), &[], Type::I32);
        let mut out = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let ty = self.cursor.function.ty(*row);
            let by = self.number(ty.bytes().trailing_zeros());
            let offset = self.cursor.bin(Bin::Shl, lane, by);
            let place = self.cursor.bin(Bin::Add, address, offset);
            let place = self.place(place, index as u32 * simd * ty.bytes());
            let access = Access::new(Space::Local, ty.bytes());
            match direction {
                Direction::Read => out.push(self.cursor.one(Op::Load(access), &[place], ty)),
                Direction::Write => {
                    self.cursor.push(Op::Store(access), &[place, *row], &[]);
                }
            }
        }
        out
    }
}
