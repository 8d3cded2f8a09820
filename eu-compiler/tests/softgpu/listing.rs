//! What the compiler prints assembles to the bytes that it makes, in Intel's assembler and ours, and
//! neither the rules of the hardware nor those of the scoreboard are broken.

use eu_compiler::{Options, compile};
use isa_encoder::{AsmOptions, Validation, assemble};

use crate::common::PLATFORMS;

const MODULES: [&[u8]; 15] = [
    include_bytes!("../kernels/accesses.spv"),
    include_bytes!("../kernels/atomics.spv"),
    include_bytes!("../kernels/basic.spv"),
    include_bytes!("../kernels/float_atomics.spv"),
    include_bytes!("../kernels/generic.spv"),
    include_bytes!("../kernels/groups.spv"),
    include_bytes!("../kernels/half_atomics.spv"),
    include_bytes!("../kernels/image_blocks.spv"),
    include_bytes!("../kernels/images.spv"),
    include_bytes!("../kernels/local_atomics_64.spv"),
    include_bytes!("../kernels/local_blocks.spv"),
    include_bytes!("../kernels/memory.spv"),
    include_bytes!("../kernels/pressure.spv"),
    include_bytes!("../kernels/program.spv"),
    include_bytes!("../kernels/types.spv"),
];

#[test]
fn listings_assemble_to_the_same_bytes() {
    let mut compared = 0;
    for name in PLATFORMS {
        let platform = devinfo::by_name(name).unwrap();
        let iga = oracles::iga::find(platform.family);
        for module in MODULES {
            let zebin = match compile(module, &Options::new(platform)) {
                Err(error) if !platform.images && error.to_string().contains("has no images") => {
                    continue;
                }
                zebin => zebin.unwrap(),
            };
            for kernel in zebin.kernels {
                let listing = kernel.text();
                let text = format!("//.platform {name}\n//.swsb check\n{listing}");
                let options = AsmOptions {
                    validation: Validation::Deny,
                    ..AsmOptions::default()
                };
                let ours = assemble(&text, &options).unwrap_or_else(|found| {
                    panic!("{name} {}: {:?}", kernel.name, found.first());
                });
                assert!(
                    ours.warnings.is_empty(),
                    "{name} {}: {:?}",
                    kernel.name,
                    ours.warnings
                );
                assert_eq!(ours.code, kernel.code, "{name} {}", kernel.name);
                if let Some(iga) = &iga {
                    let bytes = iga.assemble(&listing).unwrap();
                    assert!(
                        kernel.code == bytes,
                        "{name} {}: iga64 differs",
                        kernel.name
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 0 || !oracles::are_required());
}

/// Intel's compiler gives Gen8 eight lanes a message with addresses of 64 bits, later families sixteen.
#[test]
fn messages_with_wide_addresses_have_as_many_lanes_as_may_be() {
    let module = include_bytes!("../programs/quotients.spv");
    for (name, lanes) in [("bdw", "simd8"), ("skl", "simd16"), ("tgl", "simd16")] {
        let platform = devinfo::by_name(name).unwrap();
        let zebin = compile(module, &Options::new(platform)).unwrap();
        let kernel = zebin.kernels.iter().find(|k| k.name == "divedge").unwrap();
        let listing = kernel.text();
        let wide: Vec<&str> = listing.lines().filter(|l| l.ends_with(" a64")).collect();
        let message = format!(" scattered read d32x2 {lanes} a64");
        let all = wide.iter().all(|line| line.ends_with(&message));
        assert!(all && !wide.is_empty(), "{name}: {wide:#?}");
    }
}

/// A kernel that asks for no local ids loads none, and one whose arguments the walker brings loads no
/// arguments.
#[test]
fn kernels_load_what_they_use() {
    let types = include_bytes!("../kernels/types.spv");
    let unusual = include_bytes!("../kernels/unusual.spv");
    let sends = |module: &[u8], platform: &str, kernel: &str| {
        let options = Options {
            simd: Some(16),
            ..Options::new(devinfo::by_name(platform).unwrap())
        };
        let zebin = compile(module, &options).unwrap();
        let made = zebin.kernels.iter().find(|made| made.name == kernel);
        let listing = made.unwrap().text();
        listing.lines().filter(|line| line.contains("send")).count()
    };
    // The block read and written, the end, and on pvc, whose walker brings nothing, the arguments.
    for (platform, want) in [
        ("dg2", 3),
        ("mtl", 3),
        ("pvc", 4),
        ("lnl", 3),
        ("bmg", 3),
        ("ptl", 3),
    ] {
        assert_eq!(sends(types, platform, "block_u8_1"), want, "{platform}");
    }
    // The store and the end; the local ids of the one dimension that is read, where threads have none; and,
    // where the walker brings few or none, the arguments.
    for (platform, want) in [
        ("tgl", 2),
        ("dg2", 4),
        ("pvc", 4),
        ("lnl", 3),
        ("bmg", 3),
        ("ptl", 3),
    ] {
        assert_eq!(sends(unusual, platform, "unreached"), want, "{platform}");
    }
}

/// A global id is the sum of three numbers, an instruction where hardware has it.
#[test]
fn sums_of_three_numbers_are_one_instruction() {
    let module = include_bytes!("../kernels/basic.spv");
    for (platform, want) in [("tgl", 0), ("dg2", 1), ("pvc", 1), ("bmg", 1), ("ptl", 1)] {
        let options = Options {
            simd: Some(16),
            ..Options::new(devinfo::by_name(platform).unwrap())
        };
        let zebin = compile(module, &options).unwrap();
        let made = zebin.kernels.iter().find(|made| made.name == "collatz");
        let listing = made.unwrap().text();
        let sums = listing.lines().filter(|line| line.contains("add3"));
        assert_eq!(sums.count(), want, "{platform}");
    }
}

#[test]
fn lanes_stay_where_their_message_brought_them() {
    let module = include_bytes!("../programs/flow.spv");
    for name in ["skl", "tgl", "dg2"] {
        let platform = devinfo::by_name(name).unwrap();
        let zebin = compile(module, &Options::new(platform)).unwrap();
        let chosen = zebin.kernels.iter().find(|kernel| kernel.name == "chosen");
        let listing = chosen.unwrap().text();
        // It loads and stores pairs, 16 lanes in a message.
        assert!(listing.contains("(16|M16)"), "{name}: {listing}");
        assert!(!listing.contains("mov (16|"), "{name}: {listing}");
    }
}

/// Where registers have 64 bytes, one message brings four dwords of 32 lanes, and `math` takes them all.
#[test]
fn messages_and_functions_serve_32_lanes() {
    let module = include_bytes!("../programs/numbers.spv");
    for name in ["pvc", "lnl", "bmg", "ptl"] {
        let platform = devinfo::by_name(name).unwrap();
        let zebin = compile(module, &Options::new(platform)).unwrap();
        let gauss = zebin.kernels.iter().find(|kernel| kernel.name == "gauss");
        let listing = gauss.unwrap().text();
        let halves = |line: &&str| line.contains("(16|M16)");
        let all = |line: &&str| line.contains("send") || line.contains("math");
        let found: Vec<_> = listing.lines().filter(halves).filter(all).collect();
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

/// The negative of a divisor is no move.
#[test]
fn signs_are_modifiers() {
    let module = include_bytes!("../programs/numbers.spv");
    for name in PLATFORMS {
        let platform = devinfo::by_name(name).unwrap();
        let zebin = compile(module, &Options::new(platform)).unwrap();
        let gauss = zebin.kernels.iter().find(|kernel| kernel.name == "gauss");
        let listing = gauss.unwrap().text();
        let moves = listing.lines().filter(|line| line.contains("mov "));
        let signs: Vec<_> = moves.filter(|line| line.contains(" -r")).collect();
        assert!(signs.is_empty(), "{name}: {signs:#?}");
    }
}

/// A loop that goes on while two things hold compares twice, and a choice by a bit tests it: neither makes
/// a number of what is true.
#[test]
fn truth_values_are_made_in_the_flag() {
    let module = include_bytes!("../programs/flow.spv");
    for name in PLATFORMS {
        let options = Options {
            simd: Some(16),
            ..Options::new(devinfo::by_name(name).unwrap())
        };
        let zebin = compile(module, &options).unwrap();
        let made = zebin.kernels.iter().find(|made| made.name == "collatz");
        let listing = made.unwrap().text();
        let count = |wanted: &dyn Fn(&str) -> bool| {
            let lines = listing.lines().map(str::trim_start);
            lines.filter(|line| wanted(line)).count()
        };
        // Carries of addresses go to registers.
        let compares = count(&|line| line.contains("cmp ") && line.contains("null"));
        let second = count(&|line| line.starts_with("(f0.0) ") && line.contains("cmp "));
        let tests = count(&|line| line.starts_with("and ") && line.contains("f0.0   null"));
        assert_eq!([compares, second, tests], [2, 1, 1], "{name}: {listing}");
    }
}
