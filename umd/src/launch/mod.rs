//! From a kernel with arguments and an index space to a batch in the queue's heap.

mod check;
mod error;
mod frame;
mod front_end;
mod geometry;
mod heap;
mod layout;
mod maker;
mod payload;
mod prepared;
mod recorded;
mod ring;
mod slots;
mod staging;
mod states;
mod template;
mod work;

pub(crate) use check::{Launch, check, payload};
pub(crate) use error::{CloseError, MakeError};
pub(crate) use front_end::check_kernel;
pub(crate) use geometry::{max_local, sub_groups};
pub(crate) use heap::{Oldest, Places};
pub(crate) use maker::Maker;
pub(crate) use payload::{SlmLayout, argument_fields, program_fields, slm, slm_fields};
pub(crate) use prepared::{Contents, Launched, Prepared};
pub(crate) use recorded::Recording;
#[cfg(all(test, feature = "softgpu"))]
pub(crate) use slots::SlotMemory;
pub(crate) use states::{MAX_RAW, SURFACE_ALIGNMENT, StatesLayout, of_argument, of_program};
pub(crate) use template::Templates;
pub(crate) use work::Work;
