//! The xe ioctls. Semantics as in `xe_drm.h` and Linux `drivers/gpu/drm/xe`.

mod bind;
mod exec;
mod gem;
mod query;
mod syncs;

use batchbuffer::Engine;
use kmd_iface::uapi::xe::{self as uapi, EngineClass, EngineClassInstance, UserExtension};
use nix::errno::Errno;

use super::{Call, route};
use crate::client::File;
use crate::device::Device;
use crate::refusal::{Answer, ensure, refuse};
use softgpu_memory::user;

pub(super) fn answer(file: &File, call: &mut Call<'_>) -> Result<i32, Errno> {
    route!(call, {
        uapi::query::DEVICE_QUERY => |q| query::device_query(file, q),
        uapi::gem::GEM_CREATE => |c| gem::create(file, c),
        uapi::gem::GEM_MMAP_OFFSET => |m| gem::mmap_offset(file, m),
        uapi::vm::VM_CREATE => |v| bind::vm_create(file, v),
        uapi::vm::VM_DESTROY => |v| bind::vm_destroy(file, v),
        uapi::vm::VM_BIND => |v| bind::vm_bind(file, v),
        uapi::exec::EXEC_QUEUE_CREATE => |q| exec::queue_create(file, q),
        uapi::exec::EXEC_QUEUE_DESTROY => |q| exec::queue_destroy(file, q),
        uapi::exec::EXEC_QUEUE_GET_PROPERTY => |q| exec::queue_get_property(file, q),
        uapi::exec::EXEC => |e| exec::exec(file, e),
        uapi::exec::WAIT_USER_FENCE => |w| exec::wait_user_fence(file, w),
    })
}

/// The longest chain of extensions that is followed (`MAX_USER_EXTENSIONS`).
const EXTENSION_LIMIT: usize = 16;

/// Calls `handler` with the name and address of each extension of the chain at `address`.
fn for_each_extension(mut address: u64, mut handler: impl FnMut(u32, u64) -> Answer) -> Answer {
    for _ in 0..EXTENSION_LIMIT {
        if address == 0 {
            return Ok(());
        }
        let extension: UserExtension = user::read(address)?;
        zero(&[("pad of an extension", extension.pad.into())])?;
        handler(extension.name, address)?;
        address = extension.next_extension;
    }
    match address {
        0 => Ok(()),
        _ => refuse!(E2BIG, "a chain of more than {EXTENSION_LIMIT} extensions"),
    }
}

/// Fields that must be zero, with their names.
fn zero(fields: &[(&str, u64)]) -> Answer {
    for (name, value) in fields {
        ensure!(*value == 0, EINVAL, "{name} {value:#x}: must be zero");
    }
    Ok(())
}

/// The engines of a device, as xe lists them: all on GT 0.
fn engines(device: &Device) -> Vec<(Engine, EngineClassInstance)> {
    let instance = |engine| EngineClassInstance {
        engine_class: class(engine) as u16,
        ..EngineClassInstance::default()
    };
    let engines = super::engines(device).into_iter();
    engines.map(|engine| (engine, instance(engine))).collect()
}

/// The uAPI's class of an engine.
fn class(engine: Engine) -> EngineClass {
    match engine {
        Engine::Render => EngineClass::Render,
        Engine::Blitter => EngineClass::Copy,
        Engine::Video => EngineClass::VideoDecode,
        Engine::VideoEnhance => EngineClass::VideoEnhance,
        Engine::Compute => EngineClass::Compute,
    }
}

/// The engine that a class, instance and GT name; padding is ignored, as in the kernel.
fn find_engine(device: &Device, wanted: EngineClassInstance) -> Option<Engine> {
    let name = |e: EngineClassInstance| (e.engine_class, e.engine_instance, e.gt_id);
    engines(device)
        .into_iter()
        .find(|(_, instance)| name(*instance) == name(wanted))
        .map(|(engine, _)| engine)
}
