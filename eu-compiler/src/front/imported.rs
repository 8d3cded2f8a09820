//! Functions without a body whose names are known: built-ins that translators to SPIR-V leave as
//! calls, by their mangled names.

use spirv::MemorySemantics;

use super::atomic::Ordered;
use super::bits::Signs;
use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Atomic, Bin, Op, Scope, Type, Un, Value};

/// What numbers the first parameter has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// Splits `_Z<length><name><parameters>`.
fn demangle(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("_Z")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let (length, rest) = rest.split_at_checked(digits)?;
    rest.split_at_checked(length.parse().ok()?)
}

/// The numbers of the first of mangled parameters.
fn kind(parameters: &str) -> Option<Kind> {
    let scalar = match parameters.strip_prefix("Dv") {
        Some(vector) => vector.split_once('_')?.1,
        None => parameters,
    };
    Some(match scalar.as_bytes() {
        [b'D', b'h', ..] | [b'f' | b'd', ..] => Kind::Float,
        [b'c' | b'a' | b's' | b'i' | b'l', ..] => Kind::Signed,
        [b'h' | b't' | b'j' | b'm', ..] => Kind::Unsigned,
        _ => return None,
    })
}

fn combination(name: &str, kind: Kind) -> Option<Bin> {
    Some(match (name, kind) {
        ("add", Kind::Float) => Bin::FAdd,
        ("add", _) => Bin::Add,
        ("min", Kind::Float) => Bin::FMin,
        ("min", Kind::Signed) => Bin::SMin,
        ("min", Kind::Unsigned) => Bin::UMin,
        ("max", Kind::Float) => Bin::FMax,
        ("max", Kind::Signed) => Bin::SMax,
        ("max", Kind::Unsigned) => Bin::UMax,
        _ => return None,
    })
}

impl Translator<'_> {
    /// The result of such a function; none if its name is not known.
    pub(super) fn imported(
        &mut self,
        name: &str,
        args: &[Val],
        i: &Instruction<'_>,
    ) -> Result<Option<Val>, Error> {
        let Some((name, parameters)) = demangle(name) else {
            return Ok(None);
        };
        if let Some(what) = name.strip_prefix("dot") {
            return self.imported_dot(what, parameters, args, i);
        }
        if matches!(name, "atomic_fetch_sub" | "atomic_fetch_sub_explicit") {
            return self.imported_subtraction(args, i).map(Some);
        }
        let name = name.strip_prefix("intel_").unwrap_or(name);
        let Some(what) = name.strip_prefix("sub_group_") else {
            return Ok(None);
        };
        let (Some(value), Some(kind)) = (args.first().cloned(), kind(parameters)) else {
            return Ok(None);
        };
        let scan = |inclusive| move |op| Op::Scan { op, inclusive };
        let found = if let Some(how) = what.strip_prefix("reduce_") {
            combination(how, kind).map(Op::Reduce)
        } else if let Some(how) = what.strip_prefix("scan_inclusive_") {
            combination(how, kind).map(scan(true))
        } else if let Some(how) = what.strip_prefix("scan_exclusive_") {
            combination(how, kind).map(scan(false))
        } else {
            None
        };
        if let Some(op) = found {
            let values = value.scalars.iter().map(|value| {
                let ty = self.function.ty(*value);
                self.one(op.clone(), &[*value], ty)
            });
            return Ok(Some(Val::many(values.collect::<Vec<Value>>())));
        }
        let op = match what {
            "broadcast" => Op::Broadcast,
            "shuffle" | "shuffle_xor" => Op::Shuffle,
            _ => return Ok(None),
        };
        let index = args.get(1).and_then(|val| val.scalars.first()).copied();
        let index = index.ok_or_else(|| i.invalid("an argument is missing"))?;
        let mut lane = self.resize(index, Type::I32, false);
        if what == "shuffle_xor" {
            let own = self.lane();
            lane = self.here().bin(Bin::Xor, own, lane);
        }
        let values = value
            .scalars
            .iter()
            .map(|value| self.of_lane(op.clone(), *value, lane));
        Ok(Some(Val::many(values.collect::<Vec<Value>>())))
    }

    /// `dot` and `dot_acc_sat` of bytes: four in a vector, or `_4x8packed_su_int` in a dword.
    fn imported_dot(
        &mut self,
        what: &str,
        parameters: &str,
        args: &[Val],
        i: &Instruction<'_>,
    ) -> Result<Option<Val>, Error> {
        let (accumulates, what) = match what.strip_prefix("_acc_sat") {
            Some(rest) => (true, rest),
            None => (false, what),
        };
        let (first, second) = match what.strip_prefix("_4x8packed_") {
            Some(letters) => {
                let signed = |at: usize| letters.as_bytes().get(at) == Some(&b's');
                (signed(0), signed(1))
            }
            None if what.is_empty() => {
                // The second vector is of the first one's type if it says nothing else.
                let is_signed = |text: &str| kind(text) == Some(Kind::Signed);
                let second = parameters.get(1..).and_then(|rest| rest.find("Dv"));
                let second = second.map_or(parameters, |at| &parameters[at + 1..]);
                (is_signed(parameters), is_signed(second))
            }
            None => return Ok(None),
        };
        let (a, b, accumulator) = match (args, accumulates) {
            ([a, b], false) => (a, b, None),
            ([a, b, sum], true) => (a, b, sum.scalars.first().copied()),
            _ => return Ok(None),
        };
        // An unsigned vector before a signed one is the same the other way around.
        let (a, b, signs) = match (first, second) {
            (false, true) => (b, a, (true, false)),
            signs => (a, b, signs),
        };
        let signs = Signs {
            first: signs.0,
            second: signs.1,
        };
        let value = self.integer_dot(a, b, signs, accumulator, Type::I32, i)?;
        Ok(Some(Val::one(value)))
    }

    /// A difference of floats in memory, which SPIR-V has no instruction for.
    fn imported_subtraction(&mut self, args: &[Val], i: &Instruction<'_>) -> Result<Val, Error> {
        let missing = || i.invalid("an argument is missing");
        let [pointer, value, rest @ ..] = args else {
            return Err(missing());
        };
        let (address, space) = self.address(pointer, i)?;
        let value = *value.scalars.first().ok_or_else(missing)?;
        let ty = self.function.ty(value);
        if !ty.is_float() {
            return Err(i.unsupported(format!("an atomic difference of {ty} as a function")));
        }
        let number = |at: usize| {
            let value = rest.get(at).and_then(|val| val.scalars.first());
            value.map(|value| {
                let bits = self.function.bits(*value);
                bits.ok_or_else(|| i.unsupported("an order or a scope that is no constant"))
            })
        };
        // The numbers of OpenCL C. Source: clang, opencl-c-base.h, memory_order and memory_scope.
        let order = match number(0).transpose()?.unwrap_or(5) {
            0 => MemorySemantics::RELAXED,
            2 => MemorySemantics::ACQUIRE,
            3 => MemorySemantics::RELEASE,
            4 => MemorySemantics::ACQUIRE_RELEASE,
            _ => MemorySemantics::SEQUENTIALLY_CONSISTENT,
        };
        let scope = match number(1).transpose()?.unwrap_or(2) {
            0 | 4 => Scope::SubGroup,
            1 => Scope::WorkGroup,
            _ => Scope::Device,
        };
        let how = Ordered {
            space,
            order,
            scope,
        };
        let negative = self.un(Un::FNeg, value);
        let old = self.ordered_atomic(Atomic::FAdd, &[address, negative], ty, how, i)?;
        Ok(Val::one(old.ok_or_else(missing)?))
    }
}
