//! This project's compiler takes the whole corpus.

use stack_tests::corpus::OWN;

#[test]
fn compiles_every_kernel() {
    let mut counts = Vec::new();
    for set in OWN {
        let kernels = |file: &String| set.compiled(file).kernels.len();
        let count: usize = set.files().iter().map(kernels).sum();
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
