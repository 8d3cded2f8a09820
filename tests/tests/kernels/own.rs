//! This project's compiler takes the whole corpus.

use std::fs;

use stack_tests::corpus::{self, OWN};

#[test]
fn compiles_every_kernel() {
    let mut counts = Vec::new();
    for set in OWN {
        let mut count = 0;
        for entry in fs::read_dir(corpus::folder()).unwrap().flatten() {
            let path = entry.path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.extension().is_some_and(|e| e == "cl") && set.has(&name) {
                count += set.compiled(&name).kernels.len();
            }
        }
        counts.push((set.name, count));
    }
    assert_eq!(
        counts,
        [
            ("bdw-own", 238),
            ("skl-own", 238),
            ("icl-own", 233),
            ("tgl-own", 233),
            ("dg2-0-own", 233),
            ("dg2-8-own", 233),
            ("mtl-own", 238),
            ("pvc-own", 187),
            ("lnl-own", 222),
            ("bmg-own", 222),
            ("ptl-own", 222),
        ]
    );
}
