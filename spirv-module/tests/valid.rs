//! Modules that compilers would make code of nonsense of are refused; those of compilers are not.
//! Khronos's validator says the same.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::path::{Path, PathBuf};
use std::process::Command;

use spirv_module::Module;

fn assemble(text: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("a.spvasm"), folder.path().join("a.spv"));
    std::fs::write(&input, text).unwrap();
    let mut command = Command::new("spirv-as");
    command.args(["--target-env", "spv1.2"]).arg(&input);
    let ran = command.arg("-o").arg(&output).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}\n{text}");
    std::fs::read(output).unwrap()
}

/// What Khronos's validator says of a module.
fn validator(module: &[u8]) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("a.spv");
    std::fs::write(&input, module).unwrap();
    // OpenCL's environments end with 1.2.
    let environment = match Module::parse(module).unwrap().version() <= (1, 2) {
        true => "opencl2.2",
        false => "spv1.6",
    };
    let mut command = Command::new("spirv-val");
    let ran = command
        .args(["--target-env", environment])
        .arg(&input)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
    match ran.status.success() {
        true => Ok(()),
        false => Err(said.into_owned()),
    }
}

const MODULE: &str = include_str!("valid.spvasm");

/// Lines of the module, what stands there instead, and what is said of it.
const BROKEN: &[(&str, &str, &str)] = &[
    // Declarations.
    (
        "OpMemoryModel Physical64 OpenCL",
        "",
        "the module has no OpMemoryModel",
    ),
    (
        "OpMemoryModel Physical64 OpenCL",
        "OpMemoryModel Logical OpenCL",
        "Physical32 and Physical64",
    ),
    (
        "OpMemoryModel Physical64 OpenCL",
        "OpMemoryModel Physical64 GLSL450",
        "not OpenCL",
    ),
    (
        "OpMemoryModel Physical64 OpenCL",
        "OpMemoryModel Physical64 OpenCL\nOpMemoryModel Physical64 OpenCL",
        "has one",
    ),
    (
        "OpCapability Kernel",
        "OpCapability Shader",
        "a graphics API",
    ),
    (
        "OpEntryPoint Kernel %k \"k\" %gid",
        "OpEntryPoint GLCompute %k \"k\" %gid",
        "is not Kernel",
    ),
    (
        "OpEntryPoint Kernel %k \"k\" %gid",
        "OpEntryPoint Kernel %k \"k\" %gid\nOpEntryPoint Kernel %k \"k\" %gid",
        "two kernels of the name k",
    ),
    (
        "OpEntryPoint Kernel %k \"k\" %gid",
        "OpEntryPoint Kernel %c1 \"k\" %gid",
        "is no function",
    ),
    (
        "%st = OpTypeStruct %uint %float",
        "%st = OpTypeStruct %void %float",
        "a member",
    ),
    (
        "%lv = OpVariable %pf Function",
        "%lv = OpVariable %pw Workgroup",
        "of a function's variables",
    ),
    (
        "%lv = OpVariable %pf Function",
        "%lv = OpVariable %pw Function",
        "of another storage class",
    ),
    // Ids.
    (
        "%sub = OpISub %uint %x %y",
        "%sum = OpISub %uint %x %y",
        "is defined twice",
    ),
    // Functions.
    (
        "%ft = OpTypeFunction %uint %uint",
        "%ft = OpTypeFunction %float %uint",
        "of the function's type",
    ),
    (
        "%fp = OpFunctionParameter %uint",
        "%fp = OpFunctionParameter %float",
        "another parameter here",
    ),
    (
        "%fp = OpFunctionParameter %uint",
        "",
        "it has 0 parameters, its type has 1",
    ),
    (
        "%called = OpFunctionCall %uint %f %x",
        "%called = OpFunctionCall %float %f %x",
        "its result is not that",
    ),
    (
        "%called = OpFunctionCall %uint %f %x",
        "%called = OpFunctionCall %uint %f %x %y",
        "2 arguments; the function takes 1",
    ),
    (
        "%called = OpFunctionCall %uint %f %x",
        "%called = OpFunctionCall %uint %f %cf",
        "argument 1 is a float",
    ),
    (
        "%called = OpFunctionCall %uint %f %x",
        "%called = OpFunctionCall %uint %c1 %x",
        "is no function",
    ),
    (
        "OpReturnValue %fp",
        "OpReturnValue %cf",
        "the function gives an integer",
    ),
    (
        "OpReturnValue %fp",
        "OpReturn",
        "the function gives a value",
    ),
    ("OpReturnValue %fp", "", "has no end"),
    // Blocks.
    ("OpBranch %m", "OpBranch %e", "a function's first block"),
    (
        "OpBranch %m",
        "OpBranch %nowhere",
        "is no label of the function",
    ),
    ("OpBranch %m", "OpReturn", "does not lead here"),
    (
        "OpBranchConditional %t %l1 %m",
        "OpBranchConditional %x %l1 %m",
        "its condition is an integer",
    ),
    (
        "%phi = OpPhi %uint %c1 %e %sum %l1",
        "%phi = OpPhi %uint %c1 %e",
        "leads here, too",
    ),
    (
        "%phi = OpPhi %uint %c1 %e %sum %l1",
        "%phi = OpPhi %uint %c1 %e %sum %l1 %x %l1",
        "has two values",
    ),
    (
        "%phi = OpPhi %uint %c1 %e %sum %l1",
        "%phi = OpPhi %uint %cf %e %sum %l1",
        "is a float of 32 bits, the result an integer",
    ),
    // Operands.
    (
        "%sum = OpIAdd %uint %x %y",
        "%sum = OpFAdd %uint %x %y",
        "it gives floats",
    ),
    (
        "%sum = OpIAdd %uint %x %y",
        "%sum = OpIAdd %v2 %x %y",
        "the result a vector of 2",
    ),
    (
        "%sub = OpISub %uint %x %y",
        "%sub = OpISub %uint %x %cf",
        "is a float",
    ),
    (
        "%sub = OpISub %uint %x %y",
        "%sub = OpISub %uint %x %uint",
        "is no value",
    ),
    (
        "%shl = OpShiftLeftLogical %uint %x %y",
        "%shl = OpShiftLeftLogical %uint %x %v2c",
        "as many",
    ),
    (
        "%t = OpIEqual %bool %x %y",
        "%t = OpIEqual %bool %x %cl",
        "of two types",
    ),
    (
        "%t = OpIEqual %bool %x %y",
        "%t = OpIEqual %uint %x %y",
        "it gives booleans",
    ),
    (
        "%sel = OpSelect %uint %t %x %y",
        "%sel = OpSelect %uint %x %x %y",
        "its condition is an integer",
    ),
    (
        "%wide = OpUConvert %ulong %x",
        "%wide = OpConvertFToU %ulong %x",
        "it takes floats",
    ),
    (
        "%wide = OpUConvert %ulong %x",
        "%wide = OpUConvert %uint %x",
        "of another width than the result's",
    ),
    (
        "%wide = OpUConvert %ulong %x",
        "%wide = OpSConvert %uint %x",
        "of another width than the result's",
    ),
    (
        "%wide = OpUConvert %ulong %x",
        "%wide = OpFConvert %float %cf",
        "of another width than the result's",
    ),
    (
        "%bits = OpBitcast %float %x",
        "%bits = OpBitcast %ulong %x",
        "the result an integer of 64",
    ),
    (
        "%loaded = OpLoad %uint %lv",
        "%loaded = OpLoad %float %lv",
        "points to an integer",
    ),
    ("OpStore %lv %x", "OpStore %lv %cf", "the value is a float"),
    ("OpStore %lv %x", "OpStore %x %x", "a pointer and a value"),
    (
        "%old = OpAtomicIAdd %uint %lv %c1 %c0 %x",
        "%old = OpAtomicIAdd %uint %lv %c1 %c0 %cf",
        "is a float",
    ),
    (
        "%part = OpCompositeExtract %uint %v2c 1",
        "%part = OpCompositeExtract %uint %arrc 2",
        "has no part 2",
    ),
    (
        "%part = OpCompositeExtract %uint %v2c 1",
        "%part = OpCompositeExtract %uint %v2c",
        "no index",
    ),
    (
        "%part = OpCompositeExtract %uint %v2c 1",
        "%part = OpCompositeExtract %uint %v2c 1 1",
        "has no part 1",
    ),
    (
        "%part = OpCompositeExtract %uint %v2c 1",
        "%part = OpCompositeExtract %float %v2c 1",
        "the part is an integer",
    ),
    (
        "%put = OpCompositeInsert %st %cf %stc 1",
        "%put = OpCompositeInsert %st %cf %stc 0",
        "the part is an integer",
    ),
    (
        "%stc = OpConstantComposite %st %c1 %cf",
        "%stc = OpConstantComposite %st %c1",
        "1 members for a structure of 2",
    ),
    (
        "%v2c = OpConstantComposite %v2 %c1 %c0",
        "%v2c = OpConstantComposite %v2 %c1",
        "1 components for a vector of 2",
    ),
    (
        "%arrc = OpConstantComposite %arr %c1 %c0",
        "%arrc = OpConstantComposite %arr %c1",
        "1 elements for an array of 2",
    ),
    (
        "%made = OpCompositeConstruct %v4 %v2c %x %y",
        "%made = OpCompositeConstruct %v4 %v2c %x %cf",
        "components are an integer",
    ),
    (
        "%shuffled = OpVectorShuffle %v2 %v2c %v2c 0 3",
        "%shuffled = OpVectorShuffle %v2 %v2c %v2c 0",
        "1 components for a vector of 2",
    ),
    (
        "%shuffled = OpVectorShuffle %v2 %v2c %v2c 0 3",
        "%shuffled = OpVectorShuffle %v2 %v2c %v2c 0 4",
        "component 4 of 4",
    ),
    (
        "%root = OpExtInst %float %ext sqrt %cf",
        "%root = OpExtInst %float %ext sqrt %x",
        "is an integer",
    ),
    (
        "%all = OpGroupIAdd %uint %sg Reduce %x",
        "%all = OpGroupIAdd %uint %sg Reduce %cf",
        "is a float",
    ),
    (
        "%one = OpGroupBroadcast %uint %sg %x %c0",
        "%one = OpGroupBroadcast %uint %sg %x %cf",
        "it takes integers",
    ),
];

#[test]
fn a_rule_that_is_broken_is_named() {
    if !oracles::debian("spirv-as") || !oracles::debian("spirv-val") {
        return;
    }
    let whole = assemble(MODULE);
    assert_eq!(Module::parse(&whole).unwrap().validate(), Ok(()));
    assert_eq!(validator(&whole), Ok(()));
    for (line, instead, why) in BROKEN {
        assert_eq!(MODULE.matches(line).count(), 1, "{line}");
        let broken = assemble(&MODULE.replace(line, instead));
        let found = Module::parse(&broken).unwrap().validate();
        let found = found.expect_err(instead).to_string();
        assert!(found.contains(why), "{line} -> {instead}: {found}");
        // Debian's release does not look at the operands of groups.
        let knows = !line.contains("OpGroup");
        assert!(!knows || validator(&broken).is_err(), "{line} -> {instead}");
    }
}

/// The modules of the repository, which compilers have made.
fn modules() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = [
        "eu-compiler/library",
        "eu-compiler/tests/kernels",
        "eu-compiler/tests/programs",
        "eu-compiler/tests/versions",
        "tests/kernels/pvc-spirv",
        "tests/kernels/skl-spirv",
        "tests/kernels/tgl-spirv",
    ];
    let files = folders.iter().flat_map(|folder| {
        let folder = root.join(folder);
        std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path())
    });
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|is| is == "spv"))
        .collect();
    files.sort();
    files
}

#[test]
fn what_compilers_make_is_valid() {
    let modules = modules();
    assert!(modules.len() > 50, "{}", modules.len());
    for path in modules {
        let module = Module::parse(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(module.validate(), Ok(()), "{}", path.display());
    }
}

/// Translators declare Shader for the reversal of bits; what sub-groups exchange may be a boolean; a phi
/// has a block as often as cases of its switch lead to the phi.
#[test]
fn what_is_seldom_written_is_valid() {
    if !oracles::debian("spirv-as") {
        return;
    }
    let text = MODULE.replace(
        "OpCapability Kernel",
        "OpCapability Kernel\nOpCapability Shader\nOpCapability GroupNonUniformShuffle\n\
         OpCapability GroupNonUniformBallot",
    );
    let text = text.replace(
        "%sub = OpISub %uint %x %y",
        "%sub = OpISub %uint %x %y\n%reversed = OpBitReverse %uint %x\n\
         %less = OpULessThan %bool %x %y\n\
         %other = OpGroupNonUniformShuffleXor %bool %sg %less %c1\n\
         %first = OpGroupNonUniformBroadcastFirst %bool %sg %other",
    );
    let text = text.replace("%sum %l1", "%sum %l1 %sum %l1");
    assert_eq!(Module::parse(&assemble(&text)).unwrap().validate(), Ok(()));
}

/// Types that lead to themselves on many ways are compared in the time of few.
#[test]
fn types_that_branch_are_compared_soon() {
    if !oracles::debian("spirv-as") {
        return;
    }
    let own = |name: &str| {
        let members = format!(" %p{name}").repeat(40);
        format!(
            "OpTypeForwardPointer %p{name} CrossWorkgroup\n\
             %s{name} = OpTypeStruct{members}\n\
             %p{name} = OpTypePointer CrossWorkgroup %s{name}\n"
        )
    };
    let text = MODULE.replace(
        "%c0 = OpConstant %uint 0",
        &format!("{}{}%c0 = OpConstant %uint 0", own("a"), own("b")),
    );
    let text = text.replace(
        "%kt = OpTypeFunction %void %uint %uint",
        "%kt = OpTypeFunction %void %uint %uint %pa",
    );
    let text = text.replace(
        "%y = OpFunctionParameter %uint",
        "%y = OpFunctionParameter %uint\n%z = OpFunctionParameter %pb",
    );
    assert_eq!(Module::parse(&assemble(&text)).unwrap().validate(), Ok(()));
}

/// What is refused, Khronos's validator refuses, too: modules with one word changed.
#[test]
fn nothing_valid_is_refused() {
    if !oracles::debian("spirv-val") {
        return;
    }
    let mut modules = modules();
    modules.retain(|path| validator(&std::fs::read(path).unwrap()).is_ok());
    assert!(modules.len() > 20, "{}", modules.len());
    let mut refused = 0;
    let seed = 0x5eed_0016;
    println!("seed {seed:#x}");
    let mut state: u64 = seed;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..400 {
        let path = &modules[random(modules.len())];
        let mut bytes = std::fs::read(path).unwrap();
        let place = (5 + random(bytes.len() / 4 - 5)) * 4;
        let other = (5 + random(bytes.len() / 4 - 5)) * 4;
        // An operand of somewhere else is often an id.
        let word: [u8; 4] = bytes[other..other + 4].try_into().unwrap();
        bytes[place..place + 4].copy_from_slice(&word);
        let Ok(module) = Module::parse(&bytes) else {
            continue;
        };
        if let Err(broken) = module.validate() {
            refused += 1;
            // Debian's release compares no widths there.
            if broken
                .0
                .iter()
                .all(|one| one.instruction == "OpConstantComposite")
            {
                continue;
            }
            // Of a constant's components it only compares the kind, not the width.
            let knows = !broken.to_string().contains("OpConstantComposite");
            let said = validator(&bytes);
            assert!(
                !knows || said.is_err(),
                "{} at {}: {broken}",
                path.display(),
                place / 4
            );
        }
    }
    assert!(refused > 50, "{refused}");
}
