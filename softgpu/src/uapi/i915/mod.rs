//! The i915 ioctls. Semantics as in Linux `drivers/gpu/drm/i915`.

mod context;
mod exec;
mod gem;
mod getparam;
mod query;

use batchbuffer::Engine;
use kmd_iface::uapi::i915::{self as uapi, EngineClass, EngineClassInstance, UserExtension};
use nix::errno::Errno;
use zerocopy::{FromBytes, IntoBytes};

use super::{Call, route};
use crate::client::{EngineSlot, File};
use crate::device::Device;
use crate::refusal::{Answer, ensure, refuse};
use softgpu_memory::user;

pub(super) fn answer(file: &File, call: &mut Call<'_>) -> Result<i32, Errno> {
    route!(call, {
        uapi::getparam::GETPARAM => |g| getparam::getparam(file, g),
        uapi::getparam::REG_READ => |r| getparam::reg_read(file, r),
        uapi::query::QUERY => |q| query::query(file, q),
        uapi::gem::CREATE => |c| gem::create(file, c),
        uapi::gem::CREATE_EXT => |c| gem::create_ext(file, c),
        uapi::gem::USERPTR => |u| gem::userptr(file, u),
        uapi::gem::MMAP => |m| gem::mmap(file, m),
        uapi::gem::MMAP_OFFSET => |m| gem::mmap_offset(file, m),
        uapi::gem::PREAD => |p| gem::pread(file, p),
        uapi::gem::PWRITE => |p| gem::pwrite(file, p),
        uapi::gem::SET_DOMAIN => |s| gem::set_domain(file, s),
        uapi::gem::SW_FINISH => |s| file.object(s.handle).map(drop),
        uapi::gem::SET_TILING => |t| gem::set_tiling(file, t),
        uapi::gem::GET_TILING => |t| gem::get_tiling(file, t),
        uapi::gem::SET_CACHING => |c| gem::set_caching(file, c),
        uapi::gem::GET_CACHING => |c| gem::get_caching(file, c),
        uapi::gem::GET_APERTURE => |a| gem::get_aperture(file, a),
        uapi::gem::MADVISE => |m| gem::madvise(file, m),
        uapi::gem::BUSY => |b| gem::busy(file, b),
        uapi::gem::WAIT => |w| gem::wait(file, w),
        uapi::context::CONTEXT_CREATE_EXT => |c| context::create(file, c),
        uapi::context::CONTEXT_DESTROY => |d| context::destroy(file, d),
        uapi::context::CONTEXT_GETPARAM => |p| context::getparam(file, p),
        uapi::context::CONTEXT_SETPARAM => |p| context::setparam(file, p),
        uapi::context::VM_CREATE => |v| context::vm_create(file, v),
        uapi::context::VM_DESTROY => |v| context::vm_destroy(file, v),
        uapi::context::GET_RESET_STATS => |r| context::reset_stats(file, r),
        uapi::exec::EXECBUFFER2_WR => |e| exec::execbuffer2(file, e),
    })
}

/// The longest chain of extensions that is followed.
const EXTENSION_LIMIT: usize = 512;

/// Calls `handler` with the name and address of each extension of the chain at `address`.
///
/// # Errors
/// `EFAULT` for a wild pointer, `EINVAL` for unknown flags, `E2BIG` for an endless chain.
fn for_each_extension(mut address: u64, mut handler: impl FnMut(u32, u64) -> Answer) -> Answer {
    for _ in 0..EXTENSION_LIMIT {
        if address == 0 {
            return Ok(());
        }
        let extension: UserExtension = user::read(address)?;
        ensure!(
            extension.flags == 0 && extension.rsvd == [0; 4],
            EINVAL,
            "extension {}: flags {:#x}, rsvd {:x?}: must be zero",
            extension.name,
            extension.flags,
            extension.rsvd
        );
        handler(extension.name, address)?;
        address = extension.next_extension;
    }
    refuse!(E2BIG, "a chain of more than {EXTENSION_LIMIT} extensions")
}

/// Reads an extension's structure.
fn read_extension<T: FromBytes + IntoBytes>(address: u64) -> Answer<T> {
    Ok(user::read(address)?)
}

/// The engines of a device, as i915 lists them.
fn engines(device: &Device) -> Vec<EngineSlot> {
    let slot = |engine| EngineSlot {
        engine,
        class: class(engine) as u16,
        instance: 0,
    };
    super::engines(device).into_iter().map(slot).collect()
}

/// The uAPI's class of an engine.
fn class(engine: Engine) -> EngineClass {
    match engine {
        Engine::Render => EngineClass::Render,
        Engine::Blitter => EngineClass::Copy,
        Engine::Video => EngineClass::Video,
        Engine::VideoEnhance => EngineClass::VideoEnhance,
        Engine::Compute => EngineClass::Compute,
    }
}

/// The engine that a class and instance name.
fn find_engine(device: &Device, id: EngineClassInstance) -> Option<EngineSlot> {
    engines(device)
        .into_iter()
        .find(|e| e.class == id.engine_class && e.instance == id.engine_instance)
}
