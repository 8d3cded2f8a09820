//! A module with constants in the place of operations on them.

use spirv::{Decoration, Op};

use super::{Constants, Value};
use crate::module::{HEADER, Instruction, Module};
use crate::types::{Type, Types};

impl Module {
    /// The module with constants in the place of operations on constants; itself if it has none.
    pub fn folded(self) -> Self {
        let constants = self.constants();
        if constants.made.is_empty() {
            return self;
        }
        let types = Types::of(&self);
        let mut words = self.words().get(..HEADER).unwrap_or_default().to_vec();
        if let Some(bound) = words.get_mut(3) {
            *bound = constants.bound;
        }
        for one in self.instructions() {
            let made = constants.made.get(&one.word(1));
            match made.filter(|_| one.op() == Some(Op::SpecConstantOp)) {
                Some(made) => {
                    for id in made.iter().chain([&one.word(1)]) {
                        constants.declare(*id, &types, &mut words);
                    }
                }
                None if constants.is_of_operation(&one) => {}
                None => {
                    let end = one.offset + 1 + one.operands.len();
                    words.extend(self.words().get(one.offset..end).unwrap_or_default());
                }
            }
        }
        self.of_words(words)
    }
}

impl Constants {
    /// Whether an instruction decorates a constant as an operation that it is no more.
    fn is_of_operation(&self, one: &Instruction<'_>) -> bool {
        const OF_OPERATIONS: [Decoration; 6] = [
            Decoration::SaturatedConversion,
            Decoration::FPRoundingMode,
            Decoration::FPFastMathMode,
            Decoration::NoContraction,
            Decoration::NoSignedWrap,
            Decoration::NoUnsignedWrap,
        ];
        let mut all = OF_OPERATIONS.iter();
        one.op() == Some(Op::Decorate)
            && self.made.contains_key(&one.word(0))
            && all.any(|decoration| one.word(1) == *decoration as u32)
    }

    /// The declaration of a constant.
    fn declare(&self, id: u32, types: &Types, words: &mut Vec<u32>) {
        let Some(constant) = self.get(id) else { return };
        let mut write = |op: Op, operands: &[u32]| {
            let count = 3 + operands.len() as u32;
            words.extend([count << 16 | op as u32, constant.ty, id]);
            words.extend(operands);
        };
        match (&constant.value, types.get(constant.ty)) {
            (Value::Bits(0), Some(Type::Bool)) => write(Op::ConstantFalse, &[]),
            (Value::Bits(_), Some(Type::Bool)) => write(Op::ConstantTrue, &[]),
            (Value::Bits(bits), of) => {
                let (low, high) = (*bits as u32, (*bits >> 32) as u32);
                match of {
                    Some(Type::Int { width: 64, .. } | Type::Float { width: 64 }) => {
                        write(Op::Constant, &[low, high]);
                    }
                    // "If the type is a signed integer, it must be sign extended."
                    Some(Type::Int {
                        width: width @ 1..=32,
                        signedness: 1,
                    }) => {
                        let beyond = 32 - width;
                        write(Op::Constant, &[((low << beyond) as i32 >> beyond) as u32]);
                    }
                    _ => write(Op::Constant, &[low]),
                }
            }
            (Value::Null, _) => write(Op::ConstantNull, &[]),
            (Value::Undefined, _) => write(Op::Undef, &[]),
            (Value::Parts(parts), _) => write(Op::SpecConstantComposite, parts),
        }
    }
}
