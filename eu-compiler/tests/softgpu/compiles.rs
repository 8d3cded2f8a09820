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
        // Other tests say how they do not compile.
        if (path.file_stem()).is_some_and(|name| name == "recursion" || name == "undefined") {
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
fn constants_at_known_places_are_not_loaded() {
    let spirv = include_bytes!("../programs/known.spv");
    let target = devinfo::by_name("tgl").unwrap();
    let options = eu_compiler::Options::new(target);
    let made = eu_compiler::compile_showing(spirv, &options, Some("final")).unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for kernel in &made.kernels {
        let constants = kernel
            .ir
            .as_deref()
            .unwrap()
            .matches("input constants.")
            .count();
        counts.insert(kernel.name.as_str(), constants);
    }
    // An address is of the loader.
    assert!(
        counts
            .remove("known_pointers")
            .is_some_and(|count| count > 0)
    );
    assert_eq!(counts.len(), 3);
    assert!(counts.values().all(|count| *count == 0), "{counts:?}");
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

#[test]
fn variables_that_no_module_defines_are_named() {
    let spirv = include_bytes!("../kernels/undefined.spv");
    let target = devinfo::by_name("tgl").unwrap();
    let error = eu_compiler::compile(spirv, &eu_compiler::Options::new(target)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("the variable K, which is not defined"),
        "{text}"
    );
}
