//! A client that issues ioctls itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use devinfo::{Family, Target, span};
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

/// A page of the client's memory that the GPU also writes.
#[repr(align(4096))]
struct Page([AtomicU32; 1024]);

/// Pages of the client: half for batches, half for data.
pub struct Memory(Box<[Page]>);

/// Where tests bind [`Memory`].
pub const BASE: u64 = 0x10_0000;
/// Pages of it.
const PAGES: usize = 16;
/// Bytes of it.
pub const BYTES: u64 = PAGES as u64 * 4096;
/// Where its data begins, from [`BASE`] on.
pub const DATA: u64 = BYTES / 2;

impl Memory {
    pub fn new() -> Self {
        let page = || Page([const { AtomicU32::new(0) }; 1024]);
        Self((0..PAGES).map(|_| page()).collect())
    }

    /// Its address in the client.
    pub fn address(&self) -> u64 {
        self.0.as_ptr().expose_provenance() as u64
    }

    fn word(&self, offset: u64) -> &AtomicU32 {
        let index = offset as usize / 4;
        &self.0[index / 1024].0[index % 1024]
    }

    /// The dword at `offset` bytes of the data.
    pub fn dword(&self, offset: u64) -> u32 {
        self.word(DATA + offset).load(Ordering::Acquire)
    }

    pub fn set_dword(&self, offset: u64, value: u32) {
        self.word(DATA + offset).store(value, Ordering::Release);
    }

    /// The qword at `offset` bytes of the data.
    pub fn qword(&self, offset: u64) -> u64 {
        u64::from(self.dword(offset)) | u64::from(self.dword(offset + 4)) << 32
    }

    /// Writes a batch at `offset` bytes, with its end.
    pub fn write_batch(&self, offset: u64, dwords: &[u32]) {
        let end = [0x0500_0000, 0];
        for (at, dword) in (offset..).step_by(4).zip(dwords.iter().chain(&end)) {
            self.word(at).store(*dword, Ordering::Release);
        }
    }
}

/// The GPU address of `offset` bytes of the data, as two dwords.
pub fn gpu(offset: u64) -> [u32; 2] {
    let address = BASE + DATA + offset;
    [address as u32, (address >> 32) as u32]
}

/// MI_STORE_DATA_IMM of a dword of the data.
pub fn store(offset: u64, value: u32) -> [u32; 4] {
    let [low, high] = gpu(offset);
    [0x1000_0002, low, high, value]
}

/// MI_SEMAPHORE_WAIT, polling, until the dword of the data is not `value`. Xe2's has one more
/// dword.
pub fn wait_while(family: Family, offset: u64, value: u32) -> Vec<u32> {
    let [low, high] = gpu(offset);
    let mut dwords = vec![0x0e00_0002 | 1 << 15 | 5 << 12, value, low, high];
    if span!(Xe2..).contains(family) {
        dwords[0] += 1;
        dwords.push(0);
    }
    dwords
}

/// Polls until `done`, for ten seconds at most.
pub fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !done() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(1));
    }
}
