//! Every committed kernel compiles for every platform.

#[test]
fn every_kernel_compiles_for_every_platform() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels");
    let mut count = 0;
    let mut wrong = std::collections::BTreeMap::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "spv") {
            continue;
        }
        // Other tests say where these do not compile.
        let others = ["recursion", "local_atomics_64", "generic_atomics_64"];
        if path
            .file_stem()
            .is_some_and(|name| others.iter().any(|other| name == *other))
        {
            continue;
        }
        let spirv = std::fs::read(&path).unwrap();
        for platform in crate::common::PLATFORMS {
            let target = devinfo::by_name(platform).unwrap();
            match eu_compiler::compile(&spirv, &eu_compiler::Options::new(target)) {
                Ok(_) => count += 1,
                Err(error) if !target.fp64 && error.to_string().contains("no double") => {}
                Err(error) if !target.images && error.to_string().contains("has no images") => {}
                Err(error) => {
                    let list: &mut Vec<&str> = wrong.entry(error.to_string()).or_default();
                    list.push(platform);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 0);
}

#[test]
fn atomics_of_64_bits_on_local_memory_need_a_platform_that_has_them() {
    for (module, kernel) in [
        (
            &include_bytes!("../kernels/local_atomics_64.spv")[..],
            "on_local",
        ),
        (
            include_bytes!("../kernels/generic_atomics_64.spv"),
            "on_generic",
        ),
    ] {
        for platform in crate::common::PLATFORMS {
            let target = devinfo::by_name(platform).unwrap();
            let outcome = eu_compiler::compile(module, &eu_compiler::Options::new(target));
            let lacks = ["bdw", "skl", "icl", "tgl"].contains(platform);
            assert_eq!(outcome.is_err(), lacks, "{kernel} for {platform}");
            if let Err(error) = outcome {
                let text = error.to_string();
                assert!(text.contains(&format!("kernel {kernel}: ")), "{text}");
                assert!(text.contains("of 64 bits on local memory"), "{text}");
                assert!(text.contains(&format!("{platform} has none")), "{text}");
            }
        }
    }
}

#[test]
fn errors_name_the_line_of_the_source() {
    let spirv = include_bytes!("../kernels/recursion.spv");
    let target = devinfo::by_name("tgl").unwrap();
    let error = eu_compiler::compile(spirv, &eu_compiler::Options::new(target)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("the function factorial calls itself"),
        "{text}"
    );
    assert!(text.contains("recursion.cl:4)"), "{text}");
}
