//! What each version of SPIR-V brought for kernels, in modules of that version that no front end
//! wrote, and what is refused by its name.

use crate::buffer;
use crate::common::{PLATFORMS, Run, compiled, numbers, run};

const ITEMS: usize = 64;

/// What a kernel makes of a number: that, its index and the lanes of a sub-group.
type Expected = fn(u32, u32, u32) -> u32;

/// The modules, by their minor versions.
const VERSIONS: [(&[u8], Expected); 7] = [
    // Parts of composites.
    (include_bytes!("../versions/1_0.spv"), |a, _, _| {
        a.wrapping_add(2).max(1)
    }),
    // The size of a type, and the lanes of a sub-group as an execution mode.
    (include_bytes!("../versions/1_1.spv"), |a, _, lanes| {
        assert_eq!(lanes, 16);
        a.wrapping_add(4)
    }),
    // Execution modes and decorations whose operands are constants.
    (include_bytes!("../versions/1_2.spv"), |a, _, _| {
        a.wrapping_add(32)
    }),
    // Functions of parts of sub-groups.
    (include_bytes!("../versions/1_3.spv"), |a, _, lanes| {
        a.wrapping_add(lanes)
    }),
    // Entry points that name all variables, choices and copies of structures, comparisons and
    // differences of pointers, two alignments of a copy, and what is said of loops.
    (include_bytes!("../versions/1_4.spv"), |a, index, _| {
        let (low, high) = if a & 1 == 1 { (a, 3) } else { (3, a) };
        let sum = low.wrapping_mul(3).wrapping_add(high);
        sum.wrapping_add(index + 1 + 3 + 3)
    }),
    // What the program expects and assumes.
    (include_bytes!("../versions/1_5.spv"), |a, _, _| {
        a.wrapping_add(a & 1)
    }),
    // Dot products of packed bytes.
    (include_bytes!("../versions/1_6.spv"), |a, _, _| {
        let bytes = a.to_le_bytes();
        let dot: u32 = bytes.iter().map(|b| u32::from(*b).pow(2)).sum();
        let mixed = i32::from(bytes[0].cast_signed()) * 3;
        let more = dot + 2 * u32::from(bytes[0]);
        more.wrapping_add_signed(mixed)
    }),
];

#[test]
fn every_version_compiles_and_runs() {
    let input: Vec<u32> = numbers(ITEMS, 9).into_iter().map(|n| n as u32).collect();
    for (minor, (spirv, expected)) in VERSIONS.iter().enumerate() {
        assert_eq!(spirv[4..8], [0, minor as u8, 1, 0]);
        for platform in PLATFORMS {
            let what = Run {
                spirv,
                kernel: "kernel",
                simd: None,
                global: &[ITEMS as u64],
                local: Some(&[32]),
                args: vec![buffer!(input), buffer!(vec![0u32; ITEMS])],
            };
            let zebin = compiled(platform, &what, None).unwrap();
            let lanes = zebin.kernels[0].simd;
            let out = run(platform, &what).unwrap();
            let words = out[1].as_chunks::<4>().0.iter();
            let have: Vec<u32> = words.map(|w| u32::from_le_bytes(*w)).collect();
            let want = input.iter().zip(0..).map(|(a, i)| expected(*a, i, lanes));
            let want: Vec<u32> = want.collect();
            assert_eq!(have, want, "1.{minor} on {platform}");
        }
    }
}

#[test]
fn what_is_refused_has_a_name() {
    let spirv = include_bytes!("../versions/named_barrier.spv");
    let target = devinfo::by_name("tgl").unwrap();
    let error = eu_compiler::compile(spirv, &eu_compiler::Options::new(target)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("OpNamedBarrierInitialize"), "{text}");
}
