//! Sequences of ioctls with arguments and pointers that tend to break things.

use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use devinfo::Driver;
use kmd_iface::Node;
use kmd_iface::uapi::{self, IoctlRow, Request};
use softgpu::{Options, SoftNode};

use super::soft;
use super::{AnyDriven, Target, grow};

/// Ioctls of either kernel driver.
pub const TARGET: Target = Target {
    name: "ioctl",
    rounds: 1000,
    check: |u| grow(u, run),
};

/// Qwords of memory that pointers may point to.
const SCRATCH: usize = 8192;

/// Eight bytes of an argument.
#[derive(Clone, Copy, Debug)]
enum Word {
    Value(u64),
    /// Two fields of four bytes.
    Halves(u32, u32),
    /// The address of a byte of the scratch memory, or just after it.
    Pointer(u16),
}

impl<'a> Arbitrary<'a> for Word {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match u.int_in_range(0..=9)? {
            0..=2 => Self::Value(u.int_in_range(0..=8)?),
            3 => Self::Value(u64::MAX),
            4 => Self::Value(1 << u.int_in_range(0..=63)?),
            5 => Self::Value(u.arbitrary()?),
            6 => Self::Value(u64::from(u.arbitrary::<u16>()?) << 12),
            7 => Self::Halves(u.int_in_range(0..=8)?, u.int_in_range(0..=8)?),
            _ => Self::Pointer(u.arbitrary()?),
        })
    }
}

impl Word {
    fn bytes(self, scratch: u64) -> [u8; 8] {
        match self {
            Self::Value(value) => value.to_le_bytes(),
            Self::Halves(low, high) => (u64::from(high) << 32 | u64::from(low)).to_le_bytes(),
            Self::Pointer(offset) => (scratch + u64::from(offset)).to_le_bytes(),
        }
    }
}

#[derive(Clone, Debug)]
struct Call {
    row: IoctlRow,
    argument: Vec<Word>,
    /// Changes to the scratch memory before the call.
    scratch: [(u16, Word); 3],
}

/// Calls on one open node.
#[derive(Clone, Debug)]
pub struct Calls {
    on: AnyDriven,
    calls: Vec<Call>,
}

/// The ioctls of a driver, without those that wait as long as requested.
fn rows(driver: Driver) -> Vec<IoctlRow> {
    let other = match driver {
        Driver::I915 => "XE_",
        Driver::Xe => "I915_",
    };
    uapi::ioctls()
        .filter(|row| !row.name.contains(other))
        .filter(|row| !row.name.ends_with("WAIT") && !row.name.contains("WAIT_USER_FENCE"))
        .filter(|row| !row.name.ends_with("TRANSFER"))
        .collect()
}

impl<'a> Arbitrary<'a> for Calls {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let on: AnyDriven = u.arbitrary()?;
        let rows = rows(on.driver);
        let mut calls = Vec::new();
        for _ in 0..u.int_in_range(1..=24)? {
            let row = *u.choose(&rows)?;
            let words = Request(row.request).size().div_ceil(8);
            calls.push(Call {
                row,
                argument: (0..words).map(|_| u.arbitrary()).collect::<Result<_>>()?,
                scratch: u.arbitrary()?,
            });
        }
        Ok(Self { on, calls })
    }
}

/// Makes the calls. Each returns, and afterwards a new node still answers.
///
/// # Panics
/// If the product does, or if the device is broken afterwards.
pub fn run(input: &Calls) {
    let open = || {
        let AnyDriven { platform, driver } = input.on;
        let options = Options {
            driver,
            ..soft::options()
        };
        SoftNode::open(devinfo::Target::of(platform), options)
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let node = open();
    // Ioctls write it, only through addresses.
    let mut scratch = vec![0u64; SCRATCH].into_boxed_slice();
    let address = scratch.as_mut_ptr().expose_provenance() as u64;
    for call in &input.calls {
        for (at, word) in call.scratch {
            let at = usize::from(at) % SCRATCH;
            scratch[at] = u64::from_le_bytes(word.bytes(address));
        }
        let mut argument: Vec<u8> = call
            .argument
            .iter()
            .flat_map(|word| word.bytes(address))
            .take(Request(call.row.request).size())
            .collect();
        // It returns, whatever the answer.
        let _ = node.ioctl(call.row.request, &mut argument);
    }
    drop(node);
    let kmd = kmd_iface::open(open() as Arc<dyn Node>);
    assert!(kmd.is_ok(), "{:?}", kmd.err());
}
