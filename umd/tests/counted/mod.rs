//! A node that counts submissions, and waits for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use devinfo::{Driver, Target};
use kmd_iface::uapi::drm::SYNCOBJ_TIMELINE_WAIT;
use kmd_iface::uapi::{Request, i915, xe};
use kmd_iface::{Diagnostics, MapSource, Node};
use nix::errno::Errno;
use softgpu::SoftNode;
use umd::{Device, OpenOptions};

/// A software GPU's node that counts submissions, and waits for them.
#[derive(Debug)]
pub struct Counted {
    node: Arc<SoftNode>,
    driver: Driver,
    submissions: AtomicU64,
    waits: AtomicU64,
}

impl Counted {
    /// A device behind such a node.
    pub fn open(platform: &str, driver: Driver, hang_timeout: Duration) -> (Arc<Self>, Device) {
        let soft = softgpu::Options {
            driver,
            threads: 1,
            hang_timeout,
            ..softgpu::Options::default()
        };
        let node = Arc::new(Self {
            node: SoftNode::open(Target::parse(platform).unwrap(), soft).unwrap(),
            driver,
            submissions: AtomicU64::new(0),
            waits: AtomicU64::new(0),
        });
        let device = Device::of_node(node.clone(), platform, &OpenOptions::default());
        (node, device.unwrap())
    }

    /// How many submissions there have been.
    pub fn submissions(&self) -> u64 {
        self.submissions.load(Ordering::Relaxed)
    }

    /// How often the kernel driver was asked to wait.
    #[allow(dead_code, reason = "each test file uses a part")]
    pub fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }
}

impl Node for Counted {
    fn ioctl(&self, request: u32, argument: &mut [u8]) -> Result<i32, Errno> {
        let submits = match self.driver {
            Driver::I915 => i915::exec::EXECBUFFER2.number(),
            Driver::Xe => xe::exec::EXEC.number(),
        };
        if Request(request).number() == submits {
            self.submissions.fetch_add(1, Ordering::Relaxed);
        }
        if Request(request).number() == SYNCOBJ_TIMELINE_WAIT.number() {
            self.waits.fetch_add(1, Ordering::Relaxed);
        }
        self.node.ioctl(request, argument)
    }

    fn map_source(&self, fake_offset: u64) -> Result<MapSource, Errno> {
        self.node.map_source(fake_offset)
    }

    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        self.node.diagnostics()
    }
}
