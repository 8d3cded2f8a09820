//! Kernels of Intel's compiler, run on the software GPU.
#![cfg(feature = "softgpu")]

use std::time::Duration;

use umd::{Arg, Device, DeviceSpec, NdRange, Program, QueueOptions};

const VADD: &[u8] = include_bytes!("kernels/vadd.tgllp.zebin");

#[test]
fn vadd() {
    let device = Device::open(&DeviceSpec::soft("tgl")).unwrap();
    let program = Program::load(&device, VADD).unwrap();
    let mut kernel = program.kernel("vadd").unwrap();
    let n = 1000u32;
    let (a, b, c) = (
        device.buffer(4 * u64::from(n)).unwrap(),
        device.buffer(4 * u64::from(n)).unwrap(),
        device.buffer(4 * u64::from(n)).unwrap(),
    );
    let bytes =
        |f: &dyn Fn(u32) -> f32| -> Vec<u8> { (0..n).flat_map(|i| f(i).to_le_bytes()).collect() };
    a.write(0, &bytes(&|i| i as f32)).unwrap();
    b.write(0, &bytes(&|i| 0.5 * i as f32)).unwrap();
    kernel.set_arg(0, Arg::Buffer(&a)).unwrap();
    kernel.set_arg(1, Arg::Buffer(&b)).unwrap();
    kernel.set_arg(2, Arg::Buffer(&c)).unwrap();
    kernel
        .set_arg(3, Arg::Value(&2.0f32.to_le_bytes()))
        .unwrap();
    kernel
        .set_arg(4, Arg::Value(&(n as i32).to_le_bytes()))
        .unwrap();
    kernel.set_arg(5, Arg::Value(&[0; 16])).unwrap();
    kernel.set_arg(6, Arg::Value(&[3])).unwrap();
    let queue = device.queue(QueueOptions::default()).unwrap();
    let range = NdRange::new(&[1024]).unwrap();
    let event = queue.enqueue(&kernel, &range, &[]).unwrap();
    event.wait(Duration::from_secs(20)).unwrap();
    let mut out = vec![0; 4 * n as usize];
    c.read(0, &mut out).unwrap();
    assert_eq!(out, bytes(&|i| i as f32 * 2.0 + 0.5 * i as f32 + 3.0));
    let times = event.timestamps().unwrap();
    assert!(times.queued <= times.submitted);
    assert!(times.submitted <= times.started);
    assert!(times.started <= times.ended);
}
