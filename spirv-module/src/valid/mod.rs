//! What every module has to be, whatever it is for.
//!
//! Of the rules of SPIR-V ("Universal Validation Rules", 2.16.1, and the instructions' own sections)
//! these are the ones without which a compiler makes code of nonsense: ids have one definition
//! ([`ids`]), functions take and give what their types say and consist of blocks ([`functions`]), and
//! [`operands`] have the types that their instruction works on. The environment of OpenCL adds
//! addresses and kernels ([`declarations`]). What a module may use without declaring it (capabilities,
//! extensions) is not looked at, nor is the order of its sections: compilers understand such modules.

mod declarations;
mod functions;
mod ids;
mod operands;
mod rules;

pub(crate) use ids::defines;
pub(crate) use rules::exchanges;

use spirv::Op;

use crate::module::{Instruction, Module};
use crate::types::Types;
use crate::violation::{Report, Violations};

impl Module {
    /// Holds the module against the rules that every module has to keep.
    ///
    /// # Errors
    /// The instructions that break one.
    pub fn validate(&self) -> Result<(), Violations> {
        let mut sets = self.instructions();
        let opencl =
            sets.find(|one| one.op() == Some(Op::ExtInstImport) && one.text(1) == "OpenCL.std");
        let mut check = Check {
            types: Types::of(self),
            opencl: opencl.map(|one| one.word(0)),
            report: Report::new(self),
        };
        let mut ids = ids::Ids::default();
        let mut declarations = declarations::Declarations::default();
        let mut functions = functions::Functions::of(self, &check.types);
        for one in self.instructions() {
            check.report.walk(&one);
            check.ids(&mut ids, &one);
            check.declared(&mut declarations, &one);
            check.function(&mut functions, &one);
            check.operands(&one);
        }
        check.declared_at_all(self, &declarations);
        match check.report.found.is_empty() {
            true => Ok(()),
            false => Err(Violations(check.report.found)),
        }
    }
}

struct Check {
    types: Types,
    /// The imported set of OpenCL's functions.
    opencl: Option<u32>,
    report: Report,
}

impl Check {
    /// An instruction without a result breaks a rule.
    fn broken(&mut self, one: &Instruction<'_>, why: impl Into<String>) {
        self.report.add(one, None, why.into());
    }

    /// An instruction with a result breaks a rule.
    fn wrong(&mut self, one: &Instruction<'_>, why: impl Into<String>) {
        self.report.add(one, Some(one.word(1)), why.into());
    }

    /// The type of a value, in words.
    fn describe_value(&self, value: u32) -> String {
        self.types.describe(self.types.of_value(value))
    }

    /// A type, in words.
    fn describe(&self, ty: u32) -> String {
        self.types.describe(self.types.get(ty))
    }
}
