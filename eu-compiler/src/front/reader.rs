//! SPIR-V as instructions that say where they are.

use spirv::Op;
use spirv_module::{Malformed, Module, Violations, text};

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

impl<'a> Instruction<'a> {
    /// Operand `index`.
    pub fn word(&self, index: usize) -> Result<u32, Error> {
        self.words.get(index).copied().ok_or_else(|| {
            let have = self.words.len();
            self.invalid(format!("{have} operands, one more is needed"))
        })
    }

    /// The operands from `index` on.
    pub fn rest(&self, index: usize) -> &'a [u32] {
        self.words.get(index..).unwrap_or_default()
    }

    /// The text that begins at operand `index`.
    pub fn text(&self, index: usize) -> String {
        text(self.rest(index))
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

    /// It uses a variable that no module defines.
    pub fn not_defined(&self, name: &str) -> Error {
        self.unsupported(format!("the variable {name}, which is not defined"))
    }
}

/// A file as a module.
///
/// # Errors
/// The bytes are no SPIR-V, or of a version or with more ids than this compiler takes.
pub fn file(bytes: &[u8]) -> Result<Module, Error> {
    let invalid = |word, what| Error::Invalid {
        at: Place {
            word,
            ..Place::default()
        },
        what,
    };
    let module = Module::parse(bytes).map_err(|error| match error {
        Malformed::Instruction {
            offset,
            words,
            left,
        } => {
            let what = format!("the instruction has {words} words, {left} are left");
            invalid(offset as u32, what)
        }
        other => invalid(0, other.to_string()),
    })?;
    let (major, minor) = module.version();
    if major != 1 {
        return Err(invalid(1, format!("version {major}.{minor} is not 1.x")));
    }
    let bound = module.bound();
    if bound > MAX_BOUND {
        let what = format!("{bound} ids, the limit is {MAX_BOUND}");
        return Err(invalid(3, what));
    }
    let found = module.with_decorations_found();
    found.map_err(|lost| invalid(lost.offset as u32, lost.to_string()))
}

/// Holds a module against the rules that every module has to keep.
///
/// # Errors
/// The first instruction that breaks one.
pub fn validate(module: &Module) -> Result<(), Error> {
    let Err(Violations(broken)) = module.validate() else {
        return Ok(());
    };
    let Some(first) = broken.into_iter().next() else {
        return Ok(());
    };
    let name = first.instruction;
    Err(Error::Invalid {
        at: Place {
            word: first.offset as u32,
            instruction: name.strip_prefix("Op").unwrap_or(&name).to_owned(),
            line: first.line,
        },
        what: first.why,
    })
}

/// The instructions of a module.
pub fn instructions(module: &Module) -> Vec<Instruction<'_>> {
    let known = |one: spirv_module::Instruction<'_>| one.op().unwrap_or(Op::Nop);
    module
        .instructions()
        .map(|one| Instruction {
            op: known(one),
            number: one.opcode.into(),
            words: one.operands,
            at: one.offset as u32,
        })
        .collect()
}
