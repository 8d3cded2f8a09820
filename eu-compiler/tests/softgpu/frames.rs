//! Private variables of functions that are called.

use crate::common::{PLATFORMS, Run, check, compiled};
use crate::{buffer, bytes};

const FRAMES: &[u8] = include_bytes!("../kernels/frames.spv");
const ITEMS: u32 = 20;
/// The largest variable, and how many are in use at once: the kernel's own, its copy for a call, and within
/// this call the variable of another; or three of a list within each other.
const LARGEST: u32 = 4 * 1100 + 8;
const AT_ONCE: u32 = 4;

fn run<'a>() -> Run<'a> {
    Run {
        spirv: FRAMES,
        kernel: "frames",
        simd: None,
        global: &[ITEMS as u64],
        local: None,
        args: vec![buffer!([0u32; ITEMS as usize])],
    }
}

/// What the functions of the kernel give.
fn sparse(x: u32, by: u32) -> u32 {
    (0..20u32).fold(0, |r: u32, i| {
        r.wrapping_mul(3)
            .wrapping_add(x.wrapping_add(i.wrapping_mul(by)))
    })
}

fn around(x: u32) -> u32 {
    (0..6).fold(0, |r: u32, i| {
        let next = sparse(x.wrapping_add(i), i) ^ sparse(r % 1000, i);
        r.wrapping_mul(5).wrapping_add(next)
    })
}

fn list(of: &[u32]) -> u32 {
    let next = |sum: u32, x: &u32| sum.wrapping_mul(7).wrapping_add(*x);
    of.iter().fold(0, next)
}

fn first(x: u32) -> u32 {
    let third = list(&[x, x + 1, x + 2]);
    let second = third.wrapping_add(sparse(x, 2)).wrapping_add(third);
    second ^ list(&[x, x + 2])
}

#[test]
fn variables_of_calls_keep_what_they_have() {
    let want: Vec<u32> = (0..ITEMS)
        .map(|id| {
            let mut large = [0u32; 3];
            let mut r = 0u32;
            for k in 0..3 {
                large[k as usize] = r.wrapping_add(k);
                r = r.wrapping_add(sparse(id + k, 3));
                r ^= around(id + r % 5);
                let before = large[k as usize];
                let after = before.wrapping_add(sparse(k + id, 7));
                r = r.wrapping_add(after).wrapping_add(before);
                r ^= first(id * 31 + k);
            }
            let next = |r: u32, x: &u32| r.wrapping_mul(3).wrapping_add(*x);
            large.iter().fold(r, next)
        })
        .collect();
    check(&run(), &[bytes!(want)]);
}

#[test]
fn variables_of_calls_share_places() {
    for platform in PLATFORMS {
        let zebin = compiled(platform, &run(), None).unwrap();
        let text = String::from_utf8_lossy(&zebin.bytes);
        let (_, private) = text.split_once("usage: private_space").unwrap();
        let size = private.split_whitespace().nth(1).unwrap();
        let size: u32 = size.parse().unwrap();
        // The first lines of a list are a few bytes longer than its largest.
        assert!(size <= AT_ONCE * LARGEST + 512, "{platform}: {size}");
    }
}
