//! `cl_ext_float_atomics`: what no message does is a loop of compare and exchange.

use crate::common::{PLATFORMS, Run, Value, check, run};
use crate::{buffer, bytes};

const ITEMS: usize = 128;
const GROUP: usize = 64;

#[test]
fn floats_and_orders() {
    let spirv = include_bytes!("../kernels/float_atomics.spv");
    // Sums are exact whatever their order.
    let input: Vec<f32> = (0..ITEMS).map(|i| ((i * 37) % 101) as f32 - 40.0).collect();
    let before: Vec<f32> = (0..16 + ITEMS)
        .map(|i| match i {
            1 => 5.0,
            2 => -5.0,
            _ => i as f32 * 0.5,
        })
        .collect();
    let least = |of: &[f32], from: f32| of.iter().copied().fold(from, f32::min);
    let most = |of: &[f32], from: f32| of.iter().copied().fold(from, f32::max);
    let mut cells = before.clone();
    cells[0] += input.iter().sum::<f32>();
    cells[1] = least(&input, cells[1]);
    cells[2] = most(&input, cells[2]);
    let mut old = vec![0f32; 4 * ITEMS];
    for (g, x) in input.iter().enumerate() {
        if g % 2 == 1 {
            cells[3 + g % 8] += x;
        }
        cells[16 + g] = x + 1.0;
        let group = &input[g / GROUP * GROUP..][..GROUP];
        old[4 * g] = before[16 + g];
        old[4 * g + 1] = x + 1.0;
        old[4 * g + 2] = group.iter().sum();
        old[4 * g + 3] = match g % 2 {
            0 => least(group, 1000.0),
            _ => most(group, -1000.0),
        };
    }
    let mut ran = 0;
    for platform in PLATFORMS {
        let what = Run {
            spirv,
            kernel: "floats",
            simd: None,
            global: &[ITEMS as u64],
            local: Some(&[GROUP as u32]),
            args: vec![
                buffer!(input),
                buffer!(before),
                Value::Buffer(vec![0; 16 * ITEMS]),
            ],
        };
        let out = run(platform, &what).unwrap();
        let floats = |bytes: &[u8]| -> Vec<f32> {
            let words = bytes.chunks_exact(4);
            words
                .map(|w| f32::from_le_bytes([w[0], w[1], w[2], w[3]]))
                .collect()
        };
        assert_eq!(floats(&out[1]), cells, "{platform}");
        assert_eq!(floats(&out[2]), old, "{platform}");
        ran += 1;
    }
    assert_eq!(ran, PLATFORMS.len());
}

#[test]
fn differences_of_floats() {
    let spirv = include_bytes!("../kernels/float_atomics.spv");
    let input: Vec<f32> = (0..ITEMS).map(|i| ((i * 53) % 97) as f32 - 30.0).collect();
    let before = [100f32, 10.0, 20.0, 30.0, 0.0, 0.0];
    let mut cells = before;
    for (g, x) in input.iter().enumerate() {
        cells[0] -= x;
        cells[1 + g % 3] -= x;
    }
    for (group, part) in input.chunks(GROUP).enumerate() {
        cells[4 + group] = 7.0 - part.iter().sum::<f32>();
    }
    let what = Run {
        spirv,
        kernel: "differences",
        simd: None,
        global: &[ITEMS as u64],
        local: Some(&[GROUP as u32]),
        args: vec![buffer!(input), buffer!(before)],
    };
    check(&what, &[bytes!(input), bytes!(cells)]);
}
