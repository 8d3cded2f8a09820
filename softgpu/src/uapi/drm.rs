//! The ioctls of all drivers: version, capabilities, handles, PRIME.

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use devinfo::Driver;
use kmd_iface::uapi::drm::{
    self, CAP_PRIME, CAP_SYNCOBJ, CAP_SYNCOBJ_TIMELINE, GemClose, GetCap, PrimeFlags, PrimeHandle,
    Version,
};
use nix::errno::Errno;

use super::{Call, route};
use crate::client::Memory;
use crate::client::{File, Object};
use crate::refusal::{Answer, demand, ensure, refuse};
use crate::sync::{FileId, file_id, give_away};
use softgpu_device::wait_until;
use softgpu_memory::{Backing, user};

pub(super) fn answer(file: &File, call: &mut Call<'_>) -> Result<i32, Errno> {
    route!(call, {
        drm::VERSION => |v| version(file, v),
        // Render nodes lack it.
        drm::GET_UNIQUE => |_| refuse!(EACCES, "render nodes have no unique name"),
        drm::GET_CAP => get_cap,
        drm::GEM_CLOSE => |c| gem_close(file, c),
        drm::PRIME_HANDLE_TO_FD => |p| handle_to_fd(file, p),
        drm::PRIME_FD_TO_HANDLE => |p| fd_to_handle(file, p),
    })
}

/// What the drivers report: name, version, date, description. Only the name and version matter to
/// clients.
fn identity(driver: Driver) -> (&'static str, [i32; 3], &'static str, &'static str) {
    match driver {
        Driver::I915 => ("i915", [1, 6, 0], "20230929", "Intel Graphics"),
        Driver::Xe => ("xe", [1, 1, 0], "20201103", "Intel Xe2 Graphics"),
    }
}

fn version(file: &File, version: &mut Version) -> Answer {
    let (name, numbers, date, description) = identity(file.device().options.driver);
    [
        version.version_major,
        version.version_minor,
        version.version_patchlevel,
    ] = numbers;
    copy_text(name, version.name, &mut version.name_len)?;
    copy_text(date, version.date, &mut version.date_len)?;
    copy_text(description, version.desc, &mut version.desc_len)
}

/// Copies as much of `text` as fits, and gives its whole length.
fn copy_text(text: &str, address: u64, length: &mut u64) -> Answer {
    let room = usize::try_from(*length).unwrap_or(usize::MAX);
    *length = text.len() as u64;
    let part = text
        .as_bytes()
        .get(..room.min(text.len()))
        .unwrap_or_default();
    if address == 0 {
        return Ok(());
    }
    Ok(user::copy_out(address, part)?)
}

fn get_cap(cap: &mut GetCap) -> Answer {
    cap.value = match cap.capability {
        CAP_SYNCOBJ | CAP_SYNCOBJ_TIMELINE => 1,
        CAP_PRIME => 3,
        other => refuse!(EINVAL, "capability {other:#x} is not known"),
    };
    Ok(())
}

fn gem_close(file: &File, close: &mut GemClose) -> Answer {
    // The kernel answers EINVAL here, where other calls answer ENOENT.
    let removed = file.lists.closing(|| file.objects.remove(close.handle));
    demand!(
        removed,
        EINVAL,
        "there is no buffer object {}",
        close.handle
    );
    Ok(())
}

/// The objects that are dma-bufs, by their file. An object keeps its file, so that no other has its
/// identity as long as it lives.
static SHARED: Mutex<BTreeMap<FileId, Weak<Object>>> = Mutex::new(BTreeMap::new());

fn shared() -> MutexGuard<'static, BTreeMap<FileId, Weak<Object>>> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.retain(|_, object| object.strong_count() > 0);
    shared
}

/// Exports an object. The fd can be passed on, imported and mapped, by other processes, too.
fn handle_to_fd(file: &File, prime: &mut PrimeHandle) -> Answer {
    let unknown = prime.flags - PrimeFlags::CLOEXEC - PrimeFlags::RDWR;
    ensure!(
        unknown.is_empty(),
        EINVAL,
        "flags: {unknown:?} is not known"
    );
    let object = file.object(prime.handle)?;
    // As in i915: one process's pages are not shared with others.
    ensure!(
        object.backing.user_range().is_none(),
        EINVAL,
        "handle {} is the client's own pages",
        prime.handle
    );
    ensure!(
        !object.is_private(),
        EPERM,
        "handle {} is private to a VM",
        prime.handle
    );
    // Work that is under way ends first: its writes are to be in what others see.
    let users = object.conflicts(true);
    let is_idle = || users.iter().all(|fence| fence.is_signalled()).then_some(());
    let _ = wait_until(None, is_idle);
    let mut shared = shared();
    let fd = object.backing.share()?;
    shared.insert(file_id(fd.as_fd())?, Arc::downgrade(&object));
    prime.fd = give_away(fd);
    Ok(())
}

fn fd_to_handle(file: &File, prime: &mut PrimeHandle) -> Answer {
    let fd = user::duplicate(prime.fd)?;
    let id = file_id(fd.as_fd())?;
    let mut shared = shared();
    let object = match shared.get(&id).and_then(Weak::upgrade) {
        Some(object) => object,
        None => {
            let backing = Backing::of_file(&file.device().pool, fd)?;
            let object = Object::new(backing, Memory::System, 0);
            shared.insert(id, Arc::downgrade(&object));
            object
        }
    };
    prime.handle = match file.objects.find(&object) {
        Some(handle) => handle,
        None => file.objects.insert(object)?,
    };
    Ok(())
}
