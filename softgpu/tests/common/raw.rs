//! A client that issues ioctls itself.

use std::sync::Arc;

use devinfo::Target;
use kmd_iface::Node;
use kmd_iface::uapi::{Argument, Ioctl};
use nix::errno::Errno;
use softgpu::{Options, SoftNode};

/// An open node.
pub struct Raw {
    pub node: Arc<SoftNode>,
}

impl Raw {
    pub fn on(platform: &str, options: Options) -> Self {
        let target = Target::parse(platform).unwrap();
        let node = SoftNode::open(target, options).unwrap();
        Self { node }
    }

    /// Issues an ioctl.
    pub fn call<T: Argument>(&self, ioctl: Ioctl<T>, argument: &mut T) -> Result<i32, Errno> {
        self.node.ioctl(ioctl.request(), argument.as_mut_bytes())
    }
}

/// The user pointer to a value.
pub fn address<T: ?Sized>(value: &mut T) -> u64 {
    std::ptr::from_mut(value).cast::<u8>().expose_provenance() as u64
}
