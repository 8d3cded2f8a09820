//! Zebins of Intel's compiler: what is read from them, and what happens to broken ones.

use umd::{ArgKind, Binary, BinaryError};

const VADD: &[u8] = include_bytes!("kernels/vadd.tgllp.zebin");
const IMAGE: &[u8] = include_bytes!("kernels/image.tgllp.zebin");
const PRINTF: &[u8] = include_bytes!("kernels/printf.tgllp.zebin");
const CONST: &[u8] = include_bytes!("kernels/const.tgllp.zebin");

#[test]
fn arguments_of_vadd() {
    let binary = Binary::parse(VADD).unwrap();
    assert_eq!(binary.target().platform.name, "tgl");
    let kernel = binary.kernel("vadd").unwrap();
    assert_eq!((kernel.simd, kernel.grf_count), (32, 128));
    assert_eq!(kernel.cross_thread_register, 7);
    let args: Vec<_> = kernel
        .args
        .iter()
        .map(|arg| (arg.name.as_deref().unwrap(), arg.kind.to_string()))
        .collect();
    let expected = [
        ("a", "buffer"),
        ("b", "buffer"),
        ("c", "buffer"),
        ("s", "value of 4 bytes"),
        ("n", "value of 4 bytes"),
        ("v4", "value of 16 bytes"),
        ("ch", "value of 1 bytes"),
    ];
    assert_eq!(args, expected.map(|(name, kind)| (name, kind.to_owned())));
}

#[test]
fn images_and_samplers() {
    let binary = Binary::parse(IMAGE).unwrap();
    let kernel = binary.kernel("img").unwrap();
    let kinds: Vec<_> = kernel.args.iter().map(|arg| arg.kind.to_string()).collect();
    assert_eq!(
        kinds,
        [
            "2D image",
            "2D image",
            "sampler",
            "3D image",
            "2D array image",
            "1D buffer image",
            "buffer"
        ]
    );
    assert!(matches!(kernel.args[0].kind, ArgKind::Image(_)));
}

#[test]
fn strings_and_symbols() {
    let binary = Binary::parse(PRINTF).unwrap();
    assert_eq!(
        binary.printf_strings(),
        ["hello %d %f\n", "big %s %v4d\n", "str"]
    );
    assert_eq!(Binary::parse(CONST).unwrap().kernels().len(), 1);
}

#[test]
fn another_platform_is_refused_with_both_names() {
    let binary = Binary::parse(VADD).unwrap();
    let dg2 = devinfo::by_name("dg2").unwrap();
    let error = binary.check_target(dg2, 8).unwrap_err();
    assert!(matches!(error, BinaryError::OtherPlatform { .. }));
    let text = error.to_string();
    assert!(text.contains("tgl") && text.contains("dg2"), "{text}");
}

#[test]
fn files_of_other_machines_are_told_from_older_binaries() {
    const MACHINE: usize = 18;
    for (machine, expected) in [(62, "no GPU code"), (0, "an older OpenCL binary")] {
        let mut file = VADD.to_vec();
        file[MACHINE..MACHINE + 2].copy_from_slice(&u16::to_le_bytes(machine));
        let error = Binary::parse(&file).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected), "{machine}: {error}");
    }
}

#[test]
fn every_truncation_is_an_error_that_says_where() {
    for end in 0..VADD.len() {
        match Binary::parse(&VADD[..end]) {
            Err(BinaryError::UnknownFormat) => assert!(end < 4),
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(_) => panic!("{end} of {} bytes were accepted", VADD.len()),
        }
    }
}
