//! Accesses that leave their array, found by code that is added to a module.
//!
//! Arrays in shared local memory lie side by side, and so do a work-item's own: machine code that leaves
//! one and gets into the next looks like any other. The module still says of which variable an access
//! is. [`Module::with_bounds`] carries an offset with each pointer that may come from a variable
//! ([`rewrite`]), through choices and calls ([`flow`]), and compares it before the access with the
//! variable's size. What leaves it says so, as [`devinfo::report`] has it; nothing else changes.

mod build;
mod flow;
mod layout;
mod reach;
mod rewrite;

use spirv::Op;

use crate::module::Module;
use build::Builder;
use flow::Flow;
use layout::Layout;

impl Module {
    /// The file with code that reports accesses beyond variables; `None` if it has no such access that
    /// must be looked at when it runs, or if its pointers do not have 64 bits. If it is not `whole`, functions
    /// that other modules may call keep their parameters.
    pub fn with_bounds(&self, whole: bool) -> Option<Vec<u8>> {
        let memory = |op| op == Some(Op::MemoryModel);
        let model = self.instructions().find(|one| memory(one.op()))?;
        if model.word(0) != spirv::AddressingModel::Physical64 as u32 {
            return None;
        }
        let layout = Layout::of(self);
        let flow = Flow::of(self, &layout, whole);
        let mut builder = Builder::new(self, &layout);
        let functions = rewrite::functions(self, &layout, &flow, &mut builder)?;
        Some(self.bytes(&builder.finish(self, &functions)))
    }
}
