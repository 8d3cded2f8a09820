//! Modules that Khronos's assembler makes, linked, and judged by its validator.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::process::Command;

use spirv_module::{LinkError, Module, link};

/// Runs a program of Khronos's tools on a file, which gives another; `None` if it is not installed.
fn tool(program: &str, input: &[u8], args: &[&str]) -> Option<Vec<u8>> {
    if !oracles::program(
        program,
        &["--version"],
        &format!("{program} (Debian package spirv-tools)"),
    ) {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::write(&from, input).unwrap();
    let mut command = Command::new(program);
    command.args(args).arg(&from);
    if program != "spirv-val" {
        command.arg("-o").arg(&to);
    }
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr) + String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{program}: {said}");
    Some(std::fs::read(to).unwrap_or_default())
}

fn module(text: &str) -> Option<Module> {
    let bytes = tool("spirv-as", text.as_bytes(), &["--target-env", "spv1.2"])?;
    Some(Module::parse(&bytes).unwrap())
}

/// What linked modules are in text, once the validator took them.
fn linked(modules: &[Module]) -> Result<String, LinkError> {
    let bytes = link(modules)?;
    tool("spirv-val", &bytes, &["--target-env", "opencl2.2"]).unwrap();
    let text = tool(
        "spirv-dis",
        &bytes,
        &["--raw-id", "--no-header", "--no-indent"],
    );
    Ok(String::from_utf8(text.unwrap()).unwrap())
}

const HEAD: &str = r#"
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
"#;

/// A kernel that calls `half_of` with a pointer to what `POINTEE` is.
fn user(pointee: &str) -> String {
    format!(
        r#"{HEAD}
OpEntryPoint Kernel %k "k"
OpName %half_of "half_of"
OpName %given "given"
OpDecorate %half_of LinkageAttributes "half_of" Import
OpDecorate %given FuncParamAttr NoCapture
%byte = OpTypeInt 8 0
%int = OpTypeInt 32 0
%float = OpTypeFloat 32
%void = OpTypeVoid
%ptr = OpTypePointer CrossWorkgroup {pointee}
%fn = OpTypeFunction %ptr %ptr
%kernel = OpTypeFunction %void %ptr
%half_of = OpFunction %ptr None %fn
%given = OpFunctionParameter %ptr
OpFunctionEnd
%k = OpFunction %void None %kernel
%p = OpFunctionParameter %ptr
%entry = OpLabel
%r = OpFunctionCall %ptr %half_of %p
OpReturn
OpFunctionEnd
"#
    )
}

/// A library with `half_of`, which takes a pointer to floats.
fn library(kind: &str) -> String {
    format!(
        r#"{HEAD}
OpDecorate %half_of LinkageAttributes "half_of" {kind}
%float = OpTypeFloat 32
%half = OpConstant %float 0.5
%ptr = OpTypePointer CrossWorkgroup %float
%fn = OpTypeFunction %ptr %ptr
%half_of = OpFunction %ptr None %fn
%p = OpFunctionParameter %ptr
%entry = OpLabel
%x = OpLoad %float %p Aligned 4
%y = OpFMul %float %x %half
OpStore %p %y Aligned 4
OpReturnValue %p
OpFunctionEnd
"#
    )
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn an_import_is_what_another_module_exports() {
    for modules in [
        [user("%float"), library("Export")],
        [library("Export"), user("%float")],
    ] {
        let [Some(a), Some(b)] = modules.map(|text| module(&text)) else {
            return;
        };
        let text = linked(&[a, b]).unwrap();
        assert_eq!(count(&text, "OpFunction %"), 2, "{text}");
        assert_eq!(count(&text, "OpTypeFloat 32"), 1, "{text}");
        assert_eq!(count(&text, "OpExtInstImport"), 1, "{text}");
        assert_eq!(count(&text, "Import\n"), 0, "{text}");
        assert_eq!(count(&text, "\"half_of\" Export"), 1, "{text}");
        assert_eq!(count(&text, "OpBitcast"), 0, "{text}");
    }
}

#[test]
fn pointers_of_calls_are_cast() {
    let (Some(user), Some(library)) = (module(&user("%byte")), module(&library("Export"))) else {
        return;
    };
    let text = linked(&[user, library]).unwrap();
    // The argument, and the result.
    assert_eq!(count(&text, "OpBitcast"), 2, "{text}");
}

#[test]
fn what_nobody_exports_stays_imported() {
    let other = user("%float").replace("\"k\"", "\"other\"");
    let (Some(a), Some(b)) = (module(&user("%float")), module(&other)) else {
        return;
    };
    let text = linked(&[a, b]).unwrap();
    assert_eq!(count(&text, "\"half_of\" Import"), 1, "{text}");
}

#[test]
fn names_have_one_definition() {
    let texts = [
        library("Export"),
        library("Export"),
        user("%float"),
        user("%int"),
    ];
    let [Some(first), Some(second), Some(k), Some(again)] = texts.map(|text| module(&text)) else {
        return;
    };
    let twice = |name: &str| LinkError::Twice { name: name.into() };
    assert_eq!(linked(&[first.clone(), second]), Err(twice("half_of")));
    assert_eq!(linked(&[k, again]), Err(twice("k")));
    assert_eq!(link(&[]), Err(LinkError::Empty));
    // Of a function that several modules bring, the first is taken.
    let odr = library("LinkOnceODR").replace(
        "OpCapability Int8",
        "OpCapability Int8\nOpExtension \"SPV_KHR_linkonce_odr\"",
    );
    let (a, b) = (module(&odr).unwrap(), module(&odr).unwrap());
    let text = linked(&[a, b]).unwrap();
    assert_eq!(count(&text, "OpFunction %"), 1, "{text}");
}

#[test]
fn an_import_of_another_type_is_refused() {
    let other = library("Export")
        .replace(
            "OpTypeFunction %ptr %ptr",
            "OpTypeFunction %ptr %ptr %float",
        )
        .replace("%entry", "%q = OpFunctionParameter %float\n%entry");
    let (Some(user), Some(other)) = (module(&user("%float")), module(&other)) else {
        return;
    };
    let name = "half_of".to_owned();
    assert_eq!(linked(&[user, other]), Err(LinkError::Type { name }));
}

#[test]
fn modules_are_for_one_machine() {
    let small = library("Export").replace("Physical64", "Physical32");
    let (Some(user), Some(small)) = (module(&user("%float")), module(&small)) else {
        return;
    };
    assert_eq!(linked(&[user, small]), Err(LinkError::Model { index: 1 }));
}

/// Scopes of aliases are of no use to a linked module.
#[test]
fn aliases_are_left_out() {
    let Some(user) = module(&user("%float")) else {
        return;
    };
    let mut bytes = tool(
        "spirv-as",
        library("Export").as_bytes(),
        &["--target-env", "spv1.2"],
    )
    .unwrap();
    let words: Vec<u32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    let bound = words[3];
    // OpAliasDomainDeclINTEL, OpAliasScopeDeclINTEL, OpAliasScopeListDeclINTEL before the first type.
    let declared = [
        2 << 16 | 5911,
        bound,
        3 << 16 | 5912,
        bound + 1,
        bound,
        3 << 16 | 5913,
        bound + 2,
        bound + 1,
    ];
    let mut at = 5;
    while words[at] & 0xffff != spirv::Op::TypeFloat as u32 {
        at += (words[at] >> 16) as usize;
    }
    let mut changed = words[..at].to_vec();
    changed.extend(declared);
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        let mut one = words[at..at + length].to_vec();
        if one[0] & 0xffff == spirv::Op::Load as u32 {
            // Aligned 4, in the scope.
            one[4] |= 0x10000;
            one.push(bound + 2);
            one[0] += 1 << 16;
        }
        changed.extend(one);
        at += length;
    }
    changed[3] = bound + 3;
    bytes = changed.into_iter().flat_map(u32::to_le_bytes).collect();
    let text = linked(&[user, Module::parse(&bytes).unwrap()]).unwrap();
    assert_eq!(count(&text, "Alias"), 0, "{text}");
    assert_eq!(count(&text, "Aligned 4"), 2, "{text}");
}
