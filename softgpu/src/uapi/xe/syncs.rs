//! Syncs of binding operations and submissions.

use std::sync::Arc;

use kmd_iface::uapi::xe::exec::{MAX_SYNCS, Sync, SyncFlags, SyncType};
use nix::errno::Errno;

use super::zero;
use crate::client::{File, XeVm};
use crate::sync::Syncobj;
use softgpu_device::Fence;
use softgpu_memory::user;

/// Which user fences a call accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UserFences {
    /// None: a call that does nothing.
    None,
    /// At addresses of the client's process: for bindings.
    OfClient,
    /// At addresses of the address space: for batches.
    OfGpu,
}

/// A value to write when the work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UserFence {
    pub address: u64,
    pub value: u64,
}

/// The syncs of one call.
#[derive(Default)]
pub(super) struct Syncs {
    pub waits: Vec<Arc<Fence>>,
    signals: Vec<(Arc<Syncobj>, u64)>,
    pub user_fence: Option<UserFence>,
}

impl Syncs {
    /// Reads `count` syncs at `address`. Errors in the order of Linux `xe_sync_entry_parse`.
    ///
    /// # Errors
    /// `EINVAL`, `ENOENT` and `EFAULT` as usual; `EOPNOTSUPP` for syncs that the call, or an
    /// address space in long-running mode, does not support.
    pub fn read(
        file: &File,
        address: u64,
        count: u32,
        vm: &XeVm,
        user_fences: UserFences,
    ) -> Result<Self, Errno> {
        if count > MAX_SYNCS {
            return Err(Errno::EINVAL);
        }
        let mut syncs = Self::default();
        let mut fences = 0;
        for sync in user::read_array::<Sync>(address, count.into())? {
            fences += usize::from(sync.ty == SyncType::UserFence as u32);
            syncs.add(file, &sync, vm.mode.is_long_running(), user_fences)?;
        }
        if fences > 1 {
            return Err(Errno::EINVAL);
        }
        Ok(syncs)
    }

    fn add(
        &mut self,
        file: &File,
        sync: &Sync,
        long_running: bool,
        user_fences: UserFences,
    ) -> Result<(), Errno> {
        zero(&sync.reserved)?;
        if !(sync.flags - SyncFlags::SIGNAL).is_empty() {
            return Err(Errno::EINVAL);
        }
        let signal = sync.flags.contains(SyncFlags::SIGNAL);
        let ty = SyncType::from_raw(sync.ty).ok_or(Errno::EINVAL)?;
        if ty == SyncType::UserFence {
            if !signal || user_fences == UserFences::None {
                return Err(Errno::EOPNOTSUPP);
            }
            if sync.addr & 7 != 0 {
                return Err(Errno::EINVAL);
            }
            if user_fences == UserFences::OfClient && sync.addr >= user::END {
                return Err(Errno::EFAULT);
            }
            self.user_fence = Some(UserFence {
                address: sync.addr,
                value: sync.timeline_value,
            });
            return Ok(());
        }
        if signal && long_running {
            return Err(Errno::EOPNOTSUPP);
        }
        let handle = u32::try_from(sync.addr).map_err(|_| Errno::EINVAL)?;
        if ty == SyncType::TimelineSyncobj && sync.timeline_value == 0 {
            return Err(Errno::EINVAL);
        }
        let object = file.syncobj(handle)?;
        let point = match ty {
            SyncType::TimelineSyncobj => sync.timeline_value,
            _ => 0,
        };
        match signal {
            true => self.signals.push((object, point)),
            false => self.waits.push(object.fence(point).ok_or(Errno::EINVAL)?),
        }
        Ok(())
    }

    /// Gives `done` to the sync objects that are to be signalled.
    pub fn attach(&self, done: &Arc<Fence>) {
        for (object, point) in &self.signals {
            match point {
                0 => object.replace(Some(Arc::clone(done))),
                point => object.add_point(*point, Arc::clone(done)),
            }
        }
    }
}
