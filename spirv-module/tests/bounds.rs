//! Code that reports accesses beyond variables: it is there where an access may leave one, and only there,
//! and Khronos's validator takes it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::fs;
use std::process::{Command, Output};

use devinfo::report;
use spirv::Op;
use spirv_module::Module;

/// Runs a program of Khronos on a file.
fn run(program: &str, words: &[&str], file: &[u8]) -> Option<Output> {
    if !oracles::debian(program) {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    fs::write(&input, file).unwrap();
    let mut command = Command::new(program);
    command.args(words).arg(&input);
    if program != "spirv-val" {
        command.args(["-o", "-"]);
    }
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{program}: {said}");
    Some(ran)
}

const HEAD: &str = r#"
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int64
    %std = OpExtInstImport "OpenCL.std"
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k "k"
    OpName %a "k.a"
    OpName %b "k.b"
    %void = OpTypeVoid
    %bool = OpTypeBool
    %i32 = OpTypeInt 32 0
    %i64 = OpTypeInt 64 0
    %c0 = OpConstant %i32 0
    %c1 = OpConstant %i32 1
    %c2 = OpConstant %i32 2
    %c3 = OpConstant %i32 3
    %c9 = OpConstant %i32 9
    %w0 = OpConstant %i64 0
    %w3 = OpConstant %i64 3
    %n8 = OpConstant %i32 8
    %i32x4 = OpTypeVector %i32 4
    %array = OpTypeArray %i32 %n8
    %struct = OpTypeStruct %i32 %array
    %local = OpTypePointer Workgroup %array
    %local_struct = OpTypePointer Workgroup %struct
    %element = OpTypePointer Workgroup %i32
    %own = OpTypePointer Function %array
    %own_element = OpTypePointer Function %i32
    %global = OpTypePointer CrossWorkgroup %i32
    %global4 = OpTypePointer CrossWorkgroup %i32x4
    %four = OpConstantNull %i32x4
    %kernel = OpTypeFunction %void %global %i32 %bool
    %helper = OpTypeFunction %void %element %i32
    %a = OpVariable %local Workgroup
    %b = OpVariable %local_struct Workgroup
"#;

/// The text of a module whose kernel has this body.
fn module(body: &str) -> String {
    format!(
        "{HEAD}
    %f = OpFunction %void None %helper
    %fp = OpFunctionParameter %element
    %fi = OpFunctionParameter %i32
    %fl = OpLabel
    %fe = OpInBoundsPtrAccessChain %element %fp %fi
    OpStore %fe %c1 Aligned 4
    OpReturn
    OpFunctionEnd
    %k = OpFunction %void None %kernel
    %out = OpFunctionParameter %global
    %n = OpFunctionParameter %i32
    %t = OpFunctionParameter %bool
    %start = OpLabel
    %p = OpVariable %own Function
    %wide = OpUConvert %i64 %n
{body}
    OpReturn
    OpFunctionEnd
"
    )
}

/// How many reports code was added for; 0 if none was added.
#[track_caller]
fn reports(body: &str) -> Option<usize> {
    let assembled = run(
        "spirv-as",
        &["--target-env", "spv1.1"],
        module(body).as_bytes(),
    )?;
    let parsed = Module::parse(&assembled.stdout).unwrap();
    let Some(watched) = parsed.with_bounds(true) else {
        return Some(0);
    };
    run("spirv-val", &["--target-env", "opencl2.2"], &watched)?;
    let again = Module::parse(&watched).unwrap();
    let constant = |one: &spirv_module::Instruction<'_>| {
        one.op() == Some(Op::Constant)
            && one.operands[2..] == [report::ADDRESS as u32, (report::ADDRESS >> 32) as u32]
    };
    let address = again.instructions().find(constant).unwrap().word(1);
    // `OpIAdd` of it.
    let adds = again
        .instructions()
        .filter(|one| one.opcode == 128 && one.word(3) == address);
    Some(adds.count())
}

#[test]
fn accesses_that_may_leave_their_variable_are_reported() {
    let cases: [(&str, usize); 17] = [
        // What is certainly inside.
        (
            "%e = OpInBoundsAccessChain %element %a %c1\n OpStore %e %c1",
            0,
        ),
        ("OpStore %out %c1", 0),
        (
            "%e = OpInBoundsPtrAccessChain %global %out %wide\n OpStore %e %c1",
            0,
        ),
        // What is certainly outside.
        (
            "%e = OpInBoundsAccessChain %element %a %c9\n OpStore %e %c1",
            1,
        ),
        (
            "%e = OpInBoundsAccessChain %element %a %n\n OpStore %e %c1",
            1,
        ),
        (
            "%e = OpInBoundsAccessChain %element %a %wide\n %v = OpLoad %i32 %e",
            1,
        ),
        (
            "%e = OpInBoundsAccessChain %own_element %p %n\n %v = OpLoad %i32 %e",
            1,
        ),
        // A member, and pointers from pointers.
        (
            "%e = OpInBoundsAccessChain %element %b %c1 %n\n OpStore %e %c1",
            1,
        ),
        (
            "%d = OpInBoundsAccessChain %element %a %c0
             %e = OpPtrAccessChain %element %d %n
             %g = OpPtrAccessChain %element %e %wide
             OpStore %g %c1",
            1,
        ),
        (
            "%d = OpInBoundsAccessChain %element %a %c0
             %v = OpExtInst %i32x4 %std vloadn %wide %d 4",
            1,
        ),
        // Between two arrays.
        (
            "%d = OpInBoundsAccessChain %element %a %n
             %e = OpInBoundsAccessChain %element %b %c0
             %g = OpSelect %element %t %d %e
             OpStore %g %c1",
            1,
        ),
        // A loop over the elements: the pointer is one of the array, or the one before and a step.
        (
            "%d = OpInBoundsAccessChain %element %a %c0
             OpBranch %loop
             %loop = OpLabel
             %e = OpPhi %element %d %start %g %loop
             OpStore %e %c1
             %g = OpPtrAccessChain %element %e %c1
             OpBranchConditional %t %loop %end
             %end = OpLabel",
            1,
        ),
        // The array of a caller.
        (
            "%d = OpInBoundsAccessChain %element %a %c0
             %v = OpFunctionCall %void %f %d %n",
            1,
        ),
        // A vector by a pointer to less than that.
        (
            "%v = OpBitcast %global4 %out
             %l = OpLoad %i32x4 %v Aligned 16",
            1,
        ),
        // It is said to be aligned to no more.
        (
            "%v = OpBitcast %global4 %out
             %l = OpLoad %i32x4 %v Aligned 4",
            0,
        ),
        // There and back.
        (
            "%v = OpBitcast %global4 %out
             %w = OpBitcast %global %v
             OpStore %w %c1 Aligned 4",
            0,
        ),
        (
            "%v = OpBitcast %global4 %out
             %w = OpSelect %global4 %t %v %v
             %x = OpInBoundsPtrAccessChain %global4 %w %wide
             OpStore %x %four Aligned 16",
            1,
        ),
    ];
    for (body, expected) in cases {
        match reports(body) {
            Some(found) => assert_eq!(found, expected, "{body}"),
            None => return,
        }
    }
}

/// A barrier of a sub-group has a fence, which machine code shows; one of a work-group needs none.
#[test]
fn barriers_of_sub_groups_have_fences() {
    let body = "OpControlBarrier %c3 %c3 %n8\n OpControlBarrier %c2 %c2 %n8";
    let Some(assembled) = run(
        "spirv-as",
        &["--target-env", "spv1.1"],
        module(body).as_bytes(),
    ) else {
        return;
    };
    let parsed = Module::parse(&assembled.stdout).unwrap();
    let watched = parsed.with_bounds(true).unwrap();
    run("spirv-val", &["--target-env", "opencl2.2"], &watched).unwrap();
    let again = Module::parse(&watched).unwrap();
    let (barrier, fence) = (Op::ControlBarrier, Op::MemoryBarrier);
    let barriers = again.instructions().filter_map(|one| one.op());
    let barriers: Vec<Op> = barriers
        .filter(|one| [barrier, fence].contains(one))
        .collect();
    assert_eq!(barriers, [barrier, fence, barrier]);
}

/// Barriers, fences and atomic operations tell their semantics and their scope.
#[test]
fn orders_are_told() {
    let stores = |body: &str| Some(count(&watched(&module(body))?, Op::Store));
    let Some(none) = stores("") else {
        return;
    };
    for (body, told) in [
        ("OpMemoryBarrier %c2 %n8", 1),
        // That all channels should be here is told, too.
        ("OpControlBarrier %c2 %c2 %n8", 2),
        ("OpControlBarrier %c3 %c3 %n8", 2),
    ] {
        assert_eq!(stores(body).unwrap() - none, told, "{body}");
    }
}

/// Shuffles tell which channel they read, if a sub-group may lack it; what all channels of a sub-group must
/// reach tells that.
#[test]
fn what_a_sub_group_does_together_is_told() {
    let cases = [
        ("OpSubgroupShuffleINTEL %i32 %c1 %n", 1),
        ("OpSubgroupShuffleXorINTEL %i32 %c1 %n", 1),
        ("OpSubgroupShuffleDownINTEL %i32 %c1 %c1 %n", 1),
        ("OpSubgroupShuffleUpINTEL %i32 %c1 %c1 %n", 1),
        ("OpSubgroupShuffleINTEL %i32 %n %c3", 1),
        ("OpSubgroupShuffleXorINTEL %i32 %n %c3", 0),
        ("OpSubgroupShuffleXorINTEL %i32 %n %c9", 1),
        ("OpGroupBroadcast %i32 %c3 %n %c0", 1),
        ("OpGroupIAdd %i32 %c3 Reduce %n", 1),
        ("OpGroupAll %bool %c3 %t", 1),
        // Of a work-group, the order that its barriers make, too.
        ("OpGroupBroadcast %i32 %c2 %n %c0", 2),
        ("OpGroupIAdd %i32 %c2 Reduce %n", 2),
        // What must be the same, and a report of a work-item that the group has not, with its empty name.
        ("OpGroupBroadcast %i32 %c2 %n %wide", 5),
    ];
    let stores = |body: &str| {
        let needs = "OpCapability Int64\n OpCapability Groups\n OpCapability SubgroupShuffleINTEL\n \
                     OpExtension \"SPV_INTEL_subgroups\"";
        let watched = watched(&module(body).replacen("OpCapability Int64", needs, 1))?;
        Some(count(&watched, Op::Store))
    };
    let Some(none) = stores("") else {
        return;
    };
    for (body, told) in cases {
        let now = stores(&format!("%r = {body}")).unwrap();
        assert_eq!(now - none, told, "{body}");
    }
}

/// The rewritten module whose kernel has this body.
#[track_caller]
fn watched(text: &str) -> Option<Module> {
    let assembled = run("spirv-as", &["--target-env", "spv1.1"], text.as_bytes())?;
    let parsed = Module::parse(&assembled.stdout).unwrap();
    let watched = parsed.with_bounds(true).unwrap();
    run("spirv-val", &["--target-env", "opencl2.2"], &watched)?;
    Some(Module::parse(&watched).unwrap())
}

/// How many instructions of a kind a module has.
fn count(module: &Module, op: Op) -> usize {
    let all = module.instructions().filter(|one| one.op() == Some(op));
    all.count()
}

/// What a work-item's array holds at first comes from a load that compilers keep, also where its life begins
/// again.
#[test]
fn arrays_begin_unwritten() {
    let cases = [
        ("", 8, 1),
        ("OpLifetimeStart %p 32\n OpLifetimeStart %p 32", 16, 2),
    ];
    for (body, stores, loads) in cases {
        let Some(again) = watched(&module(body)) else {
            return;
        };
        // One store is the helper's, one says whose code it is.
        assert_eq!(count(&again, Op::Store), stores + 2, "{body}");
        let kept = again
            .instructions()
            .filter(|one| one.op() == Some(Op::Load) && one.word(3) & 1 != 0);
        assert_eq!(kept.count(), loads, "{body}");
    }
}

/// A copy of a structure to a buffer tells what is between its members, and in a union.
#[test]
fn gaps_are_told() {
    let text = |name: &str, members: &str| {
        module("%c = OpBitcast %bytes %gap\n %d = OpBitcast %to_bytes %out\n OpCopyMemorySized %d %c %w8 Aligned 4")
            .replace(
                "%n8 =",
                &format!(
                    "%i8 = OpTypeInt 8 0\n %w8 = OpConstant %i64 8\n
                    %gaps = OpTypeStruct {members}\n
                    %bytes = OpTypePointer Function %i8\n %to_bytes = OpTypePointer CrossWorkgroup %i8\n
                    %to_gaps = OpTypePointer Function %gaps\n %n8 ="
                ),
            )
            .replace("%p = OpVariable", "%gap = OpVariable %to_gaps Function\n %p = OpVariable")
            .replace("OpCapability Int64", "OpCapability Int64\n OpCapability Int8")
            .replace("OpName %b", &format!("{name}OpName %b"))
    };
    let structure = "OpName %gaps \"struct.gaps\"\n";
    let stores = |name: &str, members: &str| {
        let watched = watched(&text(name, members))?;
        assert_eq!(count(&watched, Op::CopyMemorySized), 1, "{name}{members}");
        Some(count(&watched, Op::Store))
    };
    // Each number of the structure begins without a value.
    let Some(none) = stores(structure, "%i32 %i32") else {
        return;
    };
    for (name, members) in [
        (structure, "%i8 %i32"),
        ("OpName %gaps \"union.gaps\"\n", "%i32 %i32"),
        ("", "%i8 %i32"),
    ] {
        assert_eq!(stores(name, members).unwrap(), none + 1, "{name}{members}");
    }
}

/// A vector in memory of which one component is new: that is stored. Not where something else may have been
/// written in between, where the vector is volatile, or where it goes elsewhere.
#[test]
fn components_are_stored_apart() {
    let cases = [
        ("OpStore %to %new Aligned 16", 1),
        ("OpStore %to %old Aligned 16", 0),
        ("OpStore %out %n\n OpStore %to %new Aligned 16", 0),
        ("OpStore %to %new Volatile|Aligned 16", 0),
        ("OpStore %next %new Aligned 16", 0),
    ];
    for (store, apart) in cases {
        let body = format!(
            "%to = OpBitcast %global4 %out\n %next = OpInBoundsPtrAccessChain %global4 %to %c1\n
            %old = OpLoad %i32x4 %to Aligned 16\n %new = OpCompositeInsert %i32x4 %n %old 2\n {store}"
        );
        let Some(again) = watched(&module(&body)) else {
            return;
        };
        let stores = again
            .instructions()
            .filter(|one| one.op() == Some(Op::Store));
        let stored: Vec<u32> = stores.map(|one| one.word(0)).collect();
        let chains = again.instructions().filter(|one| {
            one.op() == Some(Op::InBoundsAccessChain) && stored.contains(&one.word(1))
        });
        assert_eq!(chains.count(), apart, "{store}");
    }
}

/// Where an index counts to a constant, the accesses of a loop are compared before it.
#[test]
fn counted_accesses_are_compared_before_their_loop() {
    let text = |bound: &str, next: &str| {
        module(&format!(
            "OpBranch %head
            %head = OpLabel
            %i = OpPhi %i32 %c0 %start %j %body
            %more = OpSLessThan %bool %i {bound}
            OpBranchConditional %more %body %end
            %body = OpLabel
            %at = OpInBoundsAccessChain %element %a %i
            OpStore %at %c1 Aligned 4
            %j = OpIAdd %i32 %i %c1
            {next}
            %end = OpLabel"
        ))
    };
    let back = "OpBranch %head";
    let Some(inside) = watched(&text("%n8", back)) else {
        return;
    };
    let branches = count(&inside, Op::BranchConditional);
    assert_eq!(branches, 1, "all rounds are inside");
    let comparisons = |text: &str| {
        let module = watched(text).unwrap();
        let mut after = false;
        let mut found = [0; 2];
        let phi = module.instructions().find(|one| one.op() == Some(Op::Phi));
        let head = phi.unwrap().offset;
        for one in module.instructions() {
            after |= one.offset == head;
            found[usize::from(after)] += usize::from(one.op() == Some(Op::BranchConditional));
        }
        found
    };
    // The last round leaves the array, which is known before the loop.
    assert_eq!(comparisons(&text("%c9", back)), [1, 1]);
    // The number of rounds is not known, or not all rounds come here.
    assert_eq!(comparisons(&text("%n", back)), [0, 2]);
    assert_eq!(
        comparisons(&text("%c9", "OpBranchConditional %t %head %end")),
        [0, 3]
    );
}

/// The function with a kernel's code says that there is no lockstep, and not the entry point that calls it.
#[test]
fn the_code_of_a_kernel_begins_with_a_mark() {
    let text = module("%z = OpFunctionCall %void %f %e %n").replace(
        "%void = OpTypeVoid",
        "OpDecorate %f LinkageAttributes \"k\" Export\n %void = OpTypeVoid",
    );
    let text = text.replace(
        "OpCapability Int64",
        "OpCapability Int64\n OpCapability Linkage",
    );
    let text = text.replace(
        "%z = OpFunctionCall",
        "%e = OpInBoundsAccessChain %element %a %c1\n %z = OpFunctionCall",
    );
    let Some(assembled) = run("spirv-as", &["--target-env", "spv1.1"], text.as_bytes()) else {
        return;
    };
    let parsed = Module::parse(&assembled.stdout).unwrap();
    let watched = parsed.with_bounds(true).unwrap();
    let again = Module::parse(&watched).unwrap();
    let mark = |one: &spirv_module::Instruction<'_>| {
        one.op() == Some(Op::Constant) && one.word(2) == report::APART
    };
    let what = again.instructions().find(mark).unwrap().word(1);
    let four = |one: &spirv_module::Instruction<'_>| {
        one.op() == Some(Op::ConstantComposite) && one.operands.last() == Some(&what)
    };
    let four = again.instructions().find(four).unwrap().word(1);
    // In the first function, and nowhere else.
    let mut function = 0;
    let mut marked = Vec::new();
    for one in again.instructions() {
        function += usize::from(one.op() == Some(Op::Function));
        if one.op() == Some(Op::Store) && one.word(1) == four {
            marked.push(function);
        }
    }
    assert_eq!(marked, [1]);
}

/// Whatever the bytes are, nothing panics.
#[test]
fn any_module_is_taken() {
    let Some(assembled) = run(
        "spirv-as",
        &["--target-env", "spv1.1"],
        module("").as_bytes(),
    ) else {
        return;
    };
    arbtest::arbtest(|input| {
        let mut bytes = assembled.stdout.clone();
        for _ in 0..input.int_in_range(1..=8)? {
            let at = input.choose_index(bytes.len())?;
            bytes[at] = input.arbitrary()?;
        }
        if let Ok(module) = Module::parse(&bytes) {
            let _ = module.with_bounds(true);
        }
        Ok(())
    });
}
