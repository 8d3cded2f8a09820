//! The objects behind the handles. No C types cross here but OpenCL's own numbers; what entry
//! points check is checked before.

pub(crate) mod allocations;
pub(crate) mod build;
pub(crate) mod callback;
pub(crate) mod color;
pub(crate) mod command;
pub(crate) mod command_buffer;
mod container;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod event;
mod executable;
mod handle;
pub(crate) mod host;
mod host_memory;
pub(crate) mod image;
pub(crate) mod image_memory;
pub(crate) mod kernel;
pub(crate) mod memory;
mod options;
pub(crate) mod pipe;
pub(crate) mod platform;
mod printing;
pub(crate) mod program;
pub(crate) mod queue;
pub(crate) mod rows;
pub(crate) mod sampler;
pub(crate) mod sizes;

pub(crate) use context::Context;
pub(crate) use device::Device;
pub(crate) use event::Event;
pub(crate) use handle::{Handle, Object, publish, set_entry_points, show};
pub(crate) use host_memory::Memory;
pub(crate) use kernel::Kernel;
pub(crate) use memory::Mem;
pub(crate) use platform::Platform;
pub(crate) use program::Program;
pub(crate) use queue::Queue;
pub(crate) use sampler::Sampler;

/// Locks a mutex. A panic while it was locked has left nothing half done that matters here.
pub(crate) fn lock<T: ?Sized>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
