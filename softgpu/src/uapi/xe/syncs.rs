//! Syncs of binding operations and submissions.

use std::sync::Arc;

use kmd_iface::uapi::xe::exec::{MAX_SYNCS, Sync, SyncFlags, SyncType};
use nix::errno::Errno;

use super::zero;
use crate::engine::{Fence, Syncobj};
use crate::mem::user;
use crate::node::File;

/// Where a user fence's address is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FenceSpace {
    /// In the client's process: for bindings.
    Client,
    /// In the address space: for batches.
    Gpu,
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
    /// Reads `count` syncs at `address`.
    ///
    /// # Errors
    /// `EINVAL`, `ENOENT` and `EFAULT` as usual; `EOPNOTSUPP` for what an address space in
    /// long-running mode does not have.
    pub fn read(
        file: &File,
        address: u64,
        count: u32,
        long_running: bool,
        space: FenceSpace,
    ) -> Result<Self, Errno> {
        if count > MAX_SYNCS {
            return Err(Errno::EINVAL);
        }
        let mut syncs = Self::default();
        for sync in user::read_array::<Sync>(address, count.into())? {
            syncs.add(file, &sync, long_running, space)?;
        }
        Ok(syncs)
    }

    fn add(
        &mut self,
        file: &File,
        sync: &Sync,
        long_running: bool,
        space: FenceSpace,
    ) -> Result<(), Errno> {
        zero(&[sync.extensions, sync.reserved[0], sync.reserved[1]])?;
        if !(sync.flags - SyncFlags::SIGNAL).is_empty() {
            return Err(Errno::EINVAL);
        }
        let signal = sync.flags.contains(SyncFlags::SIGNAL);
        let ty = SyncType::from_raw(sync.ty).ok_or(Errno::EINVAL)?;
        if ty == SyncType::UserFence {
            if !signal {
                return Err(Errno::EOPNOTSUPP);
            }
            if sync.addr & 7 != 0 || self.user_fence.is_some() {
                return Err(Errno::EINVAL);
            }
            if space == FenceSpace::Client {
                let _: u64 = user::read(sync.addr)?;
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
        let handle = u32::try_from(sync.addr).map_err(|_| Errno::ENOENT)?;
        let object = file.syncobj(handle)?;
        let point = match ty {
            SyncType::TimelineSyncobj if sync.timeline_value == 0 => return Err(Errno::EINVAL),
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
