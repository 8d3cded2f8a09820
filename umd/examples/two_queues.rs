//! Two queues that work hand in hand: events say what waits for what.
//!
//! The first queue multiplies numbers, the second adds the products to others. Nothing starts
//! before this process says so. A callback tells when all has ended.
//!
//! `cargo run -p umd --example two_queues` runs it on the software GPU. An argument names another
//! device, such as `/dev/dri/renderD128`; the kernels are for Tiger Lake.

use std::error::Error;
use std::slice;
use std::sync::mpsc;
use std::time::Duration;

use umd::{Arg, Binary, Device, DeviceSpec, EventStatus, NdRange, Program, QueueOptions};

/// How many integers there are: a multiple of 16, the work-group of both kernels.
const COUNT: usize = 64;
const BYTES: u64 = 4 * COUNT as u64;

/// Runs the example on a device. Gives what there is to print.
pub fn run(device: &str) -> Result<String, Box<dyn Error>> {
    let device = Device::open(&device.parse::<DeviceSpec>()?)?;

    // Commands of one queue run in order. Commands of different queues run in any order, or at the
    // same time.
    let first = device.queue(QueueOptions::default())?;
    let second = device.queue(QueueOptions::default())?;

    // Two kernels, in assembly.
    let scale = Binary::assemble(include_str!("../../examples/scale.asm"), None)?;
    let mut scale = Program::new(&device, scale)?.kernel("scale")?;
    let add = Binary::assemble(include_str!("../../examples/add.asm"), None)?;
    let mut add = Program::new(&device, add)?.kernel("add")?;

    // products = 7 * numbers; sums = products + numbers
    let numbers = device.buffer(BYTES)?;
    let products = device.buffer(BYTES)?;
    let sums = device.buffer(BYTES)?;
    scale.set_arg(0, Arg::Buffer(&numbers))?;
    scale.set_arg(1, Arg::Buffer(&products))?;
    scale.set_arg(2, Arg::Value(&7i16.to_le_bytes()))?;
    add.set_arg(0, Arg::Buffer(&products))?;
    add.set_arg(1, Arg::Buffer(&numbers))?;
    add.set_arg(2, Arg::Buffer(&sums))?;

    // The last argument lists the events that a command waits for. A user event is set by this
    // process: until then both commands are held back.
    let range = NdRange::new(&[COUNT as u64])?;
    let gate = device.user_event();
    let scaled = first.enqueue(&scale, &range, &[gate.event().clone()])?;
    let added = second.enqueue(&add, &range, slice::from_ref(&scaled))?;
    if scaled.status() == EventStatus::Complete || added.status() == EventStatus::Complete {
        return Err("a command did not wait for the user event".into());
    }

    // A callback is called at the end of a command, in another thread.
    let (sender, receiver) = mpsc::channel();
    added.on_complete(move |outcome| {
        // Nobody receives if this program was too impatient.
        let _ = sender.send(outcome);
    })?;

    // The numbers are written only now. Then the gate opens.
    let bytes: Vec<u8> = (0..COUNT as i32).flat_map(i32::to_le_bytes).collect();
    numbers.write(0, &bytes)?;
    gate.complete();
    receiver.recv_timeout(Duration::from_secs(60))??;

    // Read the result, and compare it with what the CPU computes.
    let mut bytes = vec![0; 4 * COUNT];
    sums.read(0, &mut bytes)?;
    let (words, _) = bytes.as_chunks();
    let sums: Vec<i32> = words.iter().map(|word| i32::from_le_bytes(*word)).collect();
    let expected: Vec<i32> = (0..COUNT as i32).map(|i| 7 * i + i).collect();
    if sums != expected {
        return Err(format!("the sums are wrong: {sums:?}").into());
    }
    Ok(format!("first 7 * i, then 7 * i + i: {:?}", &sums[..8]))
}

#[allow(clippy::print_stdout, reason = "the example shows its result")]
fn main() -> Result<(), Box<dyn Error>> {
    let device = std::env::args().nth(1);
    println!("{}", run(device.as_deref().unwrap_or("soft:tgl"))?);
    Ok(())
}
