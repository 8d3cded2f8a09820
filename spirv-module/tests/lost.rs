//! Decorations that a translator left with an id that nothing defines go to their instruction.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::fs;
use std::process::Command;

use spirv::{Decoration, Op};
use spirv_module::{LostDecoration, Module};

/// A loop as Intel's compiler 22.43 leaves it: 40, 41 and 42 were 45, 48 and 50.
const LOOP: &str = "
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int64
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %10 \"k\"
    OpDecorate %45 NoSignedWrap
    OpDecorate %50 SaturatedConversion
    %2 = OpTypeVoid
    %3 = OpTypeInt 32 0
    %4 = OpTypeInt 64 0
    %5 = OpTypeBool
    %6 = OpTypeFunction %2 %3 %4
    %7 = OpConstant %3 1
    %8 = OpConstant %3 9
    %9 = OpConstant %4 5
    %10 = OpFunction %2 None %6
    %11 = OpFunctionParameter %3
    %12 = OpFunctionParameter %4
    %13 = OpLabel
    OpBranch %14
    %14 = OpLabel
    %20 = OpPhi %3 %11 %13 %42 %15
    %21 = OpPhi %4 %12 %13 %41 %15
    %44 = OpPhi %3 %7 %13 %40 %15
    %40 = OpIAdd %3 %44 %7
    %46 = OpULessThan %5 %40 %8
    OpBranchConditional %46 %15 %16
    %15 = OpLabel
    %41 = OpUConvert %4 %20
    %49 = OpSatConvertUToS %4 %9
    %42 = OpSConvert %3 %49
    OpBranch %14
    %16 = OpLabel
    %51 = OpSConvert %3 %21
    OpReturn
    OpFunctionEnd
";

/// Assembles a text whose ids are numbers.
fn assemble(text: &str) -> Option<Module> {
    if !oracles::debian("spirv-as") {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    fs::write(&input, text).unwrap();
    let mut command = Command::new("spirv-as");
    let words = [
        "--preserve-numeric-ids",
        "--target-env",
        "spv1.2",
        "-o",
        "-",
    ];
    let made = command.args(words).arg(&input).output().unwrap();
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{said}");
    Some(Module::parse(&made.stdout).unwrap())
}

/// The ids that have a decoration.
fn decorated(module: &Module) -> Vec<(u32, u32)> {
    let all = module.instructions();
    let all = all.filter(|one| one.op() == Some(Op::Decorate));
    all.map(|one| (one.word(0), one.word(1))).collect()
}

/// Words before the decoration of an id.
fn offset_of(module: &Module, id: u32) -> usize {
    let mut all = module.instructions();
    let found = all.find(|one| one.op() == Some(Op::Decorate) && one.word(0) == id);
    found.unwrap().offset
}

#[test]
fn a_conversion_in_a_loop_gets_its_saturation_back() {
    let Some(module) = assemble(LOOP) else { return };
    let found = module.with_decorations_found().unwrap();
    // What is promised of a sum changes nothing, and stays.
    let want = [
        (45, Decoration::NoSignedWrap as u32),
        (42, Decoration::SaturatedConversion as u32),
    ];
    assert_eq!(decorated(&found), want);
    // Now all is in its place.
    let bytes = found.to_bytes();
    let again = found.with_decorations_found().unwrap();
    assert_eq!(again.to_bytes(), bytes);
}

#[test]
fn a_saturation_whose_conversion_cannot_be_told_is_an_error() {
    for (text, id) in [
        // Two ids are missing where one instruction is.
        (LOOP.replace("%51", "%52"), 50),
        // Where it was there is no conversion.
        (
            LOOP.replace("%50 Satur", "%45 Satur")
                .replace("%45 NoSigned", "%46 NoSigned"),
            45,
        ),
        // Nothing was there.
        (LOOP.replace("%50 Satur", "%60 Satur"), 60),
    ] {
        let Some(module) = assemble(&text) else {
            return;
        };
        let lost = LostDecoration {
            offset: offset_of(&module, id),
            id,
            decoration: Decoration::SaturatedConversion,
        };
        assert_eq!(module.with_decorations_found().err(), Some(lost), "{text}");
    }
}
