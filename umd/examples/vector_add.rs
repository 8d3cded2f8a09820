//! Adds two vectors: the whole way from a device's name to a result.
//!
//! `cargo run -p umd --example vector_add` runs it on the software GPU. An argument names another
//! device, such as `/dev/dri/renderD128`; the kernel is for Tiger Lake.

use std::error::Error;
use std::time::Duration;

use umd::{Arg, Binary, Buffer, Device, DeviceSpec, NdRange, Program, QueueOptions};

/// The kernel, in assembly. A work-group adds 16 pairs of integers.
const KERNEL: &str = include_str!("../../examples/add.asm");

/// How many pairs there are: a multiple of 16.
const COUNT: usize = 1024;

/// Runs the example on a device. Gives what there is to print.
pub fn run(device: &str) -> Result<String, Box<dyn Error>> {
    // Open the device. A queue runs commands on it.
    let device = Device::open(&device.parse::<DeviceSpec>()?)?;
    let queue = device.queue(QueueOptions::default())?;

    // Assemble the kernel and load it. A program may have several kernels: choose one by name.
    let binary = Binary::assemble(KERNEL, None)?;
    let program = Program::new(&device, binary)?;
    let mut kernel = program.kernel("add")?;

    // Buffers are memory that both the GPU and this process can reach.
    let a: Vec<i32> = (0..).take(COUNT).collect();
    let b: Vec<i32> = a.iter().map(|i| 1000 * i).collect();
    let a_buffer = buffer_of(&device, &a)?;
    let b_buffer = buffer_of(&device, &b)?;
    let sum_buffer = device.buffer(4 * COUNT as u64)?;

    // Arguments count from 0, in the order of the kernel's list.
    kernel.set_arg(0, Arg::Buffer(&a_buffer))?;
    kernel.set_arg(1, Arg::Buffer(&b_buffer))?;
    kernel.set_arg(2, Arg::Buffer(&sum_buffer))?;

    // Start one work-item for each pair. This does not wait: the event ends when the kernel has.
    let event = queue.enqueue(&kernel, &NdRange::new(&[COUNT as u64])?, &[])?;
    event.wait(Duration::from_secs(60))?;

    // Read the result, and compare it with what the CPU computes.
    let mut bytes = vec![0; 4 * COUNT];
    sum_buffer.read(0, &mut bytes)?;
    let (words, _) = bytes.as_chunks();
    let sum: Vec<i32> = words.iter().map(|word| i32::from_le_bytes(*word)).collect();
    for i in 0..COUNT {
        if sum[i] != a[i] + b[i] {
            return Err(format!("{} + {} is not {}", a[i], b[i], sum[i]).into());
        }
    }
    let last = COUNT - 1;
    Ok(format!(
        "{COUNT} sums; the last is {} + {} = {}",
        a[last], b[last], sum[last]
    ))
}

/// A buffer that holds these integers.
fn buffer_of(device: &Device, values: &[i32]) -> Result<Buffer, Box<dyn Error>> {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let buffer = device.buffer(bytes.len() as u64)?;
    buffer.write(0, &bytes)?;
    Ok(buffer)
}

#[allow(clippy::print_stdout, reason = "the example shows its result")]
fn main() -> Result<(), Box<dyn Error>> {
    let device = std::env::args().nth(1);
    println!("{}", run(device.as_deref().unwrap_or("soft:tgl"))?);
    Ok(())
}
