//! A module as a list of instructions.

use std::collections::HashMap;

use spirv::Op;

/// Words before the first instruction: magic number, version, generator, bound, schema.
pub(crate) const HEADER: usize = 5;

/// Whether bytes begin as SPIR-V does, in either order of bytes.
pub fn is_spirv(bytes: &[u8]) -> bool {
    let magic = bytes.first_chunk().copied();
    magic.is_some_and(|magic| {
        [u32::from_le_bytes(magic), u32::from_be_bytes(magic)].contains(&spirv::MAGIC_NUMBER)
    })
}

/// Why bytes are no SPIR-V.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The beginning is another file's.
    #[error("this is no SPIR-V: it does not begin with the magic number")]
    Magic,
    /// There is not a whole number of words, or no whole header.
    #[error("the SPIR-V has {0} bytes, which are not whole words with a header of five")]
    Length(usize),
    /// An instruction reaches beyond the end, or has no words.
    #[error("word {offset}: the instruction has {words} words, {left} are left")]
    Instruction {
        /// Words before it.
        offset: usize,
        /// How many it says that it has.
        words: usize,
        /// How many there are.
        left: usize,
    },
}

/// A SPIR-V module.
#[derive(Clone, Debug)]
pub struct Module {
    words: Vec<u32>,
    /// Whether the first byte of the file is the highest of its word.
    big_endian: bool,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    /// Words before it.
    pub offset: usize,
    /// Its number.
    pub opcode: u16,
    /// The words after its first.
    pub operands: &'a [u32],
}

impl<'a> Instruction<'a> {
    /// What it is, if it is known.
    pub fn op(&self) -> Option<Op> {
        Op::from_u32(self.opcode.into())
    }

    /// An operand; 0, which is no id, if it is not there.
    pub fn word(&self, index: usize) -> u32 {
        self.operands.get(index).copied().unwrap_or(0)
    }

    /// The text that begins at an operand.
    pub fn text(&self, index: usize) -> String {
        text(self.operands.get(index..).unwrap_or_default())
    }
}

/// The text that words begin with, up to its zero byte.
pub fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Module {
    /// Takes a file.
    ///
    /// # Errors
    /// It is no SPIR-V, or its instructions do not fill it.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        if !is_spirv(bytes) {
            return Err(Malformed::Magic);
        }
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() || words.len() < HEADER {
            return Err(Malformed::Length(bytes.len()));
        }
        let big_endian = words.first() == Some(&spirv::MAGIC_NUMBER.to_be_bytes());
        let of = match big_endian {
            true => u32::from_be_bytes,
            false => u32::from_le_bytes,
        };
        let module = Self {
            words: words.iter().map(|&word| of(word)).collect(),
            big_endian,
        };
        let mut offset = HEADER;
        while let Some(&first) = module.words.get(offset) {
            let (words, left) = ((first >> 16) as usize, module.words.len() - offset);
            if words == 0 || words > left {
                return Err(Malformed::Instruction {
                    offset,
                    words,
                    left,
                });
            }
            offset += words;
        }
        Ok(module)
    }

    /// The version, major and minor.
    pub fn version(&self) -> (u8, u8) {
        let [_, minor, major, _] = self.words.get(1).copied().unwrap_or(0).to_le_bytes();
        (major, minor)
    }

    /// All ids are smaller than this.
    pub fn bound(&self) -> u32 {
        self.words.get(3).copied().unwrap_or(0)
    }

    /// All instructions, in order.
    pub fn instructions(&self) -> impl Iterator<Item = Instruction<'_>> {
        let mut offset = HEADER;
        std::iter::from_fn(move || {
            let first = *self.words.get(offset)?;
            let words = (first >> 16) as usize;
            let operands = self.words.get(offset + 1..offset + words)?;
            let instruction = Instruction {
                offset,
                opcode: first as u16,
                operands,
            };
            offset += words;
            Some(instruction)
        })
    }

    /// The texts of `OpName` and `OpString`, by id.
    pub(crate) fn texts(&self, op: Op) -> HashMap<u32, String> {
        let of = self.instructions().filter(|one| one.op() == Some(op));
        of.map(|one| (one.word(0), one.text(1))).collect()
    }

    /// The bytes of the file, with other words in it.
    pub(crate) fn with_words(&self, change: impl FnOnce(&mut [u32])) -> Vec<u8> {
        let mut words = self.words.clone();
        change(&mut words);
        self.bytes(&words)
    }

    /// All words.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    /// All words, to be changed: the instructions keep their lengths.
    pub(crate) fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// A module of these words, which are whole instructions behind a header.
    pub(crate) fn of_words(&self, words: Vec<u32>) -> Self {
        Self {
            words,
            big_endian: self.big_endian,
        }
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes(&self.words)
    }

    /// The bytes of a file with these words, in the order of this one.
    pub(crate) fn bytes(&self, words: &[u32]) -> Vec<u8> {
        let bytes = |word: &u32| match self.big_endian {
            true => word.to_be_bytes(),
            false => word.to_le_bytes(),
        };
        words.iter().flat_map(bytes).collect()
    }
}
