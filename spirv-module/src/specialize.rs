//! Specialization constants.

use std::collections::{BTreeMap, HashMap};

use spirv::{Decoration, Op};

use crate::module::Module;
use crate::types::{Type, Types};

/// A constant whose value can be changed before the module is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// Its number, by which programs know it.
    pub id: u32,
    /// The bytes of its value; 1 for a boolean.
    pub size: usize,
    /// Words before its instruction.
    offset: usize,
    is_bool: bool,
}

impl Module {
    /// The specialization constants, in order.
    pub fn spec_constants(&self) -> Vec<SpecConstant> {
        let mut ids: HashMap<u32, Vec<u32>> = HashMap::new();
        for one in self.instructions() {
            if one.op() == Some(Op::Decorate) && one.word(1) == Decoration::SpecId as u32 {
                ids.entry(one.word(0)).or_default().push(one.word(2));
            }
        }
        let types = Types::of(self);
        let mut found = Vec::new();
        for one in self.instructions() {
            let is_bool = match one.op() {
                Some(Op::SpecConstantTrue | Op::SpecConstantFalse) => true,
                Some(Op::SpecConstant) => false,
                _ => continue,
            };
            let size = match types.get(one.word(0)) {
                _ if is_bool => 1,
                Some(Type::Int { width, .. } | Type::Float { width }) => width.div_ceil(8) as usize,
                _ => continue,
            };
            // As many words as the value has.
            if !is_bool && one.operands.len() != 2 + size.div_ceil(4) {
                continue;
            }
            let ids = ids.get(&one.word(1)).into_iter().flatten();
            found.extend(ids.map(|&id| SpecConstant {
                id,
                size,
                offset: one.offset,
                is_bool,
            }));
        }
        found
    }

    /// The file with other values of specialization constants, by their number. Values of another
    /// size than the constant's are left out.
    pub fn specialized(&self, values: &BTreeMap<u32, Vec<u8>>) -> Vec<u8> {
        let constants = self.spec_constants();
        self.with_words(|words| {
            for constant in constants {
                let value = values.get(&constant.id);
                let Some(value) = value.filter(|value| value.len() == constant.size) else {
                    continue;
                };
                if constant.is_bool {
                    let op = match value.as_slice() {
                        [0] => Op::SpecConstantFalse,
                        _ => Op::SpecConstantTrue,
                    };
                    if let Some(word) = words.get_mut(constant.offset) {
                        *word = *word & 0xffff_0000 | op as u32;
                    }
                    continue;
                }
                // "Types 32 bits wide or smaller take one word. Larger types take multiple words,
                // with low-order words appearing first."
                let own = words.iter_mut().skip(constant.offset + 3);
                for (word, bytes) in own.zip(value.chunks(4)) {
                    let mut whole = [0; 4];
                    whole
                        .iter_mut()
                        .zip(bytes)
                        .for_each(|(to, from)| *to = *from);
                    *word = u32::from_le_bytes(whole);
                }
            }
        })
    }
}
