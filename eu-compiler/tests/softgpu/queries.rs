//! What functions answer at the edges of what they are asked: dimensions that do not exist, the memory
//! of pointers, bits of lanes that no work-item has.

use crate::common::{Run, Value, check, check_on, numbers};
use crate::{buffer, bytes};

const QUERIES: &[u8] = include_bytes!("../kernels/queries.spv");

fn queries<'a>(kernel: &'a str, global: &'a [u64], args: Vec<Value>) -> Run<'a> {
    Run {
        spirv: QUERIES,
        kernel,
        simd: None,
        global,
        local: None,
        args,
    }
}

#[test]
fn dimensions_beyond_the_third_have_one_work_item() {
    let (global, local) = ([32u32, 4, 2], [8u32, 2, 1]);
    for first in [0u32, 1, 2, 3, 1000, u32::MAX] {
        let mut want = vec![0u32; 32 * 32];
        for x in 0..global[0] {
            let ask = |dim: u32| match dim {
                0 => [
                    x,
                    global[0],
                    x % local[0],
                    local[0],
                    local[0],
                    4,
                    x / local[0],
                    0,
                ],
                1 | 2 => {
                    let dim = dim as usize;
                    [
                        0,
                        global[dim],
                        0,
                        local[dim],
                        local[dim],
                        global[dim] / local[dim],
                        0,
                        0,
                    ]
                }
                _ => [0, 1, 0, 1, 1, 1, 0, 0],
            };
            for (row, dim) in [1, 3, first, first.wrapping_add(x & 3)]
                .into_iter()
                .enumerate()
            {
                let at = 8 * (4 * x as usize + row);
                want[at..at + 8].copy_from_slice(&ask(dim));
            }
        }
        let args = vec![
            buffer!(vec![0u32; want.len()]),
            Value::Bytes(first.to_le_bytes().to_vec()),
        ];
        let mut run = queries("dimensions", &[32, 4, 2], args);
        run.local = Some(&[8, 2, 1]);
        check(&run, &[bytes!(want)]);
    }
}

#[test]
fn fences_are_those_of_the_memory_pointed_to() {
    let input = numbers(4, 3);
    let mut want = Vec::new();
    for i in 0..48u32 {
        let (local, global) = (1, 2);
        let any = if i % 3 == 1 { local } else { global };
        let read = if i % 3 == 1 {
            0
        } else {
            input[(i & 3) as usize] as u32
        };
        want.extend([any | global << 8 | local << 16, read]);
    }
    let args = vec![buffer!([0u32; 96]), Value::Local(64), buffer!(input)];
    check(&queries("fences", &[48], args), &[bytes!(want)]);
}

#[test]
fn ballots_are_counted_to_the_largest_sub_group() {
    let platforms: Vec<&str> = crate::common::PLATFORMS
        .iter()
        .copied()
        .filter(|name| devinfo::by_name(name).unwrap().has_simd_width(16))
        .collect();
    for x in [0xf800u32, 0xffff, 0xffff_8001] {
        let bits = x & 0xffff;
        let mut want = Vec::new();
        for lane in 0..10 {
            want.extend([
                bits.ilog2(),
                bits.trailing_zeros(),
                bits.count_ones(),
                (bits & ((2 << lane) - 1)).count_ones(),
                (bits & ((1 << lane) - 1)).count_ones(),
            ]);
        }
        let args = vec![buffer!([0u32; 50]), Value::Bytes(x.to_le_bytes().to_vec())];
        let mut run = queries("ballots", &[10], args);
        run.local = Some(&[10]);
        check_on(&platforms, &run, &[bytes!(want)]);
    }
}
