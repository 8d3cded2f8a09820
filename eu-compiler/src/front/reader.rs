//! SPIR-V as instructions: words with an opcode.

use spirv::Op;

use crate::error::{Error, Place};

/// More ids than any program has; a bound for hostile files.
const MAX_BOUND: u32 = 1 << 22;

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    /// What it does; [`Op::Nop`] if the number is unknown.
    pub op: Op,
    /// The opcode's number.
    pub number: u32,
    /// Its operands.
    pub words: &'a [u32],
    /// The place of its first word.
    pub at: u32,
}

impl Instruction<'_> {
    /// Operand `index`.
    pub fn word(&self, index: usize) -> Result<u32, Error> {
        self.words.get(index).copied().ok_or_else(|| {
            let have = self.words.len();
            self.invalid(format!("{have} operands, one more is needed"))
        })
    }

    /// The operands from `index` on.
    pub fn rest(&self, index: usize) -> &[u32] {
        self.words.get(index..).unwrap_or_default()
    }

    /// The text that begins at operand `index`.
    pub fn text(&self, index: usize) -> String {
        string(self.rest(index))
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        Place {
            word: self.at,
            instruction: match self.op {
                Op::Nop => format!("#{}", self.number),
                op => format!("{op:?}"),
            },
            line: None,
        }
    }

    /// It breaks a rule.
    pub fn invalid(&self, what: impl Into<String>) -> Error {
        Error::Invalid {
            at: self.place(),
            what: what.into(),
        }
    }

    /// It cannot be done.
    pub fn unsupported(&self, what: impl Into<String>) -> Error {
        Error::Unsupported {
            at: self.place(),
            what: what.into(),
        }
    }
}

/// The text in words, up to its end.
pub fn string(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let end = bytes
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

/// The words of a module, in the machine's order.
///
/// # Errors
/// The bytes are no SPIR-V.
pub fn words(bytes: &[u8]) -> Result<Vec<u32>, Error> {
    let fail = |what: String| Error::Invalid {
        at: Place::default(),
        what,
    };
    let (quads, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || quads.len() < 5 {
        return Err(fail(format!(
            "{} bytes are no whole header and words",
            bytes.len()
        )));
    }
    let order: fn([u8; 4]) -> u32 = match u32::from_le_bytes(quads[0]) {
        spirv::MAGIC_NUMBER => u32::from_le_bytes,
        other if other.swap_bytes() == spirv::MAGIC_NUMBER => u32::from_be_bytes,
        other => return Err(fail(format!("it begins with {other:#010x}"))),
    };
    let words: Vec<u32> = quads.iter().map(|quad| order(*quad)).collect();
    if words[1] >> 16 != 1 {
        return Err(fail(format!("version {:#x} is not 1.x", words[1])));
    }
    if words[3] > MAX_BOUND {
        return Err(fail(format!("{} ids, the limit is {MAX_BOUND}", words[3])));
    }
    Ok(words)
}

/// The instructions of a module's words.
///
/// # Errors
/// A length that does not fit.
pub fn instructions(words: &[u32]) -> Result<Vec<Instruction<'_>>, Error> {
    let mut out = Vec::new();
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        let length = (first >> 16) as usize;
        let number = first & 0xffff;
        let place = || Place {
            word: at as u32,
            instruction: format!("#{number}"),
            line: None,
        };
        let operands = at.checked_add(1).zip(at.checked_add(length));
        let operands = operands.and_then(|(from, to)| words.get(from..to));
        let Some(words) = operands else {
            return Err(Error::Invalid {
                at: place(),
                what: format!("it has {length} words, the module ends before"),
            });
        };
        out.push(Instruction {
            op: Op::from_u32(number).unwrap_or(Op::Nop),
            number,
            words,
            at: at as u32,
        });
        at += length;
    }
    Ok(out)
}
