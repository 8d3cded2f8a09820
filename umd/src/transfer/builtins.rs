//! The kernels that copy and fill.

use std::sync::{Arc, OnceLock};

use devinfo::Family;

use crate::binary::Binary;
use crate::command::Command;
use crate::device::DeviceInner;
use crate::error::Error;
use crate::event::Label;
use crate::kernel::{Arg, Kernel};
use crate::program::Program;
use crate::range::NdRange;

/// The kernels of a queue; loaded when the first one is wanted.
#[derive(Debug, Default)]
pub(crate) struct Builtins {
    program: OnceLock<Program>,
}

impl Builtins {
    /// The kernel of this name, without arguments.
    fn kernel(&self, device: &Arc<DeviceInner>, name: &str) -> Result<Kernel, Error> {
        let program = match self.program.get() {
            Some(program) => program,
            None => {
                let binary = Binary::parse(zebin(device.family()))?.into_own();
                let program = Program::of_family(device.clone(), binary)?;
                // Another thread may have been faster; one of the two is as good as the other.
                self.program.get_or_init(|| program)
            }
        };
        program.kernel(name)
    }

    /// A command that runs one of the kernels, over `items`; `what` is its name in messages.
    pub(crate) fn command(
        &self,
        device: &Arc<DeviceInner>,
        (what, name): (&'static str, &str),
        args: &[Arg<'_>],
        items: [u64; 3],
    ) -> Result<Command, Error> {
        let mut kernel = self.kernel(device, name)?;
        for (index, arg) in args.iter().enumerate() {
            kernel.set_arg(index, *arg)?;
        }
        Command::launch(Label::Command(what), &kernel, &NdRange::new(&items)?)
    }
}

/// What `kernels/build.sh` made for a family. Code of one platform runs on all of its family.
fn zebin(family: Family) -> &'static [u8] {
    match family {
        Family::Gen8 => include_bytes!("kernels/gen8.zebin"),
        Family::Gen9 => include_bytes!("kernels/gen9.zebin"),
        Family::Gen11 => include_bytes!("kernels/gen11.zebin"),
        Family::Gen12Lp => include_bytes!("kernels/gen12lp.zebin"),
        Family::XeHpg => include_bytes!("kernels/xe_hpg.zebin"),
        Family::XeHpc => include_bytes!("kernels/xe_hpc.zebin"),
        Family::Xe2 => include_bytes!("kernels/xe2.zebin"),
        Family::Xe3 => include_bytes!("kernels/xe3.zebin"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_its_kernels() {
        for family in Family::ALL {
            let binary = Binary::parse(zebin(family)).unwrap();
            assert_eq!(binary.target().platform.family, family);
            for name in ["copy_rows", "fill"] {
                assert_eq!(binary.unsupported(name), None, "{family}");
                assert!(binary.kernel(name).is_some(), "{family}");
            }
        }
    }
}
