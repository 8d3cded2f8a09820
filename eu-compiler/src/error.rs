//! Why a module is not compiled.

use core::fmt;

/// A place in a SPIR-V module, and in its source if the module says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The word, counted from 0.
    pub word: u32,
    /// The instruction's name.
    pub instruction: String,
    /// The source file and line.
    pub line: Option<(String, u32)>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "word {}", self.word)?;
        if !self.instruction.is_empty() {
            write!(f, ", Op{}", self.instruction)?;
        }
        match &self.line {
            Some((file, line)) => write!(f, " ({file}:{line})"),
            None => Ok(()),
        }
    }
}

/// Why a module is not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The module breaks the rules of SPIR-V.
    #[error("invalid SPIR-V at {at}: {what}")]
    Invalid {
        /// Where.
        at: Place,
        /// Which rule.
        what: String,
    },
    /// The module is right, but this compiler or the platform cannot do it.
    #[error("not supported at {at}: {what}")]
    Unsupported {
        /// Where.
        at: Place,
        /// What.
        what: String,
    },
    /// The options do not fit the platform or the kernel.
    #[error("{0}")]
    Options(String),
    /// A kernel needs more than a thread has.
    #[error("kernel {kernel}: {what}")]
    Limit {
        /// The kernel.
        kernel: String,
        /// What it needs, and what there is.
        what: String,
    },
    /// The compiler broke one of its own rules.
    #[error("kernel {kernel}, after {pass}: {what}; this is a fault of the compiler")]
    Internal {
        /// The kernel.
        kernel: String,
        /// The pass.
        pass: &'static str,
        /// What is wrong.
        what: String,
    },
}

impl Error {
    /// The same of another instruction, if it is of one.
    pub(crate) fn at(mut self, place: Place) -> Self {
        if let Self::Invalid { at, .. } | Self::Unsupported { at, .. } = &mut self {
            *at = place;
        }
        self
    }
}
