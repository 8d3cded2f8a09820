//! Input that no compiler or driver made.
//!
//! Each module has an [`arbitrary::Arbitrary`] generator, a function that feeds the generated input
//! to the product and checks what must hold for every input, and a [`Target`] that names the pair.
//! `tests/hostile.rs` grows inputs from fixed seeds and replays those in `fuzz/seeds`; the fuzz
//! targets in `fuzz` are the same functions behind `cargo fuzz`.
//!
//! Nothing may panic, everything must end, and every refusal must be explained.

pub mod assembly;
pub mod batch;
pub mod eu;
pub mod firmware;
pub mod instruction;
pub mod ioctl;
mod soft;
pub mod spirv;
pub mod zebin;
pub mod zeinfo;

use std::fmt::Debug;

use arbitrary::{Arbitrary, Result, Unstructured};
use devinfo::{Driver, Family, PLATFORMS, Platform};

/// One kind of hostile input.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, also of the fuzz target and of its folder of seeds.
    pub name: &'static str,
    /// How many inputs the tests grow.
    pub rounds: u64,
    /// Makes an input of bytes and checks what the product does with it.
    pub check: fn(&mut Unstructured<'_>) -> Result<()>,
}

/// Every kind.
pub const TARGETS: [Target; 10] = [
    assembly::TARGET,
    batch::WALK,
    batch::SUBMIT,
    eu::TARGET,
    firmware::TARGET,
    instruction::TARGET,
    ioctl::TARGET,
    spirv::TARGET,
    zebin::TARGET,
    zeinfo::TARGET,
];

/// Feeds one input to the target of that name, as a fuzzer does. Too few bytes for an input are
/// ignored.
///
/// # Panics
/// If there is no such target, or if the product breaks a promise.
pub fn feed(name: &str, bytes: &[u8]) {
    let target = TARGETS
        .iter()
        .find(|target| target.name == name)
        .unwrap_or_else(|| panic!("no target {name:?}"));
    // The only error is that the bytes ran out.
    let _ = (target.check)(&mut Unstructured::new(bytes));
}

/// Grows a `T` and checks it.
fn grow<T: for<'a> Arbitrary<'a> + Debug>(u: &mut Unstructured<'_>, check: fn(&T)) -> Result<()> {
    check(&u.arbitrary()?);
    Ok(())
}

/// A family, as generated.
#[derive(Clone, Copy, Debug)]
pub struct AnyFamily(pub Family);

impl<'a> Arbitrary<'a> for AnyFamily {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u.choose(&Family::ALL).copied().map(Self)
    }
}

/// A platform and a kernel driver that drives it, as generated.
#[derive(Clone, Copy, Debug)]
pub struct AnyDriven {
    /// The platform.
    pub platform: &'static Platform,
    /// The kernel driver.
    pub driver: Driver,
}

impl<'a> Arbitrary<'a> for AnyDriven {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let platform = u.choose(PLATFORMS)?;
        let driver = *u.choose(platform.kernel_drivers)?;
        Ok(Self { platform, driver })
    }
}
