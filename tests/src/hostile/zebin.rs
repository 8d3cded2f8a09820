//! Zebins of Intel's compiler with bytes changed, cut or moved, launched like any other.

use arbitrary::{Arbitrary, Result, Unstructured};
use umd::binary::{ArgKind, KernelInfo};
use umd::{
    Arg, Binary, Buffer, Device, Error, ErrorClass, Image, ImageDesc, ImageFormat, ImageKind,
    NdRange, Program, QueueOptions, Sampler, channel_order, channel_type,
};

use super::soft;
use super::{Target, grow};

/// A broken zebin.
pub const TARGET: Target = Target {
    name: "zebin",
    rounds: 1500,
    check: |u| grow(u, launch),
};

/// Whole ones, small, with arguments of all kinds.
pub(super) const FILES: [&[u8]; 5] = [
    include_bytes!("../../../umd/tests/kernels/vadd.tgllp.zebin"),
    include_bytes!("../../../umd/tests/kernels/image.tgllp.zebin"),
    include_bytes!("../../../umd/tests/kernels/printf.tgllp.zebin"),
    include_bytes!("../../../umd/tests/kernels/const.tgllp.zebin"),
    include_bytes!("../../../umd/tests/kernels/slm.tgllp.zebin"),
];

/// A file that may once have been a zebin.
#[derive(Clone, PartialEq, Eq)]
pub struct Mutated(pub Vec<u8>);

impl std::fmt::Debug for Mutated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl<'a> Arbitrary<'a> for Mutated {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut bytes = u.choose(&FILES)?.to_vec();
        for _ in 0..u.int_in_range(1..=6)? {
            mutate(&mut bytes, u)?;
        }
        Ok(Self(bytes))
    }
}

/// Changes `bytes` once: in the ELF header and the section headers as often as in the rest, which
/// is far longer.
pub(super) fn mutate(bytes: &mut Vec<u8>, u: &mut Unstructured<'_>) -> Result<()> {
    if bytes.len() < 2 {
        return Ok(());
    }
    let last = bytes.len() - 1;
    let at = match u.int_in_range(0..=3)? {
        0 => u.int_in_range(0..=63.min(last))?,
        // ocloc writes the section headers at the end.
        1 => u.int_in_range(last.saturating_sub(1023)..=last)?,
        _ => u.int_in_range(0..=last)?,
    };
    match u.int_in_range(0..=7)? {
        0..=2 => bytes[at] ^= 1 << u.int_in_range(0..=7)?,
        3 => bytes[at] = u.arbitrary()?,
        4 => {
            let value = *u.choose(&[0u64, 1, 0x7fff_ffff, 0xffff_ffff, u64::MAX, 1 << 63])?;
            for (byte, new) in bytes.iter_mut().skip(at & !7).zip(value.to_le_bytes()) {
                *byte = new;
            }
        }
        5 => bytes.truncate(at),
        6 => {
            let length = u.int_in_range(0..=64.min(last - at))?;
            bytes.drain(at..at + length);
        }
        _ => {
            let to = u.int_in_range(0..=last)?;
            let length = u.int_in_range(0..=32)?;
            let run: Vec<u8> = bytes.iter().skip(at).take(length).copied().collect();
            bytes.splice(to..to, run);
        }
    }
    Ok(())
}

/// Loads the file and launches each of its kernels, with arguments of the kinds it asks for.
///
/// # Panics
/// If the product does, if an error has no message, or if it blames neither the file nor, once code
/// ran, the device.
pub fn launch(file: &Mutated) {
    let binary = match Binary::parse(&file.0) {
        Ok(binary) => binary,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let device = soft::device();
    let program = match Program::new(&device, binary) {
        Ok(program) => program,
        Err(error) => return explained(&error),
    };
    for info in program.kernels().iter().take(4) {
        if let Err(error) = launch_kernel(&device, &program, info) {
            explained(&error);
        }
    }
}

fn explained(error: &Error) {
    assert!(!error.to_string().is_empty());
    assert!(
        matches!(
            error.class(),
            ErrorClass::Input | ErrorClass::Device | ErrorClass::Usage
        ),
        "{error}"
    );
}

/// What an argument is bound to.
enum Value {
    Buffer(Buffer),
    Image(Image),
    Bytes(Vec<u8>),
    Other(Arg<'static>),
}

fn value(device: &Device, kind: ArgKind) -> std::result::Result<Value, Error> {
    let format = ImageFormat::new(channel_order::RGBA, channel_type::UNORM8);
    Ok(match kind {
        ArgKind::Buffer => Value::Buffer(device.buffer(4096)?),
        ArgKind::Local => Value::Other(Arg::Local(1024)),
        ArgKind::Value { size, .. } => Value::Bytes(vec![1; size as usize]),
        ArgKind::Image(kind @ ImageKind::D1Buffer) => {
            let buffer = device.buffer(4096)?;
            let desc = ImageDesc::new(kind, format, [32, 1, 1]);
            Value::Image(device.image_from_buffer(&buffer, &desc)?)
        }
        ArgKind::Image(kind) => {
            Value::Image(device.image(&ImageDesc::new(kind, format, [32, 32, 4]))?)
        }
        ArgKind::Sampler => Value::Other(Arg::Sampler(Sampler::default())),
        ArgKind::Unused => Value::Other(Arg::Null),
    })
}

fn launch_kernel(
    device: &Device,
    program: &Program,
    info: &KernelInfo,
) -> std::result::Result<(), Error> {
    let mut kernel = program.kernel(&info.name)?;
    let mut values = Vec::new();
    for arg in &info.args {
        values.push(value(device, arg.kind)?);
    }
    for (index, value) in values.iter().enumerate() {
        kernel.set_arg(
            index,
            match value {
                Value::Buffer(buffer) => Arg::Buffer(buffer),
                Value::Image(image) => Arg::Image(image),
                Value::Bytes(bytes) => Arg::Value(bytes),
                Value::Other(arg) => *arg,
            },
        )?;
    }
    let mut range = NdRange::new(&[64])?;
    if let Some(local) = info.required_local_size {
        // At most one work-group: a hostile size is refused, not run for long.
        range = NdRange::new(&local.map(u64::from))?.with_local(&local)?;
    }
    let queue = device.queue(QueueOptions::default())?;
    let event = queue.enqueue(&kernel, &range, &[])?;
    event.wait(soft::DEADLINE)
}
