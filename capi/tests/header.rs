//! `include/intel_gpu.h` is what cbindgen makes of the sources. `UPDATE_HEADER=1` rewrites it.
#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

use std::path::Path;

#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut sources: Vec<_> = std::fs::read_dir(root.join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    sources.sort();
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = sources.iter().fold(builder, |b, path| b.with_src(path));
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let header = root.join("include/intel_gpu.h");
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(&header, &made).unwrap();
    }
    let committed = std::fs::read(&header).unwrap_or_default();
    assert_eq!(
        String::from_utf8_lossy(&committed),
        String::from_utf8_lossy(&made),
        "run UPDATE_HEADER=1 cargo test -p capi --test header"
    );
}
