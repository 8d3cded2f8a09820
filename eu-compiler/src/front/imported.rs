//! Functions without a body whose names are known: built-ins that translators to SPIR-V leave as
//! calls, by their mangled names.

use super::reader::Instruction;
use super::translate::{Translator, Val};
use crate::error::Error;
use crate::ir::{Bin, Op, Value};

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
        let mut lane = self.resize(index, crate::ir::Type::I32, false);
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
}
