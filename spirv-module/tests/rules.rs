//! Each rule of sub-groups with a module that keeps it and one that breaks it, assembled by
//! Khronos's assembler.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::collections::BTreeMap;
use std::process::Command;

use spirv_module::{Environment, Malformed, Module, Violation};

/// The bytes of a module in text; `None` if there is no assembler.
fn assemble(text: &str) -> Option<Vec<u8>> {
    if !oracles::debian("spirv-as") {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("a.spvasm"), folder.path().join("a.spv"));
    std::fs::write(&input, text).unwrap();
    let ran = Command::new("spirv-as")
        .args(["--target-env", "spv1.1", "--preserve-numeric-ids"])
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}\n{text}");
    Some(std::fs::read(output).unwrap())
}

/// Where the line of `module` is that may change: it stands between these two.
const HEAD: &str = r#"
               OpCapability Addresses
               OpCapability Kernel
               OpCapability Groups
               OpCapability Int8
               OpCapability Int16
               OpCapability Int64
               OpCapability Float16
               OpCapability Float64
               OpCapability Vector16
               OpCapability Pipes
               OpCapability ImageBasic
               OpCapability SubgroupDispatch
"#;
const EXTENSION: &str = r#"
               OpCapability SubgroupShuffleINTEL
               OpCapability SubgroupBufferBlockIOINTEL
               OpCapability SubgroupImageBlockIOINTEL
               OpExtension "SPV_INTEL_subgroups"
"#;
const TYPES: &str = r#"
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %k "k" %builtin
       %file = OpString "kernel.cl"
               OpName %it "it"
               OpDecorate %builtin BuiltIn BUILTIN
       %void = OpTypeVoid
       %bool = OpTypeBool
         %i8 = OpTypeInt 8 0
        %i16 = OpTypeInt 16 0
        %i32 = OpTypeInt 32 0
        %i64 = OpTypeInt 64 0
        %s32 = OpTypeInt 32 1
        %f16 = OpTypeFloat 16
        %f32 = OpTypeFloat 32
        %f64 = OpTypeFloat 64
      %i32x2 = OpTypeVector %i32 2
      %i32x3 = OpTypeVector %i32 3
      %i32x4 = OpTypeVector %i32 4
      %i32x8 = OpTypeVector %i32 8
     %i32x16 = OpTypeVector %i32 16
       %i8x2 = OpTypeVector %i8 2
      %i8x16 = OpTypeVector %i8 16
      %i16x8 = OpTypeVector %i16 8
     %i16x16 = OpTypeVector %i16 16
      %i64x2 = OpTypeVector %i64 2
      %f32x8 = OpTypeVector %f32 8
      %f16x2 = OpTypeVector %f16 2
      %f64x2 = OpTypeVector %f64 2
         %gp = OpTypePointer CrossWorkgroup %i32
         %lp = OpTypePointer Workgroup %i32
      %input = OpTypePointer Input %i32
      %image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadWrite
    %image3d = OpTypeImage %void 3D 0 0 0 0 Unknown ReadWrite
      %depth = OpTypeImage %void 2D 1 0 0 0 Unknown ReadWrite
      %array = OpTypeImage %void 2D 0 1 0 0 Unknown ReadWrite
         %ms = OpTypeImage %void 2D 0 0 1 0 Unknown ReadWrite
      %event = OpTypeEvent
          %0 = OpConstant %i32 0
     %device = OpConstant %i32 1
      %group = OpConstant %i32 2
   %subgroup = OpConstant %i32 3
    %builtin = OpVariable %input Input
         %fn = OpTypeFunction %void %gp %lp %image %image3d %depth %array %ms %event
"#;
const UNDEFINED: [&str; 23] = [
    "bool", "i8", "i16", "i32", "i64", "s32", "f16", "f32", "f64", "i32x2", "i32x3", "i32x4",
    "i32x8", "i32x16", "i8x2", "i8x16", "i16x8", "i16x16", "i64x2", "f32x8", "f16x2", "f64x2",
    "gp",
];
const TAIL: &str = "
               OpReturn
               OpFunctionEnd
";

/// A module whose function has `body`: `%v_TYPE` are values of every type.
fn module(extension: &str, built_in: &str, body: &str) -> Option<Vec<u8>> {
    let mut text = format!("{HEAD}{extension}{}", TYPES.replace("BUILTIN", built_in));
    // `it` is named in every module.
    if !body.contains("%it =") {
        text = text.replace("               OpName %it \"it\"\n", "");
    }
    for name in UNDEFINED {
        text.push_str(&format!("%v_{name} = OpUndef %{name}\n"));
    }
    text.push_str("%k = OpFunction %void None %fn\n");
    for (name, of) in [
        ("global", "gp"),
        ("local", "lp"),
        ("v_image", "image"),
        ("v_image3d", "image3d"),
        ("v_depth", "depth"),
        ("v_array", "array"),
        ("v_ms", "ms"),
        ("v_event", "event"),
    ] {
        text.push_str(&format!("%{name} = OpFunctionParameter %{of}\n"));
    }
    text.push_str("%entry = OpLabel\n");
    text.push_str("OpLine %file 7 1\n");
    text.push_str(body);
    text.push_str(TAIL);
    assemble(&text)
}

fn violations(bytes: &[u8], environment: &Environment) -> Vec<Violation> {
    let module = Module::parse(bytes).unwrap();
    module
        .check(environment)
        .err()
        .map_or_else(Vec::new, |found| found.0)
}

/// All of it keeps the rules.
fn good(bodies: &[&str]) {
    for body in bodies {
        let Some(bytes) = module(EXTENSION, "SubgroupSize", body) else {
            return;
        };
        assert_eq!(violations(&bytes, &Environment::ALL), [], "{body}");
    }
}

/// Each of it breaks one, by the instruction and for the reason named.
fn bad(bodies: &[(&str, &str, &str)]) {
    for (body, instruction, why) in bodies {
        let Some(bytes) = module(EXTENSION, "SubgroupSize", body) else {
            return;
        };
        let found = violations(&bytes, &Environment::ALL);
        let [one] = &*found else {
            panic!("{body}: {found:?}");
        };
        assert_eq!(one.instruction, *instruction, "{body}");
        assert!(one.why.contains(why), "{body}: {}", one.why);
        assert_eq!(one.line, Some(("kernel.cl".to_owned(), 7)));
        // The instruction is the one at that place.
        let module = Module::parse(&bytes).unwrap();
        let there = module
            .instructions()
            .find(|other| other.offset == one.offset);
        assert_eq!(
            format!("Op{:?}", there.unwrap().op().unwrap()),
            *instruction
        );
    }
}

/// OpenCL 3.0 runs no kernels of its own accord, and nothing counts a launch's sub-groups.
#[test]
fn execution_modes_that_nothing_heeds_are_refused() {
    let module = |mode: &str| {
        assemble(&format!(
            "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n\
             OpEntryPoint Kernel %k \"k\"\nOpExecutionMode %k {mode}\nOpName %k \"k\"\n\
             %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%k = OpFunction %void None %fn\n\
             %entry = OpLabel\nOpReturn\nOpFunctionEnd\n"
        ))
    };
    let Some(good) = module("ContractionOff") else {
        return;
    };
    assert_eq!(violations(&good, &Environment::ALL), []);
    for mode in ["Initializer", "Finalizer", "SubgroupsPerWorkgroup 4"] {
        let found = violations(&module(mode).unwrap(), &Environment::ALL);
        let [one] = &*found else {
            panic!("{found:?}");
        };
        assert_eq!(one.instruction, "OpExecutionMode");
        assert!(
            one.to_string().contains("(k)") && one.why.contains(mode.trim_end_matches(" 4")),
            "{one}"
        );
    }
}

#[test]
fn the_extension_is_declared() {
    let all = EXTENSION
        .lines()
        .filter(|line| !line.contains("OpExtension"));
    let undeclared: Vec<_> = all.collect();
    let Some(bytes) = module(&undeclared.join("\n"), "SubgroupSize", "") else {
        return;
    };
    let found = violations(&bytes, &Environment::ALL);
    assert_eq!(found.len(), 3);
    for (one, name) in found
        .iter()
        .zip(["Shuffle", "BufferBlockIO", "ImageBlockIO"])
    {
        assert_eq!(one.instruction, "OpCapability");
        assert!(
            one.why
                .contains(&format!("Subgroup{name}INTEL needs OpExtension"))
        );
    }
}

#[test]
fn an_instruction_needs_its_capability() {
    for (body, capability) in [
        (
            "%it = OpSubgroupShuffleINTEL %i32 %v_i32 %0\n",
            "SubgroupShuffleINTEL",
        ),
        (
            "%it = OpSubgroupBlockReadINTEL %i32 %global\n",
            "SubgroupBufferBlockIOINTEL",
        ),
        (
            "OpSubgroupImageBlockWriteINTEL %v_image %v_i32x2 %v_i32\n",
            "SubgroupImageBlockIOINTEL",
        ),
    ] {
        let Some(bytes) = module(
            "OpExtension \"SPV_INTEL_subgroups\"\n",
            "SubgroupSize",
            body,
        ) else {
            return;
        };
        let found = violations(&bytes, &Environment::ALL);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].why.contains(capability));
    }
}

#[test]
fn a_count_of_enqueued_sub_groups_needs_opencl_2_0() {
    let old = Environment {
        version: (1, 2),
        ..Environment::ALL
    };
    for name in [
        "SubgroupSize",
        "SubgroupMaxSize",
        "NumSubgroups",
        "SubgroupId",
        "SubgroupLocalInvocationId",
    ] {
        let Some(bytes) = module(EXTENSION, name, "") else {
            return;
        };
        assert_eq!(violations(&bytes, &old), []);
    }
    let Some(bytes) = module(EXTENSION, "NumEnqueuedSubgroups", "") else {
        return;
    };
    assert_eq!(violations(&bytes, &Environment::ALL), []);
    let found = violations(&bytes, &old);
    assert_eq!(found.len(), 1);
    assert!(found[0].why.contains("needs OpenCL 2.0, this is 1.2"));
}

#[test]
fn scopes_for_execution() {
    good(&[
        "OpControlBarrier %subgroup %subgroup %0\n",
        "OpControlBarrier %group %device %0\n",
        "%it = OpGroupAll %bool %subgroup %v_bool\n",
        "%it = OpGroupAny %bool %group %v_bool\n",
        "%it = OpGroupBroadcast %i32 %subgroup %v_i32 %0\n",
        "%it = OpGroupIAdd %i32 %subgroup Reduce %v_i32\n",
        "%it = OpGroupFAdd %f32 %subgroup Reduce %v_f32\n",
        "%it = OpGroupFMin %f32 %subgroup InclusiveScan %v_f32\n",
        "%it = OpGroupUMin %i32 %subgroup ExclusiveScan %v_i32\n",
        "%it = OpGroupSMin %i8 %subgroup Reduce %v_i8\n",
        "%it = OpGroupFMax %f32 %subgroup Reduce %v_f32\n",
        "%it = OpGroupUMax %i32 %subgroup Reduce %v_i32\n",
        "%it = OpGroupSMax %i32 %subgroup Reduce %v_i32\n",
        "OpGroupWaitEvents %group %0 %v_event\n",
    ]);
    bad(&[
        (
            "OpControlBarrier %device %device %0\n",
            "OpControlBarrier",
            "is Device, and may be Workgroup or Subgroup",
        ),
        (
            "%it = OpGroupAll %bool %device %v_bool\n",
            "OpGroupAll",
            "Workgroup or Subgroup",
        ),
        (
            "%it = OpGroupSMax %i32 %0 Reduce %v_i32\n",
            "OpGroupSMax",
            "is CrossDevice",
        ),
        (
            "OpGroupWaitEvents %subgroup %0 %v_event\n",
            "OpGroupWaitEvents",
            "is Subgroup, and may be Workgroup",
        ),
        (
            "%it = OpGroupAll %i8 %subgroup %v_bool\n",
            "OpGroupAll",
            "cannot be of 8 bits",
        ),
    ]);
}

#[test]
fn what_is_shuffled() {
    let of = |name: &str| format!("%it = OpSubgroupShuffleINTEL %{name} %v_{name} %0\n");
    for name in [
        "i8", "i16", "i32", "i64", "f16", "f32", "f64", "i32x2", "i32x3", "i32x4", "i32x8",
        "i32x16", "i8x2", "i8x16", "i16x8", "i16x16", "f32x8",
    ] {
        good(&[&of(name)]);
    }
    for name in ["i64x2", "f16x2", "f64x2", "s32"] {
        bad(&[(&of(name), "OpSubgroupShuffleINTEL", "Data is")]);
    }
    good(&[
        "%it = OpSubgroupShuffleXorINTEL %i32 %v_i32 %0\n",
        "%it = OpSubgroupShuffleUpINTEL %f32x8 %v_f32x8 %v_f32x8 %0\n",
        "%it = OpSubgroupShuffleDownINTEL %i16 %v_i16 %v_i16 %0\n",
    ]);
    bad(&[
        (
            "%it = OpSubgroupShuffleXorINTEL %s32 %v_s32 %0\n",
            "OpSubgroupShuffleXorINTEL",
            "an integer of 32 bits and signedness 1",
        ),
        (
            "%it = OpSubgroupShuffleUpINTEL %i64 %v_i64 %v_i64x2 %0\n",
            "OpSubgroupShuffleUpINTEL",
            "Next is a vector of 2, each an integer of 64 bits",
        ),
    ]);
}

#[test]
fn what_blocks_are_of() {
    let read = |name: &str| format!("%it = OpSubgroupBlockReadINTEL %{name} %global\n");
    let write = |name: &str| format!("OpSubgroupBlockWriteINTEL %global %v_{name}\n");
    for name in [
        "i8", "i8x2", "i8x16", "i16", "i16x8", "i32", "i32x2", "i32x4", "i32x8", "i64", "i64x2",
    ] {
        good(&[&read(name), &write(name)]);
    }
    for name in ["f32", "i32x3", "i32x16", "i16x16", "s32", "f32x8"] {
        bad(&[
            (&read(name), "OpSubgroupBlockReadINTEL", "Result Type is"),
            (&write(name), "OpSubgroupBlockWriteINTEL", "Data is"),
        ]);
    }
}

#[test]
fn who_writes_blocks() {
    let writes = |body: &str| {
        let bytes = module(EXTENSION, "SubgroupSize", body)?;
        Some(Module::parse(&bytes).unwrap().writes_blocks())
    };
    let Some(reads) = writes("%it = OpSubgroupBlockReadINTEL %i32 %global\n") else {
        return;
    };
    assert!(!reads);
    let write = "OpSubgroupBlockWriteINTEL %global %v_i32\n";
    assert_eq!(writes(write), Some(true));
    let of_image = "OpSubgroupImageBlockWriteINTEL %v_image %v_i32x2 %v_i32\n";
    assert_eq!(writes(of_image), Some(false));
    let calls = |name: &str| {
        let text = format!(
            "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n\
             OpMemoryModel Physical64 OpenCL\n\
             OpDecorate %f LinkageAttributes \"{name}\" Import\n\
             %void = OpTypeVoid\n%fn = OpTypeFunction %void\n\
             %f = OpFunction %void None %fn\nOpFunctionEnd\n"
        );
        Module::parse(&assemble(&text).unwrap())
            .unwrap()
            .writes_blocks()
    };
    assert!(calls("_Z29intel_sub_group_block_write_usPU3AS1tt"));
    assert!(!calls("_Z28intel_sub_group_block_read_usPU3AS1Kt"));
}

#[test]
fn pointers_of_blocks_are_global() {
    bad(&[
        (
            "%it = OpSubgroupBlockReadINTEL %i32 %local\n",
            "OpSubgroupBlockReadINTEL",
            "Ptr is of Workgroup",
        ),
        (
            "OpSubgroupBlockWriteINTEL %local %v_i32\n",
            "OpSubgroupBlockWriteINTEL",
            "must be a pointer of CrossWorkgroup",
        ),
        (
            "OpSubgroupBlockWriteINTEL %v_i32 %v_i32\n",
            "OpSubgroupBlockWriteINTEL",
            "Ptr is an integer",
        ),
    ]);
}

#[test]
fn images_of_blocks_are_plain() {
    good(&[
        "%it = OpSubgroupImageBlockReadINTEL %i32x8 %v_image %v_i32x2\n",
        "OpSubgroupImageBlockWriteINTEL %v_image %v_i32x2 %v_i16x8\n",
    ]);
    for (image, rule) in [
        ("image3d", "Dim must be 2D"),
        ("depth", "Depth must be 0"),
        ("array", "Arrayed must be 0"),
        ("ms", "MS must be 0"),
        ("i32", "Image is an integer"),
    ] {
        let read = format!("%it = OpSubgroupImageBlockReadINTEL %i32 %v_{image} %v_i32x2\n");
        let write = format!("OpSubgroupImageBlockWriteINTEL %v_{image} %v_i32x2 %v_i32\n");
        bad(&[
            (&read, "OpSubgroupImageBlockReadINTEL", rule),
            (&write, "OpSubgroupImageBlockWriteINTEL", rule),
        ]);
    }
    for coordinate in ["i32", "i32x3", "f32x8", "i64x2"] {
        let read = format!("%it = OpSubgroupImageBlockReadINTEL %i32 %v_image %v_{coordinate}\n");
        let write = format!("OpSubgroupImageBlockWriteINTEL %v_image %v_{coordinate} %v_i32\n");
        bad(&[
            (&read, "OpSubgroupImageBlockReadINTEL", "must be int2"),
            (&write, "OpSubgroupImageBlockWriteINTEL", "must be int2"),
        ]);
    }
}

#[test]
fn extensions_bring_widths() {
    let without = [
        (
            "i8",
            Environment {
                char: false,
                ..Environment::ALL
            },
        ),
        (
            "i16",
            Environment {
                short: false,
                ..Environment::ALL
            },
        ),
        (
            "i64",
            Environment {
                long: false,
                ..Environment::ALL
            },
        ),
    ];
    for (name, environment) in without {
        let body = format!("OpSubgroupBlockWriteINTEL %global %v_{name}\n");
        let Some(bytes) = module(EXTENSION, "SubgroupSize", &body) else {
            return;
        };
        assert_eq!(violations(&bytes, &environment).len(), 1, "{name}");
    }
    let body = "%it = OpGroupSMin %i8 %subgroup Reduce %v_i8\n";
    let Some(bytes) = module(EXTENSION, "SubgroupSize", body) else {
        return;
    };
    let found = violations(&bytes, &without[0].1);
    assert!(found[0].why.contains("need cl_intel_subgroups_char"));
}

#[test]
fn a_violation_names_everything() {
    let body = "%it = OpSubgroupBlockReadINTEL %f32 %local\n";
    let Some(bytes) = module(EXTENSION, "SubgroupSize", body) else {
        return;
    };
    let error = Module::parse(&bytes).unwrap().check(&Environment::ALL);
    let text = error.unwrap_err().to_string();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("kernel.cl:7: word "), "{text}");
    assert!(lines[0].contains(": OpSubgroupBlockReadINTEL %"), "{text}");
    assert!(
        lines[0].contains(" (it): Result Type is a float of 32 bits"),
        "{text}"
    );
    assert!(lines[1].contains("Ptr is of Workgroup"), "{text}");
}

#[test]
fn constants_get_values() {
    let text = "
        OpCapability Kernel
        OpCapability Int8
        OpCapability Int64
        OpMemoryModel Physical64 OpenCL
        OpDecorate %byte SpecId 1
        OpDecorate %long SpecId 2
        OpDecorate %yes SpecId 3
        %bool = OpTypeBool
        %i8 = OpTypeInt 8 0
        %i64 = OpTypeInt 64 0
        %byte = OpSpecConstant %i8 5
        %long = OpSpecConstant %i64 6
        %yes = OpSpecConstantTrue %bool
    ";
    let changed = text
        .replace("%i8 5", "%i8 77")
        .replace("%i64 6", "%i64 0x1234567890")
        .replace("OpSpecConstantTrue", "OpSpecConstantFalse");
    let Some((bytes, changed)) = assemble(text).zip(assemble(&changed)) else {
        return;
    };
    let module = Module::parse(&bytes).unwrap();
    let all = module.spec_constants();
    let all: Vec<_> = all.iter().map(|one| (one.id, one.size)).collect();
    assert_eq!(all, [(1, 1), (2, 8), (3, 1)]);
    assert_eq!(module.specialized(&BTreeMap::new()), bytes);
    let values = BTreeMap::from([
        (1, vec![77]),
        (2, 0x12_3456_7890_u64.to_le_bytes().to_vec()),
        (3, vec![0]),
        // Of no constant.
        (4, vec![1]),
    ]);
    assert_eq!(module.specialized(&values), changed);
    let wrong_size = BTreeMap::from([(2, vec![1])]);
    assert_eq!(module.specialized(&wrong_size), bytes);
    // The other order of bytes is the same module.
    let swapped: Vec<u8> = bytes
        .chunks(4)
        .flat_map(|word| word.iter().rev().copied())
        .collect();
    let module = Module::parse(&swapped).unwrap();
    assert_eq!(module.spec_constants().len(), 3);
    assert_eq!(module.specialized(&BTreeMap::new()), swapped);
}

#[test]
fn malformed_modules_are_errors() {
    assert_eq!(Module::parse(b"").unwrap_err(), Malformed::Magic);
    assert_eq!(Module::parse(b"\x7fELF").unwrap_err(), Malformed::Magic);
    let magic = spirv::MAGIC_NUMBER.to_le_bytes();
    assert_eq!(Module::parse(&magic).unwrap_err(), Malformed::Length(4));
    let with = |word: u32| {
        let words = [spirv::MAGIC_NUMBER, 0x10000, 0, 9, 0, word];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Module::parse(&bytes).map(|_| ())
    };
    let broken = |words| {
        Err(Malformed::Instruction {
            offset: 5,
            words,
            left: 1,
        })
    };
    assert_eq!(with(0x0001_0000), Ok(()));
    assert_eq!(with(0x0000_0011), broken(0));
    assert_eq!(with(0x0002_0011), broken(2));
}

/// Whatever the bytes are, nothing panics, and what is said can be written.
#[test]
fn mutated_modules_never_panic() {
    let bodies = "%it = OpSubgroupShuffleINTEL %i32 %v_i32 %0
        %a = OpSubgroupBlockReadINTEL %i32x8 %global
        OpSubgroupBlockWriteINTEL %global %v_i16
        %b = OpSubgroupImageBlockReadINTEL %i32 %v_image %v_i32x2
        OpSubgroupImageBlockWriteINTEL %v_image %v_i32x2 %v_i32
        OpControlBarrier %subgroup %subgroup %0
        %c = OpGroupBroadcast %i8 %subgroup %v_i8 %0\n";
    let Some(bytes) = module(EXTENSION, "NumEnqueuedSubgroups", bodies) else {
        return;
    };
    assert_eq!(violations(&bytes, &Environment::ALL), []);
    let mut checked = 0;
    let mut complained = 0;
    arbtest::arbtest(|u| {
        let mut changed = bytes.clone();
        for _ in 0..u.int_in_range(1..=6)? {
            let at = u.choose_index(changed.len() / 4)? * 4;
            let word: u32 = match u.int_in_range(0..=3)? {
                0 => u.arbitrary()?,
                1 => u.int_in_range(0..=120)?,
                2 => 1 << u.int_in_range(0..=31)?,
                _ => {
                    let from = u.choose_index(changed.len() / 4)? * 4;
                    u32::from_le_bytes(changed[from..from + 4].try_into().unwrap())
                }
            };
            changed[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let end = u.int_in_range(0..=changed.len())?;
        let end = if u.ratio(1, 4)? { end } else { changed.len() };
        if let Ok(module) = Module::parse(&changed[..end]) {
            checked += 1;
            if let Err(found) = module.check(&Environment::ALL) {
                complained += 1;
                assert!(!found.to_string().is_empty());
            }
            let constants = module.spec_constants();
            let values = constants
                .iter()
                .map(|one| (one.id, vec![1; one.size.min(64)]));
            module.specialized(&values.collect());
        }
        Ok(())
    })
    .budget_ms(2000);
    assert!(checked > 100 && complained > 10, "{checked}, {complained}");
}
