//! What linkers ask of modules: Khronos's takes them, and its validator what comes out.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::process::Command;

use spirv_module::{Module, with_pointers_alike};

/// Runs a program of Khronos's tools on files, which gives another: the file, or what the program said.
fn tool(program: &str, inputs: &[&[u8]], args: &[&str]) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("out");
    let mut command = Command::new(program);
    command.args(args);
    for (index, input) in inputs.iter().enumerate() {
        let from = folder.path().join(format!("in{index}"));
        std::fs::write(&from, input).unwrap();
        command.arg(from);
    }
    if program != "spirv-val" {
        command.arg("-o").arg(&to);
    }
    let ran = command.output().unwrap();
    match ran.status.success() {
        true => Ok(std::fs::read(to).unwrap_or_default()),
        false => Err(String::from_utf8_lossy(&ran.stderr) + String::from_utf8_lossy(&ran.stdout))
            .map_err(|said| said.into_owned()),
    }
}

fn has_tools() -> bool {
    oracles::debian("spirv-link")
}

fn module(text: &str) -> Module {
    let bytes = tool("spirv-as", &[text.as_bytes()], &["--target-env", "spv1.2"]).unwrap();
    Module::parse(&bytes).unwrap()
}

/// What linked modules are in text, once the validator took them.
fn linked(modules: &[Module]) -> Result<String, String> {
    let bytes: Vec<_> = modules.iter().map(Module::to_bytes).collect();
    let bytes: Vec<_> = bytes.iter().map(Vec::as_slice).collect();
    let linked = tool("spirv-link", &bytes, &["--create-library"])?;
    tool("spirv-val", &[&linked], &["--target-env", "opencl2.2"]).unwrap();
    let text = tool(
        "spirv-dis",
        &[&linked],
        &["--raw-id", "--no-header", "--no-indent"],
    )
    .unwrap();
    Ok(String::from_utf8(text).unwrap())
}

const HEAD: &str = r#"
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
"#;

/// A kernel that calls `half_of` with a pointer to what `pointee` is.
fn user(pointee: &str) -> String {
    format!(
        r#"{HEAD}
OpEntryPoint Kernel %k "k"
OpName %half_of "half_of"
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

/// A library with `half_of`, which takes a pointer to floats, and calls itself by another name.
fn library() -> String {
    format!(
        r#"{HEAD}
OpDecorate %half_of LinkageAttributes "half_of" Export
OpDecorate %p FuncParamAttr NoCapture
%float = OpTypeFloat 32
%half = OpConstant %float 0.5
%ptr = OpTypePointer CrossWorkgroup %float
%local = OpTypePointer Function %float
%fn = OpTypeFunction %ptr %ptr
%half_of = OpFunction %ptr None %fn
%p = OpFunctionParameter %ptr
%entry = OpLabel
%own = OpVariable %local Function
%second = OpVariable %local Function
%x = OpLoad %float %p Aligned 4
%y = OpFMul %float %x %half
OpStore %p %y Aligned 4
OpReturnValue %p
OpFunctionEnd
%twice = OpFunction %ptr None %fn
%q = OpFunctionParameter %ptr
%begin = OpLabel
%once = OpFunctionCall %ptr %half_of %q
%again = OpFunctionCall %ptr %half_of %once
OpReturnValue %again
OpFunctionEnd
"#
    )
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn pointers_that_differ_are_cast() {
    if !has_tools() {
        return;
    }
    let of = |pointee| [module(&user(pointee)), module(&library())];
    // What is alike stays as it is.
    let same = of("%float");
    let after = with_pointers_alike(same.to_vec());
    assert!(
        same.iter()
            .zip(&after)
            .all(|(a, b)| a.to_bytes() == b.to_bytes())
    );
    assert_eq!(count(&linked(&same).unwrap(), "OpBitcast"), 0);
    for (pointee, casts) in [("%byte", 0), ("%int", 2)] {
        let differ = of(pointee);
        // The linker says which function it is.
        let said = linked(&differ).unwrap_err();
        assert!(said.contains("half_of"), "{said}");
        let text = linked(&with_pointers_alike(differ.to_vec())).unwrap();
        // The library's function casts what it takes and gives, and its two calls the same.
        assert_eq!(count(&text, "OpBitcast"), casts + 6, "{text}");
        assert_eq!(count(&text, "Import\n"), 0, "{text}");
    }
}

#[test]
fn other_types_stay() {
    if !has_tools() {
        return;
    }
    let differs = |change: fn(String) -> String| {
        let modules = [module(&change(user("%int"))), module(&library())];
        let after = with_pointers_alike(modules.to_vec());
        modules
            .iter()
            .zip(&after)
            .any(|(a, b)| a.to_bytes() != b.to_bytes())
    };
    assert!(differs(|text| text));
    // One parameter more, other memory, and what a pointer leads to is passed.
    assert!(!differs(|text| text
        .replace(
            "%fn = OpTypeFunction %ptr %ptr",
            "%fn = OpTypeFunction %ptr %ptr %int"
        )
        .replace(
            "%given = OpFunctionParameter %ptr",
            "%given = OpFunctionParameter %ptr\n%more = OpFunctionParameter %int"
        )));
    assert!(!differs(|text| text.replace("CrossWorkgroup", "Workgroup")));
    assert!(!differs(|text| text.replace("NoCapture", "ByVal")));
}

/// A module of words that are assembled here: Debian's assembler does not know the extension.
fn with_aliases() -> Module {
    let bytes = module(&library()).to_bytes();
    let words = bytes.as_chunks::<4>().0.iter();
    let words: Vec<u32> = words.map(|word| u32::from_le_bytes(*word)).collect();
    let bound = words[3];
    let (capability, domain, scope, list) = (5910, 5911, 5912, 5913);
    let mut changed = words[..5].to_vec();
    changed.extend([2 << 16 | 17, capability]);
    let mut at = 5;
    while at < words.len() {
        let mut one = words[at..at + (words[at] >> 16) as usize].to_vec();
        at += one.len();
        if one[0] & 0xffff == spirv::Op::TypeFloat as u32 {
            let declared = [
                &[2 << 16 | domain, bound][..],
                &[3 << 16 | scope, bound + 1, bound],
                &[3 << 16 | list, bound + 2, bound + 1],
            ];
            changed.extend(declared.concat());
        }
        if [spirv::Op::Load as u32, spirv::Op::Store as u32].contains(&(one[0] & 0xffff)) {
            // Aligned 4, in the scope, and not in it.
            let access = one.len() - 2;
            one[access] |= 0x30000;
            one.extend([bound + 2; 2]);
            one[0] += 2 << 16;
        }
        changed.extend(one);
    }
    changed[3] = bound + 3;
    let bytes: Vec<u8> = changed.into_iter().flat_map(u32::to_le_bytes).collect();
    Module::parse(&bytes).unwrap()
}

#[test]
fn scopes_of_aliases_are_left_out() {
    if !has_tools() {
        return;
    }
    let (user, library) = (module(&user("%float")), with_aliases());
    linked(&[user.clone(), library.clone()]).unwrap_err();
    let text = linked(&[user, library.without_aliases()]).unwrap();
    assert_eq!(count(&text, "Alias"), 0, "{text}");
    assert_eq!(count(&text, "Aligned 4"), 2, "{text}");
}

/// A line behind the first module's would name the file by another's id.
#[test]
fn lines_are_of_the_first_module() {
    if !has_tools() {
        return;
    }
    let lined = |text: String, names: &str, at: &str| {
        let text = text.replacen(names, &format!("%file = OpString \"a.cl\"\n{names}"), 1);
        module(&text.replace(at, &format!("OpLine %file 3 0\n{at}")))
    };
    let user = lined(user("%float"), "OpName", "OpReturn\n");
    let library = lined(library(), "OpDecorate", "%x = OpLoad");
    let text = linked(&[user.linkable(true), library.linkable(false)]).unwrap();
    assert_eq!(count(&text, "OpLine"), 1, "{text}");
}

/// A parameter's decorations may come by a group.
#[test]
fn groups_of_decorations_are_of_parameters() {
    if !has_tools() {
        return;
    }
    let grouped = |text: String, of: &str, how: &str| {
        text.replace(
            &format!("OpDecorate %{of} FuncParamAttr NoCapture"),
            &format!(
                "OpDecorate %group FuncParamAttr {how}\n%group = OpDecorationGroup\n\
                 OpGroupDecorate %group %{of}"
            ),
        )
    };
    let of = |how| {
        let user = grouped(user("%int"), "given", how);
        [module(&user), module(&grouped(library(), "p", how))]
    };
    let text = linked(&with_pointers_alike(of("NoCapture").to_vec())).unwrap();
    assert_eq!(count(&text, "OpBitcast"), 8, "{text}");
    // What a pointer leads to is passed: nothing changes.
    let passed = of("ByVal");
    let after = with_pointers_alike(passed.to_vec());
    let same = passed
        .iter()
        .zip(&after)
        .all(|(a, b)| a.to_bytes() == b.to_bytes());
    assert!(same);
}

/// Modules with anything in their words are changed, or not, without a panic.
/// A module of a thousand bytes has a type of 32 to the seventh parts. Two modules whose pointers lead to such
/// types are compared as far as that takes no time.
#[test]
fn structures_in_each_other_end() {
    if !has_tools() {
        return;
    }
    let nested = |innermost: &str| {
        let structures: String = (0..7)
            .map(|depth| {
                let inner = match depth {
                    0 => innermost.to_owned(),
                    _ => format!("%s{}", depth - 1),
                };
                format!(
                    "%s{depth} = OpTypeStruct{}\n",
                    format!(" {inner}").repeat(32)
                )
            })
            .collect();
        module(&format!(
            r#"{HEAD}
OpDecorate %f LinkageAttributes "f" Export
%byte = OpTypeInt 8 0
%int = OpTypeInt 32 0
%void = OpTypeVoid
{structures}%ptr = OpTypePointer CrossWorkgroup %s6
%fn = OpTypeFunction %void %ptr
%f = OpFunction %void None %fn
%p = OpFunctionParameter %ptr
%entry = OpLabel
OpReturn
OpFunctionEnd
"#
        ))
    };
    let modules = vec![nested("%int"), nested("%byte")];
    let before: Vec<_> = modules.iter().map(Module::to_bytes).collect();
    let after = with_pointers_alike(modules);
    let changed = after
        .iter()
        .zip(&before)
        .filter(|(a, b)| a.to_bytes() != **b);
    assert_eq!(changed.count(), 2, "the first part tells them apart");
}

#[test]
fn bent_modules_do_no_harm() {
    if !has_tools() {
        return;
    }
    let (user, library) = (module(&user("%int")).to_bytes(), with_aliases().to_bytes());
    let mut taken = 0;
    arbtest::arbtest(|input| {
        let mut bent = [user.clone(), library.clone()];
        for module in &mut bent {
            for _ in 0..input.int_in_range(0..=4)? {
                let [from, to] = [(); 2].map(|()| input.choose_index(module.len() / 4));
                let (from, to) = (from? * 4, to? * 4);
                match input.arbitrary()? {
                    true => module.copy_within(from..from + 4, to),
                    false => module[to + from % 4] = input.arbitrary()?,
                }
            }
        }
        let bent = bent.iter().filter_map(|bytes| Module::parse(bytes).ok());
        let bent: Vec<_> = bent.map(Module::without_aliases).collect();
        taken += usize::from(bent.len() == 2);
        for changed in with_pointers_alike(bent) {
            Module::parse(&changed.to_bytes()).unwrap();
        }
        Ok(())
    })
    .budget_ms(500);
    assert!(taken > 100, "{taken}");
}
