//! What operations on constants give, which specialization leaves in modules.

use spirv_module::Value;

use super::super::reader::Instruction;
use super::super::types::{MAX_SCALARS, Part};
use super::{Module, Scalar, Scalars};
use crate::error::Error;

impl Module<'_> {
    /// The scalars of an `OpSpecConstantOp`; none if an operand is no number, or if only
    /// code can compute it.
    pub(super) fn constant_operation(&self, i: &Instruction<'_>) -> Result<Option<Scalars>, Error> {
        let (ty, id) = (i.word(0)?, i.word(1)?);
        if self.folded.get(id).is_none() {
            return Ok(None);
        }
        let null = |part: Part| (part.ty, Some(part.null()));
        let undefined = |part: Part| (part.ty, None);
        let mut out: Vec<Scalar> = Vec::new();
        let mut left = vec![id];
        // Parts may have no scalars, and be many.
        for _ in 0..MAX_SCALARS {
            let Some(id) = left.pop() else { break };
            let Some(constant) = self.folded.get(id) else {
                return Ok(None);
            };
            let parts = || self.types.flatten(constant.ty, i);
            match &constant.value {
                Value::Bits(bits) => out.extend(parts()?.iter().map(|part| (part.ty, Some(*bits)))),
                Value::Null => out.extend(parts()?.into_iter().map(null)),
                Value::Undefined => out.extend(parts()?.into_iter().map(undefined)),
                Value::Parts(parts) => left.extend(parts.iter().rev()),
            }
        }
        let types = self.types.flatten(ty, i)?.into_iter().map(|part| part.ty);
        let fits = left.is_empty() && types.eq(out.iter().map(|(ty, _)| *ty));
        Ok(fits.then_some(out))
    }
}

#[cfg(test)]
mod tests {
    use spirv::Op;

    use crate::front::{file, module};

    /// Choices among large constants, each of which has all their scalars.
    #[test]
    fn choices_are_not_kept_without_end() {
        let of = |choices: u32| {
            let mut words = vec![spirv::MAGIC_NUMBER, 0x1_0200, 0, 7 + choices, 0];
            let mut add = |op: Op, operands: &[u32]| {
                words.push((operands.len() as u32 + 1) << 16 | op as u32);
                words.extend(operands);
            };
            add(Op::TypeInt, &[1, 32, 0]);
            add(Op::TypeBool, &[2]);
            add(Op::Constant, &[1, 3, 16_000]);
            add(Op::TypeArray, &[4, 1, 3]);
            add(Op::ConstantNull, &[4, 5]);
            add(Op::ConstantTrue, &[2, 6]);
            for id in 7..7 + choices {
                add(Op::SpecConstantOp, &[4, id, Op::Select as u32, 6, 5, 5]);
            }
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            let file = file(&bytes.collect::<Vec<_>>()).unwrap();
            module(&file).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(of(20), Ok(()));
        let error = of(400).unwrap_err();
        assert!(error.contains("constants of more than"), "{error}");
    }
}
