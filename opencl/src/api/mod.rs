//! Entry points: each function checks what it is given, with the specification's sentence beside
//! the check, and hands over to the objects in [`core`](crate::core).

#![allow(
    clippy::too_many_arguments,
    reason = "entry points have the parameters of the specification"
)]

pub(crate) mod abi;
mod attributes;
mod buffer;
mod build;
mod command_buffer;
mod context;
mod device;
pub(crate) mod dispatch;
mod event;
mod execute;
mod extensions;
mod external_memory;
mod image;
mod image_transfer;
mod info;
mod kernel;
mod map;
mod mutable_dispatch;
mod pipe;
mod platform;
mod program;
mod queue;
mod sampler;
mod subgroups;
mod svm;
mod transfer;
mod usm;
