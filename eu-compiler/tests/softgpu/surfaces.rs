//! Accesses by the binding table see what those by address see: pointers that begin at any
//! dword, and offsets below them.

use std::time::Duration;

use eu_compiler::{Options, compile};
use umd::{Arg, Device, DeviceSpec, NdRange, Program, QueueOptions};

use crate::common::{PLATFORMS, Run, check, run};
use crate::{buffer, bytes};

const SURFACES: &[u8] = include_bytes!("../kernels/surfaces.spv");
const UNIONS: &[u8] = include_bytes!("../kernels/unions.spv");
const COUNT: usize = 40;
const BACK: usize = 7;

#[test]
fn pointers_into_the_middle_of_a_buffer() {
    for name in PLATFORMS {
        let platform = devinfo::by_name(name).unwrap();
        let zebin = compile(SURFACES, &Options::new(platform)).unwrap();
        let device = Device::open(&DeviceSpec::soft(*name)).unwrap();
        let queue = device.queue(QueueOptions::default()).unwrap();
        let program = Program::load(&device, &zebin.bytes).unwrap();
        let bytes: Vec<u8> = (0..=255).collect();
        for origin in [64usize, 68, 76, 92] {
            let whole = device.buffer(256).unwrap();
            let result = device.buffer(256).unwrap();
            whole.write(0, &bytes).unwrap();
            result.write(0, &[0; 256]).unwrap();
            let (from, to) = (origin as u64, origin as u64 + 4);
            let input = whole.sub_buffer(from, 100).unwrap();
            let output = result.sub_buffer(to, 100).unwrap();
            let mut kernel = program.kernel("middle").unwrap();
            kernel.set_arg(0, Arg::Buffer(&output)).unwrap();
            kernel.set_arg(1, Arg::Buffer(&input)).unwrap();
            let back = (BACK as u32).to_le_bytes();
            kernel.set_arg(2, Arg::Value(&back)).unwrap();
            let range = NdRange::new(&[COUNT as u64]).unwrap();
            let event = queue.enqueue(&kernel, &range, &[]).unwrap();
            event.wait(Duration::from_secs(60)).unwrap();
            let mut have = vec![0; 256];
            result.read(0, &mut have).unwrap();
            let mut want = vec![0u8; 256];
            for i in 0..COUNT {
                want[origin + 4 + 2 * i] = bytes[origin + i] + 1;
                want[origin + 5 + 2 * i] = bytes[origin + i - BACK];
            }
            assert!(have == want, "{name} at {origin}");
        }
    }
}

/// An address that is computed from several is of no one's surface.
#[test]
fn sums_of_addresses_lead_anywhere() {
    const ITEMS: u32 = 64;
    let input: Vec<u32> = (0..ITEMS + 4).map(|n| n * 3 + 1).collect();
    for platform in PLATFORMS {
        let what = Run {
            spirv: SURFACES,
            kernel: "rebased",
            simd: None,
            global: &[ITEMS.into()],
            local: None,
            args: vec![buffer!(vec![0u32; ITEMS as usize]), buffer!(input)],
        };
        let out = run(platform, &what).unwrap();
        let words = out[0].as_chunks::<4>().0.iter();
        let have: Vec<u32> = words.map(|word| u32::from_le_bytes(*word)).collect();
        let aligned = |g: u32| input[g.next_multiple_of(4) as usize];
        let want: Vec<u32> = (0..ITEMS)
            .map(|g| input[g as usize] + 256 * aligned(g))
            .collect();
        assert_eq!(have, want, "{platform}");
    }
}

/// A pointer that a variable has as a number, too, is of no one's surface.
#[test]
fn pointers_that_variables_have_as_numbers_lead_anywhere() {
    const ITEMS: u32 = 64;
    let to: Vec<u32> = (0..ITEMS).map(|g| g * 5 + 7).collect();
    let from: Vec<u32> = (0..ITEMS).map(|g| g * 3 + 1000).collect();
    let check = |kernel: &str, want: &dyn Fn(usize) -> (u32, u32)| {
        let what = Run {
            spirv: UNIONS,
            kernel,
            simd: None,
            global: &[ITEMS.into()],
            local: Some(&[32]),
            args: vec![buffer!(to), buffer!(from)],
        };
        let (to, from): (Vec<u32>, Vec<u32>) = (0..ITEMS as usize).map(want).unzip();
        check(&what, &[bytes!(to), bytes!(from)]);
    };
    for kernel in [
        "read_by_number",
        "read_by_vector",
        "read_by_halves",
        "read_through_local",
        "read_by_local_number",
        "read_through_both",
    ] {
        check(kernel, &|g| (from[g], from[g]));
    }
    check("read_by_vload", &|g| (from[g] + 1, from[g]));
    check("written_by_number", &|g| (to[g], 2 * to[g]));
    check("read_from_copies", &|g| {
        ([to[g], from[g]][g & 1] + 3, from[g])
    });
}
