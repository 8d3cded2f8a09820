//! The compilers that are installed compile, refuse and link alike.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use compilers::{
    Clang, CompileError, Compiler, Front, Header, Intel, Job, Library, Ocloc, Own, Product, Source,
    extensions, features,
};
use devinfo::{PLATFORMS, Platform, Target};
use spirv::{Decoration, Op};
use spirv_module::{Instruction, Module};

/// All that are installed; those that are missing are said.
fn all() -> Vec<Box<dyn Compiler>> {
    let mut all: Vec<Box<dyn Compiler>> = Vec::new();
    match Library::load() {
        Ok(library) => all.push(Box::new(library)),
        Err(error) => oracles::missing(error.to_string()),
    }
    let program = Ocloc::default();
    match program.identity().is_empty() {
        true => oracles::missing("ocloc (Debian package intel-opencl-icd)"),
        false => all.push(Box::new(program)),
    }
    if all.is_empty() {
        return all;
    }
    // What CI does not install.
    match Clang::find(Box::new(Intel::find())) {
        Ok(clang) => all.push(Box::new(clang)),
        Err(error) => eprintln!("skipped: {error}"),
    }
    all
}

fn job<'a>(source: Source<'a>, product: Product) -> Job<'a> {
    Job {
        source,
        product,
        target: Target::parse("tgl").unwrap(),
        options: "",
        internal: "",
        folder: None,
        headers: &[],
        checked: false,
    }
}

const SATURATED: u32 = Decoration::SaturatedConversion as u32;
const ELF: &[u8] = b"\x7fELF";
const SPIRV: &[u8] = &[3, 2, 0x23, 7];

#[test]
fn source_becomes_a_zebin_and_a_module() {
    let source = Source::OpenClC(b"kernel void k(global int *p) { *p = 1; }");
    for compiler in all() {
        let zebin = compiler.compile(&job(source, Product::Zebin)).unwrap();
        assert!(zebin.binary.starts_with(ELF), "{compiler:?}");
        assert_eq!(zebin.log, "", "{compiler:?}");
        let module = compiler.compile(&job(source, Product::Module)).unwrap();
        assert!(module.binary.starts_with(SPIRV), "{compiler:?}");
        let modules: &[&[u8]] = &[&module.binary];
        let again = job(Source::Modules(modules), Product::Zebin);
        let zebin = compiler.compile(&again).unwrap();
        assert!(zebin.binary.starts_with(ELF), "{compiler:?}");
    }
}

#[test]
fn options_have_quotes_of_both_kinds() {
    let text = "kernel void k(global int *p) { *p = A + B; }";
    let both = Job {
        options: r#"-DA="'x'" -DB=1"#,
        ..job(Source::OpenClC(text.as_bytes()), Product::Zebin)
    };
    for compiler in all() {
        let zebin = compiler.compile(&both).unwrap();
        assert!(zebin.binary.starts_with(ELF), "{compiler:?}");
    }
}

/// Sub-groups in all languages, on a platform without images.
#[test]
fn sub_groups_need_no_images() {
    let text = "#pragma OPENCL EXTENSION cl_intel_subgroups : enable\n\
                kernel void k(global uint *p) {\n\
                    uint v = sub_group_reduce_add(intel_sub_group_block_read(p));\n\
                    intel_sub_group_block_write(p, sub_group_shuffle_xor(v, 1));\n\
                }\n";
    for options in ["-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"] {
        let job = Job {
            target: Target::parse("pvc").unwrap(),
            options,
            ..job(Source::OpenClC(text.as_bytes()), Product::Zebin)
        };
        let intel: [Box<dyn Compiler>; 2] = [Box::new(Intel::find()), Box::new(Ocloc::default())];
        for compiler in intel {
            if compiler.identity().is_empty() {
                return oracles::missing("ocloc (Debian package intel-opencl-icd)");
            }
            let zebin = compiler.compile(&job).unwrap();
            assert!(zebin.binary.starts_with(ELF), "{compiler:?} {options}");
        }
    }
}

/// Text of every language for a platform that Intel's compiler may not know.
#[test]
fn newer_platforms_have_all_languages() {
    if all().is_empty() {
        return;
    }
    let own = Own::new(Some(Box::new(Front::find())));
    for options in [
        "",
        "-cl-std=CL1.1",
        "-cl-std=CL1.2",
        "-cl-std=CL2.0",
        "-cl-std=CL3.0",
    ] {
        for name in ["mtl", "bmg"] {
            let compiled = own.compile(&Job {
                options,
                target: Target::parse(name).unwrap(),
                ..job(
                    Source::OpenClC(b"kernel void k(global int *p) { p[0] = 1; }"),
                    Product::Zebin,
                )
            });
            let compiled = compiled.unwrap_or_else(|error| panic!("{name} {options}: {error}"));
            assert!(compiled.binary.starts_with(ELF), "{name} {options}");
        }
    }
}

/// Ours, behind Intel's for text.
#[test]
fn the_own_compiler_fits() {
    if all().is_empty() {
        return;
    }
    let own = Own::new(Some(Box::new(Intel::find())));
    let source = Source::OpenClC(b"kernel void k(global int *p) { p[get_global_id(0)] += 1; }");
    let zebin = own.compile(&job(source, Product::Zebin)).unwrap();
    assert!(zebin.binary.starts_with(ELF));
    let module = own.compile(&job(source, Product::Module)).unwrap();
    let modules: &[&[u8]] = &[&module.binary];
    let again = own.compile(&job(Source::Modules(modules), Product::Zebin));
    assert_eq!(again.unwrap().binary, zebin.binary);
    let broken: &[&[u8]] = &[b"no SPIR-V"];
    let error = own
        .compile(&job(Source::Modules(broken), Product::Zebin))
        .unwrap_err();
    assert!(matches!(error, CompileError::Refused { .. }), "{error:?}");
    assert!(own.identity().contains("installed"), "{}", own.identity());
}

#[test]
fn modules_are_linked() {
    let parts = [
        "int f(int x); kernel void k(global int *p) { *p = f(*p); }",
        "int f(int x) { return x + 1; }",
    ];
    // What a pointer leads to is not the same in both.
    let pointers = [
        "int f(global char *p); kernel void k(global int *p) { *p = f((global char *)p); }",
        "int f(global int *p) { return *p + 1; }",
    ];
    for (compiler, parts) in all().iter().flat_map(|one| [(one, parts), (one, pointers)]) {
        let compile = |text: &str| {
            let source = job(Source::OpenClC(text.as_bytes()), Product::Module);
            compiler.compile(&source).unwrap().binary
        };
        let [main, helper] = parts.map(compile);
        let modules: &[&[u8]] = &[&main, &helper];
        let linked = compiler.compile(&job(Source::Modules(modules), Product::Zebin));
        assert!(linked.unwrap().binary.starts_with(ELF), "{compiler:?}");
        let library = job(Source::Modules(&modules[1..]), Product::Module);
        let library = compiler.compile(&library).unwrap().binary;
        let modules: &[&[u8]] = &[&main, &library];
        let linked = compiler.compile(&job(Source::Modules(modules), Product::Zebin));
        assert!(linked.unwrap().binary.starts_with(ELF), "{compiler:?}");
    }
}

/// Intel's translator leaves the decoration with an id that nothing defines.
#[test]
fn conversions_in_loops_keep_their_saturation() {
    let source = Source::OpenClC(
        b"kernel void k(global int *p, long x, int n) {
            int last = 0;
            for (int i = 0; i < n; i++) { p[i] = last; last = convert_int_sat(x + i); }
        }",
    );
    for compiler in all() {
        let module = compiler.compile(&job(source, Product::Module)).unwrap();
        let module = Module::parse(&module.binary).unwrap();
        let is = |one: &Instruction<'_>, op| one.op() == Some(op);
        let saturated: Vec<_> = module
            .instructions()
            .filter(|one| is(one, Op::Decorate) && one.word(1) == SATURATED)
            .map(|one| one.word(0))
            .collect();
        let conversions: Vec<_> = module
            .instructions()
            .filter(|one| is(one, Op::SConvert) && saturated.contains(&one.word(1)))
            .collect();
        assert_eq!((saturated.len(), conversions.len()), (1, 1), "{compiler:?}");
    }
}

#[test]
fn what_is_wrong_is_said_in_the_compilers_words() {
    for compiler in all() {
        let bad = job(
            Source::OpenClC(b"kernel void k() { wrong; }"),
            Product::Zebin,
        );
        let error = compiler.compile(&bad).unwrap_err();
        assert!(matches!(error, CompileError::Refused { .. }), "{error:?}");
        assert!(error.log().contains("1:19: error: "), "{}", error.log());
        assert!(!error.log().contains("Command was"), "{}", error.log());
        let source = Source::OpenClC(b"kernel void k() {}");
        let unknown = Job {
            options: "-foo",
            ..job(source, Product::Zebin)
        };
        let error = compiler.compile(&unknown).unwrap_err();
        assert!(matches!(error, CompileError::Options { .. }), "{error:?}");
        assert!(error.log().contains("-foo"), "{}", error.log());
    }
}

/// Also of text that begins with the mark of UTF-8.
#[test]
fn the_first_line_is_the_first() {
    for text in ["#error here\n", "\u{feff}#error here\n"] {
        for compiler in all() {
            let bad = job(Source::OpenClC(text.as_bytes()), Product::Module);
            let error = compiler.compile(&bad).unwrap_err();
            // Intel's compiler has a number for the source, too.
            let log = error.log();
            let place = log.split(": error: here").next().unwrap();
            assert_eq!(place.rsplit(':').nth(1), Some("1"), "{log}");
        }
    }
}

#[test]
fn images_of_depths_are_there_in_all_languages() {
    let text = "kernel void k(read_only image2d_depth_t i, sampler_t s, global float *p) {\n\
                    p[0] = read_imagef(i, s, (float2)(0, 0));\n\
                }\n";
    for compiler in all() {
        for options in ["", "-cl-std=CL1.2", "-cl-std=CL3.0"] {
            let compiled = compiler.compile(&Job {
                options,
                ..job(Source::OpenClC(text.as_bytes()), Product::Module)
            });
            assert!(compiled.is_ok(), "{compiler:?} {options}: {compiled:?}");
        }
    }
}

#[test]
fn options_that_are_known_are_taken_and_others_are_errors_of_options() {
    let source = Source::OpenClC(b"kernel void k(global int *p) { *p = 1; }");
    for compiler in all() {
        for options in ["-cl-no-subgroup-ifp", "-w\t-g", "-w\n-cl-mad-enable"] {
            let compiled = compiler.compile(&Job {
                options,
                ..job(source, Product::Module)
            });
            assert!(compiled.is_ok(), "{compiler:?} {options:?}: {compiled:?}");
        }
        let compiled = compiler.compile(&Job {
            options: "-cl-std=CL9.9",
            ..job(source, Product::Module)
        });
        let refused = matches!(compiled, Err(CompileError::Options { .. }));
        assert!(refused, "{compiler:?}: {compiled:?}");
    }
}

#[test]
fn headers_and_quotes_arrive() {
    let text =
        "#include \"a/b.h\"\n#include \"c.h\"\nkernel void k(global int *p) { *p = f(A) + B; }";
    // Without line ends: what follows a header must not become part of it.
    let headers = [
        ("a/b.h", "#define A 1"),
        ("c.h", "int f(int a) { return a; }"),
    ];
    let headers = headers.map(|(name, text)| Header {
        name,
        text: text.as_bytes(),
    });
    for compiler in all() {
        let compiled = compiler.compile(&Job {
            headers: &headers,
            options: "-DB=\"1 + 2\"",
            ..job(Source::OpenClC(text.as_bytes()), Product::Zebin)
        });
        assert!(compiled.is_ok(), "{compiler:?}: {compiled:?}");
    }
}

/// A module that makes Intel's compiler end its process ends no other one.
#[test]
fn broken_modules_are_errors() {
    if all().is_empty() {
        return;
    }
    // A header of version 1.5, which ends 22.43, and an instruction that is none.
    let words: [u32; 6] = [0x0723_0203, 0x0001_0500, 0, 9, 0, 0x0001_ffff];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let modules: &[&[u8]] = &[&bytes];
    for source in [Source::Modules(modules), Source::Modules(&[&bytes, &bytes])] {
        let error = Intel::find()
            .compile(&job(source, Product::Zebin))
            .unwrap_err();
        assert!(matches!(error, CompileError::Refused { .. }), "{error:?}");
        assert!(!error.log().is_empty());
    }
}

/// 22.43 and what came after know different platforms.
#[test]
fn a_size_of_sub_groups_that_there_is_not_is_refused_with_those_that_there_are() {
    let source = Source::OpenClC(
        b"kernel __attribute__((intel_reqd_sub_group_size(4))) void k(global int *p) { *p = 1; }",
    );
    for compiler in all() {
        let error = compiler.compile(&job(source, Product::Zebin)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("8, 16, 32"), "{compiler:?}: {text}");
    }
}

#[test]
fn an_unknown_platform_is_no_refusal() {
    let source = Source::OpenClC(b"kernel void k() {}");
    for compiler in all() {
        for name in ["bdw", "ptl"] {
            let target = Target::parse(name).unwrap();
            let compiled = compiler.compile(&Job {
                target,
                ..job(source, Product::Zebin)
            });
            let known = matches!(compiled, Ok(_) | Err(CompileError::UnknownPlatform { .. }));
            assert!(known, "{compiler:?}: {name}: {compiled:?}");
        }
    }
}

#[test]
fn text_becomes_spirv_for_platforms_that_intels_compiler_does_not_know() {
    let source = Source::OpenClC(
        b"kernel void k(global uint *p) { intel_sub_group_block_write(p, get_sub_group_local_id()); }",
    );
    if Intel::find().identity().is_empty() {
        oracles::missing("ocloc (Debian package intel-opencl-icd)");
        return;
    }
    let unknown = Job {
        target: Target::parse("ptl").unwrap(),
        ..job(source, Product::Module)
    };
    let module = Front::find().compile(&unknown).unwrap();
    assert!(module.binary.starts_with(SPIRV));
}

/// The functions of Intel's extensions in one kernel.
const SUBGROUPS: &str = "
    kernel void k(global uint *p, global uchar *c, global ushort *s, global ulong *l, global float4 *f,
                  read_only image2d_t from, write_only image2d_t to) {
        int2 at = (int2)(0, 0);
        p[0] = intel_sub_group_shuffle(intel_sub_group_block_read(p), 3u) + get_sub_group_size();
        p[1] = sub_group_reduce_add(p[2]) + sub_group_any(1) + sub_group_broadcast(p[3], 1u);
        intel_sub_group_block_write_uc16(c, intel_sub_group_block_read_uc16(c));
        intel_sub_group_block_write_us2(s, intel_sub_group_block_read_us2(s));
        intel_sub_group_block_write_ul4(l, intel_sub_group_block_read_ul4(l));
        intel_sub_group_block_write_uc4(to, at, intel_sub_group_block_read_uc4(from, at));
        intel_sub_group_block_write_ui8(to, at, intel_sub_group_block_read_ui8(from, at));
        c[0] = intel_sub_group_reduce_add(c[1]) + intel_sub_group_scan_inclusive_max((char)c[2]);
        s[0] = intel_sub_group_shuffle_down(s[1], s[2], 2u) + intel_sub_group_broadcast(s[3], 0u);
        f[0] = intel_sub_group_shuffle_xor(f[0], 1u);
        l[0] = intel_sub_group_shuffle_up(l[1], l[2], 1u);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }";

#[test]
fn clang_knows_intels_functions_of_sub_groups() {
    let clang = match Clang::find(Box::new(Own::new(None))) {
        Ok(clang) => clang,
        Err(error) => return oracles::missing(error.to_string()),
    };
    for options in ["", "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"] {
        for name in ["skl", "tgl", "dg2", "bmg"] {
            let compiled = clang.compile(&Job {
                options,
                target: Target::parse(name).unwrap(),
                ..job(Source::OpenClC(SUBGROUPS.as_bytes()), Product::Zebin)
            });
            let compiled = compiled.unwrap_or_else(|error| panic!("{name} {options}: {error}"));
            assert_eq!(compiled.log, "", "{name} {options}");
        }
    }
}

/// The macros of what a platform has in a version of OpenCL C.
fn macros(platform: &Platform, version: &str) -> Vec<&'static str> {
    let mut all = extensions(platform);
    match version {
        // It needs types of OpenCL C 2.0.
        "CL1.2" => all.retain(|name| *name != "cl_khr_subgroups"),
        "CL3.0" => all.extend(features(platform)),
        _ => {}
    }
    let others = [
        (platform.images, "__IMAGE_SUPPORT__"),
        (platform.fp64, "FP_FAST_FMA"),
    ];
    all.extend(others.iter().filter(|one| one.0).map(|one| one.1));
    all
}

/// Source that does not compile unless macros are defined, and others are not.
fn source_of_macros(defined: &[&str], others: &[&str]) -> String {
    let missing = |name: &&str| format!("#ifndef {name}\n#error {name} is not defined\n#endif\n");
    let excess = |name: &&str| format!("#ifdef {name}\n#error {name} is defined\n#endif\n");
    let missing: String = defined.iter().map(missing).collect();
    let excess: String = others.iter().map(excess).collect();
    let version = "#if __OPENCL_VERSION__ != 300\n#error no version\n#endif\n";
    missing + &excess + version + "kernel void k(global int *p) { *p = 1; }\n"
}

#[test]
fn clang_defines_the_macros_of_what_the_platform_has() {
    let clang = match Clang::find(Box::new(Own::new(None))) {
        Ok(clang) => clang,
        Err(error) => return oracles::missing(error.to_string()),
    };
    for name in ["skl", "tgl", "dg2", "pvc", "bmg"] {
        let target = Target::parse(name).unwrap();
        for version in ["CL1.2", "CL2.0", "CL3.0"] {
            let own = macros(target.platform, version);
            let all = PLATFORMS.iter().flat_map(|one| macros(one, version));
            let mut others: Vec<_> = all.filter(|name| !own.contains(name)).collect();
            others.extend(["cl_khr_gl_msaa_sharing", "cl_khr_mipmap_image"]);
            let source = source_of_macros(&own, &others);
            let compiled = clang.compile(&Job {
                options: &format!("-cl-std={version}"),
                target,
                ..job(Source::OpenClC(source.as_bytes()), Product::Module)
            });
            let compiled = compiled.unwrap_or_else(|error| panic!("{name} {version}: {error}"));
            assert_eq!(compiled.log, "", "{name} {version}");
        }
    }
}

/// In OpenCL C 2.0 they belong to an extension that some platforms do not have, and pipes to the core.
#[test]
fn clang_knows_pipes_of_sub_groups() {
    let clang = match Clang::find(Box::new(Own::new(None))) {
        Ok(clang) => clang,
        Err(error) => return oracles::missing(error.to_string()),
    };
    let source = "kernel void k(read_only pipe int p, global int *to) {
        reserve_id_t packets = sub_group_reserve_read_pipe(p, 1);
        sub_group_commit_read_pipe(p, packets);
        to[0] = sub_group_reduce_add(1) + get_enqueued_num_sub_groups();
    }";
    for name in ["skl", "tgl", "dg2", "pvc", "bmg"] {
        for options in ["-cl-std=CL2.0", "-cl-std=CL3.0"] {
            let compiled = clang.compile(&Job {
                options,
                target: Target::parse(name).unwrap(),
                ..job(Source::OpenClC(source.as_bytes()), Product::Module)
            });
            let compiled = compiled.unwrap_or_else(|error| panic!("{name} {options}: {error}"));
            assert_eq!(compiled.log, "", "{name} {options}");
        }
    }
}

#[test]
fn doubles_are_refused_where_the_platform_has_none() {
    let clang = match Clang::find(Box::new(Own::new(None))) {
        Ok(clang) => clang,
        Err(error) => return oracles::missing(error.to_string()),
    };
    let source = "kernel void k(global double *p) { *p = 1; }";
    for (name, has) in [("skl", true), ("tgl", false), ("dg2", false), ("bmg", true)] {
        let compiled = clang.compile(&Job {
            target: Target::parse(name).unwrap(),
            ..job(Source::OpenClC(source.as_bytes()), Product::Module)
        });
        match compiled {
            Ok(_) => assert!(has, "{name}"),
            Err(CompileError::Refused { log, .. }) => {
                assert!(!has && log.contains("cl_khr_fp64"), "{name}: {log}");
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

#[test]
fn intels_compiler_defines_them_too() {
    let intel = Intel::find();
    if intel.identity().is_empty() {
        return oracles::missing("libocloc (Debian package intel-opencl-icd)");
    }
    for name in ["skl", "tgl", "dg2"] {
        let target = Target::parse(name).unwrap();
        let own = macros(target.platform, "CL3.0");
        let mut others = vec![
            "__opencl_c_integer_dot_product_input_4x8bit",
            "__opencl_c_integer_dot_product_input_4x8bit_packed",
            "cl_intel_planar_yuv",
            "cl_khr_integer_dot_product",
            "cl_khr_subgroups",
        ];
        others.retain(|name| !own.contains(name));
        let source = source_of_macros(&own, &others);
        let compiled = intel.compile(&Job {
            options: "-cl-std=CL3.0",
            target,
            ..job(Source::OpenClC(source.as_bytes()), Product::Module)
        });
        compiled.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
