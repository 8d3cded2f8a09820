//! What is not in the allowed set is an error that says why.

use eu_compiler::{Options, compile};
use spirv_module::{Environment, Module};

use super::cell::Cell;
use super::element::{ALL, Element};
use super::function::Function;
use super::run::module;

/// The error of a module: of the rules of its extensions, or of the compiler.
fn error(cell: Cell, simd: u32, platform: &str) -> Option<String> {
    let spirv = module(&[cell], simd);
    let checked = Module::parse(&spirv).unwrap().check(&Environment::ALL);
    let platform = devinfo::by_name(platform).unwrap();
    match (checked, compile(&spirv, &Options::new(platform))) {
        (Err(violations), _) => Some(violations.to_string()),
        (_, Err(error)) => Some(error.to_string()),
        _ => None,
    }
}

#[test]
fn other_types_are_refused() {
    let mut count = 0;
    for function in Function::all() {
        let takes_integers = matches!(
            function,
            Function::NonUniform(_, how) if how.is_bitwise()
        );
        let is_intel = function.is_block()
            || matches!(
                function,
                Function::IntelShuffle
                    | Function::IntelShuffleXor
                    | Function::IntelShuffleUp
                    | Function::IntelShuffleDown
            );
        for of in ALL {
            for components in [1, 2, 3, 4, 8, 16] {
                let known =
                    function.elements().contains(&of) && function.counts(of).contains(&components);
                // Signs are no part of SPIR-V's types.
                let unsigned = ALL.into_iter().find(|other| {
                    other.bits() == of.bits() && !other.is_signed() && !other.is_float()
                });
                let block = unsigned.filter(|_| !of.is_float()).is_some_and(|of| {
                    function.elements().contains(&of) && function.counts(of).contains(&components)
                });
                if known || block {
                    continue;
                }
                let has_rule = is_intel || takes_integers && components == 1;
                if !has_rule {
                    continue;
                }
                let cell = Cell {
                    function,
                    of,
                    count: components,
                };
                let why = error(cell, 16, "pvc");
                let why = why.unwrap_or_else(|| panic!("{cell} is not refused"));
                let reasons = [
                    "it gives integers",
                    "which cannot be shuffled",
                    "which blocks are not of",
                ];
                assert!(reasons.iter().any(|reason| why.contains(reason)), "{why}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 267);
}

#[test]
fn doubles_and_widths_that_a_platform_lacks_are_refused() {
    let cell = |of| Cell {
        function: Function::Shuffle,
        of,
        count: 1,
    };
    for (platform, revision) in super::DEVICES {
        let title = super::title((platform, revision));
        let target = devinfo::by_name(platform).unwrap();
        let simd = u32::from(target.simd_widths[0]);
        let double = error(cell(Element::F64), simd, platform);
        match target.fp64 {
            true => assert_eq!(double, None, "{title}"),
            false => assert!(double.unwrap().contains("no double precision"), "{title}"),
        }
        for width in [1, 4, 8, 16, 32, 64] {
            let why = error(cell(Element::U32), width, platform);
            match target.has_simd_width(width) {
                true => assert_eq!(why, None, "{title} {width}"),
                false => {
                    let have: Vec<String> = target.simd_widths.iter().map(u8::to_string).collect();
                    let why = why.unwrap();
                    assert!(
                        why.contains(&format!("needs sub-groups of {width}")),
                        "{why}"
                    );
                    assert!(why.ends_with(&have.join(", ")), "{why}");
                }
            }
        }
    }
}
