//! Locks that the lanes of a sub-group take in turn, and that sub-groups wait for.

use crate::buffer;
use crate::common::{PLATFORMS, Run, run};

const ITEMS: u32 = 128;

#[test]
fn everybody_has_had_the_lock() {
    let leaders = (0..ITEMS).step_by(32);
    let kernels: [(&str, Vec<u32>); 4] = [
        ("in_turn", (0..ITEMS).collect()),
        ("flags", (0..ITEMS).collect()),
        ("leaders", leaders.collect()),
        ("raise", (0..ITEMS).collect()),
    ];
    for platform in PLATFORMS {
        for (kernel, owners) in &kernels {
            let what = Run {
                spirv: include_bytes!("../kernels/locks.spv"),
                kernel,
                simd: None,
                global: &[ITEMS.into()],
                local: Some(&[64]),
                args: vec![buffer!([0u32; 2]), buffer!([0u32])],
            };
            let out = run(platform, &what).unwrap();
            let words: Vec<u32> = out[0]
                .as_chunks::<4>()
                .0
                .iter()
                .map(|word| u32::from_le_bytes(*word))
                .collect();
            let want = [owners.iter().sum(), owners.len() as u32];
            assert_eq!(words, want, "{platform} {kernel}");
        }
    }
}
