//! Generic pointers of which it is plain where they point.

use eu_compiler::{Options, compile};

use crate::common::{PLATFORMS, Run, check, numbers};
use crate::{buffer, bytes};

const SPIRV: &[u8] = include_bytes!("../kernels/known_generic.spv");
const ITEMS: usize = 32;

/// Runs a kernel on these numbers: 16 work-items in each group.
fn run(kernel: &str, input: &[u32], want: impl Fn(usize) -> u32) {
    let what = Run {
        spirv: SPIRV,
        kernel,
        simd: None,
        global: &[ITEMS as u64],
        local: Some(&[16]),
        args: vec![buffer!([0u32; ITEMS]), buffer!(input)],
    };
    let want: Vec<u32> = (0..ITEMS).map(want).collect();
    check(&what, &[bytes!(want)]);
}

fn input() -> Vec<u32> {
    let numbers = numbers(ITEMS + 4, 21);
    numbers.into_iter().map(|n| n as u32).collect()
}

fn times_3_plus(a: u32, b: u32) -> u32 {
    a.wrapping_mul(3).wrapping_add(b)
}

#[test]
fn pointers_between_private_arrays_are_chosen_and_exchanged() {
    let input = input();
    for kernel in ["halves", "plain_halves"] {
        run(kernel, &input, |id| {
            let given = &input[id..id + 4];
            let odd = given.iter().map(|n| n.wrapping_mul(3)).collect();
            let mut halves: [Vec<u32>; 2] = [given.to_vec(), odd];
            let mut from = (given[0] & 1) as usize;
            for i in 0..(given[1] & 3) as usize {
                let more = halves[from][(given[i] & 3) as usize];
                let to = &mut halves[1 - from][i];
                *to = to.wrapping_add(more);
                from = 1 - from;
            }
            let found = halves[from].iter().rfind(|n| *n & 3 == 2);
            let none = halves[1 - from][(given[2] & 3) as usize];
            found.copied().unwrap_or(none.wrapping_add(1))
        });
    }
}

#[test]
fn pointers_in_a_structure_walk_through_local_memory() {
    let input = input();
    for kernel in ["walk", "plain_walk"] {
        run(kernel, &input, |id| {
            let mut own = input[id..id + 4].to_vec();
            let mut pair = [Some(0), (own[0] & 1 != 0).then_some(2)];
            if own[0] & 2 != 0 {
                pair.reverse();
            }
            let mut sum = if pair[0].is_some() { 1 } else { 2 };
            for at in &mut own[pair[0].or(pair[1]).unwrap()..] {
                sum = times_3_plus(sum, *at);
                *at = sum;
            }
            times_3_plus(own[0], own[3].wrapping_add(sum))
        });
    }
}

#[test]
fn null_and_pointers_into_several_memories_are_told_apart() {
    let input: Vec<u32> = (0..ITEMS as u32).collect();
    run("compared", &input, |id| {
        let [p, q, r, first] = [0, 1, 2, 3].map(|bit| id >> bit & 1 != 0);
        let any = if first { p } else { q };
        let bits = [
            !p && !q,
            !p && !r,
            q || r,
            p,
            !q,
            first || !p && !q,
            !first || !p && !q,
            any,
            true,
            p,
            first && p,
            !p,
            !q && !r,
            p,
            false,
            false,
            false,
            q,
            false,
            false,
            false,
            r,
            first && p,
            !first && q,
            false,
        ];
        let bits = bits.iter().fold(0, |all, bit| all * 2 + u32::from(*bit));
        let [own, word] = [(first && p, 0), (!first && q, 1)];
        let [own, word] = [own, word].map(|(is_5, other)| if is_5 { 5 } else { other });
        bits * 16 + (own + if q { 2 * word } else { 0 })
    });
}

/// Those that are generic cost nothing.
#[test]
fn a_kernel_is_as_short_as_with_pointers_into_one_memory() {
    for name in PLATFORMS {
        let zebin = compile(SPIRV, &Options::new(devinfo::by_name(name).unwrap())).unwrap();
        let [of, than] = ["halves", "plain_halves"].map(|kernel| {
            let mut kernels = zebin.kernels.iter();
            kernels.find(|of| of.name == kernel).unwrap().code.len()
        });
        assert!(of <= than + than / 16, "{name}: {of}, {than}");
    }
}
