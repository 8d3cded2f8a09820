//! A part of a buffer as a kernel's argument: the rest of the buffer stays as it is.
//!
//! `cargo run -p umd --example sub_buffer` runs it on the software GPU. An argument names another
//! device, such as `/dev/dri/renderD128`; the kernel is for Tiger Lake.

use std::error::Error;
use std::time::Duration;

use umd::{Arg, Device, DeviceSpec, NdRange, Program, QueueOptions};

/// Kernels in OpenCL C, compiled by Intel's compiler. `vadd_stateful(in, out)` adds 1 to a float:
/// `out[i] = in[i] + 1`.
const ZEBIN: &[u8] = include_bytes!("../tests/kernels/vadd.tgllp.zebin");

/// The size of a float.
const FLOAT: u64 = 4;

/// Runs the example on a device. Gives what there is to print.
pub fn run(device: &str) -> Result<String, Box<dyn Error>> {
    let device = Device::open(&device.parse::<DeviceSpec>()?)?;
    let queue = device.queue(QueueOptions::default())?;
    let mut kernel = Program::load(&device, ZEBIN)?.kernel("vadd_stateful")?;

    // A buffer of the floats 0 to 15.
    let whole = device.buffer(16 * FLOAT)?;
    let before: Vec<f32> = (0..16u8).map(f32::from).collect();
    let bytes: Vec<u8> = before
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    whole.write(0, &bytes)?;

    // Two parts of it, four floats each. They share its memory: nothing is copied. A part begins
    // at a multiple of 4 bytes.
    let source = whole.sub_buffer(2 * FLOAT, 4 * FLOAT)?;
    let destination = whole.sub_buffer(10 * FLOAT, 4 * FLOAT)?;

    // To the kernel a part is a buffer like any other: its elements count from 0.
    kernel.set_arg(0, Arg::Buffer(&source))?;
    kernel.set_arg(1, Arg::Buffer(&destination))?;
    let event = queue.enqueue(&kernel, &NdRange::new(&[4])?, &[])?;
    event.wait(Duration::from_secs(60))?;

    // Read the whole buffer. Only the elements 10 to 13 may have changed.
    let mut bytes = vec![0; 16 * 4];
    whole.read(0, &mut bytes)?;
    let (words, _) = bytes.as_chunks();
    let after: Vec<f32> = words.iter().map(|word| f32::from_le_bytes(*word)).collect();
    let mut expected = before;
    for i in 0..4 {
        expected[10 + i] = expected[2 + i] + 1.0;
    }
    if after != expected {
        return Err(format!("{after:?} should be {expected:?}").into());
    }
    Ok(format!("elements 8 to 15: {:?}", &after[8..]))
}

#[allow(clippy::print_stdout, reason = "the example shows its result")]
fn main() -> Result<(), Box<dyn Error>> {
    let device = std::env::args().nth(1);
    println!("{}", run(device.as_deref().unwrap_or("soft:tgl"))?);
    Ok(())
}
