//! Input that was not made by a compiler or a driver.
//!
//! Each module has an [`arbitrary::Arbitrary`] generator and a function that feeds what it
//! generates to the product and checks what must hold whatever the input is, so that a fuzzer can
//! drive the same functions as the tests in `tests/hostile.rs`.
//!
//! That nothing panics is the least of it: everything must end, and what is refused must be
//! explained. That a batch cannot reach the process's memory is tested in `softgpu`.

pub mod assembly;
pub mod batch;
pub mod eu;
pub mod instruction;

use arbitrary::{Arbitrary, Result, Unstructured};
use devinfo::Family;

/// A family, as generated.
#[derive(Clone, Copy, Debug)]
pub struct AnyFamily(pub Family);

impl<'a> Arbitrary<'a> for AnyFamily {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u.choose(&Family::ALL).copied().map(Self)
    }
}
