//! From a kernel driver's error report to an error with what this driver knows besides.

use isa_encoder::Disassembler;
use isa_encoder::disasm::Format;
use kmd_iface::{ErrorKind, ErrorReport};

use crate::binary::SegmentKind;
use crate::device::DeviceInner;
use crate::error::{DeviceError, FaultReport};
use crate::launch::Launched;

/// The error of the command that a queue was lost by.
pub(crate) fn error(
    report: &ErrorReport,
    kernel: Option<&Launched>,
    device: &DeviceInner,
) -> DeviceError {
    let mut fault = FaultReport {
        message: report.summary.clone(),
        details: report.details.clone(),
        kernel: kernel.map(|launched| launched.kernel.entry.info.name.clone()),
        ..FaultReport::default()
    };
    if let Some(address) = report.address {
        fault.address = Some(address);
        fault.nearest = device.registry.nearest(address);
    }
    if let (Some(instruction), Some(kernel)) = (report.instruction, kernel) {
        locate(&mut fault, instruction.get(), kernel, device);
    }
    let fault = Box::new(fault);
    match report.kind {
        ErrorKind::Hang => DeviceError::Hang(fault),
        ErrorKind::PageFault => DeviceError::PageFault(fault),
        ErrorKind::Other => DeviceError::Fault(fault),
    }
}

/// The instruction's offset in the kernel, and its text.
fn locate(fault: &mut FaultReport, address: u64, kernel: &Launched, device: &DeviceInner) {
    let program = &kernel.kernel.program;
    let entry = &kernel.kernel.entry;
    let Some(bo) = program.memory(SegmentKind::Code) else {
        return;
    };
    let start = bo.address().get() + program.place(entry.segment);
    let Some(offset) = address.checked_sub(start) else {
        return;
    };
    let code = program.binary.code(&entry.info.name).unwrap_or_default();
    let at = usize::try_from(offset).ok().and_then(|at| code.get(at..));
    let Some(code) = at.filter(|code| !code.is_empty()) else {
        return;
    };
    fault.offset = Some(offset);
    let length = code.len().min(16);
    let lines = Disassembler::new(device.family(), Format::default())
        .lines(code.get(..length).unwrap_or_default());
    fault.instruction = lines.into_iter().next().and_then(|line| line.text);
}
