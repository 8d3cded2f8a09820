//! From a kernel driver's error report to an error with what this driver knows besides.

use isa_encoder::Disassembler;
use isa_encoder::disasm::Format;
use kmd_iface::{ErrorKind, ErrorReport};

use crate::binary::SegmentKind;
use crate::device::DeviceInner;
use crate::error::{DeviceError, FaultReport};
use crate::launch::Launched;

/// The error of the command that a queue was lost by; `kernels` are those that it ran.
pub(crate) fn error(
    report: &ErrorReport,
    kernels: &[Launched],
    device: &DeviceInner,
) -> DeviceError {
    let kernel = guilty(report, kernels);
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

/// The kernel that failed, if that is known: the one that has the instruction, or the only one.
fn guilty<'a>(report: &ErrorReport, kernels: &'a [Launched]) -> Option<&'a Launched> {
    let has = |address: u64| {
        let mut all = kernels.iter();
        all.find(|kernel| code(kernel, address).is_some())
    };
    let found = report.instruction.and_then(|address| has(address.get()));
    found.or(match kernels {
        [kernel] => Some(kernel),
        _ => None,
    })
}

/// The offset of an instruction in a kernel, and the code from there on.
fn code(kernel: &Launched, address: u64) -> Option<(u64, &[u8])> {
    let program = &kernel.kernel.program;
    let entry = &kernel.kernel.entry;
    let start = program.memory(SegmentKind::Code)?.address().get() + program.place(entry.segment);
    let offset = address.checked_sub(start)?;
    let code = program.binary.code(&entry.info.name)?;
    let rest = code.get(usize::try_from(offset).ok()?..)?;
    (!rest.is_empty()).then_some((offset, rest))
}

/// The instruction's offset in the kernel, its source line, and its text.
fn locate(fault: &mut FaultReport, address: u64, kernel: &Launched, device: &DeviceInner) {
    let Some((offset, code)) = code(kernel, address) else {
        return;
    };
    fault.offset = Some(offset);
    let lines = kernel.kernel.program.binary.lines();
    let source = lines.of_kernel(kernel.kernel.entry.segment);
    fault.source = source.and_then(|line| line(offset));
    let length = code.len().min(16);
    let lines = Disassembler::new(device.family(), Format::default())
        .lines(code.get(..length).unwrap_or_default());
    fault.instruction = lines.into_iter().next().and_then(|line| line.text);
}
