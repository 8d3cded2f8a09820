//! Syncs of binding operations and submissions.

use std::sync::Arc;

use kmd_iface::uapi::xe::exec::{MAX_SYNCS, Sync, SyncFlags, SyncType};

use super::zero;
use crate::client::{File, XeVm};
use crate::refusal::{Answer, demand, ensure};
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
    ) -> Answer<Self> {
        ensure!(
            count <= MAX_SYNCS,
            EINVAL,
            "num_syncs {count}: at most {MAX_SYNCS}"
        );
        let mut syncs = Self::default();
        let mut fences = 0;
        for sync in user::read_array::<Sync>(address, count.into())? {
            fences += usize::from(sync.ty == SyncType::UserFence as u32);
            syncs.add(file, &sync, vm.mode.is_long_running(), user_fences)?;
        }
        ensure!(fences <= 1, EINVAL, "{fences} user fences: at most one");
        Ok(syncs)
    }

    fn add(
        &mut self,
        file: &File,
        sync: &Sync,
        long_running: bool,
        user_fences: UserFences,
    ) -> Answer {
        zero(&sync.reserved.map(|r| ("reserved of a sync", r)))?;
        let unknown = sync.flags - SyncFlags::SIGNAL;
        ensure!(
            unknown.is_empty(),
            EINVAL,
            "flags of a sync: {unknown:?} is not known"
        );
        let signal = sync.flags.contains(SyncFlags::SIGNAL);
        let ty = SyncType::from_raw(sync.ty);
        let ty = demand!(ty, EINVAL, "type {} of a sync is not known", sync.ty);
        if ty == SyncType::UserFence {
            let addr = sync.addr;
            ensure!(
                signal && user_fences != UserFences::None,
                EOPNOTSUPP,
                "a user fence is only signalled, and only by a call that does something"
            );
            ensure!(
                addr & 7 == 0,
                EINVAL,
                "addr {addr:#x} of a user fence: a multiple of 8"
            );
            ensure!(
                user_fences != UserFences::OfClient || addr < user::END,
                EFAULT,
                "addr {addr:#x} of a user fence: not in a process"
            );
            self.user_fence = Some(UserFence {
                address: sync.addr,
                value: sync.timeline_value,
            });
            return Ok(());
        }
        ensure!(
            !(signal && long_running),
            EOPNOTSUPP,
            "a long-running VM signals user fences only"
        );
        let handle = u32::try_from(sync.addr).ok();
        let handle = demand!(handle, EINVAL, "handle {:#x} of a sync", sync.addr);
        ensure!(
            ty != SyncType::TimelineSyncobj || sync.timeline_value != 0,
            EINVAL,
            "timeline_value of sync object {handle} is zero"
        );
        let object = file.syncobj(handle)?;
        let point = match ty {
            SyncType::TimelineSyncobj => sync.timeline_value,
            _ => 0,
        };
        match signal {
            true => self.signals.push((object, point)),
            false => {
                let fence = object.fence(point);
                let fence = demand!(
                    fence,
                    EINVAL,
                    "sync object {handle} has nothing at point {point}"
                );
                self.waits.push(fence);
            }
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
