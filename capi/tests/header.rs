//! `include/intel_gpu.h` is what cbindgen makes of the sources. `BLESS=1` rewrites it.
#![cfg(test)]

use std::path::Path;

#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut sources: Vec<_> = std::fs::read_dir(root.join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        // Its modules would be read twice.
        .filter(|path| !path.ends_with("lib.rs"))
        .collect();
    sources.sort();
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = sources.iter().fold(builder, |b, path| b.with_src(path));
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let header = root.join("include/intel_gpu.h");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&header, &made).unwrap();
    }
    let committed = std::fs::read(&header).unwrap_or_default();
    assert_eq!(
        String::from_utf8_lossy(&committed),
        String::from_utf8_lossy(&made),
        "run BLESS=1 cargo test -p capi --test header"
    );
}

#[test]
fn each_function_is_declared_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(root.join("include/intel_gpu.h")).unwrap();
    let names = header.match_indices("ig_").filter_map(|(at, _)| {
        let name = header.get(at..)?.split('(').next()?;
        let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        // Others are in comments and lines of their own.
        let line = header.get(..at)?.rsplit('\n').next()?;
        (is_name && !line.starts_with("//") && !line.starts_with(' ')).then_some(name)
    });
    let mut names: Vec<_> = names.collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert!(count > 50 && names.len() == count, "{count} declarations");
}
