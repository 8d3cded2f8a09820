//! Commands that have no place in a queue yet.

use std::sync::Arc;

use crate::device::{Device, DeviceInner};
use crate::error::{ArgumentError, Error};
use crate::event::Label;
use crate::kernel::Kernel;
use crate::launch::{self, Launch, Recording, Work};
use crate::range::NdRange;

/// A command that was checked. A queue of its device can [run](crate::Queue::run) it, as often as wanted, and
/// it can be part of a [recording](Command::recording). It uses the arguments and memory that it was
/// made with.
#[derive(Clone, Debug)]
pub struct Command {
    pub(crate) device: Arc<DeviceInner>,
    pub(crate) label: Label,
    pub(crate) work: Work,
}

impl Command {
    /// A command that runs a kernel over `range`. The arguments are those set now; later changes do
    /// not matter.
    ///
    /// # Errors
    /// An argument that is not set; a range that the kernel or the device cannot run.
    pub fn kernel(kernel: &Kernel, range: &NdRange) -> Result<Self, Error> {
        let label = Label::Kernel(kernel.state().entry.clone());
        Self::launch(label, kernel, range)
    }

    pub(crate) fn launch(label: Label, kernel: &Kernel, range: &NdRange) -> Result<Self, Error> {
        Ok(Self {
            device: kernel.state().program.device.clone(),
            label,
            work: launch::check(kernel, range)?.map_or(Work::Marker, Work::Kernel),
        })
    }

    /// Commands one after the other, as one: each sees what those before it wrote. Their batch is made
    /// now, and submitted in one go each time that this command runs; only if one of their kernels
    /// prints, it is made anew.
    ///
    /// The kernels of all runs share scratch and private memory, so it runs once at a time: where the
    /// order of a queue does not see to that, events must.
    ///
    /// # Errors
    /// A command of another device; there is no memory for the batch.
    pub fn recording(device: &Device, commands: &[Self]) -> Result<Self, Error> {
        let launches = launches(device, commands)?;
        let device = device.inner();
        Ok(Self {
            device: device.clone(),
            label: Label::Command("recording"),
            work: match launches.is_empty() {
                true => Work::Marker,
                false => Work::Replay(Arc::new(Recording::new(device, launches)?)),
            },
        })
    }

    /// Commands one after the other, as one, without memory of its own: they are written to the queue's
    /// each time, which suits commands that run once.
    ///
    /// # Errors
    /// A command of another device; more kernels than a queue has memory for at once.
    pub fn sequence(device: &Device, commands: &[Self]) -> Result<Self, Error> {
        Ok(Self {
            device: device.inner().clone(),
            label: Label::Command("sequence"),
            work: Work::sequence(launches(device, commands)?)?,
        })
    }

    /// Whether a kernel of it may print.
    pub fn prints(&self) -> bool {
        let mut launches = self.work.launches().iter();
        launches.any(Launch::prints)
    }

    pub(crate) fn check_device(&self, device: &Arc<DeviceInner>) -> Result<(), ArgumentError> {
        let what = match &self.label {
            Label::Kernel(_) => "the kernel",
            Label::Command(what) => what,
        };
        match Arc::ptr_eq(&self.device, device) {
            true => Ok(()),
            false => Err(ArgumentError::OtherDevice { what }),
        }
    }
}

/// The kernels of commands of a device.
fn launches(device: &Device, commands: &[Command]) -> Result<Vec<Launch>, ArgumentError> {
    let mut launches = Vec::new();
    for command in commands {
        command.check_device(device.inner())?;
        launches.extend_from_slice(command.work.launches());
    }
    Ok(launches)
}
