//! An image: written by this process, read and written by a kernel, read back.
//!
//! `cargo run -p umd --example image` runs it on the software GPU. An argument names another
//! device, such as `/dev/dri/renderD128`; the kernel is for Tiger Lake.

use std::error::Error;
use std::time::Duration;

use umd::{Arg, Device, DeviceSpec, ImageDesc, ImageFormat, NdRange, Program, QueueOptions};
use umd::{channel_order, channel_type};

/// Kernels in OpenCL C, compiled by Intel's compiler. `img_u(in, out)` adds 1 to each channel of a
/// texel.
const ZEBIN: &[u8] = include_bytes!("../tests/kernels/image.tgllp.zebin");

const WIDTH: u32 = 40;
const HEIGHT: u32 = 30;

/// Runs the example on a device. Gives what there is to print.
pub fn run(device: &str) -> Result<String, Box<dyn Error>> {
    let device = Device::open(&device.parse::<DeviceSpec>()?)?;
    let queue = device.queue(QueueOptions::default())?;
    let mut kernel = Program::load(&device, ZEBIN)?.kernel("img_u")?;

    // Two images of the same shape. A texel is four bytes: red, green, blue and alpha.
    let format = ImageFormat::new(channel_order::RGBA, channel_type::UINT8);
    let desc = ImageDesc::d2(format, WIDTH, HEIGHT);
    let source = device.image(&desc)?;
    let destination = device.image(&desc)?;

    // Red is the column, green is the row. The texels are given row by row; how they lie in the
    // GPU's memory is the driver's business.
    let mut texels = Vec::new();
    for y in 0..HEIGHT as u8 {
        for x in 0..WIDTH as u8 {
            texels.extend([x, y, 0, 254]);
        }
    }
    source.write(&source.whole(), &texels)?;

    // One work-item for each texel.
    kernel.set_arg(0, Arg::Image(&source))?;
    kernel.set_arg(1, Arg::Image(&destination))?;
    let range = NdRange::new(&[WIDTH.into(), HEIGHT.into()])?;
    let event = queue.enqueue(&kernel, &range, &[])?;
    event.wait(Duration::from_secs(60))?;

    // Read the result, and compare it with what the CPU computes.
    let mut result = vec![0; texels.len()];
    destination.read(&destination.whole(), &mut result)?;
    let expected: Vec<u8> = texels.iter().map(|channel| channel + 1).collect();
    if result != expected {
        return Err("a texel is wrong".into());
    }
    let last = &result[result.len() - 4..];
    Ok(format!("{WIDTH} x {HEIGHT} texels; the last is {last:?}"))
}

#[allow(clippy::print_stdout, reason = "the example shows its result")]
fn main() -> Result<(), Box<dyn Error>> {
    let device = std::env::args().nth(1);
    println!("{}", run(device.as_deref().unwrap_or("soft:tgl"))?);
    Ok(())
}
