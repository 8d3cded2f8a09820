//! SPIR-V modules before a compiler sees them.
//!
//! A [`Module`] is a list of [`Instruction`]s, each of whole words; nothing else is taken for granted,
//! and instructions that are not known pass. [`Module::validate`] holds it against the rules without
//! which no code can be made of it. [`Module::check`] holds it against those of
//! `cl_intel_spirv_subgroups` (and `cl_intel_subgroups_char`), and refuses initializers and finalizers.
//! [`Module::spec_constants`] and [`Module::specialized`] are its specialization constants,
//! [`Module::constants`] and [`Module::folded`] what operations on them give, [`Module::definitions`] what other modules may not define again, [`with_pointers_alike`] and
//! [`Module::without_aliases`] make modules that linkers take.
//!
//! [`Module::with_sub_group_sizes`] has kernels require sizes of sub-groups.
//! [`Module::with_decorations_found`] gives decorations back that a translator has lost.
//! [`Module::with_bounds`] adds code that reports accesses which leave their array.
//!
//! It is a crate of its own because the OpenCL runtime and a compiler both need it, and neither the
//! other.

mod aliases;
mod bounds;
mod fold;
mod linkage;
mod lost;
mod module;
mod pointers;
mod sizes;
mod specialize;
mod subgroups;
mod types;
mod valid;
mod violation;

pub use fold::{Constant, Constants, Value};
pub use lost::LostDecoration;
pub use module::{Instruction, Malformed, Module, is_spirv, text};
pub use pointers::with_pointers_alike;
pub use specialize::SpecConstant;
pub use subgroups::Environment;
pub use violation::{Violation, Violations};
